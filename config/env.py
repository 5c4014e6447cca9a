"""Every environment variable of the service, typed, with its default, on one screen.

Nothing else in the project reads `os.environ`; an operator who knows this page and `.env.example` knows all
there is to set.
"""

from __future__ import annotations

import io
import math
import os
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping

BASE_DIR = Path(__file__).resolve().parent.parent
LONGEST_SPAN = 36_500


class _Given(FileAwareMapping):
    """The environment; a variable NAME may stand in the file that NAME_FILE names, where secrets are mounted."""

    def __getitem__(self, key: str) -> str:
        try:
            return str(super().__getitem__(key)).removesuffix("\n")
        except OSError as problem:
            raise ImproperlyConfigured(f"{key}_FILE cannot be read: {problem.strerror}.") from problem


class _Env(environ.Env):
    """The variables, each read as what it must be: "ture" is no false, and "20 s" no number."""

    ENVIRON = _Given()

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        given = self.ENVIRON.get(var)
        if given is None or cast not in _MUST_BE or (cast is bool and not given):
            return super().get_value(var, cast=cast, default=default, parse_default=parse_default)
        try:
            read = _YES_OR_NO[given.strip().lower()] if cast is bool else cast(given)
        except (KeyError, ValueError):
            read = -1
        if not 0 <= read < math.inf:
            raise ImproperlyConfigured(f"{var} must be {_MUST_BE[cast]}, not {given!r}.")
        return read

    def words(self, name: str, *, default: str = "") -> list[str]:
        """What stands between the commas; the spaces that people put beside them are no part of it."""
        return [word for word in map(str.strip, self.str(name, default=default).split(",")) if word]

    def span(self, name: str, *, default: int, least: int = 1) -> int:
        """Days, hours or minutes: a hundred years of days at most, for there is no date beyond."""
        given: int = self.int(name, default=default)
        if not least <= given <= LONGEST_SPAN:
            raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {LONGEST_SPAN}, not {given}.")
        return given

    def one_of(self, name: str, *words: str, default: str = "") -> str:
        """One of these words, in whatever letters; the default also where it is empty."""
        given = self.str(name, default=default).strip().lower() or default
        if given not in (*words, default):
            raise ImproperlyConfigured(f"{name} must be {', '.join(words[:-1])} or {words[-1]}, not {given!r}.")
        return given

    def address(self, name: str, *schemes: str, default: str) -> str:
        """A URL with one of these schemes, or empty; never quoted, for there may be a password in it."""
        given: str = self.str(name, default=default)
        try:
            parts = urlsplit(given)
            fits = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0  # a port that is none is raised
        except ValueError:
            fits = False
        if given and not fits:
            raise ImproperlyConfigured(f"{name} must be an address such as {schemes[0]}://host:port.")
        return given

    def dollars(self, name: str, default: str, otherwise: Decimal = Decimal()) -> Decimal:
        """An amount in US dollars, as fine as the books keep them; `otherwise` where it and the default are empty."""
        given = self.str(name, default=default) or default or str(otherwise)
        try:
            read = Decimal(given)
            fits = read >= 0 and read * 10_000 % 1 == 0  # what is no number or without end cannot be compared or parted
        except InvalidOperation:
            fits = False
        if not fits:
            raise ImproperlyConfigured(
                f"{name} must be US dollars from 0 on, with at most four decimals, not {given!r}."
            )
        return read


_MUST_BE = {int: "a whole number from 0 on", float: "a number from 0 on", bool: "true or false"}
_YES = dict.fromkeys(environ.Env.BOOLEAN_TRUE_STRINGS, True)
_YES_OR_NO = _YES | dict.fromkeys(("false", "off", "n", "no", "0", "none"), False)
_env = _Env()


