"""The public form for removal and correction, and what operators make of it."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db import transaction
from django.test import Client
from django.utils import timezone

from billing.models import AuditEvent
from lookups.models import Entity, RemovalRequest, Suppression
from lookups.privacy import removal_requests, suppression
from lookups.tasks import prune
from tests.billing.conftest import set_once_somebody_waits
from tests.lookups.conftest import Customer

pytestmark = pytest.mark.django_db
FORM = {
    "kind": "removal",
    "about": "Blue Heron Logistics LLC, Delaware",
    "text": "My home address.",
    "name": "Ada Merrill",
    "email": "ada@example.test",
}
EVERYWHERE = {"state": "", "entity_id": ""}


@pytest.fixture
def stranger(settings: Any) -> Client:
    """A stranger from a network that nobody else has: what is counted of it is kept apart."""
    settings.TRUSTED_PROXIES = 1
    return Client(headers={"x-forwarded-for": f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"})


def send(stranger: Client, **more: str) -> Any:
    return stranger.post("/privacy/", FORM | more)


def keep(**more: Any) -> RemovalRequest:
    return removal_requests.receive(**{**FORM, "now": timezone.now(), **more})


class TestTheForm:
    """`/privacy/`."""

    def test_is_led_to_by_every_page_and_filled_in_by_the_entity_pages(self, tester: Customer) -> None:
        tester.lookup("Blue Heron Logistics LLC", "DE")
        address = Entity.objects.get().page_url
        assert f'href="/privacy/?about={address}"' in Client().get(address).content.decode()
        assert 'href="/privacy/"' in Client().get("/pricing/").content.decode()
        assert f'value="{address}"' in Client().get("/privacy/", {"about": address}).content.decode()

    def test_takes_a_request_without_an_account_and_tells_the_day(self, stranger: Client, tester: Customer) -> None:
        tester.lookup("Blue Heron Logistics LLC", "DE")
        entity = Entity.objects.get()
        sent = send(stranger, about=f"https://lookup.example.test{entity.page_url}")
        assert (sent.status_code, sent["Cache-Control"]) == (303, "no-store")
        kept = RemovalRequest.objects.get()
        assert (kept.entity, kept.state, kept.due_at - kept.received_at) == (entity, "open", timedelta(days=30))
        page: Any = stranger.get(sent["Location"])
        assert f"{kept.due_at:%B %Y}" in page.content.decode()
        assert "ada@example.test" not in page.content.decode()
        assert page["X-Robots-Tag"] == "noindex"

    @pytest.mark.parametrize("about", ["/entity/atlantis/blue-heron-de-1/", "/entity/delaware/never-read-de-1/", "x"])
    def test_about_what_is_no_page_here_is_kept_as_it_was_typed(self, stranger: Client, about: str) -> None:
        assert send(stranger, about=about).status_code == 303
        kept = RemovalRequest.objects.get()
        assert (kept.about, kept.entity) == (about, None)

    def test_sent_twice_is_one_request_until_it_is_answered(self, stranger: Client) -> None:
        """A program that tries again after an answer that was lost is not waited for twice."""
        first, again = send(stranger), send(stranger)
        assert first["Location"] == again["Location"]
        [kept] = RemovalRequest.objects.all()
        send(stranger, text="My office address.")
        assert RemovalRequest.objects.count() == 2
        removal_requests.close(request=kept, state="done", answer="Left out.", operator="x", now=timezone.now())
        send(stranger)
        assert RemovalRequest.objects.count() == 3

    @pytest.mark.parametrize(
        "more", [{"kind": "correction"}, {"name": "Jonas Peppercote"}, {"email": "jonas@example.test"}]
    )
    def test_of_somebody_else_or_for_something_else_is_kept_beside_it(
        self, stranger: Client, more: dict[str, str]
    ) -> None:
        """Two people of one company, in the same words: each waits for an answer."""
        assert send(stranger)["Location"] != send(stranger, **more)["Location"]
        assert RemovalRequest.objects.count() == 2

    def test_sent_again_after_its_answer_is_a_new_one_each_time(self, db: None) -> None:
        """Also when the answer before the last one is kept no longer."""
        day = timezone.now() - removal_requests.KEPT_FOR - timedelta(days=9)
        asked = []
        for number in range(3):
            asked.append(keep(now=day + timedelta(days=number)))
            how: dict[str, Any] = {"state": "refused", "answer": "No.", "operator": "x"}
            removal_requests.close(request=asked[-1], now=day + timedelta(days=5 * number), **how)
        assert len({one.pk for one in asked}) == 3
        assert removal_requests.prune(now=timezone.now()) == 2
        last = keep()
        assert (last.state, last.pk in {one.pk for one in asked}) == ("open", False)
        assert keep().pk == last.pk

    @pytest.mark.parametrize(
        "wrong",
        [
            {"kind": "everything"},
            {"email": "nobody"},
            {"email": "a@example.test\nBcc: b@example.test"},
            {"name": ""},
            {"text": "x" * 4001},
            {"about": "\u202e\u200b"},
            {"name": "n" * 201},
        ],
    )
    def test_keeps_nothing_of_what_cannot_be_read(self, stranger: Client, wrong: dict[str, str]) -> None:
        reply = send(stranger, **wrong)
        assert reply.status_code == 400
        assert 'role="alert"' in reply.content.decode()
        assert not RemovalRequest.objects.exists()

    def test_shows_what_was_typed_as_text(self, stranger: Client) -> None:
        evil = '"><script>alert(1)</script>'
        for page in (send(stranger, name=evil, email="x"), stranger.get("/privacy/", {"about": evil})):
            assert "<script>" not in page.content.decode()
            assert "default-src 'none'" in page["Content-Security-Policy"]

    def test_takes_no_sign_that_turns_a_line_around(self, stranger: Client) -> None:
        send(stranger, name="Ada \u202egnirts\u200b", text="One.\nTwo.")
        kept = RemovalRequest.objects.get()
        assert kept.name == "Ada gnirts"
        assert kept.text == "One.\nTwo."

    def test_takes_nothing_that_another_site_sends(self, db: None) -> None:
        assert Client(enforce_csrf_checks=True).post("/privacy/", FORM).status_code == 403
        assert not RemovalRequest.objects.exists()

    def test_takes_so_many_an_hour_from_one_network(self, stranger: Client) -> None:
        codes = [send(stranger, about=f"Company {number}") for number in range(21)]  # an hour may begin between
        full = next(reply for reply in codes if reply.status_code == 429)
        assert 1 <= int(full["Retry-After"]) <= 3600
        assert RemovalRequest.objects.count() <= 20

    def test_is_not_there_for_made_up_numbers(self, db: None) -> None:
        assert Client().get("/privacy/00000000-0000-0000-0000-000000000000/").status_code == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
@pytest.mark.usefixtures("on_postgres")
class TestTwoAtOnce:
    def test_of_the_same_form_are_one_request(self, at_once: Callable[..., list[Any]]) -> None:
        """The button was clicked twice: one of the two would have stayed open, and be overdue one day."""
        for number in range(10):
            kept = at_once(*[lambda about=f"Company {number}": keep(about=about)] * 6)
            assert len({one.pk for one in kept}) == 1
        assert RemovalRequest.objects.count() == 10

    def test_of_whom_one_answers_and_one_notes_something_for_later_leave_it_answered(
        self, admin_client: Client, at_once: Callable[..., list[Any]]
    ) -> None:
        """The note was saved over the answer: it stood open again, without who had answered it, and when."""
        kept, is_answered, may_go = keep(), threading.Event(), threading.Event()

        def answer() -> None:
            how = {"state": "done", "answer": "Left out.", "operator": "sam"}
            with transaction.atomic():
                removal_requests.close(request=kept, **how, now=timezone.now())
                is_answered.set()
                assert may_go.wait(60)

        def note() -> str:
            assert is_answered.wait(60)
            sent = {"state": "open", "answer": "Ask the state first."}
            page: Any = admin_client.post(f"/admin/lookups/removalrequest/{kept.pk}/change/", sent, follow=True)
            return str(page.content.decode())

        _, page, _ = at_once(answer, note, lambda: set_once_somebody_waits(may_go))
        assert "It was answered before: nothing was changed." in page
        kept.refresh_from_db()
        assert (kept.state, kept.answer, kept.handled_by) == ("done", "Left out.", "sam")


class TestAnOperator:
    """In the admin."""

    def test_sees_first_what_is_overdue(self, admin_client: Client) -> None:
        keep(about="Later Inc, NY")
        keep(about="Late Inc, NY", now=timezone.now() - timedelta(days=31))
        url = "/admin/lookups/removalrequest/"
        page = admin_client.get(url).content.decode()
        assert page.index("Late Inc") < page.index("Later Inc")
        assert len(re.findall(r">\s*overdue\s*<", page)) == 1
        late = admin_client.get(url, {"deadline": "overdue"}).content.decode()
        assert "Late Inc" in late
        assert "Later Inc" not in late

    def test_answers_once_and_with_words(self, admin_client: Client) -> None:
        kept = keep()
        url = f"/admin/lookups/removalrequest/{kept.pk}/change/"
        assert admin_client.post(url, {"state": "done", "answer": ""}).status_code == 200
        kept.refresh_from_db()
        assert kept.state == "open"
        assert admin_client.post(url, {"state": "done", "answer": "Left out."}).status_code == 302
        kept.refresh_from_db()
        assert (kept.state, kept.answer, kept.handled_by) == ("done", "Left out.", "admin")
        again: Any = admin_client.post(url, {"state": "refused", "answer": "No."}, follow=True)
        assert "It was answered before: nothing was changed." in again.content.decode()
        kept.refresh_from_db()
        assert (kept.state, kept.answer) == ("done", "Left out.")
        with pytest.raises(removal_requests.AlreadyAnswered):
            removal_requests.close(request=kept, state="refused", answer="No.", operator="x", now=timezone.now())

    def test_answers_the_one_that_is_open_and_no_other(self, admin_client: Client) -> None:
        kept, other = keep(), keep(about="Somebody else")
        admin_client.post(f"/admin/lookups/removalrequest/{kept.pk}/change/", {"state": "refused", "answer": "No."})
        other.refresh_from_db()
        assert (other.state, other.answer, other.handled_at) == ("open", "", None)

    def test_who_answers_at_the_same_moment_as_another_reads_that_and_leaves_no_trace(
        self, admin_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept, first = keep(), removal_requests.close

        def close(**named: Any) -> None:
            """Somebody else is a moment faster."""
            first(**{**named, "state": "done", "answer": "Left out.", "operator": "sam"})
            first(**named)

        monkeypatch.setattr(removal_requests, "close", close)
        url = f"/admin/lookups/removalrequest/{kept.pk}/change/"
        page: Any = admin_client.post(url, {"state": "refused", "answer": "No."}, follow=True)
        assert "It was answered before: nothing was changed." in page.content.decode()
        assert "was changed successfully" not in page.content.decode()
        assert not AuditEvent.objects.filter(subject__startswith="lookups.removalrequest").exists()

    def test_leaves_something_out_and_lifts_it_and_neither_changes_nor_deletes(self, admin_client: Client) -> None:
        asked = keep()
        entry = {"kind": "person", "state": "de", "person": "Ada Merrill", "reason": "Asked", "request": str(asked.pk)}
        add = "/admin/lookups/suppression/add/"
        assert admin_client.post(add, entry | {"person": ""}).status_code == 200
        assert admin_client.post(add, entry | {"state": "XX"}).status_code == 200
        assert not Suppression.objects.exists()
        assert admin_client.post(add, entry).status_code == 302
        kept = Suppression.objects.get()
        assert (kept.state, str(kept.made_by), kept.request) == ("DE", "admin", asked)
        change = f"/admin/lookups/suppression/{kept.pk}"
        assert admin_client.get(f"{change}/change/").status_code == 200
        assert admin_client.post(f"{change}/change/", entry | {"person": "B"}).status_code == 403
        assert admin_client.post(f"{change}/delete/", {"post": "yes"}).status_code == 403
        assert admin_client.get(f"{change}/lift/").status_code == 200
        assert Suppression.objects.active().exists()  # asked first
        assert admin_client.post(f"{change}/lift/").status_code == 302
        kept.refresh_from_db()
        assert str(kept.lifted_by) == "admin"
        again: Any = admin_client.post(f"{change}/lift/", follow=True)
        assert "was lifted before" in again.content.decode()

    def test_is_not_called_shown_again_while_another_entry_leaves_it_out(self, admin_client: Client) -> None:
        """Made by a second click, or by somebody else for another letter."""
        form = {"kind": "person", "person": "Ada Merrill", "state": "", "entity_id": "", "field": "", "reason": "r"}
        for _ in range(2):
            assert admin_client.post("/admin/lookups/suppression/add/", form).status_code == 302
        first, second = Suppression.objects.order_by("pk")
        words = []
        for one in (first, second):
            page: Any = admin_client.post(f"/admin/lookups/suppression/{one.pk}/lift/", follow=True)
            text = page.content.decode()
            words.append(("another entry is in force" in text, "is shown again once its registry" in text))
        assert words == [(True, False), (False, True)]

    @pytest.mark.parametrize(
        ("lifted", "other", "is_out"),
        [
            (
                {"kind": "person", "person": "Ada Merrill"},
                {"kind": "person", "person": "ADA MERRILL", **EVERYWHERE},
                True,
            ),
            ({"kind": "field", "field": "officers"}, {"kind": "company"}, True),
            ({"kind": "person", "person": "Ada Merrill"}, {"kind": "company"}, True),
            ({"kind": "person", "person": "Ada Merrill"}, {"kind": "person", "person": "Jonas Peppercote"}, False),
            (
                {"kind": "field", "field": "registeredAgentAddress"},
                {"kind": "field", "field": "registeredAgentName"},
                True,
            ),
            (
                {"kind": "field", "field": "registeredAgentName"},
                {"kind": "field", "field": "registeredAgentAddress"},
                False,
            ),
            ({"kind": "field", "field": "officers"}, {"kind": "field", "field": "mailingAddress"}, False),
            ({"kind": "field", "field": "officers"}, {"kind": "field", "field": "registeredAgentName"}, False),
            ({"kind": "company"}, {"kind": "field", "field": "officers"}, False),
            ({"kind": "person", "person": "Ada Merrill", **EVERYWHERE}, {"kind": "company"}, False),
            ({"kind": "company"}, {"kind": "company", "entity_id": "8"}, False),
        ],
    )
    def test_hears_of_an_entry_that_leaves_out_more_as_well(
        self, db: None, lifted: dict[str, str], other: dict[str, str], is_out: bool
    ) -> None:
        """They would write to somebody that it is shown again, and it is not."""
        here = {"state": "DE", "entity_id": "7"}
        one, two = (
            suppression.add(Suppression(reason="r", **here | what), operator=None, now=timezone.now())
            for what in (lifted, other)
        )
        suppression.lift(one, operator=None, now=timezone.now())
        assert suppression.is_kept_out(one) is is_out
        suppression.lift(two, operator=None, now=timezone.now())
        assert not suppression.is_kept_out(one)

    def test_leaves_out_of_a_company_that_nobody_has_read_and_says_so(
        self, admin_client: Client, tester: Customer
    ) -> None:
        """A number that is spelled otherwise than its registry does leaves nothing out."""
        tester.lookup("Blue Heron Logistics LLC", "DE")
        known = Entity.objects.get().entity_id
        add, hint = "/admin/lookups/suppression/add/", "No company of this number was ever read in DE"
        for number, is_hinted in ((known, False), (f"{known} ", False), ("SB 1", True)):
            entry = {"kind": "company", "state": "de", "entity_id": number, "reason": "Asked"}
            page: Any = admin_client.post(add, entry, follow=True)
            assert (hint in page.content.decode()) is is_hinted, number
        assert Suppression.objects.count() == 3
        person = {"kind": "person", "state": "", "person": "Ada Merrill", "reason": "Asked"}
        page = admin_client.post(add, person, follow=True)
        assert "was ever read" not in page.content.decode()

    def test_needs_the_right_to_each(self, client: Client, django_user_model: Any) -> None:
        client.force_login(django_user_model.objects.create_user("v", password="v", is_staff=True))
        for path in ("removalrequest/", "suppression/", "suppression/add/"):
            assert client.get(f"/admin/lookups/{path}").status_code == 403


class TestUpkeep:
    """By the clock."""

    def test_forgets_what_was_answered_years_ago(self, db: None) -> None:
        now = timezone.now()
        for days in (1, removal_requests.KEPT_FOR.days + 1):
            kept = keep(about=f"{days}", now=now - timedelta(days=days))
            closed = now - timedelta(days=days)
            removal_requests.close(request=kept, state="done", answer="Done.", operator="x", now=closed)
        waits = keep(now=now - timedelta(days=5000))
        prune()
        assert {one.about for one in RemovalRequest.objects.all()} == {"1", waits.about}

    def test_forgets_it_in_the_history_of_the_admin_as_well(self, admin_client: Client) -> None:
        """Which names each object as it was; what was not answered so long ago keeps its line."""
        old, young = keep(about="Ada Merrill, Dover"), keep(about="Blue Heron")
        for one in (old, young):
            admin_client.post(
                f"/admin/lookups/removalrequest/{one.pk}/change/", {"state": "done", "answer": "Left out."}
            )
        RemovalRequest.objects.filter(pk=old.pk).update(
            handled_at=timezone.now() - removal_requests.KEPT_FOR - timedelta(days=1)
        )
        assert removal_requests.prune(now=timezone.now()) == 1
        lines = dict(LogEntry.objects.values_list("object_id", "object_repr"))
        assert lines == {str(old.pk): "", str(young.pk): "Leave something out: Blue Heron"}

    def test_forgets_sessions_that_have_ended(self, db: None) -> None:
        now = timezone.now()
        for name, hours in (("over", -1), ("open", 1)):
            Session.objects.create(session_key=name, session_data="", expire_date=now + timedelta(hours=hours))
        prune()
        assert [one.session_key for one in Session.objects.all()] == ["open"]
