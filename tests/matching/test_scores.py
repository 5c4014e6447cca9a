"""What each kind of difference scores and is called: a threshold is set by these numbers, and people read the words."""

from __future__ import annotations

from typing import Any

import pytest

from scrapers.records import Candidate, Match
from scrapers.search import matching
from scrapers.search.matching import compare
from scrapers.statuses import StatusMeaning

LONG = "Acme Logistics Solutions Partners"

SCORES = [
    # the same name, its legal form and its home state
    ("Acme LLC", "ACME, L.L.C.", 1.0, "exact", ""),
    ("Acme Limited Liability Corporation", "ACME LLC", 1.0, "exact", ""),
    ("Acme, Ltd. Liability Corp.", "ACME, L.L.C.", 1.0, "exact", ""),
    ("Acme Limited Liability Corporation", "ACME CORPORATION", 0.97, "suffix_variant", "legal_form"),
    ("Acme Two", "ACME 2", 1.0, "exact", ""),
    ("Quarry Bank & Trust NA", "QUARRY BANK AND TRUST, NATIONAL ASSOCIATION", 1.0, "exact", ""),
    ("Acme", "ACME LLC", 0.98, "suffix_variant", "legal_form"),
    ("Acme Inc", "ACME CORP", 0.98, "suffix_variant", "legal_form"),
    ("Acme LP", "ACME LLLP", 0.98, "suffix_variant", "legal_form"),
    ("Acme PC", "ACME PLLC", 0.98, "suffix_variant", "legal_form"),
    ("Quarry Bank", "QUARRY BANK NA", 0.98, "suffix_variant", "legal_form"),
    ("Acme Inc", "ACME LLC", 0.97, "suffix_variant", "legal_form"),
    ("Acme LP", "ACME LLC", 0.90, "close", "legal_form_of_another_kind"),
    ("Acme PC", "ACME INC", 0.90, "close", "legal_form_of_another_kind"),
    ("Acme Inc", "ACME INC (DE)", 0.97, "suffix_variant", "home_state"),
    ("Acme", "ACME INC (DE)", 0.97, "suffix_variant", "legal_form home_state"),
    ("Acme LP", "ACME INC (DE)", 0.90, "close", "legal_form_of_another_kind home_state"),
    ("Acme Inc", "ACME INC OF DELAWARE", 0.90, "close", "home_state"),
    ("Acme Company", "ACME COMPANY OF AMERICA", 0.90, "close", "home_state"),
    ("Acme Company of Texas", "ACME COMPANY, INC.", 0.90, "close", "legal_form home_state"),
    # what a home state is noted with says the kind of a form that may be any
    ("Acme LLC", "ACME LTD., A TEXAS LIMITED PARTNERSHIP", 0.90, "close", "legal_form_of_another_kind home_state"),
    ("Acme, Ltd., a Texas limited partnership", "ACME INC", 0.90, "close", "legal_form_of_another_kind home_state"),
    ("Acme, Ltd., a Texas limited partnership", "ACME LP", 0.97, "suffix_variant", "legal_form home_state"),
    ("Acme, Ltd., a Texas limited partnership", "ACME, LTD.", 0.97, "suffix_variant", "home_state"),
    ("Acme", "ACME LTD., A TEXAS LIMITED PARTNERSHIP", 0.97, "suffix_variant", "legal_form home_state"),
    ("Acme, P.C., a Texas corporation", "ACME INC", 0.90, "close", "legal_form_of_another_kind home_state"),
    ("Acme Mills Inc", "ACME MILLS LLC", 0.97, "suffix_variant", "legal_form"),
    ("Acme Enterprises Inc", "ACME ENTERPRISES LLC", 0.90, "close", "legal_form generic_name"),
    ("Acme Enterprises", "ACME ENTERPRISES LLC", 0.98, "suffix_variant", "legal_form"),
    ("Gaming", "GAMING PC", 0.90, "close", "legal_form"),
    ("Gaming", "GAMING, P.C.", 0.98, "suffix_variant", "legal_form"),
    ("Gaming", "GAMING PA", 0.90, "close", "legal_form"),
    ("Gaming pa", "GAMING", 0.90, "close", "legal_form"),
    ("Red PC", "REDS", 0.8571, "close", "word_differs"),  # a form that may be a word makes no other name better
    ("Greenfeld Logistics Co", "GREENFIELD LOGISTICS", 0.90, "close", "slip legal_form"),
    ("The Wavery LLC", "THE WAVERY & CO", 0.90, "close", "and_company legal_form"),
    ("Solar Owner V", "SOLAR OWNER V", 1.0, "exact", ""),  # no number is read into a letter that both have
    ("Fund X", "FUND 10", 1.0, "exact", ""),  # a number in a series
    ("Fund X", "10", 0.70, "close", "number_differs"),
    ("10", "FUND X", 0.70, "close", "number_differs"),
    ("Acme Studio 10", "ACME STUDIO X", 0.70, "close", "number_differs"),
    ("Adams Co Fair", "ADAMS COUNTY FAIR", 0.95, "close", "abbreviation"),
    ("MT LLC", "MOUNT LLC", 0.5714, "close", "word_differs"),  # initials, where no name comes after
    ("RD Zebra", "ROAD ZEBRA", 0.8889, "close", "word_differs"),
    ("Laf X", "LAFAYETTE OWNER", 0.3810, "close", "number_differs"),
    ("Gaming PC", "GAMING P.C.", 1.0, "exact", ""),
    # a last letter and a number
    ("Studio X", "STUDIO 10", 0.70, "close", "number_differs"),
    ("Planet Ten", "PLANET X LLC", 0.70, "close", "number_differs"),
    ("Acme Fund X", "ACME FUND 10", 1.0, "exact", ""),
    ("Acme II", "ACME 2", 1.0, "exact", ""),
    ("Acme Inc of Ohio", "ACME LLC OF OHIO", 0.97, "suffix_variant", "legal_form"),
    ("Acme Inc of Ohio", "ACME INC OF DELAWARE", 0.70, "close", "home_state_differs"),
    ("", "ACME", 0.0, "close", "no_words"),
    ("Acme", "!!!", 0.0, "close", "no_words"),
    # a mark of a trading name, and a word
    ("The AKA Group LLC", "THE AKA FOODS LLC", 0.5556, "close", "word_differs"),
    ("Team AKA LLC", "TEAM LLC", 0.6667, "close", "words_added"),
    ("Acme LLC aka Best Foods", "ACME LLC", 1.0, "exact", ""),
    ("Acme LLC a.k.a. Best Foods", "ACME LLC", 1.0, "exact", ""),
    ("Acme LLC (f.k.a. Best Foods LLC)", "ACME LLC", 1.0, "exact", ""),
    ("Acme LLC (formerly Best Foods LLC)", "ACME LLC", 1.0, "exact", ""),
    ("Acme LLC, formerly Best Foods LLC", "ACME LLC", 1.0, "exact", ""),
    ("Acme LLC, formerly known as Best Foods LLC", "BEST FOODS LLC", 0.90, "close", "trading_name"),
    ("Acme LLC (formerly Best Foods LLC)", "BEST FOODS LLC", 0.90, "close", "trading_name"),
    ("Homes for the Formerly Unhoused Inc", "HOMES FOR THE, INC.", 0.45, "close", "words_added"),
    # spacing and figures
    ("Blue Bird LLC", "BLUEBIRD LLC", 0.96, "close", "spacing"),
    ("A1 Towing", "A 1 TOWING", 0.96, "close", "spacing"),
    ("Blue Bird LLC", "BLUEBIRD INC", 0.95, "close", "spacing legal_form"),
    ("Blue Bird LP", "BLUEBIRD LLC", 0.88, "close", "spacing legal_form_of_another_kind"),
    ("JM Art", "J MART", 0.90, "close", "spacing"),
    ("J M Art", "JM ART", 0.96, "close", "spacing"),
    ("Unit 1 11", "UNIT 11 1", 0.70, "close", "number_differs"),
    ("Unit 1 11", "UNIT 111", 0.70, "close", "number_differs"),
    ("Route 66 Diner", "ROUTE 67 DINER", 0.70, "close", "number_differs"),
    ("Acme 2", "ACME 22222222", 0.6316, "close", "number_differs"),
    # abbreviations
    ("Acme Intl", "ACME INTERNATIONAL", 0.95, "close", "abbreviation"),
    ("Acme HOA", "ACME HOMEOWNERS ASSOCIATION", 0.95, "close", "abbreviation"),
    ("Acme Intl LLC", "ACME INTERNATIONAL INC", 0.90, "close", "abbreviation legal_form generic_name"),
    ("Acme Intl Mills LLC", "ACME INTERNATIONAL MILLS INC", 0.94, "close", "abbreviation legal_form"),
    ("Acme Intl LLC", "ACME INTERNATIONAL", 0.94, "close", "abbreviation legal_form"),
    ("Acme Intl LP", "ACME INTERNATIONAL INC", 0.88, "close", "abbreviation legal_form_of_another_kind"),
    ("Blue Bird Intl", "BLUEBIRD INTERNATIONAL", 0.95, "close", "spacing abbreviation"),
    ("MT Holdings", "MOUNT HOLDINGS", 0.88, "close", "word_differs"),
    ("RD Consulting", "ROAD CONSULTING", 0.90, "close", "word_differs"),
    ("Mt Zion Foods", "MOUNT ZION FOODS", 0.95, "close", "abbreviation"),
    ("St James Bakery", "SAINT JAMES BAKERY", 0.95, "close", "abbreviation"),
    ("St James Bakery", "STREET JAMES BAKERY", 0.95, "close", "abbreviation"),
    ("Saint James Bakery", "STREET JAMES BAKERY", 0.8108, "close", "word_differs"),
    ("W Bay Marina", "WEST BAY MARINA", 0.95, "close", "abbreviation"),
    ("W Jordan Marina", "WEST JORDAN MARINA", 0.90, "close", "word_differs"),
    ("Marina W", "MARINA WEST", 0.8421, "close", "word_differs"),
    ("Adams Co Historical Society", "ADAMS COUNTY HISTORICAL SOCIETY", 0.95, "close", "abbreviation"),
    ("Co Historical Society", "COUNTY HISTORICAL SOCIETY", 0.90, "close", "word_differs"),
    ("Wood & Co Farms", "WOOD & COUNTY FARMS", 0.8947, "close", "word_differs"),
    # slips of the finger in words that everybody uses
    ("Acme Logistcs", "ACME LOGISTICS", 0.94, "close", "typo_in_common_word"),
    ("Acme Logistcs LLC", "ACME LOGISTICS INC", 0.93, "close", "typo_in_common_word legal_form"),
    ("Acme Logistcs Bakrey", "ACME LOGISTICS BAKERY", 0.94, "close", "typo_in_common_word"),
    ("Acme Logistcs Blue", "ACME LOGISTICS RED", 0.8333, "close", "word_differs"),
    ("Acme Slaon", "ACME SALON", 0.94, "close", "typo_in_common_word"),  # five letters, two of them swapped
    ("Acme asolN", "ACME SALON", 0.80, "close", "word_differs"),
    ("Acme Hmoe", "ACME HOME", 0.8889, "close", "word_differs"),  # four are too few
    ("Acme aBkery", "ACME BAKERY", 0.94, "close", "typo_in_common_word"),
    ("Acme Bakeyr", "ACME BAKERY", 0.94, "close", "typo_in_common_word"),
    ("Acme Bakkery", "ACME BAKERY", 0.94, "close", "typo_in_common_word"),  # seven letters, one too many
    ("Acme Bakry", "ACME BAKERY", 0.90, "close", "slip"),  # six and five are too few
    ("Acme akery", "ACME BAKERY", 0.90, "close", "word_differs"),
    ("Acme Gallry", "ACME GALLERY", 0.94, "close", "typo_in_common_word"),
    ("Acme Gllery", "ACME GALLERY", 0.94, "close", "typo_in_common_word"),
    ("Acme Logistis", "ACME LOGISTICS", 0.94, "close", "typo_in_common_word"),
    ("Acme allery", "ACME GALLERY", 0.90, "close", "word_differs"),  # never at the beginning
    ("Acme Galler", "ACME GALLERY", 0.90, "close", "word_differs"),  # nor at the end
    ("Acme Glery", "ACME GALLERY", 0.90, "close", "word_differs"),  # two letters short
    ("Acme Maintenence", "ACME MAINTENANCE", 0.94, "close", "typo_in_common_word"),
    ("Acme Automotove", "ACME AUTOMOTIVE", 0.94, "close", "typo_in_common_word"),  # ten letters, one vowel
    ("Acme Assurence", "ACME ASSURANCE", 0.90, "close", "slip"),  # nine are too few
    ("Acme Automotxve", "ACME AUTOMOTIVE", 0.90, "close", "slip"),  # no vowel
    ("Acme Managamant", "ACME MANAGEMENT", 0.8667, "close", "word_differs"),  # two of them
    ("Acme Galley", "ACME GALLERY", 0.90, "close", "word_differs"),  # a word of its own
    ("Acme Realty", "ACME REALITY", 0.90, "close", "word_differs"),
    ("Zephyr Quartz", "ZEPHYR QUARTS", 0.90, "close", "word_differs"),  # nobody else's words
    # an "and" that would be letters of a word
    ("S & S", "SANDS", 0.90, "close", "spacing"),
    ("Brand Y", "BR & Y", 0.90, "close", "spacing"),
    ("Home & Garden", "HOMEANDGARDEN", 0.96, "close", "spacing"),
    ("S&S", "S AND S", 1.0, "exact", ""),
    # a nation is no state that a register notes: it may be a part of the name
    ("Acme Corp", "ACME CORP USA", 0.90, "close", "home_state"),
    ("Acme Corp", "ACME CORP (DELAWARE)", 0.97, "suffix_variant", "home_state"),
    # other words: another company, however alike
    (f"{LONG} Blue", f"{LONG} Blues", 0.90, "close", "word_differs"),
    (f"{LONG} Blue Inc", f"{LONG} Blues LLC", 0.90, "close", "word_differs"),
    (f"{LONG} Blue LP", f"{LONG} Blues LLC", 0.88, "close", "word_differs legal_form_of_another_kind"),
    (f"{LONG} Quo", f"{LONG}", 0.88, "close", "words_added"),
    (f"{LONG}", f"{LONG} Quo", 0.88, "close", "words_missing"),
    ("Acme Trading", "ACME FARMING", 0.75, "close", "word_differs"),
    ("Acme", "ACME TRADING", 0.50, "close", "words_missing"),
    ("Acme Trading", "ACME", 0.50, "close", "words_added"),
    ("Blue Acme", "ACME BLUE", 0.85, "close", "word_order"),
    (f"Quo {LONG} Enterprises Industries", f"{LONG} Quo Enterprises Industries", 0.90, "close", "word_order"),
    # a surname put first
    ("Hansen, Erik", "ERIK HANSEN", 0.94, "close", "turned_at_comma"),
    ("ERIK HANSEN", "Hansen, Erik", 0.94, "close", "turned_at_comma"),
    ("Hansen, Erik LLC", "ERIK HANSEN LLC", 0.94, "close", "turned_at_comma"),
    ("Hansen, Erik LLC", "ERIK HANSEN INC", 0.93, "close", "turned_at_comma"),
    ("Hansen, Erik", "ERIK, HANSEN", 0.85, "close", "word_order"),  # who knows which of them is turned
    ("Acme, Acme", "ACME ACME", 1.0, "exact", ""),
    ("Hansen Erik", "ERIK HANSEN", 0.85, "close", "word_order"),
    # trading names
    ("Best Foods", "ELLSWORTH LLC D/B/A BEST FOODS", 0.97, "former_name", "trading_name"),
    ("Best Foods", "ELLSWORTH LLC D/B/A BEST FOODS LLC", 0.97, "former_name", "trading_name legal_form"),
    ("Ellsworth LLC dba Best Foods", "BEST FOODS", 0.90, "close", "trading_name"),
    ("Acme Inc dba Best Foods", "ACME LLC", 0.97, "suffix_variant", "legal_form"),
    ("Best Foods LP", "ELLSWORTH LLC D/B/A BEST FOODS LLC", 0.3158, "close", "words_added legal_form_of_another_kind"),
    ("Zebra LLC dba Best Foods", "ELLSWORTH LLC DBA BEST FOODS", 0.90, "close", "trading_name"),
    ("Ellsworth LLC dba Best Foods", "ELLSWORTH LLC", 1.0, "exact", ""),
]


