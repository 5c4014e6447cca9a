"""What an operator sees and may do with the states, in the admin."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from billing.models import AuditEvent
from jurisdictions import selectors, services
from jurisdictions.admin import JurisdictionForm
from jurisdictions.models import SwitchChange
from scrapers.models import Breaker, ScrapeAttempt


@pytest.fixture
def operator(switches: None) -> Client:
    user = get_user_model().objects.create_superuser("operator", password="a-long-enough-password")
    client = Client()
    client.force_login(user)
    return client


def switch(code: str) -> str:
    return f"/admin/jurisdictions/jurisdiction/{code}/switch/"


@pytest.mark.django_db
class TestAJurisdictionsSwitch:
    """Its page in the admin."""

    def test_stands_beside_what_the_portal_says_of_programs(self, operator: Client) -> None:
        page = operator.get("/admin/jurisdictions/jurisdiction/KS/change/").content.decode()
        assert "robots.txt" in page.casefold()
        assert "Terms for automated search" in page
        assert "captcha" in page.casefold()

    def test_turns_a_state_off_with_the_reason_customers_read(self, operator: Client) -> None:
        operator.post(switch("NY"), {"to": "off", "sentence": "Maintenance until noon", "why": ""})
        row = selectors.get_jurisdiction("NY")
        assert (row.enabled, row.status, row.reason) == (False, "inactive", "Maintenance until noon")

    def test_wants_a_reason_for_turning_it_off(self, operator: Client) -> None:
        answer = operator.post(switch("NY"), {"to": "off", "sentence": ""})
        assert "This field is required" in answer.content.decode()
        operator.post("/admin/jurisdictions/jurisdiction/NY/change/", {"reason": "", "note": "", "enabled": ""})
        assert selectors.get_jurisdiction("NY").enabled
        assert not SwitchChange.objects.exists()

    def test_turns_a_state_on(self, operator: Client) -> None:
        operator.post(switch("KS"), {"to": "on", "why": "tried"})
        row = selectors.get_jurisdiction("KS")
        assert (row.enabled, row.status, row.reason) == (True, "active", "")

    def test_of_a_portal_whose_terms_forbid_programs_wants_to_know_what_allows_it(self, operator: Client) -> None:
        had = selectors.get_jurisdiction("NE").reason
        page = operator.get(switch("NE")).content.decode()
        assert "The use policy forbids robots without written permission." in page
        assert "This field is required" in operator.post(switch("NE"), {"to": "on", "why": ""}).content.decode()
        assert not selectors.get_jurisdiction("NE").enabled
        operator.post(switch("NE"), {"to": "on", "why": "Their letter of 3 May"})
        kept = SwitchChange.objects.get()
        assert selectors.get_jurisdiction("NE").enabled
        assert (kept.why, kept.operator, kept.sentence) == ("Their letter of 3 May", "operator", had)
        assert kept.terms.startswith("forbidden")

    def test_keeps_every_reason_through_every_turn(self, operator: Client) -> None:
        operator.post(switch("NY"), {"to": "off", "sentence": "They move this week.", "why": "ticket 7"})
        operator.post(switch("NY"), {"to": "on", "why": ""})
        kept = list(SwitchChange.objects.values_list("enabled", "sentence", "why"))
        assert kept == [(True, "They move this week.", ""), (False, "They move this week.", "ticket 7")]
        page = operator.get("/admin/jurisdictions/jurisdiction/NY/change/").content.decode()
        assert page.count("They move this week.") == 2
        assert "ticket 7" in page
        assert "NY off by operator" not in page, "a title over each row repeats its columns"

    def test_is_not_turned_back_by_whoever_still_sees_the_other_position(self, operator: Client) -> None:
        for _ in range(2):
            page: Any = operator.post(switch("NY"), {"to": "off", "sentence": "Maintenance", "why": ""}, follow=True)
        assert "New York was switched off before: nothing was changed." in page.content.decode()
        assert not selectors.get_jurisdiction("NY").enabled
        assert SwitchChange.objects.count() == 1

    def test_stays_off_though_a_note_was_on_its_way_when_somebody_turned_it(
        self, operator: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checks = JurisdictionForm.clean

        def turned_meanwhile(form: JurisdictionForm) -> Any:
            services.disable(code="NY", reason="It must stop at once.")
            return checks(form)

        monkeypatch.setattr(JurisdictionForm, "clean", turned_meanwhile)
        sent = {"note": "Their office closes at five."} | {
            f"switch_changes-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")
        }
        operator.post("/admin/jurisdictions/jurisdiction/NY/change/", sent)
        row = selectors.get_jurisdiction("NY")
        assert (row.enabled, row.status, row.reason) == (False, "inactive", "It must stop at once.")
        assert row.note == "Their office closes at five."

    def test_is_shown_for_all_in_one_list(self, operator: Client) -> None:
        page = operator.get("/admin/jurisdictions/jurisdiction/").content.decode()
        assert "New York" in page
        assert "unsupported" in page

    def test_is_not_for_staff_without_the_permission(self, switches: None) -> None:
        user = get_user_model().objects.create_user("reader", password="a-long-enough-password", is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="view_jurisdiction"))
        client = Client()
        client.force_login(user)
        assert client.post(switch("NY"), {"to": "off", "sentence": "no"}).status_code == 403
        assert selectors.get_jurisdiction("NY").enabled


@pytest.mark.django_db
class TestABreaker:
    """Its list in the admin."""

    def test_that_is_closed_by_hand_leaves_who_did_it(self, operator: Client) -> None:
        now = timezone.now()
        Breaker.objects.create(state="NY", reason="blocked", open_until=now + timedelta(hours=1), changed_at=now)
        operator.post("/admin/scrapers/breaker/", {"action": "ask_again", "_selected_action": "NY"})
        kept = AuditEvent.objects.get(subject="scrapers.breaker NY")
        assert (kept.actor, kept.detail) == ("operator", "Change: To be asked again at once.")


@pytest.mark.django_db
class TestAttempts:
    """Their list in the admin."""

    def test_show_scraped_text_escaped(self, operator: Client) -> None:
        attempt = ScrapeAttempt.objects.create(
            state="NY",
            kind="business_entity",
            question="<script>alert(1)</script>",
            outcome="down",
            duration_ms=5,
            version="1.0",
            started_at=timezone.now(),
            stages=[{"name": "x", "ms": 1, "detail": "<b>"}],
        )
        for address in ("", f"{attempt.pk}/change/"):
            page = operator.get(f"/admin/scrapers/scrapeattempt/{address}")
            assert page.status_code == 200
            assert "<script>alert(1)" not in page.content.decode()

    def test_can_not_be_edited_or_deleted(self, operator: Client) -> None:
        assert operator.get("/admin/scrapers/scrapeattempt/add/").status_code == 403
