"""/reconcile/{key}/: what a spreadsheet's program asks, and what it is shown of a company.

The program has no way to send a header, so its key stands in the address. It has to be one that can do nothing else
(scope `reconcile`), with a budget and an end of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sized
from decimal import Decimal
from functools import wraps
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from rest_framework import serializers as drf

from billing import keys, limits
from billing.models import ApiKey
from jurisdictions.codes import find_code
from lookups import client_address
from lookups.api import authentication, errors, replies, throttling
from lookups.api.errors import ApiError
from lookups.api.parsers import read_object, too_large
from lookups.api.requests.serializers import BulkEntity
from lookups.api.views.lookup import to_question
from lookups.api.wire.shape import encode
from lookups.lookup.handover import seat
from lookups.lookup.outcomes import NobodyAtWork, OutOfFunds
from lookups.lookup.questions import Question
from lookups.models import Lookup
from lookups.pages.views import is_away
from lookups.privacy import suppression
from lookups.reconcile import asking, records

log = logging.getLogger(__name__)
VERSION = "0.2"
BATCH = 10
MOST_ROWS = 50
MOST_CANDIDATES = 10
LOOKED_THROUGH = 500  # of the account's last lookups, for a suggestion while somebody types
PREVIEW_POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors *"
NARROW = "Use a key with the scope reconcile alone: it stands in an address, where others may read it."
View = Callable[..., HttpResponse]


def keyed(view: View) -> View:
    """Open the view to the key in its address, from any page: programs in a browser read the answers."""

    @csrf_exempt
    @wraps(view)
    def door(request: HttpRequest, secret: str, **named: Any) -> HttpResponse:
        if request.method == "OPTIONS":
            response = HttpResponse(status=204)
        else:
            try:
                response = view(request, _open(request, secret), **named)
            except ApiError as error:
                response = _refusal(request, error)
            except Exception as error:
                if not is_away(error):
                    raise
                log.exception("A store was away while a spreadsheet asked.")  # a program reads no page for people
                response = _refusal(request, errors.for_status(503))
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Allow-Headers"] = "content-type"
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return door


@keyed
def service(request: HttpRequest, key: ApiKey) -> HttpResponse:
    """The manifest; or the answers to a batch of rows, or of values for columns."""
    sent = _read_form(request)
    if "queries" in sent:
        return JsonResponse(_reconcile(request, key, read_object(sent["queries"].encode())))
    if "extend" in sent:
        return JsonResponse(_extend(request, key, read_object(sent["extend"].encode())))
    return JsonResponse(_manifest(request))


@keyed
def suggest(request: HttpRequest, key: ApiKey, what: str) -> HttpResponse:
    """Companies this account has looked up, columns, or types, by the beginning of a word."""
    prefix = request.GET.get("prefix", "").strip().casefold()
    if what == "entity":
        found = [
            {"id": number, "name": name} for number, name in _list_known(key) if name.casefold().startswith(prefix)
        ]
    elif what == "property":
        named = {**records.ASKED_WITH, **{number: one[0] for number, one in records.PROPERTIES.items()}}
        found = [
            {"id": number, "name": name} for number, name in named.items() if prefix in f"{number} {name}".casefold()
        ]
    else:
        found = [one for one in records.TYPES if prefix in f"{one['id']} {one['name']}".casefold()]
    return JsonResponse({"result": found[:MOST_CANDIDATES]})


@keyed
def properties(request: HttpRequest, key: ApiKey) -> HttpResponse:
    """The columns that can be added to a project."""
    columns = [{"id": number, "name": name} for number, (name, _) in records.PROPERTIES.items()]
    limit = request.GET.get("limit", "")
    kept = columns[: int(limit)] if limit.isdecimal() and len(limit) < 5 else columns
    return JsonResponse({"type": request.GET.get("type") or records.COMPANY["id"], "properties": kept})


@xframe_options_exempt
@keyed
def preview(request: HttpRequest, key: ApiKey, number: str) -> HttpResponse:
    """A few lines about a company that this account has looked up, shown in the program's own window."""
    lookup = _find_known(key, number)
    lines: list[tuple[str, str]] = []
    if lookup is not None:
        values = records.list_values(
            lookup, ["status", "entityType", "entityId", "formationDate", "registeredAgentName"]
        )
        lines = [(records.PROPERTIES[name][0], _to_text(one[0])) for name, one in values.items() if one]
    response = render(request, "reconcile/preview.html", {"lookup": lookup, "lines": lines})
    response["Content-Security-Policy"] = PREVIEW_POLICY
    return response


