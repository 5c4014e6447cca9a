"""What callers and registries write is text in a spreadsheet, whatever it begins with."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from lookups.csv_export import csv_lines


def read_back(value: Any) -> str:
    """A cell as a program reads it that knows CSV."""
    (row,) = csv.DictReader(io.StringIO("".join(csv_lines(["cell"], [{"cell": value}])), newline=""))
    return row["cell"]


class TestACell:
    """Of a CSV table."""

    @pytest.mark.parametrize(
        "sign", ["=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
    )
    def test_is_no_formula(self, sign: str) -> None:
        assert read_back(f"{sign}cmd()") == f"'{sign}cmd()"

    @pytest.mark.parametrize(
        "value", ["ACME, INC.", "'Round Here LLC", 'The "A" Co', "3-D Print", "Zoë & Søn", -0.0314]
    )
    def test_is_what_it_was_where_nothing_runs(self, value: Any) -> None:
        assert read_back(value) == str(value)
