"""A status word means the same in every state, whoever writes it."""

from __future__ import annotations

from collections import defaultdict

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from scrapers import discovery
from scrapers.management.commands.statuses_page import DIFFERENT, words_of
from scrapers.parsing.fields import listed
from scrapers.portal import Portal
from scrapers.records import EntityRecord
from scrapers.statuses import FACTS, StatusMeaning, find_meaning, folded, meanings, prefixes

PORTALS = {portal.code: portal for portal in discovery.list_portals()}
OWING = StatusMeaning("active", "not_in_good_standing")


def differing(tables: dict[str, dict[str, StatusMeaning]]) -> set[tuple[str, str]]:
    """(state, word) where a word means something else than in the vocabulary, or than in another state."""
    seen = defaultdict(set)
    for words in tables.values():
        for word, meaning in words.items():
            seen[word].add(meaning)
    return {
        (code, word)
        for code, words in tables.items()
        for word, meaning in words.items()
        if find_meaning(word) not in (None, meaning) or (find_meaning(word) is None and len(seen[word]) > 1)
    }


def meaning_of(state: str, status: str, standing: str | None = None) -> StatusMeaning:
    """What a record with these words is said to be."""
    return PORTALS[state].record_meaning(EntityRecord("BLUE HERON LLC", "1", status=status, standing=standing))


class TestTheVocabulary:
    """One list of facts for all states."""

    def test_has_each_word_once(self) -> None:
        words = [folded(word) for fact in FACTS.values() for word in listed(fact.words)]
        assert [word for word in set(words) if words.count(word) > 1] == []

    def test_has_one_fact_for_one_meaning(self) -> None:
        known = [fact.meaning for fact in FACTS.values()]
        assert len(known) == len(set(known))

    def test_says_why_of_each(self) -> None:
        assert [name for name, fact in FACTS.items() if not fact.why.endswith(".")] == []

    def test_takes_no_word_that_it_does_not_have(self) -> None:
        with pytest.raises(ValueError, match="'Sleeping' is in no fact"):
            meanings("Active | Sleeping")


class TestAWord:
    """Of any state's table."""

    def test_means_the_same_beside_a_sign_that_nobody_sees(self) -> None:
        assert meaning_of("FL", "\u200bINACT\ufeff") == meaning_of("FL", "INACT")

    def test_means_the_same_in_every_state(self) -> None:
        assert differing({code: words_of(portal) for code, portal in PORTALS.items()}) == set(DIFFERENT)

    def test_that_meant_something_else_would_be_noticed(self) -> None:
        tables = {
            "WA": meanings(neutral="Delinquent"),
            "CO": meanings("Delinquent"),
            "ME": meanings(active="Snoozing"),
            "VT": meanings(neutral="Snoozing"),
        }
        assert differing(tables) == {("WA", "delinquent"), ("ME", "snoozing"), ("VT", "snoozing")}

    def test_is_known_by_its_meaning_and_not_by_its_class_alone(self) -> None:
        known = {fact.meaning for fact in FACTS.values()}
        assert {meaning for portal in PORTALS.values() for meaning in words_of(portal).values()} <= known

    def test_after_inactive_says_how_it_ended(self) -> None:
        assert meaning_of("WY", "Inactive - Merged") == StatusMeaning("inactive", "merged")
        assert meaning_of("WY", "Inactive - Sold to a Dragon") == StatusMeaning("inactive")
        assert find_meaning("Inactive - Active") is None

    def test_at_the_beginning_decides_no_more_than_it_says(self) -> None:
        class Northern(Portal):
            statuses, status_prefixes = meanings("Active"), prefixes(inactive="Active")

        assert Northern().status_meaning("Active - In Good Standing") == StatusMeaning("inactive")


@pytest.mark.parametrize(
    ("state", "status", "standing"),
    [
        ("CO", "Delinquent", None),
        ("WA", "DELINQUENT", None),
        ("WI", "Delinquent", None),
        ("WY", "Delinquent", None),
        ("VA", "Fee Delinquent", None),
        ("NV", "Default", None),
        ("WI", "In Bad Standing", None),
        ("VI", "Not in Good Standing", None),
        ("DC", "Active - Not in Good Standing", None),
        ("GA", "Active/Noncompliance", None),
        ("KY", "A - Active", "B - Bad"),
        ("ND", "Active", "Not Good Standing"),
        ("ID", "Active-Existing", "Not Good Standing"),
        ("CT", "Active", "Annual report past due"),
        ("MD", "INCORPORATED", "THIS BUSINESS IS NOT IN GOOD STANDING"),
        ("TX", "ACTIVE", "FRANCHISE TAX ENDED"),
    ],
)
class TestACompanyThatOwesSomething:
    """It exists until the state ends it."""

    def test_is_active_and_not_in_good_standing(self, state: str, status: str, standing: str | None) -> None:
        assert meaning_of(state, status, standing) == OWING


