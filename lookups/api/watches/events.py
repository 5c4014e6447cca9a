"""GET /v1/events and /v1/events/taxonomy: what was seen at watched companies, in the order it was seen."""

from __future__ import annotations

import re

from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors
from lookups.api.endpoint import Endpoint, OpenEndpoint
from lookups.api.views import paging
from lookups.api.watches import schema as describe
from lookups.api.watches.views import get_watch
from lookups.api.wire.watching.events import EventList
from lookups.watches import bodies, watching
from lookups.watches.taxonomy import Category, Notice

BEGIN = "0"
_NUMBER = re.compile(r"[0-9]{1,18}")


class EventsView(Endpoint):
    """The events of the key's account and mode."""

    scope = "watches"
    polled = True

    @describe.list_events
    def get(self, request: Request) -> Response:
        """Those after the cursor, the oldest first."""
        key, asked, wrong = self.key_of(request), request.query_params, paging.Wrong()
        cursor = asked.get("cursor", BEGIN)
        if not _NUMBER.fullmatch(cursor):
            wrong["cursor"] = ["Send the nextCursor of the page before."]
        limit = paging.read_limit(asked.get("limit"), wrong)
        state = paging.read_state(asked.get("state"), wrong)
        category = paging.read_word(asked.get("category"), "category", [*Category, *Notice], wrong)
        if wrong:
            raise errors.invalid(wrong)
        named = asked.get("watch")
        watch = get_watch(named, key) if named is not None else None
        rows = watching.list_events(key, after=int(cursor), category=category, state=state, watch=watch)
        page, more = paging.take(rows, limit)
        return Response(
            EventList(
                success=True,
                livemode=key.livemode,
                events=[bodies.of_event(one) for one in page],
                nextCursor=str(page[-1].number) if page else cursor,
                more=more,
            )
        )


class TaxonomyView(OpenEndpoint):
    """All that an event can be."""

    @describe.read_taxonomy
    def get(self, request: Request) -> Response:
        """The table."""
        return Response(bodies.of_taxonomy(), headers={"Cache-Control": "public, max-age=3600"})
