"""What came of each question is read out of the replies that were kept, into its lookup.

What a reply showed of a company or of its filings, and has changed since, becomes an earlier version. Prices, words and
shapes are those of version 1.3; this file imports nothing that may change.
"""

import hashlib
import json
import uuid
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice

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
RETRYABLE = ("down", "blocked", "rate_limited", "timeout")
NO_REASON = "The registry refused this question."
NOT_KEPT = "What was answered then was not kept."


def forwards(apps, schema_editor):
    models = {model.__name__: model for model in apps.get_app_config("lookups").get_models()}
    models["LedgerEntry"] = apps.get_model("billing", "LedgerEntry")
    price = int(Decimal(settings.PRICE_PER_LOOKUP) * 10_000)
    versions = _write_versions(models)
    sets = _write_filing_sets(models)
    _fill_lookups(models, versions, sets, price)
    _link_jobs(models, price)
    _move_rows(models)
    _mark_keys(models)


# Replies


def _in_batches(rows):
    """The rows of a query in the order written, with the replies to their asks."""
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:AT_A_TIME]):
        last = batch[-1].pk
        yield batch


def _list_replies(models, asks):
    """The bodies that were kept for these asks: of jobs, and under idempotency keys."""
    jobs = models["Job"].objects.filter(ask_id__in=asks, reply__isnull=False)
    found = dict(jobs.values_list("ask_id", "reply"))
    kept = models["IdempotencyRecord"].objects.filter(ask_id__in=asks, status__in=(200, 404))
    for ask, body in kept.values_list("ask_id", "body"):
        found.setdefault(ask, _object(body))
    return {ask: reply for ask, reply in found.items() if isinstance(reply, dict)}


def _found_replies(models, kind):
    """Lookups that found something, with the replies that are still to be had of them."""
    for batch in _in_batches(models["Lookup"].objects.filter(outcome="found", kind=kind)):
        replies = _list_replies(models, [row.ask_id for row in batch])
        for row in batch:
            reply = replies.get(row.ask_id) or {}
            if reply.get("success") and isinstance(reply.get("data"), dict):
                yield row, reply


def _object(body):
    try:
        return json.loads(body)
    except ValueError:
        return None


def _digest(*facts):
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _moment(text):
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return None


# Records and filings


def _write_versions(models):
    """A version for each change of a company that is still to be seen, and the answers' links to the last.

    Gives the version behind each reading, by (state, identifier, sandbox, moment).
    """
    facts_of, readings = {}, {}
    for row, reply in _found_replies(models, "business_entity"):
        data, normalized = reply["data"], dict(reply["data"].get("normalized") or {})
        read_at, as_of = _moment(data.get("scrapedAt")), _moment(reply.get("dataAsOf"))
        if read_at is None:
            continue
        normalized.pop("match", None)
        facts = ({name: data.get(name) for name in FLAT}, normalized)
        digest = _digest(*facts)
        facts_of[digest] = facts
        about = (reply.get("state_scraper_version") or "", reply.get("scraper_built_at") or "")
        same = readings.setdefault((row.state, data.get("entityId"), row.sandbox), {})
        same[read_at] = (digest, data.get("evidence") or {}, as_of if as_of != read_at else None, about)
    made = {}
    for entity in models["Entity"].objects.order_by("pk").iterator(chunk_size=AT_A_TIME):
        key = (entity.state, entity.entity_id, entity.sandbox)
        present = ({name: entity.data.get(name) for name in FLAT}, entity.normalized)
        last = (_digest(*present), entity.evidence, entity.as_of, (entity.version, entity.built_at))
        known = {at: one for at, one in readings.get(key, {}).items() if at < entity.last_read_at}
        known[entity.last_read_at] = last
        for number, run in enumerate(_runs(known), 1):
            digest, evidence, as_of, about = run[-1][1]
            facts = present if digest == last[0] else facts_of[digest]
            version = models["RecordVersion"].objects.create(
                entity_id=entity.pk,
                number=number,
                data=facts[0],
                normalized=facts[1],
                facts=digest,
                evidence=evidence,
                first_read_at=run[0][0],
                last_read_at=run[-1][0],
                as_of=as_of,
                reader_version=about[0][:16],
                reader_built_at=about[1][:40],
            )
            made.update({(*key, at): version.pk for at, _ in run})
        models["StoredAnswer"].objects.filter(entity_id=entity.pk).update(version_id=version.pk)
    return made