@pytest.mark.parametrize(("asked", "shown", "score", "kind", "features"), SCORES, ids=lambda value: str(value)[:40])
def test_a_difference_has_its_score_and_its_name(
    asked: str, shown: str, score: float, kind: str, features: str
) -> None:
    found = compare(asked, shown)
    assert (round(found.score, 4), found.kind, found.features) == (score, kind, tuple(features.split()))


ACTIVE, INACTIVE, NEUTRAL = StatusMeaning("active"), StatusMeaning("inactive"), StatusMeaning("neutral")
CLASSES = {"A": ACTIVE, "I": INACTIVE, "N": NEUTRAL, None: ACTIVE}


def row(name: str, number: str, status: str | None = None, **more: Any) -> Candidate:
    return Candidate(name, number, status=status, **more)


def rank(asked: str, *rows: Candidate) -> tuple[matching.Ranked, ...]:
    return matching.rank(asked, rows, status_of=lambda one: CLASSES[one.status])


def order(asked: str, *rows: Candidate) -> list[str]:
    return [found.candidate.entity_id for found in rank(asked, *rows)]


def test_a_home_state_is_in_doubt_only_where_it_is_the_rows_own() -> None:
    """Who names none may mean the one company that has one; who names one means no row that has none."""
    of_the_row = compare("Empire Medical LLC", "EMPIRE MEDICAL LLC OF TEXAS").doubt
    assert of_the_row is not None
    assert (of_the_row.feature, of_the_row.word) == ("home_state", "")
    assert compare("Empire Medical LLC of Texas", "EMPIRE MEDICAL LLC").doubt is None