@keyed
def view(request: HttpRequest, key: ApiKey, number: str) -> HttpResponse:
    """The page of a company that this account has looked up; where it has none, what this account has read of it."""
    lookup = _find_known(key, number)
    if lookup is None or lookup.version is None:
        raise errors.for_status(404)
    has_page = settings.ENTITY_PAGES != "off" and suppression.has_page(lookup.version.entity)
    return HttpResponseRedirect(lookup.version.entity.page_url if has_page else f"../preview/{quote(number)}")


def _to_text(value: dict[str, Any]) -> str:
    """A value as people read it: a day without the hour that the specification wants."""
    return str(next(iter(value.values()))).removesuffix(records.MIDNIGHT)


def _read_form(request: HttpRequest) -> dict[str, str]:
    """What was sent; ApiError 400 or 413 for a form that Django reads not at all (it has a page for people then)."""
    try:
        form = request.POST if request.method == "POST" else request.GET
        return {name: str(form[name]) for name in ("queries", "extend") if name in form}
    except RequestDataTooBig as large:
        raise too_large(settings.DATA_UPLOAD_MAX_MEMORY_SIZE) from large
    except (BadRequest, SuspiciousOperation, MultiPartParserError) as unreadable:
        raise errors.invalid({"body": ["Send queries or extend as a form, in UTF-8."]}) from unreadable


def _open(request: HttpRequest, secret: str) -> ApiKey:
    try:
        key = keys.verify(secret=secret, now=timezone.now(), address=client_address.find(request))
    except keys.WrongNetwork as elsewhere:
        raise errors.forbidden(authentication.FROM_HERE) from elsewhere
    except keys.InvalidKey as wrong:
        rate = client_address.count(request, now=timezone.now())
        raise (errors.unauthorized() if rate.allowed else throttling.refusal(rate)) from wrong
    if not keys.is_for_spreadsheets(key):
        raise errors.forbidden(NARROW)
    rate = limits.count_poll(key=key, now=timezone.now())
    if not rate.allowed:
        raise throttling.refusal(rate)
    return key


def _refusal(request: HttpRequest, error: ApiError) -> HttpResponse:
    response = HttpResponse(
        encode(error.body(request.request_id)),  # type: ignore[attr-defined]
        status=error.status,
        content_type=error.content_type,
    )
    for name, value in error.list_headers().items():
        response[name] = value
    return response


def _manifest(request: HttpRequest) -> dict[str, Any]:
    here = request.build_absolute_uri(request.path).rstrip("/")  # the address is given with and without a slash
    return {
        "versions": [VERSION],
        "name": "SOS Lookup",
        "identifierSpace": f"{settings.PUBLIC_URL}/entity/",
        "schemaSpace": f"{settings.PUBLIC_URL}/docs/",
        "documentation": f"{settings.PUBLIC_URL}/docs/",
        "defaultTypes": [records.COMPANY],
        "batchSize": BATCH,
        "view": {"url": f"{here}/view/{{{{id}}}}"},
        "preview": {"url": f"{here}/preview/{{{{id}}}}", "width": 420, "height": 340},
        "suggest": {
            what: {"service_url": here, "service_path": f"/suggest/{what}"} for what in ("entity", "property", "type")
        },
        "extend": {
            "propose_properties": {"service_url": here, "service_path": "/properties"},
            "property_settings": [],
        },
    }


def _reconcile(request: HttpRequest, key: ApiKey, queries: dict[str, Any]) -> dict[str, Any]:
    """Candidates by row. A row that cannot be asked, or is not answered yet, has none; it spoils no other row."""
    _refuse_many("queries", queries)
    asked = {name: question for name, one in queries.items() if (question := _to_question(one)) is not None}
    found = dict(zip(asked, _ask(request, key, list(asked.values())), strict=True))
    limits_of = {name: _limit(one) for name, one in queries.items()}
    return {
        name: {"result": records.list_candidates(found[name], limits_of[name]) if name in found else []}
        for name in queries
    }


