"""What a process remembers for a minute it remembers for one story: the next has no need to start it anew."""

from __future__ import annotations

import secrets
from pathlib import Path

from config import env

STORY = "story"  # a file in VAR_DIR that says which one it is


def key_in_this_story(key: str, prefix: str, version: int) -> str:
    """Return the name under which a process remembers something (`settings`)."""
    story = env.VAR_DIR / STORY
    return f"{prefix}:{version}:{story.read_text() if story.exists() else ''}:{key}"


def forget(folder: Path) -> None:
    """Let every process with this VAR_DIR forget what it remembers, such as how long a registry took."""
    new = folder / f"{STORY}.new"
    new.write_text(secrets.token_hex(4))
    new.replace(folder / STORY)  # nobody may find it empty