def _write_filing_sets(models):
    """The same for UCC filings; gives the set behind each reading, by (answer's pk, moment)."""
    filings_of, readings, made = {}, {}, {}
    for row, reply in _found_replies(models, "ucc"):
        data = reply["data"]
        read_at = _moment((data.get("evidence") or {}).get("retrievedAt"))
        if read_at is not None and "filings" in data:
            digest = _digest(data["filings"])
            filings_of[digest] = data["filings"]
            readings.setdefault(row.answer_id, {})[read_at] = (digest,)
    for answer in models["StoredAnswer"].objects.filter(filings__isnull=False).iterator(chunk_size=AT_A_TIME):
        known = {at: one for at, one in readings.get(answer.pk, {}).items() if at < answer.retrieved_at}
        known[answer.retrieved_at] = (_digest(answer.filings),)
        filings_of[_digest(answer.filings)] = answer.filings
        for run in _runs(known):
            filing_set = models["FilingSet"].objects.create(
                state=answer.state,
                question=answer.question,
                sandbox=answer.sandbox,
                filings=filings_of[run[-1][1][0]],
                facts=run[-1][1][0],
                first_read_at=run[0][0],
                last_read_at=run[-1][0],
            )
            made.update({(answer.pk, at): filing_set.pk for at, _ in run})
        models["StoredAnswer"].objects.filter(pk=answer.pk).update(filing_set_id=filing_set.pk)
    return made


def _runs(readings):
    """Readings by time, those that follow each other with the same facts together."""
    runs = []
    for at, reading in sorted(readings.items(), key=lambda one: one[0]):
        if runs and runs[-1][-1][1][0] == reading[0]:
            runs[-1].append((at, reading))
        else:
            runs.append([(at, reading)])
    return runs


# Lookups


def _fill_lookups(models, versions, sets, price):
    for batch in _in_batches(models["Lookup"].objects.select_related("answer", "payment")):
        replies = _list_replies(models, [row.ask_id for row in batch])
        left = _list_balances(models, batch)
        for row in batch:
            reply = replies.get(row.ask_id) or {}
            _fill(row, reply, price)
            if row.verdict == "found":
                _fill_found(row, reply, versions, sets)
                row.balance_after = left.get(row.ask_id, _balance(reply, price))
            row.save(force_update=True)  # many times faster than bulk_update of so many columns


def _list_balances(models, batch):
    """What was left after each of these lookups was paid for, by its ask."""
    keys = {}
    for row in batch:
        keys[f"lookup:{row.ask_id}:charge"] = keys[f"lookup:{row.ask_id}:taken"] = row.ask_id
        if row.hold_id:
            keys.setdefault(f"hold:{row.hold_id}:capture", row.ask_id)
    words, found = iter(keys), {}
    accounts = {row.account_id for row in batch}
    while some := list(islice(words, AT_A_TIME)):
        entries = models["LedgerEntry"].objects.filter(account_id__in=accounts, idempotency_key__in=some)
        found.update((keys[word], left) for word, left in entries.values_list("idempotency_key", "available_after"))
    return found


def _balance(reply, price):
    """What was left, where no entry of the ledger says it: as near as the reply's cents and whole lookups tell."""
    try:
        left, covered = int(Decimal(reply["walletBalance"]) * 10_000), reply["lookupsRemaining"]
    except (ArithmeticError, KeyError, TypeError):
        return None
    return min(max(left, covered * price), covered * price + price - 1) if left > 0 and price else left


