"""The states' own wording, as it stands in their recorded answers and pages, and what we make of it."""

from __future__ import annotations

from datetime import date
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from lookups.api.wire.words import EntityTypeClass
from scrapers import discovery
from scrapers.bulk_data.stored_form import from_plain, to_plain
from scrapers.normalize import addresses, dates, names, officers, placeholders, types
from scrapers.normalize.record import normalized
from scrapers.parsing.columns import PartyColumns
from scrapers.portal import Portal
from scrapers.records import Address, EntityRecord, Filing, Match, Officer
from scrapers.statuses import StatusMeaning, meanings


class TestADate:
    """Every form a registry writes."""

    @pytest.mark.parametrize(
        ("raw", "iso"),
        [
            ("2012-06-28T00:00:00", "2012-06-28"),  # NY
            ("2020-12-21T00:00:00.000", "2020-12-21"),  # CO
            ("2007-02-20T09:00:00Z", "2007-02-20"),  # OH
            ("1854-01-10 00:00:00", "1854-01-10"),  # OR
            ("08/20/2019", "2019-08-20"),  # CA
            ("8/20/2019", "2019-08-20"),  # CA, in the same answer
            ("2026-09-01T01:49:57.033Z", "2026-09-01"),  # TX
            ("May 1, 2022", "2022-05-01"),
            ("MAY 1, 2022", "2022-05-01"),
            ("Sept. 3, 2019", "2019-09-03"),
            ("21-DEC-2020", "2020-12-21"),
            ("March 3rd, 2020", "2020-03-03"),
            ("12/25/2020 12:00:00 AM", "2020-12-25"),
            ("20240131", "2024-01-31"),
            (" 01/03/1977 ", "1977-01-03"),
            ("1/1/68", "1968-01-01"),  # two digits: never far ahead
            # What is no date, or a machine's word for none
            ("0001-01-01T00:00:00", None),
            ("01/01/1753", None),
            ("12/31/9999", None),
            ("00/00/0000", None),
            ("02/29/2023", None),
            ("13/05/2019", None),
            ("Perpetual", None),
            ("N/A", None),
            ("1850", None),
            ("", None),
            (None, None),
        ],
    )
    def test_is_read_or_left_alone(self, raw: str | None, iso: str | None) -> None:
        assert dates.to_iso(raw) == iso

    @given(some.text(max_size=40) | some.from_regex(r"\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}.{0,12}"))
    def test_never_fails(self, raw: str) -> None:
        found = dates.to_iso(raw)
        assert found is None or dates.to_iso(found) == found

    @given(
        some.dates(date(1800, 1, 1), date(2100, 1, 1)),
        some.sampled_from(["%m/%d/%Y", "%B %d, %Y", "%d-%b-%Y", "%Y%m%d"]),
    )
    def test_survives_being_written_in_any_form(self, day: date, form: str) -> None:
        assert dates.to_date(day.strftime(form)) == day

    @pytest.mark.parametrize("raw", ["\u200b1/2/2020", "1/2/2020\ufeff", "1/2/\u200e2020"])
    def test_is_read_beside_signs_that_nobody_sees(self, raw: str) -> None:
        assert dates.to_iso(raw) == "2020-01-02"

    def test_of_two_digits_is_a_day_to_come_for_a_lapse_and_a_day_gone_by_for_a_beginning(self) -> None:
        year = date.today().year + 4  # noqa: DTZ011
        short = f"12/31/{year % 100:02}"
        assert dates.to_iso(short) == f"{year}-12-31"
        assert dates.to_iso(short, years_ahead=0) == f"{year - 100}-12-31"
        assert dates.to_iso(f"12/31/{year}", years_ahead=0) == f"{year}-12-31"  # four digits leave no doubt

    @pytest.mark.parametrize(
        ("ms", "iso"),
        [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (None, None),
            (10**20, None),
            (-62135596800000, None),  # 0001-01-01
            (-6847804800000, None),  # 1753-01-01
        ],
    )
    def test_may_be_a_number_of_milliseconds(self, ms: int | None, iso: str | None) -> None:
        assert dates.from_epoch_ms(ms) == iso


