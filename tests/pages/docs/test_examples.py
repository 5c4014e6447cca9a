"""Every example of the guides is run as it stands, in each language, and its answer is the one that is shown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from celery import current_app
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from lookups import tasks
from lookups.api.schema.document import read
from lookups.pages.docs import contents
from tests.lookups.conftest import Customer, tester  # noqa: F401  (used by pytest)
from tests.pages.docs import examples

PROGRAMS = {"sh": "curl", "python": "python3", "js": "node"}

# What cannot be run as it stands, in each guide, and why
NOT_RUN = {
    "evaluation": 1,  # asks a model of the reader's; a played one is asked in tests/doors/mcp/evaluation
    "evidence": 1,  # names a lookup of the reader's; checking a file is tested in tests/evidence
    "jobs": 1,  # waits for a job by its number
    "keys": 2,  # name a key of the reader's
    "tables": 2,  # pandas, which tests/doors/tables runs where it is installed
    "webhooks": 4,  # sends to the reader's server; verifying is run by tests/lookups/test_webhook_signatures.py
}


@pytest.fixture
def served(live_server: Any, tester: Customer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:  # noqa: F811
    """Runs examples against the running service; what is to be done later is done at once."""

    def work(name: str, kwargs: dict[str, Any] | None = None, **_: Any) -> None:
        if name in ("lookups.tasks.run_job", "lookups.tasks.run_bulk"):
            getattr(tasks, name.rpartition(".")[2])(**(kwargs or {}))

    monkeypatch.setattr(current_app, "send_task", work)
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
    monkeypatch.setattr("lookups.jobs.waiting.POLL_MS", 20)
    return lambda fences: examples.run(fences, host=live_server.url, key=tester.secret, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", PROGRAMS)
class TestAnExample:
    """Of the guides, in one language, from the first to the last: later ones ask for what earlier ones made."""

    def test_is_answered_as_the_guide_shows(self, served: Callable[..., Any], language: str) -> None:
        if shutil.which(PROGRAMS[language]) is None:
            pytest.skip(f"needs {PROGRAMS[language]}")
        runs = examples.list_runs(language)
        assert len(runs) >= 8
        trouble = []
        for (fence, answer), (status, printed) in zip(runs, served([one for one, _ in runs]), strict=True):
            wrong = [] if status == fence.status else [f"answered {status}"]
            if answer is not None:
                wrong += examples.differ(examples.read_answer(answer), json.loads(printed))
            if wrong:
                trouble.append((fence.guide.slug, fence.code, wrong, printed[:2000]))
        assert not trouble, "\n".join(map(str, trouble))


class TestTheGuides:
    """What stands in them as code."""

    def test_run_what_they_show_but_what_is_listed(self) -> None:
        left = {}
        for guide in contents.GUIDES:
            fences = [one for one in examples.list_fences(guide) if one.language in PROGRAMS and not one.runs()]
            if fences:
                left[guide.slug] = len(fences)
        assert left == NOT_RUN

    def test_show_messages_that_fit_the_document(self) -> None:
        registry = Registry().with_resource("urn:openapi", Resource(read(), DRAFT202012))
        webhooks = contents.by_slug()["webhooks"]
        shown = [one for one in examples.list_fences(webhooks) if one.language == "json" and not one.words]
        assert shown
        for fence in shown:
            schema = {"$ref": "urn:openapi#/components/schemas/WebhookTestEvent"}
            jsonschema.Draft202012Validator(schema, registry=registry).validate(json.loads(fence.code))


class TestAnAnswer:
    """As a guide shows it: shortened, with "…" for what differs each time."""

    @pytest.mark.parametrize(
        "found",
        [
            {"a": 1, "b": ["x"]},
            {"a": 2, "b": [{"id": "lk_9"}]},
            {"b": [{"id": "lk_9"}]},
            {"a": True, "b": [{"id": "lk_9"}]},
            [],
        ],
    )
    def test_that_differs_is_noticed(self, found: Any) -> None:
        assert examples.differ({"a": 1, "b": [{"id": "lk_…"}]}, found) != []

    def test_that_has_more_is_the_same(self) -> None:
        assert examples.differ({"a": 1, "b": [{"id": "lk_…"}]}, {"a": 1, "b": [{}, {"id": "lk_9"}], "c": 1}) == []
