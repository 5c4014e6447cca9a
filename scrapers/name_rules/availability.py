"""Whether a name is free in a state: what a filing clerk would say of the names that are on the register.

Another question than matching: a lookup asks which company is meant, a name check asks which names stand in the way.
The state's own rule decides what tells two names apart (`rules`), and whose names count (`owners`). Where it does not
say, what exists stands in the way.
"""

from __future__ import annotations

from scrapers.name_rules.designators import designator_note
from scrapers.name_rules.forms import legal_form, split
from scrapers.name_rules.namesakes import Namesake, list_namesakes
from scrapers.name_rules.owners import kind_of
from scrapers.name_rules.rules import RULES, NamingRule
from scrapers.name_rules.same_names import clerk_key
from scrapers.normalize import names
from scrapers.normalize.vocabulary import LEGAL_FORMS
from scrapers.portal import Portal
from scrapers.records import Candidate, NameCheck, NameVerdict, ResultList, Verdict

MOST_CONFLICTS = 10
UNSEEN = (
    "Not every name could be listed that only the rule calls the same (in one word or two, with other signs, another "
    "number or small word): one of them may stand in the way."
)
_ENTITIES_ALONE = "This copy holds entities alone: reserved names and others that no entity bears are not seen."
_FORM_ALONE = "A legal form alone is no name: give the words before it."
_FORMS = frozenset(form for form, _ in LEGAL_FORMS)


def judge(
    name: str,
    results: ResultList,
    *,
    portal: Portal,
    state: str,
    active_only: bool | None = None,
    entities_alone: bool = False,
) -> NameVerdict:
    """Say whether `name` is free among the names the registry listed. The list must be whole, or hold a conflict.

    `active_only`: whether the source lists no ended entities; as its portal does, where nobody says otherwise.
    `entities_alone`: whether it lists no names that are reserved, or on record without an entity.
    """
    rule, rows, check = RULES[state], results.candidates, results.check
    if active_only is None:
        active_only = portal.coverage == "active_only"
    namesakes = list_namesakes(name, rows, portal=portal, rule=rule)
    counted = [one.conflict for one in namesakes if one.effect != "uncounted"]
    verdict, warning = _verdict(namesakes, check), _warning(namesakes)
    if verdict == "free" and names.plain(name).removeprefix("the ") in _FORMS:
        verdict, warning = "cannot_say", _FORM_ALONE
    is_unseen = verdict == "free" and not results.all_spellings and not (check and check.available)
    notes = (
        UNSEEN if is_unseen else None,
        _check_note(check),
        _status_note(portal, active_only=active_only),
        _ENTITIES_ALONE if entities_alone and not active_only else None,
    )
    return NameVerdict(
        verdict=verdict,
        conflicts=tuple(counted[:MOST_CONFLICTS]) if any(one.blocks for one in namesakes) else (),
        normalized_name=clerk_key(name, rule),
        variation_note=_variation(name, rows, portal=portal, rule=rule),
        warning=warning,
        status_note=" ".join(filter(None, notes)) or None,
        designator_note=designator_note(state),
        rule=rule.in_words(),
        owner_rule=rule.owners.rule,
        check=check,
    )


def _verdict(namesakes: list[Namesake], check: NameCheck | None) -> Verdict:
    effects = {one.effect for one in namesakes}
    if "taken" in effects or (check is not None and check.available is False):
        return "taken"
    return "cannot_say" if "cannot_say" in effects else "free"


def _variation(name: str, rows: tuple[Candidate, ...], *, portal: Portal, rule: NamingRule) -> str | None:
    key, own = names.key(split(name)[0]), legal_form(name)
    if not own:
        return None
    for row in rows:
        other = legal_form(row.name)
        if other == own or names.key(split(row.name)[0]) != key:
            continue
        if row.name_kind == "former" or portal.status_meaning(row.status).status_class != "active":
            continue
        apart = "designator" not in rule.ignored or rule.owners.tells_apart(
            kind_of(name), kind_of(row.name, row.entity_type)
        )
        same = "counts as another name here" if apart else "counts as the same name here"
        return f"{row.name} is active: the same name with another legal form, which {same}."
    return None


def _warning(namesakes: list[Namesake]) -> str | None:
    """Of an owner that may return; and where no active one stands in the way plainly, of whoever else has the name."""
    shown = any(one.effect == "taken" and one.conflict.status_class == "active" for one in namesakes)
    returning = next((one for one in namesakes if one.may_return), None)
    told = [returning.note] if returning else []
    told += [one.note for one in namesakes if one.note and not one.may_return and not shown]
    return " ".join(told[:MOST_CONFLICTS]) or None


def _check_note(check: NameCheck | None) -> str | None:
    if check is None:
        return None
    if check.said is None:
        return f"{check.search} was asked too; it lists names and gives no verdict."
    return f'{check.search} says: "{check.said}"'


def _status_note(portal: Portal, *, active_only: bool) -> str | None:
    if active_only:
        return "This source lists active entities only: reserved names and names of ended entities are not seen."
    if not portal.capabilities.status and portal.implied_status is None:
        return "This registry shows no status: every entity with the name counts as standing in the way."
    return None