class TestAnAddress:
    """Split where it is sure, whole where it is not."""

    @pytest.mark.parametrize(
        ("raw", "street", "city", "state", "zip_code"),
        [
            ("509 S PACIFIC ST #433\nMISSION, TX 78572-1234", "509 S PACIFIC ST #433", "MISSION", "TX", "78572-1234"),
            ("100 Example Ave, Denver, CO, 80206, US", "100 Example Ave", "Denver", "CO", "80206"),
            ("1 State Farm Plz, Bloomington, IL 61710", "1 State Farm Plz", "Bloomington", "IL", "61710"),
            ("PO BOX 446, FOREST GROVE OR 97116", "PO BOX 446", "FOREST GROVE", "OR", "97116"),
            ("382 RAMSEN AVE, BROOKLYN, NEW YORK, 11212", "382 RAMSEN AVE", "BROOKLYN", "NY", "11212"),
            ("85 Willow St Allentown PA 18102", "85 Willow St", "Allentown", "PA", "18102"),
            ("Calle 5 #12, San Juan, PR 00901", "Calle 5 #12", "San Juan", "PR", "00901"),
            ("123 Main St., St. Louis, MO 63101-0000, USA", "123 Main St.", "St. Louis", "MO", "63101"),
            ("1209 ORANGE ST\nWILMINGTON DE 198010000", "1209 ORANGE ST", "WILMINGTON", "DE", "19801"),
            ("C/O SMITH & CO, 12 HIGH ST, BOSTON, MA 02108", "C/O SMITH & CO, 12 HIGH ST", "BOSTON", "MA", "02108"),
            ("500 Virginia St, Charleston, West Virginia 25301", "500 Virginia St", "Charleston", "WV", "25301"),
            ("5 A St\nCharleston West Virginia 25301", "5 A St", "Charleston", "WV", "25301"),
            ("9 Elm St, Kansas City, Kansas 66101", "9 Elm St", "Kansas City", "KS", "66101"),
            ("9 Elm St, New York, New York 10001", "9 Elm St", "New York", "NY", "10001"),
            ("1 F St NW, Washington, District of Columbia 20001", "1 F St NW", "Washington", "DC", "20001"),
            ("123 West Virginia Ave, Washington, DC 20002", "123 West Virginia Ave", "Washington", "DC", "20002"),
            ("12 A St, Apt 4, Winston-Salem, North Carolina 27101", "12 A St, Apt 4", "Winston-Salem", "NC", "27101"),
            ("12 MAIN ST ALBANY, NY 12207", "12 MAIN ST", "ALBANY", "NY", "12207"),
            ("1 A ST, ST PAUL, MN, 551020000", "1 A ST", "ST PAUL", "MN", "55102"),
            ("100 MAIN ST, SPRINGFIELD, IL 62701 UNITED STATES", "100 MAIN ST", "SPRINGFIELD", "IL", "62701"),
            ("ONE MAIN STREET HARTFORD, CT 06103", "ONE MAIN STREET", "HARTFORD", "CT", "06103"),
            ("1 MAIN ST, DOVER, DELAWARE 10904", "1 MAIN ST", "DOVER", "DE", "10904"),  # its ZIP code is misspelled
            ("KENNETT SQUARE, PA 19348", None, "KENNETT SQUARE", "PA", "19348"),
            ("WASHINGTON DC 20001", None, "WASHINGTON", "DC", "20001"),
            ("1 MAIN ST, KANSAS CITY, MO 64108 US", "1 MAIN ST", "KANSAS CITY", "MO", "64108"),
            ("KANSAS CITY, MO 64108 US", None, "KANSAS CITY", "MO", "64108"),
            ("1 MAIN ST\nKANSAS CITY, MO 64108-1234 U.S.", "1 MAIN ST", "KANSAS CITY", "MO", "64108-1234"),
            ("1 MAIN ST, 29 PALMS, CA 92277", "1 MAIN ST", "29 PALMS", "CA", "92277"),
            ("1 MAIN ST\n29 Palms CA 92277", "1 MAIN ST", "29 Palms", "CA", "92277"),
            ("NONE\n1 MAIN ST\nALBANY, NY 12207", "1 MAIN ST", "ALBANY", "NY", "12207"),
            # where the forces are
            ("APO AE 09012", None, "APO", "AE", "09012"),
            ("PSC 3 BOX 1234 / APO, AP 96266", "PSC 3 BOX 1234", "APO", "AP", "96266"),
            ("PSC 3 BOX 1234, APO, AP 96266, USA", "PSC 3 BOX 1234", "APO", "AP", "96266"),
            ("UNIT 5, BOX 6\nFPO AA 34012-1234", "UNIT 5, BOX 6", "FPO", "AA", "34012-1234"),
            # abroad
            ("Suite 5, Toronto, ON M5V 2T6, CANADA", "Suite 5", "Toronto", "ON", "M5V 2T6"),
            ("100 King St W, Toronto, Ontario, M5V2T6", "100 King St W", "Toronto", "Ontario", "M5V2T6"),
            ("9 Rue A\nMontreal QC H2Y 1C6\nCanada", "9 Rue A", "Montreal", "QC", "H2Y 1C6"),
            ("10 Example St, London SW1A 2AA, UNITED KINGDOM", "10 Example St", "London", None, "SW1A 2AA"),
            ("10 Example St, London, EC1A 1BB, England", "10 Example St", "London", None, "EC1A 1BB"),
            ("1-1 Rei, Chiyoda-ku, Tokyo 100-0001, JAPAN", "1-1 Rei, Chiyoda-ku", "Tokyo", None, "100-0001"),
            ("12 Rue de l'Exemple, 75001 Paris, France", "12 Rue de l'Exemple", "Paris", None, "75001"),
        ],
    )
    def test_is_split(self, raw: str, street: str | None, city: str, state: str, zip_code: str) -> None:
        found = addresses.from_text(raw)
        assert (found.street, found.city, found.state, found.zip) == (street, city, state, zip_code)

    @pytest.mark.parametrize(
        "raw",
        [
            "5 Example Rd, Guildford, Surrey, GU1 1AA, UNITED KINGDOM",  # a county before the postcode
            "5 Example Rd, Geneva 1201, SWITZERLAND",
            "10 Example St, London",
            "100 King St W Toronto ON M5V 2T6",
            "BEHIND THE MILL, PAST THE SECOND FORD",
            "West Virginia 25301",
            "CORPORATION TRUST CENTER WILMINGTON, DE 19801",  # no city is called so
            "1 HIGHWAY 60 US",
            # a place abroad whose country or province reads like a state
            "88 Queen St, Toronto, CA M5H3R4",
            "20 QUEEN ST W, VANCOUVER, BC, CA V6B1A1",
            "1 Main St, Tbilisi, Georgia 0105",
            "Leopoldstr. 1, Munich, DE 80331",  # a country's five digits, and no ZIP code of Delaware's
            "Jl. Thamrin 9, Jakarta, ID 10110",
            "Leopoldstr. 1 Munich DE 80331",
            "Munich, DE 80331",
        ],
    )
    def test_stays_whole_when_it_cannot_be_split(self, raw: str) -> None:
        assert addresses.from_text(raw) == Address(street=raw)

    @pytest.mark.parametrize("raw", ["NONE", "N/A", "Not Provided", "n/a, \nNONE", "Same as above", "***", "NONE\nUSA"])
    def test_is_none_where_nothing_is_said(self, raw: str) -> None:
        assert not addresses.from_text(raw)
        assert not addresses.from_parts(raw.split("\n")[0], city="N/A", state="NONE", zip="n/a")

    def test_abroad_names_its_country_where_it_has_no_state(self) -> None:
        paris = addresses.from_text("12 Rue de l'Exemple, 75001 Paris, France")
        assert (paris.country, addresses.region(paris)) == ("France", "France")
        assert addresses.region(addresses.from_text("Suite 5, Toronto, ON M5V 2T6, CANADA")) == "ON"
        assert addresses.region(addresses.from_text("1 MAIN ST, ALBANY, NY 12207, USA")) == "NY"
        assert addresses.region(Address("1 MAIN ST", country="USA")) is None
        assert addresses.region(Address(country="France")) is None

    @given(some.text(max_size=80) | some.text("ABC ,.\n0123456789#-", max_size=80))
    def test_never_fails_and_invents_nothing(self, raw: str) -> None:
        found = addresses.from_text(raw)
        flat = "".join(raw.split()).replace(",", "").replace(".", "").upper()
        for part in (found.city, found.zip and found.zip.replace("-", "")):
            assert (
                "".join((part or "").split()).replace(",", "").replace(".", "").upper() in flat.replace("-", "") + flat
            )

    @given(
        some.sampled_from(["12 QUAY STREET", "PO BOX 7", "1 A ST, STE 5"]),
        some.sampled_from(["DOVER", "ST. PAUL", "WINSTON-SALEM", "NEW YORK", "KANSAS CITY", "VIRGINIA BEACH"]),
        some.sampled_from(sorted(set(addresses.STATES.values()))),
        some.from_regex(r"[0-9]{3}[1-8][0-9](-[0-9]{3}[1-9])?", fullmatch=True),
    )
    def test_survives_being_written_in_one_line(self, street: str, city: str, state: str, zip_code: str) -> None:
        assume(not addresses.may_be_abroad(state, zip_code))
        whole = Address(street, city, state, zip_code)
        assert addresses.from_text(addresses.one_line(whole)) == whole

    @pytest.mark.parametrize(
        ("raw", "code"),
        [
            ("Texas", "TX"),
            ("tx", "TX"),
            (" n.y. ", "NY"),
            ("West Virginia", "WV"),
            ("Ontario", None),
            ("", None),
            (None, None),
        ],
    )
    def test_names_its_state_in_two_letters(self, raw: str | None, code: str | None) -> None:
        assert addresses.state_code(raw) == code

    @pytest.mark.parametrize(
        ("raw", "code"),
        [
            ("19801", "19801"),
            ("198011234", "19801-1234"),
            ("19801-0000", "19801"),
            ("19801-", "19801"),
            ("1980", None),
            ("99999", None),  # VA: nobody's
            ("00000-0000", None),
            (None, None),
        ],
    )
    def test_has_a_zip_code_in_one_form(self, raw: str | None, code: str | None) -> None:
        assert addresses.zip_code(raw) == code

    @pytest.mark.parametrize("zip_code", ["99999", "99999-9999", "00000", "000000000"])
    def test_has_no_zip_code_where_a_number_stands_that_is_nobodys(self, zip_code: str) -> None:
        split = addresses.from_parts("1 Main St", city="Richmond", state="VA", zip=zip_code)
        assert (split.city, split.zip) == ("Richmond", None)
        assert addresses.from_text(f"1 Main St, Richmond, VA {zip_code}") == split


