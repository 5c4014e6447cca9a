"""What is secret stays so: in the log, in files, in a folder, and in a production that was set up carelessly."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import environ
import pytest
from django.conf import settings
from django.core import signing
from django.core.exceptions import ImproperlyConfigured

from config.launch import preflight
from config.logging import logging_config
from config.redaction import redact
from config.secret import local_secret
from tests.config.test_ways_to_pay import PRODUCTION

PASSED_ON = {"PATH", "HOME", "LANG", "PYTHONPATH", "VIRTUAL_ENV"}


def start(
    module: str, tmp_path: Path, told: str = "s.SECRET_KEY, s.ALLOWED_HOSTS", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Read the settings in a process of their own, and print some: the key and the names it answers to."""
    surroundings = {name: value for name, value in os.environ.items() if name in PASSED_ON}
    surroundings["DJANGO_SETTINGS_MODULE"] = f"config.settings.{module}"
    program = f"from django.conf import settings as s; print({told})"
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env={**surroundings, "VAR_DIR": str(tmp_path), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(params=["text", "json"])
def line(request: pytest.FixtureRequest) -> Any:
    """Write a record as this installation's log would."""
    described = logging_config(level="INFO", style=request.param)["formatters"][request.param]
    formatter = described["()"]
    module, _, name = formatter.rpartition(".")
    made = getattr(__import__(module, fromlist=[name]), name)(described["fmt"], style=described.get("style", "%"))
    return lambda record: made.format(record)


class TestALineOfTheLog:
    """Of a message or a traceback, as people or programs read it."""

    @pytest.mark.parametrize(
        ("told", "kept"),
        [
            ("key osd_test_abcdefgh12345678 came", "osd_test_"),
            ("key osd_abcdefgh12345678 came", "osd_"),
            ("webhook whsec_C2FVsBQIhrscChlQIMV+b5sSYob7oD7X", "whsec_"),
            ("card sk_live_51Habcdefgh and rk_test_4eC39HqLyjW", "sk_live_"),
            ("postgres://sos:correct-horse@db:5432/sos is away", "postgres://sos:"),
            ("redis://:correct-horse@redis:6379/0 is away", "redis://:"),
            ("Authorization: Bearer abcdefghijklmnop", "Bearer "),
            ("Authorization: Payment eyJjaGFsbGVuZ2UiOiJhIn0", "Payment "),
            ("Cookie: sessionid=0123456789abcdef; csrftoken=abcdef0123", "sessionid="),
            ("card sk_live_51Habcdefgh", "sk_live_"),
            ("card rk_test_4eC39HqLyjW", "rk_test_"),
            ("Authorization: Basic YWJjZGVmZ2g6Y29ycmVjdA==", "Basic "),
            ("sessionid=0123456789abcdef", "sessionid="),
            ("csrftoken=0123456789abcdef", "csrftoken="),
            ("Cookie: __Host-workspace=0123456789abcdefghijkl", "__Host-workspace="),
            ("x-api-key: 0123456789abcdef", "x-api-key: "),
            ('{"password": "correct horse"}', 'password": '),
            ("Forbidden (no cookie): /app/sign-in/eyJabcdefgh-0123456789_correct-4eC39HqLyjW/", "/app/sign-in/"),
        ],
    )
    def test_shows_no_secret_that_looks_like_one(self, line: Any, told: str, kept: str) -> None:
        written = line(logging.LogRecord("x", logging.INFO, "x.py", 1, "%s", (told,), None))
        assert "[hidden]" in written
        assert kept in written.replace("\\", "")
        for secret in ("abcdefgh", "C2FVs", "4eC39", "correct", "eyJ", "0123456789", "YWJj"):
            assert secret not in written

    def test_shows_no_secret_of_this_installation_whatever_it_looks_like(self, line: Any, settings: Any) -> None:
        settings.CALICO_KEY, settings.REDIS_URL = 'plain "words" only', "redis://:p%40ssw0rd@127.0.0.1/0"
        settings.SECRET_KEY_FALLBACKS = ["the one before"]
        told = 'asked with plain "words" only, the one before and p@ssw0rd'
        written = line(logging.LogRecord("x", logging.INFO, "x.py", 1, told, (), None))
        assert [word for word in ("words", "before", "ssw0rd") if word in written] == []

    def test_shows_no_password_of_a_server_it_works_with(
        self, line: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(settings.DATABASES["default"], "PASSWORD", "of the database")
        settings.MIGRATION_DATABASE = {**settings.MIGRATION_DATABASE, "PASSWORD": "of migrating"}
        settings.EMAIL_HOST_PASSWORD = "of the mail server"
        told = "refused: of the database, of migrating, of the mail server, of%20migrating"
        written = line(logging.LogRecord("x", logging.INFO, "x.py", 1, told, (), None))
        assert "refused: [hidden], [hidden], [hidden], [hidden]" in written

    def test_is_written_where_the_mail_server_asks_for_no_password(self, line: Any, settings: Any) -> None:
        for name, value in environ.Env.email_url_config("smtp://mail:25").items():
            setattr(settings, name, value)
        assert "ready" in line(logging.LogRecord("x", logging.INFO, "x.py", 1, "ready", (), None))

    def test_shows_none_in_a_traceback(self, line: Any) -> None:
        try:
            raise ValueError("the key osd_abcdefgh12345678 is not known")
        except ValueError:
            record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "broke", (), sys.exc_info())
        written = line(record)
        assert "ValueError: the key osd_[hidden] is not known" in written

    @pytest.mark.parametrize(
        "told",
        [
            "a basic question of payment",
            "see https://example.com/a:b@c",
            "the password is wrong",
            "sk_live_",
            "workspace=open",
        ],
    )
    def test_keeps_what_is_no_secret(self, told: str) -> None:
        assert redact(told) == told


class TestASecretInAFile:
    """Named by NAME_FILE, as container engines mount them."""

    def test_is_read_without_its_last_newline(self, tmp_path: Path) -> None:
        (tmp_path / "key").write_text("a key from a file\n")
        done = start("dev", tmp_path, SECRET_KEY_FILE=str(tmp_path / "key"), SECRET_KEY="another")
        assert done.stdout.startswith("a key from a file [")

    def test_that_is_not_there_stops_the_start_and_is_named(self, tmp_path: Path) -> None:
        done = start("dev", tmp_path, SECRET_KEY_FILE=str(tmp_path / "nothing"))
        assert done.returncode == 1
        assert "ImproperlyConfigured: SECRET_KEY_FILE cannot be read: No such file or directory." in done.stderr


class TestAKeyBefore:
    """In SECRET_KEY_FALLBACKS."""

    def test_still_counts_for_what_it_signed(self, tmp_path: Path) -> None:
        told = f"__import__('django.core.signing').core.signing.loads({signing.dumps('signed', key='old')!r})"
        given = {"SECRET_KEY": "new", "SECRET_KEY_FALLBACKS": "older,old"}
        assert start("dev", tmp_path, told, **given).stdout == "signed\n"
        assert "BadSignature" in start("dev", tmp_path, told, **given | {"SECRET_KEY_FALLBACKS": "older"}).stderr


class TestProduction:
    """config.settings.prod."""

    @pytest.mark.parametrize(
        ("variables", "sentence"),
        [
            ({}, ""),
            ({"SECRET_KEY": ""}, "SECRET_KEY is not set"),
            ({"SECRET_KEY": "x"}, "SECRET_KEY can be guessed"),
            ({"SECRET_KEY": "k" * 50}, "SECRET_KEY can be guessed"),
            ({"SECRET_KEY_FALLBACKS": "x"}, "SECRET_KEY_FALLBACKS can be guessed"),
            ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is not set"),
            ({"ALLOWED_HOSTS": "a.example.com,*"}, "ALLOWED_HOSTS answers to every name"),
            ({"CONTACT": ""}, "CONTACT is not set"),
            ({"DEBUG": "true"}, "DEBUG is set"),
            ({"SANDBOX_PAYMENTS": "true"}, "SANDBOX_PAYMENTS is set"),
            ({"WEBHOOKS_TO_LOOPBACK": "true"}, "WEBHOOKS_TO_LOOPBACK is set"),
            ({"PORTALS_URL": "http://127.0.0.1:1"}, "PORTALS_URL is set"),
            ({"STRIPE_API_BASE": "http://127.0.0.1:1"}, "STRIPE_API_BASE is set"),
        ],
    )
    def test_refuses_to_start_with_what_would_open_it(
        self, tmp_path: Path, variables: dict[str, str], sentence: str
    ) -> None:
        done = start("prod", tmp_path, **PRODUCTION | variables)
        assert (done.returncode == 0) is not bool(sentence)
        assert f"ImproperlyConfigured: {sentence}" in done.stderr or not sentence

    def test_gives_cookies_to_this_host_over_tls_alone(self, tmp_path: Path) -> None:
        for cookie in ("session", "csrf"):
            name = f"s.{cookie.upper()}_COOKIE"
            told = f"{name}_NAME, {name}_SECURE, {name}_HTTPONLY, {name}_SAMESITE, {name}_DOMAIN, {name}_PATH"
            done = start("prod", tmp_path, told, **PRODUCTION)
            assert done.stdout.split()[0].startswith("__Host-")
            assert done.stdout.split()[1:] == ["True", "True", "Lax", "None", "/"]

    def test_has_no_third_cookie(self, tmp_path: Path) -> None:
        done = start("prod", tmp_path, "s.MESSAGE_STORAGE", **PRODUCTION)
        assert done.stdout.strip().endswith("session.SessionStorage")


class TestDevelopment:
    """config.settings.dev."""

    def test_answers_to_the_names_of_this_machine_alone(self, tmp_path: Path) -> None:
        assert "'*'" not in start("dev", tmp_path).stdout
        assert "'127.0.0.1'" in start("dev", tmp_path).stdout
        assert "'box.example'" in start("dev", tmp_path, PUBLIC_URL="http://box.example:8000").stdout
        assert start("dev", tmp_path, ALLOWED_HOSTS="a.example").stdout.endswith(" ['a.example']\n")


class TestTheKeyOfAnInstallation:
    """`secret_key` in VAR_DIR, where SECRET_KEY is not set."""

    def test_is_made_once_for_its_owner_alone(self, tmp_path: Path) -> None:
        keys = {local_secret(tmp_path / "var") for _ in range(2)}
        assert keys == {(tmp_path / "var" / "secret_key").read_text()}
        assert stat.S_IMODE((tmp_path / "var" / "secret_key").stat().st_mode) == 0o600

    def test_is_made_where_a_full_disk_left_an_empty_file(self, tmp_path: Path) -> None:
        (tmp_path / "secret_key").touch()
        key = local_secret(tmp_path)
        assert len(key) >= 50
        assert local_secret(tmp_path) == key

    def test_is_not_promised_by_a_disk_that_is_full(self, tmp_path: Path) -> None:
        program = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (0, 0)); from config import secret;"
        program += f"from pathlib import Path; print(secret.local_secret(Path({str(tmp_path)!r})))"
        ended = subprocess.run([sys.executable, "-c", program], cwd=settings.BASE_DIR, capture_output=True, text=True)
        assert ended.stdout == ""
        assert ended.stderr.splitlines()[-1].endswith(f"{tmp_path}/secret_key cannot be written (File too large).")
        assert local_secret(tmp_path)

    def test_is_never_another_one_where_it_may_not_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "secret_key").mkdir()
        with pytest.raises(ImproperlyConfigured, match=r"secret_key cannot be read .*: be the user that the service"):
            local_secret(tmp_path)


class TestTheFolder:
    """VAR_DIR."""

    @pytest.mark.parametrize(("before", "after"), [(0o755, 0o750), (0o777, 0o770), (0o700, 0o700), (0o1777, 0o1777)])
    def test_is_closed_to_strangers_unless_it_is_everybodys(self, tmp_path: Path, before: int, after: int) -> None:
        folder = tmp_path / "var"
        folder.mkdir()
        folder.chmod(before)
        preflight.require_writable(folder)
        assert stat.S_IMODE(folder.stat().st_mode) == after