class TestARankedRow:
    def test_says_all_that_was_found_of_it(self) -> None:
        asked_for = row("3 FOXES", "1", "I")
        assert rank("3 Foxes", asked_for) == (matching.Ranked(asked_for, 1.0, "exact", "inactive", (), literal=True),)
        [spelt] = rank("3 Foxes", row("THREE FOXES LLC", "2", "N"))
        assert (spelt.score, spelt.kind, spelt.status_class) == (0.98, "suffix_variant", "neutral")
        assert (spelt.features, spelt.literal) == (("legal_form",), False)

    @pytest.mark.parametrize(
        ("shown", "name_kind", "score", "kind", "features"),
        [
            ("ACME LLC", "former", 0.98, "former_name", ("former_name",)),
            ("ACME INC", "assumed", 0.95, "former_name", ("assumed_name", "legal_form")),
            ("ACME LLC", "foreign", 1.0, "exact", ()),
            ("ACME FARMS LLC", "former", 0.5714, "close", ("words_missing",)),
            ("ELLSWORTH INC DBA ACME", "assumed", 0.97, "former_name", ("trading_name", "legal_form")),
        ],
    )
    def test_of_a_name_that_is_not_the_present_one_is_a_little_less_sure(
        self, shown: str, name_kind: Any, score: float, kind: str, features: tuple[str, ...]
    ) -> None:
        [found] = rank("Acme LLC", row(shown, "1", name_kind=name_kind))
        assert (round(found.score, 4), found.kind, found.features) == (score, kind, features)

    def test_that_is_only_reserved_is_none(self) -> None:
        assert order("Acme", row("ACME", "1", name_kind="reserved"), row("ACME", "2")) == ["2"]


