"""October 2026 of a small business, by its public doors, closed and read line by line.

`docs/money-month.md` tells it; every figure below and there was reckoned by hand from the story, in dollars.
"""

from __future__ import annotations

import csv
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
import stripe
from celery import current_app
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from billing import finance, giving_back, grants, ledger, money, prices, reconciliation, selectors, statements, topups
from billing.accounting import chart, closing
from billing.models import Account, LedgerEntry, Payment, TopUp
from billing.payments import sweep, transactions
from lookups.bulk import queue
from lookups.models import Heartbeat, Lookup
from tests.billing import stubs
from tests.billing.test_admin import staff, url
from tests.billing.test_checkout import answer, offers_in
from tests.billing.test_transactions import TOKEN, US, paying
from tests.lookups import test_top_up
from tests.lookups.conftest import Customer, anew, open_customer
from tests.lookups.registry_server import Register, company
from tests.lookups.test_top_up import SECRET, cards_of_a_provider, tell

__all__ = ["cards_of_a_provider"]  # a fixture: `cards`
pytestmark = pytest.mark.django_db(transaction=True)
OCTOBER, NOVEMBER = date(2026, 10, 1), datetime(2026, 11, 1, tzinfo=UTC)
BUOYS = [f"Buoy {number} Inc" for number in range(11, 22)]
# Of all accounts, what October comes to: each figure is a sum of the story's
TRIAL_BALANCE = {  # debit, credit
    "cash": ("37.9028", "0.0000"),  # cards 20 + 12.34 + 0.50, a token 5, two transfers of 0.0314
    "payer_refunds": ("0.0000", "9.7814"),  # to a card 7.50 + 2.25, by a transfer 0.0314
    "chargebacks": ("12.3400", "17.8400"),  # lost 5 and 0.50, taken 12.34 and won again
    "receivable": ("250.0000", "0.0000"),
    "gifts": ("2.4820", "0.0000"),  # three free starts of 0.3140, 1.50 and 0.04
    "corrections": ("0.0000", "0.0700"),
    # debit: 9.7814 + 17.84 + 0.07 + 0.5438 sold; credit: 37.9028 + 250 + 2.482 + 12.34 + 0.0314
    "customer_balances": ("28.2352", "302.7562"),
    "revenue": ("0.0000", "0.5438"),  # 17 live answers at 0.0314, one stored at 0.01
    "credit_refunds": ("0.0314", "0.0000"),
}
CLOSING = {  # available, held, spent
    "Harbor": ("10.4598", "0.0000", "0.1042"),
    "Quay": ("263.9584", "0.0942", "0.0314"),
    "Skiff": ("0.0086", "0.0000", "0.3454"),
    "Ourselves": ("0.0000", "0.0000", "0.0000"),
    "Pay per request": ("0.0000", "0.0000", "0.0314"),
}


class Calendar:
    """The clock of the service, at noon of a day of October, and running."""

    def turn_to(self, day: int) -> None:
        self._noon, self._since = datetime(2026, 10, day, 12, tzinfo=UTC), time.monotonic()

    def close_the_month(self) -> None:
        self._noon, self._since = NOVEMBER + timedelta(hours=1), time.monotonic()

    def now(self) -> datetime:
        return self._noon + timedelta(seconds=time.monotonic() - self._since)


