"""Other companies that a dossier names: only what is sure, and what its reader may know of.

What a search brought beside the company belongs to whoever asked. A company of the same name in another state is named
where everybody may find its page, or where the reader's own account has bought it: that somebody else has asked for it
is nobody's to know. That two have one name does not make them one family, and the page says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from billing.models import Account
from jurisdictions.codes import PLACES
from lookups.models import Entity, Lookup
from lookups.pages.dossier.record.words import Some, clip, some, web_link, weight
from lookups.privacy import suppression
from lookups.verdicts import Verdict

_MOST = 12
_ROOM = 5_000


@dataclass(frozen=True, slots=True)
class Company:
    """Another company: its name, what is known of it, and where more stands."""

    name: str
    words: str
    link: str | None

    @property
    def is_ours(self) -> bool:
        """Whether the link leads to a page of this service."""
        return bool(self.link and self.link.startswith("/"))


def list_matches(rows: Iterable[Mapping[str, Any]], *, sandbox: bool) -> Some[Company]:
    """The other matches of the search, as the registry's list shows them."""
    return _some(
        Company(
            clip(row["entityName"], 300) or "",
            _join(row.get("entityType"), row.get("status"), row.get("entityId")),
            web_link(row.get("sosUrl"), sandbox=sandbox),
        )
        for row in rows
    )


def list_namesakes(entity: Entity, *, account: Account | None) -> Some[Company]:
    """Companies of this name in other states, as far as this reader may know that we have read them."""
    if not entity.name_key:
        return Some([])
    same = Entity.objects.filter(state__in=PLACES, name_key=entity.name_key, sandbox=entity.sandbox)
    same = same.exclude(state=entity.state).order_by("state", "pk")
    found = _visible(same, entity, account)
    return _some(
        Company(clip(one.name, 300) or "", _join(PLACES[one.state].name, one.entity_id), one.page_url) for one in found
    )


def _visible(same: QuerySet[Entity], entity: Entity, account: Account | None) -> list[Entity]:
    if settings.ENTITY_PAGES == "public" and not entity.sandbox:
        return list(suppression.with_page(same)[: 2 * _MOST])
    if account is None:
        return []
    bought = Lookup.objects.filter(account=account, verdict=Verdict.FOUND.value, version__entity__in=same)
    return list(same.filter(pk__in=bought.values("version__entity"))[:_MOST])


def _some(companies: Iterable[Company]) -> Some[Company]:
    return some(companies, size=lambda one: weight(one.name, one.words, one.link), room=_ROOM, most=_MOST)


def _join(*texts: Any) -> str:
    return " · ".join(clip(text, 200) or "" for text in texts if text)
