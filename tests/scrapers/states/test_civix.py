"""The Civix platform's protocol where a saved page would be too long or too small to keep."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html

from scrapers.failures import PageChanged
from scrapers.platforms.civix import sections
from scrapers.records import Address, Found, NotFound
from scrapers.refusals import QueryRefused
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.states.test_nothing_shown import put

HOST = "https://cis.scc.virginia.gov/EntitySearch"
FORM = '<form><input type="hidden" name="__RequestVerificationToken" value="token-1"></form>'
HEADS = ("Entity ID", "Entity Name", "Name Type", "Entity Type", "Principal Office Address", "RA Name", "Status")


def row(number: str, name: str, kind: str = "Legal Name", link: str = "BusinessInformation") -> str:
    """A row as Virginia lists it."""
    anchor = f'<a href="/EntitySearch/{link}?businessId={number}">{number}</a>'
    cells = (anchor, name, kind, "Limited Liability Company", "", "", "Active")
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def grid(*rows: str, of: int | None = None, page: int = 1, pages: int = 1, counted: bool = True) -> str:
    """One page of the grid; `of` is the number of rows the pager speaks of."""
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    pager = (
        f'<li class="pageinfo">Page {page} of {pages}, records 1 to {len(rows)} of {of or len(rows)}</li>'
        if counted
        else ""
    )
    body = f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<div><table id="grid_businessList">{body}</table>{pager}</div>'


def detail(number: str, name: str) -> str:
    """The least an entity's page holds."""
    pairs = (("Entity Name", name), ("Entity ID", number), ("Entity Status", "Active"))
    lines = "".join(f'<div class="text-right">{label}:</div><div>{value}</div>' for label, value in pairs)
    return f'<div class="data_pannel0"><div class="section-title">Entity Information</div>{lines}</div>'


def talk(*pages: str, opened: str | None = None, searches: int = 1) -> Conversation:
    """Searches whose grids have these pages, and perhaps the entity that is opened."""
    steps: list[Any] = [
        *(answer("GET", f"{HOST}/Index", FORM) for _ in range(searches)),
        *(answer("POST", f"{HOST}/Index", page) for page in pages),
    ]
    if opened is not None:
        steps.append(answer("GET", f"{HOST}/BusinessInformation?businessId=11000001", opened))
    return Conversation("VA", *steps)


class TestAGrid:
    """Rows, a pager, and what they do not say."""

    def test_is_read_to_its_last_page(self) -> None:
        first, second = row("11000002", "HERON FREIGHT LLC"), row("11000001", "BLUE HERON LLC")
        conversation = talk(
            grid(first, of=2, pages=2),
            grid(second, of=2, page=2, pages=2),
            opened=detail("11000001", "BLUE HERON LLC"),
        )
        outcome = conversation.ask(name="Blue Heron LLC")
        assert isinstance(outcome, Found)
        assert outcome.record.entity_id == "11000001"

    def test_that_is_longer_than_what_was_read_proves_no_absence(self) -> None:
        cut = grid(row("11000002", "HERON FREIGHT LLC"), of=900)
        with pytest.raises(QueryRefused, match="too many"):
            talk(cut, cut, searches=2).ask(name="Blue Heron")

    def test_without_its_length_is_a_changed_page(self) -> None:
        with pytest.raises(PageChanged, match="how long"):
            talk(grid(row("11000001", "BLUE HERON LLC"), counted=False)).ask(name="Blue Heron")

    def test_that_leads_elsewhere_is_a_changed_page(self) -> None:
        with pytest.raises(PageChanged, match="leads to"):
            talk(grid(row("11000001", "BLUE HERON LLC", link="Purchase"))).ask(name="Blue Heron")

    def test_of_reserved_names_holds_no_company(self) -> None:
        reserved = grid(row("11000001", "BLUE HERON LLC", kind="Reserved Name"))
        outcome = talk(*(reserved,) * 4, searches=4).ask(name="Blue Heron LLC")
        assert isinstance(outcome, NotFound)

    def test_tells_operators_of_a_kind_of_name_never_seen(self) -> None:
        page = grid(row("11000001", "BLUE HERON LLC", kind="Borrowed Name"))
        conversation = talk(page, opened=detail("11000001", "TERN LLC"))
        outcome = conversation.ask(name="Blue Heron LLC")
        assert isinstance(outcome, Found)
        assert outcome.match.kind == "former_name"
        assert conversation.unread == ["name type 'Borrowed Name'"]


