"""A name check says what a filing clerk would say of the names on the register."""

from __future__ import annotations

from typing import ClassVar

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as some

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.name_rules.availability import judge
from scrapers.name_rules.rules import RULES
from scrapers.name_rules.same_names import clerk_key
from scrapers.portal import Capabilities, Portal
from scrapers.records import Candidate, NameCheck, NameVerdict, ResultList
from scrapers.statuses import StatusMeaning, meanings


class Registry(Portal):
    """A registry that shows the status of every entity."""

    statuses: ClassVar = meanings(
        "Active | Dissolved | Dissolved, Name Protected | Revoked | Suspended | Administratively Dissolved | Pending"
    )


class NoStatus(Portal):
    """A registry that shows none."""

    capabilities = Capabilities(status=False)


class ActiveOnly(Portal):
    """A register of active entities."""

    capabilities = Capabilities(status=False)
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_active_register")


def ask(
    name: str,
    *rows: tuple[str, str],
    state: str = "DE",
    portal: type[Portal] = Registry,
    check: NameCheck | None = None,
) -> NameVerdict:
    candidates = tuple(Candidate(shown, str(number), status or None) for number, (shown, status) in enumerate(rows))
    return judge(name, ResultList(candidates, check=check), portal=portal(), state=state)


class TestAFreeName:
    """Nobody has it."""

    def test_is_available(self) -> None:
        found = ask("Quasar Bakery LLC", ("Blue Heron Logistics LLC", "Active"))
        assert (found.available, found.conflicts, found.warning) == (True, (), None)

    def test_stays_so_when_the_owner_of_the_same_name_has_ended(self) -> None:
        found = ask("Blue Heron Logistics LLC", ("Blue Heron Logistics, Inc.", "Dissolved"))
        assert (found.available, found.conflicts) == (True, ())

    def test_comes_with_a_warning_when_its_owner_was_revoked(self) -> None:
        found = ask("Blue Heron Logistics LLC", ("BLUE HERON LOGISTICS LLC", "Revoked"))
        assert found.available
        assert "Revoked" in (found.warning or "")

    def test_comes_with_a_warning_when_its_owner_may_be_reinstated(self) -> None:
        found = ask("Blue Heron Logistics LLC", ("BLUE HERON LOGISTICS LLC", "Administratively Dissolved"))
        assert found.available
        assert "may be entitled to return to it" in (found.warning or "")

    def test_comes_with_what_the_state_requires(self) -> None:
        new_york, guam = (ask("Quasar Bakery", ("x", "Active"), state=code).designator_note for code in ("NY", "GU"))
        assert "Company is not enough" in new_york
        assert "Limited Liability Company Law 204" in new_york
        assert "An LLC's name usually must contain" in guam


