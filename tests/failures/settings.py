"""The settings of the stories: those of development, and a pace at which each state still answers twice a second.

A question to New York costs four requests, of which the stories play one.
"""

from config.settings.dev import *
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace

NewYork.pace = Pace(NewYork.pace.seconds / 4, NewYork.pace.concurrency)
