"""Differences in doubt: the company where nobody else is like the name, and told; nobody where another may be meant."""

from __future__ import annotations

import pytest

from scrapers.portal import Choice, Portal
from scrapers.records import Candidate, ResultList
from scrapers.statuses import meanings

# (what is asked, what is registered, what is told)
DOUBTS = [
    ("Zephir Quartz LLC", "ZEPHYR QUARTZ LLC", "slip"),
    ("Zephyyr Quartz LLC", "ZEPHYR QUARTZ LLC", "slip"),
    ("Zehpyr Quartz LLC", "ZEPHYR QUARTZ LLC", "slip"),
    ("Zepyr Quartz LLC", "ZEPHYR QUARTZ LLC", "slip"),
    ("5UNRISE Quartz LLC", "SUNRISE QUARTZ LLC", "scanned"),
    ("Quartz Modem Works", "QUARTZ MODERN WORKS", "scanned"),
    ("Wells Fargo", "WELLS FARGO & COMPANY", "and_company"),
    ("Eli Lilly Company", "ELI LILLY AND COMPANY", "and_company"),
    ("Offerdal Emerson Company, LLC", "OFFERDAL EMERSON & CO, LLC", "and_company"),
    ("Sisters Mercy Hospital", "SISTERS OF MERCY HOSPITAL", "small_word"),
    ("Smith Jones Farms", "SMITH & JONES FARMS", "small_word"),
    ("Smith n Jones Farms", "SMITH AND JONES FARMS", "small_word"),
    ("Yale Acres of Conn.", "YALE ACRES OF CONNECTICUT", "place_shortened"),
    ("Yale Acres CT", "YALE ACRES CONNECTICUT", "place_shortened"),
    ("Yale Acres USA", "YALE ACRES UNITED STATES", "place_shortened"),
    ("Zephyr Prop", "ZEPHYR PROPERTIES", "shortened_word"),
    ("Zephyr Plmbng", "ZEPHYR PLUMBING", "shortened_word"),
    ("Zephyr Ent. Group", "ZEPHYR ENTERPRISES GROUP", "shortened_word"),
    ("Zephyr II Manager", "ZEPHYR 2 MANAGER", "number_spelling"),
    ("Zephyr Surety Company", "ZEPHYR SURETY COMPANY OF AMERICA", "home_state"),
]

# (what is asked, what is registered): another company, though it stands alone
OTHERS = [
    ("Hernon Farms", "HERON LAKE FARMS"),  # two differences
    ("Zephir Farm", "ZEPHYR FARMS"),
    ("Zephyr Trading", "ZEPHYR TRAINING"),  # both are words
    ("Quartz", "QUARTS"),
    ("Cook Farms", "COOKE FARMS"),  # too short to be a slip
    ("Blue Farms", "BLUE FARM"),
    ("Heron Rentals", "HERON RENTAL"),
    ("MT Holdings", "MOUNT HOLDINGS"),
    ("RD Consulting", "ROAD CONSULTING"),
    ("JM Art", "J MART"),
    ("Gaming", "GAMING PC"),
    ("Studio X", "STUDIO 10 LLC"),
    ("Planet X", "PLANET TEN"),
    ("Club V", "CLUB 5"),
    ("Marathon Enterprises Inc.", "MARATHON ENTERPRISES LLC"),
    ("Dr Pepper Bottling Company of Texas", "DR PEPPER BOTTLING COMPANY, INC."),
    ("Zephyr Company of America", "ZEPHYR COMPANY OF CONNECTICUT"),
    ("Taylor Co.", "TAYLOR CORPORATION OF MINNESOTA"),
    ("Zephir Quartz LP", "ZEPHYR QUARTZ LLC"),  # a legal form of another kind beside it
    ("Zephir Quartz Inc", "ZEPHYR QUARTZ LLC"),
    ("Ent Solutions", "ENTERPRISE SOLUTIONS"),  # initials
    ("W Jordan Plumbing", "WEST JORDAN PLUMBING"),
    ("Acme Art", "ACME APARTMENTS"),
    ("Plan A", "PLAN"),
    ("Route 66 Diner", "ROUTE 67 DINER"),
    ("Moss Plumbing", "N & MOSS PLUMBING"),  # an initial, which is no "and"
    ("T Contracting LLC", "T & N CONTRACTING LLC"),
    ("Souza Quarries", "SOUZA QUARRIES N"),
    ("A & N Quarries", "N & A QUARRIES"),
    ("Power & Grace", "POWER OF GRACE"),  # one small word for another
    ("Friends of Quartz", "FRIENDS FOR QUARTZ"),
    ("At Home", "HOME"),
    ("Marathon Hldgs Inc.", "MARATHON HOLDINGS LLC"),  # generic, and of another form
    ("Marathon Managment Inc.", "MARATHON MANAGEMENT LLC"),
    ("Landry Services", "LAUNDRY SERVICES"),  # names and brands, one letter from a word
    ("Cristian Construction", "CHRISTIAN CONSTRUCTION"),
    ("Energy Services", "ENTERGY SERVICES"),
]


class Registry(Portal):
    """A registry that shows the rows of a test."""

    code = "CT"
    statuses = meanings(active="Active", inactive="Dissolved")


