"""A spreadsheet that somebody drops, however it was saved."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest

from lookups.bulk.tables import delimited, lines
from lookups.bulk.tables.columns import Mapping, find_field, find_state, guess, list_states, read_fields
from lookups.bulk.tables.lines import Unreadable
from lookups.bulk.tables.reading import Table, letter, read_table
from tests.workspace.bulk import books

FAR_APART = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
KEPT = '<row r="1"><c r="A1"><v>7</v></c>'
CSV = "Customer No,Company,State\n7,Acme Corp,NY\n8,Zebra Inc,Delaware\n"


def cells(table: Table) -> list[list[str]]:
    return [line.cells for line in table.lines]


class TestATableInText:
    """CSV, and what spreadsheets put on the clipboard."""

    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    @pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
    def test_is_read_however_it_was_saved(self, separator: str, encoding: str, ending: str) -> None:
        text = CSV.replace("Acme", "Café Ñandú").replace(",", separator).replace("\n", ending)
        table = read_table(text.encode(encoding))
        assert table.headers == ["Customer No", "Company", "State"]
        assert cells(table) == [["7", "Café Ñandú Corp", "NY"], ["8", "Zebra Inc", "Delaware"]]
        assert [line.number for line in table.lines] == [2, 3]
        assert bool(table.notes) is (encoding == "cp1252")

    def test_keeps_leading_zeros_commas_and_lines_within_quotes(self) -> None:
        table = read_table(b'id,name,state\n00123,"Acme, Inc.",NY\n7,"Two\nLines LLC",DE\n8,Last,DE\n')
        assert cells(table) == [["00123", "Acme, Inc.", "NY"], ["7", "Two Lines LLC", "DE"], ["8", "Last", "DE"]]
        assert [line.number for line in table.lines] == [2, 3, 5]

    @pytest.mark.parametrize(
        "text",
        ["Acme, Inc.\nZebra, LLC\n", "Acme Corp\nZebra, Inc.\nQuayside Tea\n", "Acme Corp", "Acme Corp\n\n\nZebra\n"],
    )
    def test_may_be_a_list_of_names(self, text: str) -> None:
        table = read_table(text.encode())
        assert table.headers == ["Column A"]
        assert cells(table) == [[line] for line in text.split("\n") if line]

    def test_may_have_a_title_above_its_headings(self) -> None:
        table = read_table(b"Customers 2026,,\n,,\nName,State,No\nAcme,NY,1\n")
        assert table.headers == ["Name", "State", "No"]
        assert (cells(table), table.lines[0].number) == ([["Acme", "NY", "1"]], 4)
        assert table.notes == ["1 line above the headings was left out."]

    def test_without_headings_has_letters(self) -> None:
        table = read_table(b"Acme Corp,NY\nZebra Inc,DE\n")
        assert table.headers == ["Column A", "Column B"]
        assert len(table.lines) == 2

    def test_tells_equal_headings_apart_and_takes_ragged_lines(self) -> None:
        table = read_table(b"name,state,note,note\nAcme,NY,a,b,beyond\nZebra,DE\n")
        assert table.headers == ["name", "state", "note", "note (2)", "Column E"]
        assert cells(table) == [["Acme", "NY", "a", "b", "beyond"], ["Zebra", "DE", "", "", ""]]

    def test_have_different_headings_whatever_the_file_calls_them(self) -> None:
        table = read_table(b"name,state,note (2),note,note\nAcme,NY,a,b,c")
        assert len(set(table.headers)) == 5

    def test_loses_columns_that_nobody_filled(self) -> None:
        wide = "name,state" + "," * 10_000 + "\n" + "Acme,NY" + "," * 10_000 + "\n"
        assert read_table(wide.encode()).headers == ["name", "state"]

    def test_cuts_a_cell_that_goes_on_and_says_so(self) -> None:
        table = read_table(f"name,state,note\nAcme,NY,{'x' * 10_000}\n".encode())
        assert len(table.lines[0].cells[2]) == 2000
        assert table.notes == ["1 cells with more than 2,000 characters were cut there."]

    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            (b"", "nothing in it"),
            (b"\n \n", "nothing in it"),
            (b",,\n,,\n", "nothing in it"),
            (b"name,state\n", "no line beneath"),
            (b"\x89PNG\r\n\x1a\n\0\0\0", "neither text nor a workbook"),
            (b"\xff\xfea", "neither text nor a workbook"),
            (b'name,state\nAcme "x",NY\nZebra,"DE\n', "Line 3 is no line of a table"),
            (b"name,state\n" + b"Acme,NY\n" * 1001, "more than 1,000 rows"),
            (b"name,state\n" + b"Acme,NY\n" * 3000, "3,001 rows"),
            (b"name\n" + b"a" * 5_300_000, "more than 5 MB"),
            ((",".join(f"c{n}" for n in range(10_000)) + "\n" + "x," * 9_999 + "x\n").encode(), "10,000 columns"),
            (b"a,b\n" + (b"x" * 1999 + b"," + b"y" * 1999 + b"\n") * 900, "too much text"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1", "older kind"),
        ],
        ids=[
            "no_bytes",
            "blanks",
            "commas",
            "no_lines",
            "picture",
            "half_a_sign",
            "quotes",
            "1001",
            "3000",
            "bytes",
            "columns",
            "text",
            "xls",
        ],
    )
    def test_that_cannot_be_read_says_why(self, raw: bytes, why: str) -> None:
        with pytest.raises(Unreadable) as refused:
            read_table(raw)
        assert why in str(refused.value)

    @pytest.mark.parametrize(("before", "line"), [(b"name,state\n", b"a,NY\n"), (b"", b"a\n")], ids=["table", "list"])
    def test_keeps_no_more_rows_than_are_taken(self, before: bytes, line: bytes) -> None:
        """Five megabytes of short rows took 450 of the web server's, before they were refused."""
        tracemalloc.start()
        try:
            with pytest.raises(Unreadable, match=r"200,00[01] rows"):
                read_table(before + line * 200_000)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert most < 16 * 1024 * 1024

    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            (b"name,state\n" + b"a,NY\n" * 20_000, "20,001 rows"),
            (b"name,state\n" + b"a," * 20_000, "20,001 columns"),
            (b"name,state\n" + b"a," * 16_000 + b"\n", "16,000 columns"),
        ],
        ids=["rows", "too wide to look at", "too wide"],
    )
    def test_is_not_cleaned_cell_by_cell_where_it_is_refused_for_its_size(
        self, monkeypatch: pytest.MonkeyPatch, raw: bytes, why: str
    ) -> None:
        """Five megabytes of small cells held the web server for half a minute, before they were refused."""
        cleaned: list[str] = []

        def clean(text: str) -> str:
            cleaned.append(text)
            return lines.clean(text)

        monkeypatch.setattr(delimited, "clean", clean)
        with pytest.raises(Unreadable, match=why):
            read_table(raw)
        assert len(cleaned) <= max(2 * 1_020, delimited.WIDEST)


