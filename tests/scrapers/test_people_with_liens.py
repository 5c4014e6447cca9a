"""Liens on people: who is meant by a name, and on which party's name it fits."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import pytest

from scrapers.normalize import officers
from scrapers.records import Address, FoundFilings, NotFound, Query, UccParty
from scrapers.refusals import QueryRefused
from scrapers.transport import conditions
from scrapers.transport.recording import load_steps
from scrapers.ucc import connecticut, parties
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER


def asked(name: str) -> Query:
    return Query(state="CO", kind="ucc", name=name)


class TestAPerson:
    """Is asked for by first and last name."""

    @pytest.mark.parametrize(
        ("name", "first", "last"),
        [
            ("Jordan Sample", "Jordan", "Sample"),
            ("Jordan Sample Jr.", "Jordan", "Sample"),
            ("Dr. Jordan Q Sample III", "Jordan", "Sample"),
            ("Sample, Jordan", "Jordan", "Sample"),
            ("SAMPLE, JORDAN, JR", "JORDAN", "SAMPLE"),
            ("Jordan Van Sample", "Jordan", "Van Sample"),
            ("Van Sample, Jordan", "Jordan", "Van Sample"),
            ("Jordan Quinn de la Muestra", "Jordan", "de la Muestra"),
            ("Jordan Sample-Example", "Jordan", "Sample-Example"),
        ],
    )
    def test_has_no_generation_for_a_last_name(self, name: str, first: str, last: str) -> None:
        assert officers.person_in(name) == (first, last)

    @pytest.mark.parametrize(
        ("name", "stands"),
        [
            ("Jordan Van Sample", "VAN SAMPLE"),
            ("Jordan Van Sample", "SAMPLE"),
            ("Jordan Van Sample", "VANSAMPLE"),
            ("Jordan VanSample", "VAN SAMPLE"),
            ("Jordan OSample", "O'SAMPLE"),
            ("Jordan O'Sample", "OSAMPLE"),
            ("Jordan O'Sample", "O SAMPLE"),
            ("Jordan O\u2019Sample", "O'SAMPLE"),
            ("Jordan O Sample", "O'SAMPLE"),
            ("Jordan McSample", "MC SAMPLE"),
            ("Jordan Mc Sample", "MCSAMPLE"),
            ("Jordan Sample-Example", "SAMPLE EXAMPLE"),
            ("Jordan Muñeca", "MUNECA"),
        ],
    )
    def test_is_looked_for_under_the_last_name_as_registries_write_it(self, name: str, stands: str) -> None:
        where = parties.named(asked(name), company="org", last="last", first="first")
        surnames = where.partition(" or upper(last) in(")[2].partition(") and starts_with(upper(first),'JORDAN')")[0]
        assert conditions.quoted(stands) in surnames.split(",")

    @pytest.mark.parametrize(("name", "begins"), [("Mary-Ann Sample", "MARY"), ("José Sample", "JOS")])
    def test_is_looked_for_by_what_is_sure_of_the_first_name(self, name: str, begins: str) -> None:
        where = parties.named(asked(name), company="org", last="last", first="first")
        assert where.endswith(f" and starts_with(upper(first),'{begins}')")


class TestAPartysName:
    """Fits the person asked for, however the registry writes it."""

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("Jordan Sample", "JORDAN Q SAMPLE"),
            ("Jordan Sample", "JORDAN SAMPLE JR"),
            ("Jordan Sample", "SAMPLE, JORDAN Q, JR"),
            ("Jordan Sample Jr", "JORDAN SAMPLE"),
            ("Jordan Sample-Example", "JORDAN Q SAMPLE-EXAMPLE"),
            ("Mary-Ann Sample", "MARY-ANN SAMPLE"),
            ("Jordan de la Muestra", "JORDAN DE LA MUESTRA"),
            ("Jordan de la Muestra", "DE LA MUESTRA, JORDAN"),
            ("Mary-Ann Sample", "MARY ANN SAMPLE"),
            ("José Sample", "JOSE SAMPLE"),
            ("Jordan OSample", "JORDAN O'SAMPLE"),
            ("Jordan OSample", "JORDAN O SAMPLE"),
            ("Jordan O Sample", "JORDAN O'SAMPLE"),
            ("Jordan O Sample", "JORDAN O SAMPLE"),
            ("Jordan McSample", "JORDAN MC SAMPLE"),
            ("Jordan Mc Sample", "JORDAN MCSAMPLE"),
            ("Jordan VanSample", "JORDAN VAN SAMPLE"),
            ("Jordan Van Sample", "JORDAN VANSAMPLE"),
        ],
    )
    def test_is_found(self, name: str, shown: str) -> None:
        assert parties.fits(UccParty(shown, Address(), "person"), asked(name))

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("Jordan Sample", "JORDANA SAMPLE"),
            ("Jordan Sample", "RILEY SAMPLE"),
            ("Jordan Sample", "JORDAN SAMPLER"),
            ("Jordan Sample-Example", "JORDAN EXAMPLE"),
            ("Jo Sample", "JO JOSAMPLE"),
            ("Jordan OSample", "JORDAN SAMPLE"),
        ],
    )
    def test_of_somebody_else_is_not(self, name: str, shown: str) -> None:
        assert not parties.fits(UccParty(shown, Address(), "person"), asked(name))


class TestAPersonsSuffix:
    """Tells a father from his son."""

    def test_stands_with_the_name_in_colorado(self) -> None:
        steps = [
            replace(step, body=step.body.replace(b'"lastname": "SAMPLE"', b'"lastname": "SAMPLE", "suffix": "V"'))
            for step in load_steps(FOLDER / "CO" / "ucc-person")
        ]
        found = Conversation("CO", *steps).ask(kind="ucc", name="Sample, Jordan")
        assert isinstance(found, FoundFilings)
        assert [who.name for who in found.filings[0].debtors if who.kind == "person"] == ["JORDAN A SAMPLE V"]

    def test_makes_two_of_one_name_and_place_in_connecticut(self) -> None:
        lien = {"id_lien_flng_nbr": "1", "id_ucc_flng_nbr": "1", "cd_flng_type": "ORIG FIN STMT"}
        person = {"debtor_nm_first": "JORDAN", "debtor_nm_last": "SAMPLE", "debtor_ad_city": "WATERFORD"}
        found = connecticut._filing("1", [lien | person | {"debtor_nm_suff": suffix} for suffix in ("SR", "JR", "SR")])
        assert [who.name for who in found.debtors] == ["JORDAN SAMPLE SR", "JORDAN SAMPLE JR"]


@pytest.mark.parametrize(
    ("state", "situation", "term"),
    [
        ("AL", "ucc-none", "Quartz Umbrella Repair"),
        ("NJ", "ucc-no-match", "Velvet Anchor Partners"),
        ("SC", "ucc-no-match", "Velvet Anchor Partners"),
    ],
)
class TestARegistryThatIsAskedForCompaniesAlone:
    """Says "no liens" of companies alone: of people it would be false where nobody looked for them."""

    def registry(self, state: str, situation: str, term: str, *, name: str) -> Conversation:
        """One that has no lien on the name, from the saved answer to another."""
        steps = load_steps(FOLDER / state / situation)
        asked = [
            replace(step, sent={key: name if value == term else value for key, value in step.sent.items()})
            if isinstance(step.sent, dict)
            else step
            for step in steps
        ]
        assert asked != steps
        return Conversation(state, *asked)

    @pytest.mark.parametrize("name", ["Jordan Sample", "Sample, Jordan"])
    def test_refuses_a_name_that_may_be_a_persons(self, state: str, situation: str, term: str, name: str) -> None:
        with pytest.raises(QueryRefused, match="companies alone"):
            self.registry(state, situation, term, name=name).ask(name=name, kind="ucc")

    def test_finds_nothing_on_a_company(self, state: str, situation: str, term: str) -> None:
        name = "Velvet Anchor Holdings"
        assert isinstance(self.registry(state, situation, term, name=name).ask(name=name, kind="ucc"), NotFound)


class TestALenderWhoIsAPerson:
    """Stands under the last name in Oregon's list, which is asked for companies."""

    def lenders(self, name: str) -> Conversation:
        """Oregon's two lists, none of which has the name."""
        query = Query(state="OR", kind="ucc", name=name, search_by="secured_party")
        active, recent = (parties.companies(query, column) for column in ("secured_party", "entity"))
        steps, order = load_steps(FOLDER / "OR" / "ucc-secured-party")[:2], "&$limit=1000&$order=filing_date DESC"
        asked = [
            replace(step, url=step.url.partition("$where=")[0] + urlencode({"$where": where}) + order, body=b"[]")
            for step, where in zip(steps, (active, f"party_type='SP' and ({recent})"), strict=True)
        ]
        return Conversation("OR", *asked)

    def test_is_not_without_liens_where_nobody_looked_for_people(self) -> None:
        with pytest.raises(QueryRefused, match="companies alone"):
            self.lenders("Jordan Sample").ask(name="Jordan Sample", kind="ucc", search_by="secured_party")

    def test_is_no_matter_where_the_lender_is_a_company(self) -> None:
        name = "Velvet Anchor Holdings LLC"
        told = self.lenders(name).ask(name=name, kind="ucc", search_by="secured_party")
        assert isinstance(told, NotFound)
