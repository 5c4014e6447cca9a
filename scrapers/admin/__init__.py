"""For operators: each state's switch and health, the attempts with what portals answered, the loaded copies."""

from scrapers.admin import attempts, portals, switches

__all__ = ["attempts", "portals", "switches"]
