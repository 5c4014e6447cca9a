"""What development, tests and production have in common; each of them states only its difference.

Every variable of `config.env` is a setting under its own name, and declared nowhere else.
"""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.urls import reverse_lazy

from config.env import *
from config.evidence import evidence_storage
from config.logging import logging_config
from config.postgres import CONNECTION_OPTIONS

if not 0 < MATCH_THRESHOLD <= 1:  # at 0 any company is found, beyond 1 none
    raise ImproperlyConfigured("MATCH_THRESHOLD must be above 0 and at most 1.")

if any(map(os.path.isfile, (VAR_DIR, *VAR_DIR.parents))):  # the queue's folders are made in it
    raise ImproperlyConfigured(f"VAR_DIR must be a folder, which {str(VAR_DIR)!r} cannot be.")

for _name, _given in {
    "WEB_THREADS": WEB_THREADS,  # without one nobody is answered
    "RATE_LIMIT_PER_MINUTE": RATE_LIMIT_PER_MINUTE,  # at 0 every key is refused
    "POLLS_PER_MINUTE": POLLS_PER_MINUTE,
    "CONCURRENT_LOOKUPS": CONCURRENT_LOOKUPS,
}.items():
    if not _given:
        raise ImproperlyConfigured(f"{_name} must be 1 or more.")

for _name, _address in {"TEMPO_RECIPIENT": TEMPO_RECIPIENT, "TEMPO_CURRENCY": TEMPO_CURRENCY}.items():
    if _address and not re.fullmatch(r"0x[0-9a-fA-F]{40}", _address):
        raise ImproperlyConfigured(f"{_name} must be 0x and 40 hex digits.")

try:
    _public = urlsplit(PUBLIC_URL)
    _fits = _public.scheme in ("https", "http") and bool(_public.hostname) and not _public.path
    _fits = _fits and _public.port != 0 and PUBLIC_URL.isascii()  # a port that is none is raised
except ValueError:
    _fits = False
if not _fits:
    # links in mails and challenges begin with it, and the sender of mails is at its host
    raise ImproperlyConfigured("PUBLIC_URL must be an address such as https://sos.example.com.")

for _host in ALLOWED_HOSTS:  # what no request can name is an error of 400 for each
    if not re.fullmatch(r"\*|\.?[a-z0-9.-]+|\[[a-f0-9:.]+\]", _host, re.IGNORECASE):
        raise ImproperlyConfigured(f"ALLOWED_HOSTS must be host names without https:// and port, not {_host!r}.")

if not re.fullmatch(r"/?\d*", urlsplit(REDIS_URL).path.strip()):  # the web server would take 0, and the workers end
    raise ImproperlyConfigured("REDIS_URL must end with the number of a database, as in redis://host:6379/0.")

# Behind a ?: the web server's client and the workers' would each end over a word that it does not know
_of_tls = (
    "keyfile|certfile|ca_certs|ca_data|ca_path|password|ciphers|check_hostname|validate_ocsp|validate_ocsp_stapled"
)
_of_tls = rf"ssl_({_of_tls})=.*|ssl_cert_reqs=(none|optional|required)"
_redis = urlsplit(REDIS_URL)
_fits = _redis.scheme == "rediss" and all(re.fullmatch(_of_tls, word) for word in _redis.query.split("&"))
if _redis.query and not _fits:
    raise ImproperlyConfigured("REDIS_URL may have words of rediss:// alone behind a ?, such as ssl_ca_certs=/ca.pem.")

if not re.fullmatch(r"[ -~\xa0-\xff]*", CONTACT):  # in a header of each request to a registry: none could be asked
    raise ImproperlyConfigured("CONTACT must be an e-mail address or a URL, in one line of Latin letters.")

SIGN_UP = SIGN_UP or "open"
PRINT_SIGN_IN_LINKS = False  # development: `make run` prints the links that nobody mails

PAYMENT_REQUIRES_TLS = False  # production: a challenge over plain http would invite a payment anyone can read

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin.apps.SimpleAdminConfig",  # its pages are loaded by who serves them: config/urls.py
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "config",
    "jurisdictions",
    "scrapers",
    "billing",
    "lookups",
]

MIDDLEWARE = [
    "lookups.api.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.content_policy.ContentPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.patience.Probes",
    "lookups.pages.middleware.PlainRefusals",
    "lookups.pages.middleware.AdminBound",
    "lookups.api.middleware.PageSessions",
    "django.middleware.common.CommonMiddleware",
    "lookups.api.middleware.PageCsrf",
    "lookups.api.middleware.PageSignIn",
    "lookups.api.middleware.PageMessages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.sign_in.middleware.AdminRequests",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024  # the admin's forms; the API has its own, smaller limit

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.sign_in.context.admin_site",
            ],
        },
    },
]


def _read_database(name: str, url: str) -> dict[str, Any]:
    """What Django calls a database at this address; where it is none it is not quoted, for a password is in it."""
    try:
        read: dict[str, Any] = environ.Env.db_url_config(url)
    except ValueError:  # a port that is no number
        read = {}
    if not read.get("NAME") or not read.get("ENGINE", "").endswith((".sqlite3", ".postgresql")):
        raise ImproperlyConfigured(f"{name} must be an address such as postgres://user:password@host:5432/name.")
    return read


