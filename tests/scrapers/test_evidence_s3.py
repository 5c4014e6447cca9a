"""`EVIDENCE_STORE=s3://bucket/prefix`: the bytes of evidence at an S3 service."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.evidence import evidence_storage
from scrapers import gateway
from scrapers.evidence import bodies, replay
from scrapers.models import Body, Reading
from scrapers.records import Query
from scrapers.sandbox.magic import MAGIC
from tests.scrapers import s3_service
from tests.scrapers.s3_service import S3Service

pytest.importorskip("storages")
pytest.importorskip("boto3")
pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
def service(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Service]:
    """The store, configured as an operator does it: by EVIDENCE_STORE and the usual variables."""
    with s3_service.running() as running:
        named = {"ACCESS_KEY_ID": "id", "SECRET_ACCESS_KEY": "secret", "DEFAULT_REGION": "us-east-1"}
        for name, value in (named | {"ENDPOINT_URL_S3": running.url}).items():
            monkeypatch.setenv(f"AWS_{name}", value)
        settings.EVIDENCE_STORE = "s3://evidence/of/ours"
        settings.STORAGES = settings.STORAGES | {"evidence": evidence_storage(settings.EVIDENCE_STORE, folder=tmp_path)}
        yield running


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def key(body: bytes) -> str:
    name = sha256(body)
    return f"/evidence/of/ours/{name[:2]}/{name[2:4]}/{name}.z"


class TestBytesAtAnS3Service:
    """Are what they are in a folder."""

    def test_lie_under_their_hashes_below_the_prefix(self, service: S3Service) -> None:
        bodies.keep([b"one", b"two"], until=NOW)
        assert {name: zlib.decompress(body) for name, body in service.objects.items()} == {
            key(b"one"): b"one",
            key(b"two"): b"two",
        }
        assert not Body.objects.exclude(packed=None).exists()

    def test_are_read_back_and_found_out_where_they_are_others(self, service: S3Service) -> None:
        bodies.keep([b"one"], until=NOW)
        assert bodies.read(sha256(b"one")) == b"one"
        service.objects[key(b"one")] = zlib.compress(b"two")
        with pytest.raises(bodies.DamagedBody):
            bodies.read(sha256(b"one"))
        service.objects.clear()
        assert bodies.read(sha256(b"one")) is None

    def test_are_sent_once(self, service: S3Service) -> None:
        for _ in range(2):
            bodies.keep([b"one"], until=NOW)
        assert [one.partition(" ")[0] for one in service.asked].count("PUT") == 1

    def test_go_with_their_time(self, service: S3Service) -> None:
        bodies.keep([b"one"], until=NOW)
        bodies.keep([b"two"], until=NOW + timedelta(days=2))
        assert bodies.prune(now=NOW + timedelta(days=1)) == 1
        assert list(service.objects) == [key(b"two")]

    def test_are_the_ground_of_an_answer(self, service: S3Service, switches: None) -> None:
        reply = gateway.fetch(Query("NY", MAGIC["found"]), now=NOW, budget_seconds=10, sandbox=True)
        assert len(service.objects) == Body.objects.count() > 0
        assert replay.read(Reading.objects.get()) == reply

    def test_that_can_not_be_kept_let_nothing_be_answered(self, service: S3Service, switches: None) -> None:
        service.is_away = True
        with pytest.raises(bodies.StoreAway, match="503"):
            gateway.fetch(Query("NY", MAGIC["found"]), now=NOW, budget_seconds=10, sandbox=True)
        assert not Reading.objects.exists()


@pytest.mark.parametrize("store", ["evidence", "./var", "S3://bucket", "s3://"])
def test_a_store_that_is_none_is_refused(store: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="EVIDENCE_STORE"):
        evidence_storage(store, folder=tmp_path)
