"""Two windows, two people, impatient fingers: what is bought and asked in bulk is bought and asked once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from billing import reconciliation, selectors
from lookups.models import BulkDraft, BulkJob, Lookup, RowAnswer
from tests.workspace.bulk.test_bulk import PRICE, ask, begin
from tests.workspace.conftest import Browser

pytestmark = pytest.mark.django_db(transaction=True)
AtOnce = Callable[..., list[Any]]


class TestManyClicksAtOnce:
    """Each from a browser of its own."""

    def test_buy_a_draft_once(self, office: Browser, at_once: AtOnce) -> None:
        at = begin(office)
        browsers = [Browser(office.member) for _ in range(6)]
        replies = at_once(*[lambda one=one: one.post(f"{at}buy/", {"revision": "1"}) for one in browsers])
        assert len({reply["Location"] for reply in replies}) == 1
        assert "bulk_" in replies[0]["Location"]
        assert (BulkJob.objects.count(), Lookup.objects.count()) == (1, 2)
        assert selectors.get_balance(office.account.pk).held == 2 * PRICE
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_ask_for_a_row_once(self, office: Browser, at_once: AtOnce) -> None:
        at = ask(office, "Company,State\nNobody Knows This,NY\n")
        browsers = [Browser(office.member) for _ in range(6)]
        words = {"entity_name": "Acme Corp", "state": "NY"}
        replies = at_once(*[lambda one=one: one.post(f"{at}rows/0/", words) for one in browsers])
        assert {reply.status_code for reply in replies} == {302}
        assert Lookup.objects.filter(bulk__isnull=True).count() == RowAnswer.objects.count() == 1
        balance = selectors.get_balance(office.account.pk)
        assert (balance.spent, balance.held) == (PRICE, 0)

    def test_change_a_draft_one_after_the_other(self, office: Browser, at_once: AtOnce) -> None:
        at = begin(office, "Company,State\n" + "".join(f"Company {number},NY\n" for number in range(6)))

        def mend(row: int) -> Callable[[], Any]:
            browser, fields = Browser(office.member), {"do": "mend", "row": str(row), f"ref-{row}": f"r{row}"}
            return lambda: browser.post(f"{at}rows/", fields)

        at_once(*map(mend, range(6)))
        draft = BulkDraft.objects.get()
        assert [row["own"] for row in draft.table["rows"]] == [{"ref": f"r{row}"} for row in range(6)]
        assert draft.revision == 7