_database = _read_database("DATABASE_URL", DATABASE_URL)
if _database["ENGINE"].endswith("sqlite3"):
    _database["ENGINE"] = "config.sqlite3"
    _database["OPTIONS"] = {
        # A write lock taken at BEGIN waits its turn; one taken later fails at once with "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": DATABASE_SECONDS,
        # FULL: what a customer was told and charged for is on the disk, also after a power cut
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
else:
    _database["ENGINE"] = "config.postgres"
    _database["OPTIONS"] = CONNECTION_OPTIONS | _database.get("OPTIONS", {})
    _database["CONN_MAX_AGE"] = 0  # given back after each request: config.postgres hands it on
DATABASES = {"default": _database}
MIGRATION_DATABASE = _read_database("MIGRATION_DATABASE_URL", MIGRATION_DATABASE_URL) if MIGRATION_DATABASE_URL else {}

TIME_ZONE = "UTC"
USE_I18N = False
FORMAT_MODULE_PATH = "config.formats"  # the setting DATETIME_FORMAT is not asked any more

STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "evidence": evidence_storage(EVIDENCE_STORE, folder=VAR_DIR / "evidence"),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["lookups.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["lookups.api.authentication.HasApiKey"],
    "DEFAULT_RENDERER_CLASSES": ["lookups.api.renderers.ShapeRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "lookups.api.renderers.Negotiation",
    "DEFAULT_PARSER_CLASSES": ["lookups.api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "lookups.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "SOS Lookup",
    "DESCRIPTION": "What does the state's own registry say about this company, right now?",
    "VERSION": "1.3.0",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVERS": [{"url": "/"}],
    "POSTPROCESSING_HOOKS": [],  # choices stay where they are used instead of becoming components with made-up names
    "COMPONENT_SPLIT_PATCH": False,
}

LOGGING = logging_config(level=LOG_LEVEL, style=LOG_FORMAT)

LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # there is no other place to sign in to
LOGOUT_REDIRECT_URL = "admin:login"
AUTHENTICATION_BACKENDS = ["config.sign_in.backend.StaffBackend"]
SESSION_COOKIE_AGE = ADMIN_SESSION_HOURS * 3600
WORKSPACE_COOKIE_NAME = "workspace"  # members' own, which the admin does not know
EXAMPLE_KEY_COOKIE_NAME = "example-key"  # a reader's own test key in the documentation

# Sign-in by password and second factor: what allauth has beyond that (e-mail, sign-up, recovery) has no address here.
ACCOUNT_ADAPTER = "config.sign_in.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_RATE_LIMITS = False  # `config.sign_in.throttle` counts, atomically and in all processes
ACCOUNT_REAUTHENTICATION_TIMEOUT = ADMIN_CONFIRM_MINUTES * 60
MFA_ADAPTER = "config.sign_in.adapters.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "authenticate": "config.sign_in.forms.SignInCodeForm",
    "reauthenticate": "config.sign_in.forms.ConfirmCodeForm",
    "add_webauthn": "config.sign_in.forms.AddKeyForm",
    "authenticate_webauthn": "config.sign_in.forms.SignInKeyForm",
    "reauthenticate_webauthn": "config.sign_in.forms.ConfirmKeyForm",
}
MFA_TOTP_TOLERANCE = 1  # a clock that is half a minute off
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = _public.hostname in ("localhost", "127.0.0.1", "::1")

CELERY_BROKER_URL = REDIS_URL or "filesystem://"

MAIL_CONFIGURED = bool(EMAIL_URL)
if MAIL_CONFIGURED:
    try:
        globals().update(environ.Env.email_url_config(EMAIL_URL))
        if EMAIL_URL.startswith("smtp") and not urlsplit(EMAIL_URL).hostname:
            raise ValueError
    except (ImproperlyConfigured, ValueError):  # which quotes it, with its password
        raise ImproperlyConfigured("EMAIL_URL must be an address such as smtp+tls://user:password@host:587.") from None
EMAIL_TIMEOUT = 20  # seconds for each step with the mail server; the default is for ever
DEFAULT_FROM_EMAIL = DEFAULT_FROM_EMAIL or f"no-reply@{_public.hostname}"
if not DEFAULT_FROM_EMAIL.isprintable():  # a header with a line break is refused with each mail
    raise ImproperlyConfigured("DEFAULT_FROM_EMAIL must be an e-mail address in one line.")
SELLER = SELLER.replace("\\n", "\n") or PUBLIC_URL

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "lookups.pages.views.form_expired"
CSRF_COOKIE_HTTPONLY = True  # forms carry the token themselves
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # no third cookie

UNFOLD = {
    "GLOBAL_CALLBACK": "config.admin.skin.leave_out_colors",
    "SITE_TITLE": "SOS Lookup",
    "SITE_HEADER": "SOS Lookup",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("lookups/mark.svg")},
    ],
    "ENVIRONMENT": "billing.admin.alerts.mark",  # shown on every page while the ledger does not add up
    "DASHBOARD_CALLBACK": "config.admin.today.fill",
    "STYLES": [lambda request: static("lookups/admin.css")],
    "SCRIPTS": [lambda request: static("lookups/admin.js"), lambda request: static("lookups/once.js")],
    "SIDEBAR": {"navigation": "config.navigation.list_groups"},
    "ACCOUNT": {"navigation": [{"title": "Second factor", "link": reverse_lazy("mfa_index")}]},
}

# They hold passwords in clear; Django has taken from them what it needs.
del DATABASE_URL, EMAIL_URL, MIGRATION_DATABASE_URL  # noqa: F821