class TestATakenName:
    """An active entity has it."""

    @pytest.mark.parametrize(
        "shown",
        [
            "Blue Heron Farms LLC",
            "THE BLUE-HERON FARMS, INC.",
            "Blue Heron Farm Corp",
            "BlueHeron Farms LP",
            "Blue Heron Farms",
        ],
    )
    def test_is_taken_however_it_is_written(self, shown: str) -> None:
        assert not ask("Blue Heron Farms LLC", (shown, "Active")).available

    def test_is_known_by_its_number_as_word_and_in_figures(self) -> None:
        assert not ask("Twenty-One Club LLC", ("21 CLUB, INC.", "Active")).available
        assert ask("Twenty-One Club LLC", ("201 CLUB, INC.", "Active"), ("20 CLUB LLC", "Active")).available

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("AJ's Transport LLC", "AJ TRANSPORT INC"),
            ("AJ\u2019s Transport LLC", "AJ TRANSPORT INC"),
            ("Al Diner LLC", "AL'S DINER, INC."),
            ("AJ's Transport LLC", "AJS TRANSPORT INC"),
            ("James's Garage LLC", "JAMES GARAGE LLC"),
        ],
    )
    def test_is_known_by_its_owner_however_short(self, name: str, shown: str) -> None:
        assert not ask(name, (shown, "Active"), state="FL").available  # which has no plural and no possessive apart
        assert ask(name, (shown, "Active"), state="TX").available or shown.startswith("AJS")

    @pytest.mark.parametrize(("name", "shown"), [("A's Pizza LLC", "PIZZA LLC"), ("It's Pizza LLC", "IT PIZZA LLC")])
    def test_is_not_the_name_without_a_small_word(self, name: str, shown: str) -> None:
        assert ask(name, (shown, "Active"), state="FL").available

    def test_lists_who_stands_in_the_way_active_ones_first(self) -> None:
        found = ask(
            "Blue Heron LLC",
            ("Blue Heron Inc", "Dissolved"),
            ("Blue Heron LP", "Pending"),
            ("Blue Heron LLC", "Active"),
        )
        assert [one.status_class for one in found.conflicts] == ["active", "neutral", "inactive"]

    def test_lists_ten_at_most(self) -> None:
        rows = [(f"Blue Heron {form}", "Active") for form in ("LLC", "Inc", "Corp", "LP", "LLP", "Co", "Ltd") * 2]
        assert len(ask("Blue Heron LLC", *rows).conflicts) == 10

    def test_tells_of_the_same_name_with_another_legal_form(self) -> None:
        assert "Blue Heron Inc" in (ask("Blue Heron LLC", ("Blue Heron Inc", "Active")).variation_note or "")
        assert ask("Blue Heron", ("Blue Heron Inc", "Active")).variation_note is None

    def test_may_be_one_that_somebody_put_aside(self) -> None:
        row = Candidate("Blue Heron LLC", "1", None, name_kind="reserved")
        assert not judge("Blue Heron LLC", ResultList((row,)), portal=Registry(), state="DE").available

    def test_may_be_kept_for_an_owner_that_has_ended(self) -> None:
        found = ask("Blue Heron LLC", ("BLUE HERON LLC", "Dissolved, Name Protected"), state="WI")
        assert (found.verdict, len(found.conflicts)) == ("taken", 1)
        assert "Name Protected" in (found.warning or "")

    def test_is_free_again_when_its_owner_has_another_name_now(self) -> None:
        row = Candidate("Blue Heron LLC", "1", "Active", name_kind="former")
        assert judge("Blue Heron LLC", ResultList((row,)), portal=Registry(), state="DE").available


class TestANameOfAnOwnerWhoseStatusIsOpen:
    """It exists, so nothing of it is passed over in silence."""

    @pytest.mark.parametrize(
        ("status", "seen"),
        [("Awaiting Ratification", '"Awaiting Ratification", which is no status'), ("", "not shown")],
    )
    def test_cannot_be_said_to_be_free_where_the_status_is_not_known(self, status: str, seen: str) -> None:
        found = ask("Blue Heron LLC", ("BLUE HERON LLC", status))
        assert (found.verdict, found.available) == ("cannot_say", False)
        assert [one.candidate.name for one in found.conflicts] == ["BLUE HERON LLC"]
        assert f"its status is {seen}" in (found.warning or "")

    def test_is_taken_all_the_same_where_another_is_active(self) -> None:
        found = ask("Blue Heron LLC", ("BLUE HERON LLC", "Awaiting Ratification"), ("Blue Heron Inc", "Active"))
        assert (found.verdict, found.warning) == ("taken", None)
        assert [one.status_class for one in found.conflicts] == ["active", "neutral"]

    def test_is_taken_with_a_warning_where_it_is_known_to_be_pending(self) -> None:
        found = ask("Blue Heron LLC", ("BLUE HERON LLC", "Pending"), ("Blue Heron Inc", "Pending"))
        assert (found.verdict, found.available, len(found.conflicts)) == ("taken", False, 2)
        assert (found.warning or "").count("Pending: that does not say that it has ended.") == 2

    def test_is_free_where_the_owner_has_another_name_now(self) -> None:
        row = Candidate("Blue Heron LLC", "1", None, name_kind="former")
        found = judge("Blue Heron LLC", ResultList((row,)), portal=Registry(), state="DE")
        assert (found.verdict, found.warning) == ("free", None)

    def test_says_so_beside_a_no_of_the_registry(self) -> None:
        said = NameCheck("The registry's own name check", False, "This name is not available.")
        found = ask("Blue Heron LLC", ("BLUE HERON LLC", "Pending"), check=said)
        assert (found.verdict, len(found.conflicts)) == ("taken", 1)
        assert "Pending" in (found.warning or "")


