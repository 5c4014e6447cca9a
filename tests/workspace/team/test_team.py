"""The team: inviting, joining, changing roles, leaving; there is always an owner."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.core import mail as outgoing
from django.utils import timezone

from billing import audit, mail_server
from billing.members import team
from billing.models import Account, AuditEvent, Invitation, Member, MemberSession
from lookups.tasks import mail_entrance, prune
from tests.sign_in.people import Browser as StaffBrowser
from tests.sign_in.people import make_user, set_up_app
from tests.workspace.conftest import Browser, join, open_office
from tests.workspace.people import Person

pytestmark = pytest.mark.django_db


def invite(by: Browser, email: str = "jonas@quay.test", role: str = "member") -> Any:
    return by.post("/app/team/invite/", {"email": email, "role": role}, follow=True)


def roles(account: Account) -> dict[str, str]:
    return dict(Member.objects.filter(account=account).values_list("user__email", "role"))


class TestAnInvitation:
    def test_brings_a_colleague_in(self, office: Browser) -> None:
        assert b"jonas@quay.test is invited as member." in invite(office).content
        jonas = Person("jonas@quay.test")
        jonas.ask()
        assert b"Join Quay Street Compliance" in jonas.get(jonas.link()).content
        jonas.post(jonas.link(), {"invitation": Invitation.objects.get().pk})
        assert b"Quay Street Compliance" in jonas.get("/app/team/").content
        assert roles(office.account)["jonas@quay.test"] == "member"
        assert not Invitation.objects.exists()
        assert Account.objects.count() == 1

    def test_keeps_a_name_that_turns_its_line_apart(self, office: Browser) -> None:
        named = "Harbor \u202eretfa sdnats tahw"
        Account.objects.filter(pk=office.account.pk).update(name=named)
        invite(office)
        jonas, apart = Person("jonas@quay.test"), f"<bdi>{named}</bdi>"
        jonas.ask()
        assert f"to <strong>{apart}</strong> as member" in jonas.get(jonas.link()).content.decode()
        clerk = Browser(join(office.account, "member", "clerk@quay.test"))
        assert f"Leave {apart}?" in clerk.get(f"/app/team/{clerk.member.pk}/remove/").content.decode()

    def test_brings_no_free_lookups(self, office: Browser) -> None:
        before = Account.objects.get().available
        invite(office)
        Person("jonas@quay.test").come(invitation=str(Invitation.objects.get().pk))
        assert Account.objects.get().available == before

    def test_opens_a_door_that_is_shut_to_strangers(self, office: Browser, settings: Any) -> None:
        settings.SIGN_UP = "invited"
        invite(office)
        assert Person("somebody@quay.test").come().status_code == 403
        jonas = Person("jonas@quay.test")
        jonas.come(invitation=str(Invitation.objects.get().pk))
        assert jonas.is_in

    def test_opens_no_door_that_is_closed(self, office: Browser, settings: Any) -> None:
        invite(office)
        settings.SIGN_UP = "closed"
        assert b"the operator has closed sign-up" in invite(office, "vera@quay.test").content
        assert Person("jonas@quay.test").come(invitation=str(Invitation.objects.get().pk)).status_code == 403

    def test_is_taken_by_link_by_whoever_is_here_already_also_where_nobody_new_is_let_in(
        self, office: Browser, settings: Any
    ) -> None:
        Person("jonas@quay.test").come()
        invite(office)
        settings.SIGN_UP = "closed"
        jonas = Person("jonas@quay.test")
        assert jonas.come(invitation=str(Invitation.objects.get().pk)).status_code == 302
        assert set(Member.objects.filter(user__email="jonas@quay.test").values_list("account", "role")) == {
            (office.account.pk, "member"),
            (Account.objects.latest("pk").pk, "owner"),
        }
        assert b"Members of Quay Street Compliance" in jonas.get("/app/team/").content

    def test_is_nobodys_but_the_addresss(self, office: Browser) -> None:
        invite(office)
        mallory = Person("mallory@evil.test")
        mallory.come(invitation=str(Invitation.objects.get().pk))
        assert "mallory@evil.test" not in roles(office.account)
        assert Invitation.objects.count() == 1

    def test_can_be_left_lying(self, office: Browser) -> None:
        invite(office)
        jonas = Person("jonas@quay.test")
        jonas.come()
        assert list(roles(office.account)) == ["ada@quay.test"]
        assert b"has invited you to" in jonas.get("/app/team/").content
        jonas.post("/app/team/join/", {"invitation": Invitation.objects.get().pk})
        assert roles(office.account)["jonas@quay.test"] == "member"
        own = Member.objects.get(user__email="jonas@quay.test", role="owner")
        jonas.post("/app/account/", {"member": own.pk})
        assert b"Members of jonas@quay.test" in jonas.get("/app/team/").content

    def test_is_for_who_works_or_is_awaited_in_another_account_as_well(self, office: Browser) -> None:
        other = open_office("Harbor Street", "jonas@quay.test")
        invite(other, "vera@quay.test", "owner")
        for email in ("jonas@quay.test", "vera@quay.test"):
            assert f"{email} is invited as member." in invite(office, email).content.decode()
        assert set(Invitation.objects.values_list("account", "email", "role")) == {
            (office.account.pk, "jonas@quay.test", "member"),
            (office.account.pk, "vera@quay.test", "member"),
            (other.account.pk, "vera@quay.test", "owner"),
        }

    def test_is_withdrawn_and_no_other_one(self, office: Browser) -> None:
        other = open_office("Harbor Street", "eve@harbor.test")
        for by, email in ((office, "a@quay.test"), (office, "b@quay.test"), (other, "c@quay.test")):
            invite(by, email)
        numbers = dict(Invitation.objects.values_list("email", "pk"))
        office.post(f"/app/team/invitations/{numbers['b@quay.test']}/withdraw/")
        office.post(f"/app/team/invitations/{numbers['c@quay.test']}/withdraw/")
        assert set(Invitation.objects.values_list("email", flat=True)) == {"a@quay.test", "c@quay.test"}

    def test_is_withdrawn(self, office: Browser) -> None:
        invite(office)
        office.post(f"/app/team/invitations/{Invitation.objects.get().pk}/withdraw/")
        assert not Invitation.objects.exists()

    def test_that_was_withdrawn_meanwhile_opens_no_account_of_ones_own_instead(self, office: Browser) -> None:
        invite(office)
        place, jonas = str(Invitation.objects.get().pk), Person("jonas@quay.test")
        jonas.ask()
        there = jonas.link()
        assert b"Join Quay Street Compliance" in jonas.get(there).content
        office.post(f"/app/team/invitations/{place}/withdraw/")
        page = jonas.post(there, {"invitation": place})
        assert page.status_code == 409
        assert b"This invitation is no longer open" in page.content
        assert not User.objects.filter(email="jonas@quay.test").exists()
        assert jonas.post(there).status_code == 200  # the same link, now that it was chosen
        assert Member.objects.get(user__email="jonas@quay.test").role == "owner"

    def test_is_mailed_once(self, office: Browser, settings: Any) -> None:
        settings.MAIL_CONFIGURED = True
        Account.objects.update(name="Quay\nBcc: x@evil.test <b>")
        invite(office)
        mail_entrance()
        mail_entrance()
        (message,) = outgoing.outbox
        assert message.to == ["jonas@quay.test"]
        assert "ada@quay.test has invited you" in message.body
        assert "/app/sign-in/" in message.body
        assert "evil" not in str(message.message()).partition("\n\n")[0]

    def test_is_tried_for_a_day_where_the_server_never_takes_it(
        self, office: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried: list[str] = []
        settings.MAIL_CONFIGURED = True
        monkeypatch.setattr(
            mail_server, "post", lambda message: tried.append(message.to[0]) or (550, "no such mailbox")
        )
        invite(office)
        mail_entrance()
        mail_entrance()
        assert tried == ["jonas@quay.test"] * 2
        Invitation.objects.update(created_at=timezone.now() - timedelta(days=1, minutes=1))
        mail_entrance()
        assert len(tried) == 2
        invite(office)
        mail_entrance()
        assert len(tried) == 3

    def test_that_is_corrected_while_it_is_mailed_is_mailed_as_it_is_then(
        self, office: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The second invitation was noted as mailed by the first one's mail, which said “owner”."""
        mailed: list[str] = []

        def post(message: outgoing.EmailMessage) -> tuple[int, str]:
            mailed.append("owner" if "as owner" in message.body else "viewer")
            if len(mailed) == 1:
                invite(office, role="viewer")
            return mail_server.TAKEN, ""

        settings.MAIL_CONFIGURED = True
        monkeypatch.setattr(mail_server, "post", post)
        invite(office, role="owner")
        for _ in range(3):
            mail_entrance()
        assert mailed == ["owner", "viewer"]

    def test_is_one_however_often_it_is_sent(self, office: Browser) -> None:
        invite(office)
        invite(office, role="viewer")
        assert Invitation.objects.get().role == "viewer"

    def test_is_taken_and_leaves_those_of_others(self, office: Browser) -> None:
        for email, role in (("jonas@quay.test", "viewer"), ("bea@quay.test", "owner")):
            invite(office, email, role)
        place = Invitation.objects.get(email="jonas@quay.test")
        Person("jonas@quay.test").come(invitation=str(place.pk))
        assert roles(office.account)["jonas@quay.test"] == "viewer"
        assert Invitation.objects.get().email == "bea@quay.test"

    def test_gives_the_role_that_it_has_by_now(self, office: Browser) -> None:
        """It was corrected between the look at it and the click."""
        invite(office, role="owner")
        seen = Invitation.objects.get()
        invite(office, role="viewer")
        jonas = User.objects.create(username="jonas", email="jonas@quay.test")
        team.join(invitation=seen, user=jonas, now=timezone.now())
        assert roles(office.account)["jonas@quay.test"] == "viewer"

    def test_above_ones_own_role_is_neither_lowered_nor_withdrawn(self, office: Browser) -> None:
        chief = Browser(join(office.account, "admin", "chief@quay.test"))
        invite(office, role="owner")
        assert "Only an owner decides about the role “owner”." in invite(chief, role="member").content.decode()
        chief.post(f"/app/team/invitations/{Invitation.objects.get().pk}/withdraw/")
        assert Invitation.objects.get().role == "owner"

    def test_is_one_of_as_many_as_a_team_has_places(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(team, "MOST", 3)
        for email in ("a@quay.test", "b@quay.test"):
            invite(office, email)
        assert b"A team has at most 3 people, the invited among them." in invite(office, "c@quay.test").content
        assert b"is invited as viewer" in invite(office, "b@quay.test", "viewer").content
        assert Invitation.objects.count() == 2

    def test_is_refused_for_a_colleague(self, office: Browser, clerk: Browser) -> None:
        assert b"This address is in the team already." in invite(office, clerk.user.email).content

    def test_has_a_limit_a_day(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(team, "INVITATIONS_PER_DAY", 2)
        pages = [invite(office, f"a{n}@quay.test").content for n in range(3)]
        assert b"At most 2 people are invited in a day." in pages[-1]

    def test_of_the_staff_makes_the_first_owner(self, settings: Any) -> None:
        settings.SIGN_UP = "invited"
        account = Account.objects.create(name="Acme", created_at=timezone.now())
        browser, user = StaffBrowser(), make_user("", "billing.add_invitation", "billing.view_account")
        browser.sign_in(user.username)
        set_up_app(browser)
        browser.post(
            "/admin/billing/invitation/add/", {"account": account.pk, "email": "Ada@quay.test", "role": "owner"}
        )
        Person("ada@quay.test").come(invitation=str(Invitation.objects.get().pk))
        assert roles(account) == {"ada@quay.test": "owner"}
        assert AuditEvent.objects.filter(kind=audit.Kind.MEMBER_INVITED, actor=user.username).exists()

    def test_of_the_staff_for_who_is_awaited_already_is_refused_in_any_spelling(self) -> None:
        account = Account.objects.create(name="Acme", created_at=timezone.now())
        browser, user = StaffBrowser(), make_user("", "billing.add_invitation", "billing.view_account")
        browser.sign_in(user.username)
        set_up_app(browser)
        for email in ("ada@quay.test", "ada@quay.test", "Ada@quay.test"):
            sent = {"account": account.pk, "email": email, "role": "owner"}
            page = browser.post("/admin/billing/invitation/add/", sent)
        assert b"Invitation with this Account and Email already exists." in page.content
        assert Invitation.objects.count() == 1

    def test_of_the_staff_that_nobody_could_take_is_refused_and_says_so(self, office: Browser, clerk: Browser) -> None:
        """It was mailed as an invitation to own the account, and made nobody anything."""
        browser, user = StaffBrowser(), make_user("", "billing.add_invitation", "billing.view_account")
        browser.sign_in(user.username)
        set_up_app(browser)
        for email, is_open, says in (
            ("Jonas@quay.test", True, b"This address is in the team already"),
            ("new@quay.test", False, b"The account is closed"),
        ):
            Account.objects.filter(pk=office.account.pk).update(is_active=is_open)
            sent = {"account": office.account.pk, "email": email, "role": "owner"}
            assert says in browser.post("/admin/billing/invitation/add/", sent).content
        assert not Invitation.objects.exists()


class TestRoles:
    def test_are_changed(self, office: Browser, clerk: Browser) -> None:
        office.post(f"/app/team/{clerk.member.pk}/role/", {"role": "admin"})
        assert roles(office.account)[clerk.user.email] == "admin"
        assert clerk.post("/app/team/invite/", {"email": "v@quay.test", "role": "viewer"}).status_code == 302

    @pytest.mark.parametrize("role", ["emperor", "", "OWNER", "owner\x00"])
    def test_are_no_others_than_there_are(self, office: Browser, clerk: Browser, role: str) -> None:
        assert office.post(f"/app/team/{clerk.member.pk}/role/", {"role": role}).status_code == 302
        assert invite(office, "v@quay.test", role).status_code == 400
        assert roles(office.account)[clerk.user.email] == "member"
        assert not Invitation.objects.exists()

    def test_above_ones_own_are_not_given_nor_taken(self, office: Browser, clerk: Browser) -> None:
        office.post(f"/app/team/{clerk.member.pk}/role/", {"role": "admin"})
        clerk.post(f"/app/team/{clerk.member.pk}/role/", {"role": "owner"})
        clerk.post(f"/app/team/{office.member.pk}/role/", {"role": "viewer"})
        clerk.post(f"/app/team/{office.member.pk}/remove/")
        invite(clerk, "friend@quay.test", "owner")
        assert roles(office.account) == {"ada@quay.test": "owner", "jonas@quay.test": "admin"}
        assert not Invitation.objects.exists()

    def test_above_ones_own_are_not_taken_where_other_owners_stay(self, office: Browser) -> None:
        chief = Browser(join(office.account, "admin", "chief@quay.test"))
        second = join(office.account, "owner", "bea@quay.test")
        chief.post(f"/app/team/{second.pk}/role/", {"role": "viewer"})
        chief.post(f"/app/team/{second.pk}/remove/")
        assert roles(office.account)["bea@quay.test"] == "owner"

    def test_above_ones_own_are_not_offered_either(self, office: Browser) -> None:
        """Who looks after the team and is no owner reads who owns it, and is led to no refusal."""
        chief = Browser(join(office.account, "admin", "chief@quay.test"))
        invite(office, "second@quay.test", "owner")
        page = chief.get("/app/team/").content.decode()
        assert f"/app/team/{office.member.pk}/" not in page
        assert f'action="/app/team/{chief.member.pk}/role/"' in page
        assert "<option>owner" not in page
        assert 'value="owner"' not in page
        assert "/withdraw/" not in page
        assert f"/app/team/{office.member.pk}/" in office.get("/app/team/").content.decode()

    def test_of_who_cannot_be_removed_are_not_asked_about(self, office: Browser, clerk: Browser) -> None:
        """The question comes with its answer: neither the last owner, nor anybody for who may not."""
        alone = office.get(f"/app/team/{office.member.pk}/remove/", follow=True).content.decode()
        assert "make somebody else one first" in alone
        assert "Leave <bdi>" not in alone
        nosy = clerk.get(f"/app/team/{office.member.pk}/remove/", follow=True).content.decode()
        assert "Not your role." in nosy
        assert "Remove ada@quay.test?" not in nosy

    def test_of_somebody_else_are_taken_by_nobody(self, office: Browser) -> None:
        """The form of the switch says where to go: not to where another person works."""
        other = open_office("Other", "eve@other.test")
        join(other.account, "member", "cy@other.test")
        other.post("/app/account/", {"member": office.member.pk})
        page = other.get("/app/team/").content.decode()
        assert "eve@other.test" in page
        assert "ada@quay.test" not in page
        assert MemberSession.objects.get(member__user=other.user).member == other.member

    def test_leave_the_last_owner_in_place_also_where_another_account_has_owners(self, office: Browser) -> None:
        open_office("Other", "eve@other.test")
        office.post(f"/app/team/{office.member.pk}/role/", {"role": "viewer"})
        office.post(f"/app/team/{office.member.pk}/remove/")
        assert roles(office.account) == {"ada@quay.test": "owner"}

    def test_of_who_was_removed_here_leave_the_mail_of_their_other_account_with_them(
        self, office: Browser, clerk: Browser
    ) -> None:
        elsewhere = Account.objects.create(name="Other", email=clerk.user.email, created_at=timezone.now())
        Member.objects.create(user=clerk.user, account=elsewhere, role="owner", joined_at=timezone.now())
        office.post(f"/app/team/{clerk.member.pk}/remove/")
        elsewhere.refresh_from_db()
        assert elsewhere.email == clerk.user.email

    def test_of_who_was_removed_hand_the_accounts_mail_to_its_own_owner(self) -> None:
        open_office("Other", "eve@other.test")  # an owner, too, and there before
        office = open_office()
        clerk = join(office.account, "member", "clerk@quay.test")
        Account.objects.filter(pk=office.account.pk).update(email="clerk@quay.test")
        office.post(f"/app/team/{clerk.pk}/remove/")
        assert Account.objects.get(pk=office.account.pk).email == "ada@quay.test"

    def test_in_several_accounts_are_taken_where_one_has_chosen(self, office: Browser) -> None:
        places = [
            Member.objects.create(
                user=office.user,
                account=Account.objects.create(name=name, created_at=timezone.now()),
                role="viewer",
                joined_at=timezone.now(),
            )
            for name in ("Harbor Street", "Mill Lane")
        ]
        for place in (*places, office.member):
            office.post("/app/account/", {"member": place.pk})
            assert MemberSession.objects.get().member == place

    def test_of_another_account_are_out_of_reach(self, office: Browser) -> None:
        other = open_office("Other", "eve@other.test")
        bea = join(office.account, "owner", "bea@quay.test")
        for member in (office.member, bea):
            other.post(f"/app/team/{member.pk}/role/", {"role": "viewer"})
            other.post(f"/app/team/{member.pk}/remove/")
        assert roles(office.account) == {"ada@quay.test": "owner", "bea@quay.test": "owner"}

    @pytest.mark.parametrize("role", ["viewer", "member", "admin"])
    def test_leave_the_last_owner_in_place(self, office: Browser, clerk: Browser, role: str) -> None:
        page = office.post(f"/app/team/{office.member.pk}/role/", {"role": role}, follow=True)
        assert b"An account has an owner: make somebody else one first." in page.content
        office.post(f"/app/team/{office.member.pk}/remove/")
        assert roles(office.account)["ada@quay.test"] == "owner"

    def test_are_handed_over(self, office: Browser, clerk: Browser) -> None:
        office.post(f"/app/team/{clerk.member.pk}/role/", {"role": "owner"})
        office.post(f"/app/team/{office.member.pk}/role/", {"role": "viewer"})
        assert roles(office.account) == {"ada@quay.test": "viewer", "jonas@quay.test": "owner"}

    def test_stand_in_the_audit_log_without_names(self, office: Browser, clerk: Browser) -> None:
        office.post(f"/app/team/{clerk.member.pk}/role/", {"role": "admin"})
        event = AuditEvent.objects.get(kind=audit.Kind.MEMBER_CHANGED)
        assert event.detail == "From member to admin."
        assert event.actor == f"member {office.member.pk} of account {office.account.pk}"

    @pytest.mark.parametrize("is_removed", [True, False])
    def test_that_were_lost_between_the_page_and_the_click_decide_nothing(
        self, office: Browser, clerk: Browser, is_removed: bool
    ) -> None:
        """The last look is under the account's lock."""
        chief = join(office.account, "admin", "chief@quay.test")
        rows = Member.objects.filter(pk=chief.pk)
        _ = rows.delete() if is_removed else rows.update(role="viewer")
        before, now = roles(office.account), timezone.now()
        for act in (
            lambda: team.invite(by=chief, email="friend@evil.test", role="viewer", now=now),
            lambda: team.change_role(by=chief, member_id=clerk.member.pk, role="viewer", now=now),
            lambda: team.remove(by=chief, member_id=clerk.member.pk, now=now),
        ):
            with pytest.raises(team.NotAllowed):
                act()
        assert (roles(office.account), Invitation.objects.exists()) == (before, False)

    def test_and_links_are_none_any_more_for_who_was_removed_and_nobody_elses(
        self, office: Browser, clerk: Browser
    ) -> None:
        gone, other = Person(clerk.user.email), Person("x@quay.test")
        for person in (gone, other):
            person.ask()
        there = gone.link()
        office.post(f"/app/team/{clerk.member.pk}/remove/")
        assert gone.post(there).status_code == 410
        assert other.post(other.link()).status_code == 200

    def test_whose_removal_broke_off_half_way_leaves_nobody_behind(
        self, office: Browser, clerk: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(team, "_forget_if_nowhere", Mock(side_effect=SystemExit))
            with pytest.raises(SystemExit):
                office.post(f"/app/team/{clerk.member.pk}/remove/")
        assert (list(roles(office.account)), User.objects.count()) == (["ada@quay.test"], 2)
        prune()
        assert User.objects.get().email == "ada@quay.test"

    def test_of_staff_who_work_here_as_well_are_taken_and_they_stay_staff(
        self, office: Browser, clerk: Browser, viewer: Browser
    ) -> None:
        for person, right in ((clerk, "is_staff"), (viewer, "is_superuser")):
            User.objects.filter(pk=person.user.pk).update(**{right: True})
            office.post(f"/app/team/{person.member.pk}/remove/")
        assert list(roles(office.account)) == ["ada@quay.test"]
        assert User.objects.filter(pk__in=[clerk.user.pk, viewer.user.pk]).count() == 2

    def test_are_none_any_more_for_who_was_removed(self, office: Browser, clerk: Browser) -> None:
        assert clerk.get("/app/team/").status_code == 200
        office.post(f"/app/team/{clerk.member.pk}/remove/")
        assert clerk.get("/app/team/").status_code == 302
        assert not User.objects.filter(email=clerk.user.email).exists()

    @pytest.mark.parametrize("how", ["post", "get"])
    def test_are_taken_out_once_and_the_second_window_says_so(self, office: Browser, clerk: Browser, how: str) -> None:
        path = f"/app/team/{clerk.member.pk}/remove/"
        assert "jonas@quay.test is no longer in the team." in office.post(path, follow=True).content.decode()
        again = getattr(office, how)(path, follow=True).content.decode()
        assert "This member is no longer in the team." in again

    def test_and_the_accounts_mail_are_none_any_more_for_who_was_removed(self, office: Browser, clerk: Browser) -> None:
        Account.objects.filter(pk=office.account.pk).update(email=clerk.user.email)
        office.post(f"/app/team/{clerk.member.pk}/remove/")
        assert Account.objects.get(pk=office.account.pk).email == "ada@quay.test"
        assert AuditEvent.objects.get(kind=audit.Kind.MEMBER_REMOVED).detail.endswith("mail goes to an owner.")

    def test_are_given_up_and_mail_that_goes_elsewhere_stays(self, office: Browser, viewer: Browser) -> None:
        Account.objects.filter(pk=office.account.pk).update(email="results@quay.test")
        viewer.post(f"/app/team/{viewer.member.pk}/remove/")
        assert Account.objects.get(pk=office.account.pk).email == "results@quay.test"

    def test_elsewhere_stay_for_who_was_removed_here(self, office: Browser, clerk: Browser) -> None:
        other = open_office("Other", "eve@other.test")
        Member.objects.create(user=clerk.user, account=other.account, role="viewer", joined_at=timezone.now())
        office.post(f"/app/team/{clerk.member.pk}/remove/")
        assert roles(other.account)[clerk.user.email] == "viewer"

    def test_can_be_given_up(self, office: Browser, viewer: Browser) -> None:
        assert (
            b"Leave <bdi>Quay Street Compliance</bdi>?" in viewer.get(f"/app/team/{viewer.member.pk}/remove/").content
        )
        viewer.post(f"/app/team/{viewer.member.pk}/remove/")
        assert list(roles(office.account)) == ["ada@quay.test"]

    def test_are_given_up_on_a_page_that_says_so(self, office: Browser, viewer: Browser, clerk: Browser) -> None:
        """They were asked to sign in, to the account that they had just left."""
        other = open_office("Other", "eve@other.test")
        Member.objects.create(user=clerk.user, account=other.account, role="viewer", joined_at=timezone.now())
        for one, is_elsewhere in ((viewer, False), (clerk, True)):
            done = one.post(f"/app/team/{one.member.pk}/remove/")
            text = done.content.decode()
            assert (done.status_code, done.cookies["workspace"].value) == (200, "")
            assert "You have left <bdi>Quay Street Compliance</bdi>" in text
            assert ("Your other accounts" in text) is is_elsewhere
            assert one.get("/app/team/").status_code == 302
        last = office.post(f"/app/team/{office.member.pk}/remove/", follow=True)
        assert "make somebody else one first" in last.content.decode()


# Every page of this ground, how it is asked, and the least role that it answers otherwise than by 403.
PAGES = (
    ("get", "/app/team/", "viewer"),
    ("post", "/app/team/invite/", "admin"),
    ("post", "/app/team/join/", "viewer"),
    ("post", "/app/team/invitations/1/withdraw/", "admin"),
    ("post", "/app/team/999999/role/", "admin"),
    ("post", "/app/team/999999/remove/", "viewer"),
    ("get", "/app/settings/", "viewer"),
    ("post", "/app/settings/", "admin"),
    ("get", "/app/settings/passkeys/options/", "viewer"),
    ("post", "/app/settings/passkeys/", "viewer"),
    ("post", "/app/settings/passkeys/999999/remove/", "viewer"),
    ("post", "/app/settings/sessions/end/", "viewer"),
    ("post", "/app/settings/export/", "owner"),
    ("get", "/app/settings/erase/", "owner"),
    ("post", "/app/settings/erase/", "owner"),
    ("post", "/app/mode/", "viewer"),
    ("post", "/app/account/", "viewer"),
    ("post", "/app/sign-out/", "viewer"),
)


class TestEveryPage:
    @pytest.mark.parametrize(("method", "path", "least"), PAGES)
    def test_opens_to_its_role_and_those_above(self, office: Browser, method: str, path: str, least: str) -> None:
        ranks = Member.Role.values
        for rank in ranks:
            browser = Browser(join(office.account, rank, f"{rank}@quay.test"))
            is_refused = getattr(browser, method)(path).status_code == 403
            assert is_refused == (ranks.index(rank) < ranks.index(least)), rank

    @pytest.mark.parametrize(("method", "path", "least"), PAGES)
    def test_sends_strangers_to_sign_in(self, db: None, method: str, path: str, least: str) -> None:
        answer = getattr(Person("x@quay.test"), method)(path)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/app/sign-in/?next=")

    def test_is_in_the_table(self) -> None:
        from lookups.workspace.preferences import urls as settings_urls
        from lookups.workspace.team import urls as team_urls

        listed = {path for _, path, _ in PAGES}
        for prefix, urls in (("/app/team/", team_urls), ("/app/settings/", settings_urls)):
            for pattern in urls.urlpatterns:
                assert any(pattern.resolve(one.removeprefix(prefix)) for one in listed if one.startswith(prefix))
