"""What becomes of a state's saved questions when one of the pages differs: the same answer, a refusal, or a defect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrapers.evidence.replay import NotReplayed
from scrapers.normalize import dates
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.golden import Case, list_cases, play
from tests.variations.answers import Place, keys_always_there, unwrapped, vary_answer
from tests.variations.places import parse, write
from tests.variations.tables import TABLES, Variation
from tests.variations.values import VALUES

PAGES: dict[str, Variation] = TABLES | VALUES
ANSWERED = ("found", "not_found", "judged", "QueryRefused")
OPEN_DATA = re.compile(r"/resource/[a-z0-9]{4}-[a-z0-9]{4}\.json")
_DAY = re.compile(
    r"\b(?:\d{1,2}/\d{1,2}/\d{4}|\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?|\d\d-[A-Z][a-z]{2}-\d{4}|[A-Z][a-z]+ \d{1,2}, \d{4})"
)


@dataclass(frozen=True, slots=True)
class Tried:
    """One variation of one page of a case, and what came of it: "same", "refused", or the defect in words."""

    case: str
    page: int
    variation: str
    outcome: str

    @property
    def is_different(self) -> bool:
        """Whether it is a defect."""
        return self.outcome not in ("same", "refused")

    def __str__(self) -> str:
        return f"{self.case}, page {self.page}, {self.variation}: {self.outcome}"


def vary(step: Step, always: Mapping[Place, frozenset[str]]) -> Iterator[tuple[str, bytes]]:
    """Every variation of a page, by name; none of a page that has no place for it."""
    body = step.body.lstrip()
    if is_answer(step):
        yield from vary_answer(step.body, always)
    elif body.startswith(b"<"):
        for name, variation in PAGES.items():
            tree = parse(step.body)
            if variation(tree):
                yield name, write(tree)


def is_answer(step: Step) -> bool:
    """Whether a page is JSON."""
    return step.body.lstrip().startswith((b"{", b"["))


def kind_of(step: Step) -> str:
    """The address of a page without what was asked: pages of one kind have one. One digit alone is a layer's."""
    return re.sub(r"\d[-\d]+", "#", step.url.partition("?")[0])


def keys_by_kind(conversations: Iterable[list[Step]]) -> dict[str, dict[Place, frozenset[str]]]:
    """The keys that every saved answer of a kind has; none of open data, where empty columns are left out."""
    answers: dict[str, list[Any]] = {}
    for step in (step for steps in conversations for step in steps):
        if step.status == 200 and is_answer(step) and not OPEN_DATA.search(step.url):
            answers.setdefault(kind_of(step), []).append(unwrapped(step.body)[0])
    return {kind: keys_always_there(values) for kind, values in answers.items()}


def try_state(state: str) -> tuple[Tried, ...]:
    """Every variation of every page of a state. A page that several cases share is varied in the first of them."""
    tried: list[Tried] = []
    seen: set[tuple[bytes, str]] = set()
    # A wall or a changed page stays one, whatever else is on it
    cases = [one for one in list_cases() if one.state == state and one.expected["outcome"] in ANSWERED]
    conversations = {case: load_steps(case.folder) for case in cases}
    always = keys_by_kind(conversations.values())
    for case, steps in conversations.items():
        for number, step in enumerate(steps):
            if step.status != 200 or (step.body, kind_of(step)) in seen:
                continue
            seen.add((step.body, kind_of(step)))
            for name, body in vary(step, always.get(kind_of(step), {})):
                changed = [*steps[:number], replace(step, body=body), *steps[number + 1 :]]
                tried.append(Tried(str(case), number + 1, name, judge(case, case.expected, changed, name)))
    return tuple(tried)


def judge(case: Case, expected: dict[str, Any], steps: list[Step], variation: str) -> str:
    """Hold the answer from these pages against the expected one."""
    try:
        answer = play(case, steps)[0]
    except NotReplayed as error:
        # A list that goes on has to be followed; nothing else leads to a page that nobody asked for before.
        return "refused" if variation.startswith("pager: four") else f"asked for something else: {str(error)[:200]}"
    except Exception as error:
        return f"raised {error!r}"[:300]
    answer.pop("unread_labels")
    if variation.startswith("date form"):
        answer, expected = each_text(by_day, answer), each_text(by_day, expected)
    if variation.startswith("split value"):
        answer, expected = each_text(by_words, answer), each_text(by_words, expected)
    if "labels" in variation:
        answer, expected = each_text(by_letters, answer), each_text(by_letters, expected)
    if answer == expected:
        return "same"
    if answer["outcome"] not in ("found", "not_found", "judged"):
        cut = variation.startswith("pager: four") and answer["reason"] == "refused"
        return "refused" if cut or answer["reason"] in ("layout_changed", "blocked") else f"ended in {answer}"
    return f"another answer: {differences(expected, answer)}"


def each_text(change: Callable[[str], str], value: Any) -> Any:
    """The same with every text of an answer changed."""
    if isinstance(value, dict):
        return {name: each_text(change, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [each_text(change, item) for item in value]
    return change(value) if isinstance(value, str) else value


def by_day(text: str) -> str:
    """Every date in one form: what an answer holds is the portal's own text."""
    return _DAY.sub(lambda day: dates.to_iso(day[0]) or day[0], text)


def by_letters(text: str) -> str:
    """Without capitals and colons: a label may be told itself, as an officer's title or why a company ended."""
    return text.casefold().replace(":", "")


def by_words(text: str) -> str:
    """Without commas: the lines of an address are told as "1 MAIN ST, SUITE 4"."""
    return text.replace(",", "")


def differences(expected: Any, answer: Any, path: str = "") -> str:
    """The first places where two answers differ, for whoever mends the reader."""
    if isinstance(expected, dict) and isinstance(answer, dict):
        names = [name for name in {**expected, **answer} if expected.get(name) != answer.get(name)]
        return "; ".join(differences(expected.get(name), answer.get(name), f"{path}.{name}") for name in names[:4])
    if isinstance(expected, list | tuple) and isinstance(answer, list | tuple) and len(expected) == len(answer):
        places = [place for place, pair in enumerate(zip(expected, answer, strict=True)) if pair[0] != pair[1]]
        return "; ".join(differences(expected[place], answer[place], f"{path}[{place}]") for place in places[:3])
    return f"{path} is {answer!r:.120}, not {expected!r:.120}"


def count(tried: tuple[Tried, ...]) -> Counter[str]:
    """How many variations were the same, refused or different."""
    return Counter("different" if one.is_different else one.outcome for one in tried)
