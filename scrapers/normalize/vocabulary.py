"""The closed word lists behind comparing company names: legal forms, numerals, abbreviations, common words.

Data only. Every entry is a spelling that two filings of one company are known to differ in; a word that is not here
tells two companies apart.
"""

from __future__ import annotations

from scrapers.parsing.fields import coded, listed

# Spelling of a legal form (punctuation already gone) -> its mark. Longer spellings stand before those they contain.
LEGAL_FORMS: tuple[tuple[str, str], ...] = (
    ("low profit limited liability company", "l3c"),
    ("professional limited liability company", "pllc"),
    ("professional limited liability co", "pllc"),
    ("professional ltd liability company", "pllc"),
    ("professional ltd liability co", "pllc"),
    ("limited liability limited partnership", "lllp"),
    ("registered limited liability partnership", "llp"),
    ("limited liability partnership", "llp"),
    ("limited liability company", "llc"),
    ("limited liability corporation", "llc"),
    ("limited liability corp", "llc"),
    ("ltd liability corporation", "llc"),
    ("ltd liability corp", "llc"),
    ("limited liability co", "llc"),
    ("ltd liability company", "llc"),
    ("ltd liability co", "llc"),
    ("public benefit corporation", "pbc"),
    ("professional service corporation", "pc"),
    ("professional law corporation", "pc"),
    ("professional medical corporation", "pc"),
    ("professional dental corporation", "pc"),
    ("professional corporation", "pc"),
    ("professional association", "pa"),
    ("nonprofit corporation", "corp"),
    ("limited partnership", "lp"),
    ("limited company", "lc"),
    ("ltd partnership", "lp"),
    ("ltd co", "lc"),
    ("l l l p", "lllp"),
    ("p l l c", "pllc"),
    ("l l c", "llc"),
    ("l l p", "llp"),
    ("p b c", "pbc"),
    ("l p", "lp"),
    ("l c", "lc"),
    ("p s c", "pc"),
    ("p c", "pc"),
    ("p a", "pa"),
    ("incorporated", "inc"),
    ("incorporation", "inc"),
    ("corporation", "corp"),
    ("corporacion", "corp"),
    ("company", "co"),
    ("limited", "ltd"),
    ("inc", "inc"),
    ("corp", "corp"),
    ("pllc", "pllc"),
    ("lllp", "lllp"),
    ("l3c", "l3c"),
    ("llc", "llc"),
    ("llp", "llp"),
    ("ltd", "ltd"),
    ("pbc", "pbc"),
    ("co", "co"),
    ("lp", "lp"),
    ("lc", "lc"),
    ("psc", "pc"),
    ("pc", "pc"),
    ("pa", "pa"),
    ("plc", "plc"),
    ("chartered", "chartered"),
    ("chtd", "chartered"),
)

# Kinds of legal form that callers mix up are one family; a partnership and its LLC are usually two sister companies,
# and a professional company is another one than the plain company of the same name.
FORM_FAMILIES = coded(
    "inc: corporation | corp: corporation | co: corporation | ltd: corporation | plc: corporation | "
    "pbc: corporation | llc: llc | lc: llc | l3c: llc | pllc: professional | pc: professional | pa: professional | "
    "chartered: professional | na: bank | lp: lp | llp: llp | lllp: lp"
)

NUMERALS = coded(
    "one: 1 | two: 2 | three: 3 | four: 4 | five: 5 | six: 6 | seven: 7 | eight: 8 | nine: 9 | ten: 10 | "
    "eleven: 11 | twelve: 12 | thirteen: 13 | fourteen: 14 | fifteen: 15 | sixteen: 16 | seventeen: 17 | "
    "eighteen: 18 | nineteen: 19 | twenty: 20 | thirty: 30 | forty: 40 | fifty: 50 | sixty: 60 | seventy: 70 | "
    "eighty: 80 | ninety: 90 | first: 1st | second: 2nd | third: 3rd | fourth: 4th | fifth: 5th | sixth: 6th | "
    "seventh: 7th | eighth: 8th | ninth: 9th | tenth: 10th | eleventh: 11th | twelfth: 12th | twentieth: 20th"
)
TENS = frozenset({"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"})
UNITS = frozenset(word for word, digits in NUMERALS.items() if digits.strip("stndrh") in set("123456789"))
# Roman numbers are read so at the end of a name only: "Vitamin C", "I Love Pizza" and "Malcolm X Dental" hold none.
ROMAN = coded(
    "i: 1 | ii: 2 | iii: 3 | iv: 4 | v: 5 | vi: 6 | vii: 7 | viii: 8 | ix: 9 | x: 10 | xi: 11 | xii: 12 | xiii: 13 | "
    "xiv: 14 | xv: 15"
)

