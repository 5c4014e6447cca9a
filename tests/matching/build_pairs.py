"""Builds the labelled set, tests/matching/pairs.csv, from documented rules and a fixed seed (see README.md).

python -m tests.matching.build_pairs            # writes pairs.csv anew; the same bytes every time
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator
from pathlib import Path

FILE = Path(__file__).with_name("pairs.csv")
PER_RULE = 80

OWN = """Blue Heron|Granite Peak|Silver Lantern|Quiet Harbor|Amber Falcon|North Fork|Cedar Hollow|Prairie Wind
Copper Canyon|Willow Bend|Stone Arch|High Plains|Red Maple|Iron Gate|Lost Creek|Painted Rock|Bright Anchor|Seven Pines
Golden Meadow|Black Otter|White Birch|Green Heron|Old Mill|Tall Grass|Storm King|River Oak|Twin Falls|Desert Rose
Mountain Laurel|Kestrel|Obsidian|Juniper|Marlowe|Pemberton|Larkspur|Tamarack|Wexford|Caldera|Halcyon|Sagebrush
Bellwether|Driftwood|O'Malley|McAllister|Van Buren|De La Cruz|St. Clair|D'Angelo|Müller|Peña|Beauchêne|Åkerman|Smith
Johnson|Garcia|Nguyen|A.B.C.|J & R|K.L. Morgan|T.J. Ward|M&M|AAA|XYZ|RDS""".replace("\n", "|").split("|")
TRADE = """Logistics|Holdings|Consulting|Construction|Properties|Capital|Dental|Software|Landscaping|Trucking|Energy
Foods|Design|Manufacturing|Insurance|Restaurant|Services|Management|Solutions|Technologies|Enterprises|Ventures|Partners
Realty|Plumbing|Electric|Roofing|Medical|Marketing|Investments|Development|Farms|Motors|Media|Security|Staffing|Cleaning
Transportation|Industries|Group|Associates|Bakery|Brewing|Fitness|Wellness|Therapy""".replace("\n", "|").split("|")
LLC = ("LLC", "L.L.C.", ", LLC", ", L.L.C.", "Limited Liability Company", "Ltd. Liability Co.", "L L C", "llc")
CORPORATION = ("Inc.", "Inc", ", Inc.", "Incorporated", "Corp.", "Corporation", ", Corp.", "INC.")
STATES = ("Texas", "Ohio", "Nevada", "Oregon", "Georgia", "Maine", "Utah", "Kansas", "Florida", "Idaho")
CITIES = ("Springfield", "Riverton", "Fairview", "Salem", "Clinton", "Madison", "Georgetown", "Arlington")
EXTRA = ("Trucking", "Farms", "West", "Services", "International", "Consulting", "Texas", "Realty", "Foods", "Media")
CHANGED = (("North", "South"), ("East", "West"), ("Upper", "Lower"), ("Old", "New"), ("Big", "Little"))
LOOKALIKE = (
    ("Anderson", "Andersen"),
    ("Smith", "Smyth"),
    ("Johnson", "Johnston"),
    ("Peterson", "Petersen"),
    ("Phillips", "Philips"),
    ("Thompson", "Thomson"),
    ("Meyer", "Meier"),
    ("Stevens", "Stephens"),
    ("Hansen", "Hanson"),
    ("Reed", "Reid"),
    ("Clark", "Clarke"),
    ("Brown", "Browne"),
    ("Green", "Greene"),
    ("Allen", "Alan"),
    ("Cook", "Cooke"),
    ("Lawson", "Larson"),
    ("Martin", "Marvin"),
    ("Morris", "Norris"),
    ("Walker", "Waller"),
    ("Parker", "Barker"),
)
NEAR_WORDS = (
    ("Marine", "Marina"),
    ("Capital", "Capitol"),
    ("Trading", "Training"),
    ("Holding", "Holdings"),
    ("Planning", "Planting"),
    ("Technology", "Technologies"),
    ("Printing", "Painting"),
    ("Lending", "Leading"),
    ("Heating", "Healing"),
    ("Service", "Services"),
    ("Farm", "Farms"),
    ("Motor", "Motors"),
    ("Design", "Designs"),
    ("Timber", "Timer"),
)
ABBREVIATED = (
    ("International", "Intl"),
    ("Brothers", "Bros"),
    ("Manufacturing", "Mfg"),
    ("Management", "Mgmt"),
    ("Association", "Assn"),
    ("Associates", "Assoc"),
    ("National", "Natl"),
    ("Services", "Svcs"),
    ("Center", "Ctr"),
    ("Saint", "St."),
    ("Mount", "Mt."),
    ("Insurance", "Ins"),
    ("Group", "Grp"),
    ("Hospital", "Hosp"),
    ("Marketing", "Mktg"),
)
NUMBER_WORDS = (
    ("1", "One"),
    ("2", "Two"),
    ("3", "Three"),
    ("4", "Four"),
    ("5", "Five"),
    ("10", "Ten"),
    ("12", "Twelve"),
)
ROMAN = (("2", "II"), ("3", "III"), ("4", "IV"), ("6", "VI"), ("7", "VII"), ("8", "VIII"), ("9", "IX"))
ORDINALS = (("First", "1st"), ("Second", "2nd"), ("Third", "3rd"), ("Fourth", "4th"), ("Fifth", "5th"))

ANYBODYS = ("Holdings", "Properties", "Capital", "Services", "Management", "Solutions", "Enterprises", "Ventures")
ANYBODYS += ("Partners", "Realty", "Investments", "Industries", "Group", "Associates")
INITIALS = (("MT", "Mount"), ("FT", "Fort"), ("RD", "Road"), ("NE", "Northeast"), ("SE", "Southeast"), ("SR", "Senior"))

Pair = tuple[str, str]
Rule = Callable[[random.Random], Pair]


def _name(pick: random.Random) -> str:
    return f"{pick.choice(OWN)} {pick.choice(TRADE)}"


def _with(name: str, form: str) -> str:
    return f"{name}{form}" if form.startswith(",") else f"{name} {form}"


def _ended(pick: random.Random) -> str:
    return _with(_name(pick), pick.choice(LLC + CORPORATION))


def _two(pick: random.Random, options: tuple[str, ...]) -> Pair:
    first, second = pick.sample(options, 2)
    return first, second


def _slip(pick: random.Random, word: str) -> str:
    """Two letters swapped, or an inner letter dropped or doubled."""
    at = pick.randrange(1, len(word) - 2)
    kind = pick.choice(("swap", "drop", "double"))
    if kind == "swap" and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == "drop":
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at] + word[at:]


# The same company, written in another way


def case(pick: random.Random) -> Pair:
    name = _ended(pick)
    return name, pick.choice((name.upper(), name.lower(), name.title()))


def punctuation(pick: random.Random) -> Pair:
    name = _ended(pick)
    changed = name.replace(".", "").replace(",", "").replace("'", "").replace("-", " ")
    return name, changed if changed != name else name.replace(" ", "  ") + "."


def llc_spelling(pick: random.Random) -> Pair:
    name, (one, other) = _name(pick), _two(pick, LLC)
    return _with(name, one), _with(name, other)


def corporation_spelling(pick: random.Random) -> Pair:
    name, (one, other) = _name(pick), _two(pick, CORPORATION)
    return _with(name, one), _with(name, other)


def form_left_out(pick: random.Random) -> Pair:
    name = _name(pick)
    return name, _with(name, pick.choice(LLC + CORPORATION))


def wrong_form(pick: random.Random) -> Pair:
    name = f"{pick.choice(OWN)} {pick.choice([trade for trade in TRADE if trade not in ANYBODYS])}"
    return _with(name, pick.choice(LLC)), _with(name, pick.choice(CORPORATION))


def article(pick: random.Random) -> Pair:
    name = _ended(pick)
    return f"The {name}", name


def ampersand(pick: random.Random) -> Pair:
    one, other = pick.sample(OWN[40:58], 2)
    sign, word = pick.choice((("&", "and"), ("&", "AND"), ("and", "+"), ("&", "+")))
    trade, form = pick.choice(TRADE), pick.choice(LLC + CORPORATION)
    return _with(f"{one} {sign} {other} {trade}", form), _with(f"{one} {word} {other} {trade}", form)


def accents(pick: random.Random) -> Pair:
    own, bare = pick.choice(
        (("Müller", "Muller"), ("Peña", "Pena"), ("Beauchêne", "Beauchene"), ("Café Zoë", "CAFE ZOE"))
    )
    trade, form = pick.choice(TRADE), pick.choice(LLC)
    return _with(f"{own} {trade}", form), _with(f"{bare} {trade}", form)


def number_word(pick: random.Random) -> Pair:
    digit, word = pick.choice(NUMBER_WORDS)
    name, form = _name(pick), pick.choice(LLC)
    return _with(f"{name} {digit}", form), _with(f"{name} {word}", form)


def roman_number(pick: random.Random) -> Pair:
    digit, roman = pick.choice(ROMAN)
    name, form = _name(pick), pick.choice(LLC)
    return _with(f"{name} {digit}", form), _with(f"{name} {roman}", form)


def ordinal(pick: random.Random) -> Pair:
    word, short = pick.choice(ORDINALS)
    name = _ended(pick)
    return f"{word} {name}", f"{short} {name}"


def home_state_note(pick: random.Random) -> Pair:
    name, state = _name(pick), pick.choice(STATES)
    form, note = pick.choice((("Inc.", f"(a {state} Corporation)"), ("LLC", f"({state})")))
    return _with(name, form), f"{_with(name, form)} {note}"


def trading_name(pick: random.Random) -> Pair:
    legal, trade = _ended(pick), _name(pick)
    mark = pick.choice(("dba", "d/b/a", "DBA", "doing business as"))
    return trade, f"{legal} {mark} {trade}"


def abbreviation(pick: random.Random) -> Pair:
    word, short = pick.choice(ABBREVIATED)
    own, form = pick.choice(OWN), pick.choice(LLC + CORPORATION)
    return _with(f"{own} {word}", form), _with(f"{own} {short}", form)


def spacing(pick: random.Random) -> Pair:
    own = pick.choice([name for name in OWN if " " in name and name.replace(" ", "").isalpha()])
    trade, form = pick.choice(TRADE), pick.choice(LLC + CORPORATION)
    return _with(f"{own.replace(' ', '')} {trade}", form), _with(f"{own} {trade}", form)


def slip_in_a_common_word(pick: random.Random) -> Pair:
    own, form = pick.choice(OWN), pick.choice(LLC + CORPORATION)
    trade = pick.choice([word for word in TRADE if len(word) >= 8])
    return _with(f"{own} {_slip(pick, trade)}", form), _with(f"{own} {trade}", form)


# Another company, however alike


def word_added(pick: random.Random) -> Pair:
    name, form = _name(pick), pick.choice(LLC + CORPORATION)
    return _with(name, form), _with(f"{name} {pick.choice([word for word in EXTRA if word not in name])}", form)


def word_changed(pick: random.Random) -> Pair:
    one, other = pick.choice(CHANGED)
    name = _ended(pick)
    return f"{one} {name}", f"{other} {name}"


def trade_changed(pick: random.Random) -> Pair:
    own, form = pick.choice(OWN), pick.choice(LLC + CORPORATION)
    one, other = pick.sample(TRADE, 2)
    return _with(f"{own} {one}", form), _with(f"{own} {other}", form)


def series_number(pick: random.Random) -> Pair:
    name, form = _name(pick), pick.choice(LLC)
    one, other = pick.sample(("I", "II", "III", "IV", "V", "1", "7", "12"), 2)
    if {one, other} == {"I", "1"}:
        other = "II"
    return _with(f"{name} {one}", form), _with(f"{name} {other}", form)


def series_number_missing(pick: random.Random) -> Pair:
    name, form = _name(pick), pick.choice(LLC)
    return _with(name, form), _with(f"{name} {pick.choice(('II', '2', 'III', 'Two', '2019'))}", form)


def year_changed(pick: random.Random) -> Pair:
    name = _name(pick)
    one, other = pick.sample(range(1998, 2026), 2)
    return f"{name} {one} LLC", f"{name} {other} LLC"


def place_changed(pick: random.Random) -> Pair:
    one, other = pick.sample(CITIES + STATES, 2)
    kind = pick.choice(("First National Bank of", "Sisters of Mercy of", "Boys Club of", "Baptist Church of"))
    return f"{kind} {one}", f"{kind} {other}"


def home_state_changed(pick: random.Random) -> Pair:
    name = _name(pick)
    one, other = pick.sample(STATES, 2)
    return f"{name} Inc. of {one}", f"{name} Inc. of {other}"


def professional_form(pick: random.Random) -> Pair:
    name = _name(pick)
    return _with(name, pick.choice(("PLLC", "P.L.L.C.", "P.C."))), _with(name, pick.choice(LLC))


def partnership_form(pick: random.Random) -> Pair:
    name = _name(pick)
    return _with(name, pick.choice(("LP", "L.P.", "Limited Partnership", "LLP"))), _with(
        name, pick.choice(LLC + CORPORATION)
    )


def surname_alike(pick: random.Random) -> Pair:
    one, other = pick.choice(LOOKALIKE)
    trade, form = pick.choice(TRADE), pick.choice(LLC + CORPORATION)
    return _with(f"{one} {trade}", form), _with(f"{other} {trade}", form)


def word_alike(pick: random.Random) -> Pair:
    one, other = pick.choice(NEAR_WORDS)
    own, form = pick.choice(OWN), pick.choice(LLC + CORPORATION)
    return _with(f"{own} {one}", form), _with(f"{own} {other}", form)


def letter_changed(pick: random.Random) -> Pair:
    own = pick.choice([name for name in OWN if name.replace(" ", "").isalpha() and len(name) > 5])
    at = pick.randrange(1, len(own) - 1)
    while own[at] == " ":
        at = pick.randrange(1, len(own) - 1)
    changed = own[:at] + pick.choice([sign for sign in "aeiourtsln" if sign != own[at].lower()]) + own[at + 1 :]
    trade, form = pick.choice(TRADE), pick.choice(LLC)
    return _with(f"{own} {trade}", form), _with(f"{changed} {trade}", form)


def words_in_another_order(pick: random.Random) -> Pair:
    one, other = pick.sample(TRADE, 2)
    own, form = pick.choice(OWN), pick.choice(LLC + CORPORATION)
    return _with(f"{own} {one} {other}", form), _with(f"{own} {other} {one}", form)


def initials_alike(pick: random.Random) -> Pair:
    letters = "ABCDEFGHJKLMNPRSTW"
    one = "".join(pick.sample(letters, 3))
    other = one[:2] + pick.choice([sign for sign in letters if sign not in one])
    trade, form = pick.choice(TRADE), pick.choice(LLC + CORPORATION)
    return _with(f"{one} {trade}", form), _with(f"{other} {trade}", form)


def initials_for_a_word(pick: random.Random) -> Pair:
    short, word = pick.choice(INITIALS)
    trade, form = pick.choice(TRADE), pick.choice(LLC + CORPORATION)
    return _with(f"{short} {trade}", form), _with(f"{word} {trade}", form)


def initials_divided(pick: random.Random) -> Pair:
    letters = "".join(pick.sample("BCDFGHJKLMNPRST", 2))
    word, form = pick.choice(("art", "ice", "oak", "inn", "arch", "able", "earl", "eden")), pick.choice(LLC)
    return _with(f"{letters} {word}", form), _with(f"{letters[0]} {letters[1]}{word}", form)


def letter_for_a_number(pick: random.Random) -> Pair:
    letter, number = pick.choice((("X", "10"), ("X", "Ten"), ("V", "5"), ("V", "Five"), ("I", "1"), ("I", "One")))
    name, form = f"{pick.choice(OWN)} {pick.choice(('Studio', 'Club', 'Cafe', 'Salon'))}", pick.choice(LLC)
    return _with(f"{name} {letter}", form), _with(f"{name} {number}", form)


def anybodys_name_with_another_form(pick: random.Random) -> Pair:
    own = pick.choice([name for name in OWN if " " not in name and name.isalpha()])
    name = f"{own} {pick.choice(ANYBODYS)}"
    return _with(name, pick.choice(LLC)), _with(name, pick.choice(CORPORATION))


def company_of_a_place(pick: random.Random) -> Pair:
    name, state = _name(pick), pick.choice((*STATES, "America"))
    form = pick.choice(("Company", "Corporation", "Inc."))
    return _two(pick, (f"{name} {form}", f"{name} {form} of {state}"))


def legal_name_of_a_trading_name(pick: random.Random) -> Pair:
    trade = _name(pick)
    mark = pick.choice(("dba", "d/b/a", "DBA", "doing business as"))
    return f"{_ended(pick)} {mark} {trade}", _with(trade, pick.choice(LLC + CORPORATION))


SAME: tuple[Rule, ...] = (
    case,
    punctuation,
    llc_spelling,
    corporation_spelling,
    form_left_out,
    wrong_form,
    article,
    ampersand,
    accents,
    number_word,
    roman_number,
    ordinal,
    home_state_note,
    trading_name,
    abbreviation,
    spacing,
    slip_in_a_common_word,
)
OTHER: tuple[Rule, ...] = (
    word_added,
    word_changed,
    trade_changed,
    series_number,
    series_number_missing,
    year_changed,
    place_changed,
    home_state_changed,
    professional_form,
    partnership_form,
    surname_alike,
    word_alike,
    letter_changed,
    words_in_another_order,
    initials_alike,
    initials_for_a_word,
    initials_divided,
    letter_for_a_number,
    anybodys_name_with_another_form,
    company_of_a_place,
    legal_name_of_a_trading_name,
)


def pairs() -> Iterator[tuple[str, str, str, str]]:
    """Asked, shown, label (same | other), rule: distinct pairs, PER_RULE a rule (fewer where a rule has no more)."""
    for label, rules in (("same", SAME), ("other", OTHER)):
        for rule in rules:
            pick, seen = random.Random(f"sos-lookup {rule.__name__}"), set()
            for _ in range(PER_RULE * 20):
                pair = rule(pick)
                if pair not in seen and pair[0] != pair[1]:
                    seen.add(pair)
                    yield *pair, label, rule.__name__
                if len(seen) == PER_RULE:
                    break


def main() -> None:
    """Write the file."""
    with FILE.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("asked", "shown", "label", "rule"))
        out.writerows(pairs())


if __name__ == "__main__":
    main()
