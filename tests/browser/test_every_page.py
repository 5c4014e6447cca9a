"""Every page there is, in a browser: nothing is refused, nothing is wider than the window, axe and html-validate agree.

They are found by walking what is routed, so a page added later is walked too. Each is looked at once, at one of six
windows in turn; of the lists and forms of the admin, one template each, axe judges the first of a kind, and of the
pages there that delete a row or tell its history the first alone is opened. With EVERY_LOOK=1 all are judged at every
window.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext

from lookups.models import Entity, Lookup
from tests.browser import chromium
from tests.browser.addresses import list_addresses
from tests.lookups.conftest import open_customer
from tests.pages.dossier.records import keep
from tests.sign_in import pages as admin
from tests.sign_in import people
from tests.sign_in.populated import populate
from tests.workspace import conftest as workspace

LOOKS = [*itertools.product(chromium.WIDTHS, chromium.COLORS)]
FILES = ("jsi18n", "autocomplete", "logout", "search", "page/1", "download", "codes/", "journal")
# What is no page, and Swagger's own, which is not ours to mend
NO_PAGES = re.compile(
    r"\.(txt|xml|json|py|md|csv|xlsx|zip|wacz|png|svg)$|/export/|/passkey|livez|readyz|metrics|/swagger/"
)
MOST_BYTES = 100_000
EVERY_LOOK = bool(os.environ.get("EVERY_LOOK"))
ALIKE = re.compile(r"/(?:delete|history)/$")
KIND = re.compile(r"^admin:\w+(?=_(?:changelist|change|add|delete|history)$)")  # what one template makes of every table
# What the admin's skin and Django's own templates write, and no setting or block of theirs lets us write otherwise
OF_THE_SKIN = {
    "no-dup-class": "it joins lists of classes, some of which are in both",
    "attr-spacing": "it leaves the blank out between two attributes of a link, which every browser reads",
    "attr-quotes": "it writes expressions of Alpine's in single quotes",
    "unique-landmark": "its menu is a nav in a nav, named when its script has run; axe judges what comes of it",
    "prefer-native-element": "its main part is a div; we give it the role of a main",
    "wcag/h71": "its fieldsets have headings where legends would be, by which they are named",
    "wcag/h63": "Django's lists head each row by a th without a scope; in a body a th is taken for the row's",
    "wcag/h32": "Django's form around a list has no button where there is no action to choose",
    "wcag/h30": "Django's filters link to an empty choice where a row has no name",
    "no-redundant-for": "Django's choices name the field that stands in their label",
    "prefer-tbody": "its tables of an app have no tbody; browsers put it in",
    "attribute-allowed-values": "it writes colspan=100% and, of a group of choices, for with nothing",
    "attribute-boolean-style": "it writes novalidate in full",
    "valid-id": "Django's form without a model is called _form",
}
SHIFT = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => { for (const one of list.getEntries()) sum += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 50);
})"""

PAINT = """() => new Promise(done => {
  new PerformanceObserver(list => done(list.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 1e6))
    .observe({ type: "paint", buffered: true });
})"""
MOST_MS = 1000
MAIN = (
    *("/", "/states/", "/pricing/", "/docs/", "/docs/guides/quick-start/", "/docs/reference/lookup/", "/app/sign-in/"),
    *("/app/", "/app/bulk/", "/app/history/", "/app/watches/", "/app/balance/", "/app/settings/"),
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500), pytest.mark.django_db(transaction=True)]


def walk(browser: Browser, cookies: dict[str, str], addresses: Iterable[str], folder: Path, **judged: Any) -> Any:
    """Open each; return what is wrong, by address. axe looks at all, or at those in `axe`."""
    wrong: dict[str, list[str]] = {}
    documents: dict[str, str] = {}
    for look, some in _share_out(list(addresses)):
        tab = Tab(chromium.person(browser, width=look[0], color=look[1]))
        for address in some:
            root = "/".join(address.split("/")[:3])
            tab.context.add_cookies([{"name": name, "value": value, "url": root} for name, value in cookies.items()])
            found, text = tab.look_at(address, axe=EVERY_LOOK or address in judged.get("axe", addresses))
            if found:
                wrong[f"{address} {look}"] = found
            documents[re.sub(r"\W+", "-", address.partition("//")[2])] = text
        tab.context.close()
    if chromium.VALIDATOR.exists():
        wrong |= (
            {"html": found}
            if (found := chromium.validate(documents, folder, allowed=judged.get("allowed", ())))
            else {}
        )
    return wrong


def _share_out(addresses: list[str]) -> Iterator[tuple[tuple[int, str], list[str]]]:
    for number, look in enumerate(LOOKS):
        yield look, addresses if EVERY_LOOK else addresses[number :: len(LOOKS)]


