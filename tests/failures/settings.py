"""The settings of the stories: those of development, and a pace at which each state still answers twice a second.

A question to New York costs four requests, one to Colorado three and one to Oregon two, of which the stories play one.
"""

from config.settings.dev import *
from scrapers.states.colorado import Colorado
from scrapers.states.new_york import NewYork
from scrapers.states.oregon import Oregon
from scrapers.transport.pace import Pace

for portal, requests in ((NewYork, 4), (Colorado, 3), (Oregon, 2)):
    portal.pace = Pace(portal.pace.seconds / requests, portal.pace.concurrency)

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "KEY_FUNCTION": "tests.failures.memory.key_in_this_story",
    }
}
