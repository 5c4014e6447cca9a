"""Somebody with a spreadsheet: from dropping it to the file of results."""

from __future__ import annotations

import csv
import html
import io
import re
import uuid
from datetime import timedelta
from typing import Any, Literal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from lxml import html as tree

from billing import keys, ledger, selectors
from billing.members import team
from billing.models import Account
from jurisdictions import services
from lookups import selectors as states
from lookups.bulk import drafts, queue, row_answers
from lookups.jobs import operator_actions, runner
from lookups.lookup import storage
from lookups.models import BulkDraft, BulkJob, Heartbeat, Job, Lookup, RowAnswer, StoredAnswer, Watch
from lookups.workspace.bulk import judging, results
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register, company
from tests.lookups.workbooks import read_table
from tests.workspace.bulk import books
from tests.workspace.conftest import Browser, spend_all

pytestmark = [pytest.mark.django_db, pytest.mark.once]  # what meets at once is judged on both engines
PRICE = 314
CSV = "No,Company,State\n7,Acme Corp,NY\n8,Zebra Inc,New York\n"
SANDBOX = (
    "No,Company,State\n1,Blue Heron Logistics LLC,DE\n2,Magic Ambiguous LLC,DE\n3,Magic Not Found LLC,DE\n"
    "4,Magic Ambiguous LLC,Delaware\n"
)


def bring(person: Browser, table: str | bytes = CSV) -> Any:
    raw = table.encode() if isinstance(table, str) else table
    return person.post("/app/bulk/", {"file": SimpleUploadedFile("customers.csv", raw)})


def begin(person: Browser, table: str | bytes = CSV) -> str:
    """The address of the draft."""
    reply = bring(person, table)
    assert reply.status_code == 302, reply.content.decode()
    return str(reply["Location"])


def buy(person: Browser, at: str, **more: str) -> Any:
    page = person.get(at).content.decode()
    found = re.search(r'name="revision" value="(\d+)"', page)
    assert found is not None, page
    return person.post(f"{at}buy/", {"revision": found[1], **more})


def order(person: Browser, *rows: dict[str, str], mode: Literal["live", "test"] = "live", **more: Any) -> str:
    """The name of a bulk job that a program of the account has begun."""
    key, secret = keys.issue(account=person.account, name="program", mode=mode, now=timezone.now())
    reply = Customer(person.account, key, secret).post("/v1/bulk-lookup", {"entities": rows, **more})
    return str(reply.json()["job_id"])


def work() -> int:
    return queue.work(now=timezone.now())


def ask(person: Browser, table: str = SANDBOX) -> str:
    """The address of a bulk job that has ended."""
    reply = buy(person, begin(person, table))
    work()
    return str(reply["Location"])


def choose(person: Browser, at: str, row: int = 1) -> Any:
    """Click the first candidate of a row."""
    candidates = Lookup.objects.get(bulk__isnull=False, position=row).candidates
    return person.post(f"{at}rows/{row}/", {"candidate": candidates[0]["entityId"]}, follow=True)


