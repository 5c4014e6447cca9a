"""Markdown becomes HTML of ours, whatever is in it."""

from __future__ import annotations

import pytest
from lxml import html

from lookups.pages.docs import markdown, search
from lookups.pages.docs.highlighting import color

HOSTILE = """# A <script>alert(1)</script> title

<script>alert(1)</script> <img src=x onerror=alert(1)>

[one](javascript:alert(1)) [two](data:text/html,<script>alert(1)</script>) ![three](https://x.test/a.png)
[four](https://x.test/" onmouseover="alert(1)) <https://x.test/<script>>

## "><script>alert(1)</script>

| a" onclick="alert(1) | <b>b</b> |
| --- | --- |
| <script>alert(1)</script> | `<script>` |

```sh" onclick="alert(1)
<script>alert(1)</script>
```

```python
<script>alert("1")</script>
```

\u202etxt.exe \U0001f600
"""


class TestADocument:
    """Rendered."""

    @pytest.fixture
    def hostile(self) -> html.HtmlElement:
        return html.fromstring(f"<div>{markdown.render(HOSTILE).html}</div>")

    def test_never_becomes_markup(self, hostile: html.HtmlElement) -> None:
        assert hostile.xpath("//script|//img|//b") == []
        attributes = {name for element in hostile.iter() for name in element.attrib}
        known = {"class", "id", "href", "rel", "aria-label", "aria-hidden", "tabindex", "role", "scope", "data-label"}
        svg = {"viewbox", "fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "d"}
        assert attributes <= known | svg | {"type", "data-copy", "hidden"}

    def test_leads_nowhere_that_runs(self, hostile: html.HtmlElement) -> None:
        assert all(href.startswith(("#", "https://x.test/")) for href in hostile.xpath("//a/@href"))

    def test_keeps_hostile_words_as_words(self, hostile: html.HtmlElement) -> None:
        assert hostile.text_content().count("<script>alert(1)</script>") >= 3

    def test_names_its_headings_as_github_does(self) -> None:
        found = markdown.render("# A\n\n## `code` & More, of it\n\n## Same\n\n## Same\n").sections
        assert [one.anchor for one in found] == ["", "code--more-of-it", "same", "same-1"]

    def test_gives_each_cell_the_name_of_its_column(self) -> None:
        table = html.fromstring(str(markdown.render("# A\n\n| | b |\n|---|---|\n| 1 | 2 |\n").html))
        assert table.xpath("//th/text()") == ["b"]
        assert table.xpath("//tbody//td/@data-label") == ["b"]

    def test_puts_the_same_example_in_several_languages_together(self) -> None:
        text = "# A\n\n```sh\ncurl\n```\n\n```python\nx = 1\n```\n\nWords.\n\n```sh\nls\n```\n"
        page = html.fromstring(f"<div>{markdown.render(text).html}</div>")
        assert page.xpath("//div[@class='samples']/div/@data-language") == ["sh", "python"]
        assert len(page.xpath("//pre")) == 3

    def test_drops_links_to_what_is_not_shown_and_keeps_their_words(self) -> None:
        page = markdown.render("# A\n\nSee the [runbook](runbook.md) and [b](b.md).", resolve={"b.md": "/b/"}.get)
        assert "See the runbook and " in page.html
        assert 'href="/b/"' in page.html

    def test_shows_pictures_of_ours_and_the_words_of_any_other(self) -> None:
        text = "# A\n\n![a *cat*](cat.png) ![a dog](https://x.test/d.png) ![a cow](//x.test/c.png) ![a hen](hen.png)"
        found = {"cat.png": "/static/cat.png", "hen.png": None}
        page = html.fromstring(str(markdown.render(text, resolve=lambda href: found.get(href, href)).html))
        (picture,) = page.xpath("//img")
        assert dict(picture.attrib) == {"src": "/static/cat.png", "alt": "a cat", "loading": "lazy"}
        assert page.text_content().split() == ["a", "dog", "a", "cow", "a", "hen"]


class TestCode:
    """With its colors."""

    @pytest.mark.parametrize("language", ["sh", "python", "js", "json", "", "unknown"])
    def test_says_what_it_said(self, language: str) -> None:
        code = 'x = "<a href=\'#\'>&amp;" # …\n{"a": 1.5, "b": null}'
        assert html.fromstring(f"<pre>{color(code, language)}</pre>").text_content() == code


class TestSearching:
    """The words of the documentation."""

    def test_finds_an_ambiguous_name_where_it_is_explained(self) -> None:
        found = [hit.entry.url for hit in search.find("ambiguous")]
        assert "/docs/errors/#ambiguous_name" in found[:5]
        assert any(url.startswith("/docs/guides/verdicts/") for url in found)

    @pytest.mark.parametrize(
        ("asked", "url"),
        [
            ("formationDate", "/docs/reference/lookup/#Entity"),
            ("rate limit", "/docs/errors/#rate_limited"),
            ("idempotency", "/docs/guides/idempotency/"),
            ("POST /v1/keys", "/docs/reference/createKey/"),
            ("round number of rows", "/docs/guides/search-terms/"),
            ("wacz", "/docs/reference/downloadEvidence/"),
        ],
    )
    def test_finds(self, asked: str, url: str) -> None:
        assert any(hit.entry.url.startswith(url) for hit in search.find(asked)), [
            h.entry.url for h in search.find(asked)
        ]

    @pytest.mark.parametrize("asked", ["", "   ", "xyzzy", "ambiguous xyzzy", "((((", "\\", "a" * 10_000])
    def test_finds_nothing_where_nothing_is(self, asked: str) -> None:
        assert search.find(asked) == []

    def test_marks_words_and_escapes_the_rest(self) -> None:
        excerpt = search._excerpt("<b> Ambiguous & more", ["ambig"])
        assert excerpt == "&lt;b&gt; <mark>Ambiguous</mark> &amp; more"
