"""GET /v1/lookups and /v1/lookups/{lookupId}: what was asked and answered before, told again for free."""

from __future__ import annotations

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from jurisdictions.codes import PLACES
from lookups import bodies, listing
from lookups.api import errors
from lookups.api.endpoint import Endpoint
from lookups.api.schema import lookups as describe
from lookups.api.serializers import LookupRequest
from lookups.api.views import paging
from lookups.api.wire.lookups import LookupList
from lookups.bulk import bulk_jobs
from lookups.verdicts import Verdict

OPEN = "open"


class LookupsView(Endpoint):
    """The lookups of the key's account and mode."""

    scope = "lookup"
    polled = True

    @describe.list_lookups
    def get(self, request: Request) -> Response:
        """Those that fit the filter, the newest first."""
        key = self.key_of(request)
        wanted, before, limit = _asked(request)
        rows = listing.list_lookups(account_id=key.account_id, sandbox=key.is_test, wanted=wanted, before=before)
        page = list(rows[: limit + 1])
        more, page = len(page) > limit, page[:limit]
        return Response(
            LookupList(
                success=True,
                livemode=key.livemode,
                lookups=[bodies.of_listed(row) for row in page],
                nextCursor=str(page[-1].pk) if more else None,
            )
        )


class OneLookupView(Endpoint):
    """One lookup of the key's account and mode."""

    scope = "lookup"
    polled = True

    @describe.read_lookup
    def get(self, request: Request, lookupId: str) -> Response:
        """The whole reply again; while it is open, where it is answered."""
        key = self.key_of(request)
        found = listing.find(lookupId, account_id=key.account_id, sandbox=key.is_test)
        if found is None:
            raise errors.ApiError(404, "lookup_not_found", "Lookup not found")
        return Response(bodies.of_open(found) if found.verdict is None else bodies.of_lookup(found))


def _asked(request: Request) -> tuple[listing.Filter, int | None, int]:
    """The filter, the cursor and the limit of the query string; ApiError 400."""
    asked, wrong = request.query_params, paging.Wrong()
    state, verdict, bulk = (asked.get(name) for name in ("state", "verdict", "bulk"))
    if state is not None and state.upper() not in PLACES:
        wrong["state"] = ["No such jurisdiction."]
    if verdict is not None and verdict not in (*list(Verdict), OPEN):
        wrong["verdict"] = [f"Use one of: {', '.join([*Verdict, OPEN])}."]
    bulk_id = bulk_jobs.read_id(bulk) if bulk is not None else None
    if bulk is not None and bulk_id is None:
        wrong["bulk"] = ["Send the job_id of a bulk job."]
    wanted = listing.Filter(
        state=state.upper() if state else None,
        verdict=verdict,
        ref=_ref(asked.get("ref"), wrong),
        bulk_id=bulk_id,
        day=paging.read_day(asked.get("day"), "day", wrong),
    )
    cursor = paging.read_number(asked.get("cursor"), "cursor", wrong, most=paging.LAST)
    limit = paging.read_limit(asked.get("limit"), wrong)
    if wrong:
        raise errors.invalid(wrong)
    return wanted, cursor, limit


def _ref(text: str | None, wrong: paging.Wrong) -> str | None:
    """A mark as a lookup may carry it: what could not be sent with one is not looked for either."""
    try:
        return None if text is None else LookupRequest().fields["ref"].run_validation(text)
    except ValidationError as refused:
        wrong["ref"] = list(map(str, refused.detail))
    return None
