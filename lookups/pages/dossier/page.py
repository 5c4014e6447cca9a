"""The dossier of a company, or of the liens on a name: everything that its template shows, worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString

from billing.models import Account
from jurisdictions.codes import PLACES, Place
from lookups.history import versions
from lookups.identities import finding
from lookups.models import Entity, Identifiers, Lookup, Manifest, RecordVersion
from lookups.pages.dossier import linked_data
from lookups.pages.dossier.proof import Proof, find_manifest, of_reading
from lookups.pages.dossier.record import facts, headline, identifiers, liens, related, timeline
from lookups.pages.dossier.record.facts import Fact, Person
from lookups.pages.dossier.record.headline import Age, Status
from lookups.pages.dossier.record.identifiers import Number
from lookups.pages.dossier.record.liens import Lien, LienCount
from lookups.pages.dossier.record.public_form import to_public
from lookups.pages.dossier.record.related import Company
from lookups.pages.dossier.record.timeline import Event
from lookups.pages.dossier.record.words import Some, clip
from lookups.privacy import suppression
from lookups.privacy.suppression import Record
from lookups.verdicts import Verdict

Viewer = Literal["public", "customer"]


class NothingKept(Exception):
    """There is no record to show: the lookup found none, has not ended, or what it found was erased."""


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """What a reader sees of one record. `kind` is "company" or "liens"; what the other kind has is empty.

    `lead` stands before the name: "Liens on" a debtor, "Liens held by" a secured party.
    """

    kind: Literal["company", "liens"]
    viewer: Viewer
    name: str
    place: Place
    sandbox: bool
    status: Status
    age: Age
    proof: Proof
    note: str
    lead: str = ""
    lookup_id: str = ""
    question: dict[str, str] = field(default_factory=dict)

    entity: Entity | None = None
    record: Record | None = None
    facts: list[Fact] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)
    people: Some[Person] = field(default_factory=lambda: Some([]))
    why_no_people: str = ""
    people_withheld: bool = False
    assumed_names: Some[str] = field(default_factory=lambda: Some([]))
    former_names: Some[str] = field(default_factory=lambda: Some([]))
    timeline: Some[Event] = field(default_factory=lambda: Some([]))
    changes_since: str = ""
    lien_count: LienCount | None = None
    matches: Some[Company] = field(default_factory=lambda: Some([]))
    namesakes: Some[Company] = field(default_factory=lambda: Some([]))

    liens: Some[Lien] = field(default_factory=lambda: Some([]))

    @property
    def page_url(self) -> str | None:
        """The public page of the company; None where it has none."""
        return self.entity.page_url if self.entity and settings.ENTITY_PAGES != "off" else None

    @property
    def is_listed(self) -> bool:
        """Whether search engines may list the public page."""
        return settings.ENTITY_PAGES == "public" and not self.sandbox

    @property
    def is_old(self) -> bool:
        """Whether the reading is so old that its status is shown as something of the past."""
        return self.age.level == "old"

    @property
    def again_url(self) -> str:
        """Where the registry is asked again; who is not signed in is asked to first."""
        return f"/app/?{urlencode(self.question)}"

    @property
    def watch_url(self) -> str | None:
        """Where the company is put under watch."""
        return f"/app/watches/new?{urlencode(self.question)}" if self.kind == "company" else None

    @property
    def liens_url(self) -> str | None:
        """Where its liens are asked for."""
        asked = {"state": self.place.code, "name": self.name[:200], "kind": "ucc"}
        return f"/app/?{urlencode(asked)}" if self.kind == "company" else None

    @property
    def evidence_url(self) -> str | None:
        """Where whoever bought the reading downloads its evidence."""
        return f"/app/lookups/{self.lookup_id}/evidence" if self.lookup_id and self.viewer == "customer" else None

    @property
    def canonical(self) -> str:
        """The one address of the public page, with the host."""
        return f"{settings.PUBLIC_URL}{self.page_url}"

    @property
    def crumbs(self) -> list[tuple[str, str]]:
        """The way to the public page; by the state's index where there is one."""
        by_state = [(self.place.name, reverse("entity-index", args=[self.place.slug]))] if self.is_listed else []
        above = [("States", reverse("states")), *by_state]
        return [*above, (clip(self.name, 120) or "", "")]

    @property
    def json_ld(self) -> SafeString:
        """The record of a public page, and the way there, for machines."""
        nodes = [linked_data.organization(self), linked_data.trail(self.crumbs, here=self.page_url or "")]
        return linked_data.write(nodes)

    @property
    def title(self) -> str:
        """What the browser's tab and a shared link say."""
        name = clip(self.name, 120)
        return f"{self.lead} {name} · {self.place.name}".lstrip()

    @cached_property
    def description(self) -> str:
        """The record in one sentence."""
        what = f"{self.status.quoted} in {self.place.name}" if self.kind == "company" else self.status.meaning
        since = f"{self.proof.origin} from the {self.proof.registry}."
        return f"{clip(self.name, 120)}: {clip(what, 80)}. {since[0].upper()}{since[1:]}"


def of_version(version: RecordVersion, *, viewer: Viewer, now: datetime) -> Dossier:
    """The stored record of a company, as it was read last."""
    read = _Read(version.last_read_at, version.as_of, version.evidence, version.reader_version)
    return _of_company(version, read, viewer=viewer, now=now, manifest=find_manifest(version))


