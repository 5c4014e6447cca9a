"""What schemathesis has to know of us: which codes are states, and the rules that words state and no schema can.

It imports this file itself (`hooks` in schemathesis.toml).
"""

from __future__ import annotations

import json
import re
from typing import Any

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import positive_data_acceptance

from jurisdictions.codes import PLACES

ANY_STATE = "^[A-Za-z]{2}$"
ANY_STATE_OR_ALL = "^([A-Za-z]{2}|[*])$"
OURS = "|".join(f"[{a}{a.lower()}][{b}{b.lower()}]" for a, b in sorted(PLACES))
RULES = {
    "only one of several fields is needed, or goes with the others": [
        r"This field is required\.",
        r"UCC filings are searched by name\.",
        r"Only with searchType ucc\.",
        r"Lies after dateBefore\.",
        r"Lies after to\.",
        r"Send state or states, not both\.",
        r"\"\*\" stands alone\.",
        r"with a row for each state they are more than 1,000\.",
        r"Send entity_id or entity_name\.",
        r"Send watches or bulk_job, one of the two\.",
        r"Liens are kept by name: .*",
        r"A look at a company and at its liens is two checks: .*",
        r"watches: send a list of 1 to 1,000 rows\.",
        r"Goes into the query string only with a table\. Send it in the body\.",
    ],
    "text is read without the blanks around it, and holds nothing that cannot be seen": [
        r"Characters that cannot be seen are not allowed: .*",
        r"Ensure this field has at least \d+ characters?\.",
        r"This field may not be blank\.",
    ],
    "each registry has identifiers of its own": [r"'.*' cannot be an identifier of this registry\."],
    "it depends on what this installation has": [
        r"No copy of this state's register is loaded here; .*",
        r"This service has no mail server\. Name a webhook, or ask /v1/events\.",
        r"The account has no e-mail address\. .*",
        r"It has found no company, or none yet\.",
        r"No webhookUrl is set for this account's test mode; .*",
    ],
    "a key for other addresses opens nothing, and a key is made for a time to come": [
        r"Number \d+: Send networks such as .*",
        r"Number \d+: .* is an address within a network: .*",
        r"Number \d+: .* is a network of IPv4: .*",
        r"Lies in the past\.",
        r"Lies beyond 2199\.",
        r"Send a moment as 2027-01-31T00:00:00Z\.",
        r"Characters that cannot be seen are not allowed\.",
    ],
    "an address may look right and lead nowhere": [r"Send an https address on the public internet: .*"],
    "what will have been read by a day to come, nobody knows": [r"Lies in the future\."],
    "no schema says reliably how many decimals a number has": [r"Send an amount in USD, .* at most four decimals\."],
    "schemathesis takes an empty text for a date where null is one": [r"Send a day as YYYY-MM-DD\."],
}
"""Why a request may be refused though its schema allows it; a refusal says so in these words."""

LATER = {"entity_name": "Magic Later LLC", "state": "DE"}
FOR_LATER = {"/v1/lookup": LATER, "/v1/bulk-lookup": {"entities": [LATER]}}

_RULE = re.compile(r"(\w+: )?({})".format("|".join(one for rules in RULES.values() for one in rules)), re.DOTALL)


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    """Ask for states that there are: two other letters are refused, and that is all there is to see of them."""
    text = json.dumps(raw_schema)
    for pattern, narrowed in ((ANY_STATE, f"^({OURS})$"), (ANY_STATE_OR_ALL, f"^({OURS}|[*])$")):
        assert json.dumps(pattern) in text
        text = text.replace(json.dumps(pattern), json.dumps(narrowed))
    raw_schema.update(json.loads(text))


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Begin each story with a question that is answered later: without a job there is no link to follow.

    What else may be asked there is asked in the other phases.
    """
    asked = FOR_LATER.get(case.operation.path) if case.meta and case.meta.phase.name == "stateful" else None
    if asked and case.method == "POST":
        case.query, case.body, case.media_type = {}, asked, "application/json"


@schemathesis.check
def valid_request_refused(ctx: Any, response: Any, case: Any) -> None:
    """What the document allows is accepted, but for a rule of ours and a balance that is used up.

    A table (text/csv) has a form of its own, of which no schema speaks.
    """
    try:
        positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        if response.status_code == 402 or case.media_type == "text/csv":
            return
        if not follows_rules(response.json().get("details")):
            raise


def follows_rules(details: Any) -> bool:
    """Whether every reason of a refusal is one of the rules."""
    if isinstance(details, dict):
        reasons = [reason for reasons in details.values() for reason in reasons]
    else:
        reasons = [one["error"] for one in details or []]
    return bool(reasons) and all(_RULE.fullmatch(reason) for reason in reasons)
