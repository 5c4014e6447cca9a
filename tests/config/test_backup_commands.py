"""`manage.py backup` and `restore` as an operator types them, each a process of its own, on the engine of this run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
import psycopg
import pytest
from django.conf import settings

from config.backup import files
from tests.engines import programs
from tests.engines.own_database import engine_variables
from tests.failures.disks import small_disk
from tests.journeys.checkout import ROOT, clean_environment
from tests.migrated_once import copy_migrated

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("backup")]
PASSPHRASE = "correct horse battery staple"
WRITE = """
from django.utils import timezone
from billing import accounts, ledger
now = timezone.now()
account = accounts.open_account(name="Acme", now=now)
ledger.deposit(account_id=account.pk, amount=5000, idempotency_key="d", source="staff", operator="dana", now=now)
"""
SPOIL = "import sys; open(sys.argv[1], 'r+b').write(bytes.fromhex(sys.argv[2]) + bytes(4096))"
FORGE = {
    "sqlite": "DROP TRIGGER billing_ledgerentry_no_update; UPDATE billing_ledgerentry SET reference = 'another'",
    "postgresql": "SET session_replication_role = replica; UPDATE billing_ledgerentry SET reference = 'another'",
}


@dataclass
class Installation:
    """A database and a folder of its own, and `manage.py` on them."""

    variables: dict[str, str]
    folder: Path

    def manage(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        environment = clean_environment(self.variables | {"VAR_DIR": str(self.folder / "var")} | more)
        found = programs.find_programs()
        if found:
            environment["PATH"] = f"{found.postgres.parent}{os.pathsep}{environment['PATH']}"
        environment |= {name: value for name, value in more.items() if name == "PATH"}
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def do(self, *arguments: str, **more: str) -> str:
        """Run a command that has to succeed; returns what it printed."""
        done = self.manage(*arguments, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def fail(self, *arguments: str, **more: str) -> str:
        """Run a command that has to fail with one line; returns the line."""
        done = self.manage(*arguments, **more)
        assert done.returncode != 0, done.stdout
        (line,) = done.stderr.strip().splitlines()
        return line

    @property
    def is_sqlite(self) -> bool:
        """Whether this is the embedded default."""
        return not self.variables["DATABASE_URL"]

    def sql(self, script: str) -> None:
        """Change the database as its owner can."""
        if self.is_sqlite:
            with sqlite3.connect(self.folder / "var" / "db.sqlite3") as database:
                database.executescript(script)
            database.close()
        else:
            with psycopg.connect(self.variables["DATABASE_URL"]) as connection:
                connection.execute(script)

    def count_accounts(self) -> int:
        """How many accounts there are."""
        count = "SELECT count(*) FROM billing_account WHERE name = 'Acme'"
        if self.is_sqlite:
            with contextlib.closing(sqlite3.connect(self.folder / "var" / "db.sqlite3")) as database:
                return int(database.execute(count).fetchone()[0])
        with psycopg.connect(self.variables["DATABASE_URL"]) as connection:
            [found] = connection.execute(count).fetchone() or [0]
            return int(found)

    def change(self) -> None:
        """Something happens after the backup: of the account that is in it none is left."""
        self.sql("UPDATE billing_account SET name = 'Another'")
        assert self.count_accounts() == 0

    def destroy(self) -> None:
        """Nothing is left: no folder, an empty database."""
        subprocess.run(["rm", "-r", str(self.folder / "var")], check=True)
        if self.is_sqlite:
            return
        name = urlsplit(self.variables["DATABASE_URL"]).path.strip("/")
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{name}"')


def sourced(path: Path) -> dict[str, str]:
    """What a shell hands on that has read the file."""
    shell = ["sh", "-c", 'set -a; . "$1"; env -0', "sh", str(path)]
    told = subprocess.run(shell, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True).stdout
    return dict(
        line.split("=", 1) for line in told.split("\0") if not line.startswith(("PATH=", "PWD=", "_=")) and line
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """With one account and its credit; each test has a copy of it."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "var").mkdir()
    with engine_variables() as variables:
        made = Installation(variables, folder)
        if not made.is_sqlite or not copy_migrated(folder / "var" / "db.sqlite3"):
            made.do("migrate", "-v", "0")
        made.do("shell", "-v", "0", "-c", WRITE)
        yield made