def _extend(request: HttpRequest, key: ApiKey, wanted: dict[str, Any]) -> dict[str, Any]:
    """Values by company and column: every column that was asked for, with an empty list where nothing is known."""
    numbers = [one for one in _list(wanted.get("ids")) if isinstance(one, str)]
    _refuse_many("extend", numbers)
    columns = [str(one["id"]) for one in _list(wanted.get("properties")) if isinstance(one, dict) and "id" in one]
    named = [{"id": name, "name": records.PROPERTIES[name][0]} for name in columns if name in records.PROPERTIES]
    asked = numbers if named else []  # nobody pays for companies of which no column is wanted
    questions = {number: question for number in asked if (question := records.read_id(number)) is not None}
    found = dict(zip(questions, _ask(request, key, list(questions.values())), strict=True))
    nothing: dict[str, Any] = {name: [] for name in columns}
    rows = {one: records.list_values(found[one], columns) if one in found else nothing for one in numbers}
    return {"meta": named, "rows": rows}


def _refuse_many(field: str, rows: Sized) -> None:
    """More than one request may ask for: none of them, as a row that is passed over is taken for one that is empty."""
    if len(rows) > MOST_ROWS:
        raise errors.invalid({field: [f"At most {MOST_ROWS} at a time; the manifest says {BATCH}."]})


def _ask(request: HttpRequest, key: ApiKey, questions: list[Question]) -> list[Lookup]:
    if not questions:
        return []  # OpenRefine tries out types with rows that name no state
    rate = limits.count_request(key=key, now=timezone.now())
    if not rate.allowed:
        raise throttling.refusal(rate)
    with seat() as is_free:
        if not is_free:
            raise errors.rate_limited(text="Too many lookups wait for registries", retry_after=5)
        request_id: str = request.request_id  # type: ignore[attr-defined]
        found = asking.ask(questions, key=key, request_id=request_id, now=timezone.now())
    if isinstance(found, OutOfFunds):
        raise replies.out_of_funds(found, key.account)
    if isinstance(found, NobodyAtWork):
        raise errors.nobody_at_work()
    return found


def _to_question(query: Any) -> Question | None:
    """What a row asks; None where it cannot be asked of any registry."""
    if not isinstance(query, dict):
        return None
    properties = [one for one in _list(query.get("properties")) if isinstance(one, dict)]
    given = {str(one.get("pid")): _first(one.get("v")) for one in properties}
    kinds = query.get("type")
    kind = kinds[0] if isinstance(kinds, list) and kinds else kinds
    state = records.read_state(given, kind if isinstance(kind, str) else "")
    number = given.get("entityId") or None
    ours = records.read_id(number) if number else None
    if ours is not None and ours.state == state:
        number = ours.entity_id
    row = {"entity_name": query.get("query"), "entity_id": number, "state": state}
    serializer = BulkEntity(data={name: value for name, value in row.items() if value})
    try:
        serializer.is_valid(raise_exception=True)
    except drf.ValidationError:
        return None
    return to_question(serializer.validated_data)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _first(value: Any) -> str:
    """The text of a property's value, which may be a list, a cell that was reconciled, a number, or an empty cell."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        name = value.get("name")
        is_state = isinstance(name, str) and find_code(name)  # of which another service's id says nothing
        value = name if is_state else value.get("id") or name or ""
    if isinstance(value, Decimal) and abs(value) < 10**15 and value == int(value):
        value = int(value)  # tables write a whole number as 3284652.0
    return "" if value is None else str(value)


def _limit(query: Any) -> int:
    limit = query.get("limit") if isinstance(query, dict) else None
    return min(int(limit), MOST_CANDIDATES) if isinstance(limit, int) and limit >= 1 else MOST_CANDIDATES


def _list_known(key: ApiKey) -> list[tuple[str, str]]:
    """The companies among the account's last lookups: id and name, each once."""
    last = Lookup.objects.filter(account=key.account_id, key__mode=key.mode, version__isnull=False).order_by("-pk")
    entity = ("version__entity__state", "version__entity__entity_id", "version__entity__name")
    rows = last.values_list(*entity)[:LOOKED_THROUGH]  # while somebody types: no record is read
    return list(dict.fromkeys((records.write_id(state, number), name) for state, number, name in rows))


def _find_known(key: ApiKey, number: str) -> Lookup | None:
    """The account's last lookup that found this company."""
    question = records.read_id(number)
    if question is None:
        return None
    own = Lookup.objects.whole().filter(account=key.account_id, key__mode=key.mode)
    entity = {"version__entity__state": question.state, "version__entity__entity_id": question.entity_id}
    return own.filter(**entity).order_by("-pk").first()
