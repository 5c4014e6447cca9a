"""How long a thousand accounts wait for each state, at the pace that its registry really gets. Nobody sleeps.

    python -m tests.bench.thousand_accounts [--accounts 1000] [--rows 20] [--singles 2] [--seconds 0.5] [--processes 2]

Every account sends one bulk request of `--rows` at the same moment, spread over the states that are on by default, and
asks `--singles` lookups by themselves at any time of the hours that the bulk requests take. A registry gets requests at
its state file's pace, as many lookups at once as that says, and as many requests a lookup as its golden cases have:
those of a company that is found, for every fifth those of one that is not. A request takes `--seconds`.

What is the house's own: whose turn it is (`lookups.bulk.queue.choose`), requests in the order they are asked for, and
a place that is free going to any of those who look for one (`scrapers.transport.pace`). What is left out: the 50 ms
between two looks, failures, breakers, stored answers, equal questions that share one fetch, and that somebody who has
waited 120 seconds comes again later. The time of our own machinery is none.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import os
import random
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import quantiles

NOT_FOUND_EVERY = 5
PATIENCE = 20.0  # SYNC_BUDGET_SECONDS: who waits longer has a 202


@dataclass(frozen=True, slots=True)
class Facts:
    """One state: the pace, and the requests of a lookup that finds a company, and of one that finds none."""

    code: str
    pace: float
    places: int
    found: int
    not_found: int
    seconds: float = 0.5

    @property
    def requests(self) -> float:
        """Of a lookup, on the average."""
        return self.found + (self.not_found - self.found) / NOT_FOUND_EVERY

    @property
    def rate(self) -> float:
        """Lookups a second that the registry can be asked: by the pace, or by how many may be asked at once."""
        return min(1 / self.pace, self.places / self.seconds) / self.requests


@dataclass(slots=True)
class Question:
    """One lookup of an account."""

    account: int
    code: str
    asked: float
    left: int
    is_bulk: bool
    ended: float | None = None

    @property
    def waited(self) -> float:
        """Until it was answered."""
        assert self.ended is not None
        return self.ended - self.asked


@dataclass(slots=True)
class Registry:
    """One state at work. `sent`: when each request went out; `most`: the most lookups it had at once."""

    facts: Facts
    next_turn: float = 0.0
    inside: int = 0
    most: int = 0
    waiting: list[Question] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)


class Simulation:
    """Time goes from one event to the next."""

    def __init__(self, states: Iterable[Facts], *, threads: int, seed: int = 1) -> None:
        from lookups.bulk import queue

        self._choose, self._at_once = queue.choose, queue.at_once
        random.seed(seed)
        self._dice = random.Random(seed)
        self.registries = {one.code: Registry(one) for one in states}
        self.questions: list[Question] = []
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._idle = threads
        self._asked: Counter[str] = Counter()
        self._rows: dict[str, dict[int, deque[Question]]] = {code: {} for code in self.registries}
        self._running: Counter[tuple[int, str]] = Counter()

    def ask(self, account: int, code: str, *, at: float) -> None:
        """A lookup by itself."""
        self._at(at, lambda: self._look_for_place(self._question(account, code, is_bulk=False)))

    def ask_bulk(self, account: int, codes: list[str], *, at: float) -> None:
        """A bulk request with a row for each of these states."""
        self._at(at, lambda: self._take_on(account, codes))

    def run(self) -> list[Question]:
        """Let time pass until everything is answered."""
        while self._events:
            self.now, _, event = heapq.heappop(self._events)
            event()
        return self.questions

    def _at(self, moment: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._order), event))

    def _question(self, account: int, code: str, *, is_bulk: bool) -> Question:
        facts = self.registries[code].facts
        self._asked[code] += 1
        left = facts.found if self._asked[code] % NOT_FOUND_EVERY else facts.not_found
        self.questions.append(Question(account, code, self.now, left, is_bulk))
        return self.questions[-1]

    def _take_on(self, account: int, codes: list[str]) -> None:
        for code in codes:
            self._rows[code].setdefault(account, deque()).append(self._question(account, code, is_bulk=True))
        self._give_turns(None)

    def _give_turns(self, left: str | None) -> None:
        """Threads without work look whose turn it is; the first of them has just left a registry."""
        while self._idle:
            turn, _ = self._choose(self._count(), left=(left, "live") if left else None)
            if turn is None:
                return
            _, account, (code, _) = turn
            left = None
            self._idle -= 1
            self._running[account, code] += 1
            rows = self._rows[code][account]
            question = rows.popleft()
            if not rows:
                del self._rows[code][account]
            self._look_for_place(question)

    def _count(self) -> list[tuple[int, str, str, bool, int, int]]:
        """As the queue counts its rows; those that wait for a registry without room are passed over in any case."""
        busy: Counter[str] = Counter()
        for (_, code), number in self._running.items():
            busy[code] += number
        counted = [(account, code, "live", False, number, 0) for (account, code), number in self._running.items()]
        for code, rows in self._rows.items():
            if rows and busy[code] < self._at_once((code, "live")):
                counted += [(account, code, "live", False, 0, len(own)) for account, own in rows.items()]
        return counted

    def _look_for_place(self, question: Question) -> None:
        registry = self.registries[question.code]
        if registry.inside < registry.facts.places:
            self._enter(registry, question)
        else:
            registry.waiting.append(question)

    def _enter(self, registry: Registry, question: Question) -> None:
        registry.inside += 1
        registry.most = max(registry.most, registry.inside)
        self._send(registry, question)

    def _send(self, registry: Registry, question: Question) -> None:
        turn = max(self.now, registry.next_turn)
        registry.next_turn = turn + registry.facts.pace
        registry.sent.append(turn)
        self._at(turn + registry.facts.seconds, lambda: self._hear(registry, question))

    def _hear(self, registry: Registry, question: Question) -> None:
        question.left -= 1
        if question.left:
            self._send(registry, question)
            return
        question.ended = self.now
        registry.inside -= 1
        if registry.waiting:
            self._enter(registry, registry.waiting.pop(self._dice.randrange(len(registry.waiting))))
        if question.is_bulk:
            self._idle += 1
            self._running[question.account, question.code] -= 1
            if not self._running[question.account, question.code]:
                del self._running[question.account, question.code]
            self._give_turns(question.code)


def list_states(seconds: float) -> list[Facts]:
    """The states that are on by default, by what their files and golden cases say."""
    from scrapers import discovery
    from tests.scrapers.golden import list_cases

    steps: dict[str, dict[str, int]] = defaultdict(dict)
    for case in list_cases():
        steps[case.state][case.situation] = len(case.content["steps"])
    return [
        Facts(
            portal.code,
            portal.pace.seconds,
            portal.pace.concurrency,
            steps[portal.code]["active"],
            steps[portal.code]["no-match"],
            seconds,
        )
        for portal in discovery.list_portals()
        if portal.on_by_default
    ]


def simulate(states: list[Facts], *, accounts: int, rows: int, singles: int, threads: int) -> list[Question]:
    """The story above."""
    dice = random.Random(1)
    made = Simulation(states, threads=threads)
    codes = [one.code for one in states]
    hours = max(accounts * rows / len(states) / one.rate for one in states) if rows else 4 * 3600.0
    for account in range(accounts):
        if rows:
            made.ask_bulk(account, [codes[(account + row) % len(codes)] for row in range(rows)], at=0.0)
        for _ in range(singles):
            code = dice.choice(states)
            within = accounts * rows / len(states) / code.rate if rows else hours
            made.ask(account, code.code, at=dice.uniform(0.0, within))
    return made.run()


def percentiles(waits: list[float]) -> str:
    """The 50th, 95th and 99th of 100."""
    cut = quantiles(waits, n=100) if len(waits) > 1 else waits * 100
    return " / ".join(in_words(cut[place]) for place in (49, 94, 98))


def in_words(seconds: float) -> str:
    """As people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def main() -> None:
    """Let them wait, and print the table of docs/scaling.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accounts", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--singles", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--processes", type=int, default=2, help="of bulk workers, 40 threads each")
    wanted = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from lookups.bulk import queue

    states = list_states(wanted.seconds)
    load = {"accounts": wanted.accounts, "singles": wanted.singles, "threads": wanted.processes * queue.THREADS}
    beside = simulate(states, rows=wanted.rows, **load)
    alone = simulate(states, rows=0, **load)
    out = sys.stdout
    out.write(
        "| state | a request every | at once | requests | lookups a day | alone | beside bulk | a row of bulk |\n"
    )
    out.write("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
    for one in sorted(states, key=lambda one: -one.rate):
        rows = [each.waited for each in beside if each.code == one.code and each.is_bulk]
        singles = [each.waited for each in beside if each.code == one.code and not each.is_bulk]
        quiet = [each.waited for each in alone if each.code == one.code]
        out.write(
            f"| {one.code} | {one.pace:g} s | {one.places} | {one.requests:.1f} | {one.rate * 86400:,.0f} |"
            f" {percentiles(quiet)} | {percentiles(singles)} | {percentiles(rows) if rows else ''} |\n"
        )
    late = [each.waited > PATIENCE for each in beside if not each.is_bulk]
    out.write(
        f"\nall together {sum(one.rate for one in states):.2f} lookups a second,"
        f" {sum(one.rate for one in states) * 86400:,.0f} a day; {sum(late) / len(late):.0%} of the lookups beside bulk"
        f" took more than {PATIENCE:.0f} s\n"
    )


if __name__ == "__main__":
    main()
