"""What the documentation shows and in which order: the one table behind navigation, search, twins and tests.

Documents that are written for operators (the runbook, the threat model, decisions) are not on the site.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)


@dataclass(frozen=True, slots=True)
class Guide:
    """One page that is made from a file. `source` is its path in the project, `about` one sentence for lists."""

    slug: str
    title: str
    source: str
    about: str

    @property
    def url(self) -> str:
        """Where people read it."""
        return f"/docs/guides/{self.slug}/"

    @property
    def twin(self) -> str:
        """Where programs read it, as Markdown."""
        return f"/docs/guides/{self.slug}.md"

    @property
    def path(self) -> Path:
        """The file."""
        return ROOT / self.source


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the navigation that is no guide."""

    title: str
    url: str
    about: str


def _guide(slug: str, title: str, about: str, *, source: str = "") -> Guide:
    return Guide(slug, title, source or f"docs/{slug}.md", about)


def _written(slug: str, title: str, about: str) -> Guide:
    return _guide(slug, title, about, source=f"docs/guides/{slug}.md")


GROUPS: dict[str, tuple[Guide, ...]] = {
    "Start": (
        _written("quick-start", "Quick start", "From nothing to a first answer in four minutes."),
        _written("modes", "Live and test", "Two modes that never mix, and which key opens which."),
        _guide("sandbox", "The sandbox", "Names that play every outcome, for test keys, free of charge."),
    ),
    "Answers": (
        _written("verdicts", "Verdicts", "How a lookup can end, and what each ending costs."),
        _guide("matching", "Which company is meant", "When a name is a match, and when it is a suggestion."),
        _guide("statuses", "Status words", "What each state's status words mean, in one vocabulary."),
        _guide("name-rules", "Name checks", "When two names are the same name, state by state."),
        _written("states", "States", "What each registry can answer, and how sure that is."),
        _guide("search-terms", "What a registry is sent", "Search terms, shortest names and where lists are cut."),
        _guide("evidence", "Evidence", "What proves an answer, and how anybody checks it."),
        _guide("identifiers", "Other identifiers", "LEI and CIK of a company, each with its own source."),
        _guide("history", "History", "Every version of a company that was read, and what changed."),
    ),
    "Later, and many": (
        _written("jobs", "Jobs", "Lookups that take longer than a request."),
        _written("bulk", "Bulk", "Up to 1,000 companies in one request, as JSON or a table."),
        _guide("watches", "Watches", "Companies that are looked at again and again."),
        _guide("webhooks", "Webhooks", "Signed messages to your server."),
    ),
    "Other ways in": (
        _guide("agents", "Agents (MCP)", "The same operations as tools of the Model Context Protocol."),
        _guide("evaluation", "Evaluation of tool use", "Questions to a model that has the tools, judged."),
        _guide("reconcile", "Spreadsheets (OpenRefine)", "Reconcile a column of names with the registries."),
        _written("tables", "Tables (pandas, Excel)", "What was asked and found, as CSV from an address."),
    ),
    "Account": (
        _guide("keys", "API keys", "Make, rotate and revoke keys, each with its own rights."),
        _guide("payments", "Paying by the request", "HTTP 402, without an account."),
        _written("limits", "Limits", "How much, how fast, how long."),
        _written("idempotency", "Asking again safely", "A lost reply is never paid for twice."),
    ),
    "Changes": (
        _written("deprecation", "What stays as it is", "What may change in version 1 of the interface, and how."),
        _guide("changelog", "Changelog", "What changed, in users' words.", source="CHANGELOG.md"),
    ),
}
GUIDES: tuple[Guide, ...] = tuple(guide for group in GROUPS.values() for guide in group)

START = Place("Documentation", "/docs/", "Everything about the interface.")
ERRORS = Place("Errors", "/docs/errors/", "Every error code, and what to do.")
REFERENCE = Place("Reference", "/docs/reference/", "Every operation, field and example.")
WORDS = Place("Words", "/docs/reference/words/", "Every closed list of words.")
WEBHOOKS = Place("Webhook messages", "/docs/reference/webhooks/", "What your server is sent.")
SWAGGER = Place("Try it (Swagger)", "/docs/swagger/", "The same document, with a form to try it.")
REQUESTS = "/docs/sos-lookup.postman_collection.json"
REFERENCES = (REFERENCE, ERRORS, WORDS, WEBHOOKS, SWAGGER)


@lru_cache(maxsize=1)
def by_slug() -> dict[str, Guide]:
    """Every guide by the word in its address."""
    return {guide.slug: guide for guide in GUIDES}


@lru_cache(maxsize=1)
def by_path() -> dict[Path, Guide]:
    """Every guide by its file, for links between documents."""
    return {guide.path.resolve(): guide for guide in GUIDES}


def neighbors(guide: Guide) -> tuple[Guide | None, Guide | None]:
    """The guide before and the one after."""
    at = GUIDES.index(guide)
    return (GUIDES[at - 1] if at else None, GUIDES[at + 1] if at + 1 < len(GUIDES) else None)