def read_dotenv(path: Path) -> None:
    """Take what a file sets; a line that sets nothing stops the start, as a variable would stay what it is unset."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", "it is not UTF-8")
        raise ImproperlyConfigured(f"{path} cannot be read: {why}.") from None
    kept = [(number, line) for number, line in enumerate(lines, 1) if not re.match(r"\s*(#|$)", line)]
    for number, line in kept:
        if not re.match(r"(export )?[A-Za-z_0-9]+=", line):  # never quoted, for it may hold a secret
            raise ImproperlyConfigured(f"Line {number} of {path} must be NAME=value, with no space before the sign.")
        if re.search(r"\s#", line) and not re.fullmatch(r"""[^=]+=(["']).*\1\s*""", line):
            raise ImproperlyConfigured(f"Line {number} of {path}: put the comment above, or a value with # in quotes.")
    environ.Env.read_env(io.StringIO("\n".join(line for _number, line in kept)))


_dotenv = BASE_DIR / ".env"
if _dotenv.is_file():
    read_dotenv(_dotenv)

# Where the service runs
DEBUG: bool = _env.bool("DEBUG", default=False)
SECRET_KEY: str = _env.str("SECRET_KEY", default="")
SECRET_KEY_FALLBACKS: list[str] = _env.words("SECRET_KEY_FALLBACKS", default="")  # earlier ones, which still count
ALLOWED_HOSTS: list[str] = _env.words("ALLOWED_HOSTS", default="")
PUBLIC_URL: str = _env.str("PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
CONTACT: str = _env.str("CONTACT", default="")  # an e-mail or URL; portals see it in the User-Agent
VAR_DIR: Path = Path(_env.str("VAR_DIR", default="") or BASE_DIR / "var").resolve()
# SQLite sorts and rolls back in files: beside the database, for /tmp may be a disk that others have filled
os.environ.setdefault("SQLITE_TMPDIR", str(VAR_DIR))
STATIC_ROOT: Path = Path(_env.str("STATIC_ROOT", default="") or VAR_DIR / "static").resolve()  # collected files
LOG_LEVEL: str = _env.one_of("LOG_LEVEL", "debug", "info", "warning", "error", "critical", default="INFO").upper()
METRICS_TOKEN: str = _env.str("METRICS_TOKEN", default="")  # opens /metrics to a monitoring system; empty: closed
# Where the processes of one web server count together; `config.launch` and `manage.py up` choose a folder in VAR_DIR
PROMETHEUS_MULTIPROC_DIR: str = _env.str("PROMETHEUS_MULTIPROC_DIR", default="")
# Where the web server shows links that nobody mails: an open file, which `manage.py up` hands it; 0: nowhere
SIGN_IN_LINKS_FD: int = _env.int("SIGN_IN_LINKS_FD", default=0)
SENTRY_DSN: str = _env.str("SENTRY_DSN", default="")  # where errors are reported; empty: nowhere
OTEL_EXPORTER_OTLP_ENDPOINT: str = _env.address(
    "OTEL_EXPORTER_OTLP_ENDPOINT", "http", "https", default=""
)  # a collector of traces
LOG_FORMAT: str = _env.one_of("LOG_FORMAT", "text", "json", default="text")

# These two alone turn the embedded default into production shape
DATABASE_URL: str = _env.str("DATABASE_URL", default="") or f"sqlite:///{VAR_DIR / 'db.sqlite3'}"
REDIS_URL: str = _env.address("REDIS_URL", "redis", "rediss", default="")
# Seconds that a request or a task waits for one answer of the database, or for its turn to write
DATABASE_SECONDS: float = _env.float("DATABASE_SECONDS", default=20.0)
# The role that owns the tables, for `manage.py migrate` alone; empty: the one of DATABASE_URL owns them
MIGRATION_DATABASE_URL: str = _env.str("MIGRATION_DATABASE_URL", default="")

# Encrypts what `manage.py backup` writes, and opens it for `restore`; empty: backups are not encrypted
BACKUP_PASSPHRASE: str = _env.str("BACKUP_PASSPHRASE", default="")

# Staff in the admin
# True: who moves money, hands out keys or changes users has a second factor; empty: in production
ADMIN_SECOND_FACTOR: bool | None = _env.bool("ADMIN_SECOND_FACTOR", default=None)
ADMIN_IDLE_MINUTES: int = _env.span("ADMIN_IDLE_MINUTES", default=30)  # without a request, then one is signed out
ADMIN_SESSION_HOURS: int = _env.span("ADMIN_SESSION_HOURS", default=12)  # after which one signs in again, idle or not
ADMIN_CONFIRM_MINUTES: int = _env.span("ADMIN_CONFIRM_MINUTES", default=10)  # how long a password or code opens money

# Members in the workspace
WORKSPACE_IDLE_HOURS: int = _env.span("WORKSPACE_IDLE_HOURS", default=12)  # without a request, then one signs in again
WORKSPACE_SESSION_DAYS: int = _env.span("WORKSPACE_SESSION_DAYS", default=7)  # after which one does, idle or not

# Who may sign up by themselves: open (everybody), invited (whom a member or staff has invited), closed (nobody new);
# empty: open in the embedded default, invited in production
SIGN_UP: str = _env.one_of("SIGN_UP", "open", "invited", "closed", default="")
FREE_GRANTS_PER_DAY: int = _env.int("FREE_GRANTS_PER_DAY", default=3)  # new accounts of a network that get them
DISPOSABLE_MAIL_HOSTS: list[str] = _env.words("DISPOSABLE_MAIL_HOSTS", default="")  # addresses there get none

# What a lookup costs, and how long it may take
PRICE_PER_LOOKUP: Decimal = _env.dollars("PRICE_PER_LOOKUP", default="0.0314")
PRICE_PER_STORED_LOOKUP: Decimal = _env.dollars("PRICE_PER_STORED_LOOKUP", default="0")
# A watch's check that found nothing changed; empty: as much as a lookup
PRICE_PER_UNCHANGED_CHECK: Decimal = _env.dollars("PRICE_PER_UNCHANGED_CHECK", default="", otherwise=PRICE_PER_LOOKUP)
PRICE_PER_CHECK_FROM_COPY: Decimal = _env.dollars("PRICE_PER_CHECK_FROM_COPY", default="0")
GRANT_CEILING: Decimal = _env.dollars("GRANT_CEILING", default="1000")  # one person's gifts of 24 hours, in USD
GRANT_MAXIMUM: Decimal = _env.dollars("GRANT_MAXIMUM", default="100000")  # of two persons' gift, in USD
FREE_LOOKUPS: int = _env.int("FREE_LOOKUPS", default=10)
SYNC_BUDGET_SECONDS: float = _env.float("SYNC_BUDGET_SECONDS", default=20.0)
CACHE_MAX_AGE_DAYS: int = _env.span("CACHE_MAX_AGE_DAYS", default=7, least=0)
MATCH_THRESHOLD: float = _env.float("MATCH_THRESHOLD", default=0.92)
RATE_LIMIT_PER_MINUTE: int = _env.int("RATE_LIMIT_PER_MINUTE", default=50)
POLLS_PER_MINUTE: int = _env.int("POLLS_PER_MINUTE", default=600)
CONCURRENT_LOOKUPS: int = _env.int("CONCURRENT_LOOKUPS", default=10)
WEB_THREADS: int = _env.int("WEB_THREADS", default=16)  # of one web process; half of them may wait for registries
KEYLESS_PER_MINUTE: int = _env.int("KEYLESS_PER_MINUTE", default=60)  # requests of one address without a good key
PAGES_PER_MINUTE: int = _env.int("PAGES_PER_MINUTE", default=30)  # entity pages that one address may open
TRUSTED_PROXIES: int = _env.int("TRUSTED_PROXIES", default=0)  # how many of our own proxies add to X-Forwarded-For

# False: no registry is asked, whatever its own switch says; stored records and the sandbox still answer
ASK_PORTALS: bool = _env.bool("ASK_PORTALS", default=True)

# False: GLEIF is not asked for LEIs that a lookup wants included; a loaded golden copy (`load_bulk_data GLEIF`) is read
ASK_GLEIF: bool = _env.bool("ASK_GLEIF", default=True)

# public: search engines may list the pages of stored records; unlisted: they are asked not to; off: there are none
ENTITY_PAGES: str = _env.one_of("ENTITY_PAGES", "public", "unlisted", "off", default="unlisted")

# What registries answered, as evidence
# Where it lies: empty (a folder "evidence" in VAR_DIR), another folder, "database", or s3://bucket/prefix
EVIDENCE_STORE: str = _env.str("EVIDENCE_STORE", default="")
EVIDENCE_DAYS: int = _env.span("EVIDENCE_DAYS", default=365, least=0)  # of what customers were told
EVIDENCE_SHORT_DAYS: int = _env.span("EVIDENCE_SHORT_DAYS", default=7, least=0)  # of failures, sandbox, test questions
EVIDENCE_MOST_BYTES: int = _env.int("EVIDENCE_MOST_BYTES", default=20_000_000_000)  # of all; 0: no bound
SIGNING_SECRET: str = _env.str("SIGNING_SECRET", default="")  # makes the signing keys; empty: from SECRET_KEY
SIGNING_SECRET_PREVIOUS: str = _env.str("SIGNING_SECRET_PREVIOUS", default="")  # vouches for the next key
TIMESTAMP_AUTHORITY: str = _env.address(
    "TIMESTAMP_AUTHORITY", "https", "http", default=""
)  # a URL, asked once an hour; empty: nobody

# Keys some registries give free of charge
SOCRATA_APP_TOKEN: str = _env.str("SOCRATA_APP_TOKEN", default="")
CALICO_KEY: str = _env.str("CALICO_KEY", default="")
COMPTROLLER_KEY: str = _env.str("COMPTROLLER_KEY", default="")

# Paying per request (HTTP 402). Without a method configured a request without a key is answered 401.
PAYMENT_SECRET: str = _env.str("PAYMENT_SECRET", default="")  # signs challenges; empty: derived from SECRET_KEY
PAYMENT_SECRET_PREVIOUS: str = _env.str("PAYMENT_SECRET_PREVIOUS", default="")  # still accepted while rotating
PAYMENT_REALM: str = _env.str("PAYMENT_REALM", default="")  # empty: the host of PUBLIC_URL
# Pretended payments, which reach the sandbox registry only: on in the embedded default, refused in production
SANDBOX_PAYMENTS: bool | None = _env.bool("SANDBOX_PAYMENTS", default=None)
TEMPO_RECIPIENT: str = _env.str("TEMPO_RECIPIENT", default="")  # 0x… address; set: method "tempo" is offered
TEMPO_RPC_URL: str = _env.address("TEMPO_RPC_URL", "https", "http", default="")
TEMPO_CHAIN_ID: int = _env.int("TEMPO_CHAIN_ID", default=4217)
TEMPO_CURRENCY: str = _env.str("TEMPO_CURRENCY", default="0x20C000000000000000000000b9537d11c60E8b50")  # USDC.e

# Webhooks: what customers' servers are sent
WEBHOOK_SECRET: str = _env.str("WEBHOOK_SECRET", default="")  # makes customers' secrets; empty: from SECRET_KEY
WEBHOOK_SECRET_PREVIOUS: str = _env.str("WEBHOOK_SECRET_PREVIOUS", default="")  # still signing while rotating
WEBHOOKS_TO_LOOPBACK: bool = _env.bool("WEBHOOKS_TO_LOOPBACK", default=False)  # development; refused in production

# Cards: top-ups of the prepaid balance. Without a secret key the product says that cards are not configured.
STRIPE_SECRET_KEY: str = _env.str("STRIPE_SECRET_KEY", default="")
STRIPE_WEBHOOK_SECRET: str = _env.str("STRIPE_WEBHOOK_SECRET", default="")
STRIPE_NETWORK_ID: str = _env.str("STRIPE_NETWORK_ID", default="")  # profile_…; set: agents top up by challenge too
STRIPE_API_BASE: str = _env.str("STRIPE_API_BASE", default="")  # tests only: the provider is reached here

# Mail: results of bulk jobs. Without a server the API says that results are not mailed.
EMAIL_URL: str = _env.str("EMAIL_URL", default="")  # smtp+tls://user:password@host:587
DEFAULT_FROM_EMAIL: str = _env.str("DEFAULT_FROM_EMAIL", default="")  # empty: no-reply at the host of PUBLIC_URL

SELLER: str = _env.str("SELLER", default="")  # name and address on receipts, lines parted by \\n; empty: PUBLIC_URL

SOS_LOOKUP_KEY: str = _env.str("SOS_LOOKUP_KEY", default="")  # with which `manage.py mcp` asks

# Tests and benchmarks only: every portal is reached at this address instead of its own
PORTALS_URL: str = _env.str("PORTALS_URL", default="")


def inherited() -> dict[str, str]:
    """Return the whole environment, for the processes that this one starts."""
    return dict(os.environ)


def leave_out_checks() -> None:
    """Have Celery start without Django's checks: they load every page, 23 MB of a worker's memory, and it leaves their
    result unread."""
    os.environ["CELERY_SKIP_CHECKS"] = "true"
