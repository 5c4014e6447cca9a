"""What came of each question is read out of the replies that were kept, into its lookup. Nothing is lost: what a reply
showed of a company that has changed since becomes an earlier version of its record.

Prices, words and shapes are those of version 1.3; this file imports nothing that may change.
"""

import hashlib
import json
import uuid
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import migrations

AT_A_TIME = 500
FLAT = (
    "entityName entityType entityId status formationDate registeredAgentName registeredAgentAddress registeredAgentCity"
    " registeredAgentState registeredAgentZip principalAddress principalCity principalState principalZip mailingAddress"
    " mailingCity mailingState mailingZip officers jurisdiction feiEinNumber sosUrl"
).split()
CHECKED = (
    "available searchedName state conflictingEntities variationNote warning statusNote dataAsOf designatorNote"
    " normalizedName registryVerdict evidence"
).split()
HERE = ("internal_error", "ended_by_operator")


def forwards(apps, schema_editor):
    models = {name: apps.get_model("lookups", name) for name in NAMES}
    replies = _Replies(models)
    versions = _write_versions(models, replies)
    _link_answers(models, versions)
    _fill_lookups(models, replies, versions)
    _link_jobs(models, replies, versions)
    _move_rows(models)
    models["IdempotencyRecord"].objects.filter(status__isnull=False).update(is_answered=True)


NAMES = (
    "Entity",
    "RecordVersion",
    "FilingSet",
    "StoredAnswer",
    "Lookup",
    "Job",
    "BulkRow",
    "IdempotencyRecord",
)


class _Replies:
    """The bodies that were kept, by ask: of jobs and of idempotency keys."""

    def __init__(self, models):
        self.models = models

    def each(self):
        """Ask, status and body of every reply."""
        jobs = self.models["Job"].objects.filter(reply__isnull=False).order_by("pk")
        yield from jobs.values_list("ask_id", "reply_status", "reply").iterator(chunk_size=AT_A_TIME)
        kept = self.models["IdempotencyRecord"].objects.filter(status__isnull=False).order_by("pk")
        for ask, status, body in kept.values_list("ask_id", "status", "body").iterator(chunk_size=AT_A_TIME):
            found = _object(body)
            if found is not None:
                yield ask, status, found

    def of(self, asks):
        """The bodies of these asks."""
        found = dict(self.models["Job"].objects.filter(ask_id__in=asks, reply__isnull=False).values_list("ask_id", "reply"))
        kept = self.models["IdempotencyRecord"].objects.filter(ask_id__in=asks, status__in=(200, 404))
        for ask, body in kept.values_list("ask_id", "body"):
            if ask not in found and (reply := _object(body)) is not None:
                found[ask] = reply
        return found


def _object(body):
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _digest(*facts):
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _moment(text):
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return None


def _is_record(reply):
    data = reply.get("data")
    return bool(reply.get("success")) and isinstance(data, dict) and "entityId" in data and "normalized" in data


def _reading(reply):
    """What one reply showed of a company: its facts, its proof and when it was read."""
    data = reply["data"]
    flat = {name: data.get(name) for name in FLAT}
    normalized = {name: value for name, value in data["normalized"].items() if name != "match"}
    return flat, normalized, data.get("evidence") or {}, _moment(data.get("scrapedAt"))


def _write_versions(models, replies):
    """A version for each different set of facts that is still to be had; (entity's pk, digest) -> the version's pk."""
    earlier = {}
    pages = {}
    for _, status, reply in replies.each():
        if status != 200 or not _is_record(reply):
            continue
        flat, normalized, evidence, read_at = _reading(reply)
        page = reply["data"].get("entityPageUrl") or ""
        if read_at is None:
            continue
        pages[page] = None
        readings = earlier.setdefault((page.strip("/").rpartition("/")[2], flat["entityId"]), {})
        facts = _digest(flat, normalized)
        first, last = readings[facts][2:4] if facts in readings else (read_at, read_at)
        about = (reply.get("state_scraper_version") or "", reply.get("scraper_built_at") or "")
        readings[facts] = (flat, normalized, min(first, read_at), max(last, read_at), evidence, about)
    made = {}
    version = models["RecordVersion"]
    for entity in models["Entity"].objects.order_by("pk").iterator(chunk_size=AT_A_TIME):
        present = {name: entity.data.get(name) for name in FLAT}
        facts = _digest(present, entity.normalized)
        known = earlier.get((entity.slug, entity.entity_id), {})
        first = min([known[facts][2]] if facts in known else [], default=entity.last_read_at)
        known = {
            **{one: reading for one, reading in known.items() if reading[3] <= entity.last_read_at},
            facts: (
                present,
                entity.normalized,
                min(first, entity.last_read_at),
                entity.last_read_at,
                entity.evidence,
                (entity.version, entity.built_at),
            ),
        }
        in_order = sorted(known.items(), key=lambda one: (one[1][3], one[0] == facts))
        for number, (digest, (data, normalized, first, last, evidence, about)) in enumerate(in_order, 1):
            row = version.objects.create(
                entity_id=entity.pk,
                number=number,
                data=data,
                normalized=normalized,
                facts=digest,
                evidence=evidence,
                first_read_at=first,
                last_read_at=last,
                as_of=entity.as_of if digest == facts else None,
                reader_version=about[0][:16],
                reader_built_at=about[1][:40],
            )
            made[entity.pk, digest] = row.pk
        made[entity.pk, None] = made[entity.pk, facts]
    return made