def _fill(row, reply, price):
    row.price = row.cost or (row.payment.amount if row.payment_id else price)
    row.ended_at = row.created_at + timedelta(milliseconds=row.duration_ms or 0)
    from_copy = row.kind == "name_check" and row.source == "cache"
    row.question = {
        "state": row.state,
        "name": row.asked,
        "entity_id": None,
        "kind": row.kind,
        "search_by": "debtor",
        "date_after": None,
        "date_before": None,
        "from_copy": from_copy,
    }
    if row.source == "cache":
        row.source = "copy" if from_copy else "stored"
    if row.outcome == "found":
        row.verdict = "found"
    elif row.outcome == "not_found":
        _end_absent(row, reply, ambiguous=row.reason == "ambiguous")
    elif row.outcome == "refused":
        _end_refused(row, reply)
    elif row.reason in HERE:
        row.verdict = "failed"
    else:
        _end_unavailable(row, reply)


def _end_absent(row, reply, *, ambiguous):
    row.verdict, row.reason = "ambiguous" if ambiguous else "not_found", ""
    row.candidates = reply.get("suggestions") or []
    row.evidence, row.note = reply.get("evidence"), reply.get("note") or ""


def _end_refused(row, reply):
    row.verdict = "refused"
    details = reply.get("details")
    if not isinstance(details, dict) or not details:
        details = {"entity_name": [NO_REASON]}
    field, texts = next(iter(details.items()))
    row.refusal, row.note = {"field": field}, str(texts[0]) if texts else ""


def _end_unavailable(row, reply):
    row.verdict, row.note = "unavailable", reply.get("note") or ""
    if reply.get("retryable") and row.reason not in RETRYABLE:
        row.retry_at = row.ended_at + timedelta(minutes=1)


def _fill_found(row, reply, versions, sets):
    if row.kind == "name_check":
        _fill_check(row, reply)
    else:
        _fill_answer(row)
        if reply.get("success") and isinstance(reply.get("data"), dict):
            _fill_from_reply(row, reply, versions, sets)
    if row.source == "live" and (row.evidence or {}).get("fromRegister"):
        row.source = "copy"


def _fill_check(row, reply):
    if "conflictingEntities" in reply:
        row.verdict = "free" if reply["available"] else "taken"
        check = {name: reply.get(name) for name in CHECKED}
    else:
        row.verdict = "cannot_say"
        check = dict.fromkeys(CHECKED) | {"searchedName": row.asked, "state": row.state}
        check |= {"conflictingEntities": [], "statusNote": NOT_KEPT}
    row.name_check, row.evidence = {"verdict": row.verdict, **check}, check["evidence"]


def _fill_answer(row):
    """By the answer to the same question as it is now: all there is where no reply was kept."""
    answer = row.answer
    if answer is None:
        return
    row.version_id, row.filing_set_id = answer.version_id, answer.filing_set_id
    row.match, row.related, row.total = answer.match, answer.related, answer.total
    row.note, row.evidence = answer.note, answer.evidence
    row.data_as_of = answer.as_of or answer.retrieved_at
    row.reader_version, row.reader_built_at = answer.reader_version, answer.reader_built_at


def _fill_from_reply(row, reply, versions, sets):
    data = reply["data"]
    row.evidence, row.total = data.get("evidence"), reply.get("total_results") or 0
    row.note = reply.get("note") or ""
    row.data_as_of = _moment(reply.get("dataAsOf"))
    row.reader_version = (reply.get("state_scraper_version") or "")[:16]
    row.reader_built_at = (reply.get("scraper_built_at") or "")[:40]
    read_at = _moment((row.evidence or {}).get("retrievedAt"))
    if row.kind == "ucc":
        row.filing_set_id = sets.get((row.answer_id, read_at), row.filing_set_id)
        return
    row.match, row.related = (data.get("normalized") or {}).get("match"), data.get("relatedResults") or []
    row.expires_at = _moment(data.get("cacheExpiresAt"))
    key = (row.state, data.get("entityId"), row.sandbox)
    row.version_id = versions.get((*key, _moment(data.get("scrapedAt"))), row.version_id)


# Jobs, rows of bulk requests, keys


