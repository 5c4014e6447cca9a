"""A query that is written once finds what the query set finds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import Col
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

from billing import keys
from billing.models import Account, ApiKey, ConcurrencySlot, LedgerEntry
from jurisdictions.prepared import Blank, Change, Insertion, Prepared
from tests.billing.conftest import NOW


def whole() -> QuerySet[ApiKey]:
    """Keys with their account, and whether it has ever moved money."""
    moved = LedgerEntry.objects.filter(account=OuterRef("account"))
    return ApiKey.objects.select_related("account").annotate(moved=Exists(moved)).order_by("pk")


def columns(row: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if name != "_state"}


@pytest.fixture
def several(account: Account) -> list[ApiKey]:
    return [
        keys.issue(account=account, name=f"key {number}", now=NOW + timedelta(minutes=number))[0] for number in range(4)
    ]


class TestAPreparedQuery:
    """With values of every form that its columns have."""

    def test_finds_the_same_rows_whole(self, several: list[ApiKey]) -> None:
        prepared = Prepared(lambda: whole().filter(account=Blank("account"), created_at__gt=Blank("created_at")))
        for since in (NOW, NOW + timedelta(minutes=1), NOW + timedelta(hours=1)):
            found = prepared.all(account=several[0].account_id, created_at=since)
            expected = list(whole().filter(account=several[0].account_id, created_at__gt=since))
            assert [columns(one) for one in found] == [columns(one) for one in expected]
            assert [columns(one.account) for one in found] == [columns(one.account) for one in expected]

    def test_gives_columns_and_counts_where_those_are_asked_for(self, several: list[ApiKey]) -> None:
        def count(since: Any, name: Any) -> Any:
            late = Count("pk", filter=Q(created_at__gt=since))
            same = ApiKey.objects.filter(account__name=name).order_by()
            return (
                same.values("account__name")
                .annotate(late=late, all=Count("pk"))
                .values_list("all", "account__name", "late")
            )

        prepared = Prepared(lambda: count(Blank("created_at"), Blank("account__name")))
        for since, late in ((NOW, 3), (NOW + timedelta(minutes=1), 2), (NOW + timedelta(hours=1), 0)):
            name = several[0].account.name
            found = prepared.tuples(created_at=since, account__name=name)
            assert found == list(count(since, name)) == [(4, name, late)]
        assert prepared.tuples(created_at=NOW, account__name="nobody") == []

    def test_asks_the_database_once_and_nothing_later(
        self, several: list[ApiKey], django_assert_num_queries: Any
    ) -> None:
        prepared = Prepared(lambda: whole().filter(uuid=Blank("uuid")))
        for key in several:
            with django_assert_num_queries(1):
                assert prepared.get(uuid=key.uuid).account.name == key.account.name

    def test_looks_at_its_columns_once(self, several: list[ApiKey], monkeypatch: pytest.MonkeyPatch) -> None:
        prepared = Prepared(lambda: whole().filter(account=Blank("account")))
        before = prepared.all(account=several[0].account_id)
        monkeypatch.setattr(Col, "get_db_converters", None)  # would break
        monkeypatch.setattr(SQLCompiler, "has_composite_fields", None)
        again = prepared.all(account=several[0].account_id)
        assert [columns(one) for one in again] == [columns(one) for one in before]

    def test_of_a_row_that_is_not_there_says_so(self, db: None) -> None:
        prepared = Prepared(lambda: ApiKey.objects.filter(name=Blank("name")))
        assert prepared.first(name="nobody's") is None
        with pytest.raises(ApiKey.DoesNotExist):
            prepared.get(name="nobody's")

    def test_takes_no_value_for_sql(self, several: list[ApiKey]) -> None:
        prepared = Prepared(lambda: ApiKey.objects.filter(name=Blank("name")))
        for name in ("key 1' OR '1'='1", "%s", "%", "key 1; --", '"'):
            assert prepared.all(name=name) == []
        assert [one.name for one in prepared.all(name="key 1")] == ["key 1"]

    def test_refuses_nothing_as_a_value(self, db: None) -> None:
        with pytest.raises(ValueError, match="name"):
            Prepared(lambda: ApiKey.objects.filter(name=Blank("name"))).first(name=None)

    @pytest.mark.django_db(transaction=True)
    def test_locks_within_a_transaction_only(self, account: Account) -> None:
        prepared = Prepared(lambda: Account.objects.select_for_update().filter(id=Blank("id")))
        with transaction.atomic():
            assert prepared.get(id=account.pk) == account
        with pytest.raises(TransactionManagementError):
            prepared.get(id=account.pk)

    @pytest.mark.django_db(transaction=True)
    def test_gives_each_of_many_threads_its_own(self, several: list[ApiKey]) -> None:
        prepared = Prepared(lambda: whole().filter(uuid=Blank("uuid")))

        def ask(number: int) -> bool:
            try:
                return all(prepared.get(uuid=several[number % 4].uuid).pk == several[number % 4].pk for _ in range(20))
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(16)))


def slot(number: int | None, **columns: Any) -> ConcurrencySlot:
    return ConcurrencySlot(subject="key:1", number=number, **{"token": "", "lease_until": 0.0, **columns})


class TestAPreparedInsertion:
    """Writes what `bulk_create` writes."""

    def test_writes_each_column_and_learns_the_numbers(self, account: Account) -> None:
        rows = [slot(number, lease_until=2.0**40 + number, token="one") for number in range(3)]
        assert Insertion(ConcurrencySlot).write(*rows)
        assert [columns(one) for one in ConcurrencySlot.objects.order_by("pk")] == [columns(one) for one in rows]
        assert not any(one._state.adding for one in rows)

    def test_leaves_out_what_is_there(self, account: Account) -> None:
        once = Insertion(ConcurrencySlot, once=True)
        assert once.write(slot(1, token="first"))
        assert not once.write(slot(1, token="second"))
        assert [one.token for one in ConcurrencySlot.objects.all()] == ["first"]

    def test_gives_what_is_there_the_new_values(self, account: Account) -> None:
        newest = Insertion(ConcurrencySlot, unique=("subject", "number"), update=("token",))
        first, second = slot(1, token="first", lease_until=60), slot(1, token="second", lease_until=120)
        assert newest.write(first)
        assert newest.write(second)
        assert second.pk == first.pk
        assert [(one.token, one.lease_until) for one in ConcurrencySlot.objects.all()] == [("second", 60)]

    def test_lets_the_database_count_a_column(self, account: Account) -> None:
        next_one = "(SELECT COUNT(*) FROM billing_concurrencyslot WHERE subject = %s)"
        counting = Insertion(ConcurrencySlot, counted={"number": (next_one, ("subject",))})
        for _ in range(3):
            assert counting.write(slot(None))
        assert [one.number for one in ConcurrencySlot.objects.order_by("pk")] == [0, 1, 2]

    def test_takes_no_value_for_sql(self, account: Account) -> None:
        assert Insertion(ConcurrencySlot).write(slot(1, token="'); DROP TABLE x; -- %s"))
        assert ConcurrencySlot.objects.get().token == "'); DROP TABLE x; -- %s"


class TestAPreparedChange:
    """Changes what `update` changes."""

    def test_changes_what_is_found_and_nothing_else(self, several: list[ApiKey]) -> None:
        change = Change(
            lambda: ApiKey.objects.filter(account=Blank("account"), name=Blank("name")), ("scopes", "revoked_at")
        )
        new = {"scopes": ["lookup"], "revoked_at": NOW}
        assert change.run(new, account=several[0].account_id, name="key 2") == 1
        assert change.run({"scopes": [], "revoked_at": None}, account=several[0].account_id, name="nobody's") == 0
        assert [(one.scopes, one.revoked_at) for one in ApiKey.objects.order_by("pk")] == [
            ([], None),
            ([], None),
            (["lookup"], NOW),
            ([], None),
        ]
        assert change.run({"scopes": [], "revoked_at": None}, account=several[0].account_id, name="key 2") == 1
        assert ApiKey.objects.filter(revoked_at=None).count() == 4

    def test_counts_on_from_what_the_row_has(self, several: list[ApiKey]) -> None:
        ApiKey.objects.update(rate_limit_per_minute=7)
        counting = {"rate_limit_per_minute": F("rate_limit_per_minute") + 2}
        change = Change(lambda: ApiKey.objects.filter(name=Blank("name")), ("scopes",), counted=counting)
        for times in (1, 2):
            assert change.run({"scopes": ["lookup"] * times}, name="key 2") == 1
        same = ApiKey.objects.order_by("pk").values_list("scopes", "rate_limit_per_minute")
        assert list(same) == [([], 7), ([], 7), (["lookup"] * 2, 11), ([], 7)]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans in this process")
class TestOnPostgresql:
    """A statement is read and planned once for a connection."""

    def test_is_planned_once_however_large_its_numbers_are(self, account: Account) -> None:
        writing = Insertion(ConcurrencySlot)
        finding = Prepared(lambda: ConcurrencySlot.objects.filter(number=Blank("number")))
        for number in (1, 1_000, 100_000):
            assert writing.write(slot(number))
            assert len(finding.all(number=number)) == 1
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%billing_concurrencyslot%"]
            )
            assert cursor.fetchone() == (2,)
