"""Tests: the same service in a folder of its own; portals are out of reach unless a test says where they are."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

_given = os.environ.get("SOS_TEST_VAR")  # the folder of the process that started this one
_folder = Path(_given or tempfile.mkdtemp(prefix="sos-lookup-test-"))
if not _given:
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["SOS_TEST_VAR"] = str(_folder)
os.environ.setdefault("VAR_DIR", str(_folder))

from config import env  # noqa: E402
from config.evidence import evidence_storage  # noqa: E402
from config.settings.shared import *  # noqa: E402

SECRET_KEY = "test-only-key-with-enough-characters-in-it"  # noqa: S105
ALLOWED_HOSTS = ["*"]
CONTACT = CONTACT or "tests@example.test"
KEYLESS_PER_MINUTE = 100_000  # all tests come from one address, and Redis remembers it from one to the next
PAGES_PER_MINUTE = 100_000
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
_worker = os.environ.get("PYTEST_XDIST_WORKER", "")
STORAGES = STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    # Each worker's own: what the rows of one name is nobody's in the folder of another
    "evidence": evidence_storage(EVIDENCE_STORE, folder=VAR_DIR / f"evidence{_worker}"),
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: threads of a live server then see what a real process would see.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
else:
    # Thirty-two clients who connect at once on a busy machine wait for longer than a request should
    DATABASES["default"]["OPTIONS"] |= {"connect_timeout": 60}


def _own_redis(url: str, worker: str) -> str:
    """Two workers have a database each in which keys get the same numbers: what is counted of them is kept apart."""
    if not url or not worker:
        return url
    address = urlsplit(url)
    number = (int(address.path.strip("/") or 0) + 12 + int(worker.removeprefix("gw"))) % 16
    return address._replace(path=f"/{number}").geturl()


REDIS_URL = _own_redis(env.REDIS_URL, _worker)
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # nothing is collected for tests; its absence would be a warning
