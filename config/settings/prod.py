"""Production: refuses to start half-configured, and speaks TLS only."""

from django.core.exceptions import ImproperlyConfigured

from config import env
from config.settings.shared import *


def _is_weak(key: str) -> bool:
    return len(key) < 50 or len(set(key)) < 10


_REFUSED = {
    "SECRET_KEY is not set: production starts only with a key of its own.": not SECRET_KEY,
    "SECRET_KEY can be guessed: make one of 50 random characters.": _is_weak(SECRET_KEY),
    "SECRET_KEY_FALLBACKS can be guessed: each opens what SECRET_KEY does.": any(map(_is_weak, SECRET_KEY_FALLBACKS)),
    "ALLOWED_HOSTS is not set: name the host names this service answers to.": not ALLOWED_HOSTS,
    "ALLOWED_HOSTS answers to every name: name the host names this service answers to.": "*" in ALLOWED_HOSTS,
    "CONTACT is not set: portals must be able to see whom to write to.": not CONTACT,
    "DEBUG is set: its pages show settings and code to everybody.": DEBUG,
    "SANDBOX_PAYMENTS is set: pretended payments have no place in production.": SANDBOX_PAYMENTS,
    "WEBHOOKS_TO_LOOPBACK is set: customers' webhooks would reach this machine.": WEBHOOKS_TO_LOOPBACK,
    "PORTALS_URL is set: that is for tests, no registry would be asked.": PORTALS_URL,
    "STRIPE_API_BASE is set: that is for tests, the card provider's key would go there.": STRIPE_API_BASE,
}
for _sentence, _is_so in _REFUSED.items():
    if _is_so:
        raise ImproperlyConfigured(_sentence)

SIGN_UP = env.SIGN_UP or "invited"  # free lookups for every stranger are the operator's to give
PAYMENT_REQUIRES_TLS = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^(livez|readyz|v1/health)$"]  # load balancers ask over plain http
SECURE_HSTS_SECONDS = 31_536_000
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
# Browsers take these from this very host over TLS alone.
SESSION_COOKIE_NAME = "__Host-sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken"
WORKSPACE_COOKIE_NAME = "__Host-workspace"
EXAMPLE_KEY_COOKIE_NAME = "__Host-example-key"
ADMIN_SECOND_FACTOR = True if ADMIN_SECOND_FACTOR is None else ADMIN_SECOND_FACTOR
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = False
