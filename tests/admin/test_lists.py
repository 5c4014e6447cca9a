"""What lists and pages of the admin say: dollars everywhere, live apart from the sandbox, what it means to be empty."""

from __future__ import annotations

import html
import re
from datetime import date, timedelta

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from billing import accounts, keys, ledger
from billing.models import Account, ApiKey, Difference, MonthClose, Payment, Reconciliation, TopUp, WaitingGrant
from jurisdictions import bounded
from jurisdictions.lists import ModeFilter
from lookups.models import Entity, Lookup
from tests.admin.conftest import ask
from tests.admin_lists import list_admins
from tests.sign_in.pages import list_addresses
from tests.sign_in.populated import populate

pytestmark = pytest.mark.django_db
UNITS, DOLLARS = 77_123_456, "7712.3456"


class TestMoney:
    @pytest.mark.slow
    def test_is_in_dollars_on_every_page(self, owner: Client) -> None:
        """Every row that has an amount gets one that is known again; no page shows it as the books keep it."""
        populate()
        account = Account.objects.get(name="Acme")
        ledger.deposit(account_id=account.pk, amount=UNITS, idempotency_key="u", source="card", now=timezone.now())
        for model in (Account, ApiKey):
            model.objects.update(monthly_budget=UNITS)
        for model, column in ((Payment, "amount"), (TopUp, "amount"), (WaitingGrant, "amount")):
            model.objects.update(**{column: UNITS})
        Lookup.objects.update(price=UNITS)
        Difference.objects.update(numbers={"ledger": UNITS})
        sums = {"cash": [UNITS, 0], "revenue": [0, UNITS], "credit_refunds": [0, 0]}
        MonthClose.objects.create(
            month=date(2020, 1, 1), totals=sums, entries=1, operator="x", closed_at=timezone.now()
        )
        sums = {"available": {"account": UNITS, "entries": 0, "last_entry": 0}}
        differs = [{"account": account.pk, "name": "Acme", "differences": sums}]
        Reconciliation.objects.create(ran_at=timezone.now(), accounts=1, mismatches=differs)
        seen = 0
        files = ("logout", "jsi18n", "page/1", "download", "autocomplete", "/search/", "evidence")
        more = [
            f"/admin/billing/{row._meta.model_name}/{row.pk}/change/"
            for row in (MonthClose.objects.get(month=date(2020, 1, 1)), Reconciliation.objects.latest("pk"))
        ]
        for address in [*(address for _, address in list_addresses()), *more]:
            if any(word in address for word in files) or "/confirm/" in address or "/login" in address:
                continue
            reply = owner.get(address)
            if reply.status_code != 200 or "text/html" not in reply["Content-Type"]:
                continue
            text = reply.content.decode()
            assert str(UNITS) not in text, address
            assert "1/10,000" not in text, address
            seen += DOLLARS in text or "7,712.3" in text or "7712.3" in text
        assert seen >= 12

    def test_is_typed_in_dollars(self, acme: Account, owner: Client) -> None:
        key = ApiKey.objects.get(account=acme)
        sent = {"name": "server", "monthly_budget": "50"}
        assert owner.post(reverse("admin:billing_apikey_change", args=[key.pk]), sent).status_code == 302
        key.refresh_from_db()
        assert key.monthly_budget == 500_000


