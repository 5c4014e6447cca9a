"""Try the variations of all states, or of some, and say what differs; `--write` writes docs/variations.md.

python -m tests.variations [NY CO …] [--write]
"""

from __future__ import annotations

import os
import sys

import django


def main() -> None:
    """Print the defects and the figures; fail when there is a defect."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    from tests.variations import figures
    from tests.variations.outcomes import try_state

    states = [word for word in sys.argv[1:] if not word.startswith("-")] or figures.list_states()
    rows, defects = [], 0
    for state in states:
        tried = try_state(state)
        different = [one for one in tried if one.is_different]
        defects += len(different)
        rows.append(figures.row(state, tried))
        sys.stdout.write("".join(f"{one}\n" for one in different) + rows[-1] + "\n")
    sys.stdout.write(figures.total(rows) + "\n")
    if "--write" in sys.argv:
        figures.PAGE.write_text(figures.page(rows), encoding="utf-8")
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    main()
