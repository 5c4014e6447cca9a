"""An index costs every row that is written: none is kept that another one makes needless."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import models

OURS = [
    model
    for app in ("billing", "jurisdictions", "lookups", "scrapers")
    for model in apps.get_app_config(app).get_models()
]


def _indexes(model: type[models.Model]) -> Iterator[tuple[str, ...]]:
    """The columns of each index of all rows that can be searched by its beginning."""
    for index in model._meta.indexes:
        if index.fields and index.condition is None and not index.opclasses:
            yield tuple(name.removeprefix("-") for name in index.fields)
    for rule in model._meta.constraints:
        if isinstance(rule, models.UniqueConstraint) and rule.fields and rule.condition is None:
            yield tuple(rule.fields)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.label)
def test_no_index_is_the_beginning_of_another(model: type[models.Model]) -> None:
    longer = list(_indexes(model))
    single = [(field.name,) for field in model._meta.local_fields if field.db_index and not field.unique]

    assert not [one for one in [*single, *longer] for other in longer if one != other and other[: len(one)] == one]
