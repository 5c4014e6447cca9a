"""GET /v1/lookups and /v1/lookups/{lookupId}: what was asked and answered before, and its evidence; all of it free."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from msgspec import UNSET
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from billing.models import ApiKey
from lookups import bodies, csv_export, listing
from lookups.api import errors, renderers
from lookups.api.endpoint import Endpoint
from lookups.api.requests.serializers import LookupRequest
from lookups.api.schema import lookups as describe
from lookups.api.views import paging
from lookups.api.wire.lookups import ChainPlace, EvidenceReply, ExchangeRecord, ListedLookup, LookupList, SignedHead
from lookups.api.wire.shape import list_columns, to_plain
from lookups.api.wire.words import BodyState
from lookups.evidence import bundle, wacz
from lookups.evidence.bundle import Bundle, Exchange
from lookups.jobs import lifecycle
from lookups.lookup.storage import wire_time
from lookups.models import ChainHead, Lookup
from lookups.verdicts import Verdict
from lookups.watches import watching

OPEN = "open"
CUT_AT = "nextCursor"
COLUMNS = (*list_columns(ListedLookup), CUT_AT)


class LookupsView(Endpoint):
    """The lookups of the key's account and mode."""

    scope = "lookup"
    polled = True
    renderer_classes = (renderers.ShapeRenderer, renderers.CsvRenderer)

    @describe.list_lookups
    def get(self, request: Request) -> Response | HttpResponseBase:
        """Those that fit the filter, the newest first: a page as JSON, or a table of all."""
        key = self.key_of(request)
        wanted, before, asked_limit, bom = _asked(request)
        rows = listing.list_lookups(account_id=key.account_id, sandbox=key.is_test, wanted=wanted, before=before)
        if _is_table(request):
            lines = _write_lines(rows, asked_limit or paging.LONGEST_TABLE)
            return csv_export.make_response("lookups.csv", COLUMNS, lines, bom=bom)
        limit = asked_limit or paging.PAGE
        page, more = paging.take(rows, limit)
        return Response(
            LookupList(
                success=True,
                livemode=key.livemode,
                lookups=[bodies.of_listed(row) for row in page],
                nextCursor=str(page[-1].pk) if more else None,
            )
        )

    def is_look(self, request: Request) -> bool:
        """A table is as long as many pages, so it is counted as a request."""
        return super().is_look(request) and not _is_table(request)


class _OfOneLookup(Endpoint):
    """What is asked of one lookup; of a name check also by who may make those, of a watch's by who may read that."""

    scope = "lookup"

    def list_scopes(self) -> list[str]:
        """See Endpoint."""
        number, key = self.kwargs["lookupId"], self.key_of(self.request)
        if key.allows(self.scope):
            return [self.scope]
        found = listing.find(number, account_id=key.account_id, sandbox=key.is_test)
        is_of_watch = found is not None and watching.tells_of(found)
        return [self.scope, *(["names"] if number.startswith("nc_") else ["watches"] if is_of_watch else [])]


class OneLookupView(_OfOneLookup):
    """One lookup of the key's account and mode."""

    polled = True

    @describe.read_lookup
    def get(self, request: Request, lookupId: str) -> Response:
        """The whole reply again; while it is open, where it is answered."""
        found = _get(self.key_of(request), lookupId)
        return Response(bodies.of_open(found) if found.verdict is None else bodies.of_lookup(found))


class EvidenceView(_OfOneLookup):
    """What proves one lookup of the key's account and mode."""

    polled = True

    @describe.read_evidence
    def get(self, request: Request, lookupId: str) -> Response:
        """The manifest with its signature, its place in the chain, and what was exchanged."""
        found = _get(self.key_of(request), lookupId)
        return Response(_evidence(found, _get_bundle(found)))


class EvidenceFileView(_OfOneLookup):
    """The same as a file."""

    renderer_classes = (renderers.WaczRenderer,)

    @describe.download_evidence
    def get(self, request: Request, lookupId: str) -> HttpResponse:
        """A web archive, signed, with the bytes and all that proves them."""
        found = _get(self.key_of(request), lookupId)
        content = wacz.write(_get_bundle(found), now=timezone.now())
        named = {"Content-Disposition": f'attachment; filename="{found.public_id}.wacz"'}
        return HttpResponse(content, content_type=wacz.MEDIA_TYPE, headers=named)