class Business:
    """Its customers and staff, its card provider and its chain."""

    def __init__(self, cards: stubs.CardProvider, chain: stubs.Node, calendar: Calendar) -> None:
        self.cards, self.chain, self.calendar = cards, chain, calendar
        self._events = 0

    # The customers' doors

    def look_up(self, who: Customer, name: str, status: int = 200, **more: Any) -> None:
        reply = who.lookup(name, headers=anew(), **more)
        assert reply.status_code == status, reply.content

    def ask_in_bulk(self, who: Customer, *names: str) -> None:
        Heartbeat.objects.update(beat_at=Now())  # the worker that the test plays is there all month
        rows = [{"entity_name": name, "state": "NY"} for name in names]
        assert who.post("/v1/bulk-lookup", {"entities": rows, "source": "live"}).status_code == 202

    def pay_by_card(self, who: Customer, dollars: str, payment: str) -> None:
        """On the provider's page; its message credits."""
        assert who.post("/v1/account/topup", {"amount": float(dollars)}).status_code == 200
        cents = int(Decimal(dollars) * 100)
        self.cards.move("charge", payment, cents, timezone.now())
        page = {"id": TopUp.objects.latest("id").session_id, "payment_status": "paid", "currency": "usd"}
        self.hear("checkout.session.completed", **page, amount_total=cents, payment_intent=payment)

    def pay_by_token(self, who: Customer, dollars: float) -> str:
        """By a challenge; returns the provider's name of the payment."""
        body, agent = {"amount": dollars, "payBy": "challenge"}, test_top_up.TestATopUpByChallenge()
        proof = agent.credential(who.post("/v1/account/topup", body), "spt_ok")
        assert who.post("/v1/account/topup", body, authorization=proof).status_code == 200
        payment: str = self.cards.intents[-1]["id"]
        self.cards.move("charge", payment, int(dollars * 100), timezone.now())
        return payment

    def pay_by_transfer(self, name: str, status: int, nonce: int) -> None:
        """One lookup, without an account."""

        def send(**headers: str) -> Any:
            raw = json.dumps({"entity_name": name, "state": "NY"})
            return Client().post("/v1/lookup", raw, content_type="application/json", headers=headers)

        offer = offers_in(send())[0]
        raw = paying(offer["id"], valid_before=int(timezone.now().timestamp()) + 60, nonce=nonce)
        proof = answer(offer, {"type": "transaction", "signature": "0x" + raw.hex()})
        assert send(authorization=proof).status_code == status

    # The provider's messages

    token = "pi_3"  # how the provider calls the payment by token: its third answer

    def hear(self, kind: str, **content: Any) -> None:
        self._events += 1
        event = {"id": f"evt_{self._events}", "object": "event", "type": kind, "data": {"object": content}}
        body = json.dumps(event)
        signature = stripe.WebhookSignature.generate_signature_header(body, SECRET)  # type: ignore[no-untyped-call]
        assert tell(body.encode(), signature).status_code == 200

    def refund_card(self, payment: str, cents: int, sum_of_all: int) -> None:
        """Staff asks for it; the provider's message books it."""
        topup = TopUp.objects.get(payment_intent=payment)
        topups.refund(topup, amount=cents * 100, token=f"{payment} {cents}")
        self.cards.move("refund", payment, -cents, timezone.now())
        self.hear("charge.refunded", payment_intent=payment, amount_refunded=sum_of_all)

    def dispute(self, payment: str, cents: int, status: str) -> None:
        """The bank takes it ("needs_response"), keeps it ("lost") or gives it back ("won")."""
        if status != "lost":
            moved = cents if status == "won" else -cents
            self.cards.move("adjustment", payment, moved, timezone.now(), object="dispute")
        kind = "created" if status == "needs_response" else "closed"
        about = {"id": f"dp_{payment}", "payment_intent": payment, "amount": cents, "status": status}
        self.hear(f"charge.dispute.{kind}", **about)

    # The staff's

    def grant(self, who: Customer, units: int, reason: str, note: str = "", kind: str = "grant") -> None:
        by = {"operator": "dana", "reason": reason, "note": note, "token": f"{reason} {units}"}
        grants.give(account_id=who.account.pk, kind=kind, amount=units, now=timezone.now(), **by)

    def give_back_a_charge(self, who: Customer) -> None:
        """The first live answer that was sold was a wrong one."""
        wrong = LedgerEntry.objects.filter(account=who.account, kind="capture").earliest("id")
        why = {"idempotency_key": "wrong", "reason": "wrong_answer", "operator": "dana"}
        ledger.refund(entry_id=wrong.pk, now=timezone.now(), **why)


def has(who: Customer, available: str, held: str = "0.0000") -> None:
    """What the ledger says at this point of the story."""
    sums = selectors.get_balance(who.account.pk)
    assert (in_dollars(sums.available), in_dollars(sums.held)) == (available, held)


def in_dollars(units: int) -> str:
    return money.to_decimal_string(units)


