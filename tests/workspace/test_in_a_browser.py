"""A stranger with a real browser: link, team, a passkey, out, and in again by the passkey; and pages without script."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import accounts, keys
from billing.members import links
from billing.models import Invitation, Member, MemberSession, SignInLink
from lookups.bulk import queue
from lookups.models import BulkDraft, BulkJob
from tests.browser import chromium
from tests.workspace.conftest import open_office

pytestmark = pytest.mark.django_db(transaction=True)
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
}


def newest_link(url: str) -> str:
    return f"{url}/app/sign-in/{links.read(SignInLink.objects.latest('pk'))}/"


@pytest.fixture
def url(live_server: Any) -> str:
    """Passkeys belong to names, never to numbers."""
    return str(live_server.url).replace("127.0.0.1", "localhost")


class TestAStranger:
    def test_signs_up_adds_a_passkey_and_comes_back_by_it(self, browser: Any, url: str) -> None:
        page = chromium.person(browser, width=390).new_page()
        complaints = chromium.listen(page)
        device = page.context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
        page.goto(f"{url}/app/settings/")
        page.get_by_label("E-mail address").fill("ada@quay.test")
        page.get_by_role("button", name="Send me a link").click()
        page.wait_for_url("**/sent/")
        page.goto(newest_link(url))
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Go on").click()
        page.get_by_label("Name of a new passkey").fill("Phone")
        page.get_by_role("button", name="Add a passkey").click()
        page.get_by_text("The passkey has been added").wait_for()
        page.locator(".me summary").click()
        page.get_by_role("button", name="Sign out", exact=True).first.click()
        page.wait_for_url(f"{url}/")
        page.goto(f"{url}/app/team/")
        page.get_by_role("button", name="Use a passkey").click()
        page.wait_for_url("**/app/team/")
        assert page.get_by_role("rowheader").inner_text().startswith("ada@quay.test")
        assert complaints == []

    def test_hears_why_there_is_no_second_passkey(self, browser: Any, url: str) -> None:
        page = chromium.enter(browser, open_office(), url)
        device = page.context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
        page.goto(f"{url}/app/settings/")
        add = page.get_by_role("button", name="Add a passkey")
        add.click()
        page.get_by_text("The passkey has been added").wait_for()
        add.click()
        page.get_by_text("This device has a passkey for you here already.").wait_for()
        MemberSession.objects.update(began_at=timezone.now() - timedelta(hours=2))  # since the page was shown
        add.click()
        page.get_by_text("Sign in again first: a passkey can be added only within an hour of signing in.").wait_for()
        MemberSession.objects.all().delete()
        add.click()
        page.get_by_text("You are signed out. Load this page again.").wait_for()
        page.context.close()


# Whether the page keeps back the first and the second sending of its form
KEPT_BACK = """() => [1, 2].map(() => {
  const sent = new Event('submit', {bubbles: true, cancelable: true})
  document.querySelector('form[data-once]').dispatchEvent(sent)
  return sent.defaultPrevented
})"""


class TestAFormThatIsSentOnce:
    @pytest.mark.parametrize("path", ["/app/sign-in/", "/app/keys/new/", "/app/settings/erase/", "/privacy/"])
    def test_is_not_sent_again_by_a_second_click(self, browser: Any, url: str, path: str) -> None:
        member = open_office()
        is_entered = path not in ("/app/sign-in/", "/privacy/")
        page = chromium.enter(browser, member, url) if is_entered else chromium.person(browser).new_page()
        page.goto(f"{url}{path}")
        assert page.evaluate(KEPT_BACK) == [False, True]
        page.context.close()


class TestAFormThatIsSentAfterSigningOutInAnotherTab:
    def test_is_not_lost_without_a_word(self, browser: Any, url: str) -> None:
        page = chromium.enter(browser, open_office(), url)
        page.goto(f"{url}/app/balance/")
        other = page.context.new_page()
        other.goto(f"{url}/app/")
        other.locator(".me summary").click()
        other.get_by_role("button", name="Sign out", exact=True).first.click()
        other.wait_for_url(f"{url}/")
        page.get_by_label("Monthly budget in USD").fill("250")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("alert").get_by_text("What you just sent was not accepted").wait_for()
        page.context.close()

    def test_is_not_missed_where_it_signs_out_as_well(self, browser: Any, url: str) -> None:
        page = chromium.enter(browser, open_office(), url)
        page.goto(f"{url}/app/")
        MemberSession.objects.all().delete()
        page.locator(".me summary").click()
        page.get_by_role("button", name="Sign out", exact=True).first.click()
        page.get_by_role("heading", name="Sign in").wait_for()
        assert page.get_by_role("alert").count() == 0
        page.context.close()


# What has the focus and is behind the head or the bar at the bottom; null where the page has it
BEHIND = """() => {
  const one = document.activeElement
  if (one === document.body) return null
  if (one.closest('.rail, .work-top, .skip')) return ''
  const box = one.getBoundingClientRect(), rail = document.querySelector('.rail')
  const floor = getComputedStyle(rail).position === 'fixed' ? rail.getBoundingClientRect().top : innerHeight
  const head = document.querySelector('.work-top').getBoundingClientRect().bottom
  return box.top >= floor - 1 || box.bottom <= head + 1 ? one.outerHTML.slice(0, 80) : ''
}"""

# Where the page ends that can be seen: at the edge of the window, or at the bar of a phone
FLOOR = """() => {
  const rail = document.querySelector('.rail')
  return getComputedStyle(rail).position === 'fixed' ? rail.getBoundingClientRect().top : innerHeight
}"""

# What is pressed and is lower than a finger needs
LOW = """() => [...document.querySelectorAll('button, .button, summary, select, nav a')]
  .filter(one => one.getClientRects().length && !one.closest('.crumbs'))
  .filter(one => one.getBoundingClientRect().height < 43.5).map(one => one.outerHTML.slice(0, 80))"""

# What is written beyond the cell of its table
BEYOND = """() => [...document.querySelectorAll('main td, main th')]
  .filter(one => one.getClientRects().length && !one.closest('thead') && one.scrollWidth > one.clientWidth + 1)
  .map(one => `${location.pathname}: ${one.outerHTML.slice(0, 120)}`)"""
PAGES = ("/app/", "/app/bulk/", "/app/history/", "/app/watches/", "/app/keys/", "/app/balance/", "/app/webhooks/")
PAGES += ("/app/balance/statement/", "/app/balance/receipts/", "/app/usage/", "/app/team/", "/app/settings/")


class TestThePages:
    def test_keep_what_is_written_in_its_place_on_a_small_phone_and_in_large_letters(
        self, browser: Any, url: str
    ) -> None:
        office, wrong, now = open_office(), [], timezone.now()
        other = accounts.open_account(name=f"bookkeeping@{'a' * 60}.test", email="", now=now)  # named as a new one is
        Invitation.objects.create(account=other, email=office.user.email, invited_by=other.name, created_at=now)
        with chromium.with_large_letters(browser) as large:
            for one, width in ((browser, 320), (large, 390), (large, 640), (large, 1440)):
                page = chromium.enter(one, office, url, width=width)
                for path in PAGES:
                    assert page.goto(url + path).status == 200, path
                    found = [*page.evaluate(BEYOND), *chromium.list_overflow(page)]
                    wrong += [f"{width} {path}: {each}" for each in found]
                page.context.close()
        assert wrong == []

    def test_keep_rows_of_usage_and_the_words_of_the_bar_whole_in_large_letters(
        self, browser: Any, url: str, switches: None
    ) -> None:
        office = open_office().work_in("sandbox")
        office.post("/app/", {"name": "Magic Found LLC", "state": "DE", "kind": "company"})
        with chromium.with_large_letters(browser) as large:
            page = chromium.enter(large, office, url, width=390)
            page.goto(f"{url}/app/usage/")
            assert page.locator(".usage td").count()
            assert chromium.list_overflow(page) == []
            words = [page.locator(".rail a", has_text=word).first for word in ("Ask", "History", "Watches")]
            assert len({one.evaluate("one => one.scrollHeight") for one in words}) == 1  # in one line, all of them
            page.context.close()

    @pytest.mark.parametrize("width", [720, 1024])
    def test_fit_a_window_magnified_to_twice_its_size_and_a_tablet_on_its_side(
        self, browser: Any, url: str, switches: None, width: int
    ) -> None:
        office = open_office(email="somebody-with-a-long-address@quay-street-compliance.test").work_in("sandbox")
        office.post("/app/bulk/", {"pasted": "Company,State\nBlue Herron Logistic LLC,DE\nMagic Ambiguous LLC,NC\n"})
        office.post(f"/app/bulk/drafts/{BulkDraft.objects.get().pk}/buy/", {"revision": "1"})
        queue.work(now=timezone.now())
        where = ["2001:db8:1111:2222:3333:4444:5555:6666/128", "192.0.2.0/24"]
        everything = ["account", "bulk", "keys", "lookup", "names", "watches"]
        named = {"name": "nightly import", "mode": "test", "scopes": everything, "allowed_networks": where}
        keys.issue(account=office.account, now=timezone.now(), **named)
        page, wrong = chromium.enter(browser, office, url, width=width), []
        for path in (*PAGES, f"/app/bulk/{BulkJob.objects.get().public_id}/"):
            assert page.goto(url + path).status == 200, path
            wrong += [f"{path}: {one}" for one in chromium.list_overflow(page)]
        page.context.close()
        assert wrong == []

    @pytest.mark.parametrize(("width", "mode"), [(320, "live"), (390, "sandbox"), (720, "sandbox"), (1440, "live")])
    def test_let_somebody_of_many_accounts_reach_each_of_them_and_sign_out(
        self, browser: Any, url: str, width: int, mode: str
    ) -> None:
        office, now = open_office().work_in(mode), timezone.now()
        for number in range(20):
            name = f"bookkeeping-{number}@{'a' * 60}.test"  # as an account is called that somebody has opened
            account = accounts.open_account(name=name, email="", now=now)
            Member.objects.create(user=office.user, account=account, role="viewer", joined_at=now)
        page = chromium.enter(browser, office, url, width=width)
        page.goto(f"{url}/app/settings/")
        page.locator(".me summary").click()
        buttons = page.locator(".me-menu button").all()
        assert len(buttons) == 21
        for button in (buttons[0], buttons[-1]):
            button.scroll_into_view_if_needed()
            box, floor = button.bounding_box(), page.evaluate(FLOOR)
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= floor
        assert chromium.list_overflow(page) == []
        page.context.close()

    @pytest.mark.parametrize("width", [390, 1440])
    @pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
    def test_show_what_the_keyboard_has_come_to(self, browser: Any, url: str, width: int, key: str) -> None:
        page = chromium.enter(browser, open_office(), url, width=width)
        behind = []
        for height in (560, 600, 640, 680):  # whatever ends up at the edge of the window
            page.set_viewport_size({"width": width, "height": height})
            page.goto(f"{url}/app/watches/new/")
            for _ in range(60):
                page.keyboard.press(key)
                found = page.evaluate(BEHIND)
                if found is None:
                    break
                behind.append(found)
        page.context.close()
        assert len(behind) > 100
        assert [one for one in behind if one] == []

    @pytest.mark.parametrize(("width", "menu"), [(390, ".me"), (390, ".more"), (1440, ".me")])
    def test_close_a_menu_by_escape_and_go_on_where_it_was_opened(
        self, browser: Any, url: str, width: int, menu: str
    ) -> None:
        page = chromium.enter(browser, open_office(), url, width=width)
        page.goto(f"{url}/app/settings/")
        summary = page.locator(f"{menu} summary")
        summary.press("Enter")
        page.keyboard.press("Tab")
        chromium.expect(page.locator(f"{menu}[open] :focus")).to_be_visible()
        page.keyboard.press("Escape")
        assert page.locator(f"{menu}[open]").count() == 0
        assert summary.evaluate("one => one === document.activeElement")
        page.context.close()

    def test_begin_where_something_is_wrong(self, browser: Any, url: str) -> None:
        page = chromium.enter(browser, open_office(), url)
        page.goto(f"{url}/app/")
        page.get_by_label("Name", exact=True).fill("Acme Corp")
        page.keyboard.press("Enter")
        page.get_by_text("Choose a state, or anywhere.").wait_for()
        chromium.expect(page.get_by_label("State", exact=True)).to_be_focused()
        page.goto(f"{url}/app/team/")
        page.get_by_label("E-mail address").fill("nobody")
        page.keyboard.press("Enter")
        page.locator("[aria-invalid=true]").wait_for()
        chromium.expect(page.get_by_label("E-mail address")).to_be_focused()
        page.context.close()

    def test_have_room_for_a_finger(self, browser: Any, url: str) -> None:
        page = chromium.enter(browser, open_office(), url, width=390)
        low = []
        for path in (
            "/app/",
            "/app/bulk/",
            "/app/history/",
            "/app/team/",
            "/app/settings/",
            "/app/webhooks/",
            "/states/",
        ):
            page.goto(url + path)
            low += page.evaluate(LOW)
        page.context.close()
        assert low == []

    def test_are_for_everybody(self, browser: Any, url: str, tmp_path: Any) -> None:
        office = open_office()
        documents, found = {}, []
        for width in (390, 1440):
            page = chromium.enter(browser, office, url, width=width, color="dark" if width == 390 else "light")
            complaints = chromium.listen(page)
            for path in ("/app/team/", "/app/settings/", "/app/settings/erase/", "/app/sign-in/sent/"):
                reply = page.goto(url + path)
                documents[re.sub(r"\W", "-", path)] = reply.text() if reply else ""
                found += chromium.list_overflow(page)
                found += chromium.judge(page)
            found += complaints
            page.context.close()
        found += chromium.validate(documents, tmp_path) if chromium.VALIDATOR.exists() else []
        assert found == []
