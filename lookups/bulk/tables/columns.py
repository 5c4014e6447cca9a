"""What the columns of somebody's table mean: guessed from their headings, and where those say nothing from their cells.

A guess is shown and can be changed, so it may be wrong; what it must not be is silent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jurisdictions.codes import PLACES
from lookups.bulk import input as bulk_input
from lookups.bulk.tables.lines import Line
from scrapers.normalize import dates, names

COMPANIES, LIENS = "business_entity", "ucc"
LABELS = {
    "entity_name": "Company name",
    "state": "State",
    "entity_id": "The state's identifier",
    "ref": "Your reference",
    "searchType": "Company or UCC",
    "searchBy": "UCC: debtor or secured party",
    "dateAfter": "UCC: filed on or after",
    "dateBefore": "UCC: filed on or before",
}
# What people head such columns by, beside the headings of the API's own tables.
_MORE = {
    "entity_name": (
        "entity business businessname businessentity businessentityname organization organizationname"
        " vendor vendorname supplier suppliername customer customername client clientname firm firmname account"
        " accountname companylegalname legalentity legalentityname corporatename registeredname fullname debtor"
        " debtorname borrower borrowername merchant merchantname counterparty"
    ),
    "state": (
        "st statecode statename usstate stateofformation stateofincorporation incorporationstate formationstate"
        " stateofregistration stateoforganization registrationstate domicile domiciledin homestate stateinc"
        " incorporatedin registry states"
    ),
    "entity_id": (
        "sosid sosnumber sosno entitynumber entityno filenumber fileno filingnumber filingid registrationnumber"
        " registrationno documentnumber charternumber controlnumber corporationnumber corpnumber companynumber"
        " licensenumber statefilenumber stateidentifier registryid registrynumber"
    ),
    "ref": (
        "customerid clientid vendorid supplierid accountid accountnumber recordid internalid key no number caseid"
        " casenumber externalid customernumber customerno clientnumber vendornumber uniqueid loannumber"
    ),
    "searchType": "kind typeofsearch search",
}
_FIELDS = {word: name for name, words in _MORE.items() for word in words.split()} | {
    word: name for name, words in bulk_input.HEADERS.items() if name in LABELS for word in words if word != "id"
}
_SHORT = (
    "AL:ala AZ:ariz AR:ark CA:cal CA:calif CO:colo CT:conn DE:del FL:fla IL:ill IN:ind KS:kan KS:kans MA:mass MI:mich"
    " MN:minn MS:miss MT:mont NE:neb NE:nebr NV:nev NM:nmex ND:ndak SD:sdak OK:okla OR:ore OR:oreg PA:penn PA:penna"
    " TN:tenn TX:tex WA:wash WI:wis WI:wisc WV:wva WY:wyo DC:washingtondc NY:nys"
)
_ALIASES = {
    **{place.code.casefold(): place.code for place in PLACES.values()},
    **{"".join(sign for sign in place.name.casefold() if sign.isalnum()): place.code for place in PLACES.values()},
    **{pair[3:]: pair[:2] for pair in _SHORT.split()},
}
_ANYWHERE = ("anywhere", "everywhere", "all", "allstates", "anystate", "everystate", "nationwide")
_BETWEEN = re.compile(r"[,;/|&+](?:\s*or\s+(?=\w))?|\band\b|(?<=\w)\s+or\s+(?=\w)")  # in "NY or DE" it is not Oregon
_AROUND = ("stateof", "commonwealthof", "districtof", "us", "usa")
_LIENS = "ucc ucc1 lien liens ucclien uccliens uccfiling uccfilings uccsearch liensearch"
_COMPANIES = (
    "businessentity entity entities company companies business businesses corporation corp llc entitysearch"
    " companysearch businesssearch"
)
_KINDS = {**dict.fromkeys(_LIENS.split(), LIENS), **dict.fromkeys(_COMPANIES.split(), COMPANIES)}
_OF_LIENS = ("searchBy", "dateAfter", "dateBefore")


@dataclass(frozen=True, slots=True)
class Mapping:
    """Which column fills which field of a question, what holds for all rows, and which columns come along.

    `all_in` is the state (or EVERYWHERE) of the rows that name none, `kind` what is searched where no column says it.
    """

    fields: dict[str, int] = field(default_factory=dict)
    all_in: str = ""
    kind: str = COMPANIES
    carried: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        return {"fields": self.fields, "all_in": self.all_in, "kind": self.kind, "carried": list(self.carried)}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Mapping:
        """As it was kept."""
        return cls(**{**kept, "carried": tuple(kept["carried"])})


def find_field(heading: str) -> str | None:
    """The field that a heading names, in any case, with blanks or signs; None where it names none."""
    return _FIELDS.get(_word(heading))


def find_state(text: str) -> str | None:
    """The code of the state that a cell means: "NY", "New York", "N.Y.", "State of New York", "NY - New York"."""
    word = _word(text)
    if word in _ALIASES:
        return _ALIASES[word]
    for around in _AROUND:
        if word.startswith(around) and word.removeprefix(around) in _ALIASES:
            return _ALIASES[word.removeprefix(around)]
    if word.endswith("state") and word.removesuffix("state") in _ALIASES:
        return _ALIASES[word.removesuffix("state")]
    parts = [part for part in text.replace("(", "-").replace(":", "-").replace("\u2013", "-").split("-") if _word(part)]
    found = {_ALIASES.get(_word(part)) for part in parts}
    return found.pop() if len(parts) == 2 and len(found) == 1 else None


def list_states(text: str) -> list[str]:
    """The codes of the states in a cell that names several ("NY, DE"), or EVERYWHERE ("anywhere"); else none."""
    if text.strip() == bulk_input.EVERYWHERE or _word(text) in _ANYWHERE:
        return [bulk_input.EVERYWHERE]
    if find_state(text):
        return []
    parts = [part for part in _BETWEEN.split(text) if _word(part)]
    if len(parts) < 2:
        parts = text.split()
        if "OR" in parts[1:-1] and any(len(part) > 2 for part in parts):
            return []  # "OHIO OR INDIANA" may be two or three
    if _is_city_and_state(text, parts):
        return []
    found = [find_state(part) for part in parts]
    known = [state for state in found if state]
    return list(dict.fromkeys(known)) if len(known) == len(found) > 1 else []


def _is_city_and_state(text: str, parts: Sequence[str]) -> bool:
    """Whether it may be a city that is called like another state: "Delaware, OH"."""
    if len(parts) != 2 or find_state(parts[0]) == find_state(parts[1]):
        return False
    name, code = map(str.strip, parts)
    return len(code) == 2 < len(_word(name)) and text.replace(",", " ").split() == [*name.split(), code]


def has_states(cells: Sequence[str]) -> bool:
    """Whether one of the cells is a state and nothing else."""
    return any(find_state(cell) for cell in cells)


def guess(headers: Sequence[str], lines: Sequence[Line]) -> Mapping:
    """The likeliest meaning. What is no part of a question is copied to the results."""
    fields: dict[str, int] = {}
    for column, heading in enumerate(headers):
        name = find_field(heading)
        if name is not None and name not in fields:
            fields[name] = column
    columns = [[line.cells[column] for line in lines if line.cells[column]] for column in range(len(headers))]
    _check_states(fields, columns)
    if "entity_name" not in fields and "entity_id" not in fields:
        named = _find_names(columns, taken=set(fields.values()))
        if named is not None:
            fields["entity_name"] = named
    _place_ids(fields, headers)
    _find_kinds(fields, columns)
    kind = LIENS if "searchType" not in fields and not fields.keys().isdisjoint(_OF_LIENS) else COMPANIES
    carried = [column for column in range(len(headers)) if column not in fields.values() and columns[column]]
    return Mapping(fields, kind=kind, carried=tuple(carried))


def read_fields(mapping: Mapping, cells: Sequence[str]) -> dict[str, str]:
    """What a line asks: the fields of a row of the API, with states and days in its form wherever they are known."""
    found = {name: cells[column] for name, column in mapping.fields.items() if cells[column]}
    found.setdefault("state", mapping.all_in)
    if not found["state"]:
        del found["state"]
    else:
        found["state"] = find_state(found["state"]) or found["state"]
    found["searchType"] = _KINDS.get(_word(found.get("searchType", mapping.kind)), found.get("searchType", ""))
    if found["searchType"] != LIENS:  # a column for some rows means nothing for the others
        found = {name: value for name, value in found.items() if name not in _OF_LIENS}
    elif "entity_name" in found:
        found.pop("entity_id", None)
    for name in ("dateAfter", "dateBefore"):
        if name in found:
            found[name] = dates.to_iso(found[name]) or found[name]
    if "searchBy" in found:
        found["searchBy"] = "_".join(found["searchBy"].casefold().split())
    return found


def _check_states(fields: dict[str, int], columns: list[list[str]]) -> None:
    """Take the column whose cells are states, where the heading's are not, or no heading says it."""
    share = [_share_of_states(cells) for cells in columns]
    named = fields.get("state")
    if named is not None and (share[named] >= 0.5 or not columns[named]):
        return
    best = max(range(len(share)), key=share.__getitem__, default=None)
    if best is not None and share[best] >= 0.8 and best not in fields.values():
        fields["state"] = best