class TestAnOfficer:
    """Persons and companies, however the state turns their names."""

    @pytest.mark.parametrize(
        ("shown", "given", "family"),
        [
            ("SMITH, JORDAN A", "Jordan", "Smith"),
            ("SMITH JR, JORDAN", "Jordan", "Smith"),
            ("SMITH, JORDAN, JR", "Jordan", "Smith"),
            ("JORDAN SMITH, JR.", "Jordan", "Smith"),
            ("Jordan Sample", "Jordan", "Sample"),
            ("JORDAN Q PUBLIC III", "Jordan", "Public"),
            ("DR. JANE DOE", "Jane", "Doe"),
            ("JANE DOE, ESQ.", "Jane", "Doe"),
            ("O'QUILLAN, BRIDIE M", "Bridie", "O'Quillan"),
            ("SAMPLE, BOB'S", "Bob's", "Sample"),  # a shop in an officer's place
            ("MCSAMPLE, IAN", "Ian", "McSample"),
            ("JEAN-LUC EXAMPLE", "Jean-Luc", "Example"),
            ("INÉS PEÑALVER", "Inés", "Peñalver"),
            ("VAN DER SAMPLE, ANNA", "Anna", "Van Der Sample"),
            ("Maria de la Muestra", "Maria", "de la Muestra"),
            ("JORDAN CHURCH", "Jordan", "Church"),
            ("LI, XI", "Xi", "Li"),
            ("DeShawn McExample", "DeShawn", "McExample"),
            # an office behind the name is no family
            ("John Smith CEO", "John", "Smith"),
            ("JOHN SMITH, CEO", "John", "Smith"),
            ("SMITH, JOHN, CEO", "John", "Smith"),
            ("SMITH, JOHN CEO", "John", "Smith"),
            ("CHEN KIM EXAMPLE, PRESIDENT", "Chen", "Example"),  # NY
            ("JOHN A SMITH VICE PRESIDENT", "John", "Smith"),
            ("JOHN SMITH JR MANAGER", "John", "Smith"),
            ("JOHN MANAGER", "John", "Manager"),
            ("JOHN SMITH, VICE PRESIDENT", "John", "Smith"),
            ("SMITH, JOHN, MANAGING MEMBER", "John", "Smith"),
            # nor is a title, wherever it stands and however it is written
            ("SMITH, JR., JORDAN", "Jordan", "Smith"),
            ("SMITH, III, JORDAN A", "Jordan", "Smith"),
            ("Jordan Smith, Jr., Esq.", "Jordan", "Smith"),
            ("Jordan Smith Esquire", "Jordan", "Smith"),
            ("SMITH, JORDAN, ESQUIRE", "Jordan", "Smith"),
            ("Jordan Smith, Ph.D.", "Jordan", "Smith"),
            ("Jordan Smith, DVM", "Jordan", "Smith"),
            ("JORDAN SMITH V", "Jordan", "Smith"),
            ("DO, JORDAN", "Jordan", "Do"),
            ("O, JORDAN", "Jordan", "O"),
            ("JORDAN SMITH - MANAGER", "Jordan", "Smith"),
            # words of companies that are families' before a comma
            ("STATE, JORDAN", "Jordan", "State"),
            ("CAPITAL, JORDAN A", "Jordan", "Capital"),
            ("NATIONAL, JORDAN", "Jordan", "National"),
            ("COUNTY, JORDAN Q, JR", "Jordan", "County"),
        ],
    )
    def test_is_a_person_with_two_names(self, shown: str, given: str, family: str) -> None:
        assert officers.read(Officer(shown)) == {"givenName": given, "familyName": family, "kind": "person"}

    @pytest.mark.parametrize(
        "shown",
        ["C/O JORDAN SMITH", "ATTN: JORDAN SMITH", "JORDAN SMITH % JO DOE", "JORDAN AND CASEY DOE", "SMITH JORDAN A"],
    )
    def test_whose_names_nobody_can_tell_apart_has_none(self, shown: str) -> None:
        assert officers.read(Officer(shown)) == {"givenName": None, "familyName": None, "kind": "person"}

    @pytest.mark.parametrize(
        ("first", "last", "given", "family"),
        [
            ("MARIA ELENA", "RIVERA ORTIZ", "Maria", "Rivera Ortiz"),
            ("Jordan", "Sample Garcia, Jr.", "Jordan", "Sample Garcia"),
            ("Jordan", "Sample", "Jordan", "Sample"),
        ],
    )
    def test_has_the_family_name_that_its_registry_keeps_apart(
        self, first: str, last: str, given: str, family: str
    ) -> None:
        found = PartyColumns(business="company", person="first | last", family="last").officer(
            {"first": first, "last": last}
        )
        assert found is not None
        assert officers.read(found) == {"givenName": given, "familyName": family, "kind": "person"}
        assert from_plain(to_plain(EntityRecord("X", "1", officers=(found,)))).officers == (found,)

    @pytest.mark.parametrize(
        "shown",
        [
            "ACCRUIT, LLC",
            "CT CORPORATION SYSTEM",
            " CT CORPORATION SYSTEM",
            "CORPORATION SERVICE COMPANY",
            "SALUS CURA VENTURES",
            "FIRST EXAMPLE CHURCH",
            "Law Offices of Jane Doe",
            "1ST MEMBER",
            "SAMPLE & SONS",
            "PACIFIC UNIVERSITY",
            "STATE FARM",
            "STATE, SECRETARY OF",
            "STATE, DEPARTMENT OF",
            "NATIONAL, INC",
            "CAPITAL ONE, AGENTS",
        ],
    )
    def test_may_be_a_company(self, shown: str) -> None:
        assert officers.read(Officer(shown)) == {"givenName": None, "familyName": None, "kind": "organization"}

    @pytest.mark.parametrize(
        ("agent", "commercial"),
        [
            ("CORPORATION SERVICE COMPANY", True),
            ("C T Corporation System", True),
            ("Accruit, LLC", False),
            ("", False),
            (None, False),
        ],
    )
    def test_may_do_it_for_a_living(self, agent: str | None, commercial: bool) -> None:
        assert officers.is_commercial_agent(agent) is commercial

    @given(some.text(max_size=50) | some.text("AB ,.'-JRI", max_size=30))
    def test_never_fails(self, shown: str) -> None:
        read = officers.read(Officer(shown))
        assert (read["givenName"] is None) == (read["familyName"] is None)
        assert read["kind"] == "person" or read["givenName"] is None
        assert officers.turned(officers.turned(shown)) == officers.turned(shown) or shown.count(",") > 1