def play(its: Business, on: Callable[[int], None]) -> None:
    """The story, `on` each of its days; what is left then stands beside it."""
    on(1)
    harbor, quay, skiff = (open_customer(name=name) for name in ("Harbor", "Quay", "Skiff"))
    ourselves = open_customer(name="Ourselves", kind="internal")
    for one in (harbor, quay, skiff):
        has(one, "0.3140")
    play_first_days(its, on, harbor)
    play_disputes_lost(its, on, harbor, skiff)
    play_an_invoice(its, on, quay)
    on(21)
    its.look_up(ourselves, "Acme Corp")
    its.look_up(ourselves, "Nobody Inc", status=404)
    has(ourselves, "0.0000")
    play_strangers(its, on)
    on(31)
    its.ask_in_bulk(quay, "Acme Corp", "Zebra Inc", "Nobody Inc")  # the month ends before it is worked on
    has(quay, "263.9584", held="0.0942")


def play_first_days(its: Business, on: Callable[[int], None], harbor: Customer) -> None:
    on(2)
    its.pay_by_card(harbor, "20.00", "pi_harbor")
    has(harbor, "20.3140")
    on(3)
    its.look_up(harbor, "Acme Corp")
    its.look_up(harbor, "Zebra Inc")
    its.look_up(harbor, "Nobody Inc", status=404)
    has(harbor, "20.2512")
    on(4)
    its.look_up(harbor, "Acme Corp", source="cache")
    has(harbor, "20.2412")
    on(5)
    its.ask_in_bulk(harbor, "Acme Corp", "Zebra Inc", "Nobody Inc")
    has(harbor, "20.1470", held="0.0942")
    assert queue.work(now=timezone.now()) == 3
    has(harbor, "20.1784")
    on(8)
    its.refund_card("pi_harbor", 750, sum_of_all=750)
    has(harbor, "12.6784")
    on(9)
    assert its.pay_by_token(harbor, 5.00) == its.token
    has(harbor, "17.6784")


def play_disputes_lost(its: Business, on: Callable[[int], None], harbor: Customer, skiff: Customer) -> None:
    on(10)
    its.dispute(its.token, 500, "needs_response")
    has(harbor, "12.6784")
    on(11)
    its.refund_card("pi_harbor", 225, sum_of_all=975)
    has(harbor, "10.4284")
    on(12)
    its.give_back_a_charge(harbor)
    its.dispute(its.token, 500, "lost")
    has(harbor, "10.4598")
    its.pay_by_card(skiff, "0.50", "pi_skiff")
    has(skiff, "0.8140")
    on(13)
    its.ask_in_bulk(skiff, *BUOYS)
    assert sum(iter(lambda: queue.work(now=timezone.now()), 0)) == len(BUOYS)
    has(skiff, "0.4686")
    on(14)
    its.dispute("pi_skiff", 50, "needs_response")
    its.dispute("pi_skiff", 50, "lost")
    has(skiff, "-0.0314")
    its.look_up(skiff, "Acme Corp", status=402)
    on(15)
    its.grant(skiff, 400, "goodwill")
    has(skiff, "0.0086")


def play_an_invoice(its: Business, on: Callable[[int], None], quay: Customer) -> None:
    """And a dispute that is won."""
    on(16)
    its.grant(quay, 2_500_000, "invoice", note="PO 77")
    has(quay, "250.3140")
    on(17)
    its.grant(quay, 15_000, "goodwill")
    has(quay, "251.8140")
    its.pay_by_card(quay, "12.34", "pi_quay")
    has(quay, "264.1540")
    on(18)
    its.dispute("pi_quay", 1234, "needs_response")
    has(quay, "251.8140")
    its.grant(quay, -700, "correction", kind="adjust")
    its.look_up(quay, "Zebra Inc")
    has(quay, "251.7126")
    on(20)
    its.dispute("pi_quay", 1234, "won")
    has(quay, "264.0526")


def play_strangers(its: Business, on: Callable[[int], None]) -> None:
    """Without an account, by transfers on the chain."""
    on(22)
    its.pay_by_transfer("Acme Corp", 200, nonce=1)
    on(23)
    its.pay_by_transfer("Nobody Inc", 404, nonce=2)
    on(24)
    its.chain.mood = "slow"
    its.pay_by_transfer("Zebra Inc", 503, nonce=3)
    its.chain.mood = "included"
    left = Payment.objects.get(state="unknown")
    assert left.proof is not None
    its.chain.include(transactions.read(bytes.fromhex(left.proof["signature"][2:])))
    assert sweep.run(now=timezone.now() + timedelta(minutes=10)) == {"paid": 1}
    on(27)
    left.refresh_from_db()
    back = its.chain.give_back(to=left.payer, sender=US, token=TOKEN, amount=31_400)
    assert giving_back.enter(left, reference=back, operator="dana", now=timezone.now())
    its.chain.block += 1_000


