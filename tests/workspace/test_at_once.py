"""What two clicks at the same moment come to."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from billing import keys
from billing.members import addresses, arrival, links, sessions, team
from billing.models import Account, ApiKey, Member, MemberSession, SignInLink
from lookups.lookup import rows, settlement
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import NothingFound
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Lookup
from tests.billing.conftest import count_waiting, somebody_waits
from tests.lookups.messages import wait_for
from tests.sign_in.people import new_address
from tests.workspace.conftest import Browser, join, open_office
from tests.workspace.entrance.test_passkeys import Device, add_key, sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def wait_until_somebody_waits() -> None:
    """Until another transaction waits for what this one holds."""
    wait_for(somebody_waits)


class TestTwoAtOnce:
    """The same click twice, or the same person in two browsers."""

    def test_use_one_link_once(self, on_postgres: None, at_once: Any) -> None:
        _, token = links.make(email="ada@quay.test", then="", now=timezone.now())
        used = at_once(*[lambda: links.use(token, now=timezone.now())] * 4)
        assert sum(link is not None for link in used) == 1

    def test_use_two_links_once_each_waiting_for_the_other_in_one_order(self, on_postgres: None, at_once: Any) -> None:
        """Each had its own link and waited for the other's: one of the two clicks ended in an error."""
        now, held = timezone.now(), threading.Event()
        (first, older), (_, newer) = (links.make(email="ada@quay.test", then="", now=now) for _ in range(2))

        def use_older() -> Any:
            with transaction.atomic():
                SignInLink.objects.select_for_update().get(pk=first.pk)
                held.set()
                wait_until_somebody_waits()
                return links.use(older, now=now)

        def use_newer() -> Any:
            assert held.wait(60)
            with transaction.atomic():
                return links.use(newer, now=now)

        assert at_once(use_older, use_newer) == [first, None]

    def test_open_one_account(self, on_postgres: None, at_once: Any) -> None:
        def come() -> Any:
            now = timezone.now()
            return arrival.arrive(email="ada@quay.test", invitation_id=None, network=new_address(), now=now)

        came = at_once(*[come] * 4)
        assert len({one.member.pk for one in came}) == 1
        assert (Account.objects.count(), User.objects.count()) == (1, 1)
        assert Account.objects.get().available == 3140

    def test_take_the_place_that_waits_for_them(self, on_postgres: None, at_once: Any) -> None:
        owner = open_office().member
        place = team.invite(by=owner, email="eve@quay.test", role="viewer", now=timezone.now())

        def come() -> Any:
            now = timezone.now()
            return arrival.arrive(email="eve@quay.test", invitation_id=place.pk, network=new_address(), now=now)

        came = at_once(*[come] * 4)
        assert {(one.member.account_id, one.member.role) for one in came} == {(owner.account_id, "viewer")}
        assert Member.objects.filter(user__email="eve@quay.test").count() == 1


class TestTwoOwners:
    def test_do_not_both_remove_each_other(self, on_postgres: None, at_once: Any) -> None:
        first = open_office().member
        second = join(first.account, "owner", "eve@quay.test")

        def remove(by: Member, other: Member) -> bool:
            try:
                team.remove(by=by, member_id=other.pk, now=timezone.now())
            except team.NotAllowed:
                return False
            return True

        assert sum(at_once(lambda: remove(first, second), lambda: remove(second, first))) == 1
        assert Member.objects.filter(role="owner").count() == 1


