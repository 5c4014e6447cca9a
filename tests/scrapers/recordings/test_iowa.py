"""A real row of what Iowa publishes of its active entities."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from scrapers import discovery
from scrapers.bulk_data import reading
from scrapers.bulk_data.layouts.iowa import BULK_DATA
from scrapers.records import Address


class TestIowasFile:
    """One row of data set 554, in the archive it is published in."""

    def test_row_makes_a_record(self, recordings: Path, tmp_path: Path) -> None:
        portal = discovery.find_portal("IA")
        assert portal is not None
        row = json.loads((recordings / "IA/datahub-554-row.json").read_text())
        with zipfile.ZipFile(tmp_path / "rows.zip", "w") as archive:
            archive.writestr("rows.ndjson", json.dumps(row) + "\n")
        (read,) = reading.rows(tmp_path / "rows.zip", BULK_DATA)
        record = BULK_DATA.record(read)
        assert record is not None
        assert (record.entity_name, record.entity_id) == ("!MPACT LTD CO", "662502")
        assert record.entity_type == "DOMESTIC LIMITED LIABILITY COMPANY"
        assert record.formation_date == "2021-03-26"
        assert record.agent_name == "EXAMPLE PERSON"
        assert record.agent_address == Address("100 EXAMPLE ST", "SHENANDOAH", "IA", "51601")
        assert record.principal_address == Address("100 EXAMPLE ST", "SHENANDOAH", "IA", "51601", "USA")
        meaning = portal.status_meaning(record.status)
        assert (meaning.status_class, meaning.reason) == ("active", "listed_in_active_register")