@pytest.fixture(name="its")
def a_month(
    switches: None, register: Register, cards: stubs.CardProvider, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Business]:
    """The month, over; nothing is closed yet."""
    from scrapers.states.new_york import NewYork
    from scrapers.transport.pace import Pace

    calendar, chain = Calendar(), stubs.Node()
    calendar.turn_to(1)
    monkeypatch.setattr(timezone, "now", calendar.now)
    monkeypatch.setattr(prices, "STORED", money.from_dollars("0.01"))
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)  # the test plays the worker
    monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=2))
    register.rows += [company(name.upper() + ".", f"2000{number}") for number, name in enumerate(BUOYS)]
    settings.PAYMENT_REALM = "127.0.0.1:8000"
    with stubs.serve(chain.answer) as address:
        settings.TEMPO_RPC_URL, settings.TEMPO_RECIPIENT, settings.TEMPO_CURRENCY = address, US, TOKEN
        made = Business(cards, chain, calendar)
        play(made, calendar.turn_to)
        yield made


def page_of(title: str) -> list[str]:
    """The lines of a block of the page, by the title above it."""
    from django.conf import settings

    text = (settings.BASE_DIR / "docs" / "money-month.md").read_text()
    found = re.search(rf"^### {re.escape(title)}\n(?:(?!#|```).*\n)*```text\n((?:.*\n)*?)```", text, re.M)
    assert found, title
    return found[1].splitlines()


