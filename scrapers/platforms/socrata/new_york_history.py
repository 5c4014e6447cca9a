"""What New York tells of a company in time: its names, statuses, filings and addresses, each a data set of its own.

Every company is in them, ended ones too; the sets are renewed weekly. All four go by `corpid_num`, which is the DOS
number, and one filing has the same `film_num` in each (its dates differ by days from set to set).

Filings of assumed names carry numbers of another count, which meet DOS numbers of companies they have nothing to do
with: 49779 is a glass works and somebody's coffee shop. They are told by their document's title, or by certificate code
93, and nothing is ever read from them. What assumed names a company has can therefore not be known from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scrapers.bulk_data.layouts.new_york import INQUIRY
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.normalize.dates import is_placeholder, to_iso
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata import portal
from scrapers.records import Address, EntityRecord, Filing, Officer
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value

DOMAIN = "data.ny.gov"
NAMES, STATUSES, FILINGS, ADDRESSES = "ekwr-p59j", "3gg2-jgnp", "63wc-4exh", "2tms-hftb"
_COLUMNS = {
    NAMES: "name_type | name_status | corp_name",
    STATUSES: "mod_cert_code | status",
    FILINGS: (
        "approved_date | eff_date | dura_date | dis_eff_date | for_inc_date | mod_certcode | entitytype | "
        "documenttype | law | nfp_type | corp_name | fict_name | cnty_prin_ofc | juris | amd_corp_name_flag | "
        "amd_fict_name_flag"
    ),
    ADDRESSES: "addr_type | name | addr1 | addr2 | city | state | zip5 | zip4 | country",
}
_KNOWN = {
    dataset: frozenset(listed(f"corpid_num | film_num | date_filed | {columns}"))
    for dataset, columns in _COLUMNS.items()
}
_ALWAYS = {NAMES: ("name_type",), FILINGS: ("documenttype",), ADDRESSES: ("addr_type",)}  # in every row that was seen
_FORMING = frozenset(listed("CERTIFICATE OF INCORPORATION | ARTICLES OF ORGANIZATION | APPLICATION OF AUTHORITY"))
_PROCESS, _AGENT, _CHIEF, _OFFICE = "1", "2", "3", "4"  # kinds of addresses
_MOST_ROWS = 5_000  # of at most some dozens of companies, each of which has tens

Rows = Mapping[str, Sequence[Row]]


def ask(session: PortalSession, dataset: str, numbers: Iterable[str]) -> Rows:
    """The rows of these companies in one set, each company's newest first."""
    where = conditions.one_of("corpid_num", numbers)
    rows = soda.ask_rows(
        session, domain=DOMAIN, dataset=dataset, where=where, order="corpid_num,date_filed", limit=_MOST_ROWS
    )
    if len(rows) == _MOST_ROWS:
        raise PageChanged(f"{dataset}: {_MOST_ROWS} rows or more of a few companies")
    note_columns(session, dataset, rows)
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=_when, reverse=True):
        found.setdefault(need_text(row, "corpid_num"), []).append(row)
    return found


def _when(row: Row) -> tuple[str, str]:
    return to_iso(value(row, "date_filed")) or "", need_text(row, "film_num")


def note_columns(session: PortalSession, dataset: str, rows: Sequence[Row]) -> None:
    """Tell operators of columns nobody reads; PageChanged when a known one may have been renamed."""
    portal.note_columns(session, rows, read=_KNOWN[dataset], known=_KNOWN[dataset], dataset=dataset)
    portal.need_columns(rows, _ALWAYS.get(dataset, ()), dataset=dataset)


def assumed_films(rows: Iterable[Row]) -> frozenset[str]:
    """The filings among these that are of an assumed name, and so of somebody else."""
    return frozenset(need_text(row, "film_num") for row in rows if _is_assumed(row))


def _is_assumed(row: Row) -> bool:
    code = value(row, "mod_certcode") or value(row, "mod_cert_code") or ""
    return code.startswith("93") or "ASSUMED NAME" in (value(row, "documenttype") or "").upper()


