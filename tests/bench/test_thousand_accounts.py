"""The simulation keeps what can be proven of it by hand; its figures are in docs/scaling.md."""

from __future__ import annotations

import itertools

import pytest

from tests.bench.thousand_accounts import Facts, Question, Simulation, list_states

SLOW = Facts("NM", pace=4.0, places=1, found=3, not_found=3)
WIDE = Facts("NY", pace=0.5, places=4, found=4, not_found=4, seconds=2.0)
Told = tuple[Simulation, list[Question]]


def ask_all(*states: Facts, rows: dict[int, int], threads: int = 80) -> Told:
    """One bulk request of each account, with so many rows, over all states in turn."""
    made = Simulation(states, threads=threads)
    for account, number in rows.items():
        made.ask_bulk(account, [states[(account + row) % len(states)].code for row in range(number)], at=0.0)
    return made, made.run()


@pytest.fixture(scope="module")
def thousand() -> Told:
    """A thousand accounts with two rows each, at the states that are on."""
    return ask_all(*list_states(0.5), rows=dict.fromkeys(range(1000), 2))


class TestOneAccountAtOneState:
    """The pace's own arithmetic."""

    def test_waits_for_each_row_as_long_as_the_requests_before_it_take(self) -> None:
        _, asked = ask_all(SLOW, rows={1: 10})
        assert [one.waited for one in asked] == [
            pytest.approx((number * SLOW.found - 1) * SLOW.pace + SLOW.seconds) for number in range(1, 11)
        ]

    def test_gets_as_many_a_second_as_the_state_is_said_to_give(self) -> None:
        made, asked = ask_all(WIDE, rows={1: 400})
        assert len(asked) / made.now == pytest.approx(WIDE.rate, rel=0.02)


class TestAThousandAccounts:
    """All at once, at the states that are on."""

    def test_ask_no_registry_faster_than_its_pace_nor_more_at_once(self, thousand: Told) -> None:
        for one in thousand[0].registries.values():
            assert len(one.sent) > 90
            assert min(later - before for before, later in itertools.pairwise(one.sent)) >= one.facts.pace - 1e-6
            assert one.most <= one.facts.places

    def test_are_all_answered_and_leave_no_registry_idle(self, thousand: Told) -> None:
        made, asked = thousand
        assert len(asked) == 2000
        for one in made.registries.values():
            took = max(each.waited for each in asked if each.code == one.facts.code)
            work = len(one.sent) * max(one.facts.pace, one.facts.seconds / one.facts.places)
            assert took <= work + one.facts.not_found * (one.facts.pace + one.facts.seconds)


class TestASmallAccount:
    """Beside one with thousands of rows."""

    def test_has_the_same_chance_of_the_next_place_as_a_large_one(self) -> None:
        """Ninety-nine accounts with a row each are all done after some hundred rows, and not after two thousand."""
        _, asked = ask_all(SLOW, rows={0: 2000} | dict.fromkeys(range(1, 100), 1))
        last = max(one.waited for one in asked if one.account)
        assert sum(one.waited < last for one in asked if not one.account) < 20
        assert len([one for one in asked if one.ended]) == 2099

    def test_waits_with_a_single_lookup_for_a_place_and_no_longer(self) -> None:
        """Of bulk requests no more rows look for a place than there are, so one of its own is as likely to be next."""
        made = Simulation([SLOW], threads=40)
        made.ask_bulk(0, ["NM"] * 300, at=0.0)
        for number in range(20):
            made.ask(1, "NM", at=5.0 + number * 120)
        singles = [one.waited for one in made.run() if not one.is_bulk]
        assert sum(singles) / len(singles) < 4 * SLOW.found * SLOW.pace