class TestADayThatStandsForNone:
    """What a registry's program writes where it knows no day: no company was formed on it."""

    @pytest.mark.parametrize(
        "raw",
        [
            "01/01/0001",
            "0001-01-01T00:00:00",
            "1/1/1753",
            "1753-01-01T00:00:00",
            "9999-12-31",
            "00/00/0000",
            "0000-00-00",
        ],
    )
    def test_is_left_out(self, raw: str) -> None:
        record = EntityRecord("ACME LLC", "1", formation_date=raw, filings=(Filing(raw, "Amendment"),))
        found = placeholders.without_placeholders(record)
        assert (found.formation_date, found.filings) == (None, (Filing(None, "Amendment"),))

    @pytest.mark.parametrize("raw", ["01/01/1900", "2/1/1854", "December 2020", "12/15/2030", None])
    def test_is_no_other_and_no_text_that_is_no_day(self, raw: str | None) -> None:
        record = EntityRecord("ACME LLC", "1", formation_date=raw)
        assert placeholders.without_placeholders(record).formation_date == raw


class TestAPlaceholder:
    """What stands where there is nobody: no person, no agent, no street."""

    @pytest.mark.parametrize(
        "raw",
        [
            "NONE",
            "None.",
            "N/A",
            "Not Provided",
            "NOT LISTED",  # NC
            "SEE FILE",  # AR
            "VACANT",
            "VACANT VACANT",  # NY: both parts of a name
            "Registered Agent Revoked",  # NY
            "AGENT VACATED",  # IL
            "Registered Agent Vacant",
            "(Optional) Currently No Agent",  # MN
            "NO AGENT ON FILE",
            "No Registered Agent Appointed",
            "NONE DESIGNATED",
            "No principal office address found",  # MS
            "NO ADDRESS ON FILE",
            "THE CORPORATION",  # NY
            "C/O THE LLC",
            "c/o the limited liability company",
            "*RESIGNED 01/02/03*",  # FL
            "REVOKED 1/2/2003",
            "Resident Agent Removed",
            "Retired on 1/2/2003",
            "-",
            " ",
            "",
            None,
        ],
    )
    def test_is_known_by_its_words(self, raw: str | None) -> None:
        assert placeholders.is_placeholder(raw)
        assert placeholders.stated(raw) is None

    @pytest.mark.parametrize("raw", ["N/A", "Unknown", "NONE", "Not Provided"])
    def test_is_no_place_where_a_company_was_formed(self, raw: str) -> None:
        record = EntityRecord("ACME LLC", "1", jurisdiction=raw)
        assert placeholders.without_placeholders(record).jurisdiction is None

    @pytest.mark.parametrize(
        "raw",
        [
            "NONESUCH LLC",
            "VACANT LOT HOLDINGS INC",
            "JOHN JOHN",
            "See Filer",
            "N A Sample",
            "Reed Revoked",
            "LI NA",
            "No Agent Needed LLC",
        ],
    )
    def test_is_no_part_of_a_name(self, raw: str) -> None:
        assert placeholders.stated(raw) == raw

    @given(some.text(max_size=60))
    def test_never_fails(self, raw: str) -> None:
        assert placeholders.stated(raw) in (raw, None)