class TestAMemberWhoSignsIn:
    def test_is_removed_at_the_same_moment_and_is_out(self, on_postgres: None, at_once: Any) -> None:
        """Each waited for what the other had: the owner's click was the one that failed, and the member was in."""
        owner, now = open_office().member, timezone.now()
        user = User.objects.create(username=addresses.name_of("eve@quay.test"), email="eve@quay.test", password="!")
        eve = Member.objects.create(user=user, account=owner.account, role="member", joined_at=now)
        _, token = links.make(email="eve@quay.test", then="", now=now)
        used = threading.Event()

        def come() -> None:
            with transaction.atomic():
                assert links.use(token, now=now)
                used.set()
                wait_until_somebody_waits()
                came = arrival.arrive(email="eve@quay.test", invitation_id=None, network=new_address(), now=now)
                sessions.begin(member=came.member, address="", browser="", now=now)

        def remove() -> None:
            assert used.wait(60)
            team.remove(by=owner, member_id=eve.pk, now=now)

        at_once(come, remove)
        assert list(Member.objects.all()) == [owner]
        assert not User.objects.filter(pk=user.pk).exists()

    def test_is_not_forgotten_by_a_removal_that_broke_off_before(self, on_postgres: None, at_once: Any) -> None:
        """The clock saw nobody's address, and took it from under the account that was opened with it."""
        User.objects.create(username=addresses.name_of("eve@quay.test"), email="eve@quay.test", password="!")
        _, token = links.make(email="eve@quay.test", then="", now=timezone.now())
        used = threading.Event()

        def come() -> None:
            with transaction.atomic():
                assert links.use(token, now=timezone.now())
                used.set()
                wait_until_somebody_waits()
                arrival.arrive(email="eve@quay.test", invitation_id=None, network=new_address(), now=timezone.now())

        def forget() -> None:
            assert used.wait(60)
            team.prune(now=timezone.now())

        at_once(come, forget)
        assert Member.objects.get().user.email == "eve@quay.test"


