"""The registry that questions of the last version are answered by after the upgrade."""

from tests.lookups.conftest import register  # noqa: F401  (used by pytest)
