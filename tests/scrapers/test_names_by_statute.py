"""Whose names stand in the way, and which words are a legal form: as the states' statutes have it.

The pairs are those in which name checks were found to differ from a statute, and what surrounds them.
"""

from __future__ import annotations

import pytest

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.name_rules.availability import judge
from scrapers.name_rules.forms import FURTHER, kind_in, legal_form, split
from scrapers.name_rules.owners import OWNERS
from scrapers.name_rules.rules import IGNORED, RULES
from scrapers.name_rules.same_names import clerk_key
from scrapers.name_rules.wording import present, singular, spell_out
from scrapers.normalize import names
from scrapers.normalize.vocabulary import LEGAL_FORMS
from scrapers.parsing.fields import listed
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, NameKind, NameVerdict, ResultList
from scrapers.search.sources import LoadedCopy
from scrapers.transport.session import PortalSession
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import NOW

READERS = {portal.code: portal for portal in discovery.list_portals()}


def row(
    name: str, status: str | None, *, kind: str | None = None, name_kind: NameKind = "legal", number: str = "1"
) -> Candidate:
    return Candidate(name, number, status, kind, name_kind)


def ask(state: str, name: str, *rows: Candidate) -> NameVerdict:
    """The verdict of the state's own reader."""
    return judge(name, ResultList(rows), portal=READERS[state], state=state)


class TestWhatExists:
    """Stands in the way unless its status says that it has ended."""

    @pytest.mark.parametrize(
        ("state", "status"),
        [
            ("WA", "Delinquent"),
            ("WI", "In Bad Standing"),
            ("VA", "Fee Delinquent"),
            ("NC", "Multiple"),
            ("OH", "Hold"),
            ("ND", "Active / Not Good Standing"),
            ("CO", "Delinquent"),
        ],
    )
    def test_whatever_it_owes(self, state: str, status: str) -> None:
        found = ask(state, "Blue Heron LLC", row("BLUE HERON LLC", status))
        assert (found.verdict, found.available, len(found.conflicts)) == ("taken", False, 1)

    @pytest.mark.parametrize("state", sorted(READERS))
    def test_is_never_passed_over_for_a_word_that_nobody_knows(self, state: str) -> None:
        found = ask(state, "Blue Heron LLC", row("BLUE HERON LLC", "Awaiting Ratification"))
        assert not found.available
        assert found.conflicts

    @pytest.mark.parametrize("state", sorted(READERS))
    def test_stands_in_the_way_in_every_state_by_each_of_its_own_words(self, state: str) -> None:
        reader = READERS[state]
        words = (*reader.statuses, *(f"{before} x" for before, _ in reader.status_prefixes))
        for word in words:
            found = ask(state, "Blue Heron LLC", row("BLUE HERON LLC", word))
            gone = reader.status_meaning(word).status_class == "inactive"
            past = any(sign in word for sign in ("former", "previous", "name hs", "cross"))
            kept = (state == "IN" and word == "admin dissolved") or "name protected" in word
            assert found.available is ((gone or past) and not kept), word

    def test_keeps_its_name_for_a_while_in_indiana(self) -> None:
        """Its own rule, told with the verdict, counts who was administratively dissolved within 120 days."""
        found = ask("IN", "Blue Heron LLC", row("BLUE HERON LLC", "Admin Dissolved"))
        assert (found.verdict, found.available, len(found.conflicts)) == ("cannot_say", False, 1)
        assert "counts for 120 days after that, and since when it is so is not shown" in (found.warning or "")
        assert "within 120 days" in found.owner_rule.text
        assert ask("IN", "Blue Heron LLC", row("BLUE HERON LLC", "Voluntarily Dissolved")).verdict == "free"

    def test_ends_in_washington_with_an_administrative_dissolution(self) -> None:
        found = ask("WA", "Blue Heron LLC", row("BLUE HERON LLC", "Administratively Dissolved"))
        assert found.available
        assert "may be entitled to return" in (found.warning or "")
        assert found.owner_rule.source == "Revised Code of Washington 23.95.300(1)"

    def test_has_left_its_name_in_colorado_when_the_record_says_so_behind_it(self) -> None:
        gone = EntityRecord("BLUE HERON LLC", "1", status="Delinquent", standing="Delinquent May 1, 2022")
        found = ask("CO", "Blue Heron LLC", Candidate.of(gone))
        assert (found.verdict, found.warning) == (
            "free",
            "BLUE HERON LLC is on record as Delinquent, and holds this name no more.",
        )
        still = EntityRecord("BLUE HERON LLC", "1", status="Delinquent")
        assert ask("CO", "Blue Heron LLC", Candidate.of(still)).verdict == "taken"

    def test_counts_once_by_the_name_of_it_that_counts(self) -> None:
        rows = (row("Blue Heron", "Active", name_kind="assumed"), row("BLUE HERON LLC", "Active"))
        assert ask("FL", "Blue Heron Inc", *rows).verdict == "taken"
        assert ask("FL", "Blue Heron Inc", *reversed(rows)).verdict == "taken"