def _get(key: ApiKey, lookup_id: str) -> Lookup:
    found = listing.find(lookup_id, account_id=key.account_id, sandbox=key.is_test)
    if found is None:
        raise errors.ApiError(404, "lookup_not_found", "Lookup not found")
    return found


def _get_bundle(lookup: Lookup) -> Bundle:
    found = bundle.find(lookup)
    if found is None:
        raise errors.ApiError(404, "evidence_not_kept", "No evidence of this lookup is kept")
    return found


def _evidence(lookup: Lookup, proof: Bundle) -> EvidenceReply:
    manifest, entry, head = proof.manifest, proof.place.entry, proof.place.head
    others = bundle.list_identifier_exchanges(lookup)
    return EvidenceReply(
        success=True,
        lookupId=lookup.public_id,
        livemode=lookup.livemode,
        manifest=proof.content,
        document=proof.document,
        sha256=manifest.sha256,
        signature=manifest.signature,
        keyId=manifest.key_id,
        publicKey=manifest.key.public_key,
        exchanges=_exchanges(proof.exchanges),
        identifierExchanges=UNSET if others is None else _exchanges(others),
        facts=None if proof.facts is None else proof.facts.decode(),
        chain=ChainPlace(number=entry.number, previous=entry.previous_hash, hash=entry.hash),
        head=_head(head) if head else None,
        archiveUrl=f"/v1/lookups/{lookup.public_id}/evidence.wacz",
    )


def _exchanges(proven: Iterable[Exchange]) -> list[ExchangeRecord]:
    return [ExchangeRecord(sha256=one.sha256, record=dict(one.record), bytes=BodyState(one.state)) for one in proven]


def _head(head: ChainHead) -> SignedHead:
    return SignedHead(
        number=head.number,
        document=head.document,
        signature=head.signature,
        keyId=head.key_id,
        timeStamp=None if head.token is None else base64.b64encode(bytes(head.token)).decode(),
        stampedAt=wire_time(head.stamped_at),
    )


def _is_table(request: Request) -> bool:
    return isinstance(request.accepted_renderer, renderers.CsvRenderer)


def _write_lines(rows: QuerySet[Lookup], most: int) -> Iterator[dict[str, Any]]:
    """A line each. Who reads tables follows no cursor: the last line of one that is cut says where the rest begins."""
    found = rows[: most + 1].iterator(chunk_size=500)
    for number, (row, following) in enumerate(pairwise(chain(found, [None])), start=1):
        assert row is not None, "Only the last of the pairs has nobody behind it."
        is_cut = number == most and following is not None
        yield to_plain(bodies.of_listed(row)) | {CUT_AT: str(row.pk) if is_cut else None}
        if is_cut:
            return


def _asked(request: Request) -> tuple[listing.Filter, int | None, int | None, bool]:
    """The filter, the cursor, the limit and the byte order mark of the query string; ApiError 400."""
    asked, wrong = request.query_params, paging.Wrong()
    verdict, bulk = asked.get("verdict"), asked.get("bulk")
    state = paging.read_state(asked.get("state"), wrong)
    if verdict is not None and verdict not in (*list(Verdict), OPEN):
        wrong["verdict"] = [f"Use one of: {', '.join([*Verdict, OPEN])}."]
    bulk_id = lifecycle.read_id(bulk, "bulk") if bulk is not None else None
    if bulk is not None and bulk_id is None:
        wrong["bulk"] = ["Send the job_id of a bulk job."]
    wanted = listing.Filter(
        state=state,
        verdict=verdict,
        ref=_ref(asked.get("ref"), wrong),
        bulk_id=bulk_id,
        day=paging.read_day(asked.get("day"), "day", wrong),
    )
    cursor = paging.read_number(asked.get("cursor"), "cursor", wrong, most=paging.LAST)
    limit = paging.read_number(asked.get("limit"), "limit", wrong, most=paging.LONGEST_PAGE)
    bom = paging.read_bom(asked.get("bom"), wrong)
    if wrong:
        raise errors.invalid(wrong)
    return wanted, cursor, limit, bom


def _ref(text: str | None, wrong: paging.Wrong) -> str | None:
    """A mark as a lookup may carry it: what could not be sent with one is not looked for either."""
    try:
        return None if text is None else LookupRequest().fields["ref"].run_validation(text)
    except ValidationError as refused:
        wrong["ref"] = list(map(str, refused.detail))
    return None