class TestAnEntityType:
    """The states' words in a few classes."""

    @pytest.mark.parametrize(
        ("raw", "kind", "domestic"),
        [
            ("DOMESTIC LIMITED LIABILITY COMPANY", "llc", True),  # IA, OH
            ("Domestic Limited Liability Company", "llc", True),  # PA
            ("DOMESTIC BUSINESS CORPORATION", "corporation", True),  # NY
            ("DOMESTIC NONPROFIT CORPORATION", "nonprofit_corporation", True),  # OR
            ("Corporation - Business - Domestic", "corporation", True),  # ND
            ("Foreign Limited Partnership", "lp", False),
            ("Limited Liability Limited Partnership", "lllp", None),
            ("Professional Limited Liability Company", "professional_llc", None),
            ("General Partnership", "general_partnership", None),
            ("Benefit Corporation", "benefit_corporation", None),
            ("Cooperative Association", "cooperative", None),
            ("Statutory Trust", "trust", None),
            ("Assumed Business Name", "assumed_name", None),
            ("Compañía de Responsabilidad Limitada", "llc", None),
            ("Limited Company", "llc", None),
            ("DOMESTIC PROFESSIONAL SERVICE LLC", "professional_llc", True),
            ("Limited Liability Company - Professional - Domestic", "professional_llc", True),
            ("LLC - PROFESSIONAL FOREIGN", "professional_llc", False),  # UT
            ("Corporation - Professional", "professional_corporation", None),  # ND
            ("SERVICE CORPORATION", "professional_corporation", None),  # WI
            ("Foreign Professional Association", "professional_corporation", False),  # TX
            ("Mutual Benefit Corporation", "nonprofit_corporation", None),
            ("Domestic Limited Partnership (LP/LLLP)", "lp", True),
            ("Domestic General Partnership (GP/LLP)", "general_partnership", True),
            ("Unincorporated Common Interest Development", "other", None),
            ("Nonprofit Public Benefit Corporation", "nonprofit_corporation", None),
            ("Domestic Public Benefit Corporation", "benefit_corporation", True),  # CO
            ("CORPORATION - SOLE", "nonprofit_corporation", None),  # UT
            ("LLC - SERIES DOMESTIC", "series_llc", True),  # UT
            ("Series Limited Liability Company", "series_llc", None),
            ("LLC - LOW PROFIT", "llc", None),  # UT
            ("LTD LIABILITY LTD PARTNERSHIP - DOMESTIC", "lllp", True),  # UT
            ("Domestic Limited Partnership Association", "other", True),  # CO
            ("Domestic Limited Cooperative Association", "cooperative", True),  # CO
            ("Limited Cooperative Association", "cooperative", None),
            ("STOCK COOPERATIVE", "cooperative", None),  # WI
            ("Unincorporated Nonprofit Association", "nonprofit_association", None),  # CO
            ("Sole Proprietorship", "sole_proprietorship", None),
            ("Foreign Real Estate Investment Trust", "trust", False),  # TX
            ("Trust Company", "corporation", None),
            ("Foreign Corporate Name Registration", "reserved_name", False),  # AK
            ("Business Name Registration", "assumed_name", None),  # AK
            ("Ditch and Reservoir Company", "corporation", None),
            ("Something Else", "other", None),
            ("", None, None),
            (None, None, None),
        ],
    )
    def test_has_a_class(self, raw: str | None, kind: str | None, domestic: bool | None) -> None:
        assert types.to_class(raw) == kind
        assert types.is_domestic(raw, jurisdiction=None, state="NY") is domestic

    def test_is_a_word_of_the_wire(self) -> None:
        assert list(get_args(types.EntityTypeClass)) == [word.value for word in EntityTypeClass]

    @pytest.mark.parametrize(
        ("raw", "kind"),
        [("Assumed Name", "assumed"), ("Business Name Reservation", "reserved"), ("Reservoir Company", "legal")],
    )
    def test_says_whether_the_row_is_a_company(self, raw: str, kind: str) -> None:
        assert types.name_kind(raw) == kind

    @pytest.mark.parametrize(
        ("jurisdiction", "domestic"),
        [("Delaware", False), ("NEW YORK", True), ("ny", True), ("Ontario", None), (None, None)],
    )
    def test_is_at_home_where_it_was_formed(self, jurisdiction: str | None, domestic: bool | None) -> None:
        assert types.is_domestic("LLC", jurisdiction=jurisdiction, state="NY") is domestic

    @given(some.text(max_size=60))
    def test_never_fails(self, raw: str) -> None:
        types.to_class(raw)
        types.is_domestic(raw, jurisdiction=raw, state="NY")