class TestLikeKinds:
    """California compares names of one kind alone (2 CCR 21001.2)."""

    CORPORATION = row("BLUE HERON, INC.", "Active", kind="Stock Corporation - CA - General")

    def test_are_compared(self) -> None:
        found = ask("CA", "Blue Heron Corp", self.CORPORATION)
        assert (found.verdict, len(found.conflicts)) == ("taken", 1)

    def test_leave_an_llc_its_name_beside_a_corporation(self) -> None:
        found = ask("CA", "Blue Heron LLC", self.CORPORATION)
        assert (found.verdict, found.available, found.conflicts) == ("free", True, ())
        assert "as another kind of entity: not counted here" in (found.warning or "")
        assert "counts as another name here" in (found.variation_note or "")
        assert (found.owner_rule.sure, found.rule.sure) == ("rule", "assumed")

    def test_are_known_by_the_legal_form_where_the_register_shows_no_type(self) -> None:
        assert ask("CA", "Blue Heron LLC", row("BLUE HERON, INC.", "Active")).verdict == "free"
        assert ask("CA", "Blue Heron LLC", row("BLUE HERON, L.L.C.", "Active")).verdict == "taken"
        assert ask("CA", "Blue Heron LP", row("BLUE HERON LLC", "Active")).verdict == "free"

    def test_cannot_be_known_of_a_name_without_a_legal_form(self) -> None:
        found = ask("CA", "Blue Heron", self.CORPORATION)
        assert (found.verdict, found.available) == ("cannot_say", False)
        assert "the kind of the name asked for is not known" in (found.warning or "")

    def test_are_compared_in_no_other_state(self) -> None:
        assert [code for code, one in OWNERS.items() if one.like_kinds] == ["CA"]
        assert ask("NV", "Blue Heron LLC", row("BLUE HERON, INC.", "Active")).verdict == "taken"


class TestAnAssumedName:
    """Counts, unless the state says that it does not."""

    ROW = row("Blue Heron", "Active", name_kind="assumed")

    @pytest.mark.parametrize("state", ["FL", "TX", "CO"])
    def test_does_not_where_the_statute_leaves_it_out(self, state: str) -> None:
        found = ask(state, "Blue Heron" if state == "CO" else "Blue Heron LLC", self.ROW)
        assert (found.verdict, found.conflicts) == ("free", ())
        assert "as an assumed name: not counted here" in (found.warning or "")

    @pytest.mark.parametrize("state", ["IL", "HI", "OR", "GA", "IN", "MI", "MN"])
    def test_does_elsewhere(self, state: str) -> None:
        assert ask(state, "Blue Heron LLC", self.ROW).verdict != "free"

    def test_differs_from_a_trade_name_in_ohio(self) -> None:
        trade = row("Blue Heron", "Active", kind="TRADE NAME", name_kind="assumed")
        fictitious = row("Blue Heron", "Active", kind="FICTITIOUS NAMES", name_kind="assumed")
        assert ask("OH", "Blue Heron LLC", trade).verdict == "taken"
        assert ask("OH", "Blue Heron LLC", fictitious).verdict == "free"

    @pytest.mark.parametrize("kind", ["General Partnership", "Florida Limited Liability Partnership"])
    def test_is_not_the_only_thing_that_florida_does_not_count(self, kind: str) -> None:
        assert ask("FL", "Blue Heron LLC", row("Blue Heron", "Active", kind=kind)).verdict == "free"
        assert ask("TX", "Blue Heron LLC", row("Blue Heron", "ACTIVE", kind=kind)).verdict != "free"