def _link_answers(models, versions):
    for answer in models["StoredAnswer"].objects.order_by("pk").iterator(chunk_size=AT_A_TIME):
        if answer.entity_id is not None:
            answer.version_id = versions[answer.entity_id, None]
        elif answer.filings is not None:
            made = models["FilingSet"].objects.create(
                state=answer.state,
                question=answer.question,
                sandbox=answer.sandbox,
                filings=answer.filings,
                facts=_digest(answer.filings),
                first_read_at=answer.retrieved_at,
                last_read_at=answer.retrieved_at,
            )
            answer.filing_set_id = made.pk
        answer.save(update_fields=["version", "filing_set"])


def _fill_lookups(models, replies, versions):
    price = int(Decimal(settings.PRICE_PER_LOOKUP) * 10_000)
    last = 0
    while True:
        rows = models["Lookup"].objects.select_related("answer", "payment").filter(pk__gt=last).order_by("pk")
        batch = list(rows[:AT_A_TIME])
        if not batch:
            return
        last = batch[-1].pk
        bodies = replies.of([row.ask_id for row in batch])
        for row in batch:
            _fill(models, row, bodies.get(row.ask_id), versions, price)
            row.save()


def _fill(models, row, reply, versions, price):
    row.price = row.cost or (row.payment.amount if row.payment_id else price)
    row.ended_at = row.created_at + timedelta(milliseconds=row.duration_ms or 0)
    row.question = row.question or {
        "state": row.state,
        "name": row.asked,
        "entity_id": None,
        "kind": row.kind,
        "search_by": "debtor",
        "date_after": None,
        "date_before": None,
        "from_copy": False,
    }
    if row.outcome == "found":
        row.verdict = "found"
        _fill_found(models, row, reply, versions)
    elif row.outcome == "not_found":
        row.verdict = "ambiguous" if row.reason == "ambiguous" else "not_found"
        row.reason = ""
        _fill_absence(row, reply or {})
    elif row.outcome == "refused":
        row.verdict = "refused"
        details = (reply or {}).get("details")
        if isinstance(details, dict) and details:
            field, texts = next(iter(details.items()))
            row.refusal, row.note = {"field": field}, str(texts[0]) if texts else ""
    else:
        row.verdict = "failed" if row.reason in HERE else "unavailable"
    if row.source == "cache":
        row.source = "stored"


def _fill_found(models, row, reply, versions):
    if row.kind == "name_check":
        if reply and reply.get("success") and "conflictingEntities" in reply:
            row.verdict = "free" if reply["available"] else "taken"
            row.name_check = {"verdict": row.verdict, **{name: reply.get(name) for name in CHECKED}}
            row.evidence = reply.get("evidence")
        if row.source == "cache":
            row.source = "copy"
        return
    answer = row.answer
    if answer is not None:
        row.version_id, row.filing_set_id = answer.version_id, answer.filing_set_id
        row.match, row.related, row.total = answer.match, answer.related, answer.total
        row.note, row.evidence = answer.note, answer.evidence
        row.data_as_of = answer.as_of or answer.retrieved_at
        row.reader_version, row.reader_built_at = answer.reader_version, answer.reader_built_at
    if reply and reply.get("success") and isinstance(reply.get("data"), dict):
        _fill_from_reply(models, row, reply, versions)
    if row.source == "live" and (row.evidence or {}).get("fromRegister"):
        row.source = "copy"