@pytest.mark.parametrize(
    ("state", "status", "status_class", "reason"),
    [
        ("ND", "Inactive - Merged", "inactive", "merged"),
        ("ND", "Inactive - Consolidated", "inactive", "merged"),
        ("ND", "Inactive - Expired", "inactive", "expired"),
        ("ND", "Inactive - Cancelled", "inactive", "canceled"),
        ("ND", "Inactive - Converted Out", "inactive", "converted"),
        ("ND", "Inactive - Domesticated", "inactive", "domesticated"),
        ("ND", "Inactive - Terminated by Court Order", "inactive", "involuntarily_dissolved"),
        ("ND", "Revoked", "inactive", "revoked"),
        ("KY", "C - Cross Reference", "neutral", "name_only"),
        ("KY", "N - New", "neutral", "pending"),
        ("KY", "X - Pending dissolution", "active", "dissolving"),
        ("KY", "D - something", "neutral", "unrecognised_status"),
        ("ID", "Active-Existing", "active", None),
        ("ID", "Active-Current", "active", None),
        ("ID", "Active-Good Standing", "active", None),
        ("ID", "Active-Not in Good Standing", "active", "not_in_good_standing"),
        ("ID", "Inactive-Dissolved (Administrative)", "inactive", "involuntarily_dissolved"),
        ("ID", "Inactive-Sold to a Dragon", "inactive", None),
        ("KS", "Active and in Good Standing", "active", None),
        ("KS", "Active and Not in Good Standing", "active", "not_in_good_standing"),
        ("WI", "Certificate of Authority Revoked", "inactive", "revoked"),
        ("WI", "Merged -- Non-Survivor", "inactive", "merged"),
        ("WI", "Name Reserved, Short-Term", "neutral", "name_only"),
        ("TX", "IN EXISTENCE", "active", None),
        ("TX", "VOLUNTARILY DISSOLVED", "inactive", "dissolved"),
        ("TX", "TAX FORFEITURE", "inactive", "forfeited"),
        ("CO", "Relinquished", "inactive", "withdrawn"),
        ("CT", "Converted Out", "inactive", "converted"),
        ("CO", "Colorado Authority Relinquished", "inactive", "withdrawn"),
        ("CO", "Terminated", "inactive", "terminated"),
        ("CA", "Forfeited - FTB", "inactive", "suspended"),
        ("KS", "Forfeited - Failed to Timely File I/R", "inactive", "forfeited"),
        ("PR", "SUSPENDED", "inactive", "suspended"),
        ("GA", "Disapproved Filing", "inactive", "rejected"),
        ("VA", "DISSOLVING", "active", "dissolving"),
        ("MA", "Inactive: Involuntary Dissolution", "inactive", "involuntarily_dissolved"),
        ("MA", "Inactive: Involuntary Dissolution by Court Order", "inactive", "involuntarily_dissolved"),
        ("MA", "Inactive: Voluntary Dissolution", "inactive", "dissolved"),
        ("MA", "Inactive: Merger", "inactive", "merged"),
        ("MA", "Inactive: Cancelled", "inactive", "canceled"),
        ("MA", "Inactive: date given", "inactive", None),
        ("RI", "Inactive: Revocation Certificate For Failure to File Annual Report", "inactive", "revoked"),
        ("RI", "Inactive: Revoked Entity", "inactive", "revoked"),
        ("RI", "Inactive: 05/01/2020", "inactive", None),
        ("MI", "Existence Ceased - Merged", "inactive", "merged"),
        ("MI", "Existence Ceased - Consolidated", "inactive", "merged"),
        ("MI", "Dissolved - Term Expired", "inactive", "expired"),
        ("MI", "Dissolved - Court Order", "inactive", "involuntarily_dissolved"),
        ("MI", "Dissolved - Certificate of Dissolution", "inactive", "dissolved"),
    ],
)
class TestAStatesWord:
    """As the state writes it."""

    def test_points_into_the_vocabulary(self, state: str, status: str, status_class: str, reason: str | None) -> None:
        assert meaning_of(state, status) == StatusMeaning(status_class, reason)  # type: ignore[arg-type]


class TestAStandingBesideAnEndedCompany:
    """North Dakota shows "Not Good Standing" of dissolved ones too."""

    def test_changes_nothing(self) -> None:
        assert meaning_of("ND", "Inactive - Merged", "Not Good Standing").reason == "merged"


class TestThePageOfStatuses:
    """docs/statuses.md."""

    def test_is_current(self) -> None:
        call_command("statuses_page", "--check")

    def test_names_every_fact_with_its_words_and_every_state_with_its_source(self) -> None:
        text = (settings.BASE_DIR / "docs" / "statuses.md").read_text(encoding="utf-8")
        assert [name for name, fact in FACTS.items() if fact.why not in text] == []
        assert [code for code, portal in PORTALS.items() if words_of(portal) and portal.sources[0] not in text] == []

    def test_is_noticed_when_it_is_out_of_date(self, settings, tmp_path) -> None:
        settings.BASE_DIR = tmp_path
        with pytest.raises(CommandError, match="out of date"):
            call_command("statuses_page", "--check")
