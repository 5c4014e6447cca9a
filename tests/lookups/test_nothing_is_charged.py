"""What costs nothing, in one table: every way a paid request can end without an answer, against the real API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger, reconciliation
from billing.models import Hold, LedgerEntry
from jurisdictions import services
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_lookup import _spend_all

pytestmark = pytest.mark.django_db
# A name check has a verdict where a lookup finds nothing, and takes neither searchType nor an identifier
NAME_CHECK = ("401", "402", "413", "429", "503")
BULKY = "A" * 70_000


@dataclass
class Scene:
    """Who asks, the register that is asked, and the screws a case may turn."""

    customer: Customer
    register: Register
    settings: Any
    patch: pytest.MonkeyPatch

    def answers(self, status: int) -> None:
        """The register answers with a status."""
        self.register.status = status

    def dawdles(self) -> None:
        """The register is slower than a request waits."""
        self.settings.SYNC_BUDGET_SECONDS, self.register.seconds = 1.0, 3

    def sends_another_page(self) -> None:
        """The register's answer lost a field that must be there."""
        del self.register.rows[0]["dos_id"]
        self.register.find = lambda where: self.register.rows  # type: ignore[method-assign]

    def is_switched_off(self) -> None:
        """An operator switched the state off."""
        services.disable(code="NY", reason="Maintenance")

    def limits(self, **changed: Any) -> None:
        """The key gets another limit."""
        type(self.customer.key).objects.filter(pk=self.customer.key.pk).update(**changed)

    def breaks(self, where: str) -> None:
        """Something of ours raises."""

        def broken(*_: Any, **__: Any) -> None:
            raise RuntimeError("broken")

        self.patch.setattr(where, broken)


def nothing(scene: Scene) -> None:
    """All is well."""


ACME: dict[str, Any] = {"entity_name": "Acme Corp", "state": "NY"}
NOBODY = {**ACME, "entity_name": "Nobody Knows This"}
Case = tuple[int, Any, Callable[[Scene], None]]
CASES: dict[str, Case] = {
    "400 no name": (400, {"state": "NY"}, nothing),
    "400 no JSON": (400, b"{broken", nothing),
    "400 no such state": (400, {**ACME, "state": "ZZ"}, nothing),
    "400 what the state cannot do": (400, {**ACME, "searchType": "ucc"}, nothing),
    "400 an impossible identifier": (400, {"entity_id": "not-a-number", "state": "NY"}, nothing),
    "401 a revoked key": (401, ACME, lambda scene: scene.limits(revoked_at=timezone.now())),
    "402 no credit": (402, ACME, lambda scene: _spend_all(scene.customer)),
    "402 the key's budget is spent": (402, ACME, lambda scene: scene.limits(monthly_budget=0)),
    "403 no right to it": (403, ACME, lambda scene: scene.limits(scopes=["account"])),
    "404 not there": (404, NOBODY, nothing),
    "413 too much": (413, {**ACME, "entity_name": BULKY}, nothing),
    "429 too often": (429, ACME, lambda scene: scene.limits(rate_limit_per_minute=0)),
    "429 too many at once": (429, ACME, lambda scene: scene.limits(concurrent_lookups=0)),
    "503 down": (503, ACME, lambda scene: scene.answers(500)),
    "503 blocked": (503, ACME, lambda scene: scene.answers(403)),
    "503 rate limited": (503, ACME, lambda scene: scene.answers(429)),
    "503 layout changed": (503, ACME, Scene.sends_another_page),
    "503 disabled": (503, ACME, Scene.is_switched_off),
    "503 timeout": (503, ACME, Scene.dawdles),
    "500 a crash while asking": (500, ACME, lambda scene: scene.breaks("lookups.lookup.flow.gateway.fetch")),
    "500 a crash while storing": (500, ACME, lambda scene: scene.breaks("lookups.lookup.storage.store")),
    "500 a crash while charging": (500, ACME, lambda scene: scene.breaks("billing.ledger.capture")),
}


@pytest.fixture
def scene(customer: Customer, register: Register, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(customer, register, settings, monkeypatch)


class TestNothing:
    """No answer, no charge."""

    @pytest.mark.parametrize(("status", "body", "prepare"), CASES.values(), ids=CASES.keys())
    def test_is_charged_on(self, scene: Scene, status: int, body: Any, prepare: Callable[[Scene], None]) -> None:
        prepare(scene)
        before = scene.customer.balance
        reply = scene.customer.post("/v1/lookup", body)
        assert reply.status_code == status, reply.content
        assert reply.json().get("cost", 0) == 0
        assert scene.customer.balance == before
        assert (before.held, before.spent) == (0, 0)
        assert not Hold.objects.filter(state=Hold.State.OPEN).exists()
        assert not LedgerEntry.objects.filter(kind__in=["capture", "charge"]).exists()
        assert reconciliation.run(now=timezone.now()).mismatches == []

    @pytest.mark.parametrize("key", ["live", "none"])
    def test_is_charged_on_a_missing_key(self, scene: Scene, key: str) -> None:
        secret = "osd_" + "a" * 32 if key == "live" else ""
        before = scene.customer.balance
        reply = Customer(scene.customer.account, scene.customer.key, secret).post("/v1/lookup", ACME)
        assert (reply.status_code, scene.customer.balance) == (401, before)

    def test_is_charged_on_a_crash_between_hold_and_capture(self, scene: Scene) -> None:
        def killed(*_: Any, **__: Any) -> None:
            raise SystemExit

        with scene.patch.context() as patch:
            patch.setattr("lookups.lookup.settlement.settle_reply", killed)
            patch.setattr("lookups.lookup.payers.KeyPayer.release", lambda *a, **k: None)  # the process is gone
            with pytest.raises(SystemExit):
                scene.customer.lookup()
        assert (scene.customer.balance.held, scene.customer.balance.spent) == (PRICE, 0)
        ledger.expire_holds(now=timezone.now() + timedelta(minutes=11))
        balance = scene.customer.balance
        assert (balance.available, balance.held, balance.spent) == (10 * PRICE, 0, 0)

    @pytest.mark.parametrize("name", [name for name in CASES if name[:3] in NAME_CHECK])
    def test_is_charged_for_a_name_check_without_a_verdict_on(self, scene: Scene, name: str) -> None:
        status, body, prepare = CASES[name]
        prepare(scene)
        before = scene.customer.balance
        reply = scene.customer.post("/v1/name-availability", body)
        assert reply.status_code == status, reply.content
        assert scene.customer.balance == before
