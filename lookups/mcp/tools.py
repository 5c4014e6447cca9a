"""The tools: which operations of /v1 they are, which of their fields an agent needs, and what it should know first.

Names, types and descriptions of fields are the API document's own; here stands only what is said to agents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from billing import money, prices
from lookups.api.schema.document import COMMITTED

SCHEMAS = "#/components/schemas/"
KEY = "idempotency_key"
ITEMS = "items"  # what a list is called in an answer, which has to be an object
ANSWERED = ("200", "201", "202", "404", "503")  # the replies of which a tool's answer has the shape


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the document. `places`: argument → (path | query | header | body, its name there)."""

    method: str
    path: str
    places: Mapping[str, tuple[str, str]]
    fields: Mapping[str, dict[str, Any]]
    replies: tuple[str, ...]
    """The names of the shapes that it may answer with; of which it answers a list, if `is_list`."""
    is_list: bool


@dataclass(frozen=True, slots=True)
class Tool:
    """What an agent may ask for. `operations` by the beginning of `id`, or "" for the only one there is.

    `ends`: the first line of its answer where it has ended what was there; "" where it ends nothing.
    """

    name: str
    title: str
    about: str
    operations: Mapping[str, str]
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    costs: bool = False
    ends: str = ""
    asks_outside: bool = False


COST = (
    "Costs at most {price} USD, charged for a found answer alone; not found, ambiguous, refused and unavailable are "
    "free."
)
COST_OF_CHECK = (
    "Costs at most {price} USD for an answer, whichever of the three it is; refused and unavailable are free."
)
TWICE = (
    "Send the same idempotency_key when you repeat a call whose answer was lost: it is then answered again and not "
    "charged again."
)
LATER = "A slow registry answers later: then you get a job id, and ask get_result for it."

