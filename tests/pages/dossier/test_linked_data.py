"""The record for machines, judged by the types that schema.org's vocabulary gives TypeScript."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from tests.contract import node
from tests.pages.dossier.conftest import read
from tests.pages.dossier.records import HOSTILE, HOSTILE_READ, keep

pytestmark = pytest.mark.django_db
BLOCK = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
CHECK = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
]


def graph_of(url: str) -> dict[str, Any]:
    [block] = BLOCK.findall(read(url).content.decode())
    told: dict[str, Any] = json.loads(block)
    return told


@pytest.fixture
def graphs(settings: Any) -> list[dict[str, Any]]:
    """What the pages of a plain record, of an empty, of a hostile one and of a state say."""
    settings.ENTITY_PAGES = "public"
    blank = dict.fromkeys(("status", "formationDate", "principalAddress", "principalCity", "sosUrl"))
    at = timezone.now() - timedelta(days=2)
    plain = keep(read_at=at)
    empty = keep(read_at=at, entityId="2", **blank, normalized={"formationDate": None, "formerNames": []})
    hostile = keep(read_at=at, entityId="3", **HOSTILE, normalized=HOSTILE_READ)
    urls = [*(version.entity.page_url for version in (plain, empty, hostile)), "/entity/delaware/"]
    return [graph_of(url) for url in urls]


class TestTheRecordForMachines:
    """schema.org's Organization and BreadcrumbList."""

    def test_has_name_number_days_and_address(self, graphs: list[dict[str, Any]], settings: Any) -> None:
        company, trail = graphs[0]["@graph"]
        at = settings.PUBLIC_URL
        assert company["name"] == company["legalName"] == "BLUE HERON LOGISTICS LLC"
        assert company["url"] == f"{at}/entity/delaware/blue-heron-logistics-llc-de-700123/"
        assert company["identifier"]["value"] == "700123"
        assert company["foundingDate"] == "2011-03-14"
        assert company["address"]["streetAddress"] == "14 QUAY STREET"
        assert company["alternateName"] == ["BLUE HERON FREIGHT", "HERON & SONS HAULAGE LLC"]
        assert [(one["position"], one["name"]) for one in trail["itemListElement"]] == [
            (1, "States"),
            (2, "Delaware"),
            (3, "BLUE HERON LOGISTICS LLC"),
        ]

    def test_has_each_name_whole_or_not_at_all(self, settings: Any) -> None:
        """The first letters and "… (90 more characters)" were published as the legal name of a company."""
        settings.ENTITY_PAGES = "public"
        long, book = f"THE {'VERY ' * 56}LONG NAMED COMPANY LLC", "VERY " * 200
        for number, (name, told) in enumerate(((long, long), (book, None))):
            names = {"formerNames": [name, "HERON LLC"], "assumedNames": []}
            kept = keep(read_at=timezone.now(), entityId=f"{number}", entityName=name, normalized=names)
            company = graph_of(kept.entity.page_url)["@graph"][0]
            assert (company.get("name"), company.get("legalName")) == (told, told)
            assert company["alternateName"] == [*([told] if told else []), "HERON LLC"]

    def test_leads_only_where_there_is_a_page(self, graphs: list[dict[str, Any]], settings: Any) -> None:
        keep(read_at=timezone.now())
        for graph in graphs:
            trail = graph["@graph"][-1]
            for step in trail["itemListElement"]:
                assert step["item"].startswith(settings.PUBLIC_URL)
                assert read(urlsplit(step["item"]).path).status_code == 200

    def test_has_whole_addresses_and_real_days(self, graphs: list[dict[str, Any]]) -> None:
        texts = [text for graph in graphs for text in _list_texts(graph)]
        assert len(texts) > 40
        for name, text in texts:
            if name in ("url", "item", "@id", "sameAs"):
                assert urlsplit(text).scheme in ("http", "https"), text
            if name in ("foundingDate", "dateModified"):
                date.fromisoformat(text)
            assert text, name

    @pytest.mark.slow
    @pytest.mark.skipif(bool(node.find_missing()), reason="needs npm")
    def test_is_what_schema_org_has_words_for(self, graphs: list[dict[str, Any]], tmp_path: Path) -> None:
        wrong = {**graphs[0], "@graph": [{**graphs[0]["@graph"][0], "legalNames": "x"}]}
        complaints = _compile([*graphs, wrong], tmp_path).stdout.splitlines()
        assert [line for line in complaints if not line.startswith((f"page{len(graphs)}.ts", " "))] == []
        assert any("does not exist in type 'OrganizationLeaf'" in line for line in complaints)


def _compile(graphs: list[dict[str, Any]], folder: Path) -> Any:
    """Each in a file of its own, all at once: to read the vocabulary takes by far the longest."""
    (folder / "node_modules").symlink_to(node.MODULES)
    for number, one in enumerate(graphs):
        lines = ['import type { Graph } from "schema-dts";', f"export const page: Graph = {json.dumps(one)};"]
        (folder / f"page{number}.ts").write_text("\n".join(lines))
    return node.run("tsc", *CHECK, *(f"page{number}.ts" for number in range(len(graphs))), folder=folder)


def _list_texts(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [found for key, one in value.items() for found in _list_texts(one, key)]
    if isinstance(value, list):
        return [found for one in value for found in _list_texts(one, name)]
    return [(name, value)] if isinstance(value, str) else []