# Abbreviations with one reading; a word that may stand for several is below.
ABBREVIATIONS = coded(
    "intl: international | natl: national | assn: association | assoc: associates | bros: brothers | "
    "mfg: manufacturing | mgmt: management | mgt: management | svcs: services | ctr: center | "
    "centre: center | univ: university | dept: department | inds: industries | hldgs: holdings | hldg: holding | "
    "grp: group | invs: investments | constr: construction | equip: equipment | transp: transportation | "
    "ins: insurance | hosp: hospital | govt: government | mktg: marketing | st: saint | mt: mount | ft: fort | "
    "mtn: mountain | hts: heights | ave: avenue | blvd: boulevard | hwy: highway | pkwy: parkway | rd: road | "
    "rte: route | amer: american | apts: apartments | condo: condominium | const: construction | engr: engineering | "
    "fdn: foundation | labs: laboratories | props: properties | whsl: wholesale | acctg: accounting | jr: junior | "
    "sr: senior | cnty: county | twp: township | nw: northwest | ne: northeast | sw: southwest | se: southeast | "
    "hoa: homeowners association | fcu: federal credit union"
)
# Abbreviations with several readings: each may be meant, and the readings themselves are different words.
READINGS: dict[str, frozenset[str]] = {
    "st": frozenset({"saint", "street"}),
    "assoc": frozenset({"associates", "association"}),
    "tech": frozenset({"technology", "technologies"}),
    "dr": frozenset({"doctor", "drive"}),
    "dev": frozenset({"development", "developers"}),
    "svc": frozenset({"service", "services"}),
    "elec": frozenset({"electric", "electrical"}),
}
# Shortened words that may be words or initials themselves: forgiven only where one candidate stands alone.
_SHORT_FOR = """
admin: administration administrative | adv: advertising advisors | amer: america | assocs: associates | av: avenue
auto: automotive automobile | bldg: building | bldrs: builders | bus: business | cap: capital | cent: central
comm: community commercial communications communication | comms: communications | cons: consulting construction
const: contractors | consult: consulting consultants | contr: contracting contractors | contrs: contractors
dist: distribution distributing distributors district | distr: distribution distributing distributors
dept: departments | devel: development developers | ed: education educational | educ: education educational
elect: electric electrical | eng: engineering | engr: engineers | ent: enterprises enterprise entertainment
entps: enterprises | enterp: enterprises enterprise | env: environmental | envtl: environmental
est: estate estates | exp: express | fam: family | fin: financial finance | finl: financial | found: foundation
gen: general | hlth: health | ho: homeowners | imp: imports import improvement | impr: improvement improvements
ind: industries industrial industry | info: information | inst: institute institution | int: international
inv: investments investment | invest: investments investment | lab: laboratory laboratories
landsc: landscaping landscape | log: logistics | logis: logistics | maint: maintenance | mech: mechanical
med: medical medicine | mem: memorial | mtg: mortgage | nat: national | neigh: neighborhood | org: organization
pharm: pharmacy pharmaceuticals pharmaceutical | phys: physical physicians | plumb: plumbing
prod: productions products production | prods: productions products | prof: professional | prop: properties property
pub: publishing | rec: recreation recovery | reg: regional | rehab: rehabilitation | remod: remodeling
res: research residential resources | rest: restaurant restaurants | sch: school | sci: sciences science
sec: security | serv: service services | servs: services | soc: society | sol: solutions | solns: solutions
spec: specialties | sys: systems system | techs: technologies | trans: transportation transport
util: utilities utility | vent: ventures venture | vet: veterinary | ch: church | ln: lane | pl: place | sq: square
ter: terrace | cir: circle | pk: park | n: north | s: south | e: east | w: west | no: north | so: south
""".replace("\n", "|")
SHORT_FOR: dict[str, frozenset[str]] = {
    short.strip(): frozenset(words.split())
    for short, _, words in (entry.partition(":") for entry in _SHORT_FOR.split("|") if entry.strip())
}
# "N Fork", "S Shore": one letter is a direction only before a word that directions stand before. Elsewhere it may be
# an initial ("W Jordan Plumbing" is no West Jordan) or the name of a street ("E Street Cafe").
DIRECTIONS: dict[str, str] = {"n": "north", "s": "south", "e": "east", "w": "west"}
_AFTER_DIRECTION = "beach bay bend branch central coast county end fork hills main point ridge river shore side valley"
AFTER_DIRECTION: frozenset[str] = frozenset(_AFTER_DIRECTION.split())

