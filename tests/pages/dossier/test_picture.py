"""The picture that stands for a record where its address is shared."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from PIL import Image

from lookups.models import Entity
from lookups.pages.dossier import picture
from tests.pages.dossier.conftest import read
from tests.pages.dossier.records import BIDI, EMOJI, HOSTILE, LONG, SCRIPT, keep

GIVEN: dict[str, Any] = {
    "name": "BLUE HERON LOGISTICS LLC",
    "status": "“Good Standing”",
    "kind": "good",
    "is_old": False,
    "place": "Delaware",
    "read": "read on 20 November 2026",
}


def draw(**more: Any) -> Image.Image:
    raw = picture.draw(**{**GIVEN, **more})
    assert len(raw) < 60_000
    opened = Image.open(io.BytesIO(raw))
    assert (opened.format, opened.size) == ("PNG", (1200, 630))
    return opened.convert("RGB")


class TestThePicture:
    """What is drawn."""

    @pytest.mark.parametrize("name", ["", " ", BIDI, SCRIPT, EMOJI, LONG, "A B " * 300, "\u0300" * 50, "\ud83d"])
    def test_stands_whatever_a_registry_calls_a_company(self, name: str) -> None:
        draw(name=name, status=name, place=name, read=name)

    def test_writes_nothing_over_its_edges(self) -> None:
        drawn = draw(name=LONG, status=LONG, place=LONG, read=LONG)
        paper = drawn.getpixel((2, 2))
        edge = [drawn.getpixel((x, y)) for x in (20, 1180) for y in range(630)]
        assert set(edge) == {paper}

    def test_differs_by_what_the_record_says(self) -> None:
        other = {
            "name": "OTHER LLC",
            "status": "“Dissolved”",
            "kind": "bad",
            "is_old": True,
            "place": "Ohio",
            "read": "x",
        }
        first = draw().tobytes()
        for name, value in other.items():
            assert draw(**{name: value}).tobytes() != first, name

    def test_has_a_neutral_sign_for_what_the_font_lacks(self) -> None:
        assert picture.legible("ACME 漢字 LLC") == "ACME ·· LLC"
        assert picture.legible("Café Ñandú") == "Cafe Nandu"
        assert picture.legible(BIDI) == "ACME CTIXE LLC"
        assert picture.legible("🦩") == "·"


@pytest.mark.django_db
class TestItsAddress:
    """Beside the page."""

    def test_is_named_by_the_page(self, heron: Entity, settings: Any) -> None:
        url = f"{heron.page_url}picture.png"
        page = read(heron.page_url).content.decode()
        assert f'<meta property="og:image" content="{settings.PUBLIC_URL}{url}">' in page
        reply = read(url)
        assert (reply.status_code, reply["Content-Type"]) == (200, "image/png")
        assert reply["Cache-Control"] == "public, max-age=300"
        assert reply["X-Robots-Tag"] == "noindex"

    def test_is_there_as_long_as_the_page_is(self, heron: Entity, settings: Any) -> None:
        assert read("/entity/delaware/nobody-de-1/picture.png").status_code == 404
        settings.ENTITY_PAGES = "off"
        assert read(f"{heron.page_url}picture.png").status_code == 404

    def test_is_drawn_of_a_hostile_record(self) -> None:
        version = keep(read_at=timezone.now() - timedelta(days=2), **HOSTILE)
        assert read(f"{version.entity.page_url}picture.png").status_code == 200
