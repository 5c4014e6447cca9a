"""Write docs/name-rules.md from the rules in code; `--check` says whether it is current."""

from __future__ import annotations

from collections import Counter

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.management.generated_page import PageCommand
from scrapers.name_rules import designators
from scrapers.name_rules.forms import FURTHER
from scrapers.name_rules.owners import OWNERS
from scrapers.name_rules.rules import IGNORED, RULES
from scrapers.normalize.vocabulary import LEGAL_FORMS
from scrapers.parsing.fields import listed

HEAD = """# When two names are the same name

Generated from the code by `manage.py name_rules_page`; do not edit.

A name check compares names the way the state's filing office does, and says by which rule: the reply's `rule` (when
two names are the same) and `ownerRule` (whose names count), each with its source and how sure it is. **rule**: from the
state's own statute, regulation or guide, as cited. **part**: only a part of it was read. **assumed**: no such rule was
read. For what was not read the general standard of the model acts is applied strictly, so that a name is rather called
taken than free. A filing office decides by more than this (restricted words, consent, judgment): a free name is a good
sign, not a promise.

- `free` (`available` is true): nobody who counts has the name. Whoever had it has ended or has another name now, or
  does not count by the state's rule; `warning` tells of those who may return and of those who do not count.
- `taken` (false): somebody has it whose status does not say that it has ended, pending or in default too; or the name
  is put aside; or the registry's own check says no.
- `cannot_say` (false): somebody has it of whom that is not known, and `warning` says why: a status word in no table, or
  none shown of just this row; an end after which the name counts on for days (Indiana), and the day is not shown;
  where like kinds alone are compared, a name without a legal form. A legal form alone is no name.

A registry searches text, and its state's rule looks past more: "Blue Heron" is "BLUEHERON" in most states, and "Smith
and Sons" is "SMITH SONS". So a name check asks for one shorter term as well. Where its list was cut, where the search
knows whole words alone or is not known, where a name has more spellings than are asked for, and in a copy of a
register, such a name may be there unseen: then `statusNote` says so beside `free`. One word of the name is never
looked for as two ("BlueHeron" as "BLUE HERON").

A list that the registry cut, a wall and a registry that does not answer are no verdict: 400 or 503, not charged.

## What does not tell two names apart

What is ignored does not; capitals and accents never do.

**own check**: the registry has an availability search of its own, which is asked too and given as `registryVerdict`;
when it says no, the name is not available.

| | jurisdiction | ignored | sure | source | own check |
|---|---|---|---|---|---|
"""
WHOSE = """
## Whose names stand in the way

Unless a state says otherwise, {everybody}

| | jurisdiction | whose names count | sure | source |
|---|---|---|---|---|
"""
WORDS = """
## Which words are a legal form

Where the legal form does not tell names apart, these do not, with points or without. Those of the second list count at
the very end of a name alone.

"""
FORMS = """
## What a name must show

As read; elsewhere the reply's `designatorNote` says what is usual.

| | corporation | LLC | limited partnership |
|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    rows = []
    for code in sorted(PLACES, key=lambda code: PLACES[code].name):
        rule = RULES[code]
        ignored = ", ".join(sorted(rule.ignored))
        portal = discovery.find_portal(code)
        own = "yes" if portal and portal.own_name_check else ""
        rows.append(f"| {code} | {PLACES[code].name} | {ignored} | {rule.sure} | {rule.source} | {own} |")
    known = Counter(rule.sure for rule in RULES.values())
    counts = f"{known['rule']} by rule, {known['part']} in part, {known['assumed']} assumed"
    counted = f"\n\n{len(RULES)} jurisdictions: {counts}.\n"
    return HEAD + "\n".join(rows) + counted + glossary() + owners() + words() + forms()


def glossary() -> str:
    """What each word of the first table stands for."""
    return "\n" + "\n".join(f"- **{word}**: {meaning}" for word, meaning in IGNORED.items()) + "\n"


def owners() -> str:
    """The table of whose names count."""
    own = {code: OWNERS[code].rule for code in sorted(OWNERS) if OWNERS[code].rule.sure != "assumed"}
    everybody = next(one.rule.text for one in OWNERS.values() if one.rule.sure == "assumed")
    rows = [
        f"| {code} | {PLACES[code].name} | {rule.text} | {rule.sure} | {rule.source} |" for code, rule in own.items()
    ]
    return WHOSE.format(everybody=everybody[0].lower() + everybody[1:]) + "\n".join(rows) + "\n"


def words() -> str:
    """The legal forms, usual and further ones."""
    further = (text for texts in FURTHER.values() for text in listed(texts))
    usual = dict.fromkeys(text for text, _ in LEGAL_FORMS)
    return WORDS + "- " + " · ".join(sorted(usual)) + "\n- " + " · ".join(sorted(further)) + "\n"


def forms() -> str:
    """The table of legal forms."""
    kinds = (designators.CORPORATION, designators.LLC, designators.PARTNERSHIP)
    rows = []
    for code in sorted({code for kind in kinds for code in kind}):
        cells = [f"{kind[code][0]} ({kind[code][1]})" if code in kind else "" for kind in kinds]
        rows.append(f"| {code} | " + " | ".join(cells) + " |")
    return FORMS + "\n".join(rows) + "\n"


class Command(PageCommand):
    """See the module."""

    help = "Write docs/name-rules.md from the rules in code."
    file = "name-rules.md"

    def page(self) -> str:
        return page()