class RegistryOfArkansas(Registry):
    """One of a state whose rule was read, and registers no name beside its plural."""

    code = "AR"


def choose(asked: str, *shown: str, complete: bool = True, portal: type[Portal] = Registry, **more: float) -> Choice:
    rows = tuple(Candidate(name, str(number), status="Active") for number, name in enumerate(shown))
    return portal().choose(asked, ResultList(rows, complete=complete), threshold=more.get("threshold", 0.92))


@pytest.mark.parametrize(("asked", "shown", "features"), DOUBTS, ids=[asked for asked, _, _ in DOUBTS])
class TestADoubt:
    def test_is_the_company_where_it_stands_alone_and_is_noted(self, asked: str, shown: str, features: str) -> None:
        choice = choose(asked, shown, "QUITE ANOTHER LLC")
        assert choice.candidate is not None
        assert choice.candidate.name == shown
        assert choice.ranked[0].kind == "close"
        assert choice.ranked[0].score == 0.92
        assert choice.ranked[0].features == (*features.split(), "only_one_like_it")

    def test_is_nobody_where_two_are_like_it(self, asked: str, shown: str, features: str) -> None:
        choice = choose(asked, shown, f"THE {shown}")
        assert (choice.candidate, choice.ambiguous) == (None, False)
        assert all(entry.score <= 0.90 for entry in choice.ranked)

    def test_is_nobody_in_a_list_that_was_cut(self, asked: str, shown: str, features: str) -> None:
        choice = choose(asked, shown, complete=False)
        assert choice.candidate is None
        assert choice.ranked[0].candidate.name == shown  # a suggestion

    def test_is_nobody_where_more_than_that_is_wanted(self, asked: str, shown: str, features: str) -> None:
        assert choose(asked, shown, threshold=0.93).candidate is None

    def test_gives_way_to_the_very_name(self, asked: str, shown: str, features: str) -> None:
        choice = choose(asked, shown, asked)
        assert choice.candidate is not None
        assert (choice.candidate.name, choice.ranked[0].kind) == (asked, "exact")


@pytest.mark.parametrize(("asked", "shown"), OTHERS, ids=[asked for asked, _ in OTHERS])
def test_another_company_is_not_taken_though_it_stands_alone(asked: str, shown: str) -> None:
    assert choose(asked, shown).candidate is None
    assert choose(shown, asked).candidate is None or (asked, shown) == ("Taylor Co.", "TAYLOR CORPORATION OF MINNESOTA")


class TestASlip:
    """Of the finger or the scanner."""

    def test_is_none_where_somebody_else_bears_the_word(self) -> None:
        assert choose("Hanson Quarries", "HANSEN QUARRIES LLC").candidate is not None
        assert choose("Hanson Quarries", "HANSEN QUARRIES LLC", "ERIK HANSON DENTAL LLC").candidate is None

    def test_that_a_scanner_made_is_one_though_the_letters_are_no_word(self) -> None:
        assert choose("D0gwood Quarries", "DOGWOOD QUARRIES LLC").candidate is not None

    def test_of_a_number_is_another_number(self) -> None:
        assert choose("Unit 105 LLC", "UNIT I05 LLC").candidate is None


class TestAPlural:
    """Is another company's name, unless the state's own rule registers no name beside its plural."""

    def test_is_the_company_where_the_rule_was_read(self) -> None:
        choice = choose("Zephyr Farm LLC", "ZEPHYR FARMS LLC", portal=RegistryOfArkansas)
        assert choice.candidate is not None
        assert choice.ranked[0].features == ("plural", "only_one_like_it")

    @pytest.mark.parametrize(("asked", "shown"), [("Zephyr Churches", "ZEPHYR CHURCH"), ("Oak Bakery", "OAK BAKERIES")])
    def test_is_one_as_the_state_s_own_name_check_has_it(self, asked: str, shown: str) -> None:
        assert choose(asked, shown, portal=RegistryOfArkansas).ranked[0].features == ("plural", "only_one_like_it")

    @pytest.mark.parametrize(
        ("asked", "shown"),
        [("Car Zephyr", "CARES ZEPHYR"), ("Zephyr Princes", "ZEPHYR PRINCESS"), ("Dan Oak", "DANIES OAK")],
    )
    def test_is_no_other_word_that_ends_like_one(self, asked: str, shown: str) -> None:
        assert choose(asked, shown, portal=RegistryOfArkansas).candidate is None
        assert choose(shown, asked, portal=RegistryOfArkansas).candidate is None

    def test_is_nobody_where_two_are_like_it(self) -> None:
        shown = ("ZEPHYR FARMS LLC", "ZEPHYR FARMS INC.")
        assert choose("Zephyr Farm", *shown, portal=RegistryOfArkansas).candidate is None

    def test_is_nobody_where_the_rule_is_assumed(self) -> None:
        assert choose("Zephyr Farm LLC", "ZEPHYR FARMS LLC").candidate is None


class TestAStateSOwnCode:
    """Is read as the state there, and nowhere else."""

    def test_is_the_state_that_is_asked(self) -> None:
        assert choose("Yale Acres AR", "YALE ACRES ARKANSAS", portal=RegistryOfArkansas).candidate is not None
        assert choose("Yale Acres AR", "YALE ACRES ARKANSAS").candidate is None
