"""The words the fictional companies and people are made of, and real cities with real ZIP codes for the form's sake.

The company words are invented or unheard of as a firm's name in these pairs; the streets exist in no city.
"""

from __future__ import annotations

CITIES: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "AL": (("MONTGOMERY", "36104"), ("MOBILE", "36602")),
    "AK": (("JUNEAU", "99801"), ("ANCHORAGE", "99501")),
    "AZ": (("PHOENIX", "85007"), ("TUCSON", "85701")),
    "AR": (("LITTLE ROCK", "72201"), ("FAYETTEVILLE", "72701")),
    "CA": (("SACRAMENTO", "95814"), ("FRESNO", "93721")),
    "CO": (("DENVER", "80202"), ("PUEBLO", "81003")),
    "CT": (("HARTFORD", "06103"), ("NEW HAVEN", "06510")),
    "DE": (("DOVER", "19901"), ("WILMINGTON", "19801")),
    "DC": (("WASHINGTON", "20001"), ("WASHINGTON", "20009")),
    "FL": (("TALLAHASSEE", "32301"), ("TAMPA", "33602")),
    "GA": (("ATLANTA", "30303"), ("SAVANNAH", "31401")),
    "HI": (("HONOLULU", "96813"), ("HILO", "96720")),
    "ID": (("BOISE", "83702"), ("POCATELLO", "83201")),
    "IL": (("SPRINGFIELD", "62701"), ("PEORIA", "61602")),
    "IN": (("INDIANAPOLIS", "46204"), ("EVANSVILLE", "47708")),
    "IA": (("DES MOINES", "50309"), ("DUBUQUE", "52001")),
    "KS": (("TOPEKA", "66603"), ("WICHITA", "67202")),
    "KY": (("FRANKFORT", "40601"), ("PADUCAH", "42001")),
    "LA": (("BATON ROUGE", "70801"), ("LAFAYETTE", "70501")),
    "ME": (("AUGUSTA", "04330"), ("PORTLAND", "04101")),
    "MD": (("ANNAPOLIS", "21401"), ("FREDERICK", "21701")),
    "MA": (("BOSTON", "02108"), ("WORCESTER", "01608")),
    "MI": (("LANSING", "48933"), ("MARQUETTE", "49855")),
    "MN": (("SAINT PAUL", "55102"), ("DULUTH", "55802")),
    "MS": (("JACKSON", "39201"), ("BILOXI", "39530")),
    "MO": (("JEFFERSON CITY", "65101"), ("SPRINGFIELD", "65806")),
    "MT": (("HELENA", "59601"), ("MISSOULA", "59802")),
    "NE": (("LINCOLN", "68508"), ("OMAHA", "68102")),
    "NV": (("CARSON CITY", "89701"), ("RENO", "89501")),
    "NH": (("CONCORD", "03301"), ("NASHUA", "03060")),
    "NJ": (("TRENTON", "08608"), ("CAMDEN", "08102")),
    "NM": (("SANTA FE", "87501"), ("LAS CRUCES", "88001")),
    "NY": (("ALBANY", "12207"), ("BUFFALO", "14202")),
    "NC": (("RALEIGH", "27601"), ("ASHEVILLE", "28801")),
    "ND": (("BISMARCK", "58501"), ("FARGO", "58102")),
    "OH": (("COLUMBUS", "43215"), ("TOLEDO", "43604")),
    "OK": (("OKLAHOMA CITY", "73102"), ("TULSA", "74103")),
    "OR": (("SALEM", "97301"), ("EUGENE", "97401")),
    "PA": (("HARRISBURG", "17101"), ("ERIE", "16501")),
    "RI": (("PROVIDENCE", "02903"), ("NEWPORT", "02840")),
    "SC": (("COLUMBIA", "29201"), ("CHARLESTON", "29401")),
    "SD": (("PIERRE", "57501"), ("RAPID CITY", "57701")),
    "TN": (("NASHVILLE", "37219"), ("KNOXVILLE", "37902")),
    "TX": (("AUSTIN", "78701"), ("EL PASO", "79901")),
    "UT": (("SALT LAKE CITY", "84111"), ("OGDEN", "84401")),
    "VT": (("MONTPELIER", "05602"), ("BURLINGTON", "05401")),
    "VA": (("RICHMOND", "23219"), ("ROANOKE", "24011")),
    "WA": (("OLYMPIA", "98501"), ("SPOKANE", "99201")),
    "WV": (("CHARLESTON", "25301"), ("WHEELING", "26003")),
    "WI": (("MADISON", "53703"), ("GREEN BAY", "54301")),
    "WY": (("CHEYENNE", "82001"), ("LARAMIE", "82070")),
    "PR": (("SAN JUAN", "00901"), ("PONCE", "00716")),
    "VI": (("ST. THOMAS", "00802"), ("CHRISTIANSTED", "00820")),
    "AS": (("PAGO PAGO", "96799"), ("PAGO PAGO", "96799")),
    "GU": (("HAGATNA", "96910"), ("TAMUNING", "96913")),
    "MP": (("SAIPAN", "96950"), ("ROTA", "96951")),
}

