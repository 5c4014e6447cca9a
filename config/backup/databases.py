"""The database into a file and back, on both engines, as its owner where there is one beside the service's role."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from psycopg import sql

from config import database_roles, env
from config.backup import Refused
from config.backup.manifest import Snapshot

BEFORE = "before_restore"
TLS = {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}
Ask = Callable[[str], Iterable[tuple[object, ...]]]


def dump(to: Path) -> Snapshot:
    """Write the database as it is at one moment, while others go on writing; returns what was in it then."""
    if connection.vendor == "sqlite":
        found = _dump_sqlite(to)
    else:
        with database_roles.connected(settings.MIGRATION_DATABASE):
            found = _dump_postgresql(to)
    if not found.rows:  # SQLite makes a file where a wrong path names none
        raise Refused("The database has no tables: do DATABASE_URL and VAR_DIR name the right one?")
    return found


def load(part: Path, *, rows: dict[str, int], replace: bool) -> bool:
    """Put a dump in the place of the database; Refused where there is one, unless it may be replaced.

    Returns whether there was one: it is set aside until `forget_replaced`.
    """
    if connection.vendor == "sqlite":
        return _load_sqlite(part, rows=rows, replace=replace)
    with database_roles.connected(settings.MIGRATION_DATABASE):
        return _load_postgresql(part, rows=rows, replace=replace)


def forget_replaced() -> None:
    """Remove what was set aside."""
    if connection.vendor == "sqlite":
        _beside(_sqlite_file()).unlink(missing_ok=True)
        return
    with database_roles.connected(settings.MIGRATION_DATABASE):
        _run(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(BEFORE)))


def _dump_sqlite(to: Path) -> Snapshot:
    """All pages in one step: they are of one moment, and whoever writes meanwhile writes into the log beside them."""
    connection.ensure_connection()
    copy = sqlite3.connect(to)
    try:
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log of its own
        return _describe(lambda statement: copy.execute(statement).fetchall(), _sqlite_tables(copy))
    except sqlite3.Error as problem:  # Django does not see it
        raise Refused(f"The database cannot be copied to {to.parent.parent}: {problem}") from problem
    finally:
        copy.close()


def _load_sqlite(part: Path, *, rows: dict[str, int], replace: bool) -> bool:
    file = _sqlite_file()
    copy = sqlite3.connect(part)
    try:
        if (said := copy.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise Refused(f"The database in the backup is damaged: {said}")
        _compare(rows, _describe(lambda statement: copy.execute(statement).fetchall(), _sqlite_tables(copy)))
    finally:
        copy.close()
    connection.close()
    connection.close_idle()  # type: ignore[attr-defined]  # config.sqlite3's
    file.parent.mkdir(parents=True, exist_ok=True)
    part.chmod(0o600)
    whole = file.with_name(f"{file.name}.restored")
    try:
        shutil.move(part, whole)  # perhaps to another disk, which may be full: nothing is touched before it is there
        is_aside = file.exists()
        if is_aside:
            _set_sqlite_aside(file, replace=replace)
        try:
            for rest in ("-wal", "-shm", "-journal"):
                Path(f"{file}{rest}").unlink(missing_ok=True)
            whole.replace(file)
        except BaseException:  # also Ctrl-C: nobody is to find no database
            if is_aside:
                _beside(file).replace(file)
            raise
    finally:
        whole.unlink(missing_ok=True)
    return is_aside


def _set_sqlite_aside(file: Path, *, replace: bool) -> None:
    old = sqlite3.connect(file, timeout=1)
    try:
        if _sqlite_tables(old) and not replace:
            raise Refused(f"{file} holds a database: name an empty VAR_DIR, or say --replace.")
        if old.execute("PRAGMA journal_mode=DELETE").fetchone()[0] != "delete":
            raise Refused(f"{file} is in use: stop the service first.")
    except sqlite3.OperationalError as problem:
        raise Refused(f"{file} is in use ({problem}): stop the service first.") from problem
    except sqlite3.DatabaseError as problem:  # damaged, which may be why it is to be replaced
        if not replace:
            raise Refused(f"{file} is damaged ({problem}): name an empty VAR_DIR, or say --replace.") from problem
        _require_unused(file)
    finally:
        old.close()
    if _beside(file).exists():
        raise Refused(f"{_beside(file)} is what an earlier restore replaced: look at it, then remove it.")
    file.replace(_beside(file))


def _require_unused(file: Path) -> None:
    """Raise Refused where somebody reads or writes it: SQLite locks bytes of it, and says so of no damaged one."""
    with file.open("r+b") as ours:
        try:
            fcntl.lockf(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as problem:
            raise Refused(f"{file} is in use: stop the service first.") from problem


def _sqlite_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.{BEFORE}")


def _sqlite_tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    return [name for (name,) in found]


def _dump_postgresql(to: Path) -> Snapshot:
    program = _find_program("pg_dump")
    with transaction.atomic():
        _run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        _run("SET LOCAL idle_in_transaction_session_timeout = 0")  # it waits for pg_dump, which sees the same moment
        _run("SET LOCAL statement_timeout = 0")
        snapshot = str(next(iter(_read("SELECT pg_export_snapshot()")))[0])
        described = _describe(_read, _postgresql_tables())
        _call(
            program,
            "--format=custom",
            f"--exclude-schema={BEFORE}",
            "--no-owner",
            "--no-privileges",
            f"--snapshot={snapshot}",
            f"--file={to}",
        )
    return described


def _load_postgresql(part: Path, *, rows: dict[str, int], replace: bool) -> bool:
    program = _find_program("pg_restore")
    others = next(iter(_read(OTHERS)))[0]
    if others:
        raise Refused(f"{others} others are connected to the database: stop the service first.")
    occupied = bool(_postgresql_tables())
    if occupied and not replace:
        raise Refused("The database holds tables: name an empty one by DATABASE_URL, or say --replace.")
    if occupied:
        _set_schema_aside()
    try:
        options = ("--no-owner", "--no-privileges", "--no-comments", "--exit-on-error", "--single-transaction")
        _call(program, *options, f"--dbname={connection.settings_dict['NAME']}", str(part))
        _compare(rows, _describe(_read, _postgresql_tables()))
    except BaseException:  # also Ctrl-C: nobody is to find an empty database
        if occupied:
            with transaction.atomic():
                _run("DROP SCHEMA public CASCADE")
                _run(sql.SQL("ALTER SCHEMA {} RENAME TO public").format(sql.Identifier(BEFORE)))
        raise
    return occupied


OTHERS = (  # the roles of those that the server itself runs are unknown
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND usesysid IS NOT NULL"
)


def _set_schema_aside() -> None:
    with transaction.atomic():
        if _read("SELECT 1 FROM pg_namespace WHERE nspname = 'before_restore'"):
            raise Refused(f"The schema {BEFORE} is what an earlier restore replaced: look at it, then drop it.")
        _run(sql.SQL("ALTER SCHEMA public RENAME TO {}").format(sql.Identifier(BEFORE)))
        _run("CREATE SCHEMA public")
        _run("GRANT USAGE ON SCHEMA public TO PUBLIC")


def _postgresql_tables() -> list[str]:
    found = _read("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
    return [str(name) for (name,) in found]


def _read(statement: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        rows: list[tuple[object, ...]] = cursor.fetchall()
        return rows


def _run(statement: str | sql.Composed) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement if isinstance(statement, str) else statement.as_string(None))


def _describe(ask: Ask, tables: list[str]) -> Snapshot:
    rows = {table: int(str(next(iter(ask(f'SELECT count(*) FROM "{table}"')))[0])) for table in tables}  # noqa: S608
    applied = ask("SELECT app, name FROM django_migrations ORDER BY id") if "django_migrations" in tables else ()
    return Snapshot(rows, {str(app): str(name) for app, name in applied})


def _compare(rows: dict[str, int], found: Snapshot) -> None:
    if wrong := sorted(table for table in rows.keys() | found.rows.keys() if rows.get(table) != found.rows.get(table)):
        raise Refused(f"The restored database has not the rows that the manifest tells of: {', '.join(wrong)}.")


def _find_program(name: str) -> str:
    if found := shutil.which(name):
        return found
    raise Refused(f"{name} is not on the PATH: install PostgreSQL's client programs, of the server's version or newer.")


def _call(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs; where the server is, and the password, it reads from its environment."""
    place = connection.settings_dict
    named = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    options = {variable: str(place["OPTIONS"][name]) for name, variable in TLS.items() if name in place["OPTIONS"]}
    environment = (
        env.inherited() | options | {variable: str(place[name]) for variable, name in named.items() if place[name]}
    )
    done = subprocess.run(  # noqa: S603  (the programs are found by name, the arguments are ours)
        [program, *arguments], env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
        raise Refused(f"{os.path.basename(program)} failed: {said}")
