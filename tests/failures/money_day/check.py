"""The end of the day: every book beside every other. A difference is a line; there must be none.

chain           `manage.py verify_ledger`, beside the anchors that the service logged
reconciliation  all three sides, as the service compares them: our rows, the provider, the chain
clients         what each was told, by its lookups, receipts and balance, beside the database as an outsider reads it
provider        what cards were charged and got back, beside the accounts' balances
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator

from tests import plain_http
from tests.failures.money_day.clients import Client
from tests.failures.money_day.day import Day

PRICE = 314
PER_CENT = 100
Findings = dict[str, list[str]]


def compare(day: Day) -> Findings:
    """All differences, by which comparison found them."""
    log = str(day.service.worker.log)
    reconciled = day.office.do("reconcile", seconds=300)
    return {
        "chain": day.office.do("verify", seconds=300, log=log),
        "reconciliation": [json.dumps(one) for one in reconciled],
        "clients": [*_compare_lookups(day), *_compare_receipts(day)],
        "balances": [line for account in day.opened for line in _compare_balance(day, account)],
    }


def count_compared(day: Day) -> dict[str, int]:
    """How much was compared."""
    records = [client.record for client in day.clients]
    return {
        "lookups told as charged": sum(bool(cost) for one in records for cost in one.lookups.values()),
        "bulk jobs": sum(len(one.bulks) for one in records),
        "receipts of lookups paid by chain": sum(len(one.receipts) for one in records),
        "payments into balances": sum(len(one.payments) for one in records),
        "transfers on the chain": len(day.chain.logs),
        "provider's balance transactions": len(day.provider.balance),
        "ledger entries": day.service.books.count("SELECT count(*) FROM billing_ledgerentry"),
        "anchors": day.service.books.count("SELECT count(*) FROM billing_ledgeranchor"),
    }


def _compare_lookups(day: Day) -> Iterator[str]:
    """Every lookup that cost something was told to its account at that price, and nothing else was told."""
    told: dict[str, tuple[int, int]] = {}
    for client in day.clients:
        for name, cost in client.record.lookups.items():
            told[name] = (client.account, cost)
        for bulk, cost in client.record.bulks.items():
            rows = day.service.books.count(
                "SELECT coalesce(sum(cost), 0) FROM lookups_lookup WHERE bulk_id = %(id)s", id=_uuid(bulk)
            )
            if rows != cost:
                yield f"{bulk} was told to cost {cost}, its rows cost {rows}"
    kept = {
        f"lk_{ask.hex}": (account, cost)
        for ask, account, cost in day.service.books.read(
            "SELECT ask_id, account_id, cost FROM lookups_lookup WHERE account_id IS NOT NULL AND cost > 0"
        )
    }
    told = {name: one for name, one in told.items() if one[1]}
    for name in told.keys() | kept.keys():
        if told.get(name) != kept.get(name):
            yield f"{name}: told {told.get(name)}, kept {kept.get(name)} (account, units)"


def _compare_receipts(day: Day) -> Iterator[str]:
    """A receipt is a transfer on the chain is a payment that is delivered is a sale, one to one."""
    receipts = {transfer: lookup for client in day.clients for transfer, lookup in client.record.receipts.items()}
    mined = {log["transactionHash"] for log in day.chain.logs}
    paid = day.service.books.read(
        "SELECT p.reference, 'lk_' || replace(l.ask_id::text, '-', ''), p.delivered_at IS NOT NULL"
        " FROM billing_payment p LEFT JOIN lookups_lookup l ON l.payment_id = p.id"
        " WHERE p.state = 'paid' AND p.purpose = 'lookup'"
    )
    given = sum(len(client.record.receipts) for client in day.clients)
    if not len(receipts) == len(mined) == len(paid) == given == len(day.chain.logs):
        yield f"{given} receipts of {len(receipts)} transfers, {len(mined)} on the chain, {len(paid)} payments"
    for reference, lookup, delivered in paid:
        if receipts.get(reference) != lookup or reference not in mined or not delivered:
            yield f"{reference}: receipt for {receipts.get(reference)}, payment for {lookup}, delivered {delivered}"
    books = day.service.books.read("SELECT available, held, spent FROM billing_account WHERE role = 'pay_per_request'")
    if books != ([(0, 0, PRICE * len(receipts))] if receipts else books[:0]):
        yield f"the account of lookups paid by request has {books}, {len(receipts)} were paid for"


def _compare_balance(day: Day, account: int) -> Iterator[str]:
    """What came in, less what went back and was spent, as its clients and the provider know it, is what is there."""
    clients = [one for one in day.clients if one.account == account]
    told: dict[str, int] = defaultdict(int)
    for client in clients:
        told["spent"] += sum(client.record.lookups.values()) - client.record.given_back
        told["given"] += client.record.given
        for payment, amount in client.record.payments.items():
            charge = day.provider.charges[payment]
            if amount != charge.cents * PER_CENT:
                yield f"{payment}: told {amount} units, the card was charged {charge.cents} cents"
            told["paid"] += charge.left * PER_CENT
    available = day.opened[account] + told["given"] + told["paid"] - told["spent"]
    [kept] = day.service.books.read("SELECT available, held, spent FROM billing_account WHERE id = %(id)s", id=account)
    if kept != (available, 0, told["spent"]):
        yield f"account {account} has {kept}, by what was told ({available}, 0, {told['spent']})"
    reply = _read_balance(clients[0])
    if reply["balanceStored"] - reply["owedStored"] != available:
        yield f"account {account} is told {reply}, by what was told before it has {available}"


def _read_balance(client: Client) -> dict[str, int]:
    reply = plain_http.get(f"{client.url}/v1/account/balance", headers={"x-api-key": client.secret}, timeout=30)
    said: dict[str, int] = reply.json()
    return said


def _uuid(public_id: str) -> uuid.UUID:
    return uuid.UUID(public_id.partition("_")[2])
