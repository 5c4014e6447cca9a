"""The embedded default: one machine, no server to install; what `make run` uses."""

from urllib.parse import urlsplit

from config import secret
from config.settings.shared import *

# A key of its own for each installation, made on first use and kept under var/: sessions survive a restart
# and no two installations share one.
SECRET_KEY = SECRET_KEY or secret.local_secret(VAR_DIR)
# Another name for this machine could be a stranger's page that reads what the service says to a browser here.
ALLOWED_HOSTS = ALLOWED_HOSTS or ["localhost", ".localhost", "127.0.0.1", "[::1]", urlsplit(PUBLIC_URL).hostname or ""]
# A request without a key is answered as the service promises: 402, with a challenge that costs nothing to pay.
SANDBOX_PAYMENTS = True if SANDBOX_PAYMENTS is None else SANDBOX_PAYMENTS
PRINT_SIGN_IN_LINKS = not MAIL_CONFIGURED
# Static files straight from the packages they come with: nothing to collect before the first start.
WHITENOISE_USE_FINDERS = True
