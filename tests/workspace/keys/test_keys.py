"""An admin of the account looks after its keys: makes, renames, limits, rotates and revokes them."""

from __future__ import annotations

import html
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import customer_keys, keys
from billing.models import ApiKey, AuditEvent
from lookups import selectors as states
from tests.workspace.conftest import Browser, open_office
from tests.workspace.people import read_form

pytestmark = pytest.mark.django_db
LIST = "/app/keys/"
SECRET = re.compile(r"osd_(?:test_)?[a-z2-7]{32}")


def page(browser: Client, path: str = LIST, status: int = 200) -> str:
    answer = browser.get(path)
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def make(browser: Client, **filled: Any) -> Any:
    return browser.post(f"{LIST}new/", {"name": "server", "mode": "live", **filled})


def secret_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return SECRET.findall(answer.content.decode())[0]


def works(secret: str) -> bool:
    return bool(Client().get("/v1/account/balance", headers={"x-api-key": secret}).status_code == 200)


def issued(browser: Browser, **named: Any) -> ApiKey:
    return keys.issue(account=browser.account, now=timezone.now(), **{"name": "server"} | named)[0]


class TestTheList:
    def test_of_an_account_without_keys_names_one_next_step(self, office: Browser) -> None:
        text = page(office)
        assert "No keys yet" in text
        assert "/app/keys/new/" in text

    def test_tells_live_test_and_ended_keys_apart(self, office: Browser) -> None:
        issued(office, name="nightly import", scopes=["bulk"], allowed_networks=["192.0.2.0/24"])
        issued(office, name="developer", mode="test")
        old = issued(office, name="old one")
        keys.revoke(key=old, now=timezone.now())
        text = page(office)
        live, test, ended = (text.index(head) for head in ("Live keys", "Test keys", "Ended keys (1)"))
        assert live < text.index("nightly import") < test < text.index("developer") < ended < text.index("old one")
        assert "192.0.2.0/24" in text
        assert (text.count("Active"), text.count("Revoked"), text.count("Ending")) == (2, 1, 0)

    def test_never_has_the_workspaces_own_key(self, office: Browser) -> None:
        issued(office)
        page(office)
        own = ApiKey.objects.get(is_workspace=True)
        text = page(office)
        assert own.public_id not in text
        for path in ("", "rotate/", "revoke/"):
            page(office, f"{LIST}{own.public_id}/{path}", 404)

    def test_in_the_sandbox_has_test_keys_alone(self, office: Browser) -> None:
        live = issued(office, name="nightly import")
        issued(office, name="developer", mode="test")
        office.work_in("sandbox")
        text = page(office)
        assert "developer" in text
        assert "nightly import" not in text
        page(office, f"{LIST}{live.public_id}/", 404)

    def test_goes_on_after_two_hundred(self, office: Browser) -> None:
        now = timezone.now()
        for number in range(201):
            ApiKey.objects.create(
                account=office.account,
                name=f"key {number}.",
                prefix="osd_",
                secret_hash=f"{number}",
                created_at=now,
                revoked_at=now,
            )
        text = page(office)
        assert "key 200." in text
        assert "key 0." not in text
        older = re.search(r'href="(\?before=\d+)"', text)
        assert older
        assert "key 0." in page(office, f"{LIST}{older[1]}")

    def test_shows_hostile_names_as_text(self, office: Browser) -> None:
        key = issued(office, name="<script>alert(1)</script>\u202egpj.exe")
        for path in ("", f"{key.public_id}/", f"{key.public_id}/rotate/", f"{key.public_id}/revoke/"):
            content = office.get(f"{LIST}{path}").content.decode()
            assert "<script>alert" not in content
            assert "<bdi>&lt;script&gt;" in content

    def test_is_for_admins(self, clerk: Browser, viewer: Browser) -> None:
        for path in (LIST, f"{LIST}new/"):
            assert clerk.get(path).status_code == viewer.get(path).status_code == 403
            assert Client().get(path).status_code == 302
        assert make(clerk).status_code == 403
        assert not ApiKey.objects.of_programs().exists()


