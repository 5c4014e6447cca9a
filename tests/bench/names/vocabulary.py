"""What people write for what, collected from how people write; the matcher's own lists were not copied."""

from __future__ import annotations

_FORM_WORDS = """
llc inc corp co ltd lp llp lllp pllc pc pa incorporated corporation company limited liability partnership professional
plc chartered
"""
FORM_WORDS = frozenset(_FORM_WORDS.split())
SMALL_WORDS = frozenset({"and", "of", "the", "for", "a", "at", "in", "on"})

# What people shorten, and how.
_SHORTENED = """
management: mgmt mgt | services: svcs svc serv | service: svc serv | international: intl int'l | association: assn assoc
construction: const constr | properties: props prop | property: prop | enterprises: ent entps | enterprise: ent
development: dev devel | transportation: transp trans | manufacturing: mfg | restaurant: rest | investments: inv invs
technologies: tech techs | technology: tech | insurance: ins | consulting: consult | contractors: contr contrs
contracting: contr | landscaping: landsc | street: st | avenue: ave av | road: rd | mountain: mtn mt | center: ctr cntr
apartments: apts | department: dept | hospital: hosp | university: univ | laboratory: lab | laboratories: labs
brothers: bros | associates: assoc assocs | company: co | national: natl nat'l | american: amer | group: grp
holdings: hldgs hldg | holding: hldg | industries: ind inds | electric: elec | electrical: elec | engineering: eng engr
financial: fin finl | foundation: fdn found | government: govt | marketing: mktg | equipment: equip | systems: sys
solutions: sol solns | partners: ptnrs | productions: prods | products: prods | realty: rlty | community: comm
commercial: comm coml | communications: comm comms | distribution: dist distr | distributors: dist | medical: med
maintenance: maint | mechanical: mech | automotive: auto | institute: inst | church: ch | school: sch | saint: st
mount: mt | fort: ft | north: n no | south: s so | east: e | west: w | condominium: condo | homeowners: ho
improvement: impr | remodeling: remod | entertainment: ent | education: ed educ | environmental: env envtl
logistics: logis | capital: cap | ventures: vent | doctor: dr | drive: dr | lane: ln | place: pl | square: sq
""".replace("\n", "|")
SHORTENED: dict[str, tuple[str, ...]] = {
    word.strip(): tuple(short.split())
    for word, _, short in (entry.partition(":") for entry in _SHORTENED.split("|") if entry.strip())
}
PLACES: dict[str, tuple[str, ...]] = {
    "connecticut": ("CT", "Conn.", "Conn", "Ct."),
    "new york": ("NY", "N.Y."),
    "massachusetts": ("MA", "Mass."),
    "new jersey": ("NJ", "N.J."),
    "rhode island": ("RI", "R.I."),
    "california": ("CA", "Calif."),
    "florida": ("FL", "Fla."),
    "pennsylvania": ("PA", "Penn."),
    "texas": ("TX", "Tex."),
    "delaware": ("DE", "Del."),
    "united states": ("US", "U.S."),
    "new hampshire": ("NH", "N.H."),
    "ct": ("Connecticut", "Conn."),
    "ny": ("New York",),
    "nj": ("New Jersey",),
    "nyc": ("New York City", "N.Y.C."),
    "usa": ("U.S.A.", "United States"),
}
# One spelling for the words above, however they are shortened, to see who is near whom.
ONE_SPELLING = {short.replace("'", ""): shorts[0] for shorts in SHORTENED.values() for short in shorts}
ONE_SPELLING |= {word: ONE_SPELLING.get(shorts[0], shorts[0]) for word, shorts in SHORTENED.items()}
ONE_SPELLING |= {"conn": "connecticut", "ct": "connecticut", "ny": "new york", "nj": "new jersey", "usa": "us"}
ONE_SPELLING |= {"mass": "massachusetts", "ri": "rhode island", "penn": "pennsylvania", "america": "us"}

NUMBERS = {
    "1": "One", "2": "Two", "3": "Three", "4": "Four", "5": "Five", "6": "Six", "7": "Seven", "8": "Eight",
    "9": "Nine", "10": "Ten", "11": "Eleven", "12": "Twelve", "1st": "First", "2nd": "Second", "3rd": "Third",
}  # fmt: skip
ROMAN = {"II": "2", "III": "3", "IV": "4", "VI": "6", "VII": "7", "VIII": "8", "IX": "9"}
_FIRST_NAMES = """
john james robert michael william david richard joseph thomas charles daniel matthew anthony mark paul steven andrew
kenneth george kevin brian edward jason jeffrey ryan gary nicholas eric stephen peter frank mary patricia jennifer
linda elizabeth barbara susan jessica sarah karen nancy lisa margaret sandra ashley kimberly emily donna michelle
carol amanda melissa deborah laura maria anna jose luis carlos juan antonio tony joe mike
"""
FIRST_NAMES = frozenset(_FIRST_NAMES.split())
# Names nobody has registered, for the side of a "doing business as" that is not looked for.
INVENTED = (
    "Quillon Brackett", "Vesper Tallowick", "Orrin Maplethorpe", "Juno Castlebury", "Ferris Wendlemore",
    "Odette Larkinhall", "Barnaby Quenstone", "Thessaly Grovewright", "Caspian Dunmarrow", "Imelda Fothergate",
)  # fmt: skip
# Letters that a scanner, and letters that a finger takes for one another.
SCANNED = (
    ("O", "0"), ("I", "1"), ("S", "5"), ("B", "8"), ("M", "RN"), ("RN", "M"), ("CL", "D"), ("W", "VV"), ("G", "6"),
    ("LI", "U"), ("H", "N"), ("E", "F"), ("L", "1"),
)  # fmt: skip
KEYS = {
    "a": "s", "b": "v", "c": "x", "d": "f", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o", "j": "k", "k": "l",
    "l": "k", "m": "n", "n": "m", "o": "p", "p": "o", "r": "t", "s": "d", "t": "r", "u": "i", "v": "c", "w": "e",
    "y": "u",
}  # fmt: skip
VOWELS = {"a": "e", "e": "a", "i": "e", "o": "u", "u": "o"}
