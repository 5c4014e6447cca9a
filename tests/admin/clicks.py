"""A person at the admin who only follows links and presses buttons that a page really has, and counts them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import lxml.html
from django.test import Client

START = "/admin/"


class Person:
    """Where somebody is, and how many clicks it took from the first page. Typing is free, as it was in the review."""

    def __init__(self, client: Client) -> None:
        self.client, self.clicks = client, 0
        self._show(client.get(START))

    @property
    def text(self) -> str:
        """What can be read, scripts left out, as one line."""
        return " ".join(" ".join(self.page.xpath("//body//text()[not(parent::script or parent::style)]")).split())

    def follow(self, words: str, *, within: str = "") -> Person:
        """Click the first link of these words (in the row of a table or list that has `within`)."""
        links = self.page.xpath("//a[@href]")
        for link in links:
            if " ".join(link.text_content().split()) == words and within in _row_of(link):
                return self._click(self.client.get(_absolute(self.address, link.get("href"))))
        raise AssertionError(f"no link {words!r} on {self.address}: {[one.text_content().strip() for one in links]}")

    def press(self, words: str, **typed: str) -> Person:
        """Fill in a form and press its button."""
        for form in self.page.forms:
            for button in form.xpath(".//button"):
                if " ".join(button.text_content().split()) == words:
                    return self._send(form, button, typed)
        raise AssertionError(f"no button {words!r} on {self.address}")

    def _send(self, form: Any, button: Any, typed: dict[str, str]) -> Person:
        unknown = [name for name in typed if name not in form.inputs]
        assert not unknown, f"no field {unknown} on {self.address}"
        sent = dict(form.form_values()) | typed
        if button.get("name"):
            sent[button.get("name")] = button.get("value", "")
        address = _absolute(self.address, form.get("action") or self.address)
        if form.method == "GET":
            return self._click(self.client.get(f"{urlsplit(address).path}?{urlencode(sent)}"))
        return self._click(self.client.post(address, sent))

    def _click(self, reply: Any) -> Person:
        self.clicks += 1
        while reply.status_code == 302:
            where = _absolute(self.address, reply["Location"])
            reply = self.client.get(where)
            self.address = where
        self._show(reply)
        return self

    def _show(self, reply: Any) -> None:
        assert reply.status_code == 200, (reply.status_code, reply.request["PATH_INFO"])
        query = reply.request.get("QUERY_STRING", "")
        self.address = reply.request["PATH_INFO"] + (f"?{query}" if query else "")
        self.page = lxml.html.fromstring(reply.content)


def _row_of(link: Any) -> str:
    rows = link.xpath("ancestor::tr | ancestor::li")
    return str(rows[-1].text_content()) if rows else str(link.text_content())


def _absolute(here: str, address: str) -> str:
    parts = urlsplit(urljoin(here, address))
    return parts.path + (f"?{parts.query}" if parts.query else "")
