"""/v1/bulk-lookup: up to a thousand questions at once, their results page by page or as a file, and an end to them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import IO, Any

from django.http import FileResponse, StreamingHttpResponse
from django.utils import timezone
from rest_framework import serializers as drf
from rest_framework.request import Request
from rest_framework.response import Response

from billing.models import Account
from lookups import bodies, bulk_table, csv_export, selectors, xlsx_export
from lookups.api import errors, idempotency, parsers, renderers, replies
from lookups.api.endpoint import Endpoint
from lookups.api.requests.serializers import BulkEntity, BulkRequest, LookupRequest, is_for_liens
from lookups.api.schema import bulk as schema
from lookups.api.views import paging
from lookups.api.views.lookup import accepts_stored, to_question
from lookups.api.wire.bulk import BulkList, BulkRow
from lookups.api.wire.shape import encode
from lookups.api.wire.words import SourceWanted
from lookups.bulk import bulk_jobs
from lookups.bulk import input as bulk_input
from lookups.bulk.input import MOST_ROWS
from lookups.idempotency import Claim
from lookups.jobs import waiting
from lookups.lookup.outcomes import NobodyAtWork, OutOfFunds
from lookups.models import BulkJob
from lookups.notifications import result_mail


class BulkView(Endpoint):
    """New bulk jobs."""

    scope = "bulk"
    polled = True
    body_limit = 1024 * 1024
    parser_classes = (parsers.JSONBesideTableParser, parsers.CsvParser)
    words_of_a_table = tuple(name for name in BulkRequest().get_fields() if name != "entities")

    @schema.list_bulk_jobs
    def get(self, request: Request) -> Response:
        """The bulk jobs of the key's account and mode, the newest first."""
        key, asked, wrong = self.key_of(request), request.query_params, paging.Wrong()
        after = paging.read_place(asked.get("cursor"), wrong, written_as="next_cursor")
        limit = paging.read_limit(asked.get("limit"), wrong)
        if wrong:
            raise errors.invalid(wrong)
        rows, more = paging.take(bulk_jobs.list_own(key, after=after), limit)
        return Response(
            BulkList(
                success=True,
                livemode=key.livemode,
                bulk_jobs=bodies.of_bulk_jobs(rows),
                next_cursor=paging.write_place(rows[-1].created_at, rows[-1].pk) if more else None,
            )
        )

    @schema.ask
    def post(self, request: Request) -> Any:
        """Take all rows on, or none."""
        key, body = self.key_of(request), request.data
        wanted = _including(read_rows(body, sandbox=key.is_test), tuple(_read("include", body) or ()))
        for_all, seconds = _read("source", body), _read("max_wait_seconds", body)
        notify = _read_notify(body, key.account)
        stored = accepts_stored({} if for_all is None else {"source": for_all}, key.account)
        _refuse_words_of_all(body)
        _refuse_sources_of_rows(body, request.query_params, key.account, stored=stored)
        self.refuse_played(key, (one.question for one in wanted))

        def answer(claim: Claim | None) -> Response:
            bulk_id = claim.ask_id if claim else uuid.uuid4()
            made = bulk_jobs.accept(
                wanted=wanted,
                key=key,
                accepts_stored=stored,
                bulk_id=bulk_id,
                apart=claim is not None,
                now=timezone.now(),
                notify=notify,
                max_wait=bulk_jobs.MAX_WAIT if seconds is None else timedelta(seconds=seconds),
                request_id=request.request_id,  # type: ignore[attr-defined]
            )
            if isinstance(made, OutOfFunds):
                raise replies.out_of_funds(made, key.account)
            if isinstance(made, NobodyAtWork):
                raise errors.nobody_at_work()
            headers = {"Location": bodies.poll_url(made), "Retry-After": str(waiting.POLL_MS // 1000)}
            if made.pk != bulk_id:
                headers[idempotency.REPLAYED] = "true"
            return Response(bodies.of_accepted_bulk(made), status=202, headers=headers)

        return idempotency.answer_once(request, key=key, answer=answer)


class BulkJobView(Endpoint):
    """One bulk job of the caller's account."""

    scope = "bulk"
    polled = True
    renderer_classes = (
        renderers.ShapeRenderer,
        renderers.CsvRenderer,
        renderers.NdjsonRenderer,
        renderers.XlsxRenderer,
    )

    @schema.read
    def get(self, request: Request, job_id: str) -> Any:
        """How far it is, and its results: a page as JSON, all as CSV, XLSX or NDJSON."""
        found, wrong = self._find(request, job_id), paging.Wrong()
        bom = paging.read_bom(request.query_params.get("bom"), wrong)
        if wrong:
            raise errors.invalid(wrong)
        if isinstance(request.accepted_renderer, renderers.CsvRenderer):
            return _stream(found, request.accepted_renderer, bom=bom)
        after, limit = _page(request)
        rows, more = paging.take(bulk_jobs.list_rows(found, after=after), limit)
        return Response(bodies.of_bulk_page(found, rows, more=more, now=timezone.now()))

    @schema.cancel
    def delete(self, request: Request, job_id: str) -> Response:
        """Cancel what has not started."""
        found = self._find(request, job_id)
        bulk_jobs.cancel(found, now=timezone.now())
        found.refresh_from_db()
        return Response(bodies.of_bulk(found), content_type="application/json")

    def _find(self, request: Request, job_id: str) -> BulkJob:
        found = bulk_jobs.find(job_id, key=self.key_of(request))
        if found is None:
            raise errors.ApiError(404, "job_not_found", "Job not found")
        return found


def read_rows(body: Any, *, sandbox: bool) -> list[bulk_jobs.Wanted]:
    """The rows of the body, those of several states spread out; ApiError 400 that names each wrong one."""
    rows = body.get("entities")
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_ROWS:
        raise errors.invalid_rows([{"index": None, "error": f"entities: send a list of 1 to {MOST_ROWS:,} rows."}])
    # Asked of the registries' table once, not once a row
    listed = cache(lambda ucc: selectors.list_everywhere(sandbox=sandbox, ucc=ucc, now=timezone.now()))
    wanted: list[bulk_jobs.Wanted] = []
    wrong: list[dict[str, Any]] = []
    for index, row in enumerate(rows):
        written = row if isinstance(row, bulk_input.Row) else bulk_input.Row(row)
        try:
            spread = bulk_input.spread(written, everywhere=lambda fields: listed(is_for_liens(fields)))
            if len(wanted) + len(spread) > MOST_ROWS:  # before more of them are read
                text = f"entities: with a row for each state they are more than {MOST_ROWS:,}."
                raise errors.invalid_rows([{"index": None, "error": text}])
            wanted += map(_read_row, spread)
        except bulk_input.WrongStates as error:
            wrong.append({"index": index, "error": f"states: {error}", **_place(written, "states")})
        except drf.ValidationError as refused:
            text, field = _first(refused.detail)
            wrong.append({"index": index, "error": text, **_place(written, field)})
    if wrong:
        raise errors.invalid_rows(wrong)
    return wanted


def _read_row(row: bulk_input.Row) -> bulk_jobs.Wanted:
    if not isinstance(row.fields, dict):
        raise drf.ValidationError({"row": ["Send an object."]})
    serializer = BulkEntity(data=row.fields)
    serializer.is_valid(raise_exception=True)
    asked = serializer.validated_data
    return bulk_jobs.Wanted(to_question(asked), asked.get("ref"))


def _place(row: bulk_input.Row, field: str) -> dict[str, Any]:
    """Where in a table it stands; nothing for what came as JSON."""
    if row.line is None:
        return {}
    column = (row.columns or {}).get(field)
    return {"line": row.line} | ({"column": column} if column else {})


def _stream(found: BulkJob, renderer: renderers.CsvRenderer, *, bom: bool) -> StreamingHttpResponse:
    now = timezone.now()
    rows = (bodies.of_row(row, now=now) for row in bulk_jobs.list_rows(found).iterator(chunk_size=200))
    name = f"{found.public_id}.{renderer.format}"
    if isinstance(renderer, renderers.XlsxRenderer):
        book = _make_workbook(rows)
        return FileResponse(book, as_attachment=True, filename=name, content_type=renderer.media_type)
    if not isinstance(renderer, renderers.NdjsonRenderer):
        return csv_export.make_response(name, *bulk_table.make_table(rows), bom=bom)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    lines = (encode(row) + b"\n" for row in rows)
    return StreamingHttpResponse(lines, content_type=f"{renderer.media_type}; charset=utf-8", headers=headers)


def _make_workbook(rows: Iterable[BulkRow]) -> IO[bytes]:
    try:
        return xlsx_export.make_workbook(*bulk_table.make_table(rows))
    except xlsx_export.TooLong:
        text = f"These results are more than the {xlsx_export.MOST_LINES:,} lines of a workbook. Ask for text/csv."
        raise errors.invalid({"Accept": [text]}) from None


def _read(name: str, body: Any) -> Any:
    """A field that holds for all rows, None where it is not there; ApiError 400."""
    try:
        return BulkRequest().fields[name].run_validation(body.get(name))
    except drf.ValidationError as wrong:
        raise errors.invalid_rows([{"index": None, "error": f"{name}: {_why(wrong)}"}]) from None


def _why(refused: drf.ValidationError) -> str:
    """What a single field has to say of its value."""
    return str(refused.detail[0])  # type: ignore[index]  # of one field it is a list


def _refuse_words_of_all(body: Any) -> None:
    """ApiError 400 for rows that ask for themselves what can be asked for all rows alone, and is not."""
    names = ("include", "webhook_url", "email_results", "max_wait_seconds")
    rows = [(index, row) for index, row in enumerate(body["entities"]) if isinstance(row, dict)]
    asked = [(index, row[name], name) for index, row in rows for name in names if row.get(name)]
    text = "Send it beside `entities`: it is for all rows."
    wrong = [{"index": at, "error": f"{name}: {text}"} for at, value, name in asked if value != body.get(name)]
    if wrong:
        raise errors.invalid_rows(wrong)


def _refuse_sources_of_rows(body: Any, address: Mapping[str, str], account: Account, *, stored: bool) -> None:
    """ApiError 400 for rows that would be answered from another source than they ask for: all rows have that of all.

    `stored`: whether a stored record will do for them. What stands beside the rows, or as `fresh` in the address, is
    looked at as well.
    """
    fields = {name: LookupRequest().fields[name] for name in ("source", "fresh")}
    wrong: list[dict[str, Any]] = []
    beside = {**body, **({"fresh": address["fresh"]} if "fresh" in address else {})}
    for index, one in [(None, beside), *enumerate(body["entities"])]:
        written = one if isinstance(one, bulk_input.Row) else bulk_input.Row(one)
        row = written.fields
        asked = {name: row[name] for name in fields if isinstance(row, dict) and row.get(name) is not None}
        if written.line is not None and str(asked.get("source")).lower() not in [*SourceWanted]:
            asked.pop("source", None)  # a column of the customer's own, such as where a row is from
        read: dict[str, Any] = {}
        try:
            for name, value in asked.items():
                read[name] = fields[name].run_validation(value)
        except drf.ValidationError as unread:
            wrong.append({"index": index, "error": f"{name}: {_why(unread)}", **_place(written, name)})
            continue
        if read and accepts_stored(read, account) != stored:
            name = next(iter(read))
            text = f"{name}: Send `source` beside entities: it is for all rows."
            wrong.append({"index": index, "error": text, **_place(written, name)})
    if wrong:
        raise errors.invalid_rows(wrong)


def _including(wanted: list[bulk_jobs.Wanted], include: tuple[str, ...]) -> list[bulk_jobs.Wanted]:
    """The rows with what all of their replies shall have; rows of filings have no company to include anything of."""
    return [
        one if one.question.kind == "ucc" else replace(one, question=replace(one.question, include=include))
        for one in wanted
    ]


def _read_notify(body: Any, account: Account) -> bulk_jobs.Notify:
    """How to let the customer know of its end; ApiError 400 where that cannot be done."""
    wrong, address, by_mail = [], "", body.get("email_results")
    try:
        address = BulkRequest().fields["webhook_url"].run_validation(body.get("webhook_url")) or ""
    except drf.ValidationError as refused:
        wrong.append(f"webhook_url: {_why(refused)}")
    if by_mail is not None and not isinstance(by_mail, bool):
        wrong.append("email_results: Send true or false.")
    elif by_mail and not result_mail.is_configured():
        wrong.append("email_results: This service has no mail server. Ask poll_url, or name a webhook_url.")
    elif by_mail and not account.email:
        wrong.append(f"email_results: {result_mail.NO_ADDRESS}")
    if wrong:
        raise errors.invalid_rows([{"index": None, "error": text} for text in wrong])
    return bulk_jobs.Notify(webhook_url=address, emails_results=bool(by_mail))


def _page(request: Request) -> tuple[int, int]:
    """The index of the row that the page before ended with (-1: none), and the limit; ApiError 400."""
    asked, wrong = request.query_params, paging.Wrong()
    after, limit = asked.get("cursor", "-1"), paging.read_limit(asked.get("limit"), wrong)
    if after != "-1" and not (after.isascii() and after.isdigit() and len(after) < 7):
        wrong["cursor"] = ["Send the next_cursor of the page before."]
    if wrong:
        raise errors.invalid(wrong)
    return int(after), limit


def _first(found: Any) -> tuple[str, str]:
    """What is wrong first, and with which field."""
    name, messages = next(iter(found.items()))
    return (str(messages[0]) if name == "non_field_errors" else f"{name}: {messages[0]}"), str(name)