@pytest.fixture(scope="module")
def archive(template: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A backup of it; what becomes of one is each test's own."""
    written = tmp_path_factory.mktemp("backup") / "a"
    template.do("backup", str(written))
    return str(written)


@pytest.fixture
def installation(tmp_path: Path, template: Installation) -> Iterator[Installation]:
    """With one account and its credit."""
    with engine_variables(template=template.variables) as variables:
        shutil.copytree(template.folder / "var", tmp_path / "var")
        yield Installation(variables, tmp_path)


class TestABackup:
    """Written and restored."""

    def test_brings_everything_back(self, installation: Installation, tmp_path: Path) -> None:
        kept = tmp_path / "var" / "exports" / "march.csv"
        kept.parent.mkdir()
        kept.write_text("kept")
        (tmp_path / "var" / "log").mkdir()
        (tmp_path / "var" / "log" / "web.log").write_text("not kept")
        (tmp_path / "var" / "evidence" / "ab" / "cd").mkdir(parents=True)
        (tmp_path / "var" / "evidence" / "ab" / "cd" / "abcd.z").write_text("copied beside it")
        told = installation.do("backup", str(tmp_path / "a"))
        assert "NOT encrypted" in told
        assert "NOT in it: secrets" in told
        assert f"NOT in it: evidence ({tmp_path / 'var' / 'evidence'})" in told
        installation.destroy()
        assert "as it was written" in installation.do("restore", str(tmp_path / "a"), "--check")
        told = installation.do("restore", str(tmp_path / "a"))
        assert "2 entries, 0 differences" in told  # the free lookups, and what was deposited
        assert "To be done by hand" in told
        assert f"the evidence's files, into {tmp_path / 'var' / 'evidence'}" in told.partition("After it is started")[0]
        assert installation.count_accounts() == 1
        assert kept.read_text() == "kept"
        assert not (tmp_path / "var" / "log").exists()
        assert not (tmp_path / "var" / "evidence").exists()
        assert list((tmp_path / "var").glob("restore-*")) == []
        assert "0 differences" in installation.do("reconcile")

    @pytest.mark.once
    def test_has_secrets_only_when_encrypted(self, installation: Installation, tmp_path: Path) -> None:
        archive, var = str(tmp_path / "a"), tmp_path / "var"
        assert "encrypted archive only" in installation.fail("backup", archive, "--with-secrets")
        (tmp_path / "passphrase").write_text(PASSPHRASE + "\n")
        passphrase = {"BACKUP_PASSPHRASE_FILE": str(tmp_path / "passphrase")}
        key = (var / "secret_key").read_text()
        of_this_place = {"WEBHOOK_SECRET": "whsec_of_this_place", "SECRET_KEY_FALLBACKS": "older,old"}
        installation.do("backup", archive, "--with-secrets", **of_this_place, **passphrase)
        assert "is not the one" in installation.fail("restore", archive, BACKUP_PASSPHRASE="another passphrase")
        installation.destroy()
        told = installation.do("restore", archive, **passphrase)
        assert (var / "secret_key").read_text() == key
        secrets = (var / "restored_secrets.env").read_text()
        assert "WEBHOOK_SECRET=whsec_of_this_place\n" in secrets
        assert "SECRET_KEY_FALLBACKS=older,old\n" in secrets
        assert PASSPHRASE not in secrets
        assert "whsec_of_this_place" not in told
        assert {path.stat().st_mode & 0o777 for path in (var / "secret_key", var / "restored_secrets.env")} == {0o600}

    def test_restored_in_another_folder_uses_the_database_there(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        if not installation.is_sqlite:
            pytest.skip("on PostgreSQL it is wherever DATABASE_URL says")
        passphrase, there = {"BACKUP_PASSPHRASE": PASSPHRASE}, Installation(installation.variables, tmp_path / "there")
        installation.do("backup", str(tmp_path / "a"), "--with-secrets", WEBHOOK_SECRET="whsec_x", **passphrase)
        there.do("restore", str(tmp_path / "a"), **passphrase)
        there.do("shell", "-v", "0", "-c", WRITE, **sourced(there.folder / "var" / "restored_secrets.env"))
        assert (installation.count_accounts(), there.count_accounts()) == (1, 2)

    @pytest.mark.once
    @pytest.mark.parametrize("value", ["a#b c", "it's $HOME `id` \\n \\", '"q"', "'q'", "a&b;c!d*~", "plain_1=+/"])
    def test_has_secrets_that_a_shell_and_the_product_read_alike(
        self, value: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.VAR_DIR = tmp_path
        of_1_3 = {"DATABASE_URL": "sqlite:////old/var/db.sqlite3"}
        path = files.write_restored_secrets(json.dumps({"CALICO_KEY": value, **of_1_3}).encode())
        assert sourced(path)["CALICO_KEY"] == value
        read: dict[str, str] = {}
        monkeypatch.setattr(environ.Env, "ENVIRON", read)
        environ.Env.read_env(path)
        assert read == {"CALICO_KEY": value}

    @pytest.mark.once
    def test_is_not_written_where_it_would_be_in_itself(self, installation: Installation, tmp_path: Path) -> None:
        assert "outside of VAR_DIR" in installation.fail("backup", str(tmp_path / "var" / "a"))
        (tmp_path / "var" / "backups").mkdir()
        installation.do("backup", str(tmp_path / "var" / "backups" / "a"))
        told = installation.do("backup", str(tmp_path / "var" / "backups" / "b"))
        assert "files/" not in told

    @pytest.mark.once
    @pytest.mark.parametrize("name", ["", ".", "/"])
    def test_wants_the_name_of_a_file(self, installation: Installation, name: str) -> None:
        assert "name a file in it" in installation.fail("backup", name)

    def test_says_that_its_disk_is_full_and_leaves_nothing_there(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        if not installation.is_sqlite:
            pytest.skip("pg_dump says it, and is quoted")
        (tmp_path / "backups").mkdir()
        with small_disk(tmp_path / "backups", megabytes=1) as disk:  # the database alone has more
            assert "disk is full" in installation.fail("backup", str(disk.folder / "a"))
            assert list(disk.folder.iterdir()) == []

    @pytest.mark.once
    def test_of_no_database_at_all_is_refused(self, tmp_path: Path) -> None:
        line = Installation({"DATABASE_URL": ""}, tmp_path).fail("backup", str(tmp_path / "a"))
        assert "has no tables" in line
        assert not (tmp_path / "a").exists()

    def test_says_which_program_is_missing(self, installation: Installation, tmp_path: Path) -> None:
        if installation.is_sqlite:
            pytest.skip("SQLite needs no other program")
        line = installation.fail("backup", str(tmp_path / "a"), PATH="/nowhere")
        assert "pg_dump is not on the PATH" in line
        assert not (tmp_path / "a").exists()


class TestRestoring:
    """What it refuses, and what it says afterwards."""

    def test_takes_the_place_of_an_installation_only_when_asked_to(
        self, installation: Installation, archive: str, tmp_path: Path
    ) -> None:
        installation.change()
        assert "say --replace" in installation.fail("restore", archive)
        assert installation.count_accounts() == 0
        told = installation.do("restore", archive, "--replace")
        assert installation.count_accounts() == 1
        for undone in ("erased since the backup", "keys again that were revoked", "left out since", "states off again"):
            assert undone in told
        installation.do("backup", str(tmp_path / "b"))  # also of what was restored
        installation.change()
        installation.do("restore", str(tmp_path / "b"), "--replace")
        assert installation.count_accounts() == 1
        assert list((tmp_path / "var").glob("*before_restore*")) == []

    def test_wants_the_service_stopped(self, installation: Installation, archive: str, tmp_path: Path) -> None:
        if installation.is_sqlite:
            reader = sqlite3.connect(tmp_path / "var" / "db.sqlite3")
            reader.execute("SELECT count(*) FROM billing_account").fetchone()
            line = installation.fail("restore", archive, "--replace")
            reader.close()
        else:
            with psycopg.connect(installation.variables["DATABASE_URL"]):
                line = installation.fail("restore", archive, "--replace")
        assert "stop the service first" in line
        assert installation.count_accounts() == 1

    @pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\0"])
    def test_takes_the_place_of_a_database_that_is_damaged(
        self, installation: Installation, archive: str, tmp_path: Path, damage: bytes
    ) -> None:
        if not installation.is_sqlite:
            pytest.skip("PostgreSQL's own files are the server's")
        file = tmp_path / "var" / "db.sqlite3"
        reader = sqlite3.connect(file)
        reader.execute("SELECT count(*) FROM billing_account").fetchone()
        # By another process: to close the file here would give up the lock that the reader has on it
        subprocess.run([sys.executable, "-c", SPOIL, str(file), damage.hex()], check=True)
        assert "say --replace" in installation.fail("restore", archive)
        assert "stop the service first" in installation.fail("restore", archive, "--replace")
        reader.close()
        assert "0 differences" in installation.do("restore", archive, "--replace")
        assert installation.count_accounts() == 1
        assert list((tmp_path / "var").glob("*before_restore*")) == []

    def test_that_is_broken_off_puts_back_what_was_there(
        self, installation: Installation, archive: str, tmp_path: Path
    ) -> None:
        if installation.is_sqlite:
            pytest.skip("SQLite's file is put in place by two renames")
        slow = tmp_path / "programs" / "pg_restore"
        slow.parent.mkdir()
        slow.write_text('#!/bin/sh\nkill -INT "$PPID"\nexec sleep 60\n')  # Ctrl-C
        slow.chmod(0o755)
        done = installation.manage(
            "restore", archive, "--replace", PATH=f"{slow.parent}{os.pathsep}{os.environ['PATH']}"
        )
        assert done.returncode != 0
        assert installation.count_accounts() == 1
        assert list((tmp_path / "var").glob("restore-*")) == []

    def test_touches_nothing_where_the_databases_own_disk_has_no_room(
        self, installation: Installation, archive: str, tmp_path: Path
    ) -> None:
        if not installation.is_sqlite:
            pytest.skip("PostgreSQL's disk is the server's, which rolls back")
        (tmp_path / "disk").mkdir()
        before = (tmp_path / "var" / "db.sqlite3").read_bytes()
        with small_disk(tmp_path / "disk", megabytes=1.5 * len(before) / 1024**2) as disk:  # for one of the two
            there = disk.folder / "db.sqlite3"
            there.write_bytes(before)
            line = installation.fail("restore", archive, "--replace", DATABASE_URL=f"sqlite:///{there}")
            assert "No space left" in line
            assert [path.name for path in disk.folder.iterdir()] == [there.name]
            assert there.read_bytes() == before

    @pytest.mark.once
    def test_touches_nothing_when_the_archive_is_damaged(
        self, installation: Installation, archive: str, tmp_path: Path
    ) -> None:
        whole = Path(archive).read_bytes()
        (tmp_path / "b").write_bytes(whole[: len(whole) // 2])
        installation.change()
        assert "damaged or cut off" in installation.fail("restore", str(tmp_path / "b"), "--replace")
        assert installation.count_accounts() == 0

    @pytest.mark.once
    def test_refuses_a_backup_of_a_newer_product_and_of_another_engine(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.sql(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('billing', '9999_x', '2030-01-01')"
        )
        installation.do("backup", str(tmp_path / "newer"))
        installation.destroy()
        assert "newer product" in installation.fail("restore", str(tmp_path / "newer"))
        other = (
            "postgres://nobody@127.0.0.1:9/none" if installation.is_sqlite else f"sqlite:///{tmp_path}/other.sqlite3"
        )
        assert "engine" in installation.fail("restore", str(tmp_path / "newer"), DATABASE_URL=other)

    @pytest.mark.once
    def test_tells_that_the_ledger_in_it_was_changed(self, installation: Installation, tmp_path: Path) -> None:
        installation.sql(FORGE["sqlite" if installation.is_sqlite else "postgresql"])
        installation.do("backup", str(tmp_path / "a"))
        done = installation.manage("restore", str(tmp_path / "a"), "--replace")
        assert done.returncode == 1
        assert "the ledger is not as it was written" in done.stderr
        assert "was changed" in done.stdout
        line = installation.fail("restore", str(tmp_path / "a"), "--replace")
        assert "what an earlier restore replaced" in line

    @pytest.mark.once
    def test_keeps_what_an_earlier_one_has_replaced(
        self, installation: Installation, archive: str, tmp_path: Path
    ) -> None:
        if not installation.is_sqlite:
            pytest.skip("the same rule, shown once")
        file = tmp_path / "var" / "db.sqlite3"
        installation.sql(FORGE["sqlite"])
        installation.do("backup", str(tmp_path / "forged"))
        installation.do("restore", archive, "--replace")
        installation.change()
        assert installation.manage("restore", str(tmp_path / "forged"), "--replace").returncode == 1
        file.unlink()
        installation.do("restore", archive)
        [aside] = file.parent.glob("*before_restore*")
        aside.replace(file)
        assert installation.count_accounts() == 0

    @pytest.mark.once
    def test_brings_an_older_database_up_to_date(self, installation: Installation, tmp_path: Path) -> None:
        installation.do("shell", "-v", "0", "-c", f"{LONG_WAY}; migrate([('scrapers', '{BEFORE_THE_LAST}')])")
        installation.do("backup", str(tmp_path / "a"))
        installation.destroy()
        installation.do("restore", str(tmp_path / "a"))
        assert "[ ]" not in installation.do("showmigrations")
        assert installation.count_accounts() == 1


LONG_WAY = "from tests.upgrades.long_way import migrate"
BEFORE_THE_LAST = sorted(path.stem for path in (settings.BASE_DIR / "scrapers" / "migrations").glob("0*.py"))[-2]


class TestTwoRoles:
    """On PostgreSQL the owner writes the backup and restores it; the service's role then has its rights again."""

    def test_are_both_served(self, installation: Installation, tmp_path: Path) -> None:
        if installation.is_sqlite:
            pytest.skip("SQLite has no roles")
        owner = urlsplit(installation.variables["DATABASE_URL"])
        role = f"service_{owner.path[-8:]}"
        service = owner._replace(netloc=f"{role}:pass@{owner.hostname}:{owner.port}").geturl()
        two = {"DATABASE_URL": service, "MIGRATION_DATABASE_URL": owner.geturl()}
        try:
            installation.do("migrate", "-v", "0", **two)
            installation.do("backup", str(tmp_path / "a"), **two)
            installation.destroy()
            installation.do("restore", str(tmp_path / "a"), **two)
            installation.do("shell", "-v", "0", "-c", WRITE, DATABASE_URL=service)
            with pytest.raises(psycopg.errors.InsufficientPrivilege), psycopg.connect(service) as connection:
                connection.execute("UPDATE billing_ledgerentry SET reference = 'x'")
            manifest = installation.do("restore", str(tmp_path / "a"), "--check", **two)
            assert json.dumps("pass") not in manifest
        finally:
            with psycopg.connect(owner.geturl(), autocommit=True) as connection:
                connection.execute(f"DROP OWNED BY {role}")
                connection.execute(f"DROP ROLE {role}")
