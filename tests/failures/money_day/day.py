"""The day itself: clients at work, processes killed and a server stopped meanwhile, then nothing under way."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.billing import stubs
from tests.billing.test_transactions import TOKEN, US
from tests.failures import service
from tests.failures.books import wait_until
from tests.failures.money_day.clients import MIX, Client
from tests.failures.money_day.office import Office
from tests.failures.money_day.outside import WEBHOOK_SECRET, Chain, Provider, postmen
from tests.failures.service import Service
from tests.journeys.checkout import ROOT

KILLED = ("web", "worker", "bulk", "beat")
AT_ONE_ACCOUNT = 2  # clients
CREDIT = 60_000  # units an account has at first, beside its free lookups: few enough to run out
HALF_AN_HOUR = 31 * 60
OPEN = {
    "jobs": "SELECT count(*) FROM lookups_job WHERE ended_at IS NULL",
    "bulk jobs": "SELECT count(*) FROM lookups_bulkjob WHERE ended_at IS NULL",
    "lookups": "SELECT count(*) FROM lookups_lookup WHERE verdict IS NULL",
    "holds": "SELECT count(*) FROM billing_hold WHERE state = 'open'",
    "payments": "SELECT count(*) FROM billing_payment WHERE state IN ('accepted', 'settling', 'unknown')",
    "reversals": "SELECT count(*) FROM billing_reversal WHERE NOT is_settled",
}
SETTINGS = {
    "TEMPO_RECIPIENT": US,
    "TEMPO_CURRENCY": TOKEN,
    "STRIPE_SECRET_KEY": "sk_test_pretended",
    "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
    "STRIPE_NETWORK_ID": "profile_test_1",
    "PRICE_PER_STORED_LOOKUP": "0.01",
    "GRANT_CEILING": "100",
    "KEYLESS_PER_MINUTE": "1000000",
}


@dataclass
class Day:
    """Everything that takes part, and what was done so far."""

    service: Service
    office: Office
    provider: Provider
    chain: Chain
    clients: list[Client]
    chance: random.Random
    opened: dict[int, int]  # what each account had at first, in units
    done: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def live(self, operations: int, *, kill_every: int, minutes: float = 60.0) -> None:
        """Have so many operations done, killing a process after every so many, and stopping PostgreSQL once.

        After so many minutes no more are begun. A kill that is due is waited for, however busy the machine.
        """
        begun, kinds = time.monotonic(), self._draw(operations)
        until = begun + 60 * minutes
        with ThreadPoolExecutor(len(self.clients)) as pool:
            lives = [pool.submit(self._be_busy, one, kinds, until, kill_every) for one in self.clients]
            self._go_wrong(operations, kill_every, lives_left=lambda: any(not life.done() for life in lives))
            for life in lives:
                life.result()
        self.seconds = time.monotonic() - begun

    def end(self, *, seconds: float = 120.0) -> None:
        """Wait until nothing is under way: no request, no message, no job, no hold and no payment."""
        wait_until(self.service.answers, what="the web server answers", seconds=300)
        assert self.service.dead() == []
        self._ask_for_the_rest()
        self.service.move_clock(HALF_AN_HOUR)
        until = time.monotonic() + seconds
        while open_ := self._list_open():
            assert time.monotonic() < until, open_
            for task in ("billing.tasks.expire_holds", "lookups.tasks.sweep_jobs"):
                self.service.send(task)
            self.office.do("end_what_was_lost")
            self._ask_for_the_rest()
            self.service.lose_workers_places()
            time.sleep(0.5)
        self.service.let_late_ones_come_home()
        assert self._list_open() == {}
        self.service.send("billing.tasks.anchor_ledger")
        anchors = "SELECT count(*) FROM billing_ledgeranchor WHERE last_entry >= %(last)s"
        last = self.service.books.count("SELECT max(id) FROM billing_ledgerentry")
        wait_until(lambda: self.service.books.count(anchors, last=last), what="the last entries are anchored")
        self.chain.block += 1_000  # what was mined is not undone any more

    def _draw(self, operations: int) -> list[str]:
        """As often as the mix says; taken from the end, so each kind comes once more when there is something to it."""
        return [*MIX, *self.chance.choices(list(MIX), list(MIX.values()), k=operations - len(MIX))]

    def _be_busy(self, client: Client, kinds: list[str], until: float, kill_every: int) -> None:
        while True:
            with self._lock:
                if not kinds or time.monotonic() > until:
                    return
                kind = None if self._owes_a_kill(kill_every) else kinds.pop()
            if kind is None:
                time.sleep(0.05)
                continue
            client.do(kind)
            with self._lock:
                self.done[kind] += 1

    def _owes_a_kill(self, kill_every: int) -> bool:
        return self.done.total() >= (self.kills.total() + 1) * kill_every

    def _go_wrong(self, operations: int, kill_every: int, *, lives_left: Callable[[], bool]) -> None:
        names, stopped = list(KILLED), False
        while lives_left():
            time.sleep(0.1)
            with self._lock:
                kill_is_due, done = self._owes_a_kill(kill_every), self.done.total()
            if kill_is_due:
                self._kill(names.pop(0))
                names = names or self.chance.sample(KILLED, len(KILLED))
            if done >= operations / 2 and not stopped:
                stopped = True
                with self.service.without(self.service.addresses.postgres, signal.SIGINT):
                    time.sleep(1)
                self.service.send("billing.tasks.anchor_ledger")

    def _kill(self, name: str) -> None:
        self.kills[name] += 1
        self.service.processes[name].kill()
        self.service.start(name)

    def _ask_for_the_rest(self) -> None:
        with ThreadPoolExecutor(len(self.clients)) as pool:
            list(pool.map(Client.finish, self.clients))

    def _list_open(self) -> dict[str, int]:
        """What is under way, by its kind."""
        found = {what: self.service.books.count(statement) for what, statement in OPEN.items()}
        found["messages"] = len(self.provider.messages)
        found["requests"] = sum(len(client.open) for client in self.clients)
        return {what: number for what, number in found.items() if number}


@contextmanager
def running(folder: Path, *, clients: int, seed: int) -> Iterator[Day]:
    """Start the service, its provider, its chain and its staff; open the accounts. Ends every process."""
    chance = random.Random(seed)
    provider, chain = Provider(chance), Chain(chance)
    with ExitStack() as stack:
        cards = stack.enter_context(stubs.serve(provider.answer))
        node = stack.enter_context(stubs.serve(chain.answer))
        more = SETTINGS | {"STRIPE_API_BASE": cards, "TEMPO_RPC_URL": node}
        started = stack.enter_context(service.running(folder, accounts=0, more=more))
        office = Office(started.environment, str(ROOT))
        stack.callback(office.close)
        stack.enter_context(postmen(provider, started.url))
        day = Day(started, office, provider, chain, [], chance, {})
        for number in range(clients):
            if number % AT_ONE_ACCOUNT == 0:
                opened = office.do("open_account", name=f"Client {number}")
                account, credit = opened["account"], opened["credit"]
                how = {"account": account, "amount": CREDIT, "token": "day:first", "reason": "trial"}
                day.opened[account] = credit + office.do("grant", **how, approved=True)
            secret, mark = office.do("issue", account=account), f"S{number:03}"
            its = random.Random(chance.random())
            client = Client(account, secret, mark, started.url, office, provider, its)
            stack.callback(client.http.close)
            day.clients.append(client)
        yield day