class TestATableInAWorkbook:
    """XLSX."""

    def test_is_read_with_its_numbers_and_days_as_text(self) -> None:
        rows = [
            ["Name", "State", "ID", "Since", "Yes"],
            ["Acme", "NY", 100001, datetime(2011, 3, 14, tzinfo=UTC), True],
        ]
        table = read_table(books.make(rows))
        assert table.headers == ["Name", "State", "ID", "Since", "Yes"]
        assert cells(table) == [["Acme", "NY", "100001", "2011-03-14", "TRUE"]]
        assert table.lines[0].kinds == {2: "number", 3: "date", 4: "yes_no"}
        assert table.lines[0].number == 2

    @pytest.mark.parametrize(
        ("code", "number", "shown"),
        [
            ("00000000", 12345, "00012345"),
            ("0000", 1234567, "1234567"),
            ('"C"0000000', 12345, "C0012345"),
            ("00\\-0000000", 12345678, "01-2345678"),
            ("000-00-0000", 1234, "000-00-1234"),
            ("00000;@", 501, "00501"),
            ('""00', 5, "05"),
            ("0", 12, "12"),
            ("0.00", 12, "12"),
            ("00000", 0.5, "0.5"),
            ("00000", -7, "-7"),
            ("#,##0", 1234, "1234"),
            ("yyyy", "1234", "1234"),
        ],
    )
    def test_has_the_zeros_that_its_numbers_are_shown_with(self, code: str, number: Any, shown: str) -> None:
        """An identifier "00012345" was asked for as 12345, and a reference came back as no list has it."""
        rows = [["Title"], ["Name", "State", "ID"], ["Acme", "NY", number], ["Zebra", "NY", "0042"]]
        table = read_table(books.make([[None, *row] for row in rows], formats={3: code}))
        assert [line.cells[2] for line in table.lines] == [shown, "0042"]

    def test_has_a_long_number_as_it_is_shown(self) -> None:
        """A reference of sixteen digits came back with ".0" behind it."""
        table = read_table(books.make([["Name", "State", "Ref"], ["Acme", "NY", 4111111111111110]]))
        assert cells(table) == [["Acme", "NY", "4111111111111110"]]

    def test_says_that_rows_were_read_which_are_hidden(self) -> None:
        """Whoever had filtered a list down to ten rows was asked to pay for all of it, and nothing said why."""
        rows = [["Name", "State"], ["Acme", "NY"], ["Zebra", "NY"], ["Quayside", "DE"]]
        assert read_table(books.make(rows)).notes == []
        assert read_table(books.make(rows, hidden=[2])).notes == ["1 row that the workbook hides was read as well."]
        hidden = read_table(books.make(rows, hidden=[1, 3, 9]))
        assert hidden.notes == ["2 rows that the workbook hides were read as well."]
        assert len(hidden.lines) == 3

    def test_is_never_computed(self) -> None:
        rows = [["Name", "State"], ['=HYPERLINK("http://evil.example","Acme")', "NY"], ["=1+1", "DE"]]
        table = read_table(books.make(rows))
        assert [line.cells[1] for line in table.lines] == ["NY", "DE"]
        assert not any("=" in line.cells[0] for line in table.lines)

    def test_has_the_text_of_merged_cells_in_each_line(self) -> None:
        rows = [["Title"], ["State", "Name"], [None, "Acme"], [None, "Zebra"], ["DE", "Quayside"]]
        table = read_table(books.make(rows, merged=[(0, 0, 0, 1, "Customers"), (2, 0, 3, 0, "NY")]))
        assert table.headers == ["State", "Name"]
        assert cells(table) == [["NY", "Acme"], ["NY", "Zebra"], ["DE", "Quayside"]]

    @pytest.mark.parametrize(("more", "said"), [(1, "there is 1 more"), (2, "there are 2 more")])
    def test_says_which_page_was_read(self, more: int, said: str) -> None:
        table = read_table(books.make([["Name", "State"], ["Acme", "NY"]], more=more))
        assert table.notes == [f"Only the page “Customers & Co” was read; {said}."]

    def test_may_begin_anywhere(self) -> None:
        table = read_table(books.make([[], [], [None, None, "Name", "State"], [None, None, "Acme", "NY"]]))
        assert (table.headers, cells(table), table.lines[0].number) == (["Name", "State"], [["Acme", "NY"]], 4)

    def test_whose_formulas_have_results_is_read(self) -> None:
        """An empty text is one."""
        found = '<c r="B1" t="str"><f>UPPER("ny")</f><v>NY</v></c><c r="C1" t="str"><f>D1</f><v></v></c></row>'
        assert cells(read_table(books.by_hand(KEPT + found))) == [["7", "NY"]]

    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            (b"PK\x03\x04 and nothing of a zip", "no workbook that can be read"),
            (books.by_hand(""), "has anything in it"),
            (books.by_hand(FAR_APART), "too much in the workbook"),
            (books.by_hand("<row/>" + " " * 60_000_000), "too much in the workbook"),
            (books.by_hand("<row", **{"xl/workbook.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}), "no workbook"),
            (books.make([["Name", "State"]] + [["Acme", "NY"]] * 2500), "2,501 rows"),
            (books.by_hand(KEPT + '<c r="B1"><f>UPPER("ny")</f><v></v></c></row>'), "Results of formulas are not kept"),
            (books.by_hand(KEPT + '<c r="B1" s="1"><f>A1</f></c></row>'), "Results of formulas are not kept"),
            (books.by_hand(KEPT + '<c r="B1"><f t="shared" si="0"/></c></row>'), "Results of formulas are not kept"),
            (books.by_hand(KEPT + '<x:c r="B1"><x:f>A1</x:f></x:c></row>'), "Results of formulas are not kept"),
        ],
        ids=["zip", "empty", "far", "bomb", "xml", "rows", "formula", "formula alone", "shared formula", "prefix"],
    )  # fmt: skip
    def test_that_cannot_be_read_says_why(self, raw: bytes, why: str) -> None:
        with pytest.raises(Unreadable) as refused:
            read_table(raw)
        assert why in str(refused.value)

    def test_that_lies_about_its_size_is_broken(self) -> None:
        raw = bytearray(books.by_hand("<row/>" + "<row></row>" * 100_000))
        at = raw.rindex(b"PK\x01\x02")  # the last part in the directory: the page
        raw[at + 24 : at + 28] = struct.pack("<I", 100)
        with pytest.raises(Unreadable, match="no workbook that can be read"):
            read_table(bytes(raw))

    @pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_that_lies_about_its_size_is_unpacked_no_further_than_it_says(self, method: int) -> None:
        raw = books.lying(b" " * 50_000_000, says=1_000, method=method)
        tracemalloc.start()
        try:
            with pytest.raises(Unreadable, match="no workbook that can be read"):
                read_table(raw)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most < 5_000_000

    @pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_that_was_damaged_on_its_way_says_why(self, method: int) -> None:
        raw = bytearray(books.lying(b"<row/>" * 10_000, says=60_000, method=method))
        at = raw.index(b"sheet1.xml") + 30
        raw[at : at + 20] = bytes(20)
        with pytest.raises(Unreadable, match="no workbook that can be read"):
            read_table(bytes(raw))


class TestAColumn:
    """What it means."""

    @pytest.mark.parametrize(
        ("heading", "field"),
        [("Entity Name", "entity_name"), ("BUSINESS_NAME", "entity_name"), ("company", "entity_name"), ("St.", "state"),
         ("State of Formation", "state"), ("File #", None), ("File Number", "entity_id"), ("Your ref", "ref"),
         ("Customer ID", "ref"), ("City", None), ("", None), ("=cmd()", None)],
    )  # fmt: skip
    def test_is_known_by_its_heading(self, heading: str, field: str | None) -> None:
        assert find_field(heading) == field

    @pytest.mark.parametrize(
        ("text", "code"),
        [("ny", "NY"), ("N.Y.", "NY"), ("New  York", "NY"), ("New York State", "NY"), ("State of New York", "NY"),
         ("NY - New York", "NY"), ("Delaware (DE)", "DE"), ("US-CA", "CA"), ("Calif.", "CA"), ("Washington", "WA"),
         ("Washington, D.C.", "DC"), ("Commonwealth of Massachusetts", "MA"), ("West Virginia", "WV"),
         ("Puerto Rico", "PR"), ("Ontario", None), ("", None), ("New York, Delaware", None), ("DE - New York", None),
         ("Albany, NY", None), ("ZZ", None)],
    )  # fmt: skip
    def test_of_states_is_read_as_people_write_them(self, text: str, code: str | None) -> None:
        assert find_state(text) == code

    @pytest.mark.parametrize(
        ("text", "codes"),
        [("NY, DE", "NY DE"), ("NY;New York;Delaware", "NY DE"), ("ny de co", "NY DE CO"), ("NY and Texas", "NY TX"),
         ("New York, NY", "NY"), ("NY / CA", "NY CA"), ("anywhere", "*"), (" * ", "*"), ("All States", "*"), ("NY", ""),
         ("DE - New York", ""), ("West Virginia", ""), ("Washington, D.C.", ""), ("Albany, NY", ""),
         ("NY, Ontario", ""), ("US", ""), ("", ""), ("Delaware, OH", ""), ("nevada mo", ""), ("New York, DE", ""),
         ("Texas and NY", "TX NY"), ("Texas; NY", "TX NY"), ("NY, Texas", "NY TX"), ("N.Y., DE", "NY DE")],
    )  # fmt: skip
    def test_of_states_may_have_several(self, text: str, codes: str) -> None:
        assert list_states(text) == codes.split()

    @pytest.mark.parametrize(
        ("text", "codes"),
        [("Ohio or Indiana", "OH IN"), ("DE or NY", "DE NY"), ("NY, DE or CA", "NY DE CA"),
         ("NY, DE, or CA", "NY DE CA"), ("WA OR CA", "WA OR CA"), ("wa, or, ca", "WA OR CA"), ("or, wa", "OR WA"),
         ("Oregon or Ohio", "OR OH"), ("OR or WA", "OR WA"), ("OHIO OR INDIANA", ""), ("or", ""), ("Oregon", "")],
    )  # fmt: skip
    def test_with_or_between_states_does_not_mean_oregon(self, text: str, codes: str) -> None:
        assert list_states(text) == codes.split()

    def test_headed_states_is_the_one_of_states(self) -> None:
        assert self.guess('Customer,Company,States\n7,Acme,"NY, DE"\n')["state"] == "States"
        assert self.guess('A1,B1\nAcme LLC,"NY, DE"\nZebra LLC,anywhere\n')["state"] == "B1"

    def test_headed_state_stays_that_where_some_of_its_cells_are_none(self) -> None:
        """The column of the customers' own addresses, which are states all of them, was no better guess."""
        raw = "Company,State,HQ\nAcme LLC,NY,CA\nZebra LLC,Ontario,CA\nQuay LLC,DE,CA\n"
        assert self.guess(raw)["state"] == "State"
        assert self.guess("Company,State,HQ\nAcme LLC,active,CA\nZebra LLC,active,NY\n")["state"] == "HQ"

    def test_of_names_has_the_legal_forms_wherever_it_stands(self) -> None:
        assert self.guess("A1,B1,C1\nAcme LLC,NY,spring sale\nZebra LLC,DE,autumn sale\n")["entity_name"] == "A1"

    def test_ends_where_the_headings_say_and_not_at_each_names_comma(self) -> None:
        table = read_table(b"Company;State\nAcme, Inc.;NY\nZebra, Inc.;DE\n")
        assert [line.cells for line in table.lines] == [["Acme, Inc.", "NY"], ["Zebra, Inc.", "DE"]]

    def guess(self, raw: str) -> dict[str, Any]:
        table = read_table(raw.encode())
        mapping = guess(table.headers, table.lines)
        return {
            **{name: table.headers[column] for name, column in mapping.fields.items()},
            "carried": [table.headers[column] for column in mapping.carried],
        }

    def test_is_guessed_from_headings_first(self) -> None:
        assert self.guess("Customer No,Company,State,City\n7,Acme,NY,Albany\n") == {
            "ref": "Customer No", "entity_name": "Company", "state": "State", "carried": ["City"],
        }  # fmt: skip

    def test_is_guessed_from_cells_where_headings_say_nothing(self) -> None:
        assert self.guess("Wer,Was,Wo\n7,Acme LLC,NY\n9,Zebra Inc.,Delaware\n") == {
            "entity_name": "Was", "state": "Wo", "carried": ["Wer"],
        }  # fmt: skip
        assert self.guess("Acme LLC\tNY\nZebra Inc.\tDE\n") == {
            "entity_name": "Column A", "state": "Column B", "carried": [],
        }  # fmt: skip

    def test_headed_state_without_states_gives_way_to_one_that_has_them(self) -> None:
        found = self.guess("Name,State,Home\nAcme,open,NY\nZebra,closed,DE\n")
        assert (found["state"], found["carried"]) == ("Home", ["State"])

    def test_headed_id_is_the_owners_own_mark_beside_a_name(self) -> None:
        assert self.guess("ID,Name,State\n7,Acme,NY\n")["ref"] == "ID"
        assert self.guess("ID,State\n7,NY\n")["entity_id"] == "ID"

    def test_of_what_is_searched_is_known_by_its_cells(self) -> None:
        """Headed "Type" it came along, and the liens were asked and paid for as companies."""
        found = self.guess("Name,State,Type\nAcme LLC,NY,UCC\nZebra LLC,DE,Entity\nQuay LLC,DE,\n")
        assert (found["searchType"], found["carried"]) == ("Type", [])
        assert "searchType" not in self.guess("Name,State,Type\nAcme LLC,NY,LLC\nZebra Inc,DE,Corporation\n")
        assert "searchType" not in self.guess("Name,State,Type\nAcme LLC,NY,UCC\nZebra Inc,DE,Partnership\n")

    @pytest.mark.parametrize("heading", ["Search by", "Date after", "dateBefore"])
    def test_that_only_liens_have_makes_liens_of_all_rows(self, heading: str) -> None:
        """The column was passed over, and companies were asked and paid for."""
        table = read_table(f"Name,State,{heading}\nAcme LLC,NY,2024-01-01\n".encode())
        assert guess(table.headers, table.lines).kind == "ucc"
        mixed = read_table(f"Name,State,Kind,{heading}\nAcme LLC,NY,company,2024-01-01\n".encode())
        assert guess(mixed.headers, mixed.lines).kind == "business_entity"

    @pytest.mark.parametrize(
        ("text", "kind"),
        [("UCC-1", "ucc"), ("UCC Liens", "ucc"), ("ucc lien", "ucc"), ("Lien search", "ucc"), ("tax lien", "tax lien"),
         ("Entity search", "business_entity"), ("Companies", "business_entity"), ("Corp", "business_entity")],
    )  # fmt: skip
    def test_of_what_is_searched_is_read_as_people_write_it(self, text: str, kind: str) -> None:
        mapping = Mapping({"entity_name": 0, "state": 1, "searchType": 2})
        assert read_fields(mapping, ["Acme", "NY", text])["searchType"] == kind

    def test_of_identifiers_means_nothing_for_liens(self) -> None:
        """Each lien of a list with the companies' numbers was refused: "UCC filings are searched by name."."""
        mapping = Mapping({"entity_name": 0, "state": 1, "entity_id": 2}, kind="ucc")
        assert "entity_id" not in read_fields(mapping, ["Acme", "NY", "100001"])
        assert read_fields(mapping, ["", "NY", "100001"])["entity_id"] == "100001"

    def test_fills_the_fields_of_a_question(self) -> None:
        mapping = Mapping({"entity_name": 0, "state": 1, "searchType": 2, "dateAfter": 3, "searchBy": 4}, all_in="DE")
        lien = read_fields(mapping, ["Acme", "Calif.", "Lien", "3/14/2011", "Secured party"])
        assert lien == {
            "entity_name": "Acme", "state": "CA", "searchType": "ucc",
            "dateAfter": "2011-03-14", "searchBy": "secured_party",
        }  # fmt: skip
        assert read_fields(mapping, ["Acme", "", "", "2011-03-14", "x"]) == {
            "entity_name": "Acme", "state": "DE", "searchType": "business_entity",
        }  # fmt: skip
        assert read_fields(mapping, ["", "Ontario", "odd", "", ""]) == {"state": "Ontario", "searchType": "odd"}

    def test_is_called_as_in_a_table(self) -> None:
        assert [letter(number) for number in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