class TestALegalFormAlone:
    """Is no name, so nobody can have it; and yet it is not free."""

    @pytest.mark.parametrize("name", ["LLC", "l.l.c.", "Inc.", "The Corporation", "Limited Liability Company"])
    def test_cannot_be_said_to_be_free(self, name: str) -> None:
        found = ask(name, ("Blue Heron Logistics LLC", "Active"))
        assert (found.verdict, found.available) == ("cannot_say", False)
        assert found.warning == "A legal form alone is no name: give the words before it."

    def test_is_none_with_a_word_before_it(self) -> None:
        assert ask("Limited Edition LLC").verdict == ask("The Limited, Inc.").verdict == "free"


class TestTheStatesRule:
    """States differ in what tells two names apart."""

    @pytest.mark.parametrize(
        ("state", "name", "other", "same"),
        [
            ("FL", "Blue Farm LLC", "Blue Farms Inc", True),
            ("TX", "Blue Farm LLC", "Blue Farms Inc", False),
            ("AZ", "One Stop LLC", "1 Stop Inc", True),
            ("OR", "One Stop LLC", "1 Stop Inc", False),
            ("AZ", "Fund II Manager LLC", "Fund Two Manager LLC", True),
            ("AZ", "Fund XVI LLC", "Fund 16 LLC", True),
            ("AZ", "One Hundred and Two Main LLC", "102 Main LLC", True),
            ("AZ", "One Hundred Sons LLC", "101 Sons LLC", False),
            ("AZ", "Hundred Acre LLC", "100 Acre LLC", False),
            ("AZ", "Fifty Third Street LLC", "53rd Street LLC", True),
            ("AZ", "One Hundredth Street LLC", "100th Street LLC", True),
            ("AZ", "One Hundred Eleventh Street LLC", "111th Street LLC", True),
            ("AZ", "Thirtieth Street LLC", "30th Street LLC", True),
            ("AZ", "Twenty Ten LLC", "30 LLC", False),
            ("AZ", "I Love Pies LLC", "1 Love Pies LLC", False),
            ("IN", "One Hundred and Two Main LLC", "102 Main LLC", True),
            ("IN", "One Hundred and Sons LLC", "100 and Sons LLC", True),
            ("OR", "Fund II Manager LLC", "Fund 2 Manager LLC", False),
            ("AZ", "Roll Out Now Co", "Rollout Now Co", True),
            ("OR", "Bank of the West", "Bank West", True),
            ("AZ", "Bank of the West", "Bank West", False),
            ("MI", "Smith and Jones LLC", "Smith & Jones LLC", True),
            ("MI", "The Blue LLC", "Blue LLC", False),
            ("MN", "National Foods LLC", "Natl Foods LLC", True),
            ("MN", "Painted Barn LLC", "Painting Barn LLC", True),
            ("TX", "National Foods LLC", "Natl Foods LLC", False),
            ("CO", "Blue Farm LLC", "Blue Farm Inc", False),
            ("CO", "Blue Farm, L.L.C.", "BLUE FARM LLC", True),
            ("CO", "The Blue LLC", "Blue LLC", False),
            ("CO", "ABC Inc", "A B C Inc", False),
            ("CO", "ABC Inc", "A-B-C Inc", False),
            ("CO", "ABC Inc", "(ABC) Inc", False),
            ("CO", "ABC Inc", "A.B.C. Inc.", True),
            ("CO", "ABC LLC", "ABC Limited Liability Company", False),
            ("CO", "Blue-Heron LLC", "Blue Heron LLC", False),
            ("CO", "Salt & Pepper LLC", "Salt and Pepper LLC", False),
            ("CO", "O'Neil's Garage, LLC", "ONEILS GARAGE LLC", True),
            ("TN", "Bank of the West", "Bank West", True),
            ("TN", "Blue Farm LLC", "Blue Farms LLC", False),
            ("KS", "House of Pies LLC", "House Pies Inc", True),
            ("KS", "10 Farms LLC", "Ten Farms LLC", False),
            ("KS", "Cat LLC", "Cats LLC", False),
            ("AR", "Blue Farm LLC", "Blue Farm's LLC", True),
            ("AR", "One Stop LLC", "1 Stop LLC", False),
            ("IN", "One Stop LLC", "1 Stop Inc", True),
            ("IN", "BlueHeron LLC", "Blue-Heron Inc", True),
            ("MT", "Two Rivers LLC", "2 Rivers Co", True),
            ("MT", "Montana Natl Foods", "Montana National Foods", False),
            ("OH", "National Foods LLC", "Natl Food LLC", True),
            ("OH", "We Can't Wait LLC", "We Cannot Wait Inc", True),
            ("OH", "They're Home LLC", "They Are Home LLC", True),
            ("OH", "Maria's Kitchen LLC", "Maria Is Kitchen LLC", False),
            ("OH", "Painted Barn LLC", "Paint Barn LLC", True),
            ("OH", "Painting Barn LLC", "Paint Barn LLC", True),
            ("OH", "Baked Goods LLC", "Bake Goods LLC", True),
            ("OH", "Well Built Homes LLC", "Well Build Homes LLC", True),
            ("OH", "Planned Parks LLC", "Planed Parks LLC", False),
            ("OH", "Rated Movers LLC", "Rat Movers LLC", False),
            ("WA", "Painted Barn LLC", "Paint Barn LLC", False),
            ("WA", "We Can't Wait LLC", "We Cannot Wait Inc", False),
            ("ME", "Smith and Jones LLC", "Smith Jones LLC", True),
            ("ME", "Blue Farm LLC", "Blue Farms LLC", False),
            ("AK", "One Stop LLC", "1 Stop LLC", False),
            ("AK", "Roll Out Now Co", "Rollout Now Co", True),
            ("HI", "Pier of Honolulu Inc", "Pier Honolulu Inc", True),
            ("DE", "Moss & Company, Inc.", "Moss and Co. LLC", True),
            ("MI", "The Moss & Company LLC", "The Moss & Co LLC", True),
            ("DE", "Quarry Bank, N.A.", "Quarry Bank National Association", True),
            ("DE", "A B C Plumbing LLC", "ABC Plumbing Inc", True),
            ("DE", "A & B Plumbing LLC", "B Plumbing Inc", False),
            ("DE", "A Plumbing LLC", "Plumbing Inc", True),
            ("FL", "Blue Cookie LLC", "Blue Cookies Inc", True),
        ],
    )
    def test_decides(self, state: str, name: str, other: str, same: bool) -> None:
        assert (clerk_key(name, RULES[state]) == clerk_key(other, RULES[state])) is same

    def test_is_there_for_every_jurisdiction_and_says_how_sure_it_is(self) -> None:
        assert set(RULES) == set(PLACES)
        assert all(rule.source for rule in RULES.values())
        assert all("assumed" in rule.source for rule in RULES.values() if rule.sure != "rule")
        assert sum(rule.sure == "rule" for rule in RULES.values()) >= 15

    def test_is_told_on_a_page_that_is_current(self) -> None:
        call_command("name_rules_page", "--check")