def to_lines(*rows: list[str]) -> list[str]:
    """A table as the page has it: words to the left, dollars to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    is_money = [any(re.fullmatch(r"-?\d+\.\d{4}", cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, widths, is_money, strict=True)
        lines.append("  ".join(cell.rjust(wide) if right else cell.ljust(wide) for cell, wide, right in cells).rstrip())
    return lines


class TestTheMonth:
    """Closed on the first of November."""

    def test_is_read_line_by_line(self, its: Business, capsys: pytest.CaptureFixture[str]) -> None:
        its.calendar.turn_to(31)
        names = {account.pk: account.name for account in Account.objects.all()}
        read_the_trial_balance(its, capsys)
        for account_id, name in names.items():
            read_a_statement(account_id, name)
        read_the_journal(names)
        read_the_receipts()
        read_the_finance_page()
        read_what_others_have(its)
        assert {entry.kind for entry in LedgerEntry.objects.all()} == set(LedgerEntry.Kind)


def read_the_trial_balance(its: Business, capsys: pytest.CaptureFixture[str]) -> None:
    its.calendar.close_the_month()
    call_command("close_month", "2026-10")
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == f"2026-10: {LedgerEntry.objects.count()} entries, closed 2026-11-01 01:00 UTC"
    assert lines == page_of("The trial balance")
    read = {line.split()[0]: (line.split()[2], line.split()[4]) for line in lines}
    assert read == TRIAL_BALANCE
    debits, credits = (sum(Decimal(pair[side]) for pair in read.values()) for side in (0, 1))
    assert debits == credits == Decimal("330.9914")
    kept = {one.name: tuple(map(in_dollars, (one.available, one.held, one.spent))) for one in Account.objects.all()}
    assert kept == CLOSING
    owed = sum(Decimal(available) + Decimal(held) for available, held, _ in CLOSING.values())
    assert owed == Decimal("302.7562") - Decimal("28.2352") == Decimal("274.5210")
    assert sum(Decimal(spent) for *_, spent in CLOSING.values()) == Decimal("0.5438") - Decimal("0.0314")


def read_a_statement(account_id: int, name: str) -> None:
    """The CSV that an auditor gets, between the sums before and after it."""
    made = statements.make(account_id=account_id, since=closing.bounds(OCTOBER)[0], until=NOVEMBER)
    rows = [["day", "kind", "source", "reason", "change", "available", "held", "spent"]]
    rows.append(["", "opening", "", "", "", *map(in_dollars, (0, 0, 0))])
    changes = Decimal(0)
    for line in csv.DictReader(StringIO("".join(statements.write_csv(made)))):
        sums = [line[f"{column}_usd"] for column in ("available_change", "available", "held", "spent")]
        rows.append([line["time"][5:10], line["kind"], line["source"], line["reason"], *sums])
        changes += Decimal(sums[0])
        assert f"{changes:.4f}" == sums[1]
    ends = made.opening, made.closing
    before, after = [tuple(map(in_dollars, (end.available, end.held, end.spent))) for end in ends]
    assert (before, after) == (("0.0000",) * 3, CLOSING[name])
    assert to_lines(*rows, ["", "closing", "", "", "", *after]) == page_of(f"Statement of {name}")
    november = statements.make(account_id=account_id, since=NOVEMBER)
    assert (november.opening, november.entries.count()) == (made.closing, 0)


def read_the_journal(names: dict[int, str]) -> None:
    rows = list(csv.DictReader(StringIO("".join(closing.write_journal(OCTOBER)))))
    sums = {name: [Decimal(0), Decimal(0)] for name in TRIAL_BALANCE}
    lines = []
    for row in rows:
        for side, word in enumerate(("debit", "credit")):
            sums[row[word]][side] += Decimal(row["amount_usd"])
        customer = names[int(row["customer"])]
        lines.append([row["time"][5:10], customer, row["kind"], row["debit"], row["credit"], row["amount_usd"]])
    assert to_lines(*lines) == page_of("The journal")
    assert {name: (f"{debit:.4f}", f"{credit:.4f}") for name, (debit, credit) in sums.items()} == TRIAL_BALANCE
    assert len(rows) == LedgerEntry.objects.exclude(amount=0).exclude(kind__in=["hold", "release"]).count()


def read_the_receipts() -> None:
    """Each payment has one, as it is printed in the admin, and nothing else has."""
    dana, printed = staff("dana", "view_ledgerentry"), []
    for entry in chart.list_entries():
        page = dana.post(url("ledgerentry_receipt", entry.pk))
        if page.status_code == 302:  # nobody has paid for it
            continue
        text = page.content.decode()
        [named] = re.findall(r"<h1>(.*?)</h1>", text)
        cells = dict(re.findall(r'<tr[^>]*><th scope="row">(.*?)</th><td>(.*?)</td>', text))
        customer, amount = cells["Customer"].partition("</bdi>")[0], cells["Amount"].removesuffix(" USD")
        printed.append([named, cells["Date"][5:], customer.removeprefix("<bdi>"), cells["Paid by"], amount])
    assert to_lines(*printed) == page_of("Receipts and invoices")
    assert sum(Decimal(line[-1]) for line in printed) == Decimal("37.9028") + Decimal("250.0000")


def read_the_finance_page() -> None:
    days = finance.list_days(until=date(2026, 10, 31), days=31)
    words = ("paid_in", "gone", "invoiced", "gifts", "corrections", "revenue")
    sums = {word: in_dollars(sum(getattr(day, word) for day in days)) for word in words}
    assert sums == {
        "paid_in": "37.9028",
        "gone": "15.2814",  # 9.7814 + 17.84 - 12.34
        "invoiced": "250.0000",
        "gifts": "2.4820",
        "corrections": "-0.0700",
        "revenue": "0.5124",  # 0.5438 - 0.0314
    }
    assert (in_dollars(days[-1].outstanding), in_dollars(days[-1].held)) == ("274.5210", "0.0942")


def read_what_others_have(its: Business) -> None:
    """What customers were told, what the card provider charged and what is on the chain are the same."""
    costs = Counter(Lookup.objects.filter(cost__gt=0).values_list("cost", flat=True))
    assert costs == {314: 16, 100: 1}  # with the one that came with its payment 17 x 0.0314 + 0.01 = 0.5438
    assert Payment.objects.filter(delivered_at__isnull=False).count() == 1
    done = reconciliation.run(now=timezone.now() + timedelta(hours=2))
    assert [(row.name, row.subject) for row in selectors.list_differences()] == []
    assert (done.mismatches, done.provider_until is None, done.chain_until is None) == ([], False, False)