class TestTheOrderOfRows:
    def test_is_by_kind_then_score_then_status_then_the_words_asked_for(self) -> None:
        rows = [
            row("ACME TRADING", "close"),
            row("ACME LLC", "former", name_kind="former"),
            row("ACME INC", "mixed up"),
            row("ACME L.C.", "other form"),
            row("ACME LLC", "inactive", "I"),
            row("ACME LLC", "neutral", "N"),
            row("ACME L.L.C.", "active", "A"),
        ]
        assert order("Acme LLC", *rows) == [
            "active",
            "neutral",
            "inactive",
            "other form",
            "mixed up",
            "former",
            "close",
        ]
        assert order("Acme LLC", *reversed(rows)) == order("Acme LLC", *rows)

    def test_puts_the_very_words_first_among_equals(self) -> None:
        assert order("3 Foxes", row("THREE FOXES", "1"), row("3 FOXES", "2")) == ["2", "1"]
        assert order("3 Foxes", row("3 FOXES", "2", "I"), row("THREE FOXES", "1", "A")) == ["1", "2"]

    def test_puts_another_name_of_the_company_before_one_that_is_only_close(self) -> None:
        assumed, close = row("BLUE BIRD INC", "assumed", name_kind="assumed"), row("BLUEBIRD LLC", "close")
        assert [found.score for found in rank("Blue Bird LLC", close, assumed)] == [pytest.approx(0.95), 0.96]
        assert order("Blue Bird LLC", close, assumed) == ["assumed", "close"]

    def test_puts_an_identifier_before_every_name(self) -> None:
        by_id = matching.Ranked(row("ZEBRA", "1"), 1.0, "entity_id", "inactive")
        by_name = matching.Ranked(row("ACME", "2"), 1.0, "exact", "active", literal=True)
        assert by_id.order < by_name.order

    def test_has_one_row_of_each_entity_its_best(self) -> None:
        found = rank("Acme", row("ACME FARMS", "1"), row("ACME", "1"), row("ACME LLC", "1"), row("ACME INC", "2"))
        assert [(one.candidate.name, one.candidate.entity_id) for one in found] == [("ACME", "1"), ("ACME INC", "2")]

    def test_knows_entities_without_a_number_by_what_opens_them(self) -> None:
        one, same = {"id": "7", "tab": "x"}, {"tab": "x", "id": "7"}
        rows = [row("ACME", "", handle=one), row("ACME LLC", "", handle=same), row("ACME LP", "", handle={"id": "8"})]
        assert [found.candidate.name for found in rank("Acme", *rows)] == ["ACME", "ACME LP"]


