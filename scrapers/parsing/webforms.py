"""ASP.NET WebForms: sends a page's form back as a browser would, with the view state it carries.

Ten registries run on this platform. Its pages are conversations: a button of a result row works only together with
the hidden state of the page it stands on, so a step always starts from the page before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.html import missing_result, select, text_of
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_POST_BACK = re.compile(r"__doPostBack\(\s*'([^']*)'\s*,\s*'([^']*)'\s*\)")
_PAGE_ARGUMENT = re.compile(r"^Page\$(\d+)$")
_BUTTONS = frozenset({"submit", "button", "image", "reset", "file"})


class WebForm:
    """The server form of one page: what it would send, its buttons, its post-back links.

    `fields` are the values a browser would send if nobody touched the form; every control may be named by the end
    of its name ("txtSearch" for "ctl00$MainContent$txtSearch"), because the prefix follows the page's layout.
    """

    def __init__(self, page: Page, *, what: str = "the search form", css: str = "form") -> None:
        self.page, self.tree = page, page.html()
        self._form = self._server_form(css, what)
        self.fields = _values(self._form)
        self.action = page.link(self._form.get("action") or page.url)

    def _server_form(self, css: str, what: str) -> HtmlElement:
        """The form with the view state; other forms (site search, newsletters) may stand beside it."""
        forms = select(self.tree, css)  # the tree itself among them, when the page is nothing but a form
        found = [form for form in forms if form.xpath(".//input[@name='__VIEWSTATE']")]
        if not found:
            raise missing_result(self.page, what)
        if len(found) > 1:
            raise PageChanged(f"{self.page.url}: {len(found)} forms with a view state")
        return found[0]

    def name(self, ending: str) -> str:
        """The full name of the one control whose name ends so; PageChanged when there is none, or more."""
        controls = {str(control.get("name")) for control in self._form.xpath(".//*[@name]")}
        found = sorted(name for name in controls if name == ending or name.endswith("$" + ending))
        if len(found) != 1:
            raise PageChanged(f"{self.page.url}: {len(found)} controls are named {ending!r}")
        return found[0]

    def press(
        self,
        session: PortalSession,
        button: str,
        values: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Page:
        """Fill in `values` (by the end of the control's name) and press one button."""
        name = self.name(button)
        labels = self._form.xpath(".//*[@name=$name]/@value", name=name)
        return self._send(session, {name: str(labels[0]) if labels else ""}, values, headers)

    def post_back(
        self,
        session: PortalSession,
        target: str,
        argument: str = "",
        values: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Page:
        """Do what a `__doPostBack(target, argument)` link of the page does."""
        return self._send(session, {"__EVENTTARGET": target, "__EVENTARGUMENT": argument}, values, headers)

    def next_page(self, number: int, grid: str) -> tuple[str, str] | None:
        """The post-back of a grid's pager that leads to page `number`, or None when the pager has no such link."""
        for target, argument in post_backs(self._form):
            found = _PAGE_ARGUMENT.match(argument)
            if found and int(found[1]) == number and target.endswith(grid):
                return target, argument
        return None

    def _send(
        self,
        session: PortalSession,
        extra: Mapping[str, str],
        values: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
    ) -> Page:
        changed = {self.name(ending): value for ending, value in (values or {}).items()}
        return session.post(self.action, form=self.fields | changed | dict(extra), headers=headers)


def post_backs(root: HtmlElement) -> list[tuple[str, str]]:
    """Every `__doPostBack(target, argument)` in the links of a part of the page, in page order."""
    found = []
    for script in root.xpath(".//@href | .//@onclick"):
        match = _POST_BACK.search(str(script))
        if match:
            found.append((match[1], match[2]))
    return found


def spans(root: HtmlElement, prefix: str, *, suffix: str = "") -> dict[str, str]:
    """Text of the elements whose id is `prefix` + a name + `suffix`, by that name: how a page of labels is read."""
    found: dict[str, str] = {}
    for element in root.xpath(".//*[starts-with(@id, $prefix)]", prefix=prefix):
        name = element.get("id").removeprefix(prefix)
        if suffix and not name.endswith(suffix):
            continue
        found[name.removesuffix(suffix) if suffix else name] = text_of(element)
    return found


def _values(form: HtmlElement) -> dict[str, str]:
    """The successful controls of a form, buttons left out: the caller names the one that is pressed."""
    values: dict[str, str] = {}
    for control in form.xpath(".//input[@name] | .//select[@name] | .//textarea[@name]"):
        if control.get("disabled") is not None:
            continue
        kind = (control.get("type") or "text").lower() if control.tag == "input" else control.tag
        if kind in _BUTTONS:
            continue
        if kind in ("checkbox", "radio"):
            if control.get("checked") is not None:
                values[control.get("name")] = control.get("value") or "on"
        elif kind == "select":
            values[control.get("name")] = _chosen(control)
        else:
            values[control.get("name")] = (control.text or "") if kind == "textarea" else control.get("value") or ""
    return values


def _chosen(select: HtmlElement) -> str:
    options = select.xpath("./option[@selected] | .//optgroup/option[@selected]") or select.xpath(".//option")[:1]
    if not options:
        return ""
    value = options[0].get("value")
    return text_of(options[0]) if value is None else str(value)