# Words so common in company names that a typo in one cannot point to another company.
_COMMON_WORDS = """
academy accounting acquisition administration advertising advisors advisory aerospace agency agricultural
agriculture aircraft american analytics apartments apparel architects architecture association associates
automation automotive aviation bakery beverage biotechnology brothers builders building business capital
cardiology catering center chemical children chiropractic christian cleaning clinic collection commercial
communications community computer concrete construction consultants consulting contracting contractors
cooperative corporate counseling creative delivery dental department dermatology design development diagnostics
digital distribution distributors economic education educational electric electrical electronics employment
energy engineering enterprises entertainment environmental equipment equities equity estates exchange executive
family federal fellowship finance financial fitness foundation franchise furniture gallery general government
graphics grocery group hardware health healthcare heating holdings home homeowners homes hospital hospitality
imaging improvement independent industrial industries information insurance integrated interactive interiors
international investment investments investors jewelry laboratories laboratory landscape landscaping language
leasing legal liquors logistics machine maintenance management manufacturing marine marketing materials
mechanical media medical memorial ministries mortgage motors museum national network networks nursing
occupational operations optical orthopedic packaging painting partners partnership performance pharmaceuticals
pharmacy photography physicians planning plastics plumbing portfolio preschool printing production productions
products professional professionals properties property psychology publishing radiology railroad realty recovery
recycling refrigeration regional rehabilitation remodeling renovation rentals research residential resources
restaurant restaurants restoration retail roofing salon school sciences security senior service services
software solutions specialties staffing storage strategic strategies supply surgical sustainable systems
technical technologies technology telecommunications therapy timber towing trading training transport
transportation travel trucking trust university vacation ventures veterinary warehouse wellness wholesale
windows wireless woodworking
administrators advertisement aeronautics aluminum ambulance amusement anesthesia animation appliance appliances
appraisals aquatics arbitration assemblies assembly assessment assurance athletics attorneys auctioneers audiology
blacksmith bookkeeping bottling boulevard broadcasting brokerage cabinetry carpentry cemetery ceramics chamber
charitable chiropractors cinema cleaners coatings commonwealth commodities compliance components
confectionery conservation consortium consumer contractor convenience corrugated cosmetics courier craftsman
crematory dentistry detective dialysis dietary disposal dormitory drainage drywall electronic elevator embroidery
endodontics engraving equestrian ethanol excavating excavation exploration extermination fabrication fabricators
fertilizer fiberglass fisheries floral flooring florist forestry forwarding foundry freight fulfillment funeral
galvanizing gardening gastroenterology gymnastics handyman harvesting helicopter helicopters horticulture
hospice housekeeping housing hydraulic hygiene immigration incubator infrastructure inspection inspections
installation instruments insulation intermodal investigations irrigation janitorial jewelers kindergarten
kitchens laundromat laundry library lighting lightning livestock locksmith lubricants lumber masonry massage
merchandise merchants metallurgy metropolitan microbrewery midwifery millwork municipal musical navigation
neurology nonprofit notary nutrition obstetrics oncology ophthalmology optometry orchards organization orthodontics
orthopedics outdoors outfitters pathology paving payroll pediatric pediatrics periodontics pest petroleum
pharmaceutical philanthropy plantation podiatry polymers poultry precision prosthetics psychiatry psychotherapy
pulmonary purchasing quarries radiator ranching receivables reclamation recreation recreational refinery
refinishing refractories reinsurance relations religious relocation republic reservoir respiratory sanitation
satellite savings scaffolding securities semiconductor semiconductors settlement sewerage shipyard signage
stationery steakhouse structural surveying surveyors tannery taxidermy telephone television textile textiles
theater tobacco tourism transit translation upholstery urology utilities utility vehicle vending vineyard
vineyards vocational warehousing waterproofing welding woodwork workforce zoological
"""
COMMON_WORDS: frozenset[str] = frozenset(_COMMON_WORDS.split())
# Words that are one slip away from a common word and are words, names or brands themselves ("Landry", "Entergy"): they
# may name another company.
_NEAR_COMMON_WORDS = """
aunalytics barkery bothers camber cantering carpetry christina cleansers cleansing constriction contacting
contactor contactors cratering cristian eduction entergy farmily fiance fitnancial framily franchisee fright
funereal galley hating healthcore healthycare hosing insolation instillation landry leashing lightening marien
marnie martine medial musial paining panting planing reality redtail shavings soulutions stationary timbre
transmit treading tucking widows wielding windrows
"""
NEAR_COMMON_WORDS: frozenset[str] = frozenset(_NEAR_COMMON_WORDS.split())

