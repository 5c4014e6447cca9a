"""A record that is meant to do harm, on every page that shows one: read, never run, and inside its own lines."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings as project
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.browser.planted import ASKED, plant
from tests.browser.test_every_page import MOST_BYTES
from tests.lookups.workbooks import read_table
from tests.sign_in import people
from tests.workspace import conftest as workspace

MOST_OF_ADMIN = 400_000  # the skin's own menus and icons are a good part of it
# Text that turns the direction of its line, outside of an element of its own
LEAKS = r"""() => {
  const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069]/, found = [];
  const is_apart = one => /isolate|plaintext/.test(getComputedStyle(one).unicodeBidi);
  const is_line = one => getComputedStyle(one).display === "inline";
  const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let box = node.parentElement, apart = false;
    for (; is_line(box); box = box.parentElement) apart ||= is_apart(box);
    if (node.data.trim() && !box.closest("option, script, textarea")) texts.push({ node, box, apart });
  }
  for (const { node, box, apart } of texts) {
    if (apart || !turning.test(node.data)) continue;
    const beside = texts.find(one => one.box === box && one.node !== node);
    if (beside) found.push(`${node.data.slice(0, 40)} in ${box.outerHTML.slice(0, 60)}`, beside.node.data.slice(0, 40));
  }
  return found.slice(0, 5);
}"""
# Cells of a list of the admin that do not show all of their text
CUT = """() => [...document.querySelectorAll("#changelist tbody :is(td, th)")]
  .filter(one => one.checkVisibility())
  .filter(one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2)
  .slice(0, 3).map(one => one.innerText.slice(0, 40))"""
MADE = "document.querySelectorAll('img[src=x], [href^=\"javascript:\"], script:not([src]):not([type])').length"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def office(switches: None, settings: Any) -> workspace.Browser:
    settings.ENTITY_PAGES, settings.PAGES_PER_MINUTE = "public", 10_000
    return workspace.open_office().work_in("sandbox")


def walk(browser: Browser, root: str, addresses: list[str], cookies: dict[str, str], *, most: int) -> dict[str, Any]:
    """Open each on a phone; return what is wrong, by address."""
    person, wrong = chromium.person(browser, width=390, color="dark"), {}
    person.add_cookies([{"name": name, "value": value, "url": root} for name, value in cookies.items()])
    page = person.new_page()
    complaints = chromium.listen(page)
    page.on("dialog", lambda dialog: (complaints.append("it ran"), dialog.dismiss()))
    for address in addresses:
        complaints.clear()
        reply = page.goto(root + address)
        assert reply is not None
        found = [f"answered {reply.status}"] if reply.status != 200 else []
        found += [f"{size} bytes"] if (size := len(reply.body())) > most else []
        found += [f"wide: {one}" for one in chromium.list_overflow(page)] + [
            f"turns: {one}" for one in page.evaluate(LEAKS)
        ]
        found += [f"cut: {one}" for one in page.evaluate(CUT)]
        found += chromium.judge(page)
        found += ["its markup became ours"] if page.evaluate(MADE) else []
        if found + complaints:
            wrong[address] = found + complaints
    person.close()
    return wrong


class TestAHostileRecord:
    def test_is_read_and_never_run_by_the_public_and_the_customer(
        self, browser: Browser, live_server: Any, office: workspace.Browser
    ) -> None:
        planted = plant(office)
        cookie = {project.WORKSPACE_COOKIE_NAME: office.cookies[project.WORKSPACE_COOKIE_NAME].value}
        cookie |= {name: one.value for name, one in office.cookies.items()}
        pages = [*planted.public, *planted.workspace]
        assert walk(browser, live_server.url, pages, cookie, most=MOST_BYTES) == {}
        page = office.get(planted.public[0]).content.decode()
        [data] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
        assert json.loads(data)
        assert office.get(f"{planted.public[0]}picture.png").content.startswith(b"\x89PNG")
        for address in planted.files:
            reply = office.get(address)
            raw = b"".join(reply.streaming_content) if reply.streaming else reply.content
            if address.endswith("json"):
                assert json.loads(raw)["lookupId"]
            elif address.endswith("csv"):
                cells = [cell for line in csv.reader(io.StringIO(raw.decode("utf-8-sig"))) for cell in line]
                assert any(ASKED in cell for cell in cells)
                assert not [cell for cell in cells if cell[:1] in ("=", "+", "@")]
            else:
                assert any(ASKED in str(cell) for line in read_table(raw) for cell in line.values())

    def test_is_read_and_never_run_by_the_staff(
        self, browser: Browser, live_server: Any, office: workspace.Browser
    ) -> None:
        planted = plant(office)
        person = people.Browser(REMOTE_ADDR=people.new_address())
        person.sign_in(people.make_user(is_superuser=True).username)
        pages = ["/admin/"]
        for row in planted.rows:
            name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
            pages += [reverse(f"{name}_changelist"), reverse(f"{name}_change", args=[row.pk])]
        acts = ("account_grant_credit", "account_adjust_balance", "account_statement", "account_issue_key")
        pages += [reverse(f"admin:billing_{act}", args=[office.account.pk]) for act in acts]
        pages += [reverse("admin:billing_ledgerentry_changelist"), reverse("admin:billing_receipt_changelist")]
        own, name = {"user": User.objects.get(is_superuser=True), "type": "webauthn"}, "K" * 60
        Authenticator.objects.create(data={"name": name, "credential": {"clientExtensionResults": {}}}, **own)
        pages += ["/admin/factors/", "/admin/factors/keys/"]
        cookies = {"sessionid": person.cookies["sessionid"].value}
        assert walk(browser, live_server.url, [*dict.fromkeys(pages)], cookies, most=MOST_OF_ADMIN) == {}
