"""Every time of day that customers read names its zone where it stands: a phone does not show the heads of columns."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

ROOMS = ("workspace", "pages", "parts", "docs")
TIME = re.compile(r'\{\{[^{}]*\|date:"[^"]*H:i[^"]*"\s*\}\}(?P<behind>.{0,4})', re.S)


def find_without_zone(template: str) -> list[str]:
    return [found[0] for found in TIME.finditer(template) if found["behind"] != " UTC"]


class TestATime:
    @pytest.mark.parametrize("room", ROOMS)
    def test_names_its_zone(self, room: str) -> None:
        files = sorted((settings.BASE_DIR / "templates" / room).rglob("*.html"))
        found = {file.name: wrong for file in files if (wrong := find_without_zone(file.read_text()))}
        assert files
        assert found == {}

    def test_without_one_is_found(self) -> None:
        assert find_without_zone('<td>{{ one.at|date:"Y-m-d H:i" }}</td>')
        assert not find_without_zone('<td>{{ one.at|date:"Y-m-d H:i" }} UTC, {{ one.at|date:"j F Y" }}</td>')