class TestAName:
    """Forms for comparison and for search; matching itself is proven on its labelled set."""

    @given(some.text(max_size=60))
    def test_never_fails_and_plain_is_plain(self, raw: str) -> None:
        for make in (names.key, names.full_key, names.legal_form, names.without_suffix, names.numbers):
            make(raw)
        assert names.plain(names.plain(raw)) == names.plain(raw)
        assert bool(names.without_suffix(raw)) == bool(raw.strip())

    @pytest.mark.parametrize(
        ("raw", "searched"),
        [
            ("Saddleback Foods, Inc., a Delaware corporation", "Saddleback Foods"),
            ("Drummond Dental, A PROFESSIONAL CORPORATION", "Drummond Dental"),
            (", a Delaware corporation", ", a Delaware"),
            ("Plan A Inc.", "Plan A"),
        ],
    )
    def test_is_searched_without_its_legal_form_however_that_is_written(self, raw: str, searched: str) -> None:
        assert names.without_suffix(raw) == searched


STATUSES = meanings("Good Standing | Delinquent | Inactive | Hold")


class Register(Portal):
    """A register with a closed table of words."""

    statuses = STATUSES
    published = frozenset({"status", "officers", "agent_name", "agent_address"})
    paywalled = frozenset({"formation_date"})


