"""Somebody looks at what was asked and what it cost: by day, state, key and origin, as a page and as a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import keys, ledger
from billing.models import Account, ApiKey, LedgerEntry
from lookups.models import Lookup, UsageSum
from lookups.operations import daily, usage
from lookups.workspace.periods import month_of
from lookups.workspace.usage import chart, counts
from tests.lookups.conftest import register  # noqa: F401  (a fixture)
from tests.lookups.registry_server import Register
from tests.workspace.conftest import Browser, open_office

pytestmark = pytest.mark.django_db
NIGHT = datetime(2026, 10, 31, 23, 59, 59, 999999, tzinfo=UTC)
PAGE, CSV = "/app/usage/", "/app/usage/usage.csv"


def asked(account: Account, number: int = 1, **columns: Any) -> None:
    """So many lookups, found in New York over the API in October unless told otherwise."""
    ends = {"verdict": "found", "cost": 314} | columns
    at = columns.get("created_at", NIGHT)
    row = {"state": "NY", "kind": "entity", "asked": "Acme", "price": 314, "created_at": at, **ends}
    row |= {"cost": 314 if row["verdict"] == "found" and not row.get("sandbox") else 0}
    row |= {"ended_at": at if row["verdict"] else None}
    Lookup.objects.bulk_create(Lookup(account=account, **row) for _ in range(number))


def key_of(account: Account, name: str = "server") -> ApiKey:
    return keys.issue(account=account, name=name, now=timezone.now())[0]


def shown(browser: Client, query: str = "month=2026-10") -> str:
    answer = browser.get(f"{PAGE}?{query}")
    assert answer.status_code == 200
    return str(answer.content.decode())


def table(browser: Client, query: str = "month=2026-10") -> list[dict[str, str]]:
    answer: Any = browser.get(f"{CSV}?{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


def line(page: str, label: str) -> list[str]:
    """The numbers beside a label of the tables."""
    found = re.search(rf"<bdi>{re.escape(label)}</bdi></th>(.*?)</tr>", page, re.DOTALL)
    assert found, f"{label} is in no table"
    return re.findall(r">([^<>]+)</td>", found[1])


def figures(page: str) -> str:
    """What a page says, without what differs each time it is opened."""
    return re.sub(r'(name="csrfmiddlewaretoken" value|nonce)="[^"]*"', "", page)


class TestUsage:
    def test_counts_what_was_really_asked(self, office: Browser, register: Register) -> None:  # noqa: F811
        key, secret = keys.issue(account=office.account, name="server", now=timezone.now())
        for name in ("Acme Corp", "Nobody Inc"):
            reply = Client().post(
                "/v1/lookup",
                {"entity_name": name, "state": "NY"},
                content_type="application/json",
                headers={"x-api-key": secret},
            )
            assert reply.status_code in (200, 404)
        charge = LedgerEntry.objects.get(account=office.account, kind__in=["capture", "charge"])
        ledger.refund(entry_id=charge.pk, idempotency_key="sorry", reason="outage", now=timezone.now())
        page = shown(office, "")
        # lookups, answered, none or several, not answered, open, spent, refunded: the refund is told by state and key
        assert line(page, "New York") == ["2", "1", "1", "0", "0", "0.0314", "0.0314"]
        assert line(page, f"{key.prefix}… server") == ["2", "1", "1", "0", "0", "0.0314", "0.0314"]
        assert line(page, "API") == ["2", "1", "1", "0", "0", "0.0314"]
        assert sum(int(row["lookups"]) for row in table(office, "")) == 2

    def test_counts_a_lookup_on_the_day_of_utc_on_which_it_was_asked(self, office: Browser) -> None:
        asked(office.account, created_at=NIGHT)
        asked(office.account, created_at=NIGHT + timedelta(microseconds=1), verdict="not_found")
        assert line(shown(office), "2026-10-31")[0] == "1"
        assert "2026-11-01" not in shown(office)
        assert line(shown(office, "month=2026-11"), "2026-11-01")[:3] == ["1", "0", "1"]

    @pytest.mark.parametrize(
        ("verdict", "column"),
        [("found", 1), ("taken", 1), ("not_found", 2), ("ambiguous", 2), ("unavailable", 3), ("refused", 3), (None, 4)],
    )
    def test_says_what_came_of_it(self, office: Browser, verdict: str | None, column: int) -> None:
        asked(office.account, 1234, verdict=verdict)
        numbers = line(shown(office), "New York")
        assert numbers[0] == numbers[column] == "1,234"
        assert [numbers[other] for other in {1, 2, 3, 4} - {column}] == ["0"] * 3

    def test_tells_origins_apart_and_the_workspace_from_programs(self, office: Browser) -> None:
        own = keys.get_workspace_key(account=office.account, livemode=True, now=NIGHT)
        server = key_of(office.account)
        asked(office.account, 1, key=own, origin="page")
        asked(office.account, 2, key=server)
        asked(office.account, 4, key=own, origin="bulk")
        asked(office.account, 8, key=server, origin="watch")
        page = shown(office)
        found = {name: line(page, name)[0] for name in ("API", "Bulk", "Watches")}
        assert found == {"API": "2", "Bulk": "4", "Watches": "8"}
        assert {row["origin"]: row["lookups"] for row in table(office)}["workspace"] == "1"
        narrowed = {origin: table(office, f"month=2026-10&origin={origin}") for origin in counts.ORIGINS}
        assert {origin: [row["lookups"] for row in rows] for origin, rows in narrowed.items()} == {
            "api": ["2"], "workspace": ["1"], "bulk": ["4"], "watch": ["8"],
        }  # fmt: skip

    def test_is_narrowed_by_state_and_key(self, office: Browser) -> None:
        server, other = key_of(office.account), key_of(office.account, "other")
        asked(office.account, 1, key=server)
        asked(office.account, 2, key=other)
        asked(office.account, 4, key=server, state="DE", verdict="not_found")
        assert [row["lookups"] for row in table(office, f"month=2026-10&key={server.pk}")] == ["4", "1"]
        assert [row["lookups"] for row in table(office, f"month=2026-10&state=NY&key={other.pk}")] == ["2"]
        assert "Nothing matches" in shown(office, f"month=2026-10&state=DE&key={other.pk}")

    def test_takes_a_state_in_small_letters_and_keeps_it(self, office: Browser) -> None:
        asked(office.account, 1)
        asked(office.account, 2, state="DE")
        assert [row["lookups"] for row in table(office, "month=2026-10&state=de")] == ["2"]
        assert "&amp;state=DE" in shown(office, "month=2026-10&state=de")

    @pytest.mark.parametrize("narrowed", ["state=zz", "key=0", "key=x", "origin=phone"])
    def test_never_counts_the_whole_account_for_what_it_does_not_understand(
        self, office: Browser, narrowed: str
    ) -> None:
        asked(office.account, 77)
        page = shown(office, f"month=2026-10&{narrowed}")
        assert f'role="alert">{narrowed.partition("=")[0].capitalize()}: ' in page
        assert not re.search(f'href="[^"]*{narrowed}', page, re.IGNORECASE), "other periods lead to an error again"
        assert "77" not in re.sub(r"<(?:script|style|svg).*?</(?:script|style|svg)>|<[^>]+>", "", page, flags=re.DOTALL)
        assert office.get(f"{CSV}?month=2026-10&{narrowed}").status_code == 400

    def test_is_compared_with_the_period_before(self, office: Browser) -> None:
        asked(office.account, 3)
        asked(office.account, 2, created_at=NIGHT - timedelta(days=31))
        page = shown(office)
        assert re.search(r"<span>Lookups</span><strong>3</strong><span>before: 2</span>", page)
        assert re.search(r"<span>Spent, USD</span><strong>0.0942</strong><span>before: 0.0628</span>", page)
        assert "1 September to 30 September 2026" in page

    def test_of_a_period_with_nothing_names_one_next_step(self, office: Browser) -> None:
        page = shown(office)
        assert "Nothing was asked in this period" in page
        assert '<svg viewBox="0 0 1000' not in page

    def test_of_a_period_that_cannot_be_read_says_so(self, office: Browser) -> None:
        assert "At most 366 days" in shown(office, "from=2020-01-01&to=2026-10-31")
        assert office.get(f"{CSV}?month=nonsense").status_code == 400

    def test_is_each_modes_own(self, office: Browser) -> None:
        asked(office.account, 2)
        asked(office.account, 3, sandbox=True)
        assert line(shown(office), "New York")[0] == "2"
        page = shown(office.work_in("sandbox"))
        assert line(page, "New York")[0] == "3"
        assert "nothing is charged" in page

    def test_is_the_accounts_own(self, office: Browser) -> None:
        other = open_office(name="Another", email="eve@else.test")
        theirs = key_of(other.account, "theirs")
        asked(other.account, 5, key=theirs)
        assert "Nothing was asked in this period" in shown(office)
        asked(office.account, 1)
        assert office.get(f"{CSV}?month=2026-10&key={theirs.pk}").status_code == 400

    def test_has_what_was_given_back_to_the_account_and_to_no_other(self, office: Browser) -> None:
        other = open_office(name="Another", email="eve@else.test")
        for account, back in ((office.account, 314), (other.account, 200)):
            paid: dict[str, Any] = {
                "amount": 314,
                "idempotency_key": "c",
                "reference": "NY Acme",
                "now": timezone.now(),
            }
            charge = ledger.charge(account_id=account.pk, **paid)
            how: dict[str, Any] = {"idempotency_key": "r", "reason": "outage", "amount": back, "now": timezone.now()}
            ledger.refund(entry_id=charge.pk, **how)
        assert [float(row["refundedUsd"]) for row in table(office, "")] == [0.0314]
        assert [float(row["refundedUsd"]) for row in table(other, "")] == [0.02]

    def test_is_read_by_viewers_and_not_by_strangers(self, viewer: Browser) -> None:
        assert viewer.get(PAGE).status_code == 200
        assert Client().get(PAGE).status_code == 302
        assert Client().get(CSV).status_code == 302

    def test_shows_hostile_names_as_text(self, office: Browser) -> None:
        asked(office.account, key=key_of(office.account, "<script>alert(1)</script> \u202egpj.exe"))
        page = shown(office)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt; \u202egpj.exe</bdi>" in page

    def test_as_a_table_is_no_formula(self, office: Browser) -> None:
        asked(office.account, key=key_of(office.account, "=1+1"))
        [row] = table(office)
        assert row == {
            "day": "2026-10-31",
            "state": "NY",
            "key": row["key"],
            "origin": "api",
            "verdict": "found",
            "lookups": "1",
            "spentUsd": "0.0314",
            "refundedUsd": "0.0000",
        }
        assert not row["key"].startswith("=")

    def test_asks_the_database_as_often_for_one_lookup_as_for_many(self, office: Browser) -> None:
        def count() -> int:
            with CaptureQueriesContext(connection) as seen:
                shown(office)
            return len(seen)

        asked(office.account)
        shown(office)  # the first look makes the workspace's key
        few = count()
        for state in ("DE", "CA", "TX"):
            asked(office.account, 50, state=state, created_at=NIGHT - timedelta(days=3))
        assert count() == few

    def test_is_read_by_the_index_of_the_account(self, office: Browser, on_postgres: None) -> None:
        others = open_office(name="Another", email="eve@else.test")
        asked(others.account, 10_000)
        for month in range(20):
            asked(office.account, 500, created_at=NIGHT - timedelta(days=30 * month))
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE lookups_lookup")
        with CaptureQueriesContext(connection) as seen:
            shown(office)
        grouped = [query["sql"] for query in seen if "GROUP BY" in query["sql"] and "lookups_lookup" in query["sql"]]
        assert len(grouped) == 2
        for sql in grouped:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}")
                plan = "\n".join(row[0] for row in cursor.fetchall())
            assert re.search(r"Index Cond: \(+account_id", plan), plan  # which of them, so few rows do not decide


class TestADayOfMuch:
    """It was added up once it was over: the pages say of it what they said before, and read its lookups no more."""

    @pytest.fixture
    def busy(self, office: Browser) -> Browser:
        """Two busy days with quiet ones beside, by two keys and three doors, and the sandbox's."""
        own = keys.get_workspace_key(account=office.account, livemode=True, now=NIGHT)
        server = key_of(office.account)
        for back, number in ((0, 3), (3, usage.MANY), (4, usage.MANY), (6, 1)):
            at = NIGHT - timedelta(days=back)
            asked(office.account, number, key=server, created_at=at)
            asked(office.account, 2, key=own, origin="page", state="DE", verdict="not_found", created_at=at)
            asked(office.account, 4, key=server, origin="bulk", state="DE", created_at=at)
            asked(office.account, usage.MANY, sandbox=True, created_at=at)
        return office

    QUERIES = ("", "&state=DE", "&origin=bulk", "&origin=workspace")

    def test_reads_as_before_on_page_and_in_table(self, busy: Browser) -> None:
        queries = [f"{period}{more}" for period in ("month=2026-10", "month=2026-11") for more in self.QUERIES]
        before = [(figures(shown(busy, query)), table(busy, query)) for query in queries]
        assert before[0][1]
        daily.keep_days(now=NIGHT + timedelta(days=1))
        kept = UsageSum.objects.filter(sandbox=False)
        assert set(kept.values_list("day", flat=True)) == {(NIGHT - timedelta(days=back)).date() for back in (3, 4)}
        assert [(figures(shown(busy, query)), table(busy, query)) for query in queries] == before
        assert type(count_october(busy.account).total.spent) is int

    @pytest.mark.parametrize("read", [lambda browser: figures(shown(browser)), table], ids=["page", "table"])
    def test_counts_once_for_who_reads_while_it_is_added_up(
        self, busy: Browser, read: Callable[[Browser], Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def make_rows(*given: Any) -> list[counts.Row]:
            rows = really(*given)
            daily.keep_days(now=NIGHT + timedelta(days=1))
            return rows

        before, really = read(busy), counts._make_rows
        monkeypatch.setattr(counts, "_make_rows", make_rows)
        assert read(busy) == before
        assert UsageSum.objects.exists()

    def test_is_not_read_again(self, busy: Browser) -> None:
        daily.keep_days(now=NIGHT + timedelta(days=1))
        Lookup.objects.filter(created_at=NIGHT - timedelta(days=3)).update(state="TX")
        assert line(shown(busy), "2026-10-28")[0] == str(usage.MANY + 6)
        assert "Texas</bdi>" not in shown(busy)

    def test_has_nothing_of_another_account(self, busy: Browser) -> None:
        other = open_office(name="Another", email="eve@else.test")
        for number, back in ((usage.MANY, 3), (5, 4)):
            asked(other.account, number, created_at=NIGHT - timedelta(days=back))
        before = [table(one, "month=2026-10") for one in (busy, other)]
        daily.keep_days(now=NIGHT + timedelta(days=1))
        assert [table(one, "month=2026-10") for one in (busy, other)] == before

    def test_is_added_up_once(self, busy: Browser) -> None:
        daily.keep_days(now=NIGHT + timedelta(days=1))
        sums = UsageSum.objects.count()
        assert daily.keep_days(now=NIGHT + timedelta(days=9)) > 0
        assert UsageSum.objects.count() == sums


class TestTheChart:
    def test_has_a_bar_for_each_day_and_its_parts_add_up(self, office: Browser) -> None:
        asked(office.account, 30)
        asked(office.account, 15, verdict="not_found")
        drawn = chart.draw(count_october(office.account))
        assert drawn is not None
        assert (len(drawn.bars), drawn.top, drawn.unit) == (31, 50, "day")
        last = drawn.bars[-1]
        assert last.title == "2026-10-31: 45 lookups (answered 30, none or several fit 15)"
        assert [(part.kind, part.y, part.height) for part in last.parts] == [
            ("found", "80.00", "120.00"),
            ("nothing", "20.00", "60.00"),
        ]
        assert drawn.bars[0].parts == []

    def test_has_months_where_days_would_be_too_many(self, office: Browser) -> None:
        asked(office.account, 2)
        asked(office.account, 3, created_at=NIGHT - timedelta(days=90))
        page = shown(office, "from=2026-01-01&to=2026-10-31")
        assert "Lookups a month" in page
        assert page.count("<title>2026-") == 10
        assert "2026-08: 3 lookups" in page

    def test_is_drawn_without_a_style_of_its_own(self, office: Browser) -> None:
        asked(office.account, 2)
        assert "style=" not in shown(office)

    @pytest.mark.parametrize(("number", "top"), [(1, 1), (2, 2), (3, 5), (9, 10), (10, 10), (11, 20), (8445, 10_000)])
    def test_ends_at_a_number_that_reads_well(self, number: int, top: int) -> None:
        assert chart.round_up(number) == top


def count_october(account: Account) -> counts.Usage:
    wanted = counts.Wanted(account_id=account.pk, livemode=True)
    return counts.count(wanted, month_of(NIGHT.date()))
