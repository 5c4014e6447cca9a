#!/usr/bin/env python
"""The command line door: `manage.py up` starts the service, `manage.py help` lists the rest."""

import os
import sys
from importlib.util import find_spec


def main() -> None:
    """Run one Django command with the development settings unless told otherwise."""
    if find_spec("django") is None:
        sys.exit("This Python has no Django. `make run` installs it into .venv: use .venv/bin/python.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    from django.core.exceptions import ImproperlyConfigured

    if sys.argv[1:2] == ["up"]:
        try:
            _require_var_folder()
        except ImproperlyConfigured as problem:  # of the variables, which are read first for this
            sys.exit(str(problem))
    from django.core.management import BaseCommand, execute_from_command_line
    from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError

    from config.patience import patience

    # They are of the code, and the suite's to run: a command would load all pages for them, in two thirds of its time
    BaseCommand.requires_system_checks = []
    patience.set(None)  # whoever runs a command sees how long it takes
    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError, InterfaceError, InternalError, ProgrammingError) as problem:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(problem) if isinstance(problem, ImproperlyConfigured) else _as_sentence(problem))


def _as_sentence(problem: Exception) -> str:
    """What operators read where the database is away, read-only, full, or has not the tables of this version."""
    reason = (str(problem).strip() or type(problem).__name__).splitlines()[0]
    return f"The database cannot be used: {reason}. Is DATABASE_URL right, and was `manage.py migrate` run?"


def _require_var_folder() -> None:
    """End with one line when the var folder is read-only: the settings and the queue write there when loaded."""
    from config import env
    from config.launch import preflight

    try:
        preflight.require_writable(env.VAR_DIR)
    except preflight.NotReady as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)  # as shells call it; whoever pressed Ctrl-C needs no trace of where
