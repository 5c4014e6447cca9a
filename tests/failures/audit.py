"""The accountant: after a story, what every customer was told is compared with the lookups and the books, row by row.

He knows nothing of how the service settles: he reads replies, rows and entries, and expects of each question that it
was answered by one lookup which ended once and says what the customer was told, that its company was paid for once if
it was found, and that nothing is open or set aside any more.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from tests.failures.books import wait_until
from tests.failures.customers import FINAL, Call, Customer
from tests.failures.service import Service

PRICE = 314
HALF_AN_HOUR = 31 * 60
ANSWERS = {200: ["found"], 404: ["not_found"]}


@dataclass
class Findings:
    """What one audit came to. `lost` and `double` name the questions; `unanswered` those whose job gave up, and why."""

    lookups: int = 0
    jobs: int = 0
    kills: int = 0
    stops: int = 0
    found: int = 0
    lost: list[str] = field(default_factory=list)
    double: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


def examine(service: Service, *customers: Customer, most_asked: int) -> Findings:
    """Go through everything these customers asked; all their jobs must have ended. Fails nothing by itself.

    `most_asked`: how often the story allows one question to reach a registry.
    """
    _let_orphans_expire(service, customers)
    findings = Findings()
    for customer in customers:
        findings.unanswered += _list_unanswered(service, customer)
        _examine_one(service, customer, findings)
        _count_questions(service, customer, findings, most_asked)
    _reconcile(service, findings)
    return findings


def _let_orphans_expire(service: Service, customers: tuple[Customer, ...]) -> None:
    """Half an hour later the clock has ended what killed requests left open, and given back what they had set aside."""
    if not any(service.hold_of(customer) or _count_open(service, customer) for customer in customers):
        return
    service.move_clock(HALF_AN_HOUR)
    for task, are_left, what in (
        ("billing.tasks.expire_holds", service.hold_of, "nothing is held"),
        ("lookups.tasks.sweep_jobs", lambda customer: _count_open(service, customer), "nothing is open"),
    ):
        wait_until(partial(_are_gone, service, task, are_left, customers), what=what, seconds=20)


def _are_gone(
    service: Service, task: str, are_left: Callable[[Customer], int], customers: tuple[Customer, ...]
) -> bool:
    """Ask the service to look again, as its clock does, for a broker that was just emptied may have lost the asking."""
    if not any(are_left(customer) for customer in customers):
        return True
    service.send(task)
    time.sleep(0.5)
    return False


def _count_open(service: Service, customer: Customer) -> int:
    return service.books.count(
        "SELECT count(*) FROM lookups_lookup WHERE account_id = %(id)s AND verdict IS NULL", id=customer.account
    )


def _examine_one(service: Service, customer: Customer, findings: Findings) -> None:
    jobs, lookups = _jobs(service, customer), _answered(service, customer)
    told_found: Counter[str] = Counter()
    accepted = set(jobs)
    for call in customer.calls:
        findings.lookups += 1
        job_id = call.body.get("jobId") if call.status == 202 else None
        if job_id is not None:
            findings.jobs += 1
            accepted.discard(_uuid(job_id))
            reply = _poll(customer, f"/v1/lookup/status/{job_id}")
            _compare(call, jobs.get(_uuid(job_id)), reply, findings)
            told_found[call.question] += reply.get("success") is True and reply.get("status") == "complete"
        elif call.status == 200:
            told_found[call.question] += 1
        elif call.status not in FINAL and call.status != 503:
            findings.wrong.append(f"{call.question}: the last reply was {call.status} {call.body}")
        kept = lookups[call.question]
        if len(kept) > 1 or (call.status in ANSWERS and kept != ANSWERS[call.status]):
            findings.wrong.append(f"{call.question}: told {call.status}, its lookups say {kept}")
    for bulk in customer.bulks:
        _examine_bulk(customer, bulk, jobs, accepted, told_found, findings)
        _compare_rows(service, customer, bulk, findings)
    findings.wrong += _list_changed(service, customer)
    findings.wrong += [f"a job nobody was told of: {jobs[pk]}" for pk in accepted if not _has_call(customer, jobs[pk])]
    told_found = +told_found  # without those that were not found
    _compare_money(service, customer, told_found, findings)
    findings.found += len(told_found)


def _has_call(customer: Customer, job: dict[str, Any]) -> bool:
    """A customer who was cut off before the 202 came has asked again, and may have been answered at once."""
    return any(call.question == job["question"] for call in customer.calls)


def _jobs(service: Service, customer: Customer) -> dict[uuid.UUID, dict[str, Any]]:
    rows = service.books.read(
        "SELECT j.id, l.state || ' ' || (l.question->>'name'), j.status, l.verdict, j.ended_at, j.attempts,"
        " (SELECT count(*) FROM witnessed WHERE whose = 'job ' || j.id AND what = 'ended'),"
        " (SELECT count(*) FROM witnessed WHERE whose = 'job ' || j.id AND what = 'changed')"
        " FROM lookups_job j JOIN lookups_lookup l ON l.id = j.lookup_id WHERE j.account_id = %(account)s",
        account=customer.account,
    )
    names = ("pk", "question", "status", "verdict", "ended_at", "attempts", "endings", "changes")
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def _answered(service: Service, customer: Customer) -> dict[str, list[str]]:
    """The verdicts of a customer's lookups that were answered, by the question; rows of bulk requests aside."""
    rows = service.books.read(
        "SELECT state || ' ' || (question->>'name'), verdict FROM lookups_lookup"
        " WHERE account_id = %(id)s AND bulk_id IS NULL AND verdict IN ('found', 'not_found', 'ambiguous')",
        id=customer.account,
    )
    found: dict[str, list[str]] = defaultdict(list)
    for question, verdict in rows:
        found[question].append(verdict)
    return found


