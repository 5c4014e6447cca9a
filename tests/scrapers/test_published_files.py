"""Each state's published file is read as it is described, down to the last column; a shifted one is refused."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.bulk_data import copies, reading, refresh
from scrapers.bulk_data.layouts import illinois
from scrapers.bulk_data.stored_form import from_plain, to_plain
from scrapers.failures import PageChanged
from scrapers.normalize import officers
from scrapers.normalize.placeholders import without_placeholders
from scrapers.records import Address, EntityRecord, NotFound, Officer, Query
from scrapers.search.pipeline import ask, ask_copy_for_name
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import NOW


def read(state: str, path: Path) -> list[EntityRecord]:
    portal = discovery.find_portal(state)
    assert portal is not None
    published = refresh.get_bulk_data(portal)
    return [record for row in reading.rows(path, published) if (record := published.record(row)) is not None]


def status_class(state: str, record: EntityRecord) -> str:
    portal = discovery.find_portal(state)
    assert portal is not None
    return portal.status_meaning(record.status).status_class


def fixed(width: int, *parts: tuple[int, str]) -> str:
    line = [" "] * width
    for at, text in parts:
        line[at : at + len(text)] = text
    return "".join(line)


def zipped(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return path


class TestIllinois:
    """Six fixed-width files, joined by file number."""

    def folder(self, tmp_path: Path, *, master: list[str] | None = None, **others: list[str]) -> Path:
        corporation = [
            fixed(40, (0, "00000017"), (8, "19990506"), (24, "17"), (29, "00"), (31, "4")),
            fixed(40, (0, "00000025"), (8, "20010101"), (24, "10"), (29, "14"), (31, "6")),
        ]
        files = {
            "cdxallmst": master or corporation,
            "cdxallnam": [
                fixed(197, (0, "00000017"), (8, "GRANITE PEAK INC")),
                fixed(197, (0, "00000025"), (8, "OLD MILL CORP")),
            ],
            "cdxallagt": [
                fixed(
                    164,
                    (0, "00000025"),
                    (8, "JORDAN SAMPLE"),
                    (68, "1 EXAMPLE ST"),
                    (113, "CHICAGO"),
                    (152, "606010000"),
                ),
            ],
            "llcallmst": [
                fixed(
                    136,
                    (0, "01234567"),
                    (14, "02"),
                    (24, "20150203"),
                    (41, "IL"),
                    (43, "5 OAK ST"),
                    (88, "PEORIA"),
                    (118, "61602"),
                    (127, "IL"),
                ),
            ],
            "llcallnam": [fixed(128, (0, "01234567"), (8, "BLUE HERON LOGISTICS LLC"))],
            "llcallagt": [
                fixed(
                    164,
                    (0, "01234567"),
                    (9, "HARBOR AGENTS INC"),
                    (69, "2 EXAMPLE ST"),
                    (114, "SPRINGFIELD"),
                    (144, "62701"),
                ),
            ],
        }
        for name, lines in (files | others).items():
            text = "\r\n".join(["HEADER 20260101", *lines, "TRAILER 000002"]) + "\r\n"
            zipped(tmp_path / f"{name}.zip", **{f"{name}__txt": text})
        return tmp_path

    def test_is_joined_by_file_number(self, tmp_path: Path) -> None:
        first, second, llc = read("IL", self.folder(tmp_path))
        assert (first.entity_name, first.agent_name) == ("GRANITE PEAK INC", None)
        assert (second.entity_name, second.agent_name, second.jurisdiction) == ("OLD MILL CORP", "JORDAN SAMPLE", "DE")
        assert (second.agent_address.city, second.agent_address.zip) == ("CHICAGO", "60601")
        assert (llc.entity_name, llc.principal_address.city) == ("BLUE HERON LOGISTICS LLC", "PEORIA")
        assert (llc.agent_address.street, llc.agent_address.city) == ("2 EXAMPLE ST", "SPRINGFIELD")

    def test_has_its_codes_read_by_the_offices_own_lists(self, tmp_path: Path) -> None:
        portal = discovery.find_portal("IL")
        assert portal is not None
        told = [
            (found.status, portal.status_meaning(found.status).status_class, found.entity_type, found.jurisdiction)
            for found in read("IL", self.folder(tmp_path))
        ]
        assert told == [
            ("Goodstanding", "active", "Domestic Business Corporation", "IL"),
            ("Administratively Dissolved", "inactive", "Foreign Business Corporation", "DE"),
            ("NGS", "active", "Limited Liability Company", "IL"),
        ]
        assert portal.status_meaning("NGS").reason == "not_in_good_standing"

    def test_gives_one_number_two_meanings(self, tmp_path: Path) -> None:
        master = [
            fixed(40, (0, "00000017"), (24, "17"), (29, "02"), (31, "5")),
            fixed(40, (0, "00000025"), (24, "64"), (29, "00"), (31, "3")),
        ]
        going, named, llc = read("IL", self.folder(tmp_path, master=master))
        assert (going.status, going.entity_type) == ("Intent to dissolve", "Not-for-Profit Corporation")
        assert (llc.status, named.jurisdiction) == ("NGS", "64")

    def test_names_no_agent_who_vacated_the_office(self, tmp_path: Path) -> None:
        corporations = [fixed(164, (0, "00000025"), (8, "JORDAN SAMPLE"), (68, "1 EXAMPLE ST"), (151, "9"))]
        companies = [fixed(164, (0, "01234567"), (8, "9"), (9, "HARBOR AGENTS INC"), (69, "2 EXAMPLE ST"))]
        _, second, llc = read("IL", self.folder(tmp_path, cdxallagt=corporations, llcallagt=companies))
        assert (second.agent_name, second.agent_address) == (None, Address())
        assert (llc.agent_name, llc.agent_address) == (None, Address())

    def test_names_an_agent_who_is_about_to_vacate_it(self, tmp_path: Path) -> None:
        corporations = [fixed(164, (0, "00000025"), (8, "JORDAN SAMPLE"), (151, "8"))]
        _, second, _ = read("IL", self.folder(tmp_path, cdxallagt=corporations))
        assert second.agent_name == "JORDAN SAMPLE"

    def test_takes_no_country_of_an_llc_for_a_state(self, tmp_path: Path) -> None:
        home, office = (41, "17"), ((43, "5 OAK ST"), (88, "TORONTO"), (118, "M5V2T6"), (127, "25"))
        company = fixed(136, (0, "01234567"), (14, "00"), home, *office)
        *_, llc = read("IL", self.folder(tmp_path, llcallmst=[company]))
        assert llc.jurisdiction is None
        assert (llc.principal_address.city, llc.principal_address.state) == ("TORONTO", None)

    @pytest.mark.django_db
    def test_holds_names_alone_that_are_no_companies_and_are_taken(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        talk = Conversation("IL")
        monkeypatch.setattr(type(talk.portal), "bulk_data", replace(illinois.BULK_DATA, least_rows=1))
        master = [fixed(40, (0, "00000017"), (8, "19990506"), (24, "10"), (29, "00"), (31, "3"))]
        refresh.load(portal=talk.portal, file=self.folder(tmp_path, master=master), as_of=NOW, now=NOW)
        question, copy = Query("IL", "Granite Peak Inc"), copies.find_current("IL")
        told = ask(talk.portal, talk.session, question, now=NOW, threshold=0.92, copy=copy)
        assert isinstance(told, NotFound)
        verdict, _ = ask_copy_for_name(talk.portal, talk.session, question, now=NOW, copy=copy)
        assert verdict.verdict == "taken"

    @pytest.mark.parametrize("day", ["00000000", " " * 8])
    def test_has_no_day_where_noughts_or_blanks_stand_for_it(self, tmp_path: Path, day: str) -> None:
        master = [fixed(40, (0, "00000017"), (8, day), (29, "00"), (31, "4"))]
        assert read("IL", self.folder(tmp_path, master=master))[0].formation_date is None

    def test_never_guesses_what_a_code_means_that_is_in_no_list(self, tmp_path: Path) -> None:
        master = [fixed(40, (0, "00000017"), (29, "18"), (31, "9"))]
        record = read("IL", self.folder(tmp_path, master=master))[0]
        portal = discovery.find_portal("IL")
        assert portal is not None
        assert (record.status, record.entity_type) == ("status code 18", "Corporation")
        assert portal.status_meaning(record.status).reason == "unrecognised_status"

    def test_knows_a_word_for_every_code_it_names(self) -> None:
        portal = discovery.find_portal("IL")
        assert portal is not None
        words = {*illinois._CORPORATION_STATUS.values(), *illinois._LLC_STATUS.values()}
        assert [word for word in words if portal.status_meaning(word).reason == "unrecognised_status"] == []

    def test_is_refused_when_the_files_are_not_in_order(self, tmp_path: Path) -> None:
        master = [fixed(40, (0, "00000025"), (29, "00")), fixed(40, (0, "00000017"), (29, "00"))]
        with pytest.raises(PageChanged, match="cannot be joined"):
            read("IL", self.folder(tmp_path, master=master))

    @pytest.mark.parametrize("part", ["cdxallmst", "cdxallnam", "cdxallagt"])
    def test_is_refused_when_a_line_is_shifted(self, tmp_path: Path, part: str) -> None:
        folder = self.folder(tmp_path)
        with zipfile.ZipFile(folder / f"{part}.zip") as archive:
            (member,) = archive.namelist()
            text = archive.read(member).decode()
        zipped(folder / f"{part}.zip", **{member.replace(".", "__"): text.replace("00000025", " 0000025")})
        with pytest.raises(PageChanged, match="does not begin with a number"):
            read("IL", folder)

    def test_is_refused_when_a_line_is_cut(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="status"):
            read("IL", self.folder(tmp_path, master=["0000001719990506"]))

    def test_is_refused_when_an_entity_has_no_name(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="no name"):
            read("IL", self.folder(tmp_path, master=[fixed(40, (0, "00000018"), (29, "00"))]))


class TestFlorida:
    """One line of 1,440 characters an entity."""

    def line(self, *parts: tuple[int, str]) -> str:
        return fixed(
            1440,
            (0, "L99000007022"),
            (12, "BLUE HERON LOGISTICS LLC"),
            (204, "A"),
            (205, "FLAL"),
            (220, "1 EXAMPLE ST"),
            (262, "STE 5"),
            (304, "TAMPA"),
            (332, "FL"),
            (334, "33602"),
            (344, "US"),
            (346, "PO BOX 7"),
            (430, "MIAMI"),
            (458, "FL"),
            (460, "33101"),
            (472, "10251999"),
            (480, "590000001"),
            (503, "FL"),
            (544, "SAMPLE"),
            (564, "JORDAN"),
            (578, "A"),
            (586, "P"),
            (587, "2 EXAMPLE ST"),
            (629, "TAMPA"),
            (657, "FL"),
            (659, "336030000"),
            (668, "MGRM"),
            (672, "P"),
            (673, "DE LA MUESTRA"),
            (693, "MARIA ELENA"),
            (715, "3 EXAMPLE ST"),
            (757, "OCALA"),
            (785, "FL"),
            (787, "34470"),
            *parts,
        )

    def test_is_cut_at_the_published_places(self, tmp_path: Path) -> None:
        found = read("FL", zipped(tmp_path / "cordata.zip", cordata0__txt=self.line() + "\r\n"))[0]
        assert (found.entity_id, found.entity_name, found.status) == (
            "L99000007022",
            "BLUE HERON LOGISTICS LLC",
            "Active",
        )
        assert (found.formation_date, found.fei_ein_number) == ("10/25/1999", "590000001")
        assert (found.principal_address.street, found.principal_address.zip) == ("1 EXAMPLE ST, STE 5", "33602")
        assert (found.mailing_address.street, found.mailing_address.city) == ("PO BOX 7", "MIAMI")
        assert (found.agent_name, found.agent_address.zip) == ("SAMPLE, JORDAN A", "33603")
        officer = found.officers[0]
        assert (officer.name, officer.title, officer.address) == (
            "DE LA MUESTRA, MARIA ELENA",
            "MGRM",
            "3 EXAMPLE ST, OCALA, FL 34470",
        )
        assert status_class("FL", found) == "active"

    @pytest.mark.parametrize("shown", ["NONE", "N/A", "APPLIED FOR", "NOT APPLICABLE", "Applied For", "00-0000000"])
    def test_has_no_federal_number_where_none_stands_in_its_place(self, tmp_path: Path, shown: str) -> None:
        line = self.line((480, shown.ljust(14)))
        found = read("FL", zipped(tmp_path / "cordata.zip", cordata0__txt=line + "\r\n"))[0]
        assert without_placeholders(found).fei_ein_number is None

    def officer(self, tmp_path: Path, kind: str, name: str) -> Officer:
        line = self.line((672, kind), (673, name.ljust(42)))
        return read("FL", zipped(tmp_path / "cordata.zip", cordata0__txt=line + "\r\n"))[0].officers[0]

    @pytest.mark.parametrize(
        ("name", "given", "family"),
        [
            ("SAMPLE              JORDAN        A", "Jordan", "Sample"),
            ("DE LA MUESTRA       MARIA         ELENA", "Maria", "De La Muestra"),
            ("SAMPLE JR           JORDAN", "Jordan", "Sample"),
            ("STATE               JORDAN        Q", "Jordan", "State"),
            ("GROUP               JORDAN", "Jordan", "Group"),
            ("MUESTRA DE LA PRUEBAMARIA         ELENA", "Maria", "Muestra De La Prueba"),  # twenty letters
            ("SAMPLE, JORDAN A", "Jordan", "Sample"),  # written out
            ("SAMPLE", None, None),
        ],
    )
    def test_names_a_person_by_its_columns(
        self, tmp_path: Path, name: str, given: str | None, family: str | None
    ) -> None:
        told = officers.read(self.officer(tmp_path, "P", name))
        assert told == {"givenName": given, "familyName": family, "kind": "person"}

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("C", "EXAMPLE HOLDINGS, LLC"),
            ("C", "JORDAN SAMPLE"),  # a company with a person's name
            ("P", "SUNSHINE REGISTERED AGENTS LLC"),  # filed as a person
            ("P", "SUNSHINE STATE CORPORATE SERVICES"),
        ],
    )
    def test_names_a_company_as_it_stands(self, tmp_path: Path, kind: str, name: str) -> None:
        found = self.officer(tmp_path, kind, name)
        assert found.name == name
        assert officers.read(found) == {"givenName": None, "familyName": None, "kind": "organization"}
        assert from_plain(to_plain(EntityRecord("X", "1", officers=(found,)))).officers == (found,)

    def test_comes_in_several_files(self, tmp_path: Path) -> None:
        second = self.line((0, "P97000000001"), (204, "I"))
        path = zipped(tmp_path / "c.zip", cordata0__txt=self.line() + "\n", cordata1__txt=second + "\n")
        assert [record.status for record in read("FL", path)] == ["Active", "Inactive"]

    def test_is_refused_when_a_line_is_shifted(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged):
            read("FL", zipped(tmp_path / "c.zip", cordata0__txt=" " + self.line()[:-1] + "\n"))
        with pytest.raises(PageChanged, match="characters"):
            read("FL", zipped(tmp_path / "c.zip", cordata0__txt=self.line()[:-1] + "\n"))

    def test_is_fetched_by_the_operator(self, tmp_path: Path, settings) -> None:
        portal = discovery.find_portal("FL")
        settings.VAR_DIR = tmp_path
        with pytest.raises(copies.LoadRefused, match="--file"):
            refresh.fetch(portal=portal, now=datetime(2026, 11, 21, tzinfo=UTC))

    def test_is_cut_by_bytes_and_each_field_decoded_by_itself(self, tmp_path: Path) -> None:
        raw = bytearray(self.line().encode("ascii"))
        raw[12:204] = "DEAN\u2019S LUXURY & RENT A CAR LLC".encode().ljust(192)
        raw[220:262] = "1 CAFÉ ST".encode("cp1252").ljust(42)
        with zipfile.ZipFile(tmp_path / "cordata.zip", "w") as archive:
            archive.writestr("cordata0.txt", bytes(raw) + b"\r\n")
        (found,) = read("FL", tmp_path / "cordata.zip")
        assert found.entity_name == "DEAN\u2019S LUXURY & RENT A CAR LLC"
        assert found.principal_address.street == "1 CAFÉ ST, STE 5"
        assert (found.status, found.agent_name, found.principal_address.zip) == ("Active", "SAMPLE, JORDAN A", "33602")


class TestFloridaWithItsEventsAndFictitiousNames:
    """A folder with the three files."""

    NUMBER = "L99000007022"

    def event(self, sequence: int, day: str, words: str, *, renamed: str = "", number: str = NUMBER) -> str:
        parts = [(0, number), (12, f"{sequence:05}"), (17, "CORLCNC"), (37, words), (85, day), (210, renamed)]
        return fixed(662, *parts, (412, "Y" if renamed else "N"))

    def fictitious(self, name: str, status: str, *owners: str) -> str:
        charters = [(388 + number * 171 + 159, owner) for number, owner in enumerate(owners)]
        return fixed(2098, (0, "G23000076163"), (12, name), (351, status), *charters)

    def folder(self, tmp_path: Path, events: list[str], names: list[str]) -> Path:
        folder = tmp_path / "fl"
        folder.mkdir()
        line = TestFlorida().line()
        zipped(folder / "cordata.zip", cordata0__txt=line + "\r\n")
        zipped(folder / "corevent.zip", corevt__txt="\r\n".join(events) + "\r\n")
        zipped(folder / "ficdata.zip", FICFILE__TXT="\r\n".join(names) + "\r\n")
        return folder

    def test_has_its_history_in_the_order_of_its_numbers(self, tmp_path: Path) -> None:
        events = [
            self.event(3, "03042021", "REINSTATEMENT"),
            self.event(1, "10251999", "LC NAME CHANGE", renamed="GREY HERON LOGISTICS LLC"),
            self.event(2, "09252020", "ADMIN DISSOLUTION FOR ANNUAL REPORT"),
            self.event(1, "01012001", "MERGER", number="P97000000001"),
        ]
        (found,) = read("FL", self.folder(tmp_path, events, []))
        assert [(one.date, one.title) for one in found.filings] == [
            ("10/25/1999", "LC NAME CHANGE"),
            ("09/25/2020", "ADMIN DISSOLUTION FOR ANNUAL REPORT"),
            ("03/04/2021", "REINSTATEMENT"),
        ]
        assert (found.former_names, found.status) == (("GREY HERON LOGISTICS LLC",), "Active")

    def test_has_the_fictitious_names_in_force_whichever_owner_it_is(self, tmp_path: Path) -> None:
        names = [
            self.fictitious("HERON EXPRESS", "A", "P97000000001", self.NUMBER),
            self.fictitious("HERON OF OLD", "E", self.NUMBER),
            self.fictitious("HERON NO MORE", "C", self.NUMBER),
            self.fictitious("SOMEBODY'S", "A", ""),
        ]
        (found,) = read("FL", self.folder(tmp_path, [], names))
        assert found.assumed_names == ("HERON EXPRESS",)

    def test_comes_back_from_the_database_with_both(self, tmp_path: Path) -> None:
        events = [self.event(1, "10251999", "LC NAME CHANGE", renamed="GREY HERON LOGISTICS LLC")]
        (found,) = read("FL", self.folder(tmp_path, events, [self.fictitious("HERON EXPRESS", "A", self.NUMBER)]))
        assert from_plain(to_plain(found)) == found

    @pytest.mark.parametrize(
        ("events", "names", "said"),
        [
            ([" " * 663], [], "663 characters, expected 662"),
            ([], ["G" * 2097], "2097 characters, expected 2098"),
            ([], [fixed(2098, (0, "G23000076163"), (12, "HERON"), (351, "X"))], "unknown status 'X'"),
        ],
    )
    def test_is_refused_when_one_of_them_is_shifted(
        self, tmp_path: Path, events: list[str], names: list[str], said: str
    ) -> None:
        with pytest.raises(PageChanged, match=said):
            read("FL", self.folder(tmp_path, events, names))

    def test_is_refused_beside_a_file_that_nobody_knows(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, [], [])
        (folder / "npcordata.zip").write_bytes(b"")
        with pytest.raises(PageChanged, match=r"npcordata\.zip"):
            read("FL", folder)


class TestTheRunbook:
    """docs/runbook.md."""

    def test_names_the_states_whose_files_are_fetched_by_the_operator(self) -> None:
        text = " ".join((settings.BASE_DIR / "docs" / "runbook.md").read_text(encoding="utf-8").split())
        named = text.partition("you fetch yourself, then `--file`:")[2].partition(". What is sold elsewhere")[0]
        ours = [one for one in discovery.list_publishers() if one.code in PLACES and one.bulk_data]
        by_hand = [one for one in ours if one.bulk_data.supplied or not one.bulk_data.url.startswith("https://")]
        assert {place.name for place in PLACES.values() if place.name in named} == {
            PLACES[one.code].name for one in by_hand
        }
        assert "Five you fetch yourself" in text
        assert len(by_hand) == 5
