"""Credit that needed a second person of the staff: its customer reads what it was for, and of neither of the two."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from billing import grants
from billing.accounting import chart
from tests.billing.test_admin import staff, url
from tests.workspace.balance.test_balance import PAGE, RECEIPTS, STATEMENT, text_of
from tests.workspace.conftest import Browser

pytestmark = pytest.mark.django_db


def test_names_nobody_of_the_staff_on_any_page(office: Browser, settings: Any) -> None:
    settings.GRANT_CEILING, settings.GRANT_MAXIMUM = 1, 100_000
    to: dict[str, Any] = {"account_id": office.account.pk, "kind": "grant", "amount": 500_000, "token": "t"}
    waits = grants.give(**to, operator="dana", reason=chart.INVOICE, note="PO 78", now=timezone.now())
    entry = grants.approve(grant_id=waits.pk, operator="chief-sam", now=timezone.now()).entry
    assert entry is not None
    office.post(f"{RECEIPTS}{entry.pk}/")
    robin, receipt = staff("robin", "view_ledgerentry"), f"{RECEIPTS}{entry.pk}/"
    pages = [office.get(address) for address in (PAGE, STATEMENT, RECEIPTS, receipt)]
    for page in (*pages, robin.get(url("ledgerentry_receipt", entry.pk))):
        text = text_of(page)
        assert "50.0000" in text
        assert "chief-sam" not in text, page.request["PATH_INFO"]
        assert ("PO 78" in text) == ("receipt/" in page.request["PATH_INFO"] or page.request["PATH_INFO"] == receipt)
