"""Anchors: once an hour the heads of all chains that have grown, under one hash that chains to the anchor before.

The hash is logged as well. A log that is kept where the database's owner cannot write is the second witness: whoever
writes an account's chain anew has to write the anchors anew too, and then they are not those of the log.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Max

from billing import chain
from billing.models import AuditEvent, LedgerAnchor, LedgerEntry

log = logging.getLogger(__name__)

FORM = 1
LONGEST_WRITE = timedelta(minutes=30)  # entries are numbered before they can be seen; no transaction takes as long
LOGGED = re.compile(r"ledger anchor (\d+) ([0-9a-f]{64})\b")


def make(*, now: datetime) -> LedgerAnchor:
    """Write and log an anchor of every account that has a new head since the last one."""
    latest = LedgerAnchor.objects.order_by("-id").first()
    bound, known = _find_bound(latest)
    last = LedgerEntry.objects.filter(pk__gt=bound).order_by().values("account").annotate(last=Max("pk"))
    entries = LedgerEntry.objects.filter(pk__in=last.values("last")).order_by("account_id")
    heads = list(entries.values_list("account_id", "pk", "hash"))
    made = LedgerAnchor(
        made_at=now,
        last_entry=max([number for _, number, _ in heads], default=bound),
        heads=[[account, number, hashed] for account, number, hashed in heads if known.get(account) != number],
        audit=_find_audit(),
        previous_hash=latest.hash if latest else "",
    )
    made.hash = hash_of(made)
    made.save(force_insert=True)
    log.info("ledger anchor %s %s: %s accounts, up to entry %s", made.pk, made.hash, len(made.heads), made.last_entry)
    return made


def hash_of(anchor: LedgerAnchor) -> str:
    """Return the hash that an anchor must carry: SHA-256 of a JSON object in ASCII without spaces, names in order."""
    said = {
        "form": FORM,
        "made_at": chain.as_text(anchor.made_at),
        "last_entry": anchor.last_entry,
        "heads": anchor.heads,
        "previous_hash": anchor.previous_hash,
    }
    if anchor.audit:  # older anchors know nothing of the audit log
        said["audit"] = anchor.audit
    return hashlib.sha256(json.dumps(said, separators=(",", ":"), sort_keys=True).encode()).hexdigest()


def read_log(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the anchors that a log tells of, as (number, hash); whatever else stands there is ignored."""
    return [(int(number), hashed) for line in lines for number, hashed in LOGGED.findall(line)]


def _find_audit() -> list[int | str] | None:
    """Return the last event of the audit log, where there is one; its chain is written one event after the other."""
    last = AuditEvent.objects.values_list("pk", "hash").first()
    return list(last) if last else None


def _find_bound(latest: LedgerAnchor | None) -> tuple[int, dict[int, int]]:
    """Return the entry up to which all were seen when the last anchor was made, and the heads anchored since.

    An entry numbered earlier may have been committed later than the anchor: the bound is that of an anchor so much
    older than the last one that everything numbered before it had been committed, or never would be.
    """
    if latest is None:
        return 0, {}
    settled = LedgerAnchor.objects.filter(made_at__lte=latest.made_at - LONGEST_WRITE).order_by("-id").first()
    since = LedgerAnchor.objects.filter(pk__gt=settled.pk if settled else 0).order_by("id")
    known = {account: number for heads in since.values_list("heads", flat=True) for account, number, _ in heads}
    return settled.last_entry if settled else 0, known