def _list_unanswered(service: Service, customer: Customer) -> list[str]:
    """Jobs that ended without an answer."""
    rows = service.books.read(
        "SELECT l.state, l.asked, l.verdict, l.reason, l.note, j.attempts, l.duration_ms FROM lookups_job j"
        " JOIN lookups_lookup l ON l.id = j.lookup_id WHERE j.account_id = %(id)s"
        " AND l.verdict NOT IN ('found', 'not_found')",
        id=customer.account,
    )
    return [f"{state} {asked}: {verdict} {rest}" for state, asked, verdict, *rest in rows]


def _list_changed(service: Service, customer: Customer) -> list[str]:
    """Lookups that did not end exactly once, or were changed after that."""
    rows = service.books.read(
        "SELECT l.id, l.state, l.asked, l.verdict, count(*) FILTER (WHERE what = 'ended'),"
        " count(*) FILTER (WHERE what = 'changed')"
        " FROM lookups_lookup l LEFT JOIN witnessed ON whose = 'lookup ' || l.id WHERE l.account_id = %(id)s"
        " GROUP BY l.id HAVING count(*) FILTER (WHERE what = 'ended') <> 1 OR bool_or(what = 'changed')",
        id=customer.account,
    )
    return [f"a lookup ended {row[4]} times and changed {row[5]} times after that: {row[:4]}" for row in rows]


def _compare(call: Call, job: dict[str, Any] | None, reply: dict[str, Any], findings: Findings) -> None:
    """The job of a call exists, is its question, and ended once, as the customer is told."""
    if job is None or job["ended_at"] is None:
        findings.lost.append(f"{call.question}: {job}")
        return
    if job["endings"] != 1 or job["changes"]:
        findings.wrong.append(f"{call.question} ended {job['endings']} times, changed {job['changes']} times after")
    found = job["verdict"] == "found"
    if (job["question"], job["status"], found) != (call.question, reply.get("status"), reply.get("success")):
        findings.wrong.append(f"{call.question}: told {reply}, the row says {job}")


def _compare_rows(service: Service, customer: Customer, bulk: dict[str, Any], findings: Findings) -> None:
    """Every row of a bulk request is one lookup, which says what the customer is told of it."""
    told = _poll(customer, f"/v1/bulk-lookup/{bulk['id']}?limit=500")["results"]
    told_rows = [(row["index"], f"{row['state']} {row['entity_name']}", row["status"]) for row in told]
    kept = service.books.read(
        "SELECT position, state || ' ' || (question->>'name'), CASE WHEN verdict IN ('found', 'not_found', 'cancelled')"
        " THEN verdict ELSE 'failed' END FROM lookups_lookup WHERE bulk_id = %(id)s ORDER BY position",
        id=_uuid(bulk["id"]),
    )
    if told_rows != kept or len(kept) != bulk["total"]:
        findings.wrong.append(f"{bulk['id']}: told {told_rows}, its lookups say {kept}")