class TestALegalForm:
    """Is one in whatever statute it stands."""

    @pytest.mark.parametrize(
        "form",
        [
            *("P.S.", "PS", "P. S.", "S.C.", "SC", "APC", "A.P.C.", "SPC", "S.P.C.", "RLLP", "R.L.L.P.", "RLLLP"),
            *(
                "Professional Service",
                "Professional Services Corporation",
                "Prof. Corp.",
                "Limited Liability Corporation",
            ),
            *("P.L.L.C.", "PLLC", "L3C", "Ltd.", "Chtd.", "P.A.", "PLC", "P.L.C.", "LLLP", "L.L.L.P.", "GP", "G.P."),
            *("General Partnership", "Cooperative", "Coop", "Co-op", "Limited Cooperative Association", "LCA", "P.L."),
            *("Registered Limited Liability Partnership", "PLLP", "Benefit Corporation", "Public Benefit Corporation"),
            *("Social Purpose Corporation", "Professional Limited Company", "Not For Profit Corporation", "NFP", "DAO"),
            *(
                "Low-Profit Limited Liability Company",
                "Chartered",
                "Professional Association",
                "C.S.P.",
                "PSC",
                "P.S.C.",
                "P. S. C.",
            ),
            *("Corporación de Servicios Profesionales", "Ltd. Liability Co.", "Limited Company", "Prof. Assn."),
        ],
    )
    def test_does_not_tell_names_apart(self, form: str) -> None:
        assert clerk_key(f"Smith Dental, {form}", RULES["WA"]) == clerk_key("Smith Dental LLC", RULES["WA"])
        active = row(f"SMITH DENTAL, {form.upper()}", "Active")
        assert ask("WA", "Smith Dental LLC", active).verdict == "taken"
        assert legal_form(f"Smith Dental {form}")

    @pytest.mark.parametrize("text", [text for texts in FURTHER.values() for text in listed(texts)])
    def test_is_read_in_each_of_its_spellings(self, text: str) -> None:
        assert split(f"BLUE HERON {text.upper()}") == ("BLUE HERON", split(f"Blue Heron, {text}")[1])
        assert split(f"Blue Heron {text}")[1] in FURTHER

    @pytest.mark.parametrize("text", [text for text, _ in LEGAL_FORMS])
    def test_of_the_usual_ones_is_never_cut_in_two(self, text: str) -> None:
        assert split(f"Blue Heron {text}")[0] in ("Blue Heron", f"Blue Heron {text}")
        assert clerk_key(f"Blue Heron {text}", RULES["WA"]) == "blue heron"

    @pytest.mark.parametrize(
        "name",
        [
            "The Cooperative",
            "Moss & Coop",
            "Moss and Cooperative",
            "Blue Heron GP, LLC",
            "Alphaps",
            "Bicoop",
            "PS Dental LLC",
            "Oscar SC Johnson Wax Co",
            "Coop",
        ],
    )
    def test_is_none_where_it_is_a_word_of_the_name(self, name: str) -> None:
        assert split(name) == (name, "")

    def test_of_a_general_partner_stays_a_word_before_another_one(self) -> None:
        assert clerk_key("Blue Heron GP, LLC", RULES["WA"]) != clerk_key("Blue Heron LP", RULES["WA"])

    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("Smith Dental, P.S.", "corporation"),
            ("Smith Dental PLLC", "llc"),
            ("Smith Dental LLLP", "limited_partnership"),
            ("Smith Dental LLP", None),
            ("Smith Dental GP", None),
            ("Smith Dental", None),
        ],
    )
    def test_says_the_kind_of_entity(self, name: str, kind: str | None) -> None:
        assert kind_in(name) == kind


