"""The pages under /docs/. All they show is made from files and code, once in a process; no database is asked."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from lookups.pages.docs import agents, contents, example_keys, guides, search, twins
from lookups.pages.docs.reference import codes, collection, operations, shapes

MARKDOWN = "text/markdown; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
# Swagger's own script writes styles into the page
SWAGGER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def list_addresses() -> list[str]:
    """Every page that a search engine may list."""
    places = (contents.START, contents.REFERENCE, contents.ERRORS, contents.WORDS, contents.WEBHOOKS)
    pages = [*(one.url for one in places), *(one.url for one in contents.GUIDES)]
    return [*pages, *(one.url for one in operations.by_name().values())]


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """The first page: where to begin, and everything there is."""
    return _show(request, "start", {"place": contents.START, "tags": operations.by_tag()}, twin="/docs/index.md")


@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponse:
    """One guide."""
    found = contents.by_slug().get(slug)
    if found is None:
        raise Http404
    before, after = contents.neighbors(found)
    page = guides.show(found)
    content = {
        "place": found,
        "page": page,
        "before": before,
        "after": after,
        "group": next(name for name, members in contents.GROUPS.items() if found in members),
        "headings": [one for one in page.sections if one.level == 2],
        "chooses": 'class="samples"' in page.html,
    }
    return _show(request, "guide", content, twin=found.twin)


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    """Every error code under an anchor of its own, to which each error's `docUrl` leads."""
    content = {
        "place": contents.ERRORS,
        "codes": codes.list_codes(),
        "reasons": codes.list_reasons(),
        "other_reasons": codes.list_other_reasons(),
        "tables": codes.list_bodies(),
    }
    return _show(request, "errors", content, twin="/docs/errors.md")


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation in a line."""
    content = {"place": contents.REFERENCE, "tags": operations.by_tag()}
    return _show(request, "reference", content, twin="/docs/reference.md")


@require_safe
def operation(request: HttpRequest, name: str) -> HttpResponse:
    """All about one operation."""
    found = operations.by_name().get(name)
    if found is None:
        raise Http404
    content = {"place": found, "page": operations.describe(found), "chooses": True, "tags": operations.by_tag()}
    return _show(request, "operation", content, twin=found.twin)


@require_safe
def words(request: HttpRequest) -> HttpResponse:
    """Every closed list of words."""
    content = {"place": contents.WORDS, "lists": shapes.list_words()}
    return _show(request, "words", content, twin="/docs/reference/words.md")


@require_safe
def messages(request: HttpRequest) -> HttpResponse:
    """Every webhook message."""
    content = {
        "place": contents.WEBHOOKS,
        "messages": operations.describe_messages(),
        "tables": operations.list_message_tables(),
    }
    return _show(request, "messages", content, twin="/docs/reference/webhooks.md")


@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Sections that have the words of `q`."""
    asked = request.GET.get("q", "").strip()[: search.LONGEST]
    response = _show(request, "search", {"asked": asked, "hits": search.find(asked)})
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
@cache_control(public=True, max_age=300)
def swagger(request: HttpRequest) -> HttpResponse:
    """The document with a form to try it out; every asset comes from here."""
    response = render(request, "docs/swagger.html")
    response["Content-Security-Policy"] = SWAGGER_POLICY
    return response


@require_safe
@cache_control(public=True, max_age=300)
def requests(request: HttpRequest) -> HttpResponse:
    """Every request, ready to be sent to this installation."""
    text = collection.COMMITTED.read_text(encoding="utf-8").replace(guides.HOST, settings.PUBLIC_URL)
    return HttpResponse(text, content_type="application/json")


@require_safe
@cache_control(public=True, max_age=300)
def twin(request: HttpRequest, name: str) -> HttpResponse:
    """A page as Markdown."""
    text = twins.find(name)
    if text is None:
        raise Http404
    return HttpResponse(text, content_type=MARKDOWN)


@require_safe
@cache_control(public=True, max_age=300)
def llms(request: HttpRequest) -> HttpResponse:
    """The service in a few lines of plain text, for agents."""
    return HttpResponse(agents.write_short(), content_type=TEXT)


@require_safe
@cache_control(public=True, max_age=300)
def llms_full(request: HttpRequest) -> HttpResponse:
    """Every guide in one file."""
    return HttpResponse(agents.write_full(), content_type=TEXT)


def _show(request: HttpRequest, template: str, content: dict[str, Any], *, twin: str = "") -> HttpResponse:
    """A page, with the reader's own test key in its examples where this session has one."""
    key = example_keys.find(request)
    content |= {"groups": contents.GROUPS, "references": contents.REFERENCES, "twin": twin, "example_key": key}
    content["canonical"] = f"{settings.PUBLIC_URL}{request.path}"
    response = render(request, f"docs/{template}.html", content)
    text = response.content.decode().replace(guides.HOST, settings.PUBLIC_URL)
    response.content = (text.replace(guides.KEY, key) if key else text).encode()
    response["Cache-Control"] = "private, no-store" if key else "public, max-age=300"
    response["Vary"] = "Cookie"
    return response