def without(rows: Iterable[Row], films: frozenset[str]) -> list[Row]:
    """The rows that belong to none of these filings.

    Each must have a day: the newest row says what is true of a company now, the oldest one when it was formed.
    """
    own = [row for row in rows if need_text(row, "film_num") not in films]
    undated = [row["film_num"] for row in own if not _is_dated(value(row, "date_filed"))]
    if undated:
        raise PageChanged(f"nobody can say when {undated[:3]} were filed")
    return own


def _is_dated(shown: str | None) -> bool:
    return bool(to_iso(shown)) or is_placeholder(shown)  # which is of long ago


def with_names(record: EntityRecord, rows: Sequence[Row]) -> EntityRecord:
    """The record with the names it had before, newest first. "A" is the kind of every name that was seen.

    What is of another kind is a name of the company, and no legal one.
    """
    former, assumed = (
        dict.fromkeys(need_text(row, "corp_name") for row in rows if (need_text(row, "name_type") == "A") is legal)
        for legal in (True, False)
    )
    return replace(
        record,
        former_names=tuple(name for name in former if name != record.entity_name),
        assumed_names=tuple(name for name in assumed if name != record.entity_name),
    )


def read_status(rows: Sequence[Row]) -> str | None:
    """The word beside the newest filing of a company that is not among the active ones; None where nobody can say.

    An older word may be out of date, and "Active" contradicts the list of active corporations.
    """
    word = value(rows[0], "status") if rows else None
    return word if word != "Active" else None


def ended(number: str, names: Sequence[Row], statuses: Sequence[Row]) -> EntityRecord | None:
    """What names and statuses say of a company that is not among the active ones; None where it has no name.

    Its last name need not be marked as its present one: companies that have ended have none.
    """
    legal = [row for row in names if need_text(row, "name_type") == "A"]
    if not legal:
        return None
    last = next((row for row in legal if value(row, "name_status") == "A"), legal[0])
    name = need_text(last, "corp_name")
    return with_names(EntityRecord(name, number, status=read_status(statuses), sos_url=INQUIRY), names)


def with_filings(record: EntityRecord, rows: Sequence[Row]) -> EntityRecord:
    """The record with its filings, newest first; what they say of the company only where the record does not.

    The first filing is the day of formation only if it is of a kind that forms a company, or lets a foreign one in.
    """
    first = rows[-1] if rows else {}
    forms = (value(first, "documenttype") or "").upper() in _FORMING
    history = (Filing(value(row, "date_filed"), title) for row in rows if (title := value(row, "documenttype")))
    return replace(
        record,
        entity_type=record.entity_type or _newest(rows, "entitytype"),
        jurisdiction=record.jurisdiction or _newest(rows, "juris"),
        formation_date=record.formation_date or (value(first, "date_filed") if forms else None),
        filings=tuple(history),
    )


def _newest(rows: Sequence[Row], column: str) -> str | None:
    return next((found for row in rows if (found := value(row, column))), None)


def with_addresses(record: EntityRecord, rows: Sequence[Row]) -> EntityRecord:
    """The record with the newest address of each kind, and with whoever is named in the newest filing of officers."""
    newest: dict[str, list[Row]] = {}
    for row in rows:
        alike = newest.setdefault(need_text(row, "addr_type"), [row])
        if row is not alike[0] and row.get("film_num") == alike[0].get("film_num"):
            alike.append(row)
    process, agent, office = (newest.get(kind, [{}])[0] for kind in (_PROCESS, _AGENT, _OFFICE))
    officers = {name: row for row in newest.get(_CHIEF, ()) if (name := value(row, "name"))}
    return replace(
        record,
        agent_name=value(agent, "name"),
        agent_address=_address(agent),
        process_name=value(process, "name"),
        mailing_address=_address(process),
        principal_address=_address(office),
        officers=tuple(
            Officer(name, "Chief Executive Officer", one_line(_address(row))) for name, row in officers.items()
        ),
    )


def _address(row: Row) -> Address:
    street = (value(row, column) for column in ("addr1", "addr2"))
    zip_code = "-".join(filter(None, (value(row, "zip5"), value(row, "zip4")))) or None
    place = {column: value(row, column) for column in ("city", "state", "country")}
    return addresses.from_parts(*street, zip=zip_code, **place)