def _fill_from_reply(models, row, reply, versions):
    data = reply["data"]
    row.evidence = data.get("evidence") or row.evidence
    row.total = reply.get("total_results") or row.total
    row.note = reply.get("note") or ""
    row.data_as_of = _moment(reply.get("dataAsOf")) or row.data_as_of
    row.reader_version = (reply.get("state_scraper_version") or "")[:16]
    row.reader_built_at = (reply.get("scraper_built_at") or "")[:40]
    row.balance_after = _units(reply.get("walletBalance"))
    if _is_record(reply):
        flat, normalized, _, _ = _reading(reply)
        row.match, row.related = data["normalized"].get("match"), data.get("relatedResults") or []
        row.expires_at = _moment(data.get("cacheExpiresAt"))
        entity = row.version_id and models["RecordVersion"].objects.get(pk=row.version_id).entity_id
        row.version_id = versions.get((entity, _digest(flat, normalized)), row.version_id)
    elif "filings" in data and row.filing_set_id is not None:
        kept = models["FilingSet"].objects.get(pk=row.filing_set_id)
        if kept.facts != _digest(data["filings"]):
            read_at = _moment((row.evidence or {}).get("retrievedAt")) or row.created_at
            kept.pk, kept.filings, kept.facts = None, data["filings"], _digest(data["filings"])
            kept.first_read_at = kept.last_read_at = read_at
            kept.save(force_insert=True)
            row.filing_set_id = kept.pk


def _fill_absence(row, reply):
    row.candidates = reply.get("suggestions") or []
    row.evidence, row.note = reply.get("evidence"), reply.get("note") or ""


def _units(text):
    try:
        return int(Decimal(text) * 10_000)
    except (ArithmeticError, TypeError, ValueError):
        return None


def _link_jobs(models, replies, versions):
    """Every job gets its lookup; one that never got so far as to be settled gets a new one."""
    lookups = models["Lookup"].objects
    price = int(Decimal(settings.PRICE_PER_LOOKUP) * 10_000)
    for job in models["Job"].objects.select_related("key", "bulk").order_by("pk").iterator(chunk_size=AT_A_TIME):
        question = {**job.question, "from_copy": False}
        row = lookups.filter(ask_id=job.ask_id).first()
        if row is None:
            row = models["Lookup"](
                ask_id=job.ask_id,
                account_id=job.account_id,
                key_id=job.key_id,
                state=job.state,
                kind=job.question["kind"],
                asked=(job.question["entity_id"] or job.question["name"] or "")[:200],
                sandbox=job.key.mode == "test",
                source="live",
                outcome="source_unavailable",
                request_id=job.request_id,
                created_at=job.created_at,
                price=price,
            )
            _end_unsettled(row, job)
        row.question, row.hold_id = question, row.hold_id or job.hold_id
        if job.bulk_id is not None:
            row.origin, row.bulk_id, row.position = "bulk", job.bulk_id, job.position
        if job.ended_at is not None:
            row.ended_at = job.ended_at
        row.save()
        models["Job"].objects.filter(pk=job.pk).update(lookup_id=row.pk)


def _end_unsettled(row, job):
    if job.ended_at is None:
        return
    reply, row.ended_at = job.reply or {}, job.ended_at
    by_status = {
        410: ("cancelled", ""),
        402: ("failed", "insufficient_balance"),
        503: ("unavailable", reply.get("reason") or "down"),
        400: ("refused", ""),
        404: ("ambiguous" if reply.get("ambiguous") else "not_found", ""),
    }
    broken = ("failed", "ended_by_operator" if "operator" in str(reply.get("error")) else "internal_error")
    row.verdict, row.reason = by_status.get(job.reply_status, broken)
    if row.verdict in ("not_found", "ambiguous"):
        _fill_absence(row, reply)


def _move_rows(models):
    """Rows of bulk requests: the first that asks is the job's lookup, those that repeat it are lookups beside it."""
    rows = models["BulkRow"].objects.select_related("job__lookup").order_by("bulk", "index")
    for row in rows.iterator(chunk_size=AT_A_TIME):
        first = row.job.lookup
        if row.job.position == row.index:
            models["Lookup"].objects.filter(pk=first.pk).update(ref=row.ref)
            continue
        first.repeats_id, first.pk, first.ask_id = first.pk, None, uuid.uuid4()
        first.position, first.ref, first.cost, first.price = row.index, row.ref, 0, 0
        first.question = {**first.question, "name": row.entity_name}
        first.asked = (first.question.get("entity_id") or row.entity_name or "")[:200]
        first._state.adding = True
        first.save(force_insert=True)


class Migration(migrations.Migration):
    dependencies = [("lookups", "0009_kept_lookups")]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
