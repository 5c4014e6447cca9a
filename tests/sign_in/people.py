"""Staff who sign in through the pages, each from an address of their own, with the devices they carry."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import re
import secrets
import time
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from fido2 import cbor

PASSWORD = "correct horse battery"
_addresses = itertools.count(secrets.randbelow(2**23))  # counts of tries outlive a test where they stand in Redis


def new_address() -> str:
    number = next(_addresses)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def make_user(name: str = "", *rights: str, **named: Any) -> Any:
    """A member of staff with a password, and rights such as "billing.move_money"."""
    name = name or f"dana-{secrets.token_hex(6)}"
    user = get_user_model().objects.create_user(name, password=PASSWORD, is_staff=True, **named)
    user.user_permissions.set(find_permission(right) for right in rights)
    return user


def find_permission(right: str) -> Permission:
    app, codename = right.split(".")
    return Permission.objects.get(content_type__app_label=app, codename=codename)


class Browser(Client):
    """A browser at an address."""

    def __init__(self, **named: Any) -> None:
        self.address = named.setdefault("REMOTE_ADDR", new_address())
        super().__init__(**named)

    def sign_in(self, name: str, password: str = PASSWORD, **more: str) -> Any:
        return self.post("/admin/login/", {"login": name, "password": password, **more})


class App:
    """An authenticator app, by RFC 6238 alone."""

    def __init__(self, secret: str) -> None:
        self.secret = base64.b32decode(secret)

    def code(self, steps_ahead: int = 0) -> str:
        counter = (int(time.time()) // 30 + steps_ahead).to_bytes(8, "big")
        digest = hmac.new(self.secret, counter, hashlib.sha1).digest()
        start = digest[-1] & 15
        return f"{int.from_bytes(digest[start : start + 4], 'big') % 2**31 % 10**6:06}"


def set_up_app(browser: Client) -> App:
    """What a person does: confirms, reads the secret, types the first code."""
    browser.post("/admin/confirm/password/", {"password": PASSWORD})
    page = browser.get("/admin/factors/app/activate/").content.decode()
    found = re.search(r'id="authenticator_secret"[^>]*value="([A-Z2-7=]+)"', page)
    assert found, page
    app = App(found[1])
    assert browser.post("/admin/factors/app/activate/", {"code": app.code()}).status_code == 302
    return app


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class SecurityKey:
    """A security key, by the text of WebAuthn: P-256, no attestation, a counter that grows."""

    def __init__(self, host: str = "testserver") -> None:
        self.host, self.origin = host, f"https://{host}"
        self.key, self.id, self.uses = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16), 0

    def create(self, options: dict[str, Any]) -> str:
        point = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        credential = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor.encode(cose)
        data = self._data(0x45) + credential
        made = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer("webauthn.create", options, attestationObject=text(made))

    def get(self, options: dict[str, Any]) -> str:
        self.uses += 1
        data, said = self._data(0x05), self._said("webauthn.get", options)
        signature = self.key.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer("webauthn.get", options, authenticatorData=text(data), signature=text(signature))

    def _data(self, flags: int) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + self.uses.to_bytes(4, "big")

    def _said(self, kind: str, options: dict[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["publicKey"]["challenge"], "origin": self.origin}
        return json.dumps(said).encode()

    def _answer(self, kind: str, options: dict[str, Any], **response: str) -> str:
        said = {"clientDataJSON": text(self._said(kind, options)), **response}
        name = text(self.id)
        answer = {"id": name, "rawId": name, "type": "public-key", "response": said, "clientExtensionResults": {}}
        return json.dumps(answer)


def options_in(page: Any) -> dict[str, Any]:
    """What the page hands to the browser's own WebAuthn."""
    found = re.search(r'<script id="js_data" type="application/json">(.*?)</script>', page.content.decode(), re.DOTALL)
    assert found, page.content.decode()
    (options,) = json.loads(found[1]).values()
    return dict(options)