class TestANameBesideAnIdentifier:
    """Chooses nobody; whether it agrees is told, with its true score."""

    @pytest.mark.parametrize(("asked", "shown", "score", "kind", "features"), SCORES)
    def test_agrees_where_the_difference_cannot_mean_another_company(
        self, asked: str, shown: str, score: float, kind: str, features: str
    ) -> None:
        match = matching.match_by_id(asked, shown)
        assert match.kind == ("entity_id" if score > matching.UNSURE else "name_mismatch")
        compared = compare(asked, shown)
        assert (match.score, match.features) == (compared.score, compared.features)

    @pytest.mark.parametrize("word", ["former_name", "assumed_name"])
    def test_may_be_another_name_of_the_company(self, word: str) -> None:
        others: dict[str, Any] = {f"{word}s": ["Zebra LLC", "OLD ACME LLC"]}
        assert matching.match_by_id("Old Acme LLC", "NEW ACME LLC", **others) == Match(0.98, "entity_id", (word,))
        assert matching.match_by_id("Old Acme", "NEW ACME LLC", **others) == Match(
            pytest.approx(0.96), "entity_id", (word, "legal_form")
        )
        spaced = matching.match_by_id("OldAcme LLC", "NEW ACME LLC", **others)
        assert spaced == Match(0.96, "entity_id", (word, "spacing"))

    def test_is_its_present_one_where_several_fit_as_well(self) -> None:
        match = matching.match_by_id("Acme", "ACME LLC", former_names=["ACME"], assumed_names=["ACME"])
        assert match == Match(0.98, "entity_id", ("legal_form",))

    def test_is_never_agreed_with_because_another_name_is_just_as_far(self) -> None:
        match = matching.match_by_id("Totally Other Inc", "ACME LLC", former_names=["ZEBRA LLC"])
        assert (match.kind, match.score < 0.6) == ("name_mismatch", True)


