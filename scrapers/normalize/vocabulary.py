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
    ("limited liability limited partnership", "lllp"),
    ("registered limited liability partnership", "llp"),
    ("limited liability partnership", "llp"),
    ("limited liability company", "llc"),
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
    "mfg: manufacturing | mgmt: management | mgt: management | svc: service | svcs: services | ctr: center | "
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
    "elec": frozenset({"electric", "electrical"}),
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
# Words that are one slip away from a common word and are words themselves: they may name another company.
_NEAR_COMMON_WORDS = """
bothers camber cantering christina cleansers cleansing constriction contacting contactor contactors cratering eduction
fiance fright funereal galley hating hosing insolation instillation leashing lightening medial paining panting planing
reality shavings stationary timbre treading tucking widows wielding windrows
"""
NEAR_COMMON_WORDS: frozenset[str] = frozenset(_NEAR_COMMON_WORDS.split())

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

# What may follow "John Maddox and": anything else after a comma's first name makes a list of partners.
_KIN = "associates bro bros brother brothers co company daughter daughters family partners son sons"
KIN: frozenset[str] = frozenset(_KIN.split())
# Letters after a person's name, which a comma sets off: "Lindqvist, Patricia, D.D.S."
_TITLES = "cpa dc dds dmd do dpm dvm esq ii iii iv jr junior lcsw md od phd rn senior sr"
TITLES: frozenset[str] = frozenset(_TITLES.split())
