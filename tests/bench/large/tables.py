"""The rows of each table as SQL: a quarter of a year of a service, as it would have come to be.

One account of a thousand asks a tenth of everything, so that the pages of a large customer are measured as well.
"""

# ruff: noqa: E501

from __future__ import annotations

MORE = ("", " HOLDINGS", " PARTNERS", " GROUP", " WEST", " OF OHIO", " SERVICES", " II", " TRADING", " CAPITAL")
STATES = [
    "NY",
    "FL",
    "TX",
    "CO",
    "CT",
    "OR",
    "WA",
    "PA",
    "MA",
    "OH",
    "IL",
    "GA",
    "NC",
    "VA",
    "MI",
    "NJ",
    "AZ",
    "MN",
    "WI",
    "IA",
]
DAYS, ATTEMPT_DAYS, JOB_DAYS = 90, 30, 7
BIG = 1  # the account that asks a tenth


class Sizes:
    """How many rows of what."""

    def __init__(self, entities: int, names: int) -> None:
        self.entities, self.names = entities, names
        self.accounts = max(20, entities // 100)
        self.lookups = self.attempts = self.versions = 5 * entities


def list_tables(sizes: Sizes) -> list[tuple[str, dict[str, str], str]]:
    """Table, columns and the rows they are made of, in an order in which each finds what it refers to."""
    return [*_open_accounts(sizes), *_records(sizes), *_asked(sizes), *_money(sizes), *_work(sizes)]


def _open_accounts(sizes: Sizes) -> list[tuple[str, dict[str, str], str]]:
    """Accounts with a live and a test key each."""
    accounts = {
        "id": "g",
        "name": "initcap(left(b.name, 60)) || ' ' || g",
        "email": "'office' || g || '@customer' || g || '.test'",
        "kind": "'user'",
        "is_active": "true",
        "created_at": f"now() - interval '{DAYS} days'",
        "available": "1000000000",
        "deposited": "1000000000",
    }
    keys = {
        "id": "2 * g + k - 1",
        "account_id": "g",
        "name": "'server'",
        "mode": "CASE k WHEN 0 THEN 'live' ELSE 'test' END",
        "prefix": "'osd_' || lpad(to_hex(g), 6, '0')",
        "secret_hash": "encode(sha256(('secret ' || g || ' ' || k)::bytea), 'hex')",
    }
    several = f"generate_series(1::bigint, {sizes.accounts}) g"
    return [
        ("billing_account", accounts, f"{several} JOIN bench_names b ON b.n = g % {sizes.names}"),
        ("billing_apikey", keys, f"{several}, generate_series(0, 1) k"),
    ]


def _pick(words: list[str], by: str) -> str:
    """A word of a list, the first ones oftener."""
    return f"(ARRAY[{', '.join(repr(word) for word in words)}])[1 + floor(power({by}, 2) * {len(words)})::int]"


def _part(number: str) -> str:
    """A figure between 0 and 1 that is the same for the same row of whatever table."""
    return f"(abs(hashint8({number})::bigint) % 100000 / 100000.0)"


def _records(sizes: Sizes) -> list[tuple[str, dict[str, str], str]]:
    number = f"generate_series(1::bigint, {sizes.entities}) g"
    more = f"(ARRAY[{', '.join(repr(word) for word in MORE)}])[1 + (g / {sizes.names})::int % {len(MORE)}]"
    named = f"{number} JOIN bench_names b ON b.n = g % {sizes.names}"
    entity = {
        "id": "g",
        "state": _pick(STATES, _part("g")),
        "entity_id": "(1000000 + g)::text",
        "slug": "md5(g::text)",
        "name": f"b.name || {more}",
        "name_key": f"b.name_key || lower({more})",
        "last_read_at": f"now() - interval '{DAYS} days' * {_part('g')}",
    }
    version = {
        "entity_id": "1 + (g - 1) / 5",
        "id": "g",
        "number": "1 + (g - 1) % 5",
        "data": "jsonb_build_object('entityName', e.name, 'entityId', e.entity_id, 'status', 'Active', 'entityType', "
        "'Domestic Limited Liability Company', 'agentName', 'Registered Agents ' || g, 'agentAddress', "
        "g || ' Main Street, Hartford, CT 06103', 'formationDate', '2019-04-02')",
        "normalized": '\'{"statusClass": "active", "formationDate": "2019-04-02"}\'::jsonb',
        "facts": "md5(g::text) || md5(g::text)",
        "evidence": '\'{"sourceUrl": "https://registry.test/search", "retrievedAt": "2026-01-01T00:00:00Z"}\'::jsonb',
        "first_read_at": "e.last_read_at - interval '10 days'",
        "last_read_at": "e.last_read_at",
        "reading_id": "CASE g % 5 WHEN 0 THEN g / 5 END",
    }
    reading = {
        "id": "g",
        "attempt_id": "g",
        "state": _pick(STATES, _part("g")),
        "kind": "'business_entity'",
        "outcome": "CASE g % 20 WHEN 0 THEN 'blocked' ELSE 'found' END",
        "exchanges": "jsonb_build_array(jsonb_build_object('method', 'GET', 'url', 'https://registry.test/' || g, "
        "'body', jsonb_build_object('sha256', md5(g::text) || md5(g::text), 'size', 20000)))",
        "read_at": f"now() - interval '{DAYS} days' * (1 - g::float / {sizes.entities})",
        "keep_until": "now() + interval '200 days'",
    }
    answer = {
        "id": "g",
        "state": "e.state",
        "kind": "'business_entity'",
        "question": "encode(sha256(convert_to('id' || chr(31) || lower(e.entity_id), 'UTF8')), 'hex')",
        "asked": "left(e.name, 200)",
        "version_id": "5 * g",
        "evidence": '\'{"sourceUrl": "https://registry.test/search", "retrievedAt": "2026-01-01T00:00:00Z"}\'::jsonb',
        "match": "'{\"score\": 1.0}'::jsonb",
        "total": "1",
        "reading_id": "g",
        "retrieved_at": "e.last_read_at",
    }
    return [
        ("lookups_entity", entity, named),
        (
            "lookups_recordversion",
            version,
            f"generate_series(1::bigint, {sizes.versions}) g JOIN lookups_entity e ON e.id = 1 + (g - 1) / 5",
        ),
        ("scrapers_reading", reading, number),
        ("lookups_storedanswer", answer, f"{number} JOIN lookups_entity e ON e.id = g"),
    ]


def _asked(sizes: Sizes) -> list[tuple[str, dict[str, str], str]]:
    """Lookups in the order they were asked; every fourth is a row of a bulk job of a thousand, every twentieth a watch's."""
    verdict = (
        "CASE WHEN p < .7 THEN 'found' WHEN p < .82 THEN 'not_found' WHEN p < .88 THEN 'ambiguous' "
        "WHEN p < .97 THEN 'unavailable' WHEN p < .99 THEN 'failed' ELSE 'refused' END"
    )
    whose = f"CASE WHEN hashint8(b)::bigint % 10 = 0 THEN {BIG} ELSE 1 + floor(power({_part('b * 7')}, 2) * {sizes.accounts})::bigint END"
    each = (
        f"(SELECT g, {_part('g')} AS p, g % 10 = 3 AS sandbox, CASE g % 4 WHEN 0 THEN g / 4000 END AS bulk, "
        f"CASE g % 4 WHEN 0 THEN -1 - g / 4000 ELSE g END AS b, 1 + (g * 7919) % {sizes.entities} AS entity, "
        f"now() - interval '{DAYS} days' * (1 - g::float / {sizes.lookups}) AS at FROM generate_series(1::bigint, {sizes.lookups}) g) x "
        f"CROSS JOIN LATERAL (SELECT {whose} AS account) w JOIN lookups_entity e ON e.id = x.entity"
    )
    is_found = "p < .7 AND NOT x.sandbox"
    lookup = {
        "id": "g",
        "ask_id": "md5('ask ' || g)::uuid",
        "origin": "CASE WHEN bulk IS NOT NULL THEN 'bulk' WHEN g % 20 = 7 THEN 'watch' WHEN g % 10 = 1 THEN 'page' ELSE 'api' END",
        "account_id": "account",
        "key_id": "2 * account - 1 + x.sandbox::int",
        "hold_id": f"CASE WHEN {is_found} AND bulk IS NULL THEN g END",
        "bulk_id": "CASE WHEN bulk IS NOT NULL THEN md5('bulk ' || bulk)::uuid END",
        "position": "CASE WHEN bulk IS NOT NULL THEN (g / 4) % 1000 END",
        "ref": "CASE g % 5 WHEN 0 THEN 'ref-' || g END",
        "state": "e.state",
        "kind": "CASE WHEN g % 50 = 9 THEN 'name_check' WHEN g % 50 = 11 THEN 'ucc' ELSE 'business_entity' END",
        "asked": "left(e.name, 200)",
        "question": "jsonb_build_object('state', e.state, 'name', e.name, 'entity_id', NULL, 'kind', 'business_entity', "
        "'search_by', 'debtor', 'date_after', NULL, 'date_before', NULL, 'from_copy', false)",
        "sandbox": "x.sandbox",
        "price": "314",
        "cost": f"CASE WHEN {is_found} THEN 314 ELSE 0 END",
        "created_at": "at",
        "verdict": verdict,
        "reason": "CASE WHEN p >= .88 AND p < .97 THEN 'blocked' WHEN p >= .97 AND p < .99 THEN 'internal_error' ELSE '' END",
        "version_id": "CASE WHEN p < .7 THEN 5 * x.entity END",
        "evidence": 'CASE WHEN p < .7 THEN \'{"sourceUrl": "https://registry.test/search", "retrievedAt": "2026-01-01T00:00:00Z"}\'::jsonb END',
        "reading_id": "CASE WHEN p < .7 THEN x.entity END",
        "source": "CASE WHEN p < .2 THEN 'stored' ELSE 'live' END",
        "attempt_id": "g",
        "duration_ms": "(400 + p * 2000)::int",
        "ended_at": "at + interval '1 second'",
        "total": "1",
    }
    attempt = {
        "id": "g",
        "asked_by": "md5('ask ' || g)::uuid",
        "state": "e.state",
        "kind": "'business_entity'",
        "question": "left(e.name, 200)",
        "sandbox": "x.sandbox",
        "outcome": "CASE WHEN p < .7 THEN 'found' WHEN p < .88 THEN 'not_found' WHEN p < .95 THEN 'blocked' ELSE 'timeout' END",
        "stages": '\'[{"name": "search", "ms": 300}, {"name": "detail", "ms": 250}]\'::jsonb',
        "duration_ms": "(400 + p * 2000)::int",
        "started_at": f"now() - interval '{ATTEMPT_DAYS} days' * (1 - g::float / {sizes.attempts})",
    }
    bulk = {
        "id": "md5('bulk ' || b)::uuid",
        "account_id": "account",
        "key_id": "2 * account - 1",
        "total": "1000",
        "questions": "1000",
        "created_at": "made",
        "deadline": "made + interval '1 day'",
        "ended_at": "made + interval '1 hour'",
    }
    whose_bulk = whose.replace("hashint8(b)", "hashint8(-1 - b)").replace("b * 7", "(-1 - b) * 7")
    bulks = (
        f"(SELECT b, {whose_bulk} AS account, now() - interval '{DAYS} days' * (1 - b * 4000.0 / {sizes.lookups}) AS made "
        f"FROM generate_series(0::bigint, {sizes.lookups // 4000}) b) x"
    )
    return [
        ("lookups_bulkjob", bulk, bulks),
        ("lookups_lookup", lookup, each),
        ("scrapers_scrapeattempt", attempt, each),
    ]


def _money(sizes: Sizes) -> list[tuple[str, dict[str, str], str]]:
    """Every live lookup was held for, and captured or released; one of ten was preceded by a deposit."""
    live = "lookups_lookup l WHERE NOT sandbox"
    hold = {
        "id": "l.id",
        "account_id": "account_id",
        "key_id": "key_id",
        "amount": "314",
        "state": "CASE WHEN cost > 0 THEN 'captured' ELSE 'released' END",
        "reference": "l.state || ' ' || left(asked, 190)",
        "created_at": "created_at",
        "expires_at": "created_at + interval '15 minutes'",
        "ended_at": "ended_at",
    }
    common = {
        "account_id": "account_id",
        "amount": "314",
        "available_after": "1000000000",
        "created_at": "created_at",
        "fingerprint": "repeat('f', 64)",
        "reference": "l.state || ' ' || left(asked, 190)",
        "hold_id": "l.id",
        "key_id": "key_id",
        "hash": "md5(l.id::text) || md5(l.id::text)",
        "previous_hash": "md5((l.id - 1)::text) || md5((l.id - 1)::text)",
    }
    held = common | {
        "id": "2 * l.id",
        "kind": "'hold'",
        "available_change": "-314",
        "held_change": "314",
        "held_after": "314",
        "idempotency_key": "'lookup:' || ask_id || ':hold'",
    }
    ended = common | {
        "id": "2 * l.id + 1",
        "kind": "CASE WHEN cost > 0 THEN 'capture' ELSE 'release' END",
        "available_change": "CASE WHEN cost > 0 THEN 0 ELSE 314 END",
        "held_change": "-314",
        "spent_change": "cost",
        "idempotency_key": "'lookup:' || ask_id || ':taken'",
    }
    paid = common | {
        "id": f"{2 * sizes.lookups + 2} + l.id",
        "kind": "'deposit'",
        "amount": "10000",
        "available_change": "10000",
        "hold_id": "NULL::bigint",
        "key_id": "NULL::bigint",
        "source": "'card'",
        "idempotency_key": "'topup:' || l.id",
    }
    topup = {"id": "l.id", "account_id": "account_id", "amount": "10000", "state": "'paid'", "created_at": "created_at"}
    topup |= {"session_id": "'cs_' || l.id", "payment_intent": "'pi_' || l.id"}
    payment = {
        "account_id": "account_id",
        "challenge_id": "md5(l.id::text)",
        "proof_hash": "md5(l.id::text)",
        "method": "'tempo'",
        "purpose": "'topup'",
        "amount": "10000",
        "state": "'paid'",
        "payer": "'0x' || md5(account_id::text)",
        "created_at": "created_at",
        "ended_at": "ended_at",
    }
    tenth = "lookups_lookup l WHERE id % 10 = 0"
    event = {
        "at": f"now() - interval '{DAYS} days' * (1 - g::float / {sizes.lookups // 10})",
        "kind": "'changed'",
        "actor": "'person' || g % 20",
        "subject": f"'billing.account ' || g % {sizes.accounts}",
        "previous_hash": "md5((g - 1)::text) || md5((g - 1)::text)",
        "hash": "md5(g::text) || md5(g::text)",
    }
    return [
        ("billing_hold", hold, live),
        ("billing_ledgerentry", held, live),
        ("billing_ledgerentry", ended, live),
        ("billing_ledgerentry", paid, f"{tenth} AND NOT sandbox"),
        ("billing_topup", topup, f"{tenth} AND NOT sandbox"),
        ("billing_payment", payment, tenth),
        ("billing_auditevent", event, f"generate_series(1::bigint, {sizes.lookups // 10}) g"),
    ]


def _work(sizes: Sizes) -> list[tuple[str, dict[str, str], str]]:
    """A week of jobs and messages, and a watch for every twentieth company."""
    job = {
        "id": "md5('job ' || l.id)::uuid",
        "account_id": "account_id",
        "key_id": "key_id",
        "lookup_id": "l.id",
        "bulk_id": "bulk_id",
        "ask_id": "ask_id",
        "state": "state",
        "status": "CASE WHEN verdict IN ('failed', 'unavailable') THEN 'failed' ELSE 'complete' END",
        "created_at": "created_at",
        "deadline": "created_at + interval '1 hour'",
        "ended_at": "ended_at",
    }
    delivery = {
        "id": "md5('message ' || l.id)::uuid",
        "account_id": "account_id",
        "job_id": "md5('job ' || l.id)::uuid",
        "livemode": "NOT sandbox",
        "channel": "'webhook'",
        "event": "'lookup.complete'",
        "address": "'https://customer' || account_id || '.test/hook'",
        "body": "repeat('{\"a\": 1}', 100)",
        "status": "CASE WHEN l.id % 50 = 2 THEN 'given_up' ELSE 'delivered' END",
        "created_at": "created_at",
        "delivered_at": "CASE WHEN l.id % 50 = 2 THEN NULL ELSE created_at END",
    }
    watch = {
        "id": "md5('watch ' || g)::uuid",
        "account_id": f"CASE WHEN g % 10 = 0 THEN {BIG} ELSE 1 + g % {sizes.accounts} END",
        "key_id": f"2 * (CASE WHEN g % 10 = 0 THEN {BIG} ELSE 1 + g % {sizes.accounts} END) - 1",
        "state": "e.state",
        "entity_id": "e.entity_id",
        "name": "e.name",
        "every": "'month'",
        "categories": "'[\"status\"]'::jsonb",
        "status": "'active'",
        "next_at": f"now() + interval '30 days' * {_part('g')}",
        "created_at": f"now() - interval '{DAYS} days'",
    }
    watched = max(1, sizes.entities // 20)
    check = {
        "watch_id": f"md5('watch ' || 1 + l.id % {watched})::uuid",
        "kind": "'business_entity'",
        "lookup_id": "l.id",
        "turn": f"l.id / {watched}",
        "result": "'unchanged'",
        "created_at": "created_at",
        "ended_at": "ended_at",
    }
    seen = {
        "id": "md5('event ' || l.id)::uuid",
        "account_id": f"CASE WHEN l.id % 10 = 7 THEN {BIG} ELSE 2 + l.id % {sizes.accounts - 1} END",
        "watch_id": f"md5('watch ' || 1 + l.id % {watched})::uuid",
        "number": "l.id",
        "category": "'status'",
        "code": "'status.inactive'",
        "severity": "'high'",
        "created_at": "created_at",
        "mailed_at": "created_at",
    }
    lately = f"lookups_lookup l WHERE created_at > now() - interval '{JOB_DAYS} days' AND (bulk_id IS NOT NULL OR id % 5 = 2)"
    return [
        ("lookups_job", job, lately),
        ("lookups_delivery", delivery, f"{lately} AND bulk_id IS NULL"),
        ("lookups_watch", watch, f"generate_series(1::bigint, {watched}) g JOIN lookups_entity e ON e.id = g"),
        ("lookups_watchcheck", check, "lookups_lookup l WHERE l.id % 20 = 7"),
        ("lookups_watchevent", seen, "lookups_lookup l WHERE l.id % 100 = 7"),
    ]
