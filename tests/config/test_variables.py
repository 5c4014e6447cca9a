"""Whoever mistypes a variable reads its name and what it may be; the service does not start as something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from tests.config.test_secrets import start


class TestAVariable:
    """Of the environment, read when the service starts."""

    @pytest.mark.parametrize(
        ("variable", "given", "sentence"),
        [
            ("FREE_LOOKUPS", "ten", "FREE_LOOKUPS must be a whole number from 0 on, not 'ten'."),
            ("FREE_LOOKUPS", "", "FREE_LOOKUPS must be a whole number from 0 on, not ''."),
            ("RATE_LIMIT_PER_MINUTE", "-1", "RATE_LIMIT_PER_MINUTE must be a whole number from 0 on, not '-1'."),
            ("SYNC_BUDGET_SECONDS", "20 s", "SYNC_BUDGET_SECONDS must be a number from 0 on, not '20 s'."),
            ("DATABASE_SECONDS", "nan", "DATABASE_SECONDS must be a number from 0 on, not 'nan'."),
            ("ADMIN_SECOND_FACTOR", "ture", "ADMIN_SECOND_FACTOR must be true or false, not 'ture'."),
            ("PRICE_PER_LOOKUP", "0.0314 USD", "PRICE_PER_LOOKUP must be US dollars from 0 on, with at most four"),
            (
                "PRICE_PER_LOOKUP",
                "0.03141",
                "PRICE_PER_LOOKUP must be US dollars from 0 on, with at most four decimals",
            ),
            ("GRANT_MAXIMUM", "inf", "GRANT_MAXIMUM must be US dollars from 0 on, with at most four decimals"),
            ("GRANT_CEILING", "NaN", "GRANT_CEILING must be US dollars from 0 on, with at most four decimals"),
            ("MATCH_THRESHOLD", "92", "MATCH_THRESHOLD must be above 0 and at most 1."),
            ("PUBLIC_URL", "sos.example.com", "PUBLIC_URL must be an address such as https://sos.example.com."),
            ("PUBLIC_URL", "https://example.com/sos", "PUBLIC_URL must be an address such as https://sos.example.com."),
            ("PUBLIC_URL", "", "PUBLIC_URL must be an address such as https://sos.example.com."),
            ("PUBLIC_URL", "http://[::1", "PUBLIC_URL must be an address such as https://sos.example.com."),
            (
                "PUBLIC_URL",
                "https://example.com:99999",
                "PUBLIC_URL must be an address such as https://sos.example.com.",
            ),
            ("PUBLIC_URL", "https://例え.example", "PUBLIC_URL must be an address such as https://sos.example.com."),
            ("CONTACT", "Łukasz <l@example.com>", "CONTACT must be an e-mail address or a URL, in one line"),
            ("CONTACT", "a@example.com\nb@example.com", "CONTACT must be an e-mail address or a URL, in one line"),
            ("LOG_LEVEL", "loud", "LOG_LEVEL must be debug, info, warning, error or critical, not 'loud'."),
            ("LOG_FORMAT", "xml", "LOG_FORMAT must be text or json, not 'xml'."),
            ("SIGN_UP", "everybody", "SIGN_UP must be open, invited or closed, not 'everybody'."),
            ("ENTITY_PAGES", "no", "ENTITY_PAGES must be public, unlisted or off, not 'no'."),
            *(
                ("EMAIL_URL", given, "EMAIL_URL must be an address such as smtp+tls://user:password@host:587.")
                for given in ("mail.example.com", "smtp://host:port", "smtp://")
            ),
            ("MATCH_THRESHOLD", "0", "MATCH_THRESHOLD must be above 0 and at most 1."),
            ("EVIDENCE_DAYS", "36501", "EVIDENCE_DAYS must be a whole number from 0 to 36500, not 36501."),
            ("WORKSPACE_IDLE_HOURS", "0", "WORKSPACE_IDLE_HOURS must be a whole number from 1 to 36500, not 0."),
            *(
                (name, "0", f"{name} must be 1 or more.")
                for name in ("WEB_THREADS", "RATE_LIMIT_PER_MINUTE", "POLLS_PER_MINUTE", "CONCURRENT_LOOKUPS")
            ),
            (
                "DEFAULT_FROM_EMAIL",
                "a@example.com\nBcc: b@example.com",
                "DEFAULT_FROM_EMAIL must be an e-mail address in",
            ),
            ("VAR_DIR", f"{__file__}/sub", f"VAR_DIR must be a folder, which '{__file__}/sub' cannot be."),
            ("VAR_DIR", __file__, f"VAR_DIR must be a folder, which '{__file__}' cannot be."),
            *(
                (
                    "DATABASE_URL",
                    given,
                    "DATABASE_URL must be an address such as postgres://user:password@host:5432/name.",
                )
                for given in (
                    "db.example.com",
                    "mysql://u:p@host/name",
                    "postgres://u:p@host",
                    "postgres://u:p@host:a/b",
                )
            ),
            ("MIGRATION_DATABASE_URL", "sos", "MIGRATION_DATABASE_URL must be an address such as postgres://user:"),
            *(
                ("REDIS_URL", given, "REDIS_URL must be an address such as redis://host:port.")
                for given in ("localhost:6379", "http://localhost", "redis://", "redis://:secret@host:port")
            ),
            ("REDIS_URL", "redis://:secret@host:6379/queue", "REDIS_URL must end with the number of a database"),
            *(
                ("REDIS_URL", given, "REDIS_URL may have words of rediss:// alone behind a ?")
                for given in (
                    "redis://:secret@host:6379/0?nonsense=1",
                    "redis://:secret@host:6379/0?health_check_interval=5",  # known to the web server alone
                    "redis://:secret@host:6379/0?ssl_cert_reqs=none",  # known to the workers alone
                    "rediss://:secret@host:6379/0?ssl_cert_reqs=CERT_NONE",
                    "rediss://:secret@host:6379/0?ssl_ca_certs=/ca.pem&ssl_ca_cert=/ca.pem",
                )
            ),
            *(
                ("ALLOWED_HOSTS", f"one.example.com, {given}", "ALLOWED_HOSTS must be host names without https:// and")
                for given in ("https://sos.example.com", "sos.example.com:443", "'sos.example.com'", "*.example.com")
            ),
            ("TEMPO_RECIPIENT", "0x12", "TEMPO_RECIPIENT must be 0x and 40 hex digits."),
            ("TEMPO_CURRENCY", "USDC", "TEMPO_CURRENCY must be 0x and 40 hex digits."),
            ("TEMPO_RPC_URL", "node.example.com", "TEMPO_RPC_URL must be an address such as https://host:port."),
        ],
    )
    def test_that_says_nothing_stops_the_start_and_is_named(
        self, tmp_path: Path, variable: str, given: str, sentence: str
    ) -> None:
        done = start("dev", tmp_path, **{variable: given})
        assert done.returncode == 1
        assert f"ImproperlyConfigured: {sentence}" in done.stderr
        assert "secret" not in done.stderr

    def test_may_be_written_as_people_write_it(self, tmp_path: Path) -> None:
        given = {"ASK_PORTALS": "No", "ADMIN_SECOND_FACTOR": "", "PRICE_PER_LOOKUP": "0.03140", "MATCH_THRESHOLD": "1"}
        told = "s.ASK_PORTALS, s.ADMIN_SECOND_FACTOR, s.PRICE_PER_LOOKUP, s.MATCH_THRESHOLD"
        assert start("dev", tmp_path, told, **given).stdout == "False None 0.03140 1.0\n"

    def test_names_the_authority_that_the_queue_is_to_be_believed_by(self, tmp_path: Path) -> None:
        given = "rediss://:word@host:6379/0?ssl_ca_certs=/etc/ssl/redis.pem&ssl_cert_reqs=required"
        assert start("dev", tmp_path, "s.REDIS_URL", REDIS_URL=given).stdout == f"{given}\n"

    @pytest.mark.parametrize("name", ["ALLOWED_HOSTS", "SECRET_KEY_FALLBACKS", "DISPOSABLE_MAIL_HOSTS"])
    def test_of_several_words_has_none_with_the_space_after_a_comma(self, tmp_path: Path, name: str) -> None:
        done = start("dev", tmp_path, f"s.{name}", **{name: "one.example.com, two.example.com ,"})
        assert done.stdout == "['one.example.com', 'two.example.com']\n"


class TestTheFile:
    """`.env` beside manage.py."""

    @pytest.mark.parametrize(
        ("bad", "sentence"),
        [
            (b"SECRET_KEY = secret", "Line 3 of .* must be NAME=value"),
            (b'SELLER="Acme\nsecret street"', "Line 4 of .* must be NAME=value"),
            (b"SECRET_KEY=secret # changed in May", "Line 3 of .*: put the comment above, or a value with # in quotes"),
            (b'SECRET_KEY="secret" # changed in May', "Line 3 of .*: put the comment above"),
            (b"CONTACT=caf\xe9", "cannot be read: it is not UTF-8"),
        ],
    )
    def test_with_a_line_that_would_be_passed_over_stops_the_start(
        self, tmp_path: Path, bad: bytes, sentence: str
    ) -> None:
        file = tmp_path / ".env"
        file.write_bytes(b"# ours\n\n" + bad + b"\n")
        with pytest.raises(ImproperlyConfigured, match=sentence) as refused:
            env.read_dotenv(file)
        assert "secret" not in str(refused.value)

    def test_that_its_user_may_not_read_stops_the_start(self, tmp_path: Path) -> None:
        with pytest.raises(ImproperlyConfigured, match=r"cannot be read: Is a directory\."):
            env.read_dotenv(tmp_path)

    def test_sets_what_the_environment_does_not(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("SELLER", "CONTACT"):
            monkeypatch.setenv(name, "given")
        monkeypatch.delenv("CONTACT")
        monkeypatch.setenv("SECRET_KEY", "")
        monkeypatch.delenv("SECRET_KEY")
        (tmp_path / ".env").write_bytes(
            b"\xef\xbb\xbfexport CONTACT='Ops #1, ops@example.com'\r\n  # ours\r\nSELLER=other\r\nSECRET_KEY=a#b\r\n"
        )
        env.read_dotenv(tmp_path / ".env")
        assert (os.environ["CONTACT"], os.environ["SELLER"]) == ("Ops #1, ops@example.com", "given")
        assert os.environ["SECRET_KEY"] == "a#b"
