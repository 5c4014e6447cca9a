"""One question put to a portal exactly as the service would, with all that happened on the way: for operators' tools.

Nothing is stored or charged, no breaker counts it, and a state that is switched off is asked too.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from scrapers import gateway
from scrapers.bulk_data.copies import CurrentCopy
from scrapers.evidence import replay
from scrapers.models import Reading
from scrapers.operations import breaker
from scrapers.portal import Choice, Portal
from scrapers.records import Answer, Query, ResultList
from scrapers.search.pipeline import ask
from scrapers.transport.pace import Pace
from scrapers.transport.recording import Step, to_steps
from scrapers.transport.session import Trace


@dataclass
class Conversation:
    """What happened: each result list and what was chosen from it, every exchange, the answer or the failure.

    `keys`: the operator's, by their names, or the mark that stands for them.
    """

    trace: Trace = field(default_factory=Trace)
    lists: list[tuple[ResultList, Choice]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    answer: Answer | None = None
    failure: Exception | None = None
    seconds: float = 0.0
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def unread_labels(self) -> list[str]:
        """What the pages hold and nobody read or ignored by name, as the attempt's stages have it."""
        return [stage.detail for stage in self.trace.stages if stage.name == "unread_labels"]


def hold(portal: Portal, query: Query, *, seconds: float, with_copy: bool = True) -> Conversation:
    """Ask one question at the portal's pace of now, `seconds` at most; whatever fails is in the conversation.

    `with_copy`: a loaded copy of the state's bulk data answers where it would answer a customer. Raises PortalDisabled
    while nobody may be asked at all.
    """
    keys = {name: key for name, key in gateway.transport_settings().keys.items() if key}
    seen, started = Conversation(keys=keys), time.monotonic()
    deadline = started + seconds
    loaded = _find_copy(portal, query.state) if with_copy else None
    pace = _find_pace(portal, query.state)
    session = gateway.open_session(portal, deadline=deadline, trace=seen.trace, pace=pace)
    if not connection.in_atomic_block:
        connection.close()  # a slow portal must not hold a database connection
    try:
        with gateway.get_pacer(portal).slot(query.state, pace, deadline=deadline):
            asked, threshold = _with_choices_noted(portal, seen), settings.MATCH_THRESHOLD
            seen.answer = ask(asked, session, query, now=timezone.now(), threshold=threshold, copy=loaded)
    except Exception as error:  # also what no portal should bring about: the person must learn of a broken reader
        seen.failure = error
    finally:
        session.close()
        seen.steps = to_steps(seen.trace.exchanges)
        seen.seconds = time.monotonic() - started
    return seen


def recall(portal: Portal, reading: Reading) -> Conversation:
    """The same of a conversation that was kept, as today's reader holds it. Raises NotReplayed."""
    seen = Conversation()
    played = replay.play(reading, portal=_with_choices_noted(portal, seen))
    seen.trace, seen.answer, seen.failure, seen.keys = played.trace, played.answer, played.failure, played.keys
    seen.steps = to_steps(played.trace.exchanges)
    return seen


def _find_copy(portal: Portal, state: str) -> CurrentCopy | None:
    """The copy that would answer; None also where the database is not set up."""
    try:
        return gateway.find_copy(state, sandbox=portal.sandbox)
    except DatabaseError:
        return None


def _find_pace(portal: Portal, state: str) -> Pace:
    """As slow as customers ask at the moment."""
    try:
        return portal.pace if portal.sandbox else breaker.find_pace(state=state, pace=portal.pace)
    except DatabaseError:
        return portal.pace


def _with_choices_noted(portal: Portal, seen: Conversation) -> Portal:
    """The same portal, which also notes what it chose from; the choice itself stays the portal's own."""
    noting = copy.copy(portal)

    def choose(name: str, results: ResultList, *, threshold: float, last: bool = True) -> Choice:
        choice = portal.choose(name, results, threshold=threshold, last=last)
        seen.lists.append((results, choice))
        return choice

    noting.choose = choose  # type: ignore[method-assign]
    return noting
