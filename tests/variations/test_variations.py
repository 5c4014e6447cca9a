"""A page that differs from the saved one gives the same answer or none: never another one."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from django.conf import settings

from scrapers.transport.recording import load_steps
from tests.scrapers.golden import list_cases
from tests.variations import figures
from tests.variations.answers import keys_always_there, vary_answer
from tests.variations.outcomes import PAGES, judge, try_state
from tests.variations.places import parse, shown, write

SHOWN = figures.PAGE.read_text(encoding="utf-8").splitlines()
LIST = b"""<html><body><div class='row'><span class='label'>Agent:</span><span>JORDAN SAMPLE</span></div>
<table><tr><th>Name</th><th>Number</th><th>Filed</th></tr><tr><td>ACME LLC</td><td>12</td><td>3/4/2015</td></tr>
</table><table><tr><td>Title</td><td>Name</td><td>Since</td></tr><tr><td>Chief Officer</td><td>RILEY SAMPLE</td>
<td>2001</td></tr></table><table><tr><th>Status</th><td>Active</td></tr></table>
<dl><dt>Office</dt><dd>1 MAIN ST<br>ALBANY, NY</dd></dl><div>Good Standing</div><span>One more value</span>
<a href='/'>Home</a><div><a href='/help'>Help</a></div></body></html>"""


@pytest.mark.parametrize("state", figures.list_states())
class TestAState:
    """A jurisdiction with saved pages."""

    def test_gives_no_other_answer_from_a_page_that_differs_as_the_docs_count_it(self, state: str) -> None:
        tried = try_state(state)  # in one test, so that no second process tries them again
        assert [str(one) for one in tried if one.is_different] == []
        assert figures.row(state, tried) in SHOWN, "run python -m tests.variations --write"


class TestThePageOfFigures:
    """docs/variations.md."""

    def test_is_as_the_command_writes_it(self) -> None:
        start = SHOWN.index("|---|---|---|---|---|---|") + 1
        rows = SHOWN[start : start + len(figures.list_states())]
        assert [line.split(" | ")[0].strip("| ") for line in rows] == figures.list_states()
        assert figures.PAGE.read_text(encoding="utf-8") == figures.page(rows)


class TestTheCommand:
    """python -m tests.variations."""

    def test_tries_a_state_and_prints_its_line(self) -> None:
        command = [sys.executable, "-m", "tests.variations", "PA"]
        done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[0] in SHOWN


class TestTheTool:
    """What varies the pages."""

    @pytest.mark.parametrize("name", PAGES)
    def test_changes_a_page_that_has_a_place_for_it(self, name: str) -> None:
        tree = parse(LIST)
        assert PAGES[name](tree)
        assert write(tree) != write(parse(LIST))

    @pytest.mark.parametrize("name", PAGES)
    def test_has_nothing_to_change_on_a_page_without_a_place(self, name: str) -> None:
        tree = parse(b"<form><input name='q'></form>")
        assert not PAGES[name](tree)

    def test_moves_columns_together_with_their_headings(self) -> None:
        tree = parse(LIST)
        PAGES["columns: last one first"](tree)
        assert [shown(row) for row in tree.findall(".//table")[0]] == ["FiledNameNumber", "3/4/2015ACME LLC12"]

    def test_breaks_a_value_between_its_words_and_keeps_all_of_it(self) -> None:
        tree = parse(b"<table><tr><th>Name</th></tr><tr><td>ACME HOLDINGS LLC</td></tr></table>")
        PAGES["split value: two lines (1 of 3)"](tree)
        assert b"<td>ACME<br>HOLDINGS LLC</td>" in write(tree)

    def test_renames_only_keys_that_are_always_there(self) -> None:
        body = b'{"rows": [{"name": "ACME LLC", "dba": "ZENITH"}, {"name": "ZETA LLC"}]}'
        always = keys_always_there([json.loads(body)])
        renamed = [name for name, _ in vary_answer(body, always) if name.startswith("key renamed")]
        assert renamed == ["key renamed: rows", "key renamed: rows.name"]


class TestTheJudgment:
    """What is held to be the same, and what a defect."""

    CASE = next(case for case in list_cases() if str(case) == "KY-active")

    def judge(self, before: bytes, after: bytes, variation: str = "column: named, last") -> str:
        steps = load_steps(self.CASE.folder)
        assert any(before in step.body for step in steps)
        varied = [replace(step, body=step.body.replace(before, after)) for step in steps]
        return judge(self.CASE, self.CASE.expected, varied, variation)

    def test_calls_another_status_a_defect(self) -> None:
        told = self.judge(b'class="grid-value">A - Active', b'class="grid-value">I - Inactive')
        assert ".record.status is 'I - Inactive', not 'A - Active'" in told

    def test_calls_a_dropped_officer_a_defect(self) -> None:
        assert ".record.officers" in self.judge(b"<tr><td>Manager</td><td>RILEY SAMPLE</td></tr>", b"")

    def test_calls_a_false_not_found_a_defect(self) -> None:
        case = next(case for case in list_cases() if str(case) == "CT-by-alei")
        empty = [replace(step, body=b"[]") for step in load_steps(case.folder)]
        assert ".outcome is 'not_found'" in judge(case, case.expected, empty, "row: none")

    def test_calls_a_question_that_nobody_asked_before_a_defect(self) -> None:
        assert self.judge(b"Profile.aspx?ctr=111", b"Profile.aspx?ctr=112").startswith("asked for something else")

    def test_calls_a_changed_page_a_refusal(self) -> None:
        assert self.judge(b'class="grid-label">Status', b'class="grid-label">Condition') == "refused"

    def test_calls_the_same_day_in_another_form_the_same(self) -> None:
        assert self.judge(b"3/4/2015", b"March 4, 2015", "date form: March 4, 2015") == "same"
        assert "formation_date" in self.judge(b"3/4/2015", b"March 5, 2015", "date form: March 4, 2015")
