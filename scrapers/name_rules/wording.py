"""The same word in another dress: number, tense and contraction, as far as a rule looks past them.

A word is brought to one form by its ending. What comes out need be no English; it need be the same for the forms of one
word, and for those alone: "rated" is "rate" and not "rat".
"""

from __future__ import annotations

import re

from scrapers.parsing.fields import coded

_CONTRACTED = (
    (re.compile(r"\bcan['\u2019]t\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon['\u2019]t\b", re.IGNORECASE), "will not"),
    (re.compile(r"\bshan['\u2019]t\b", re.IGNORECASE), "shall not"),
    (re.compile(r"\blet['\u2019]s\b", re.IGNORECASE), "let us"),
    (re.compile(r"\bi['\u2019]m\b", re.IGNORECASE), "I am"),
    (re.compile(r"n['\u2019]t\b", re.IGNORECASE), " not"),
    (re.compile(r"['\u2019]re\b", re.IGNORECASE), " are"),
    (re.compile(r"['\u2019]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"['\u2019]ll\b", re.IGNORECASE), " will"),
    # of others "'s" is the possessive: "Maria's Kitchen"
    (re.compile(r"\b(it|that|what|here|there|where|who|he|she|how)['\u2019]s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"(?<!\w)['\u2019]?n['\u2019](?!\w)", re.IGNORECASE), "and"),  # "Rock 'n' Roll"
)
_IRREGULAR = coded(
    "created: create | creating: create | united: unite | uniting: unite | built: build | made: make | sold: sell | "
    "bought: buy | grew: grow | grown: grow | drove: drive | driven: drive | ran: run | went: go | gone: go | "
    "did: do | done: do | was: is | were: are | had: have | took: take | taken: take | "
    "gave: give | given: give | came: come | became: become | began: begin | begun: begin | broke: break | "
    "broken: break | brought: bring | caught: catch | chose: choose | chosen: choose | drew: draw | drawn: draw | "
    "fed: feed | felt: feel | fought: fight | flew: fly | flown: fly | held: hold | kept: keep | knew: know | "
    "known: know | led: lead | left: leave | lent: lend | lost: lose | met: meet | paid: pay | rode: ride | "
    "ridden: ride | rose: rise | risen: rise | said: say | sang: sing | sung: sing | saw: see | seen: see | "
    "sent: send | "
    "shot: shoot | slept: sleep | spoke: speak | spoken: speak | spent: spend | stood: stand | stole: steal | "
    "stolen: steal | swam: swim | taught: teach | thought: think | told: tell | threw: throw | thrown: throw | "
    "wore: wear | worn: wear | woke: wake | won: win | wove: weave | woven: weave | wrote: write | written: write"
)
# Plurals whose ending does not say their singular: "parties" are a party, and "cookies" no cooky.
_IN_E = """
annie birdie bonnie bookie brownie calorie charlie collie cookie eddie foodie frankie genie hoodie jackie jamie julie
katie leslie lottie maggie marie millie movie natalie ollie pixie prairie rookie rosie selfie smoothie sophie stephanie
townie valerie veggie willie zombie ache apache blanche cache headache mustache niche porsche quiche
"""
_PLURALS = {f"{word}s": word for word in _IN_E.split()} | coded(
    "buses: bus | gases: gas | lenses: lens | canvases: canvas | campuses: campus | viruses: virus | bonuses: bonus | "
    "circuses: circus | irises: iris | atlases: atlas | crises: crisis | oases: oasis | analyses: analysis | "
    "cargoes: cargo | echoes: echo | heroes: hero | mangoes: mango | mosquitoes: mosquito | potatoes: potato | "
    "tomatoes: tomato | volcanoes: volcano | quizzes: quiz | waltzes: waltz | calves: calf | elves: elf | "
    "halves: half | knives: knife | leaves: leaf | lives: life | loaves: loaf | scarves: scarf | shelves: shelf | "
    "thieves: thief | wives: wife | wolves: wolf | children: child | men: man | women: woman | feet: foot | "
    "teeth: tooth | geese: goose | mice: mouse | oxen: ox | people: person | cacti: cactus | alumni: alumnus | "
    "matrices: matrix | indices: index"
)
_INFLECTED = re.compile(r"(?P<stem>.*[aeiouy].*)(?P<ending>ed|ing)")
_SYLLABLES = re.compile(r"[aeiouy]+")
# Stems that have lost an "e": "bak", "driv"; "danc", "chang", "rais", "handl"; longer ones such as "operat", "manag".
_SHORT_WITHOUT_E = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")
_ANY_WITHOUT_E = re.compile(r".*(?:[cvzu]|[aeiou]{2}s|[nrlp]s|(?:[aeu]n|[dlr])g|[^aeiouywrl]l)")
_LONG_WITHOUT_E = re.compile(r".*[^aeiouy](?:[aio]d|ud|ag|ap|[aio]s|i[bnr]|u[lmrt]|o[bk])|.*(?:[^eo]at|plor|stor)")


def singular(word: str) -> str:
    """ "farms" and "farm's" (already "farms") as "farm", "churches" as "church"; short words and double s stay.

    Not always the English singular ("lens" is "len"), and the same for both numbers of a word.
    """
    word = _PLURALS.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def present(word: str) -> str:
    """ "painted" and "painting" as "paint", "planned" as "plan", "baking" as "bake", "built" as "build"."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    found = _INFLECTED.fullmatch(word)
    if found is None or len(found["stem"]) < 3 or word.endswith("eed"):
        return word
    stem, last = found["stem"], found["stem"][-1]
    if last == stem[-2] and last not in "lsfzeo":
        return stem[:-1]  # planned
    if last == "i" and found["ending"] == "ed":
        return stem[:-1] + "y"  # carried
    rest = _SHORT_WITHOUT_E if len(_SYLLABLES.findall(stem)) == 1 else _LONG_WITHOUT_E
    return stem + "e" if _ANY_WITHOUT_E.fullmatch(stem) or rest.fullmatch(stem) else stem


def spell_out(name: str) -> str:
    """The name with its contractions in full: "We Can't Wait" as "We can not Wait"."""
    for pattern, words in _CONTRACTED:
        name = pattern.sub(words, name)
    return name
