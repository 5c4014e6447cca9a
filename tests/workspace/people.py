"""Strangers and colleagues who come by link, each from a network of their own."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from billing.members import links
from billing.models import SignInLink
from lookups.workspace import mail
from tests.sign_in.people import new_address


def read_form(page: Any) -> dict[str, str]:
    """What a browser would send back of the forms of a page, as they are shown."""
    text = page.content.decode()
    fields = dict(re.findall(r'<input [^>]*?name="(\w[\w-]*)"(?:(?! type="checkbox")[^>])*? value="([^"]*)"', text))
    empty = dict.fromkeys(re.findall(r'<input [^>]*?name="(\w[\w-]*)"', text), "")
    ticked = dict.fromkeys(re.findall(r'<input type="checkbox" name="(\w+)"[^>]* checked', text), "on")
    boxes = dict.fromkeys(re.findall(r'<input type="checkbox" name="(\w+)"', text))
    chosen = dict(re.findall(r'<select name="(\w+)".*?<option value="([^"]*)" selected', text, re.DOTALL))
    sent = {**empty, **fields, **boxes, **ticked, **chosen}
    return {name: value for name, value in sent.items() if value is not None}


class Person(Client):
    """Somebody with an address, in a browser."""

    def __init__(self, email: str, **named: Any) -> None:
        named.setdefault("REMOTE_ADDR", new_address())
        super().__init__(**named)
        self.email = email

    def ask(self, **more: str) -> Any:
        """Type the address into the page Sign in."""
        return self.post("/app/sign-in/", {"email": self.email, **more})

    def link(self) -> str:
        """The address in the newest mail, as it would be in it."""
        newest = SignInLink.objects.filter(email=self.email.lower()).latest("pk")
        return re.sub(r"^https?://[^/]+", "", mail.url_of(links.read(newest)))

    def come(self, **pressed: str) -> Any:
        """Ask, open the link, press its button."""
        assert self.ask().status_code == 302
        there = self.link()
        assert self.get(there).status_code == 200
        return self.post(there, pressed)

    @property
    def is_in(self) -> bool:
        """Whether the workspace opens."""
        return bool(self.get("/app/settings/").status_code == 200)
