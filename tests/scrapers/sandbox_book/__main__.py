"""`python -m tests.scrapers.sandbox_book --write`: write the sandbox registry's data files anew."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scrapers import sandbox
from tests.scrapers.sandbox_book import make, stories

FOLDER = Path(sandbox.__file__).parent


def made() -> dict[str, str]:
    """The text of each data file, by its name."""
    by_rule = make.by_rule()
    entities = sorted([*by_rule, *stories.told()], key=lambda one: one["number"])
    filings = sorted([*make.liens_by_rule(by_rule), *stories.liens_told()], key=lambda one: one["number"])
    return {"entities.json": _lines(entities), "filings.json": _lines(filings)}


def _lines(rows: list[dict[str, Any]]) -> str:
    """JSON with one row a line, so that a change of one company is a change of one line."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


if __name__ == "__main__" and "--write" in sys.argv:
    for name, text in made().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