FIRST_WORDS = (
    "Thimblewick", "Quillback", "Pebblecrest", "Marrowfield", "Lanternfish", "Copperquay", "Driftwhistle",
    "Emberlark", "Fennelgate", "Gossamer Fox", "Hollowreed", "Inkwhistle", "Juniper Otter", "Kettlebrook",
    "Lilac Badger", "Mosswhittle", "Nettlecombe", "Ochre Pelican", "Pangolin Hill", "Quartz Magpie", "Rushlight Hare",
    "Saltmarrow", "Tumblefern", "Umber Newt", "Velvet Stoat", "Willowpike", "Yarrowmoor", "Zephyr Vole",
    "Amber Pangolin", "Brindlecap", "Cobaltwick", "Dapplethorn", "Elderquill", "Foxglove Tern", "Greywhistle",
    "Hazelmoth", "Indigo Marten", "Jackdaw Mill", "Kelpstone", "Larkspindle",
)  # fmt: skip
TRADES = (
    "Bakery", "Tinsmiths", "Orchards", "Bookbinders", "Cartage", "Glassworks", "Ropewalk", "Clockworks", "Nursery",
    "Printworks", "Boatyard", "Mapmakers", "Candleworks", "Sawmill", "Weavers", "Stoneyard", "Beekeepers", "Cooperage",
    "Ferry", "Instruments", "Cheesemongers", "Signwriters", "Kilns",
)  # fmt: skip
GIVEN = (
    "ADA", "BORIS", "CLEO", "DESMOND", "EDITH", "FELIX", "GRETA", "HUGO", "IMOGEN", "JASPER", "KIRI", "LEOPOLD",
    "MAUD", "NESTOR", "OTTILIE", "PERCIVAL", "QUENTIN", "ROSALIND", "SILAS", "TABITHA", "URSULA", "VICTOR",
)  # fmt: skip
FAMILY = (
    "MERRILLSWORTH", "QUILLFEATHER", "THISTLEWOODE", "BRAMBLEBY", "FENWHISTLE", "PEPPERCOTE", "LANTERNLY", "MOSSGROVER",
    "TWYFORDE", "HOLLOWELL-FINCH", "OAKENSHAWE", "PUDDIFOOTE", "SALTMARSHE", "WINDLESTRAW", "CROWTHERBY", "DAPPLEWICK",
)  # fmt: skip
STREETS = (
    "QUAY STREET", "LANTERN WAY", "OLD TANNERY LANE", "KESTREL COURT", "FERRYMAN ROAD", "BELLFOUNDER STREET",
    "HALFPENNY ROW", "WEATHERVANE AVENUE", "CARTWHEEL DRIVE", "MOLEHILL TERRACE", "TWOPENNY PARKWAY", "HERON BOULEVARD",
)  # fmt: skip
AGENTS = ("HARBOR AGENTS INC.", "WAYPOST REGISTERED AGENTS LLC", "LAMPLIGHTER AGENCY SERVICES, INC.")
LENDERS = ("FIRST PUDDLESTONE BANK", "TWOPENNY EQUIPMENT FINANCE LLC", "KESTREL & WREN CREDIT UNION",
           "HALFPENNY CAPITAL, INC.")  # fmt: skip
COLLATERAL = (
    "All inventory, accounts and equipment now owned or later acquired.",
    "One letterpress, serial number LP-00417, with type cases and accessories.",
    "Crops growing or to be grown; farm products; proceeds thereof.",
    "Two delivery vans and one fork lift; proceeds & insurance thereof.",
    "Accounts receivable; chattel paper; deposit accounts.",
)
