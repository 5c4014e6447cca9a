"""Guides as they are shown: read from the project's files once, with this installation's address in every example."""

from __future__ import annotations

import re
from functools import lru_cache

from django.conf import settings
from django.templatetags.static import static

from lookups.pages.docs import contents, markdown
from lookups.pages.docs.contents import Guide
from lookups.pages.docs.markdown import Rendered

HOST = "https://sos.example.com"
KEY = "osd_test_your_key"
"""What stands in examples for the service's address and for the reader's test key."""

ELSEWHERE = {
    (contents.ROOT / "docs" / "verify.py").resolve(): "/verify/verify.py",  # a link to the module that is served
    contents.ROOT / "lookups" / "api" / "wire" / "errors.py": contents.ERRORS.url,
    contents.ROOT / "docs" / "sos-lookup.postman_collection.json": contents.REQUESTS,
}
"""What documents link to that is shown by another page."""

STATIC = contents.ROOT / "lookups" / "static"  # pictures
DOCUMENT = contents.ROOT / "lookups" / "api" / "openapi.yaml"  # with an operation's name behind #: its page
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"\[[\w/-]+\.md\]\(([^)\s]+)\)")
_MADE = re.compile(r"^Generated from the code by .*\n\n", re.MULTILINE)  # a word to those who would edit the file
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_MARKS = re.compile(r"^```(\w+) .*$", re.MULTILINE)  # what a test is to do with an example is no reader's business


def show(guide: Guide) -> Rendered:
    """A guide as HTML."""
    return _show(guide, settings.PUBLIC_URL)


def write(guide: Guide) -> str:
    """A guide as Markdown: its links lead to other pages' Markdown."""
    parts = _FENCE.split(_read(guide, settings.PUBLIC_URL))
    parts[::2] = [_LINK.sub(lambda found: _lead(guide, *found.groups()), part) for part in parts[::2]]
    return _MARKS.sub(r"```\1", "".join(parts))


@lru_cache(maxsize=64)
def _show(guide: Guide, host: str) -> Rendered:
    return markdown.render(_read(guide, host), resolve=lambda href: resolve(guide, href))


def _read(guide: Guide, host: str) -> str:
    """The file, with this installation's address, and pages' titles where a link names a file."""
    text = _MADE.sub("", guide.path.read_text(encoding="utf-8").replace(HOST, host))
    return _FILE.sub(lambda found: f"[{_title_of(guide, found[1])}]({found[1]})", text)


def _title_of(guide: Guide, href: str) -> str:
    path = href.partition("#")[0]
    found = contents.by_path().get((guide.path.parent / path).resolve())
    return found.title if found else path


def resolve(guide: Guide, href: str, *, twin: bool = False) -> str | None:
    """Where a link in a guide's file leads on the site; None where to nothing that is shown."""
    path, mark, anchor = href.partition("#")
    if not path or path.startswith(("/", "http://", "https://", "mailto:")):
        return href
    target = (guide.path.parent / path).resolve()
    if target in ELSEWHERE:
        return f"{ELSEWHERE[target]}{mark}{anchor}"
    if target.is_relative_to(STATIC):
        return static(target.relative_to(STATIC).as_posix())
    if target == DOCUMENT:
        return f"{contents.REFERENCE.url}{anchor}/" if anchor else contents.REFERENCE.url
    found = contents.by_path().get(target)
    return None if found is None else f"{found.twin if twin else found.url}{mark}{anchor}"


def _lead(guide: Guide, words: str, href: str) -> str:
    target = resolve(guide, href, twin=True)
    if target is None:
        return words
    return f"[{words}]({settings.PUBLIC_URL if target.startswith('/') else ''}{target})"
