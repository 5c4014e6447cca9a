"""Passkeys: added by a member who has just signed in, and then enough to sign in."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.utils import timezone

from billing.models import AuditEvent, Member, MemberSession
from lookups.workspace.entrance import tries
from tests.sign_in.people import SecurityKey, make_user, text
from tests.workspace.people import Person

pytestmark = pytest.mark.django_db


class Device(SecurityKey):
    """A device that keeps for whom a key was made, and says so."""

    def sign(self, options: dict[str, Any], user: User, *, verified: bool = True) -> str:
        self.flags = 0x05 if verified else 0x01
        answer = json.loads(self.get(options))
        answer["response"]["userHandle"] = text(user_pk_to_url_str(user).encode())
        return json.dumps(answer)

    def _data(self, flags: int) -> bytes:
        return super()._data(flags if flags & 0x40 else getattr(self, "flags", flags))


def add_key(person: Person, device: Device) -> Any:
    options = person.get("/app/settings/passkeys/options/").json()
    return person.post("/app/settings/passkeys/", {"name": "Blue one", "credential": device.create(options)})


def sign_in(person: Person, device: Device, user: User, **more: Any) -> Any:
    options = person.get("/app/sign-in/passkey/").json()
    return person.post("/app/sign-in/passkey/", {"credential": device.sign(options, user, **more)})


@pytest.fixture
def ada(db: None) -> Person:
    person = Person("ada@quay.test")
    person.come()
    return person


@pytest.fixture
def user(ada: Person) -> User:
    return User.objects.get(email=ada.email)


class TestAPasskey:
    def test_signs_in_without_a_mail(self, ada: Person, user: User) -> None:
        device = Device()
        add_key(ada, device)
        assert "Blue one" in ada.get("/app/settings/").content.decode()
        (added,) = AuditEvent.objects.filter(kind="factor_added")
        assert added.detail == f"WebAuthn of auth.user {user.pk}."
        elsewhere = Person(ada.email)
        answer = sign_in(elsewhere, device, user)
        assert (answer.status_code, answer["Location"]) == (302, "/app/")
        assert elsewhere.is_in
        assert AuditEvent.objects.filter(kind="signed_in").latest("pk").detail == "By passkey."
        assert elsewhere.get("/admin/").status_code == 302

    def test_is_not_tried_without_end(self, ada: Person, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
        device, elsewhere = Device(), Person(ada.email)
        add_key(ada, device)
        monkeypatch.setattr(tries, "OF_A_NETWORK", 1)  # the question is counted too
        answer = sign_in(elsewhere, device, user)
        assert (answer.status_code, int(answer["Retry-After"]) > 0, elsewhere.is_in) == (429, True, False)

    def test_does_not_sign_in_twice_by_one_answer(self, ada: Person, user: User) -> None:
        device = Device()
        add_key(ada, device)
        elsewhere = Person(ada.email)
        answer = device.sign(elsewhere.get("/app/sign-in/passkey/").json(), user)
        assert elsewhere.post("/app/sign-in/passkey/", {"credential": answer}).status_code == 302
        elsewhere.post("/app/sign-out/")
        assert elsewhere.post("/app/sign-in/passkey/", {"credential": answer}).status_code == 403

    def test_opens_nothing_once_it_is_removed(self, ada: Person, user: User) -> None:
        device = Device()
        add_key(ada, device)
        ada.post(f"/app/settings/passkeys/{Authenticator.objects.get().pk}/remove/")
        assert sign_in(Person(ada.email), device, user).status_code == 403

    def test_is_removed_alone(self, ada: Person, user: User) -> None:
        first, second = (
            Authenticator.objects.create(user=user, type="webauthn", data={"name": name}) for name in ("one", "two")
        )
        ada.post(f"/app/settings/passkeys/{second.pk}/remove/")
        assert list(Authenticator.objects.all()) == [first]

    def test_is_not_removed_by_others(self, ada: Person) -> None:
        add_key(ada, Device())
        jonas = Person("jonas@quay.test")
        jonas.come()
        jonas.post(f"/app/settings/passkeys/{Authenticator.objects.get().pk}/remove/")
        assert Authenticator.objects.count() == 1

    def test_signs_in_nobody_else(self, ada: Person) -> None:
        device = Device()
        add_key(ada, device)
        Person("jonas@quay.test").come()
        stranger = Person("x@quay.test")
        assert sign_in(stranger, device, User.objects.get(email="jonas@quay.test")).status_code == 403
        assert not stranger.is_in

    def test_needs_its_owner_at_the_device(self, ada: Person, user: User) -> None:
        device = Device()
        add_key(ada, device)
        assert sign_in(Person(ada.email), device, user, verified=False).status_code == 403

    def test_of_staff_opens_no_workspace(self, ada: Person, user: User) -> None:
        device = Device()
        add_key(ada, device)
        dana = make_user()
        Authenticator.objects.update(user=dana)
        assert sign_in(Person(ada.email), device, dana).status_code == 403

    def test_of_a_member_without_a_place_opens_nothing(self, ada: Person, user: User) -> None:
        device = Device()
        add_key(ada, device)
        Member.objects.all().delete()
        assert sign_in(Person(ada.email), device, user).status_code == 403

    def test_is_added_only_soon_after_signing_in(self, ada: Person) -> None:
        options = ada.get("/app/settings/passkeys/options/").json()
        MemberSession.objects.update(began_at=timezone.now() - timedelta(hours=1))
        ada.post("/app/settings/passkeys/", {"name": "Thief", "credential": Device().create(options)})
        assert ada.get("/app/settings/passkeys/options/").status_code == 403
        assert not Authenticator.objects.exists()

    @pytest.mark.parametrize(("name", "more"), [("a\x00b", "x"), ("Blue", "\x00"), ("Blue", "\ud800")])
    def test_is_added_with_nothing_that_no_database_keeps(self, ada: Person, name: str, more: str) -> None:
        options = ada.get("/app/settings/passkeys/options/").json()
        made = json.loads(Device().create(options)) | {"more": more}
        added = ada.post("/app/settings/passkeys/", {"name": name, "credential": json.dumps(made)})
        assert added.status_code == 302
        assert not Authenticator.objects.exists()

    @pytest.mark.parametrize(
        "nonsense",
        ["", "{}", "[]", "null", '{"id": 1}', '{"response": {"userHandle": "AA"}}', "\x00", "[" * 5000],
        ids=["empty", "object", "list", "null", "id", "handle", "zero", "deep"],
    )
    def test_cannot_be_made_up(self, ada: Person, nonsense: str) -> None:
        ada.get("/app/settings/passkeys/options/")
        ada.post("/app/settings/passkeys/", {"name": "x", "credential": nonsense})
        assert not Authenticator.objects.exists()
        stranger = Person("x@quay.test")
        stranger.get("/app/sign-in/passkey/")
        assert stranger.post("/app/sign-in/passkey/", {"credential": nonsense}).status_code == 403
