"""The settings of the stories: those of development, and a pace at which each state still answers twice a second.

A question to New York costs four requests, and one to Colorado three, of which the stories play one.
"""

from config.settings.dev import *
from scrapers.states.colorado import Colorado
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace

for portal, requests in ((NewYork, 4), (Colorado, 3)):
    portal.pace = Pace(portal.pace.seconds / requests, portal.pace.concurrency)
