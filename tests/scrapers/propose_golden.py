"""Print what a case's pages give now, for a person to review and save as expected.json.

python -m tests.scrapers.propose_golden NY active [--write]
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Play one case and print, or write, the answer."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    from tests.scrapers.golden import FOLDER, Case, play

    state, situation = sys.argv[1:3]
    case = Case(state, situation, FOLDER / state / situation)
    told, left = play(case)
    unread = told.pop("unread_labels")
    text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
    sys.stdout.write(text + f"left: {left}\nunread: {unread}\n")
    if "--write" in sys.argv:
        (case.folder / "expected.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
