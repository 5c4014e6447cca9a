"""ASP.NET WebForms: what a browser would send, and nothing a browser would not."""

from __future__ import annotations

import time

import pytest
from lxml import html

from scrapers.failures import PageChanged, PortalBlocked
from scrapers.parsing.webforms import WebForm, post_backs, spans
from scrapers.transport.page import Page
from scrapers.transport.recording import Replay
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.conversation import answer

SEARCH = "https://portal.example/Search.aspx"
FORM = """<html><body>
<form action="/site-search"><input name="q" value=""></form>
<form method="post" action="./Search.aspx">
  <input type="hidden" name="__EVENTTARGET" value=""><input type="hidden" name="__EVENTARGUMENT" value="">
  <input type="hidden" name="__VIEWSTATE" value="state-1">
  <input type="radio" name="ctl00$Main$kind" value="NAME" checked><input type="radio" name="ctl00$Main$kind" value="ID">
  <input type="checkbox" name="ctl00$Main$active"><input type="checkbox" name="ctl00$Main$agree" checked>
  <select name="ctl00$Main$county"><option value="">All</option><option value="07" selected>Elm</option></select>
  <textarea name="ctl00$Main$note">as it is</textarea>
  <input name="ctl00$Main$txtName" value="before"><input name="ctl00$Main$off" value="x" disabled>
  <input type="submit" name="ctl00$Main$btnSearch" value="Search">
  <input type="submit" name="ctl00$Main$btnReset" value="R">
  <table id="grid"><tr><td><a href="javascript:__doPostBack('ctl00$Main$grid','Page$2')">2</a></td>
  <td><a onclick="javascript:__doPostBack('ctl00$Main$grid$ctl03$open','')">open</a></td></tr></table>
</form></body></html>"""
ALWAYS = {
    "__EVENTTARGET": "",
    "__EVENTARGUMENT": "",
    "__VIEWSTATE": "state-1",
    "ctl00$Main$kind": "NAME",
    "ctl00$Main$agree": "on",
    "ctl00$Main$county": "07",
    "ctl00$Main$note": "as it is",
    "ctl00$Main$txtName": "before",
}


def page(body: str) -> Page:
    """A page as the transport hands it on."""
    return Page(SEARCH, 200, {"content-type": "text/html; charset=utf-8"}, body.encode())


def session(sent: dict[str, str]) -> PortalSession:
    """A conversation that expects just one post with this form."""
    return PortalSession(
        portal="XX",
        hosts=("portal.example",),
        settings=TransportSettings(user_agent="test"),
        deadline=time.monotonic() + 60,
        adapter=Replay([answer("POST", SEARCH, "<p>done</p>", sent=sent)]),
    )


class TestAForm:
    """The server form of a page."""

    def test_sends_what_a_browser_would_and_one_button(self) -> None:
        sent = ALWAYS | {"ctl00$Main$txtName": "Acme", "ctl00$Main$btnSearch": "Search"}
        WebForm(page(FORM)).press(session(sent), "btnSearch", {"txtName": "Acme"})

    def test_follows_a_post_back_link_without_any_button(self) -> None:
        form = WebForm(page(FORM))
        target, argument = form.next_page(2, "grid") or ("", "")
        sent = ALWAYS | {"__EVENTTARGET": "ctl00$Main$grid", "__EVENTARGUMENT": "Page$2"}
        form.post_back(session(sent), target, argument)

    def test_has_no_page_that_its_pager_does_not_lead_to(self) -> None:
        assert WebForm(page(FORM)).next_page(3, "grid") is None

    @pytest.mark.parametrize("ending", ["txtNothing", "Main"])
    def test_refuses_a_control_that_is_not_on_the_page(self, ending: str) -> None:
        with pytest.raises(PageChanged, match="0 controls"):
            WebForm(page(FORM)).name(ending)

    def test_is_a_changed_page_without_its_view_state(self) -> None:
        with pytest.raises(PageChanged, match="search form"):
            WebForm(page("<form><input name='q'></form>"))

    def test_is_a_wall_when_a_captcha_stands_in_its_place(self) -> None:
        with pytest.raises(PortalBlocked):
            WebForm(page("<form><div class='g-recaptcha'></div></form>"))


class TestAPageOfLabels:
    """Values found by the ends of their ids."""

    def test_gives_each_value_by_its_name(self) -> None:
        tree = html.fromstring('<div><span id="p_lblName_0">ACME</span><b id="p_lblId_0">1</b><i id="p_x">no</i></div>')
        assert spans(tree, "p_lbl", suffix="_0") == {"Name": "ACME", "Id": "1"}

    def test_gives_every_link_of_its_script(self) -> None:
        assert post_backs(html.fromstring(FORM)) == [
            ("ctl00$Main$grid", "Page$2"),
            ("ctl00$Main$grid$ctl03$open", ""),
        ]
