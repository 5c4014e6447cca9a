"""Lets a transactional test empty the ledger afterwards: the triggers that forbid it are lifted for that moment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import TransactionTestCase

from billing import append_only


@pytest.fixture(autouse=True, scope="session")
def _empty_ledger_between_tests() -> Iterator[None]:
    original = TransactionTestCase._fixture_teardown

    def teardown(self: TransactionTestCase) -> None:
        append_only.unprotect(connection)
        try:
            original(self)
        finally:
            append_only.protect(connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", teardown)
        yield
