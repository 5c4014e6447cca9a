"""The judge reads what people write: days, accents and markup; and tells "nothing there" from "nobody knows"."""

from __future__ import annotations

import pytest

from tests.doors.mcp.evaluation import wording
from tests.doors.mcp.evaluation.judge import judge
from tests.doors.mcp.evaluation.questions import load
from tests.doors.mcp.evaluation.transcripts import LOST, Messages, carry_out

HERON = next(one for one in load() if one.id == "status")
RECORD = 'FOUND: The registry has it.\n{"verdict":"found","data":{"entityId":"SB-DE-000123","status":"Good Standing"}}'


class Saying:
    """A door that always says the same."""

    def __init__(self, text: str, *, is_error: bool = False) -> None:
        self.text, self.is_error = text, is_error

    def call(self, tool: str, /, **arguments: object) -> dict[str, object]:
        return {"content": [{"type": "text", "text": self.text}], "isError": self.is_error}


def transcript(answer: str, *keys: str | None, text: str = RECORD, is_error: bool = False) -> Messages:
    """One lookup for each idempotency key, and an answer."""
    messages: Messages = [{"role": "user", "content": HERON.asks}]
    for number, key in enumerate(keys or (None,)):
        asked = {"entity_name": "Blue Heron Logistics, LLC", "state": "de"} | ({"idempotency_key": key} if key else {})
        messages += carry_out(Saying(text, is_error=is_error), "look_up_company", asked, number=str(number))
    return [*messages, {"role": "assistant", "content": answer}]


RIGHT = "Yes: SB-DE-000123 is in good standing."


class TestADay:
    """However it is written."""

    @pytest.mark.parametrize(
        "text",
        [
            "2011-03-14",
            "2011-03-14T00:00:00.000Z",
            "03/14/2011",
            "3/14/2011",
            "March 14, 2011",
            "Mar. 14 2011",
            "14 March 2011",
            "14th of March 2011",
        ],
    )
    def test_is_that_day(self, text: str) -> None:
        assert wording.holds(f"Formed on {text}.", "2011-03-14")

    def test_is_no_other_day(self) -> None:
        assert not wording.holds("Formed on 04/03/2011.", "2011-03-14")


class TestAFact:
    """Stands in a text whatever the case, accents, punctuation and markup."""

    @pytest.mark.parametrize("text", ["**CAFÉ ÑANDÚ**, `PR`", "Cafe Nandu: PR", "Café\xa0Ñandú PR"])
    def test_is_found(self, text: str) -> None:
        assert wording.holds(text, "Café Ñandú PR")

    def test_is_whole(self) -> None:
        assert not wording.holds("SB-DE-0001234", "SB-DE-000123")


class TestNothingThere:
    """Only one verdict says so, and so may only one answer."""

    @pytest.mark.parametrize(
        "text",
        [
            "No such company exists.",
            "The company was not found in Delaware.",
            "Acme LLC isn't registered there.",
            "I couldn't find it.",
            "There are no liens on it.",
            "No filings were found under that name.",
            "It does not exist; sorry.",
            "Delaware has no record of it.",
            "It is unknown whether it is old. There is no such company, though.",
            "Its status is unknown, so it is not registered.",
            "No such company exists, did you mean another?",
        ],
    )
    def test_is_claimed(self, text: str) -> None:
        assert wording.claims_nothing(text)

    @pytest.mark.parametrize(
        "text",
        [
            "The registry could not be asked, so nothing is known of it.",
            "That does not mean that the company does not exist.",
            "I cannot say whether it is registered or not found there.",
            "This is not the same as 'not found'.",
            "It is unknown whether there are no liens.",
            "It has two officers.",
            "The job is not answered yet.",
        ],
    )
    def test_is_not_claimed(self, text: str) -> None:
        assert not wording.claims_nothing(text)


class TestTheJudge:
    """Of one transcript."""

    def test_takes_any_spelling_of_the_same(self) -> None:
        assert judge(HERON, transcript(RIGHT)) == []
        assert judge(HERON, transcript("**Good   standing** — number `SB\u2011DE\u2011000123`.")) == []

    def test_takes_a_repetition_that_is_safe(self) -> None:
        assert judge(HERON, transcript(RIGHT, "k", "k")) == []
        assert judge(HERON, transcript(RIGHT, "k", "k", text=LOST, is_error=True)) != []  # it never read the number

    @pytest.mark.parametrize("keys", [(None, None), ("a", "b"), ("a", None), (None, "a")], ids=str)
    def test_refuses_one_that_is_not(self, keys: tuple[str | None, ...]) -> None:
        assert [one.because for one in judge(HERON, transcript(RIGHT, *keys))] == ["unsafe repetition"]
        lost = judge(HERON, transcript("Nothing came.", *keys, text=LOST, is_error=True))
        assert "unsafe repetition" in {one.because for one in lost}

    def test_lets_ask_again_what_was_not_answered(self) -> None:
        down = transcript(RIGHT, None, None, text='UNAVAILABLE\n{"verdict":"unavailable"}', is_error=True)
        assert {one.because for one in judge(HERON, down)} == {"made up"}

    def test_hears_no_answer_in_a_call(self) -> None:
        assert [one.because for one in judge(HERON, transcript(RIGHT)[:-1])] == ["no answer"]
        assert [one.because for one in judge(HERON, transcript(" "))] == ["no answer"]