class TestAStatus:
    """A word of the state's table, or told as unknown; never guessed."""

    @pytest.mark.parametrize(
        ("word", "kind", "reason"),
        [
            ("Good Standing", "active", None),
            ("  GOOD   standing ", "active", None),
            ("Delinquent", "active", "not_in_good_standing"),
            ("Inactive", "inactive", None),
            ("Hold", "neutral", None),
            ("Active", "neutral", "unrecognised_status"),
            ("Inactive - Merged", "neutral", "unrecognised_status"),
            ("Good Standing?", "neutral", "unrecognised_status"),
            ("", "neutral", "status_not_published"),
            (None, "neutral", "status_not_published"),
        ],
    )
    def test_is_looked_up(self, word: str | None, kind: str, reason: str | None) -> None:
        assert Register().status_meaning(word) == StatusMeaning(kind, reason)  # type: ignore[arg-type]


class TestTheReading:
    """The `normalized` object of an answer."""

    def read(self, record: EntityRecord) -> dict[str, Any]:
        return normalized(record, portal=Register(), state="DE", match=Match(1.0, "exact"))

    def test_says_why_a_field_is_empty(self) -> None:
        told = self.read(
            EntityRecord("ACME LLC", "1", status="Good Standing", agent_address=Address(street="PAST THE MILL"))
        )["fieldAvailability"]
        assert told["status"] == "provided"
        assert told["officers"] == "empty"
        assert told["formationDate"] == "paywalled"
        assert told["principalCity"] == "not_published"
        assert (told["registeredAgentAddress"], told["registeredAgentCity"]) == ("provided", "parse_failed")

    @pytest.mark.parametrize(
        ("state", "lacking"),
        [("IA", ["jurisdiction", "officers", "status"]), ("MA", ["officers", "registeredAgentName"])],
    )
    def test_of_a_copy_calls_nothing_empty_that_its_files_do_not_hold(self, state: str, lacking: list[str]) -> None:
        portal, record = discovery.find_portal(state), EntityRecord("ACME LLC", "1")
        assert portal is not None
        read = {
            from_copy: normalized(record, portal=portal, state=state, match=Match(1.0, "exact"), from_copy=from_copy)
            for from_copy in (True, False)
        }
        assert {read[True]["fieldAvailability"][field] for field in lacking} == {"not_published"}
        assert {read[False]["fieldAvailability"][field] for field in lacking} == {"empty"}
        assert read[True]["fieldAvailability"]["principalCity"] == "empty"

    def test_speaks_of_every_field_of_the_answer(self) -> None:
        assert len(self.read(EntityRecord("ACME LLC", "1"))["fieldAvailability"]) == 19

    def test_keeps_officers_in_order_and_tells_the_agent(self) -> None:
        record = EntityRecord(
            "ACME LLC",
            "1",
            officers=(Officer("DOE, JANE"), Officer("ACME GP LLC")),
            agent_name="CORPORATION SERVICE COMPANY",
            agent_address=Address("1 A ST", "DOVER", "DE", "19901-0000"),
        )
        told = self.read(record)
        assert [one["kind"] for one in told["officers"]] == ["person", "organization"]
        assert told["registeredAgent"] == {"kind": "organization", "commercial": True, "zip": "19901"}

    def test_dates_a_beginning_and_what_was_filed_in_the_past(self) -> None:
        year = date.today().year + 1  # noqa: DTZ011
        shown, meant = f"12/31/{year % 100:02}", f"{year - 100}-12-31"
        told = self.read(EntityRecord("ACME LLC", "1", formation_date=shown, filings=(Filing(shown, "Articles"),)))
        assert (told["formationDate"], told["filings"]) == (meant, [{"date": meant, "title": "Articles"}])

    def test_tells_who_gets_legal_papers_by_way_of_the_state(self) -> None:
        told = self.read(EntityRecord("ACME LLC", "1", process_name="JORDAN SAMPLE"))
        assert told["serviceOfProcess"] == {"name": "JORDAN SAMPLE", "kind": "person"}
        assert told["registeredAgent"] is None

    def test_leaves_open_what_nobody_says(self) -> None:
        told = self.read(EntityRecord("ACME LLC", "1"))
        assert (told["domestic"], told["formationDate"], told["entityTypeClass"], told["registeredAgent"]) == (
            None,
        ) * 4
        assert told["statusClass"] == "neutral"