class TestASourceThatShowsLess:
    """What is not seen is said."""

    def test_without_status_counts_everybody(self) -> None:
        found = ask("Blue Heron LLC", ("Blue Heron Inc", ""), portal=NoStatus)
        assert (found.verdict, found.available, found.warning) == ("taken", False, None)
        assert "no status" in (found.status_note or "")

    def test_of_active_entities_says_what_that_means(self) -> None:
        found = ask("Quasar LLC", ("Blue Heron Inc", ""), portal=ActiveOnly)
        assert found.available
        assert "active entities only" in (found.status_note or "")
        assert not ask("Blue Heron LLC", ("Blue Heron Inc", ""), portal=ActiveOnly).available


class TestARegistryWithACheckOfItsOwn:
    """It knows better than any list."""

    def test_is_believed_when_it_says_no(self) -> None:
        said = NameCheck("The registry's own name check", False, "This name is not available.")
        found = ask("Quasar LLC", ("Blue Heron Inc", "Active"), check=said)
        assert (found.available, found.conflicts) == (False, ())
        assert found.status_note == 'The registry\'s own name check says: "This name is not available."'

    def test_does_not_make_a_name_free_that_an_active_company_has(self) -> None:
        said = NameCheck("The registry's own name check", True, "This name is available.")
        assert not ask("Blue Heron LLC", ("Blue Heron Inc", "Active"), check=said).available
        assert ask("Quasar LLC", ("Blue Heron Inc", "Active"), check=said).available

    def test_is_told_when_it_only_lists_names(self) -> None:
        found = ask("Quasar LLC", ("Blue Heron Inc", "Active"), check=NameCheck("The registry's own search"))
        assert found.available
        assert "gives no verdict" in (found.status_note or "")


