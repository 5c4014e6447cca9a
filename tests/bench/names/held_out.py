"""The first held-out set: real companies, asked for as people write.

What is right follows from how a question was made. It is kept only where no other company's name is near the name that
is asked for, so that who is meant is beyond doubt; for a company that must not be found, everybody near it is hidden.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import chain

from tests.bench.names import habits
from tests.bench.names.companies import Registry, core, letters
from tests.bench.names.habits import HABITS, Habit
from tests.bench.names.questions import Question
from tests.bench.names.vocabulary import INVENTED

SEED = "held out 2026-11-22"
A_HABIT, NOT_REGISTERED, UNCLEAR = 30, 100, 45  # questions
SHORTEST = 5  # letters; who is meant by fewer, nobody knows


def build(registry: Registry, *, share: float = 1.0, seed: str = SEED) -> list[Question]:
    """Every question, in the same order every time; or the first ones of each habit. Another seed asks for others."""
    most = round(A_HABIT * share)
    found = [question for habit in HABITS for question in _of_a_habit(registry, habit, most, seed)]
    for make, all_of_it in (
        (_not_registered, NOT_REGISTERED),
        (_not_registered_and_badly_written, NOT_REGISTERED),
        (_trading_name_of_somebody_else, A_HABIT),
        (_unclear_without_form, UNCLEAR),
        (_form_decides, A_HABIT),
        (_active_before_ended, A_HABIT),
    ):
        found += _take(make(registry, random.Random(f"{seed} {make.__name__}")), round(all_of_it * share))
    return found


def practice(registry: Registry, seed: str) -> list[Question]:
    """Questions of the same habits about other companies, to change the matcher and the terms on."""
    kept = {question.target for question in build(registry)} - {None}
    return [question for question in build(registry, seed=f"practice {seed}") if question.target not in kept]


def _take(questions: Iterator[Question], most: int) -> list[Question]:
    found: dict[str, Question] = {}
    for question in questions:
        found.setdefault(question.asked, question)
        if len(found) == most:
            break
    return list(found.values())


def _shuffled(registry: Registry, pick: random.Random) -> Iterator[int]:
    """All companies in one shuffled order, from another place in it each time."""
    order = registry.shuffled
    first = pick.randrange(len(order))
    for at in chain(order[first:], order[:first]):
        if len("".join(registry.cores[at])) >= SHORTEST:
            yield at


def _of_a_habit(registry: Registry, habit: Habit, most: int, seed: str) -> list[Question]:
    pick = random.Random(f"{seed} {habit.__name__}")

    def questions() -> Iterator[Question]:
        for at in _shuffled(registry, pick):
            company = registry.companies[at]
            asked = habit(pick, company, registry)
            if asked and registry.near(company.name) == {at} and registry.near(asked) <= {at}:
                yield Question(asked, "found", habit.__name__, target=at)

    return _take(questions(), most)


def _hidden(registry: Registry, *written: str) -> frozenset[int]:
    return frozenset().union(*(registry.near(name) for name in written))


def _not_registered(registry: Registry, pick: random.Random) -> Iterator[Question]:
    for at in _shuffled(registry, pick):
        name = registry.companies[at].name
        asked = habits.plainly(pick, registry.companies[at], registry)
        if asked:
            yield Question(asked, "nobody", "not_registered", hidden=_hidden(registry, name, asked))


def _not_registered_and_badly_written(registry: Registry, pick: random.Random) -> Iterator[Question]:
    for at in _shuffled(registry, pick):
        company = registry.companies[at]
        asked = pick.choice(HABITS)(pick, company, registry)
        if asked:
            hidden = _hidden(registry, company.name, asked)
            yield Question(asked, "nobody", "not_registered_and_badly_written", hidden=hidden)


def _trading_name_of_somebody_else(registry: Registry, pick: random.Random) -> Iterator[Question]:
    """ "Maria Lopez LLC dba Sunrise Cleaning", where Sunrise Cleaning LLC is somebody else's."""
    for at in _shuffled(registry, pick):
        company = registry.companies[at]
        base, _ = habits.parted(company.name)
        owner = f"{pick.choice(INVENTED)} {pick.choice(('LLC', 'Inc.', 'Enterprises LLC'))}"
        yield Question(f"{owner} dba {base.title()}", "nobody", "trading_name_of_somebody_else", beside=(at,))


def _groups(registry: Registry, pick: random.Random, fits: Callable[[list[int]], bool]) -> Iterator[list[int]]:
    """Companies of the very same words, and nobody near them."""
    groups = [group for group in registry.by_core.values() if 2 <= len(group) <= 3]
    pick.shuffle(groups)
    for group in groups:
        name = registry.companies[group[0]].name
        if len(letters(name)) >= SHORTEST and registry.near(name) == set(group) and fits(group):
            yield group


def _forms(registry: Registry, group: list[int]) -> list[str]:
    return [habits.parted(registry.companies[at].name)[1] for at in group]


def _statuses(registry: Registry, group: list[int]) -> list[bool]:
    return [registry.companies[at].status == "Active" for at in group]


def _unclear_without_form(registry: Registry, pick: random.Random) -> Iterator[Question]:
    def fits(group: list[int]) -> bool:
        forms = _forms(registry, group)
        return all(forms) and len(set(forms)) > 1 and all(_statuses(registry, group))

    for group in _groups(registry, pick, fits):
        asked = " ".join(core(registry.companies[group[0]].name)).title()
        yield Question(asked, "unclear", "unclear_without_form", beside=tuple(group))


def _form_decides(registry: Registry, pick: random.Random) -> Iterator[Question]:
    def fits(group: list[int]) -> bool:
        forms = _forms(registry, group)
        return all(forms) and len(set(forms)) == len(forms) and all(_statuses(registry, group))

    for group in _groups(registry, pick, fits):
        at = pick.choice(group)
        base, form = habits.parted(registry.companies[at].name)
        yield Question(habits.with_form(base.title(), form.upper()), "found", "form_decides", at, beside=tuple(group))


def _active_before_ended(registry: Registry, pick: random.Random) -> Iterator[Question]:
    def fits(group: list[int]) -> bool:
        return (
            len(group) == 2 and len(set(_forms(registry, group))) == 1 and sorted(_statuses(registry, group)) == [0, 1]
        )

    for group in _groups(registry, pick, fits):
        at = next(at for at in group if registry.companies[at].status == "Active")
        if {registry.companies[other].status for other in group} <= {"Active", "Dissolved", "Withdrawn", "Forfeited"}:
            asked = registry.companies[at].name.title()
            yield Question(asked, "found", "active_before_ended", at, beside=tuple(group))