class TestAnEntitysPage:
    """Labels under headings."""

    def test_without_a_name_is_a_changed_page(self) -> None:
        page = detail("11000001", "BLUE HERON LLC").replace("Entity Name", "Trade Mark")
        with pytest.raises(PageChanged, match="details"):
            talk(grid(row("11000001", "BLUE HERON LLC")), opened=page).ask(name="Blue Heron LLC")

    def test_of_another_entity_is_a_changed_page(self) -> None:
        with pytest.raises(PageChanged, match="opened"):
            talk(grid(row("11000001", "BLUE HERON LLC")), opened=detail("11000009", "BLUE HERON LLC")).ask(
                name="Blue Heron LLC"
            )

    @pytest.mark.parametrize(
        ("shown", "zip_code"),
        [
            ("1 Main St, Richmond, VA, 23219 - 4100, USA", "23219-4100"),
            ("1 Main St, Richmond, VA, 23219 - 0000, USA", "23219"),
            ("1 Main St, Richmond, VA, 23219 - , USA", "23219"),
            ("1 Main St, Richmond, VA, 23219, USA", "23219"),
        ],
    )
    def test_writes_zip_codes_in_its_own_way(self, shown: str, zip_code: str) -> None:
        place = sections.address(shown)
        assert (place.street, place.city, place.state, place.zip) == ("1 Main St", "Richmond", "VA", zip_code)

    @pytest.mark.parametrize("shown", ["N/A", "NONE", "Not Available", "", None])
    def test_says_in_words_that_there_is_nothing(self, shown: str | None) -> None:
        assert not sections.address(shown)

    @pytest.mark.parametrize(
        "shown", ["NONE, CARMEL, IN, 46032, USA", "NONE, NONE, CARMEL, IN, 46032, USA", "N/A, CARMEL, IN, 46032, USA"]
    )
    def test_says_in_words_that_there_is_no_street(self, shown: str) -> None:
        assert sections.address(shown) == Address(None, "CARMEL", "IN", "46032", "USA")

    @pytest.mark.parametrize("heading", ["Principal Information", "PRINCIPAL INFORMATION", "Officer Information"])
    def test_says_that_there_are_no_principals_or_shows_them(self, heading: str) -> None:
        panel = f"<html><body><div>{heading}</div><div>{{}}</div></body></html>"
        none = html.fromstring(panel.format("No Principal(s) listed for this business."))
        assert sections.officers(none) == ()
        assert sections.officers(html.fromstring("<html><body><div>Principal Office</div></body></html>")) == ()
        moved = '<table id="grid_people"><tr><th>Name</th></tr><tr><td>Riley Sample</td></tr></table>'
        with pytest.raises(PageChanged, match="principals"):
            sections.officers(html.fromstring(panel.format(moved)))

    @pytest.mark.parametrize("gone", ["Historical", "Inactive"])
    def test_names_those_alone_who_are_still_in_office(self, gone: str) -> None:
        cells = ("Manager", "RILEY SAMPLE", "100 DESERT WAY, RENO, NV, 89501, USA", "02/01/2026", "Active")
        row = f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        former = row.replace("RILEY", "JORDAN").replace("Active", gone)
        found = put("NV", "active", (row, former + row))
        assert isinstance(found, Found), found
        assert [who.name for who in found.record.officers] == ["RILEY SAMPLE"]
        assert put("NV", "active", (row, row.replace("Active", "Disputed"))) == "layout_changed"

    def test_keeps_the_agents_name_apart_from_the_entitys(self) -> None:
        page = html.fromstring(
            '<div><div class="panel"><div class="panel-heading">Entity</div>'
            '<div class="label-side">Name:</div><div>HERON LLC</div></div>'
            '<div class="panel"><div class="panel-heading">Registered AGENT</div>'
            '<div class="label-side">Name:</div><div>RILEY SAMPLE</div></div></div>'
        )
        found = sections.read(page, sections.PANELS)
        assert (found.entity.one("Name"), found.agent.one("Name")) == ("HERON LLC", "RILEY SAMPLE")


class TestAListOfPrincipalsOfSeveralPages:
    """Of which the detail holds the first: operators learn of the others, whose answers nobody has recorded."""

    ROW = "<tr><td>President</td><td>JORDAN EXAMPLE</td><td>12 Elm St, Salem, VA, 24153, USA</td></tr>"
    HEADS = "<thead><tr><th>Title</th><th>Name</th><th>Address</th></tr></thead>"
    THREE = '<li class="pageinfo">Page 1 of 3, records 1 to 5 of 12</li>'

    def told(self, pager: str) -> list[str]:
        table = f'<table id="grid_principalList">{self.HEADS}<tbody>{self.ROW}</tbody></table>{pager}'
        opened = f"{detail('11000001', 'BLUE HERON LLC')}<div>{table}</div>"
        chat = talk(grid(row("11000001", "BLUE HERON LLC")), opened=opened)
        found = chat.ask(name="Blue Heron LLC")
        assert isinstance(found, Found)
        assert [officer.name for officer in found.record.officers] == ["JORDAN EXAMPLE"]
        return chat.unread

    def test_is_noted(self) -> None:
        assert self.told(f"<table><tbody><tr><td>{self.THREE}</td></tr></tbody></table>") == [
            "principals beyond page 1 of 3"
        ]

    @pytest.mark.parametrize(
        "pager",
        [
            "",
            '<li class="pageinfo">Page 1 of 1, records 1 to 1 of 1</li>',
            f"<table><thead><tr><th>Filing</th></tr></thead></table>{THREE}",
        ],
    )
    def test_is_not_noted_of_one_page_or_of_another_list(self, pager: str) -> None:
        assert self.told(pager) == []