class Tab:
    """One tab, in which page after page is opened."""

    def __init__(self, context: BrowserContext) -> None:
        self.context, self.page, self.sizes = context, context.new_page(), list[int]()
        self.complaints = chromium.listen(self.page)
        self.page.on("response", lambda reply: self.sizes.append(int(reply.headers.get("content-length") or 0)))

    def look_at(self, address: str, *, axe: bool) -> tuple[list[str], str]:
        """What is wrong with a page, and its HTML."""
        self.complaints.clear()
        self.sizes.clear()
        reply, is_ours = self.page.goto(address), "/admin/" not in address
        assert reply is not None
        found = [*chromium.list_overflow(self.page)]
        if axe:
            found += chromium.judge(self.page)
        if is_ours:
            found += [f"{sum(self.sizes)} bytes"] if sum(self.sizes) > MOST_BYTES else []
            found += [f"the page moves by {shift:.2f}"] if (shift := self.page.evaluate(SHIFT)) > 0.05 else []
            found += ["no heading of the page"] if self.page.locator("h1").count() != 1 else []
        return found + self.complaints, reply.text()


class TestEveryPage:
    """Public, of the docs, of the workspace and of the admin."""

    def test_of_the_public(self, browser: Browser, live_server: Any, switches: None, tmp_path: Path) -> None:
        customer = open_customer(mode="test")
        customer.lookup("Blue Heron Logistics LLC", "DE")
        entity = Entity.objects.get()
        known = {"state_slug": "delaware", "entity_slug": entity.slug}
        found = [*list_addresses(known), "/no/such/page", "/try/?name=Magic+Ambiguous+LLC&state=DE"]
        addresses = [live_server.url + one for one in found if not one.startswith("/app/") and not NO_PAGES.search(one)]
        assert len(addresses) > 12
        assert walk(browser, {}, addresses, tmp_path) == {}

    def test_of_the_workspace(self, browser: Browser, live_server: Any, switches: None, tmp_path: Path) -> None:
        office = workspace.open_office()
        customer = open_customer(mode="test")
        customer.lookup("Blue Heron Logistics LLC", "DE")
        Lookup.objects.update(account=office.account)
        cookies = {project.WORKSPACE_COOKIE_NAME: office.cookies[project.WORKSPACE_COOKIE_NAME].value}
        known = {"lookup_id": Lookup.objects.get().public_id, "state_slug": "delaware"}
        found = [one for one in list_addresses(known) if one.startswith("/app/") and not NO_PAGES.search(one)]
        found = [one for one in found if one not in ("/app/sign-out/", "/app/mode/", "/app/account/")]
        assert len(found) > 12
        assert walk(browser, cookies, [live_server.url + one for one in found], tmp_path) == {}

    def test_of_the_admin(self, browser: Browser, live_server: Any, tmp_path: Path) -> None:
        call_command("sync_jurisdictions", verbosity=0)
        person = people.Browser(REMOTE_ADDR=people.new_address())
        person.sign_in(people.make_user(is_superuser=True).username)
        populate()
        named = [(name, one) for name, one in admin.list_addresses() if not any(word in one for word in FILES)]
        kinds = {KIND.sub("", name): one for name, one in reversed(named)}  # the first of each
        routed = {one for _, one in named}
        pages = [one for _, one in named if f"{one}change/" not in routed]  # Django's own way leads there
        if not EVERY_LOOK:
            pages = [one for one in pages if one in kinds.values() or not ALIKE.search(one)]
        assert len(pages) > 120
        cookies = {"sessionid": person.cookies["sessionid"].value}
        axe = {live_server.url + one for one in kinds.values()}
        addresses = [live_server.url + one for one in pages]
        assert walk(browser, cookies, addresses, tmp_path, axe=axe, allowed=OF_THE_SKIN) == {}


class TestTheMainPages:
    def test_are_painted_within_a_second_and_then_stay(
        self, browser: Browser, live_server: Any, switches: None, settings: Any
    ) -> None:
        """On a busy machine the best of five: it is the page that is measured, and what one moves moves each time."""
        settings.ENTITY_PAGES = "public"
        office = workspace.open_office()
        version = keep(read_at=timezone.now())
        person, wrong = chromium.person(browser, width=390), {}
        token = office.cookies[project.WORKSPACE_COOKIE_NAME].value
        person.add_cookies([{"name": project.WORKSPACE_COOKIE_NAME, "value": token, "url": live_server.url}])
        page = person.new_page()
        for path in [*MAIN, version.entity.page_url]:
            tries: list[tuple[float, float]] = []
            for _ in range(5):
                page.goto(live_server.url + path)
                painted, moved = page.evaluate(PAINT), page.evaluate(SHIFT)
                if painted < MOST_MS and round(moved, 2) == 0:
                    break
                tries.append((painted, moved))
            else:
                wrong[path] = tries
        person.close()
        assert wrong == {}


class TestAPage:
    """That a registry's text has got into."""

    @pytest.mark.parametrize("path", ["/", "/admin/login/", "/states/"])
    def test_runs_nothing_and_loads_nothing_from_elsewhere(
        self, browser: Browser, live_server: Any, switches: None, path: str
    ) -> None:
        page = chromium.person(browser).new_page()
        page.goto(live_server.url + path)
        chromium.try_script(page)
