"""Answers of real registries, as they were recorded or are documented, are proven like those of the sandbox."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger
from jurisdictions.models import Jurisdiction
from lookups.evidence import heads, signing, verify
from lookups.models import Lookup
from scrapers.portal import CanaryKind
from tests.evidence.test_file import list_valid
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_jobs
from tests.portals import world
from tests.portals.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.timeout(900)]


def ask_all(who: Customer, served: World) -> None:
    """Every state that is on, for a company that is active, for one that has ended, for nobody, and for liens."""
    on = set(Jurisdiction.objects.filter(enabled=True).values_list("code", flat=True))
    for (state, kind), case in world.list_canaries().items():
        if state in on:
            served.listen(state, kind)
            more = {"searchType": "ucc"} if kind is CanaryKind.LIEN else {}
            who.lookup(world.name_of(case), state, **more)
            end_jobs()  # of a registry that is known to be slow


class TestRecordedAnswers:
    """Read from a real socket, sold to a customer, and handed out as files."""

    def test_are_proven_to_two_programs(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
    ) -> None:
        account, now = customer.account.pk, timezone.now()
        ledger.deposit(account_id=account, amount=100_000, idempotency_key="d", source="card", now=now)
        customer.key.rate_limit_per_minute = 10_000
        customer.key.save()
        with world.opened(monkeypatch, settings) as served:
            ask_all(customer, served)
        asked = Lookup.objects.exclude(manifest=None).select_related("reading")
        ended = Counter(asked.values_list("verdict", flat=True))
        assert min(ended["found"], ended["not_found"]) >= 15, ended
        assert heads.make(now=timezone.now())
        trusted, files = verify.Trusted(signing.list_published()), []
        for lookup in asked:
            told = customer.get(f"/v1/lookups/{lookup.public_id}/evidence.wacz")
            files.append(bytes(told.content))
            assert verify.is_good(verify.judge(files[-1], trusted)), (lookup, told.content[:200])
            assert lookup.reading is not None
            assert all(one["peer"].startswith("127.0.0.1:") for one in lookup.reading.exchanges if one["status"])
        by_registry = {(one.state, one.verdict): file for one, file in zip(asked, files, strict=True)}
        found = [file for (_, verdict), file in by_registry.items() if verdict == "found"]
        others = {verdict: file for (_, verdict), file in by_registry.items() if verdict != "found"}
        # It looks at the package alone, and takes a tenth of a second: what each registry sent, and each other ending
        assert set(list_valid([*found, *others.values()], tmp_path)) == {True}
