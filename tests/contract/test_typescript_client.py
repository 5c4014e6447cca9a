"""A TypeScript client with types made of the document compiles, strictly, and understands every reply."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract import node
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_bulk, end_jobs

pytestmark = [pytest.mark.xdist_group("node"), pytest.mark.usefixtures("programs")]
Play = Callable[..., str]


def make_types(document: dict[str, Any], folder: Path) -> None:
    """Write the types of the document, and beside them the program that uses them."""
    for name in ("plays.ts", "tsconfig.json", "package.json"):
        shutil.copy(node.SOURCE / name, folder)
    (folder / "node_modules").symlink_to(node.MODULES)
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    done = node.run("openapi-typescript", "openapi.json", "--output", "api.ts", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the client was made and compiled."""
    made = tmp_path_factory.mktemp("typescript")
    make_types(document, made)
    done = node.run("tsc", "--project", ".", folder=made)
    assert done.returncode == 0, done.stdout
    return made


@pytest.fixture
def play(folder: Path, live_server: Any, tester: Customer, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Play:
    """Plays a scene of the program against the running service, and returns what it printed; workers are the test."""
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)

    def run(scene: str, given: str = "", *, keyless: bool = False) -> str:
        secret = "" if keyless else tester.secret
        done = node.run("out/plays.js", live_server.url, secret, scene, given, folder=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


class TestADocumentThatLies:
    """Types made of a damaged document."""

    def test_does_not_compile(self, document: dict[str, Any], tmp_path: Path) -> None:
        damaged = copy.deepcopy(document)
        damaged["components"]["schemas"]["EntityReply"]["properties"]["cost"] = {"type": "string"}
        damaged["components"]["schemas"]["Code"]["enum"].remove("ambiguous_name")
        del damaged["paths"]["/v1/lookup"]["post"]["responses"]["429"]
        make_types(damaged, tmp_path)
        done = node.run("tsc", "--project", ".", "--noEmit", "--pretty", folder=tmp_path)
        assert done.returncode != 0
        for line in ("number(reply.cost)", '"ambiguous_name", "ambiguous"', 'body("lookup", 429'):
            assert line in done.stdout


@pytest.mark.django_db(transaction=True)
class TestATypeScriptClient:
    """plays.ts, a function a reply."""

    @pytest.mark.parametrize(
        "scene",
        [
            "found",  # 200
            "liens",
            "refused",  # 400
            "no_funds",  # 402
            "not_found",  # 404
            "ambiguous",
            "conflict",  # 409
            "too_often",  # 429
            "fails",  # 503
        ],
    )
    def test_understands_what_comes(self, play: Play, scene: str) -> None:
        play(scene)

    def test_understands_what_comes_without_a_key(self, play: Play, settings: Any) -> None:
        settings.SANDBOX_PAYMENTS = True
        play("keyless", keyless=True)

    def test_follows_a_lookup_that_takes_its_time(self, play: Play) -> None:
        job = play("later")
        play("pending", job)
        end_jobs()
        play("ended", job)

    def test_follows_a_bulk_job(self, play: Play) -> None:
        job = play("many")
        end_bulk()
        play("rows", job)

    def test_that_expects_something_else_says_so(self, play: Play) -> None:
        job = play("later")
        with pytest.raises(AssertionError, match="no result"):
            play("ended", job)
