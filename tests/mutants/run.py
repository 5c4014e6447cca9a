"""One pytest that tries the changes it finds in a folder; started by `python -m tests.mutants`."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest

QUIET = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:randomly", "--timeout=60"]


def main(folder: Path, tests: list[str]) -> None:
    screen = os.fdopen(os.dup(1), "w", buffering=1)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    from tests.mutants.session import Trials

    changes = pickle.loads((folder / "changes").read_bytes())
    trials = Trials(changes, lambda text: print(text, file=screen))
    code = pytest.main([*QUIET, f"--basetemp={folder / 'tmp'}", *tests], plugins=[trials])
    if code == 0:
        (folder / "unnoticed").write_bytes(pickle.dumps(trials.unnoticed))
    sys.exit(code)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