NAMES = some.sampled_from(
    [
        "Blue Heron LLC",
        "Blue Heron Farms Inc",
        "Old Mill Dental PLLC",
        "AT&T Services",
        "The 3 Bears Co",
        "Müller & Söhne LP",
    ]
)


class TestAVerdict:
    """Of any name."""

    @given(NAMES, some.sampled_from(("Quasar", "Zephyr", "Meridian")), some.sampled_from(sorted(PLACES)))
    def test_never_turns_from_free_to_taken_by_a_distinguishing_word(self, name: str, word: str, state: str) -> None:
        assert ask(f"{word} {name}", (name, "Active"), state=state).available

    @given(NAMES, some.sampled_from(sorted(PLACES)))
    def test_does_not_look_at_case_or_punctuation(self, name: str, state: str) -> None:
        for other in (name.upper(), name.lower(), name.replace(" ", "  "), name + "."):
            assert not ask(other, (name, "Active"), state=state).available

    @given(NAMES, NAMES, some.sampled_from(sorted(PLACES)))
    def test_is_the_same_both_ways(self, one: str, other: str, state: str) -> None:
        assert ask(one, (other, "Active"), state=state).available == ask(other, (one, "Active"), state=state).available

    @given(
        some.sampled_from(["", "Active", "Dissolved", "Pending", "Revoked", "Nobody Knows"]),
        some.sampled_from([Registry, NoStatus, ActiveOnly]),
        some.sampled_from([None, True, False]),
    )
    def test_is_free_if_and_only_if_it_says_available(
        self, status: str, portal: type[Portal], own: bool | None
    ) -> None:
        found = ask("Blue Heron LLC", ("Blue Heron LLC", status), portal=portal, check=NameCheck("Own", own, "So."))
        assert found.available == (found.verdict == "free")
        assert found.available or found.conflicts or own is False
        if status and status != "Dissolved" and portal is Registry:
            assert found.conflicts or found.warning, "what exists is not passed over in silence"

    @given(some.text(max_size=50), some.sampled_from(sorted(PLACES)))
    def test_never_fails(self, name: str, state: str) -> None:
        ask(name, (name[::-1], "Active"), state=state)


def test_every_registry_can_be_asked_or_says_why_not() -> None:
    for portal in discovery.list_portals():
        assert portal.verification == "unsupported" or portal.capabilities.search