class TestATable:
    """Step one."""

    def test_dropped_becomes_a_draft_with_its_columns_guessed(self, office: Browser) -> None:
        page = office.get(begin(office)).content.decode()
        assert "customers.csv" in page
        assert "<bdi>Company</bdi> = Company name" in page
        assert "2 of 2 rows can be asked" in page
        assert BulkJob.objects.count() == 0

    def test_pasted_is_the_same(self, office: Browser) -> None:
        reply = office.post("/app/bulk/", {"pasted": "Acme Corp\tNY\nZebra Inc\tColorado\n"})
        assert "2 of 2 rows" in office.get(reply["Location"]).content.decode()

    def test_in_a_workbook_is_the_same(self, office: Browser) -> None:
        raw = books.make([["Company", "State"], ["Acme Corp", "NY"]])
        assert "1 of 1 row can" in office.get(begin(office, raw)).content.decode()

    @pytest.mark.parametrize("raw", [b"", b"\x89PNG\0", b"PK\x03\x04"])
    def test_that_cannot_be_read_is_refused_with_the_reason(self, office: Browser, raw: bytes) -> None:
        reply = bring(office, raw)
        assert reply.status_code == 400
        assert 'role="alert"' in reply.content.decode()
        assert BulkDraft.objects.count() == 0

    def test_that_is_empty_is_called_so(self, office: Browser) -> None:
        assert "The file is empty." in bring(office, b"").content.decode()

    def test_pasted_with_a_fault_stands_there_whole_to_be_mended(self, office: Browser) -> None:
        pasted = "Company,State\r\n" + "".join(f"The {number}. Quayside Company LLC,NY\r\n" for number in range(1001))
        page = office.post("/app/bulk/", {"pasted": pasted}).content.decode()
        assert "It has more than 1,000 rows." in page
        assert "CSV or XLSX, up to 1,000 rows." in page
        assert page[page.index('placeholder="Company, State">') + 29 :].startswith(pasted)

    def test_pasted_after_the_session_ended_is_sent_again_once_signed_in(self, office: Browser) -> None:
        stranger = Client()
        page = stranger.post("/app/bulk/", {"pasted": CSV, "shown_in": f"live {office.account.pk}"})
        assert page.status_code == 403
        assert "Sign in on another tab" in page.content.decode()
        fields = re.search(
            r'name="shown_in" value="([^"]+)".*<textarea[^>]*>\n(.*)</textarea>', page.content.decode(), re.S
        )
        assert fields is not None
        assert not BulkDraft.objects.exists()
        reply = office.post("/app/bulk/", {"shown_in": fields[1], "pasted": html.unescape(fields[2])})
        assert "Acme Corp" in office.get(reply["Location"]).content.decode()

    def test_dropped_after_the_session_ended_leads_to_signing_in(self, db: None) -> None:
        reply = Client().post("/app/bulk/", {"file": SimpleUploadedFile("a.csv", CSV.encode())})
        assert reply["Location"] == "/app/sign-in/?next=%2Fapp%2Fbulk%2F&unsent=1"

    def test_waits_for_whoever_comes_back(self, office: Browser, clerk: Browser) -> None:
        at = begin(office)
        assert at in clerk.get("/app/bulk/").content.decode()

    def test_is_of_its_account_and_mode(self, office: Browser) -> None:
        at = begin(office)
        assert office.work_in("sandbox").get(at)["Location"] == "/app/bulk/"
        from tests.workspace.conftest import open_office

        assert open_office("Another", "bea@other.test").get(at)["Location"] == "/app/bulk/"

    def test_can_be_discarded(self, office: Browser) -> None:
        at = begin(office)
        assert office.post(f"{at}discard/")["Location"] == "/app/bulk/"
        assert BulkDraft.objects.count() == 0

    def test_is_forgotten_after_thirty_days(self, office: Browser) -> None:
        begin(office)
        now = timezone.now()
        assert drafts.prune(now=now + drafts.KEPT_FOR - timedelta(minutes=1)) == 0
        assert drafts.prune(now=now + drafts.KEPT_FOR + timedelta(minutes=1)) == 1

    def test_of_fifty_drafts_and_one_is_refused(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(drafts, "MOST_OPEN", 1)
        begin(office)
        assert bring(office).status_code == 400

    def test_says_to_who_only_reads_who_may_bring_one(self, viewer: Browser) -> None:
        """It told them to drop a table above, where there is nothing to drop it on."""
        page = viewer.get("/app/bulk/").content.decode()
        assert "Your role can only read. A member, an admin or the owner can ask." in page
        assert "Drop a table above" not in page

    def test_is_not_for_who_only_reads(self, office: Browser, viewer: Browser) -> None:
        at = begin(office)
        assert bring(viewer).status_code == 403
        page = viewer.get(at)
        assert page.status_code == 200
        assert 'id="buy"' not in page.content.decode()
        for what in ("buy/", "rows/", "columns/", "discard/"):
            assert viewer.post(f"{at}{what}", {"revision": "1"}).status_code == 403
        assert BulkDraft.objects.count() == 1

    def test_with_a_script_for_a_name_shows_it(self, office: Browser) -> None:
        page = office.get(
            begin(office, "Company,State,<b>x\n<script>alert(1)</script>,NY,\u202eevil\n")
        ).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


class TestTheColumns:
    """What they mean, as somebody says."""

    def test_can_be_changed(self, office: Browser) -> None:
        at = begin(office, "A1,B1,C1\nAcme Corp,x,7\nZebra Inc,y,8\n")
        assert "No row can be asked yet" in office.get(at).content.decode()
        office.post(f"{at}columns/", {"role-0": "entity_name", "role-2": "ref", "carry-1": "on", "all_in": "NY"})
        assert "2 of 2 rows can be asked" in office.get(at).content.decode()
        draft = BulkDraft.objects.get()
        assert draft.mapping == {
            "fields": {"entity_name": 0, "ref": 2}, "all_in": "NY", "kind": "business_entity", "carried": [1],
        }  # fmt: skip

    def test_cannot_both_be_the_name(self, office: Browser) -> None:
        at = begin(office)
        reply = office.post(f"{at}columns/", {"role-0": "entity_name", "role-1": "entity_name"}, follow=True)
        assert "both say Company name" in reply.content.decode()

    def test_may_have_no_headings(self, office: Browser) -> None:
        at = begin(office, "Acme,NY\nZebra,DE\n")
        office.post(f"{at}columns/", {"headings": "first"})
        assert [row["cells"] for row in BulkDraft.objects.get().table["rows"]] == [["Zebra", "DE"]]
        office.post(f"{at}columns/", {"headings": "row"})
        assert [row["cells"] for row in BulkDraft.objects.get().table["rows"]] == [["Acme", "NY"], ["Zebra", "DE"]]

    def test_that_are_a_row_leave_the_others_left_out_and_mended(self, office: Browser) -> None:
        at = begin(office, 'Company,State\nAcme,NY\nZebra,DE\nQuay,"DE, NY"\nBolt,CO\n')
        for row in ("0", "3"):
            office.post(f"{at}rows/", {"do": "drop", "row": row})
        office.post(f"{at}rows/", {"do": "mend", "row": "1", "entity_name-1": "Zebra Inc"})
        kept = [("Zebra Inc", "DE"), ("Quay", "DE"), ("Bolt", "CO")]
        for headings, first in (("row", [("Company", "State")]), ("first", [])):
            office.post(f"{at}columns/", {"headings": headings})
            rows = [row for row in drafts.read_rows(BulkDraft.objects.get()) if not row.dropped]
            assert [(row.fields["entity_name"], row.fields["state"]) for row in rows] == first + kept

    @pytest.mark.parametrize(
        ("table", "clicks", "first"),
        [
            ("Blue Heron,Blue Heron\nZebra,Quay\n", ["row"], ["Blue Heron", "Blue Heron"]),
            ("Acme,NY,\nZebra,DE,77\n", ["first", "row"], ["Acme", "NY", ""]),
            (f"{'Long ' * 30}Name,NY\nZebra,DE\n", ["first", "row"], [f"{'Long ' * 30}Name", "NY"]),
            ("Company,State\nAcme,NY\nZebra,DE\n", ["first", "row", "first", "row", "row"], ["Company", "State"]),
        ],
        ids=["two alike", "one empty", "a long one", "those above others"],
    )
    def test_that_are_a_row_after_all_have_in_it_what_the_file_has(
        self, office: Browser, table: str, clicks: list[str], first: list[str]
    ) -> None:
        at = begin(office, table)
        for headings in clicks:
            office.post(f"{at}columns/", {"headings": headings})
        assert BulkDraft.objects.get().table["rows"][0]["cells"] == first

    def test_that_are_a_row_are_one_row_by_two_clicks(self, office: Browser) -> None:
        at = begin(office, "Acme,NY\nZebra,DE\n")
        pages = [office.post(f"{at}columns/", {"headings": "row"}, follow=True) for _ in range(2)]
        assert [row["cells"] for row in BulkDraft.objects.get().table["rows"]] == [["Acme", "NY"], ["Zebra", "DE"]]
        assert all("There are no headings" in page.content.decode() for page in pages)


class TestAnotherTab:
    """Of the same draft, or a colleague's: it has moved the rows since this one was shown."""

    TABLE = "company,st\nAcme Corp,NY\nBolt LLC,DE; TX\nCedar Inc,FL\n"

    def open_form(self, person: Browser, at: str, name: str) -> dict[str, str]:
        page = tree.fromstring(person.get(f"{at}?show=all").content)
        (form,) = (one for one in page.cssselect("form") if one.get("id") == name)
        return dict(form.form_values())

    @pytest.mark.parametrize(
        "change",
        [{"headings": "row"}, {"role-0": "entity_name", "role-1": "ref", "all_in": "NY"}],
        ids=["the headings are a row", "a line is one row"],
    )
    @pytest.mark.parametrize("do", ["drop", "mend", "state"])
    def test_has_no_other_row_changed(self, office: Browser, clerk: Browser, do: str, change: dict[str, str]) -> None:
        at = begin(office, self.TABLE)
        form = self.open_form(office, at, "many" if do == "state" else "row-3")
        clerk.post(f"{at}columns/", change)
        before = BulkDraft.objects.get().table
        typed = {"do": do, "row": "3", "entity_name-3": "Cedar Incorporated", "state": "TX"}
        answer = office.post(f"{at}rows/", form | typed, follow=True)
        assert "The rows have moved since this page was shown: nothing was changed." in answer.content.decode()
        assert BulkDraft.objects.get().table == before

    def test_that_mends_another_row_moves_none(self, office: Browser, clerk: Browser) -> None:
        at = begin(office, self.TABLE)
        form = self.open_form(office, at, "row-3")
        clerk.post(f"{at}rows/", {"do": "drop", "row": "0"})
        office.post(f"{at}rows/", form | {"do": "mend", "entity_name-3": "Cedar Incorporated"})
        rows = drafts.read_rows(BulkDraft.objects.get())
        assert (rows[0].dropped, rows[3].fields["entity_name"]) == (True, "Cedar Incorporated")

    def test_that_moves_the_rows_at_the_same_moment_has_no_other_row_changed(
        self, office: Browser, clerk: Browser
    ) -> None:
        """Between a request's first look at the draft and its turn to change it."""
        at, now = begin(office, self.TABLE), timezone.now()
        looked_at = BulkDraft.objects.get()
        clerk.post(f"{at}columns/", {"headings": "row"})
        before = BulkDraft.objects.get().table
        with pytest.raises(drafts.Changed):
            drafts.mend(draft=looked_at, rows=[3], fields={"entity_name": "Cedar Incorporated"}, now=now)
        with pytest.raises(drafts.Changed):
            drafts.drop(draft=looked_at, rows=[3], dropped=True, now=now)
        with pytest.raises(drafts.Changed):
            drafts.move_headings(draft=looked_at, into_rows=False, now=now)
        assert BulkDraft.objects.get().table == before

    def test_that_changes_a_row_at_the_same_moment_has_nothing_bought(self, office: Browser, clerk: Browser) -> None:
        """What is held is what the page has shown."""
        at, now = begin(office, self.TABLE), timezone.now()
        key, _ = keys.issue(account=office.account, name="office", mode="live", now=now)
        looked_at = BulkDraft.objects.get()
        order = judging.judge(looked_at, key=key, now=now).order(accepts_stored=False)
        clerk.post(f"{at}rows/", {"do": "drop", "row": "0"})
        with pytest.raises(drafts.Changed):
            drafts.buy(draft=looked_at, revision=looked_at.revision, order=order, key=key, request_id="", now=now)
        assert BulkJob.objects.count() == 0

    @pytest.mark.parametrize("headings", ["first", "row"])
    def test_has_its_headings_moved_once_by_two_clicks(self, office: Browser, headings: str) -> None:
        """The second would take a company's row for the headings, and nobody would ask for it."""
        at = begin(office, "Acme,NY\nZebra,DE\nBolt,CO\n" if headings == "first" else self.TABLE)
        (form,) = (
            one
            for one in tree.fromstring(office.get(at).content).cssselect("form")
            if str(one.get("action")).endswith("/columns/")
        )
        pages, rows = [], []
        for _ in range(2):
            click = dict(form.form_values()) | {"headings": headings}
            pages.append(office.post(f"{at}columns/", click, follow=True).content.decode())
            rows.append(BulkDraft.objects.get().table["rows"])
        assert rows[0] == rows[1]
        assert ["The rows have moved since this page was shown" in page for page in pages] == [False, True]


class TestSeveralStates:
    """In one cell: a row for each, before anything is paid."""

    TABLE = 'No,Company,States\n7,Acme Corp,"NY, Colorado"\n8,Zebra Inc,NY\n'

    def test_are_a_row_each_with_its_price(self, office: Browser) -> None:
        at = begin(office, self.TABLE)
        page = office.get(f"{at}?show=all").content.decode()
        assert "3 of 3 rows can be asked" in page
        assert "2 of the rows are of lines that name several states" in page
        assert "0.0942 USD" in page
        rows = BulkDraft.objects.get().table["rows"]
        assert [(row["line"], row.get("own")) for row in rows] == [
            (2, {"state": "NY"}),
            (2, {"state": "CO"}),
            (3, None),
        ]
        buy(office, at)
        assert selectors.get_balance(office.account.pk).held == 3 * PRICE
        asked = Lookup.objects.order_by("position").values_list("state", "ref")
        assert list(asked) == [("NY", "7"), ("CO", "7"), ("NY", "8")]

    def test_may_be_all_that_can_be_asked(self, office: Browser) -> None:
        services.disable(code="DE", reason="Delaware asked us to stop.")
        able = [one["state"] for one in states.list_states() if one["available"]]
        begin(office, "Company,State\nAcme Corp,anywhere\n")
        rows = BulkDraft.objects.get().table["rows"]
        assert [row["own"]["state"] for row in rows] == able
        assert "DE" not in able

    def test_are_left_out_one_by_one(self, office: Browser) -> None:
        at = begin(office, self.TABLE)
        office.post(f"{at}rows/", {"do": "drop", "row": "1"})
        buy(office, at)
        assert list(Lookup.objects.order_by("position").values_list("state", flat=True)) == ["NY", "NY"]

    @pytest.mark.parametrize(("left_out", "asked"), [("0", "CO"), ("1", "NY")])
    def test_that_are_left_out_stay_so_when_the_columns_are_chosen(
        self, office: Browser, left_out: str, asked: str
    ) -> None:
        at = begin(office, 'Company,State,Note\nAcme Corp,"NY, CO",x\n')
        office.post(f"{at}rows/", {"do": "drop", "row": left_out})
        office.post(f"{at}columns/", {"role-0": "entity_name", "role-1": "state", "carry-2": "on"})
        buy(office, at)
        assert list(Lookup.objects.values_list("state", flat=True)) == [asked]

    def test_of_which_one_was_left_out_are_asked_where_its_line_names_others(self, office: Browser) -> None:
        at = begin(office, 'Company,Here,There\nAcme Corp,"NY, CO","NY, TX"\n')
        office.post(f"{at}columns/", {"role-0": "entity_name", "role-1": "state"})
        office.post(f"{at}rows/", {"do": "drop", "row": "1"})
        office.post(f"{at}columns/", {"role-0": "entity_name", "role-2": "state"})
        rows = drafts.read_rows(BulkDraft.objects.get())
        assert [(row.fields["state"], row.dropped) for row in rows] == [("NY", False), ("TX", False)]

    def test_that_are_mended_stay_so_when_the_columns_are_chosen(self, office: Browser) -> None:
        at = begin(office, 'Company,State,Note\nAcme Corp,"NY, CO",x\n')
        office.post(f"{at}rows/", {"do": "mend", "row": "1", "entity_name-1": "Acme Corp of Colorado", "state-1": "TX"})
        office.post(f"{at}columns/", {"role-0": "entity_name", "role-1": "state", "carry-2": "on"})
        buy(office, at)
        asked = Lookup.objects.order_by("position").values_list("state", "asked")
        assert list(asked) == [("NY", "Acme Corp"), ("TX", "Acme Corp of Colorado")]

    def test_are_read_anew_when_the_columns_mean_something_else(self, office: Browser) -> None:
        at = begin(office, "A1,B1,C1\nAcme Corp,NY / CO,NY\n")
        for column, rows in ((1, 2), (2, 1), (1, 2)):
            office.post(f"{at}columns/", {"role-0": "entity_name", f"role-{column}": "state"})
            assert f"{rows} of {rows} row" in office.get(at).content.decode()
        office.post(f"{at}columns/", {"headings": "row"})
        assert [row["cells"][0] for row in BulkDraft.objects.get().table["rows"]] == ["A1", "Acme Corp"]

    def test_that_are_more_than_a_thousand_rows_are_refused(self, office: Browser) -> None:
        lines = "".join(f"Company {number},\n" for number in range(400))
        reply = bring(office, "Company,State\n" + lines.replace(",", ",NY CO DE"))
        assert (reply.status_code, BulkDraft.objects.count()) == (400, 0)
        assert "1,200 rows; up to 1,000" in reply.content.decode()
        at = begin(office, "Company,State\n" + lines)
        reply = office.post(f"{at}columns/", {"role-0": "entity_name", "all_in": "*"}, follow=True)
        assert "up to 1,000 are taken at a time" in reply.content.decode()
        assert len(BulkDraft.objects.get().table["rows"]) == 400

    def test_cannot_be_written_into_one_row(self, office: Browser) -> None:
        at = begin(office)
        office.post(f"{at}rows/", {"do": "mend", "row": "0", "state-0": "NY, DE"})
        assert "Name one state here." in office.get(at).content.decode()


class TestAProblem:
    """Step two, before anything is paid."""

    TABLE = (
        "Company,State,File number\nAcme Corp,NY,\nA,NY,\n,NY,\nZebra Inc,Ontario,\nACME CORP.,ny,\nQuay Inc,Ontario,\n"
    )

    def test_is_named_in_its_row_with_its_own_text(self, office: Browser) -> None:
        page = office.get(begin(office, self.TABLE)).content.decode()
        assert "2 of 6 rows can be asked" in page
        for text in (
            "It names no company.",
            "“Ontario” is not a state that we know.",
            "Asks the same as line 2",
            "at least 2",
        ):
            assert text in page, text
        assert 'value="Zebra Inc"' in page

    @pytest.mark.parametrize("cells", ["#N/A,", "#REF!,100001", "Zebra Inc,#VALUE!"])
    def test_is_an_error_of_the_spreadsheet_in_place_of_a_name_or_number(self, office: Browser, cells: str) -> None:
        """A lookup of the spreadsheet's own that had failed was asked for, as a company called "#N/A"."""
        page = office.get(begin(office, f"Company,File number,State\nAcme Corp,,NY\n{cells},NY\n")).content.decode()
        assert "1 of 2 rows can be asked" in page
        assert "The spreadsheet has an error here." in page

    def test_is_a_city_with_its_state_where_one_state_is_asked_for(self, office: Browser) -> None:
        """Delaware is a city in Ohio: two registries were asked, and two answers charged, for a row that means one."""
        page = office.get(begin(office, 'Company,State\nAcme Corp,"Delaware, OH"\nZebra Inc,NY\n')).content.decode()
        assert "1 of 2 rows can be asked" in page
        assert "“Delaware, OH” is not a state that we know." in page

    def test_is_mended_where_it_stands(self, office: Browser) -> None:
        at = begin(office, self.TABLE)
        office.post(f"{at}rows/", {"do": "mend", "row": "1", "entity_name-1": "Apex Corp", "state-1": "new york"})
        assert "3 of 6 rows" in office.get(at).content.decode()
        assert BulkDraft.objects.get().table["rows"][1]["cells"] == ["A", "NY", ""]

    def test_is_mended_without_what_no_cell_can_hold(self, office: Browser) -> None:
        at = begin(office, self.TABLE)
        assert office.post(f"{at}rows/", {"do": "mend", "row": "1", "entity_name-1": "Apex\0 Corp"}).status_code == 302
        assert BulkDraft.objects.get().table["rows"][1]["own"]["entity_name"] == "Apex Corp"

    def test_that_is_too_long_stays_so_when_another_field_is_mended(self, office: Browser) -> None:
        name = "Quayside " * 21 + "Trading Company"
        at = begin(office, f"Company,State\n{name},Ontario\n")
        office.post(f"{at}rows/", {"do": "mend", "row": "0", "entity_name-0": name, "state-0": "NY"})
        page = office.get(at).content.decode()
        assert "No row can be asked yet" in page
        assert "no more than 200 characters" in page

    def test_of_a_row_goes_with_the_row(self, office: Browser) -> None:
        at = begin(office, self.TABLE)
        office.post(f"{at}rows/", {"do": "drop", "row": ["1", "2", "3", "5"]})
        page = office.get(at).content.decode()
        assert "2 of 6 rows" in page
        assert "cannot be asked as" not in page
        office.post(f"{at}rows/", {"do": "take", "row": ["1"]})
        assert "cannot be asked as it is" in office.get(at).content.decode()

    def test_of_a_state_is_mended_for_all_rows_at_once(self, office: Browser) -> None:
        at = begin(office, self.TABLE)
        office.post(f"{at}rows/", {"do": "state", "given": "Ontario", "state": "NY"})
        assert "4 of 6 rows" in office.get(at).content.decode()

    def test_of_a_state_is_in_no_state_before_somebody_has_chosen_one(self, office: Browser) -> None:
        """Alabama stood there chosen: one press sent every such row to a registry that nobody had named."""
        at = begin(office, self.TABLE)
        before = re.findall(r"\d of 6 rows", office.get(at).content.decode())
        for more in ({}, {"do": "state", "row-1": "on"}):
            forms = tree.fromstring(office.get(at).content).cssselect(f"form[action='{at}rows/']")
            (form,) = (one for one in forms if (one.get("id") == "many") == bool(more) and "state" in one.fields)
            page = office.post(f"{at}rows/", {**dict(form.form_values()), **more}, follow=True).content.decode()
            assert "Choose a state" in page
            assert re.findall(r"\d of 6 rows", page) == before

    def test_of_a_state_that_is_off_is_shown_with_the_reason_before_paying(self, office: Browser) -> None:
        services.disable(code="DE", reason="Delaware asked us to stop.")
        page = office.get(begin(office, "Company,State\nAcme,NY\nZebra,DE\nQuay,DE\n")).content.decode()
        assert "1 of 3 rows" in page
        assert "Delaware: 2 rows cannot be asked." in page
        assert "Delaware asked us to stop." in page

    def test_of_an_identifier_thinks_of_lost_zeros(self, office: Browser) -> None:
        page = office.get(begin(office, "Entity ID,State\n123,CO\n")).content.decode()
        assert "Spreadsheets drop zeros" in page

    def test_is_a_day_for_a_name(self, office: Browser) -> None:
        from datetime import UTC, datetime

        raw = books.make([["Company", "State"], [datetime(2026, 8, 1, tzinfo=UTC), "NY"]])
        page = office.get(begin(office, raw)).content.decode()
        assert "a day here and no text" in page
        assert "1 of 1 row can" in page

    def test_is_found_in_a_thousand_rows_within_few_queries(
        self, office: Browser, django_assert_max_num_queries: Any
    ) -> None:
        lines = "".join(f"Company {number},{'NY' if number % 2 else 'CO'}\n" for number in range(1000))
        at = begin(office, "Company,State\n" + lines)
        with django_assert_max_num_queries(40):
            page = office.get(at)
        assert len(page.content) < 100_000


class TestAThousandRows:
    """Bought, with names as long as names may be."""

    def test_have_pages_that_are_light(self, office: Browser) -> None:
        office.work_in("sandbox")
        lines = "".join(f"{number:04} {'Smith & Sons Holdings ' * 8},DE\n" for number in range(1000))
        at = begin(office, "Company,State\n" + lines)
        assert len(office.get(f"{at}?show=all").content) < 100_000
        job = buy(office, at)["Location"]
        candidates = [{"entityName": "SMITH & SONS " * 30, "entityId": "DE-" + "1" * 20, "status": "S" * 100}] * 20
        Lookup.objects.update(verdict="ambiguous", ended_at=timezone.now(), candidates=candidates, ref="R" * 200)
        assert len(office.get(job).content) < 100_000


class TestThePrice:
    """What is known before it is paid, and that it is paid once."""

    def test_is_shown_with_what_is_left(self, office: Browser) -> None:
        page = office.get(begin(office)).content.decode()
        has = selectors.get_balance(office.account.pk).available
        assert "0.0628 USD" in page
        assert "under 1 minute </strong><span>in 1 state</span>" in " ".join(page.split())
        assert f"{(has - 2 * PRICE) / 10_000:.4f}" in page

    def test_is_held_once_by_two_clicks(self, office: Browser) -> None:
        at = begin(office)
        first, second = (office.post(f"{at}buy/", {"revision": "1"}) for _ in range(2))
        assert first["Location"] == second["Location"]
        assert BulkJob.objects.count() == 1
        assert selectors.get_balance(office.account.pk).held == 2 * PRICE
        assert BulkJob.objects.get().pk == BulkDraft.objects.get().pk

    def test_is_of_the_rows_that_were_shown(self, office: Browser, clerk: Browser) -> None:
        at = begin(office)
        clerk.post(f"{at}rows/", {"do": "drop", "row": "0"})
        reply = office.post(f"{at}buy/", {"revision": "1"}, follow=True)
        assert "changed since this page was shown" in reply.content.decode()
        assert BulkJob.objects.count() == 0

    def open_offer(self, person: Browser, at: str) -> dict[str, str]:
        page = tree.fromstring(person.get(at).content)
        (form,) = (one for one in page.cssselect("form") if one.get("action", "").endswith("/buy/"))
        return dict(form.form_values())

    def test_is_of_no_state_that_was_switched_on_since_it_was_shown(self, office: Browser) -> None:
        services.disable(code="DE", reason="Delaware asked us to stop.")
        at = begin(office, "Company,State\nAcme Corp,NY\nZebra Inc,DE\nQuay Inc,DE\n")
        assert "Ask 1 row for at most 0.0314 USD" in office.get(at).content.decode()
        shown = self.open_offer(office, at)
        services.enable(code="DE")
        page = office.post(f"{at}buy/", shown, follow=True).content.decode()
        assert "has changed since this page was shown. Nothing was asked" in page
        assert "Ask 3 rows for at most 0.0942 USD" in page
        assert (BulkJob.objects.count(), selectors.get_balance(office.account.pk).held) == (0, 0)
        office.post(f"{at}buy/", self.open_offer(office, at))
        assert selectors.get_balance(office.account.pk).held == 3 * PRICE

    def test_is_of_no_stored_answer_that_has_grown_too_old_since_it_was_shown(self, office: Browser) -> None:
        buy(office, begin(office))
        work()
        at = begin(office)
        assert "at most 0.0000 USD in all" in office.get(at).content.decode()
        shown = self.open_offer(office, at) | {"source": "stored"}
        StoredAnswer.objects.update(retrieved_at=timezone.now() - timedelta(days=8))
        page = office.post(f"{at}buy/", shown, follow=True).content.decode()
        assert "has changed since this page was shown. Nothing was asked" in page
        assert selectors.get_balance(office.account.pk).held == 0

    def test_beyond_the_balance_is_said_and_holds_nothing(self, office: Browser) -> None:
        lines = "".join(f"Company {number},NY\n" for number in range(2))
        at = begin(office, "Company,State\n" + lines)
        Account.objects.filter(pk=office.account.pk).update(monthly_budget=PRICE)
        reply = office.post(f"{at}buy/", {"revision": "1"}, follow=True)
        assert "this month&#x27;s budget" in reply.content.decode()
        assert (BulkJob.objects.count(), BulkDraft.objects.open().count()) == (0, 1)
        assert selectors.get_balance(office.account.pk).held == 0

    def test_beyond_the_balance_leads_to_paying_whoever_may_pay(self, office: Browser, clerk: Browser) -> None:
        at = begin(office, "Company,State\n" + "".join(f"Company {number},NY\n" for number in range(999)))
        spend_all(office)
        assert '<a href="/app/balance/">Add to the balance</a>' in office.get(at).content.decode()
        page = clerk.get(at).content.decode()
        assert "/app/balance/" not in page
        assert "An admin or the owner of the account can add to the balance." in page

    def test_of_stored_answers_is_offered(self, office: Browser) -> None:
        at = begin(office)
        assert "Answers from before" not in office.get(at).content.decode()
        buy(office, at)
        work()
        spent = selectors.get_balance(office.account.pk).spent
        again = begin(office)
        assert "Take the 2 that we read within 7 days: at most 0.0000 USD in all" in office.get(again).content.decode()
        buy(office, again, source="stored")
        work()
        assert selectors.get_balance(office.account.pk).spent == spent

    def test_of_a_stored_answer_is_offered_to_no_spelling_that_it_does_not_serve(
        self, office: Browser, register: Register
    ) -> None:
        register.rows = [company("FOXES LLC", "300001"), company("THE FOXES LLC", "300002")]
        buy(office, begin(office, "Company,State\nFoxes LLC,NY\n"))
        work()
        there = {name: begin(office, f"Company,State\n{name},NY\n") for name in ("Foxes LLC", "The Foxes LLC")}
        pages = {name: office.get(at).content.decode() for name, at in there.items()}
        assert "Take the 1 that we read within 7 days: at most 0.0000 USD in all" in pages["Foxes LLC"]
        assert "Answers from before" not in pages["The Foxes LLC"]
        before = selectors.get_balance(office.account.pk).spent
        buy(office, there["The Foxes LLC"], source="stored")
        work()
        assert selectors.get_balance(office.account.pk).spent == before + PRICE, "another company, asked live"

    def test_in_the_sandbox_is_nothing(self, office: Browser) -> None:
        office.work_in("sandbox")
        page = office.get(begin(office, SANDBOX)).content.decode()
        assert "sandbox: nothing is held or charged" in page
        assert "Asks the same as line 3" in page
        office.post(f"/app/bulk/drafts/{BulkDraft.objects.get().pk}/buy/", {"revision": "1"})
        work()
        assert selectors.get_balance(office.account.pk).held == 0


class TestTheProgress:
    """Step three."""

    def test_is_shown_by_state_and_refreshes_itself(self, office: Browser) -> None:
        at = buy(office, begin(office))["Location"]
        page = office.get(at).content.decode()
        assert "0 of 2 rows answered" in page
        assert "Under 1 minute left; at " in " ".join(page.split())
        assert 'http-equiv="refresh"' in page
        assert "New York: 0 of 2 rows" in page
        work()
        page = office.get(at).content.decode()
        assert "2 rows, 2 found" in page
        assert "0.0628 USD charged" in page
        assert "ACME CORP." in page
        assert 'http-equiv="refresh"' not in page

    def test_waits_for_a_registry_that_is_asked_again_later(self, office: Browser) -> None:
        at = buy(office, begin(office))["Location"]
        assert "Under 1 minute left" in " ".join(office.get(at).content.decode().split())
        Job.objects.update(not_before=timezone.now() + timedelta(minutes=8, seconds=5))
        assert "About 8 minutes left" in " ".join(office.get(at).content.decode().split())

    def test_can_be_cancelled(self, office: Browser) -> None:
        at = buy(office, begin(office))["Location"]
        office.post(f"{at}cancel/")
        assert "Cancelled" in office.get(at).content.decode()
        assert selectors.get_balance(office.account.pk).held == 0

    def test_says_which_liens_a_row_is_of(self, office: Browser) -> None:
        """A search by secured party, or of some days alone, looked like any other: in the draft not even like UCC."""
        bank = "First Puddlestone Bank,DE,UCC"
        table = (
            f"Company,State,Kind,Search by,Date after\n{bank},Secured party,2026-01-31\n{bank},,\n{bank[:-3]}LLC,,\n"
        )
        at = begin(office.work_in("sandbox"), table)
        draft = office.get(f"{at}?show=all").content.decode()
        job = office.get(buy(office, at)["Location"]).content.decode()
        said = [
            [
                " ".join(cell.text_content().split())
                for cell in tree.fromstring(page).xpath(f'//td[@data-label="{label}"]')
            ]
            for page, label in ((draft, "Company"), (job, "State"))
        ]
        bought = "UCC, as the secured party, filed from 31 January 2026 on"
        assert said == [[bought, "UCC", ""], [f"DE · {bought}", "DE · UCC", "DE"]]

    @pytest.mark.parametrize(("mode", "more"), [("live", ", and its price was given back."), ("sandbox", ".")])
    def test_that_is_cancelled_gives_back_what_was_held(self, office: Browser, mode: str, more: str) -> None:
        at = buy(office.work_in(mode), begin(office))["Location"]
        assert f"What had not started was cancelled{more}" in office.post(f"{at}cancel/", follow=True).content.decode()

    def test_that_has_ended_is_not_called_cancelled_and_given_back(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"))
        page = office.post(f"{at}cancel/", follow=True).content.decode()
        assert "It has ended, or was cancelled before: nothing more is released." in page
        assert "its price was given back" not in page

    def test_names_the_rows_that_were_not_asked(self, office: Browser) -> None:
        at = buy(office, begin(office, CSV + "9,Quay Inc,Ontario\n"))["Location"]
        assert "Line 4, <bdi>Quay Inc</bdi>: “Ontario” is not a state" in office.get(at).content.decode()

    def test_is_filtered_and_paged(self, office: Browser) -> None:
        lines = "".join(f"Company {number},NY\n" for number in range(results.ROWS_A_PAGE + 7))
        at = buy(office, begin(office, "Company,State\n" + lines))["Location"]
        first, second = (office.get(f"{at}?state=NY&page={number}").content.decode() for number in (1, 2))
        assert (first.count('<tr id="row-'), second.count('<tr id="row-')) == (results.ROWS_A_PAGE, 7)
        assert "No row is like that" in office.get(f"{at}?show=found").content.decode()
        assert len(first) < 100_000

    def test_of_a_program_is_listed_too(self, office: Browser) -> None:
        name = order(office, {"entity_name": "Acme Corp", "state": "NY"})
        assert f"/app/bulk/{name}/" in office.get("/app/bulk/").content.decode()
        assert "0 of 1 row answered" in office.get(f"/app/bulk/{name}/").content.decode()


class TestTheEnd:
    """Of a bulk job that a person bought."""

    def test_is_shown_and_reaches_no_program_of_the_customer(self, office: Browser) -> None:
        Account.objects.update(webhook_url="https://hooks.quay.test/", test_webhook_url="https://hooks.quay.test/")
        ask(office.work_in("sandbox"))
        assert BulkJob.objects.get().ended_at is not None
        assert not office.account.deliveries.exists()

    def test_reaches_no_program_either_where_whoever_asked_has_left_meanwhile(
        self, office: Browser, clerk: Browser
    ) -> None:
        Account.objects.update(webhook_url="https://hooks.quay.test/", test_webhook_url="https://hooks.quay.test/")
        clerk.work_in("sandbox")
        buy(clerk, begin(clerk, "Company,State\nMagic Found LLC,DE\n"))
        team.remove(by=office.member, member_id=clerk.member.pk, now=timezone.now())
        work()
        assert BulkJob.objects.get().ended_at is not None
        assert not office.account.deliveries.exists()

    def test_is_of_whoever_asked_also_where_an_operator_had_it_asked_again(self, office: Browser) -> None:
        Account.objects.update(webhook_url="https://hooks.quay.test/", test_webhook_url="https://hooks.quay.test/")
        office.work_in("sandbox")
        buy(office, begin(office, "Company,State\nMagic Found LLC,DE\n"))
        assert operator_actions.end(Job.objects.get(), now=timezone.now())
        assert operator_actions.do_over(Job.objects.get(), now=timezone.now())
        work()
        assert Lookup.objects.get(bulk=BulkJob.objects.get(ended_at__isnull=False)).verdict == "found"
        page = office.get(f"/app/history/?who=user:{office.user.pk}&verdict=found").content.decode()
        assert "Magic Found LLC" in page
        assert not office.account.deliveries.exists()


class TestARowThatWaits:
    def test_for_another_try_says_that_it_was_asked_and_when_it_is_again(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State\nMagic Portal Down LLC,TX\n")
        again = Job.objects.get().not_before
        page = office.get(at).content.decode()
        assert again is not None
        assert f"The registry did not answer. It is asked again at {again:%H:%M} UTC." in page


class TestARowOfLiens:
    def test_keeps_the_companys_number_for_when_the_company_is_asked_for(self, office: Browser) -> None:
        at = begin(office, "Company,State,File number,Kind\nAcme Corp,NY,100001,UCC\n")
        page = tree.fromstring(office.get(f"{at}?show=all").content)
        assert page.xpath('//input[starts-with(@name, "entity_name-")]')
        assert not page.xpath('//input[starts-with(@name, "entity_id-")]'), "what is empty there would be saved so"
        office.post(f"{at}rows/", {"do": "mend", "row": "0", "entity_name-0": "ACME CORP."})
        office.post(f"{at}columns/", {"role-0": "entity_name", "role-1": "state", "role-2": "entity_id"})
        (row,) = drafts.read_rows(BulkDraft.objects.get())
        assert (row.fields["entity_name"], row.fields["entity_id"]) == ("ACME CORP.", "100001")

    def test_says_that_the_registry_has_more_of_them(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State,Search type\nBlue Heron Logistics LLC,DE,ucc\n")
        assert storage.MORE_FILINGS not in office.get(at).content.decode()
        Lookup.objects.update(note=storage.MORE_FILINGS)
        assert storage.MORE_FILINGS in office.get(at).content.decode()


class TestARowWithAnIdentifier:
    def test_says_that_the_name_beside_it_is_another_companys(self, office: Browser) -> None:
        table = (
            "Company,State,Entity ID\nLantern Works Corp,DE,SB-DE-000123\nBlue Heron Logistics LLC,DE,SB-DE-000123\n"
        )
        page = office.get(ask(office.work_in("sandbox"), table)).content.decode()
        assert page.count("not the one that was sent with the identifier") == 1
        assert "“Lantern Works Corp”" in page


def leave_nothing(office: Browser) -> None:
    """Take the free lookups as well."""
    ledger.adjust(
        account_id=office.account.pk,
        amount=-selectors.get_balance(office.account.pk).spendable,
        idempotency_key="all-spent",
        operator="staff",
        reason="correction",
        now=timezone.now(),
    )


class TestARowThatEndedHere:
    def test_says_that_the_balance_did_not_cover_it(self, office: Browser) -> None:
        at = buy(office, begin(office))["Location"]
        assert ledger.expire_holds(now=timezone.now() + timedelta(days=1)) == 1
        leave_nothing(office)
        work()
        page = office.get(at).content.decode()
        assert page.count("The balance did not cover this. The answer was kept back. Nothing was charged.") == 2

    def test_says_that_an_operator_ended_it(self, office: Browser) -> None:
        at = buy(office.work_in("sandbox"), begin(office, "Company,State\nMagic Found LLC,DE\n"))["Location"]
        assert operator_actions.end(Job.objects.get(), now=timezone.now())
        for page in (office.get(at), office.get(f"/app/lookups/{Lookup.objects.get().public_id}/")):
            assert "We ended this" in page.content.decode()
            assert "logged" not in page.content.decode()


class TestARowThatFoundNothing:
    """ "Did you mean", in the row."""

    def test_is_resolved_by_one_click_and_stays_as_it_was(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"))
        page = office.get(f"{at}?show=ambiguous").content.decode()
        row = Lookup.objects.get(bulk__isnull=False, position=1)
        for candidate in row.candidates:
            assert f'name="candidate" value="{candidate["entityId"]}"' in page
        assert "asked again" in choose(office, at).content.decode()
        row.refresh_from_db()
        assert row.verdict == "ambiguous"
        (answer,) = Lookup.objects.filter(ask_id__in=RowAnswer.objects.values("ask_id"))
        assert (answer.verdict, answer.question["entity_id"]) == ("found", row.candidates[0]["entityId"])
        assert answer.ref == "2"
        assert (answer.asked_by, answer.origin) == (office.user, "page")
        assert set(Lookup.objects.values_list("asked_by", flat=True)) == {office.user.pk}

    def test_brings_the_identifiers_that_its_program_asked_for(self, office: Browser) -> None:
        row = {"entity_name": "Magic Ambiguous LLC", "state": "DE"}
        name = order(office, row, mode="test", include=["identifiers"])
        work()
        choose(office.work_in("sandbox"), f"/app/bulk/{name}/", row=0)
        (answer,) = Lookup.objects.filter(bulk=None)
        assert (answer.verdict, answer.question["include"]) == ("found", ["identifiers"])

    def test_asks_for_more_in_the_words_of_the_page(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State\nMagic Too Many LLC,NY\n")
        page = html.unescape(office.get(at).content.decode())
        assert "give more of it, or the state's identifier." in page
        assert "the entity_id" not in page

    def test_leads_to_what_proves_it_and_is_called_paid_by_no_row_that_asks_the_same(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State\n" + 2 * "Magic Not Found LLC,CA\n")
        text = office.get(at).content.decode()
        assert "as row 1, asked once" in text
        assert "paid" not in text
        [link] = tree.fromstring(text).cssselect("#row-0 .says > a")
        assert "Evidence" in office.get(link.get("href")).content.decode()

    def test_is_asked_once_by_two_clicks(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"))
        for _ in range(2):
            choose(office, at)
        choose(office, at, row=3)  # repeats the other row
        assert Lookup.objects.filter(bulk__isnull=True).count() == 1

    def test_is_charged_once_at_the_price(self, office: Browser) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        assert selectors.get_balance(office.account.pk).spent == 0
        for _ in range(2):
            office.post(f"{at}rows/0/", {"entity_name": "Acme Corp", "state": "NY"})
        assert selectors.get_balance(office.account.pk).spent == PRICE
        page = office.get(at).content.decode()
        assert "ACME CORP." in page
        assert "Not found" in page

    def test_is_counted_on_the_page_as_in_the_file(self, office: Browser) -> None:
        """The page had what the rows had cost at first, and the file's column came to more."""
        at = ask(office, "Company,State\nZebra Inc,NY\nNobody Knows This,NY\n")
        assert "asked again" not in office.get(at).content.decode().partition("<table")[0]
        for name in ("Acme Corp", "Nobody Else"):
            office.post(f"{at}rows/1/", {"entity_name": name, "state": "NY"})
        page = " ".join(tree.fromstring(office.get(at).content).text_content().split())
        assert "0.0314 USD charged; what was held beyond that has gone back." in page
        assert "0.0314 USD more for rows that were asked again." in page

    def test_that_means_what_another_row_was_asked_a_moment_ago_is_not_called_paid_for_again(
        self, office: Browser
    ) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\nNobody Else,NY\n")
        said = []
        for row in (0, 1):
            again = {"entity_name": "Acme Corp", "state": "NY"}
            said.append(office.post(f"{at}rows/{row}/", again, follow=True).content.decode())
        assert selectors.get_balance(office.account.pk).spent == PRICE
        assert "Found, for 0.0314 USD." in said[0]
        assert "Found, for 0.0314 USD." not in said[1]
        assert "Found: it was paid for a moment ago, and nothing more was charged." in said[1]

    def test_is_asked_in_other_words_as_well(self, office: Browser) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        for name in ("Acme Corp", "Zebra Inc", "Acme Corp"):
            office.post(f"{at}rows/0/", {"entity_name": name, "state": "NY"})
        assert selectors.get_balance(office.account.pk).spent == 2 * PRICE
        page = office.get(at).content.decode()
        assert "ACME CORP." in page
        assert "ZEBRA INC." in page

    def test_is_asked_for_each_of_two_companies_whose_names_are_alike(
        self, office: Browser, register: Register
    ) -> None:
        register.rows += [company("FOXES LLC", "200001"), company("THE FOXES LLC", "200002")]
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        for name in ("Foxes LLC", "The Foxes LLC", "Foxes, L.L.C."):
            office.post(f"{at}rows/0/", {"entity_name": name, "state": "NY"})
        found = Lookup.objects.filter(bulk=None).order_by("pk").values_list("version__entity__entity_id", flat=True)
        assert list(found) == ["200001", "200002"]
        assert selectors.get_balance(office.account.pk).spent == 2 * PRICE

    def test_is_asked_anew_where_that_failed_and_for_no_other_row(self, office: Browser, register: Register) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\nNobody Else,NY\n")
        first, second = (
            (f"{at}rows/{row}/", {"entity_name": name, "state": "NY"})
            for row, name in enumerate(("Acme Corp", "Zebra"))
        )
        office.post(*first)
        register.status = 403
        office.post(*second)
        assert Lookup.objects.filter(bulk=None).latest("pk").verdict == "unavailable"
        register.status = 200
        office.post(*first)  # has its answer
        assert selectors.get_balance(office.account.pk).spent == PRICE
        office.post(*second)
        assert selectors.get_balance(office.account.pk).spent == 2 * PRICE
        assert "ZEBRA INC." in office.get(at).content.decode()

    def test_is_asked_by_another_click_once_whoever_was_about_to_ask_is_lost(self, office: Browser) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        click = (f"{at}rows/0/", {"entity_name": "Acme Corp", "state": "NY"})
        office.post(*click)
        RowAnswer.objects.update(ask_id=uuid.uuid4())  # nobody has asked under that name yet
        office.post(*click)
        assert "ACME CORP." not in office.get(at).content.decode()
        RowAnswer.objects.update(created_at=timezone.now() - row_answers.LOST_AFTER)
        office.post(*click)
        assert "ACME CORP." in office.get(at).content.decode()
        assert selectors.get_balance(office.account.pk).spent == PRICE

    def test_has_the_answer_that_an_operator_had_asked_for_again(
        self, office: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        at = ask(office.work_in("sandbox"), "Company,State\nMagic Not Found LLC,DE\n")
        again = (f"{at}rows/0/", {"entity_name": "Magic Later LLC", "state": "DE"})
        office.post(*again)
        job = Job.objects.get(bulk=None)
        assert operator_actions.end(job, now=timezone.now())
        assert operator_actions.do_over(Job.objects.get(pk=job.pk), now=timezone.now())
        runner.run(job_id=job.pk, now=timezone.now())
        assert "MAGIC LATER LLC" in office.get(at).content.decode()
        office.post(*again)  # has its answer
        assert Lookup.objects.filter(bulk=None, verdict="found").count() == 1

    def test_keeps_its_answers_where_an_operator_has_the_row_asked_again(self, office: Browser) -> None:
        at = buy(office.work_in("sandbox"), begin(office, "Company,State\nMagic Portal Down LLC,DE\n"))["Location"]
        assert operator_actions.end(Job.objects.get(), now=timezone.now())
        office.post(f"{at}rows/0/", {"entity_name": "Magic Found LLC", "state": "DE"})
        assert operator_actions.do_over(Job.objects.get(), now=timezone.now())
        assert "MAGIC FOUND LLC" in office.get(at).content.decode()
        (row,) = csv.DictReader(io.StringIO(office.get(f"{at}results.csv").getvalue().decode("utf-8-sig")))
        assert row["entityName"] == "MAGIC FOUND LLC"

    def test_is_not_paid_twice_from_a_page_that_is_older_than_its_answer(self, office: Browser) -> None:
        at = ask(office, "Company,State\nAcme Corp,NY\n")
        page = office.post(f"{at}rows/0/", {"entity_name": "Acme Corp", "state": "NY"}, follow=True).content.decode()
        assert "This row already has its answer. Nothing more was asked." in page
        assert Lookup.objects.count() == 1
        assert selectors.get_balance(office.account.pk).spent == PRICE

    def test_is_not_paid_twice_while_it_is_still_asked(self, office: Browser) -> None:
        at = buy(office, begin(office, "Company,State\nAcme Corp,NY\n"))["Location"]
        page = office.post(f"{at}rows/0/", {"entity_name": "Acme Corporation", "state": "NY"}, follow=True)
        assert "This row has not ended yet." in page.content.decode()
        work()
        assert Lookup.objects.count() == 1
        assert selectors.get_balance(office.account.pk).spent == PRICE

    def test_with_words_that_cannot_be_asked_says_so(self, office: Browser) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        for fields in ({"entity_name": "A", "state": "NY"}, {"entity_name": "Acme", "state": "Ontario"}):
            assert 'class="notice bad"' in office.post(f"{at}rows/0/", fields, follow=True).content.decode()
        assert Lookup.objects.count() == 1

    @pytest.mark.parametrize("poor", [False, True])
    def test_that_is_not_taken_keeps_what_was_typed(self, office: Browser, poor: bool) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\nNor This,NY\n")
        typed = {"entity_name": "Bluebird & <Sons> Freight", "entity_id": "", "state": "NY" if poor else "Ontario"}
        if poor:
            leave_nothing(office)
        page = tree.fromstring(office.post(f"{at}rows/1/", {**typed, "here": "show=not_found"}, follow=True).content)
        forms = [dict(form.form_values()) for form in page.cssselect("details.mend[open] form")]
        assert [{name: form[name] for name in typed} for form in forms] == [typed]
        (other,) = page.cssselect("details.mend:not([open]) form")
        assert dict(other.form_values())["entity_name"] == "Nobody Knows This"

    def test_beyond_the_months_budget_or_the_balance_says_which(self, office: Browser) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        Account.objects.filter(pk=office.account.pk).update(monthly_budget=PRICE - 1)
        again = {"entity_name": "Acme Corp", "state": "NY"}
        page = html.unescape(office.post(f"{at}rows/0/", again, follow=True).content.decode())
        assert "This month's budget does not cover another lookup" in page
        Account.objects.filter(pk=office.account.pk).update(monthly_budget=None)
        leave_nothing(office)
        page = office.post(f"{at}rows/0/", again, follow=True).content.decode()
        assert "The balance does not cover another lookup" in page
        assert Lookup.objects.count() == 1

    def test_for_a_slow_registry_while_nobody_is_at_work_says_so(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State\nMagic Not Found LLC,DE\n")
        Heartbeat.objects.filter(role="worker").delete()
        again = {"entity_name": "Magic Later LLC", "state": "DE"}
        page = office.post(f"{at}rows/0/", again, follow=True).content.decode()
        assert "No worker is running to ask at the moment. Nothing was held." in page
        assert Lookup.objects.count() == 1

    def test_is_not_asked_again_by_who_only_reads(self, office: Browser, viewer: Browser) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        assert viewer.post(f"{at}rows/0/", {"entity_name": "Acme Corp"}).status_code == 403
        assert "Ask again" not in viewer.get(at).content.decode()


class TestAHostileRecord:
    """What a registry may have written."""

    def test_is_shown_as_text_in_the_row_and_in_the_file(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"))
        name = "</td><script>alert(1)</script>\u202e\U0001f6a2 " + "x" * 10_000
        candidate = {
            "entityName": name, "entityId": '"><img src=x>', "status": "=cmd()", "score": 1.0, "features": [],
            "sosUrl": None,
        }  # fmt: skip
        Lookup.objects.filter(position=1).update(candidates=[candidate] * 20, note=name)
        page = office.get(at).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page
        assert page.count("&lt;script&gt;alert") >= 3
        text = office.get(f"{at}results.csv").getvalue().decode("utf-8-sig")
        assert all(len(row["verdict"]) for row in csv.DictReader(io.StringIO(text)))

    def test_has_no_part_in_how_often_the_database_is_asked(
        self, office: Browser, django_assert_max_num_queries: Any
    ) -> None:
        lines = "".join(f"Magic Ambiguous LLC {number},DE\n" for number in range(50))
        at = buy(office.work_in("sandbox"), begin(office, "Company,State\n" + lines))["Location"]
        with django_assert_max_num_queries(25):
            assert office.get(at).content.decode().count('<tr id="row-') == results.ROWS_A_PAGE


class TestTheFile:
    """What is downloaded."""

    def rows(self, office: Browser, at: str, query: str = "") -> list[dict[str, str]]:
        text = office.get(f"{at}results.csv{query}").getvalue().decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))

    def test_has_the_own_columns_first_and_the_answers_in(self, office: Browser) -> None:
        office.work_in("sandbox")
        at = ask(office, SANDBOX.replace("State\n", "State,=City,state \n").replace("DE\n", "DE,Dover,s\n"))
        choose(office, at)
        rows = self.rows(office, at)
        assert list(rows[0])[:2] == ["'=City", "state (yours)"]
        assert rows[0]["'=City"] == "Dover"
        assert [row["verdict"] for row in rows] == ["found", "found", "not_found", "found"]
        assert [row["firstVerdict"] for row in rows] == ["", "ambiguous", "", "ambiguous"]
        assert [row["entity_name"] for row in rows][1] == "Magic Ambiguous LLC"
        assert [row["ref"] for row in rows] == ["1", "2", "3", "4"]
        assert self.rows(office, at, "?show=not_found")[0]["ref"] == "3"

    def test_that_is_brought_again_keeps_what_stood_in_each_column(self, office: Browser) -> None:
        office.work_in("sandbox")
        at = ask(office, "Company,State,status\nBlue Heron Logistics LLC,DE,our client\n")
        (row,) = self.rows(office, at)
        kept = ["entity_name", "state", "status", "status (yours)"]  # the own ones behind
        lines = (",".join(cells) for cells in (kept, [row[name] for name in kept]))
        (row,) = self.rows(office, ask(office, "\n".join(lines)))
        assert (row["status (yours)"], row["status (yours) (yours)"], row["status"]) == ("our client", "found", "found")

    def test_is_brought_again_whole(self, office: Browser) -> None:
        """It has more columns than a table of somebody's own would."""
        office.work_in("sandbox")
        own = ",".join(f"own {number}" for number in range(90))
        at = ask(office, f"Company,State,{own}\nBlue Heron Logistics LLC,DE,{'x,' * 89}x\n")
        whole = office.get(f"{at}results.csv").getvalue()
        assert self.rows(office, ask(office, whole.decode("utf-8-sig")))[0]["own 89"] == "x"

    def test_says_which_liens_were_not_asked_for(self, office: Browser) -> None:
        at = ask(
            office, "Company,State,Kind,Search by,Date after\nAcme,NY,,,\nQuay,Ontario,UCC,Secured party,2024-01-31\n"
        )
        last = self.rows(office, at)[-1]
        assert last["status"] == "not_asked"
        assert [last[name] for name in ("searchType", "searchBy", "dateAfter", "dateBefore")] == [
            "ucc",
            "secured_party",
            "2024-01-31",
            "",
        ]

    def test_names_the_rows_that_were_not_asked(self, office: Browser) -> None:
        at = ask(office, CSV + "9,Quay Inc,Ontario\n")
        last = self.rows(office, at)[-1]
        assert (last["status"], last["ref"], last["entity_name"]) == ("not_asked", "9", "Quay Inc")
        assert "Ontario" in last["error"]

    def test_has_beside_a_row_that_was_not_asked_what_stood_beside_it(self, office: Browser) -> None:
        at = ask(office, "No,Company,State,City\n7,Acme Corp,NY,Albany\n9,Quay Inc,Ontario,Toronto\n")
        assert [(row["ref"], row["City"]) for row in self.rows(office, at)] == [("7", "Albany"), ("9", "Toronto")]

    @pytest.mark.parametrize("query", ["?show=found", "?state=NY"])
    def test_of_some_of_the_rows_names_none_that_was_not_asked(self, office: Browser, query: str) -> None:
        at = ask(office, CSV + "9,Quay Inc,Ontario\n")
        assert [row["ref"] for row in self.rows(office, at, query)] == ["7", "8"]

    def test_has_the_last_of_the_answers_that_a_row_was_asked_for_again(self, office: Browser) -> None:
        at = ask(office, "No,Company,State\n7,Nobody Knows This,NY\n")
        for name in ("Acme Corp", "Zebra Inc"):
            office.post(f"{at}rows/0/", {"entity_name": name, "state": "NY"})
        (row,) = self.rows(office, at)
        assert (row["ref"], row["entity_name"], row["entityName"]) == ("7", "Nobody Knows This", "ZEBRA INC.")

    @pytest.mark.parametrize("others", [("Acme Corp",), ("Zebra Inc", "Acme Corp", "Zebra Inc")])
    @pytest.mark.parametrize("rows_alike", [1, 2])
    def test_of_rows_that_were_asked_again_adds_up_to_what_was_paid(
        self, office: Browser, rows_alike: int, others: tuple[str, ...]
    ) -> None:
        at = ask(office, "No,Company,State\n1,Acme Corp,NY\n" + "2,Nobody Knows This,NY\n" * rows_alike)
        for name in others:
            office.post(f"{at}rows/1/", {"entity_name": name, "state": "NY"})
        rows = self.rows(office, at)
        assert [row["verdict"] for row in rows] == ["found"] * (1 + rows_alike)
        paid = selectors.get_balance(office.account.pk).spent
        assert sum(round(float(row["cost"]) * 10_000) for row in rows) == paid

    def test_may_be_a_workbook(self, office: Browser) -> None:
        at = ask(office, "Company,State,City\nAcme Corp,NY,Albany\n")
        (row,) = read_table(office.get(f"{at}results.xlsx").getvalue())
        assert (row["City"], row["entityName"], row["verdict"]) == ("Albany", "ACME CORP.", "found")


class TestWatching:
    """Everything that was found."""

    def test_watches_each_company_once(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"))
        choose(office, at)
        reply = office.post(f"{at}watch/", {"every": "month"}, follow=True)
        assert "2 companies are watched" in reply.content.decode()
        assert set(Watch.objects.values_list("every", flat=True)) == {"month"}
        assert "2 were watched already" in office.post(f"{at}watch/", {"every": "month"}, follow=True).content.decode()
        assert Watch.objects.count() == 2

    def test_is_offered_for_what_was_found_when_it_was_asked_again(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State\nMagic Not Found LLC,DE\nMagic Ambiguous LLC,DE\n")
        assert "Watch every company found" not in office.get(at).content.decode()
        assert "Watch every company found" in choose(office, at).content.decode()
        reply = office.post(f"{at}watch/", {"every": "month"}, follow=True)
        assert "1 company is watched" in reply.content.decode()

    def test_is_not_offered_for_liens(self, office: Browser) -> None:
        at = ask(office.work_in("sandbox"), "Company,State,Search type\nBlue Heron Logistics LLC,DE,ucc\n")
        assert Lookup.objects.get().kind == "ucc"
        assert "Watch every company found" not in office.get(at).content.decode()