class TestLists:
    def test_of_what_is_live_or_made_up_begin_with_what_is_live(self, acme: Account, owner: Client) -> None:
        for name, sandbox in (("Bluebird Freight", False), ("Blue Heron", True)):
            ask(acme, name, "not_found", sandbox=sandbox)
        rows = {
            mode: owner.get(f"/admin/lookups/lookup/?mode={mode}").content.decode() for mode in ("", "sandbox", "both")
        }
        shown = {mode: ("Bluebird" in page, "Blue Heron" in page) for mode, page in rows.items()}
        assert shown == {"": (True, False), "sandbox": (False, True), "both": (True, True)}

    def test_have_times_with_their_zone(self, acme: Account, owner: Client) -> None:
        ask(acme, "Bluebird Freight", "not_found")
        page = owner.get("/admin/lookups/lookup/").content.decode()
        assert f"{Lookup.objects.get().created_at:%Y-%m-%d %H:%M:%S} UTC" in page

    @pytest.mark.parametrize("number", ["0", "9999", "9" * 40])
    def test_take_no_number_that_no_row_can_have(self, owner: Client, number: str) -> None:
        for model, shown in list_admins().items():
            at = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            fields = [
                "pk__lt",
                "pk__in",
                *(shown.narrowed_by if isinstance(shown, bounded.BoundedList) else ()),
                *(f"{shown.date_hierarchy}__{part}" for part in ("year", "month") if shown.date_hierarchy),
            ]
            for field in fields:
                assert owner.get(at, {field: number}).status_code in (200, 302), (at, field)

    @pytest.mark.parametrize("number", ["abc", "9" * 40])
    def test_lead_back_from_an_address_that_no_row_has(self, owner: Client, number: str) -> None:
        """An id that was cut or mistyped on its way to us: of a row, or of what is done with one."""
        seen = 0
        for shown in list_admins().values():
            for one in shown.get_urls():
                if one.name and "object_id" in one.pattern.converters:
                    at = reverse(f"admin:{one.name}", args=[number])
                    assert owner.get(at).status_code in (200, 302, 403, 404, 405), at
                    seen += 1
        assert seen > 120

    def test_are_declared_as_django_wants_them(self) -> None:
        """`manage.py check` looks at them only where the addresses happen to be loaded before."""
        assert len(list_admins()) > 30
        assert admin.site.check(None) == []

    def test_that_can_be_of_both_all_have_the_filter(self) -> None:
        columns = {"sandbox", "livemode", "is_sandbox"}
        for model, shown in list_admins().items():
            if columns & {field.name for field in model._meta.fields}:
                has = [one for one in shown.list_filter if isinstance(one, type) and issubclass(one, ModeFilter)]
                assert has, model

    def test_that_are_empty_say_what_that_means_and_offer_nothing_that_cannot_be_done(self, owner: Client) -> None:
        told = set()
        for model, shown in list_admins().items():
            if model._default_manager.exists():  # type: ignore[attr-defined]
                continue
            page = owner.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
            if page.status_code != 200:
                continue
            text = page.content.decode()
            assert "Nothing here" in text, model
            assert "Create a new item" not in text, model
            told.add(getattr(shown, "empty_says", ""))
        assert len(told) > 12

    def test_find_what_begins_like_this_and_what_has_this_id(self, acme: Account, owner: Client) -> None:
        other = accounts.open_account(name="Not Acme", now=acme.created_at)
        keys.issue(account=other, name="k", now=acme.created_at)
        mine, theirs = ask(acme, "Bluebird", "not_found"), ask(other, "Redbird", "not_found")

        def found(table: str, word: str, **more: object) -> str:
            query = {"q": word, **more}
            page = owner.get(reverse(f"admin:{table}_changelist", query=query)).content.decode()
            return " ".join(
                name for name in ("Bluebird", "Redbird", "Not Acme") if name in re.sub(r"value=\S+", "", page)
            )

        assert found("lookups_lookup", "acm") == "Bluebird"
        assert found("lookups_lookup", theirs.public_id) == "Redbird Not Acme"
        assert found("lookups_lookup", str(acme.pk)) == "Bluebird"
        assert found("lookups_lookup", "blueb") == "Bluebird"  # among the newest
        assert found("lookups_lookup", "blueb", account__id__exact=acme.pk) == "Bluebird"
        assert found("billing_account", "not ac") == "Not Acme"
        assert found("billing_account", "acme") == ""
        assert mine.pk != theirs.pk

    def test_have_no_order_that_they_do_not_offer(self, owner: Client) -> None:
        now = timezone.now()
        for number, name in enumerate(("Beta", "Alpha", "Gamma")):
            row = {"name": name, "entity_id": f"{number}", "slug": name, "last_read_at": now - timedelta(days=number)}
            Entity.objects.create(state="NY", **row)
        columns = ["o=0", "o=1", "o=-1", "o=9", "o=x", "o=1.3", ""]
        found = [owner.get(f"/admin/lookups/entity/?{query}").content.decode() for query in columns]
        assert {tuple(re.findall("Beta|Alpha|Gamma", page)) for page in found} == {("Beta", "Alpha", "Gamma")}
        by_time = re.findall("Beta|Alpha|Gamma", owner.get("/admin/lookups/entity/?o=3").content.decode())
        assert by_time == ["Gamma", "Alpha", "Beta"]

    def test_look_through_the_newest_rows_and_further_back_when_asked_to(
        self, acme: Account, owner: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bounded, "SPAN", 3)
        times = [acme.created_at + timedelta(minutes=number) for number in range(8)]
        rows = [
            ask(acme, f"Company {letter}", "not_found", created_at=at)
            for letter, at in zip("ABCDEFGH", times, strict=True)
        ]

        def read(path: str) -> tuple[str, str]:
            page = owner.get(path).content.decode()
            link = re.search(r'href="([^"]+)">Look further back', page)
            return "".join(re.findall(r"Company (.)", page)), html.unescape(link[1]) if link else ""

        path = "/admin/lookups/lookup/"
        newest, link = read(path)
        older, further = read(path + link)
        assert (newest, older, read(path + further)) == ("HGF", "EDC", ("BA", ""))
        assert read(f"{path}?q={rows[0].public_id}") == ("A", "")  # an id is found among all