TOOLS = (
    Tool(
        "look_up_company",
        "Look up a company",
        "What a US state's own registry says about one company right now: status, dates, agent, officers, evidence. "
        "Give the name or, better, the state's entity_id. Read `verdict` first: found, ambiguous (choose one of "
        "`suggestions` and ask again with its entity_id; never guess), not_found (the registry was read and has no "
        f"such name) or unavailable (nothing is known; that is not 'not found'). {COST} {TWICE} {LATER}",
        {"": "lookup"},
        takes=("entity_name", "entity_id", "state", "source", "include", "ref", "max_wait_seconds", KEY),
        needs=("state",),
        costs=True,
        asks_outside=True,
    ),
    Tool(
        "look_up_liens",
        "Look up UCC filings",
        "UCC filings (liens) on a party in one state: debtor or secured party by name. Not every state can be asked: "
        f"see list_states. {COST} {TWICE} {LATER}",
        {"": "lookup"},
        takes=("entity_name", "state", "searchBy", "dateAfter", "dateBefore", "ref", "max_wait_seconds", KEY),
        needs=("entity_name", "state"),
        fixed={"searchType": "ucc"},
        costs=True,
        asks_outside=True,
    ),
    Tool(
        "check_name",
        "Check whether a name is free",
        "Whether a company could take a name in one state, by that state's rule: free, taken, or cannot_say, with what "
        f"stands in the way. No legal advice and no reservation. {COST_OF_CHECK} {TWICE}",
        {"": "checkName"},
        takes=("entity_name", "state", "source", KEY),
        needs=("entity_name", "state"),
        costs=True,
        asks_outside=True,
    ),
    Tool(
        "find_where_registered",
        "Find where a company is registered",
        "Ask several states, or all that can be asked, for one company: a bulk job with one row a state. Costs up to "
        "{price} USD for each state that finds it, nothing for the others. Returns a bulk id "
        f"for get_result. {TWICE}",
        {"": "bulkLookup"},
        takes=("entities", "max_wait_seconds", KEY),
        needs=("entities",),
        costs=True,
        asks_outside=True,
    ),
    Tool(
        "get_result",
        "Get a result or a job again",
        "What a lookup (lk_…), a name check (nc_…), a job (job_…) or a bulk job (bulk_…) came to, or how far it is. "
        "Free; wait as long as `pollInterval` says between two calls. Rows of a bulk job come a hundred at a time: for "
        "those that follow send its `next_cursor` as cursor.",
        {"lk_": "getLookup", "nc_": "getLookup", "job_": "getJob", "bulk_": "getBulkJob"},
        takes=("id", "cursor"),
        needs=("id",),
    ),
    Tool(
        "get_evidence",
        "Get the evidence of an answer",
        "How an answer is known: every exchange with the registry, its SHA-256, our signature and its place in the "
        "chain. Free. `/verify/` and verify.py check it without trusting us.",
        {"lk_": "getEvidence", "nc_": "getEvidence"},
        takes=("id",),
        needs=("id",),
    ),
    Tool(
        "get_history",
        "Get the history of a company",
        "The versions of a company's record that were read here, what changed between them, and the registry's own "
        "history; no registry is asked. Free where this account has bought a reading of it, otherwise the price of a "
        "stored lookup.",
        {"": "getEntityHistory"},
        takes=("state", "entityId", "as_of", KEY),
        needs=("state", "entityId"),
        costs=True,
    ),
    Tool(
        "watch_company",
        "Watch a company",
        "Look at a company again and again and report what changes. Every check is a lookup and costs at most "
        "{price} USD: set max_per_month. It looks until end_watch ends it. Asked for again with the same arguments it "
        "stays one watch; with others it is one more, and paid for too. Changes come by webhook, mail and "
        "list_changes.",
        {"": "createWatch"},
        takes=("state", "entity_id", "entity_name", "every", "on", "max_per_month", "ref", KEY),
        needs=("state",),
        costs=True,
    ),
    Tool(
        "list_watches",
        "List watched companies",
        "The companies that this account watches: how often, what a month may cost at most, when the next look is. "
        "Free.",
        {"": "listWatches"},
        takes=("state", "status", "cursor", "limit"),
    ),
    Tool(
        "end_watch",
        "Watch a company no more",
        "End a watch (watch_…) for good: nothing more is asked or paid for it, a look that has not begun is cancelled. "
        "What was seen stays among the changes. Free.",
        {"watch_": "deleteWatch"},
        takes=("id",),
        needs=("id",),
        ends="ENDED: nothing more is asked or paid for this watch. Below it stands as it was.",
    ),
    Tool(
        "list_changes",
        "List changes of watched companies",
        "What changed at the companies that this account watches, oldest first, with before and after. Free.",
        {"": "listEvents"},
        takes=("watch", "state", "category", "cursor", "limit"),
    ),
    Tool(
        "list_states",
        "List what each state can answer",
        "Every US state and territory: whether it can be asked now, what its registry shows, and why not. Free, "
        "no key.",
        {"": "listStates"},
    ),
    Tool(
        "get_balance",
        "Get the balance, or estimate a cost",
        "What the account can spend, in USD, and how many lookups that buys; a lookup, a lien search and a name check "
        "cost at most {price} USD each, so this says before any of them what it would cost. With a test key "
        "(`livemode` false) nothing costs anything, whatever the balance. Free.",
        {"": "getBalance"},
    ),
)


