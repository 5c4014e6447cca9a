"""Production: refuses to start half-configured, and speaks TLS only."""

from django.core.exceptions import ImproperlyConfigured

from config.settings.shared import *

if not SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY is not set: production starts only with a key of its own.")
if not ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is not set: name the host names this service answers to.")
if not CONTACT:
    raise ImproperlyConfigured("CONTACT is not set: portals must be able to see whom to write to.")

if SANDBOX_PAYMENTS:
    raise ImproperlyConfigured("SANDBOX_PAYMENTS is set: pretended payments have no place in production.")
if WEBHOOKS_TO_LOOPBACK:
    raise ImproperlyConfigured("WEBHOOKS_TO_LOOPBACK is set: customers' webhooks would reach this machine.")

DEBUG = False
PAYMENT_REQUIRES_TLS = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^v1/health$"]  # load balancers ask over plain http
SECURE_HSTS_SECONDS = 31_536_000
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
