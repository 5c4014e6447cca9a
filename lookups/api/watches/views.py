"""/v1/watches: companies that are looked at again and again; made, one or many, listed, changed and deleted."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing.models import ApiKey
from lookups.api import errors, idempotency
from lookups.api.endpoint import Endpoint
from lookups.api.views import paging
from lookups.api.watches import schema as describe
from lookups.api.watches.parsers import JSON_OR_CSV
from lookups.api.watches.requests import WatchSettings
from lookups.api.watches.wanted import read_changes, read_many, read_one
from lookups.api.wire.watching.watches import NewWatches, WatchCheckList, WatchList, WatchReply
from lookups.api.wire.watching.words import WatchStatus
from lookups.idempotency import Claim
from lookups.models import Watch
from lookups.watches import bodies, watching
from lookups.watches.watching import Made, Wanted


class WatchesView(Endpoint):
    """The watches of the key's account and mode."""

    scope = "watches"
    polled = True

    @describe.list_watches
    def get(self, request: Request) -> Response:
        """A page of them, the newest first."""
        key, asked, wrong = self.key_of(request), request.query_params, paging.Wrong()
        after = paging.read_place(asked.get("cursor"), wrong, written_as="nextCursor")
        limit = paging.read_limit(asked.get("limit"), wrong)
        state = paging.read_state(asked.get("state"), wrong)
        status = paging.read_word(asked.get("status"), "status", WatchStatus, wrong)
        if wrong:
            raise errors.invalid(wrong)
        page, more = paging.take(watching.list_own(key, state=state, status=status, after=after), limit)
        return Response(
            WatchList(
                success=True,
                livemode=key.livemode,
                watches=bodies.of_watches(page),
                nextCursor=paging.write_place(page[-1].created_at, page[-1].pk) if more else None,
            )
        )

    @describe.create_watch
    def post(self, request: Request) -> Response:
        """Make one."""
        key = self.key_of(request)
        wanted = read_one(request.data, key)

        def answer(claim: Claim | None) -> Response:
            made = make([wanted], key, request, claim)
            [watch] = bodies.of_watches(made.watches)
            status = 201 if made.created else 200
            headers = {"Location": f"/v1/watches/{watch.id}"}
            return Response(
                WatchReply(success=True, livemode=key.livemode, watch=watch), status=status, headers=headers
            )

        return idempotency.answer_once(request, key=key, answer=answer)


class ManyWatchesView(Endpoint):
    """Many at once."""

    scope = "watches"
    body_limit = 1024 * 1024
    parser_classes = JSON_OR_CSV
    words_of_a_table = tuple(WatchSettings().fields)

    @describe.create_watches
    def post(self, request: Request) -> Response:
        """Make all of them, or none."""
        key = self.key_of(request)
        wanted = read_many(request.data, key)

        def answer(claim: Claim | None) -> Response:
            made = make(wanted, key, request, claim)
            reply = NewWatches(
                success=True, livemode=key.livemode, created=made.created, watches=bodies.of_watches(made.watches)
            )
            return Response(reply, status=201 if made.created else 200)

        return idempotency.answer_once(request, key=key, answer=answer)


class OneWatchView(Endpoint):
    """One of them."""

    scope = "watches"
    polled = True

    @describe.read_watch
    def get(self, request: Request, watchId: str) -> Response:
        """How it is set, and what its last checks came to."""
        key = self.key_of(request)
        return reply_of(get_watch(watchId, key), key)

    @describe.change_watch
    def patch(self, request: Request, watchId: str) -> Response:
        """Pause it, take it up again, or set it otherwise."""
        key = self.key_of(request)
        watch = get_watch(watchId, key)
        changes = read_changes(request.data, watch, key)
        return reply_of(watching.change(watch, by=key, now=timezone.now(), **changes), key)

    @describe.delete_watch
    def delete(self, request: Request, watchId: str) -> Response:
        """Look no more."""
        key = self.key_of(request)
        watch = get_watch(watchId, key)
        watching.delete(watch, now=timezone.now())
        watch.next_at = None
        return reply_of(watch, key)


class ChecksView(Endpoint):
    """The looks of one of them."""

    scope = "watches"
    polled = True

    @describe.list_checks
    def get(self, request: Request, watchId: str) -> Response:
        """A page of them, the newest first."""
        key, asked, wrong = self.key_of(request), request.query_params, paging.Wrong()
        before = paging.read_number(asked.get("cursor"), "cursor", wrong, most=paging.LAST)
        limit = paging.read_limit(asked.get("limit"), wrong)
        if wrong:
            raise errors.invalid(wrong)
        page, more = paging.take(watching.list_checks(get_watch(watchId, key), before=before), limit)
        return Response(
            WatchCheckList(
                success=True,
                livemode=key.livemode,
                checks=[bodies.of_check(one) for one in page],
                nextCursor=str(page[-1].pk) if more else None,
            )
        )

    @describe.check_now
    def post(self, request: Request, watchId: str) -> Response:
        """Look at once."""
        key = self.key_of(request)
        watch = get_watch(watchId, key)

        def answer(claim: Claim | None) -> Response:
            if claim is None or not claim.is_answered:
                look_at_once(watch, claim)
            return Response(reply_of(get_watch(watchId, key), key).data, status=202)

        return idempotency.answer_once(request, key=key, answer=answer)


def make(wanted: list[Wanted], key: ApiKey, request: Request, claim: Claim | None) -> Made:
    """Make them; ApiError 409 where they are too many."""
    named = claim.ask_id if claim is not None else None
    request_id: str = request.request_id  # type: ignore[attr-defined]
    try:
        return watching.create(wanted=wanted, key=key, now=timezone.now(), request_id=request_id, named=named)
    except watching.TooMany:
        text = f"At most {watching.MOST_IN_TEST} watches of an account in test mode: delete some"
        raise errors.ApiError(409, "too_many_watches", text) from None


def look_at_once(watch: Watch, claim: Claim | None) -> None:
    """Make it due; ApiError 409 where it looks no more, or not in this month."""
    try:
        due = watching.check_now(watch, claim=claim, now=timezone.now())
    except watching.UsedUp:
        raise errors.ApiError(409, "checks_used_up", "The watch has made its checks of this month") from None
    if not due:
        raise errors.ApiError(409, "watch_paused", "The watch is paused")


def get_watch(watch_id: str, key: ApiKey) -> Watch:
    """The watch of the key's account and mode; ApiError 404."""
    found = watching.find(watch_id, key=key)
    if found is None:
        raise errors.ApiError(404, "watch_not_found", "Watch not found")
    return found


def reply_of(watch: Watch, key: ApiKey) -> Response:
    """One watch."""
    [told] = bodies.of_watches([watch])
    return Response(WatchReply(success=True, livemode=key.livemode, watch=told))