def _examine_bulk(
    customer: Customer,
    bulk: dict[str, Any],
    jobs: dict[uuid.UUID, dict[str, Any]],
    accepted: set[uuid.UUID],
    told_found: Counter[str],
    findings: Findings,
) -> None:
    told = _poll(customer, f"/v1/bulk-lookup/{bulk['id']}?limit=500")
    rows = {f"{row['state']} {row['entity_name']}": row for row in told.get("results", [])}
    by_question = {job["question"]: job for job in jobs.values()}
    findings.lookups += len(bulk["calls"])
    findings.jobs += len(bulk["calls"])
    for call in bulk["calls"]:
        row, job = rows.get(call.question), by_question.get(call.question)
        if row is None or job is None or job["ended_at"] is None:
            findings.lost.append(f"{call.question} of {bulk['id']}: {row} {job}")
            continue
        accepted.discard(job["pk"])
        if job["endings"] != 1 or job["changes"]:
            findings.wrong.append(f"{call.question} ended {job['endings']} times, changed {job['changes']} times after")
        told_found[call.question] += row["data"] is not None
    if told.get("status") not in ("complete", "cancelled") or told.get("completed") != bulk["total"]:
        findings.wrong.append(f"{bulk['id']}: {told.get('status')}, {told.get('completed')} completed")
    cost = sum(told_found[call.question] for call in bulk["calls"]) * PRICE
    if round(told.get("cost", -1) * 10_000) != cost:
        findings.wrong.append(f"{bulk['id']} says it cost {told.get('cost')}, its rows cost {cost}")


def _compare_money(service: Service, customer: Customer, told_found: Counter[str], findings: Findings) -> None:
    """Exactly the companies that were delivered are paid for, once each; nothing is set aside."""
    spent = Counter[str]()
    for reference, amount in service.books.read(
        "SELECT reference, spent_change FROM billing_ledgerentry WHERE account_id = %(id)s AND spent_change <> 0",
        id=customer.account,
    ):
        spent[reference] += amount
    findings.double += [f"{question}: {amount} units" for question, amount in spent.items() if amount > PRICE]
    delivered = set(told_found)
    findings.wrong += [f"{question} was delivered and not paid for" for question in delivered - set(spent)]
    findings.lost += [f"{question} was paid for and not delivered" for question in set(spent) - delivered]
    rows = service.books.read(
        "SELECT state || ' ' || asked, count(*) FROM lookups_lookup WHERE account_id = %(id)s AND verdict = 'found'"
        " AND repeats_id IS NULL"
        " GROUP BY 1",
        id=customer.account,
    )
    if Counter(dict(rows)) != Counter(dict.fromkeys(delivered, 1)):
        findings.wrong.append(f"lookups noted as found: {rows}, delivered: {sorted(delivered)}")
    ((held, account_spent, open_holds),) = service.books.read(
        "SELECT held, spent, (SELECT count(*) FROM billing_hold WHERE account_id = a.id AND state = 'open')"
        " FROM billing_account a WHERE id = %(id)s",
        id=customer.account,
    )
    if (held, open_holds, account_spent) != (0, 0, PRICE * len(delivered)):
        findings.wrong.append(
            f"held {held} in {open_holds} holds, spent {account_spent} for {len(delivered)} companies"
        )


def _count_questions(service: Service, customer: Customer, findings: Findings, most_asked: int) -> None:
    for (state, words), number in service.registries.count(customer.mark).items():
        if number > most_asked:
            findings.wrong.append(f"{state} was asked for {words} {number} times")


def _reconcile(service: Service, findings: Findings) -> None:
    """The service's own comparison of its books finds nothing."""
    last = "SELECT coalesce(max(id), 0) FROM billing_reconciliation"
    before = service.books.count(last)
    service.send("billing.tasks.reconcile_whole")
    wait_until(lambda: service.books.count(last) > before, what="the ledger is reconciled")
    ((mismatches,),) = service.books.read("SELECT mismatches FROM billing_reconciliation ORDER BY id DESC LIMIT 1")
    findings.wrong += [f"the ledger does not add up: {one}" for one in mismatches]
    open_ones = service.books.read("SELECT name, subject, numbers FROM billing_difference WHERE gone_at IS NULL")
    findings.wrong += [f"the books differ: {one}" for one in open_ones]


def _poll(customer: Customer, path: str) -> dict[str, Any]:
    reply: httpx.Response = customer.read(path)
    body: dict[str, Any] = reply.json()
    return body


def _uuid(public_id: str) -> uuid.UUID:
    return uuid.UUID(public_id.partition("_")[2])
