"""The three ways FileOne hosts ask for liens: one box for both roles, a long form, the second generation's query.

Source: California's recorded answers (2026); Idaho's form and New Mexico's query as one client each sends them
(documented). A lien's history is recorded of California and documented of New Mexico; that Idaho has it under the same
address follows from its page's icon and its companies' histories. Where a name may be a person's it is asked for both
as a company and as a person.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from scrapers.normalize import liens, names, officers
from scrapers.parsing.fields import listed, need, need_number, text
from scrapers.platforms.fileone import ucc
from scrapers.platforms.fileone.portal import FileOnePortal, Row, rows_of
from scrapers.platforms.fileone.second_generation import SecondGeneration
from scrapers.records import Query, UccFiling
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties


class LienBox(FileOnePortal):
    """One box that finds debtors and secured parties alike; the role is decided here.

    A termination leaves "Active" in the list (recorded): it stands in the history alone, read of the newest few.
    """

    opened_liens: ClassVar[int] = 3  # how many of the newest are opened: two requests each

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens in which the name has the role asked for; the newest few with addresses and history."""
        self.prime(session, "ucc")
        lists = [self._listed(session, spelling) for spelling in parties.texts(query)]
        rows = _joined([rows for rows, _ in lists])
        handles = {text(row.get("RECORD_NUM")): str(need_number(need(row, "ID"), "ID")) for row in rows}
        fitting = [filing for filing in ucc.read(rows, query, session) if ucc.fits(filing, query)]
        found = [replace(filing, status_omits="termination") for filing in fitting]
        for index, filing in enumerate(found[: self.opened_liens]):
            lien = ucc.opened(
                session, filing, host=self.host, handle=handles[filing.file_number], headers=self.headers("ucc")
            )
            found[index] = lien if liens.may_have_ended(lien) else replace(lien, status_omits=None)
        return tuple(found), all(whole for _, whole in lists)

    def _listed(self, session: PortalSession, text: str) -> tuple[list[Row], bool]:
        """The rows for a text, and whether they are all."""
        anytime = {"start": None, "end": None}
        question = {"SEARCH_VALUE": text, "STATUS": "ALL", "RECORD_TYPE_ID": "0"}
        answer = session.post(
            f"https://{self.host}/api/Records/uccsearch",
            json=question | {"FILING_DATE": anytime, "LAPSE_DATE": anytime},
            headers=self.headers("ucc"),
        ).json()
        rows = rows_of(answer)
        return rows, need_number(need(need(answer, "edge"), "total"), "total") == len(rows)


class LienForm(FileOnePortal):
    """A form with a flag for everything; what it must say to search by secured party is not known.

    It lists names that hold a word of it, or a like one, anywhere (recorded): companies of another name are left out.
    Its page says that a termination has no effect on the status word, and stands in the history only: that of the
    newest few active ones is read.
    """

    lists_all_liens = False
    opened_liens: ClassVar[int] = 3  # one request each

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens by the debtor's name, lapsed ones included."""
        parts: list[dict[str, Any]] = [{}]
        if person := officers.person_parts(query.name or ""):
            asked = dict(zip(("SEARCH_FIRST_NAME", "SEARCH_MIDDLE_NAME", "SEARCH_LAST_NAME"), person, strict=True))
            parts.append({"SEARCH_IS_ORG": False, "SEARCH_ORG_NAME": ""} | asked)
        lists = [
            rows_of(
                session.post(
                    f"https://{self.host}/api/records/uccinforeqsearch",
                    json=_form(query.name) | part,
                    headers=self.headers("ucc"),
                ).json()
            )
            for part in parts
        ]
        theirs = [filing for filing in ucc.read(_joined(lists), query, session) if _may_be_theirs(filing, query)]
        found = [replace(one, status_omits="termination") for one in theirs]
        active = [index for index, filing in enumerate(found) if (filing.status or "").casefold() == "active"]
        for index in active[: self.opened_liens]:
            lien = ucc.with_history(session, found[index], host=self.host, headers=self.headers("ucc"))
            found[index] = lien if liens.may_have_ended(lien) else replace(lien, status_omits=None)
        # The page says that results are limited, not at what number: any list but an empty one may be cut.
        return tuple(found), not any(lists)


class LienQuery(SecondGeneration):
    """A query with the role and the parts of a name; later filings on a lien are not listed.

    How it compares names is not known: it is asked without the legal form, which the registry may spell otherwise, and
    names that merely hold a word of it, which its siblings list, are left out.
    """

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens by a party's name, lapsed ones included."""
        role = "Debtor" if query.search_by == "debtor" else "SecuredParty"
        parts = [{"NameTypeId": "2", "OrganizationName": text} for text in parties.texts(query)]
        if person := officers.person_parts(query.name or ""):
            asked = dict(zip(("firstName", "middleName", "lastName"), person, strict=True))
            parts.append({"NameTypeId": "1"} | asked)
        lists = []
        for part in parts:
            url = f"https://{self.host}/api/uccEntitySearch/webSearch"
            answer = session.get(url, params=_query(role) | part, headers=self.headers("ucc"))
            lists.append(rows_of(answer.json()))
        read = ucc.read(_joined(lists), query, session, debtor="DEBTOR")
        found = [filing for filing in read if _may_be_theirs(filing, query)]
        return tuple(found), all(self.name_search.whole(len(rows)) for rows in lists)


def _may_be_theirs(filing: UccFiling, query: Query) -> bool:
    """Whether a party of the role bears the name; people may be written in any order.

    Both names are wanted: "Jordan Sample", asked for as a company, lists SAMPLE BROTHERS too.
    """
    person = officers.person_in(query.name or "")
    wanted = set(names.plain(" ".join(person or ())).split())
    return any(
        parties.fits(one, query)
        or (
            person is not None
            and one.kind != "organization"
            and (parties.fits(replace(one, kind="person"), query) or wanted <= set(names.plain(one.name).split()))
        )
        for one in ucc.in_role(filing, query)
    )


def _form(name: str | None) -> dict[str, Any]:
    """The long form of a search for a company as debtor, everything else left open."""
    return {
        "SEC_PARTY_SEARCH_YN": False,
        "SEARCH_IS_ORG": True,
        "SEARCH_LAST_NAME": "",
        "SEARCH_FIRST_NAME": "",
        "SEARCH_MIDDLE_NAME": "",
        "SEARCH_SUFFIX": "",
        "SEARCH_ORG_NAME": name,
        "SEARCH_CITY": "",
        "SEARCH_STATE": "",
        "SEARCH_LAPSED": True,
        "SEARCH_TYPE": "DEBTOR",
        "SEARCH_REQUEST_TYPE": "LIST_ONLY",
        "SEARCH_UCC": True,
        "SEARCH_GOV": False,
        "SEARCH_EFS": False,
        "SEARCH_CROP_LIEN": False,
        "SEARCH_AG_LIEN": False,
        "SEARCH_MODE": 4,
        "SEARCH_UCC_NUM": "",
        "BEGIN_DATE": "",
    }


def _query(role: str) -> dict[str, Any]:
    """The query of the second generation, whose parts of a name are still empty."""
    blank = listed(
        "SEARCH_VALUE | firstName | middleName | lastName | suffix | OrganizationName | SearchCity | SearchState"
    )
    return dict.fromkeys(blank, "") | {"SearchType": role, "SearchLapsed": "true"}


def _joined(lists: list[list[Row]]) -> list[Row]:
    return [row for rows in lists for row in rows]