class TestANewKey:
    def test_works_and_its_secret_is_shown_this_once(self, office: Browser) -> None:
        answer = make(office, name="nightly import")
        secret = secret_of(answer)
        assert works(secret)
        assert "no-store" in answer["Cache-Control"]
        key = ApiKey.objects.of_programs().get()
        assert secret not in page(office) + page(office, f"{LIST}{key.public_id}/")

    @pytest.mark.parametrize("mode", ["live", "test"])
    def test_is_tried_with_a_question_that_is_answered(self, office: Browser, mode: str) -> None:
        text = html.unescape(make(office, mode=mode).content.decode())
        able = {one["state"] for one in states.list_states() if one["available"]}
        asked = re.search(r'"entity_name": "([^"]+)", "state": "(..)"', text)
        assert asked
        assert (asked[1] == "Blue Heron Logistics LLC") is (mode == "test")  # no registry but the sandbox has it
        assert mode == "test" or asked[2] in able
        assert ("for 0.0314 USD if it answers" in text) is (mode == "live")

    def test_has_what_was_filled_in(self, office: Browser) -> None:
        filled = {
            "scopes": ["lookup", "bulk"],
            "expires": "2199-12-31",
            "allowed_networks": "192.0.2.0/24\n2001:db8::1",
            "monthly_budget": "31.4",
        }
        secret_of(make(office, **filled))
        key = ApiKey.objects.of_programs().get()
        assert (key.scopes, key.mode, key.monthly_budget) == (["bulk", "lookup"], "live", 314_000)
        assert key.allowed_networks == ["192.0.2.0/24", "2001:db8::1/128"]
        assert key.expires_at
        assert key.expires_at.isoformat() == "2199-12-31T00:00:00+00:00"

    @pytest.mark.parametrize("path", ["new/", "{key}/rotate/"])
    def test_is_one_by_the_form_of_its_page_that_is_sent_twice(self, office: Browser, path: str) -> None:
        key = issued(office)
        path = LIST + path.format(key=key.public_id)
        sent = {**read_form(office.get(path)), "name": "other", "mode": "live", "overlap": "3600"}
        secret_of(office.post(path, sent))
        assert "created before" in office.post(path, sent).content.decode()
        assert ApiKey.objects.of_programs().exclude(pk=key.pk).count() == 1

    def test_sent_twice_is_one_key_and_says_no_secret_again(self, office: Browser) -> None:
        named = f"{uuid.uuid4()}"
        secret_of(make(office, named=named))
        again = make(office, named=named)
        assert again.status_code == 200
        assert "created before" in again.content.decode()
        assert not SECRET.findall(again.content.decode())
        assert ApiKey.objects.of_programs().count() == 1

    @pytest.mark.parametrize(
        ("filled", "sentence"),
        [
            ({"name": ""}, "required"),
            ({"name": "x" * 101}, "at most 100"),
            ({"mode": "nonsense"}, "valid choice"),
            ({"scopes": ["everything"]}, "valid choice"),
            ({"scopes": ["lookup", "reconcile"]}, "Choose reconcile alone"),
            ({"expires": "2020-01-01"}, "Choose a future day"),
            ({"allowed_networks": "192.0.2.7/24"}, "an address within a network"),
            ({"allowed_networks": "\n".join(["192.0.2.0/24"] * 21)}, "At most 20"),
            ({"monthly_budget": "-1"}, "greater than or equal to 0"),
            ({"monthly_budget": "0.00001"}, "decimal places"),
            ({"mode": "test", "monthly_budget": "1"}, "spends nothing"),
            ({"named": "no-uuid"}, "New key"),
        ],
    )
    def test_that_is_filled_in_wrongly_is_not_made(
        self, office: Browser, filled: dict[str, Any], sentence: str
    ) -> None:
        answer = make(office, **filled)
        assert answer.status_code == 400
        assert sentence in html.unescape(answer.content.decode())
        assert not ApiKey.objects.of_programs().exists()

    def test_is_one_of_fifty_at_most(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(customer_keys, "MOST_KEYS", 1)
        secret_of(make(office))
        answer = make(office)
        assert answer.status_code == 400
        assert b"At most 1 keys" in answer.content

    def test_made_in_the_sandbox_is_a_test_key(self, office: Browser) -> None:
        office.work_in("sandbox")
        assert make(office, mode="live").status_code == 400
        assert secret_of(make(office, mode="test")).startswith("osd_test_")

    def test_is_in_the_audit_log_with_who_made_it(self, office: Browser) -> None:
        make(office, monthly_budget="1")
        made, limited = AuditEvent.objects.filter(kind__in=["key_issued", "budget_set"]).order_by("id")
        assert (made.kind, limited.kind) == ("key_issued", "budget_set")
        assert made.actor == limited.actor == str(office.member)
        assert "1.0000 USD a month" in limited.detail


class TestAKeyInUse:
    def test_is_renamed_and_limited(self, office: Browser) -> None:
        key = issued(office)
        answer = office.post(f"{LIST}{key.public_id}/", {"name": "weekly import", "monthly_budget": "0.0314"})
        assert answer.status_code == 302
        key.refresh_from_db()
        assert (key.name, key.monthly_budget) == ("weekly import", 314)
        office.post(f"{LIST}{key.public_id}/", {"name": "weekly import", "monthly_budget": ""})
        key.refresh_from_db()
        assert key.monthly_budget is None

    def test_keeps_the_budget_that_somebody_has_set_since_the_page_was_shown(self, office: Browser) -> None:
        key = issued(office)
        shown = read_form(office.get(f"{LIST}{key.public_id}/"))
        theirs = read_form(office.get(f"{LIST}{key.public_id}/"))
        office.post(f"{LIST}{key.public_id}/", theirs | {"monthly_budget": "3"})
        office.post(f"{LIST}{key.public_id}/", shown | {"name": "weekly import"})
        key.refresh_from_db()
        assert (key.name, key.monthly_budget) == ("weekly import", 30_000)

    def test_shares_its_budget_with_its_successor(self, office: Browser) -> None:
        old = issued(office)
        new, _ = keys.rotate(key=old, grace=timedelta(days=1), now=timezone.now())
        office.post(f"{LIST}{new.public_id}/", {"name": "server", "monthly_budget": "3"})
        assert set(ApiKey.objects.of_programs().values_list("monthly_budget", flat=True)) == {30_000}

    def test_keeps_its_rights(self, office: Browser) -> None:
        key = issued(office, scopes=["bulk"])
        office.post(f"{LIST}{key.public_id}/", {"name": "server", "scopes": ["lookup"], "allowed_networks": ""})
        key.refresh_from_db()
        assert key.scopes == ["bulk"]

    def test_of_test_mode_has_no_budget(self, office: Browser) -> None:
        key = issued(office, mode="test")
        assert "monthly_budget" not in page(office, f"{LIST}{key.public_id}/")
        office.post(f"{LIST}{key.public_id}/", {"name": "developer", "monthly_budget": "3"})
        key.refresh_from_db()
        assert (key.name, key.monthly_budget) == ("developer", None)

    def test_that_has_ended_is_changed_no_more(self, office: Browser) -> None:
        key = issued(office)
        keys.revoke(key=key, now=timezone.now())
        answer = office.post(f"{LIST}{key.public_id}/", {"name": "other"})
        assert answer.status_code == 400
        key.refresh_from_db()
        assert key.name == "server"

    def test_of_another_account_is_not_there(self, office: Browser) -> None:
        theirs = issued(open_office(name="Another", email="eve@else.test"))
        for path in ("", "rotate/", "revoke/"):
            assert office.get(f"{LIST}{theirs.public_id}/{path}").status_code == 404
            assert office.post(f"{LIST}{theirs.public_id}/{path}", {"name": "mine", "overlap": "0"}).status_code == 404
        theirs.refresh_from_db()
        assert (theirs.name, theirs.revoked_at) == ("server", None)


class TestRotating:
    def test_asks_how_long_and_shows_the_successors_secret(self, office: Browser) -> None:
        first = secret_of(make(office, scopes=["account"]))
        old = ApiKey.objects.of_programs().get()
        assert "keeps working for" in page(office, f"{LIST}{old.public_id}/rotate/")
        second = secret_of(office.post(f"{LIST}{old.public_id}/rotate/", {"overlap": "3600"}))
        assert works(first)
        assert works(second)
        old.refresh_from_db()
        assert old.revoked_at
        assert timedelta(minutes=59) < old.revoked_at - timezone.now() < timedelta(minutes=61)
        assert "Ending" in page(office)

    def test_without_overlap_ends_the_old_key_at_once(self, office: Browser) -> None:
        first = secret_of(make(office))
        old = ApiKey.objects.of_programs().get()
        second = secret_of(office.post(f"{LIST}{old.public_id}/rotate/", {"overlap": "0"}))
        assert (works(first), works(second)) == (False, True)

    def test_is_done_once(self, office: Browser) -> None:
        key = issued(office)
        named = f"{uuid.uuid4()}"
        path = f"{LIST}{key.public_id}/rotate/"
        secret_of(office.post(path, {"overlap": "3600", "named": named}))
        assert "created before" in office.post(path, {"overlap": "3600", "named": named}).content.decode()
        third = office.post(path, {"overlap": "3600", "named": f"{uuid.uuid4()}"})
        assert third.status_code == 400
        assert "already rotated or revoked" in third.content.decode()
        assert ApiKey.objects.of_programs().count() == 2

    def test_takes_no_other_overlap_than_is_offered(self, office: Browser) -> None:
        key = issued(office)
        assert office.post(f"{LIST}{key.public_id}/rotate/", {"overlap": "99999999"}).status_code == 400
        key.refresh_from_db()
        assert key.revoked_at is None


class TestRevoking:
    def test_is_asked_first_and_done_by_a_second_click(self, office: Browser) -> None:
        secret = secret_of(make(office))
        key = ApiKey.objects.of_programs().get()
        assert "cannot be undone" in page(office, f"{LIST}{key.public_id}/revoke/")
        assert works(secret)
        assert office.post(f"{LIST}{key.public_id}/revoke/").status_code == 302
        assert not works(secret)
        assert "Ended keys (1)" in page(office)

    def test_ends_the_last_key_as_well_for_people_make_another(self, office: Browser) -> None:
        key = issued(office)
        office.post(f"{LIST}{key.public_id}/revoke/")
        key.refresh_from_db()
        assert not key.works_at(timezone.now())
        assert works(secret_of(make(office)))

    def test_by_a_program_still_leaves_the_last_one(self, office: Browser) -> None:
        secret = secret_of(make(office))
        key = ApiKey.objects.of_programs().get()
        answer = Client().delete(f"/v1/keys/{key.public_id}", headers={"x-api-key": secret})
        assert (answer.status_code, answer.json()["code"]) == (409, "last_key")