def _link_jobs(models, price):
    """Every job gets its lookup; one that never got so far as to be settled gets a new one."""
    jobs = models["Job"].objects.select_related("key", "bulk", "hold").defer("reply").order_by("pk")
    settled = models["Lookup"].objects.filter(ask_id__in=models["Job"].objects.values("ask_id"))
    known = {ask: (pk, hold) for ask, pk, hold in settled.values_list("ask_id", "pk", "hold_id")}
    for job in jobs.iterator(chunk_size=AT_A_TIME):
        lookup, hold = known.get(job.ask_id) or (_write_unsettled(models, job, price), None)
        place = {"origin": "bulk", "bulk_id": job.bulk_id, "position": job.position} if job.bulk_id else {}
        question = {**job.question, "from_copy": False}
        same = models["Lookup"].objects.filter(pk=lookup)
        same.update(question=question, hold_id=hold or job.hold_id, **place)
        models["Job"].objects.filter(pk=job.pk).update(lookup_id=lookup)


def _write_unsettled(models, job, price):
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
        price=_price(job, price),
    )
    _end_unsettled(row, job)
    row.save(force_insert=True)
    return row.pk


def _price(job, price):
    """What was held for this question."""
    if job.hold is None:
        return price
    return job.hold.amount // job.bulk.questions if job.bulk_id else job.hold.amount


def _end_unsettled(row, job):
    if job.ended_at is None:
        return
    reply, row.ended_at = job.reply or {}, job.ended_at
    row.duration_ms = max(0, round((job.ended_at - job.created_at).total_seconds() * 1000))
    if job.reply_status == 404:
        _end_absent(row, reply, ambiguous=bool(reply.get("ambiguous")))
    elif job.reply_status == 400:
        _end_refused(row, reply)
    elif job.reply_status == 503:
        row.reason = reply.get("reason") or "down"
        _end_unavailable(row, reply)
    elif job.reply_status == 410:
        row.verdict = "cancelled"
    elif job.reply_status == 402:
        row.verdict, row.reason = "failed", "insufficient_balance"
        row.balance_after = reply.get("balanceStored")
    else:
        row.verdict = "failed"
        row.reason = "ended_by_operator" if reply.get("error") == "Ended by the operator" else "internal_error"


def _move_rows(models):
    """Rows of bulk requests: the first that asks is the job's lookup, those that repeat it are lookups beside it."""
    rows = models["BulkRow"].objects.select_related("job__lookup").order_by("bulk", "index")
    repeated = []
    for row in rows.iterator(chunk_size=AT_A_TIME):
        lookup = row.job.lookup
        if row.job.position == row.index:
            models["Lookup"].objects.filter(pk=lookup.pk).update(ref=row.ref)
            continue
        lookup.repeats_id, lookup.pk, lookup.ask_id = lookup.pk, None, uuid.uuid4()
        lookup.position, lookup.ref, lookup.cost, lookup.price = row.index, row.ref, 0, 0
        lookup.question = {**lookup.question, "name": row.entity_name}
        lookup.asked = (lookup.question.get("entity_id") or row.entity_name or "")[:200]
        lookup._state.adding = True
        repeated.append(lookup)
    models["Lookup"].objects.bulk_create(repeated, batch_size=100)


def _mark_keys(models):
    """A key that was answered with a job stays with it, also where an operator had the job asked anew."""
    keys = models["IdempotencyRecord"].objects.filter(status__isnull=False)
    for pk, ask, body in keys.filter(status=202).values_list("pk", "ask_id", "body").iterator():
        word = str((_object(body) or {}).get("jobId", ""))
        if not word.startswith("job_"):
            continue
        now = models["Job"].objects.filter(pk=uuid.UUID(word.removeprefix("job_"))).values_list("ask_id", flat=True)
        if now and now[0] != ask:
            keys.filter(pk=pk).update(ask_id=now[0])
    keys.update(is_answered=True)


class Migration(migrations.Migration):
    dependencies = [("lookups", "0009_kept_lookups")]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