class TestAWord:
    """In another number or tense."""

    @pytest.mark.parametrize(
        ("forms", "word"),
        [
            ("painted | painting", "paint"),
            ("baked | baking", "bake"),
            ("planned | planning", "plan"),
            ("managed | managing", "manage"),
            ("created | creating", "create"),
            ("associated | associating", "associate"),
            ("carried", "carry"),
            ("leased | leasing", "lease"),
            ("handled | handling", "handle"),
            ("built", "build"),
            ("grown | grew", "grow"),
            ("financed | financing", "finance"),
            ("treated | treating", "treat"),
            ("installed | installing", "install"),
            ("united", "unite"),
        ],
    )
    def test_is_one(self, forms: str, word: str) -> None:
        assert {present(one) for one in listed(forms)} == {word} == {present(word)}

    @pytest.mark.parametrize("word", ["king", "spring", "seed", "red", "wing", "feed", "bed"])
    def test_stays_where_the_ending_is_its_own(self, word: str) -> None:
        assert present(word) == word

    def test_has_one_number(self) -> None:
        assert [singular(word) for word in ("farms", "bakeries", "glass", "bus")] == ["farm", "bakery", "glass", "bus"]
        assert [singular(word) for word in ("churches", "glasses", "houses", "boxes")] == [
            "church",
            "glass",
            "house",
            "box",
        ]

    @pytest.mark.parametrize(
        ("one", "many"),
        [
            ("cookie", "cookies"),
            ("party", "parties"),
            ("julie", "julies"),
            ("lens", "lenses"),
            ("wolf", "wolves"),
            ("hero", "heroes"),
            ("child", "children"),
            ("niche", "niches"),
        ],
    )
    def test_has_one_number_whatever_its_ending(self, one: str, many: str) -> None:
        assert singular(one) == singular(many)

    def test_of_one_number_is_no_other_words(self) -> None:
        assert singular("julies") != singular("july")
        assert singular("maries") != singular("mary")

    def test_is_spelled_out_where_it_was_contracted(self) -> None:
        assert spell_out("It's Here") == "It is Here"
        assert spell_out("Rock 'n' Roll") == "Rock and Roll"
        assert spell_out("Maria's Kitchen") == "Maria's Kitchen"


class Register(Portal):
    """A registry that notes what it is asked."""

    code = "WA"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def search(self, session: PortalSession, term: str) -> ResultList:
        self.asked.append(term)
        return ResultList(())


class Kept:
    """A copy that is searched by whole names, as the database is."""

    as_of, sha256 = NOW, ""

    def __init__(self, *shown: str) -> None:
        self._records = [EntityRecord(name, str(number), status="Active") for number, name in enumerate(shown)]

    def list_by_name(self, key: str, *, limit: int, wider: int) -> tuple[list[EntityRecord], list[EntityRecord]]:
        keys = [(one, names.key(one.entity_name)) for one in self._records]
        own = [one for one, other in keys if other == key]
        return own[:limit], [one for one, other in keys if other.startswith(f"{key} ")][:wider]

    def list_by_other_name(self, key: str, *, limit: int) -> list[Candidate]:
        return []

    def list_by_id(self, entity_id: str) -> list[EntityRecord]:
        return []


class TestTheSearch:
    """Asks for what the rule calls the same name."""

    def test_goes_without_the_further_legal_form(self) -> None:
        register = Register()
        register.names_taken(Conversation("WA").session, "Blue Heron, P.S.")
        assert register.asked[0] == "Blue Heron"
        assert not any("P.S." in term for term in register.asked)

    def test_of_a_copy_finds_a_further_legal_form_among_many_longer_names(self) -> None:
        portal = READERS["VA"]
        assert portal.bulk_data is not None
        longer = [f"BLUE HERON A{number:03} LLC" for number in range(100)]
        copy = LoadedCopy(portal, Conversation("VA").session, portal.bulk_data, Kept(*longer, "BLUE HERON, P.S."))
        found = copy.names_taken("Blue Heron LLC")
        assert found.complete
        assert judge("Blue Heron LLC", found, portal=portal, state="VA").verdict == "taken"


class TestTheRules:
    """Say where they are from."""

    def test_are_there_for_every_jurisdiction(self) -> None:
        assert set(OWNERS) == set(PLACES)
        for code, one in OWNERS.items():
            assert one.rule.text.endswith("."), code
            assert ("assumed" in one.rule.source) is (one.rule.sure != "rule"), code

    def test_are_told_in_words(self) -> None:
        assert RULES["MI"].in_words().text == (
            "Two names are the same when nothing tells them apart but capitals, accents, legal forms (LLC, Inc.), "
            "punctuation and signs and blanks."
        )
        assert all(set(rule.ignored) <= set(IGNORED) for rule in RULES.values())
