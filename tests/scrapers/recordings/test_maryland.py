"""Maryland's labels as they were printed (2025-07), on the page of a saved company."""

from __future__ import annotations

import json
from pathlib import Path

from scrapers.records import Address, Found
from tests.scrapers.states.test_nothing_shown import put

HINT = "Principal Office Address"  # stands behind the label of the office, and of the agent as well


class TestARecordWithHintsBehindItsLabels:
    """Read here as one text with the label, as public clients read them."""

    def test_has_its_office_and_its_agent(self, recordings: Path) -> None:
        printed = json.loads((recordings / "MD/detail-derived.json").read_text(encoding="utf-8"))["General Information"]
        labels = [label for label in printed if label.endswith(f":{HINT}")]
        assert labels == [f"Principal Office:{HINT}", f"Resident Agent:{HINT}"]
        heads = [f"<strong>{label.removesuffix(HINT)}</strong>" for label in labels]
        found = put(
            "MD",
            "active",
            *((head, f"{head}<span>{HINT}</span>") for head in heads),
            ("22 FICTIONAL WAY<br/>SUITE 7<br/>BALTIMORE MD 21201", "<br/>".join(printed[labels[0]])),
            ("JORDAN SAMPLE<br/>10 EXAMPLE AVENUE<br/>ANNAPOLIS MD 21401", "<br/>".join(printed[labels[1]])),
        )
        assert isinstance(found, Found), found
        assert found.record.principal_address == Address("ONE INFINITE LOOP", "CUPERTINO", "CA", "95014")
        assert found.record.agent_name == "THE CORPORATION TRUST, INCORPORATED"
        assert found.record.agent_address == Address(
            "2405 YORK ROAD, SUITE 201", "LUTHERVILLE TIMONIUM", "MD", "21093-2264"
        )