# Short words for what a company does; too short for a slip in one to be told.
_SHORT_TRADES = """
art arts auto bar boat boats book books brewing cafe car care cars church club coffee deli design designs farm farms
fitness food foods fuel gas gifts grill gym homes ice inn kitchen land law lawn lounge market markets media motor music
oil paint party pizza pub rental salons shop shops show solar spa sport sports store stores studio studios tavern tax
taxi tile tires tours tree video wine works yoga
"""
TRADE_WORDS: frozenset[str] = COMMON_WORDS.union(_SHORT_TRADES.split())

_ONE_WORD_STATES = """
alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois
indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri
montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington
wisconsin wyoming
"""
_OTHER_STATES = listed(
    "new york | new jersey | new mexico | new hampshire | north carolina | north dakota | south carolina | "
    "south dakota | rhode island | west virginia | district of columbia | puerto rico | usa | america"
)
STATE_NAMES: frozenset[str] = frozenset((*_ONE_WORD_STATES.split(), *_OTHER_STATES))

# Places as people shorten them where that is no other word; a state's own code is read beside these in that state.
PLACE_SPELLINGS = coded(
    "usa: united states | us: united states | nyc: new york city | ny: new york | "
    "nj: new jersey | nh: new hampshire | ri: rhode island | nc: north carolina | sc: south carolina | "
    "wv: west virginia | conn: connecticut | mass: massachusetts | calif: california | fla: florida | "
    "penn: pennsylvania | penna: pennsylvania | tex: texas | minn: minnesota | wis: wisconsin | mich: michigan | "
    "tenn: tennessee | ariz: arizona | colo: colorado | okla: oklahoma | nebr: nebraska"
)
_CODES_THAT_ARE_WORDS = "al co de hi id in la ma md me oh ok or pa"
CODES_THAT_ARE_WORDS: frozenset[str] = frozenset(_CODES_THAT_ARE_WORDS.split())
# Words of which a name that says nothing of a trade is made: beside one word of its own it may be anybody's.
_GENERIC = """
associates capital company enterprise enterprises group holding holdings industries international investments
management partners properties property realty services solutions ventures
"""
GENERIC_WORDS: frozenset[str] = frozenset(_GENERIC.split())

# Words that are numbered: after one of these a last I, V or X is a number, elsewhere it may be a letter ("Studio X").
_SERIES = """
associates building capital class equity fund funds holdings investors lot part partners partnership phase portfolio
properties realty series tower trust unit ventures volume
"""
SERIES_WORDS: frozenset[str] = frozenset(_SERIES.split())

# What may follow "John Maddox and": anything else after a comma's first name makes a list of partners.
_KIN = "associates bro bros brother brothers co company daughter daughters family partners son sons"
KIN: frozenset[str] = frozenset(_KIN.split())
# Letters after a person's name, which a comma sets off: "Lindqvist, Patricia, D.D.S."
_TITLES = "cpa dc dds dmd do dpm dvm esq ii iii iv jr junior lcsw md od phd rn senior sr"
TITLES: frozenset[str] = frozenset(_TITLES.split())

# Set off from a name like a place, and none: what it is a part of, in which capacity it acts, another country.
_NO_PLACES = """
branch certified chapter class consent department division fund licensed lottery protected region series trustee unit
australia brazil britain canada china england europe france germany india ireland israel italy japan kingdom korea
mexico netherlands scotland singapore spain switzerland taiwan uk
"""
NO_PLACES: frozenset[str] = frozenset(_NO_PLACES.split())