class TestTheBestRow:
    def best(self, asked: str, *rows: Candidate, threshold: float = 0.92) -> tuple[str | None, bool]:
        found, ambiguous = matching.best(rank(asked, *rows), threshold=threshold)
        return (found.candidate.entity_id if found else None), ambiguous

    def test_of_no_rows_is_nobody(self) -> None:
        assert self.best("Acme") == (None, False)

    def test_reaches_the_threshold(self) -> None:
        assert self.best("Acme", row("ACME LLC", "1"), threshold=0.98) == ("1", False)
        assert self.best("Acme", row("ACME LLC", "1"), threshold=0.981) == (None, False)

    def test_of_two_that_fit_equally_is_nobody(self) -> None:
        assert self.best("Acme", row("ACME LLC", "1"), row("ACME INC", "2")) == (None, True)
        assert self.best("Acme", row("ACME LLC", "1"), row("ACME INC", "2"), row("ACME", "3")) == ("3", False)

    def test_of_two_is_the_one_that_has_not_ended(self) -> None:
        ended, other = row("ACME LLC", "1", "I"), row("ACME LLC", "2", "I")
        assert self.best("Acme LLC", ended, row("ACME LLC", "3", "A")) == ("3", False)
        assert self.best("Acme LLC", ended, other) == (None, True)  # both have

    def test_of_two_is_the_one_of_the_very_words(self) -> None:
        assert self.best("3 Foxes", row("THREE FOXES", "1"), row("3 FOXES", "2")) == ("2", False)
        assert self.best("3 Foxes", row("3 FOXES", "1"), row("3 FOXES", "2")) == (None, True)

    @pytest.mark.parametrize("kind", ["former", "assumed"])
    @pytest.mark.parametrize("status", ["A", "I"])
    def test_of_another_legal_form_and_one_that_bore_the_very_name_is_nobody(self, kind: str, status: str) -> None:
        other_form, once = row("ACME INC", "1", status), row("ACME LLC", "2", "A", name_kind=kind)
        assert matching.best(rank("Acme LLC", other_form, once), threshold=0.92) == (None, True)
        sure = matching.best(rank("Acme", other_form, once), threshold=0.92)[0]  # no form was given
        assert sure is not None
        assert sure.candidate.entity_id == "1"

    def test_of_two_that_fit_equally_badly_is_nobody_and_not_ambiguous(self) -> None:
        assert self.best("Acme", row("ACME FARMS", "1"), row("ACME MILLS", "2")) == (None, False)