@cache
def document() -> dict[str, Any]:
    """The API's document as it is committed."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where it is there
    return dict(yaml.load(COMMITTED.read_text(encoding="utf-8"), Loader=loader))  # noqa: S506  (both are safe)


@cache
def get_operation(operation_id: str) -> Operation:
    """One operation of the document, with its fields from wherever they stand."""
    for path, methods in document()["paths"].items():
        for method, one in methods.items():
            if isinstance(one, dict) and one.get("operationId") == operation_id:
                return _read(path, method, one)
    raise LookupError(operation_id)


def find_tool(name: str) -> Tool | None:
    """The tool of that name."""
    return next((one for one in TOOLS if one.name == name), None)


@cache
def list_described() -> list[dict[str, Any]]:
    """All of them as the protocol lists them."""
    return [_describe(one) for one in TOOLS]


def _describe(tool: Tool) -> dict[str, Any]:
    operations = [get_operation(one) for one in dict.fromkeys(tool.operations.values())]
    known = {name: one for operation in reversed(operations) for name, one in operation.fields.items()}
    fields = {name: _id_of(tool) if name == "id" else known[name] for name in tool.takes}
    replies = dict.fromkeys(reply for one in operations for reply in one.replies)
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.about.format(price=money.to_decimal_string(prices.LOOKUP)),
        "inputSchema": _close({"type": "object", "properties": fields, "required": list(tool.needs)}),
        "outputSchema": _close(_reply_of(operations[0], [{"$ref": f"#/$defs/{name}"} for name in replies]), terse=True),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": not (tool.costs or tool.ends),
            "destructiveHint": bool(tool.ends),
            "idempotentHint": not tool.costs,
            "openWorldHint": tool.asks_outside,
        },
    }


def _reply_of(operation: Operation, shapes: list[dict[str, str]]) -> dict[str, Any]:
    if operation.is_list:
        items = {"type": "array", "items": {"anyOf": shapes}}
        return {"type": "object", "properties": {ITEMS: items}, "required": [ITEMS]}
    return {"type": "object", "anyOf": shapes}


def id_pattern(tool: Tool) -> str:
    """What an id is that this tool takes, as a regular expression."""
    return f"({'|'.join(tool.operations)})[0-9a-f]{{32}}"


def _id_of(tool: Tool) -> dict[str, Any]:
    return {
        "type": "string",
        "pattern": f"^{id_pattern(tool)}$",
        "description": "An id from an earlier answer.",
    }


def _read(path: str, method: str, one: dict[str, Any]) -> Operation:
    places: dict[str, tuple[str, str]] = {}
    fields: dict[str, dict[str, Any]] = {}
    for parameter in one.get("parameters", ()):
        name = KEY if parameter["name"] == "Idempotency-Key" else parameter["name"]
        if parameter["name"] == "If-None-Match":
            continue
        places[name] = (parameter["in"], parameter["name"])
        fields[name] = parameter["schema"] | {"description": parameter.get("description", "")}
    content = one.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        shape = document()["components"]["schemas"][content["schema"]["$ref"].removeprefix(SCHEMAS)]
        fields |= shape["properties"]
        places |= {name: ("body", name) for name in shape["properties"]}
    replies = [name for status in ANSWERED if status in one["responses"] for name in _names(one["responses"][status])]
    is_list = any(_schema(one["responses"].get(status, {})).get("type") == "array" for status in ANSWERED)
    return Operation(method.upper(), path, places, fields, tuple(dict.fromkeys(replies)), is_list)


def _schema(reply: dict[str, Any]) -> dict[str, Any]:
    content = reply.get("content", {})
    schema: dict[str, Any] = next(iter(content.values()))["schema"] if content else {}
    return schema


def _names(reply: dict[str, Any]) -> list[str]:
    schema = _schema(reply)
    schemas = schema.get("anyOf", [schema.get("items", schema)])
    return [one["$ref"].removeprefix(SCHEMAS) for one in schemas if "$ref" in one]


def _close(schema: dict[str, Any], *, terse: bool = False) -> dict[str, Any]:
    """The schema with every shape that it names, under `$defs`, as an agent gets no document beside it.

    `terse`: without descriptions, which an agent would have to read all of before it asks anything.
    """
    found: dict[str, Any] = {}

    def turn(part: Any) -> Any:
        if isinstance(part, list):
            return [turn(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            if name not in found:
                found[name] = None  # a shape may hold itself
                found[name] = turn(document()["components"]["schemas"][name])
            return {**part, "$ref": f"#/$defs/{name}"}
        left_out = {
            "example",
            "examples",
            *(["description"] if terse and isinstance(part.get("description"), str) else []),
        }
        return {key: turn(value) for key, value in part.items() if key not in left_out}

    turned: dict[str, Any] = turn(schema)
    return turned | {"$defs": found} if found else turned