class TestAMemberWhoIsRemoved:
    """Somebody is removed while other things of theirs are under way."""

    def test_while_their_lookup_ends_fails_neither(self, on_postgres: None, at_once: Any, switches: None) -> None:
        """The lookup's end had its row and waited for the account, and the removal the other way round."""
        owner, now = open_office().member, timezone.now()
        eve = join(owner.account, "member", "eve@quay.test")
        key = keys.get_workspace_key(account=owner.account, livemode=True, now=now)
        ask = Ask(question=Question(state="NY", name="Acme Corp"), payer=KeyPayer(key), asked_by_id=eve.user_id)
        lookup, ends = rows.draft(ask, now=now), threading.Event()
        rows.accept(ask, lookup, now=now, hold_for=timedelta(minutes=10))

        def end() -> None:
            with transaction.atomic():
                Lookup.objects.select_for_update(no_key=True).get(pk=lookup.pk)
                ends.set()
                wait_until_somebody_waits()
                settlement.end(ask, lookup, NothingFound(), stopwatch=Stopwatch(now))

        def remove() -> None:
            assert ends.wait(60)
            team.remove(by=owner, member_id=eve.pk, now=now)

        at_once(end, remove)
        lookup.refresh_from_db()
        assert (lookup.verdict, lookup.asked_by_id) == ("not_found", None)
        assert not User.objects.filter(pk=eve.user_id).exists()
        assert Account.objects.get().held == 0

    def test_while_somebody_else_signs_up_in_their_browser_fails_neither(self, on_postgres: None, at_once: Any) -> None:
        """The arrival had the audit log and waited for their session, and the removal the other way round."""
        owner = open_office()
        eve = Browser(join(owner.account, "member", "eve@quay.test"))
        _, token = links.make(email="bob@harbor.test", then="", now=timezone.now())
        blocked, removes, both_wait = (threading.Event() for _ in range(3))

        def block() -> None:  # so that the removal has come to the session before the arrival goes on
            with transaction.atomic():
                MemberSession.objects.select_for_update().get(member=eve.member)
                blocked.set()
                assert both_wait.wait(60)

        def remove() -> None:
            assert blocked.wait(60)
            team.remove(by=owner.member, member_id=eve.member.pk, now=timezone.now())

        def come() -> int:
            assert removes.wait(60)
            return eve.post(f"/app/sign-in/{token}/").status_code

        def watch() -> None:
            for number, event in ((1, removes), (2, both_wait)):
                wait_for(lambda number=number: count_waiting() == number)
                event.set()

        assert at_once(block, remove, come, watch)[2] == 200
        assert set(Member.objects.values_list("user__email", flat=True)) == {"ada@quay.test", "bob@harbor.test"}
        assert not MemberSession.objects.filter(member=eve.member.pk).exists()

    def remove_while(self, owner: Browser, eve: Browser, act: Any, at_once: Any) -> Any:
        """What the act comes to that begins while the removal is not through yet, and waits for it."""
        removed = threading.Event()

        def remove() -> None:
            with transaction.atomic():
                team.remove(by=owner.member, member_id=eve.member.pk, now=timezone.now())
                removed.set()
                wait_until_somebody_waits()

        def begin() -> Any:
            assert removed.wait(60)
            return act()

        _, reply = at_once(remove, begin)
        assert not User.objects.filter(pk=eve.user.pk).exists()
        return reply

    def test_while_they_sign_in_by_passkey_is_not_let_in(self, on_postgres: None, at_once: Any) -> None:
        owner, device = open_office(), Device()
        eve = Browser(join(owner.account, "member", "eve@quay.test"))
        add_key(eve, device)
        reply = self.remove_while(owner, eve, lambda: sign_in(Client(), device, eve.user), at_once)
        assert (reply.status_code, "does not belong to any account here" in reply.content.decode()) == (403, True)
        assert not MemberSession.objects.exclude(member=owner.member).exists()

    def test_while_they_add_a_passkey_has_none(self, on_postgres: None, at_once: Any) -> None:
        owner = open_office()
        eve = Browser(join(owner.account, "member", "eve@quay.test"))
        options = eve.get("/app/settings/passkeys/options/").json()
        form = {"name": "Blue one", "credential": Device().create(options)}
        reply = self.remove_while(owner, eve, lambda: eve.post("/app/settings/passkeys/", form), at_once)
        assert (reply.status_code, reply["Location"]) == (302, "/app/settings/")

    def test_while_they_take_another_place_keeps_it_waiting(self, on_postgres: None, at_once: Any) -> None:
        owner, other = open_office(), open_office("Harbor Filings", "bea@harbor.test")
        eve = Browser(join(owner.account, "member", "eve@quay.test"))
        place = team.invite(by=other.member, email="eve@quay.test", role="viewer", now=timezone.now())
        reply = self.remove_while(
            owner, eve, lambda: eve.post("/app/team/join/", {"invitation": place.pk}, follow=True), at_once
        )
        assert "sign-in" in reply.redirect_chain[-1][0]
        assert list(team.list_invitations(other.account)) == [place]

    def test_from_two_accounts_at_once_is_nobody_here_any_more(self, on_postgres: None, at_once: Any) -> None:
        """Each removal saw the place that the other one was taking, and left the person's address."""
        owners = [open_office(), open_office("Harbor Filings", "bea@harbor.test")]
        eve = join(owners[0].account, "member", "eve@quay.test")
        places = [
            eve,
            Member.objects.create(user=eve.user, account=owners[1].account, role="viewer", joined_at=eve.joined_at),
        ]
        removed = threading.Event()

        def remove_first() -> None:
            with transaction.atomic():
                team.remove(by=owners[0].member, member_id=places[0].pk, now=timezone.now())
                removed.set()
                wait_until_somebody_waits()

        def remove_second() -> None:
            assert removed.wait(60)
            team.remove(by=owners[1].member, member_id=places[1].pk, now=timezone.now())

        at_once(remove_first, remove_second)
        assert not User.objects.filter(pk=eve.user_id).exists()


class TestTwoFirstPages:
    def test_make_one_key_for_the_workspace(self, on_postgres: None, at_once: Any) -> None:
        account = open_office().account
        made = at_once(*[lambda: keys.get_workspace_key(account=account, livemode=True, now=timezone.now())] * 4)
        assert len({key.pk for key in made}) == 1
        assert ApiKey.objects.filter(is_workspace=True).count() == 1
