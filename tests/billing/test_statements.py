"""Statements and the finance page say the same as the ledger, to the last unit."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from typing import Any

import pytest

from billing import finance, ledger, statements
from billing.models import Account, LedgerEntry
from billing.selectors import Balance
from tests.billing import tampering
from tests.billing.conftest import LATER, NOW, in_parallel

DAY = timedelta(days=1)
ZERO, TICK = timedelta(0), timedelta(microseconds=1)


class TestAStatement:
    def spend(self, account: Account, day: int, **named: Any) -> None:
        named = {"reference": "lookup", **named}
        ledger.charge(account_id=account.pk, amount=314, idempotency_key=f"day-{day}", now=NOW + DAY * day, **named)

    def test_opens_with_what_was_there_before_and_closes_with_what_is_left(self, account: Account) -> None:
        for day in (1, 2, 3):
            self.spend(account, day)
        made = statements.make(account_id=account.pk, since=NOW + DAY * 2, until=NOW + DAY * 3)
        assert made.opening == Balance(available=2826, held=0, spent=314, deposited=3140)
        assert made.closing == Balance(available=2512, held=0, spent=628, deposited=3140)
        assert [entry.idempotency_key for entry in made.entries] == ["day-2"]

    def test_says_of_each_kind_what_it_changed_of_what_is_there_and_held(self, account: Account) -> None:
        """What is set aside is still there; what is captured is not."""
        held = [
            ledger.hold(account_id=account.pk, amount=314, idempotency_key=key, reference="", expires_at=LATER, now=NOW)
            for key in ("a", "b", "c")
        ]
        ledger.capture(hold_id=held[0].pk, now=NOW)
        ledger.release(hold_id=held[1].pk, reason="not_found", now=NOW)
        sums = {
            word: (number, change) for word, number, change in statements.sum_up(statements.make(account_id=account.pk))
        }
        kinds = {kind: sums[LedgerEntry.Kind(kind).label] for kind in ("free_grant", "hold", "capture", "release")}
        assert kinds == {"free_grant": (1, 3140), "hold": (3, 0), "capture": (1, -314), "release": (1, 0)}

    def test_of_a_time_without_entries_closes_as_it_opened(self, account: Account) -> None:
        made = statements.make(account_id=account.pk, since=NOW + DAY)
        assert made.opening == made.closing == Balance(available=3140, held=0, spent=0, deposited=3140)

    @pytest.mark.parametrize("since", [None, NOW + DAY], ids=["with entries before", "of a time without any yet"])
    def test_adds_up_though_something_is_spent_while_it_is_read(self, account: Account, since: Any) -> None:
        made = statements.make(account_id=account.pk, since=since)
        ledger.charge(account_id=account.pk, amount=314, reference="", idempotency_key="late", now=NOW + 2 * DAY)
        change = sum(change for _, _, change in statements.sum_up(made))
        assert made.opening.available + made.opening.held + change == made.closing.available + made.closing.held
        lines = list(csv.DictReader(io.StringIO("".join(statements.write_csv(made)))))
        assert [line["available_usd"] for line in lines][-1:] == ([] if since else ["0.3140"])

    def test_as_csv_has_one_line_an_entry_and_is_safe_to_open(self, account: Account) -> None:
        self.spend(account, 1, reference='=HYPERLINK("http://evil.test")')
        lines = list(csv.DictReader(statements.write_csv(statements.make(account_id=account.pk))))
        assert [(line["kind"], line["available_usd"]) for line in lines] == [
            ("free_grant", "0.3140"),
            ("charge", "0.2826"),
        ]
        assert lines[1]["available_change_usd"] == "-0.0314"
        assert lines[1]["reference"].startswith("'=")


class TestTheFinancePage:
    def test_counts_what_moved_each_day_and_what_stood_at_its_end(self, account: Account, hold: Any) -> None:
        ledger.deposit(account_id=account.pk, amount=5000, idempotency_key="d", source="card", now=NOW + DAY)
        hold(314, now=NOW + DAY)
        ledger.charge(account_id=account.pk, amount=628, idempotency_key="c", reference="", now=NOW + DAY * 2)
        today = NOW.date()
        days = {day.day: day for day in finance.list_days(until=today + DAY * 3, days=3)}
        assert days[today + DAY] == finance.Day(day=today + DAY, paid_in=5000, outstanding=8140, held=314)
        assert days[today + DAY * 2].revenue == 628
        assert days[today + DAY * 3] == finance.Day(day=today + DAY * 3, outstanding=7512, held=314)

    def test_of_an_empty_ledger_is_all_zero(self, db: None) -> None:
        assert all(day.outstanding == 0 for day in finance.list_days(until=date(2026, 11, 21)))


class TestTheClock:
    """Of two requests at once, the one that waited had read it first."""

    def test_never_goes_back_within_an_account(self, account: Account) -> None:
        for key, now in (("first", LATER), ("second", NOW)):
            ledger.deposit(account_id=account.pk, amount=1, idempotency_key=key, source="staff", now=now)
        times = list(account.entries.order_by("id").values_list("created_at", flat=True))
        assert times == [NOW, LATER, LATER]


class TestAnyCut:
    """Wherever a statement begins and ends, what it opens with and what changed is what it closes with."""

    def adds_up(self, account: Account) -> None:
        """Also its neighbours: two that meet share no entry and leave out none."""
        entries = account.entries.order_by("id")
        cuts = sorted(
            {moment + step for moment in entries.values_list("created_at", flat=True) for step in (ZERO, TICK)}
        )
        for number, since in enumerate(cuts):
            for until in cuts[number:]:
                made = statements.make(account_id=account.pk, since=since, until=until)
                for name in ("available", "held", "spent"):
                    changes = sum(getattr(entry, f"{name}_change") for entry in made.entries)
                    assert getattr(made.opening, name) + changes == getattr(made.closing, name), (since, until, name)
                parts = [statements.list_entries(account_id=account.pk, until=since), made.entries]
                parts.append(statements.list_entries(account_id=account.pk, since=until))
                assert sorted(entry.pk for part in parts for entry in part) == [entry.pk for entry in entries]

    def test_adds_up_also_among_entries_whose_times_are_out_of_order(self, account: Account, hold: Any) -> None:
        """As they were written before 1.4: of two requests at once, the later one had the earlier time."""
        for number in range(4):
            named = {"account_id": account.pk, "idempotency_key": f"{number}", "now": NOW + DAY * number}
            ledger.charge(amount=314, reference="", **named)
            hold(100, now=NOW + DAY * number)
        first, _, third, *_ = account.entries.order_by("id")[2:]
        tampering.change(first, created_at=NOW + DAY * 3)
        tampering.change(third, created_at=NOW - DAY)
        times = list(account.entries.order_by("id").values_list("created_at", flat=True))
        assert times != sorted(times)
        self.adds_up(account)

    @pytest.mark.django_db(transaction=True)
    def test_adds_up_when_requests_overtake_each_other(self, account: Account) -> None:
        """Each has read its clock before it waits for the account."""

        def spend(number: int) -> None:
            now = NOW + timedelta(seconds=8 - number)  # the one that asks first has the latest time
            named: dict[str, Any] = {"account_id": account.pk, "reference": "", "now": now}
            ledger.charge(amount=314 + number, idempotency_key=f"{number}", **named)

        in_parallel(spend, 8)
        times = list(account.entries.order_by("id").values_list("created_at", flat=True))
        assert (len(times), times) == (9, sorted(times))
        self.adds_up(account)
