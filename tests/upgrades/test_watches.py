"""Watches of an installation of before know of a company's other names what they knew, on the way back too."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from lookups.models import WatchBaseline
from tests.lookups.conftest import Customer, at_once, tester  # noqa: F401  (used by pytest)
from tests.lookups.watches.conftest import calls  # noqa: F401  (used by pytest)
from tests.lookups.watches.looks import codes, look, look_again, watch

STEP = import_module("lookups.migrations.0032_assumed_names_of_watches")

pytestmark = pytest.mark.django_db


def test_a_watch_knows_former_and_assumed_names_as_it_knew_both_in_one(tester: Customer) -> None:  # noqa: F811
    watch(tester, state="DE", entity_name="Magic Found LLC", on=["name"])
    look()
    kept = WatchBaseline.objects.get()
    now_known = kept.known
    assert {"formerNames", "assumedNames"} <= {*now_known}
    WatchBaseline.objects.update(carried=dict.fromkeys(("formerNames", "assumedNames"), kept.lookup_id))
    STEP.backwards(apps, None)
    kept.refresh_from_db()
    assert "otherNames" in kept.known
    assert not {"formerNames", "assumedNames"} & {*kept.known}
    assert kept.carried == {"otherNames": kept.lookup_id}
    STEP.forwards(apps, None)
    kept.refresh_from_db()
    assert kept.known == now_known
    assert kept.carried == dict.fromkeys(("formerNames", "assumedNames"), kept.lookup_id)
    look_again()
    assert codes(tester) == []
