"""The settings of `several_processes`: registries that may be asked as fast as they answer."""

from scrapers import discovery
from scrapers.transport.pace import Pace
from tests.failures.registries import STATES
from tests.failures.settings import *  # noqa: F403

for code in STATES:
    portal = discovery.find_portal(code)
    assert portal is not None
    type(portal).pace = Pace(0.0, 64)