def of_lookup(lookup: Lookup, *, viewer: Viewer, now: datetime) -> Dossier:
    """What a lookup found, a company or liens, as it was found then. Raises NothingKept."""
    if lookup.outcome is not Verdict.FOUND or lookup.evidence is None:
        raise NothingKept(lookup.public_id)
    told = lookup.repeats or lookup
    manifest = Manifest.objects.filter(lookup=told).first()
    read_at = datetime.fromisoformat(lookup.evidence["retrievedAt"])
    read = _Read(read_at, lookup.data_as_of, lookup.evidence, lookup.reader_version)
    if lookup.filing_set is not None:
        return _of_liens(lookup, read, viewer=viewer, now=now, manifest=manifest)
    if lookup.version is None:
        raise NothingKept(lookup.public_id)
    return _of_company(lookup.version, read, viewer=viewer, now=now, manifest=manifest, lookup=lookup)


@dataclass(frozen=True, slots=True)
class _Read:
    """When and how something was read."""

    at: datetime
    as_of: datetime | None
    evidence: dict[str, Any]
    reader: str

    def proof(
        self, manifest: Manifest | None, place: Place, *, sandbox: bool, to_the_minute: bool, page: Any = None
    ) -> Proof:
        """How we know."""
        return of_reading(
            self.evidence,
            manifest,
            place,
            read_at=self.at,
            as_of=self.as_of,
            reader=self.reader,
            page=page,
            sandbox=sandbox,
            to_the_minute=to_the_minute,
        )


def _of_company(
    version: RecordVersion,
    read: _Read,
    *,
    viewer: Viewer,
    now: datetime,
    manifest: Manifest | None,
    lookup: Lookup | None = None,
) -> Dossier:
    entity, bought = version.entity, viewer == "customer"
    place = PLACES[entity.state]
    withheld = versions.withheld(version)
    form = (lambda record: record) if bought else to_public
    record = form(withheld)
    name = clip(record.data["entityName"]) or entity.entity_id
    account: Account | None = lookup.account if lookup is not None and bought else None
    changes, changes_since = timeline.list_changes(version, form)
    events = [*timeline.list_filings(record), *changes]
    return Dossier(
        kind="company",
        viewer=viewer,
        name=name,
        place=place,
        sandbox=entity.sandbox,
        status=headline.read_status(record.data, record.normalized),
        age=headline.read_age(read_at=read.at, as_of=read.as_of, now=now, to_the_minute=bought),
        proof=read.proof(manifest, place, sandbox=entity.sandbox, to_the_minute=bought, page=record.data.get("sosUrl")),
        note=" ".join(filter(None, (lookup.note if lookup else "", withheld.note))),
        lookup_id=lookup.public_id if lookup else "",
        question={"state": entity.state, "entity_id": entity.entity_id},
        entity=entity,
        record=record,
        facts=facts.list_facts(record, place, with_federal_number=bought),
        numbers=identifiers.list_numbers(_find_identifiers(version, lookup)),
        people=facts.list_people(record),
        why_no_people=facts.why_no_people(record),
        people_withheld=facts.is_withheld(record, "officers"),
        assumed_names=facts.list_names(record, "assumedNames"),
        former_names=facts.list_names(record, "formerNames"),
        timeline=timeline.in_order(events),
        changes_since=changes_since,
        lien_count=liens.find_count(entity, str(version.data["entityName"]), now=now),
        matches=related.list_matches(lookup.related if lookup else [], sandbox=entity.sandbox),
        namesakes=related.list_namesakes(entity, account=account),
    )


def _find_identifiers(version: RecordVersion, lookup: Lookup | None) -> Identifiers | None:
    """What this lookup was given; on the public page what was found last for the name that it shows."""
    if lookup is None:
        same = {"entity": version.entity_id, "name": finding.name_of(version)}
        return Identifiers.objects.filter(**same, is_answer=True).first()
    return Identifiers.objects.filter(lookup=lookup.repeats or lookup).first()


def _of_liens(lookup: Lookup, read: _Read, *, viewer: Viewer, now: datetime, manifest: Manifest | None) -> Dossier:
    assert lookup.filing_set is not None
    bought, place = viewer == "customer", PLACES[lookup.state]
    filings, left_out = suppression.withhold_parties(lookup.filing_set.filings, state=lookup.state)
    lead, filed = liens.write_asked(lookup.question)
    only = f"Only liens {filed} were asked for." if filed else ""
    party = {"party": "secured_party"} if lookup.question.get("search_by") == "secured_party" else {}
    shown = liens.list_liens(filings, now=now, sandbox=lookup.sandbox, with_streets=bought)
    return Dossier(
        kind="liens",
        viewer=viewer,
        name=clip(lookup.asked) or "",
        place=place,
        sandbox=lookup.sandbox,
        status=liens.headline(filings, total=lookup.total),
        age=headline.read_age(read_at=read.at, as_of=read.as_of, now=now, to_the_minute=bought),
        proof=read.proof(manifest, place, sandbox=lookup.sandbox, to_the_minute=bought),
        note=" ".join(filter(None, (only, lookup.note, left_out))),
        lead=lead.capitalize(),
        lookup_id=lookup.public_id,
        question={"state": lookup.state, "name": lookup.asked, "kind": "ucc", **party},
        liens=shown,
    )