def _share_of_states(cells: list[str]) -> float:
    return sum(bool(find_state(cell) or list_states(cell)) for cell in cells) / len(cells) if cells else 0.0


def _find_names(columns: list[list[str]], *, taken: set[int]) -> int | None:
    """The column with most legal forms ("LLC"), else the one with most letters."""
    free = [column for column in range(len(columns)) if column not in taken and columns[column]]
    scores = {column: _name_score(columns[column][:100]) for column in free}
    best = max(free, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best] > (0.0, 2.0) else None


def _name_score(cells: list[str]) -> tuple[float, float]:
    forms = sum(bool(names.legal_form(cell)) for cell in cells)
    letters = sum(sign.isalpha() for cell in cells for sign in cell)
    return forms / len(cells), letters / len(cells)


def _place_ids(fields: dict[str, int], headers: Sequence[str]) -> None:
    """A column headed just "ID" is the owner's own mark where there are names, and else the state's."""
    plain = next((column for column, heading in enumerate(headers) if _word(heading) == "id"), None)
    if plain is not None:
        fields.setdefault("ref" if "entity_name" in fields else "entity_id", plain)


def _find_kinds(fields: dict[str, int], columns: list[list[str]]) -> None:
    """Take the column that tells liens from companies in each cell, where no heading says it."""
    for column, cells in enumerate(columns):
        kinds = {_KINDS.get(_word(cell)) for cell in cells}
        if LIENS in kinds and None not in kinds and column not in fields.values():
            fields.setdefault("searchType", column)


def _word(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
