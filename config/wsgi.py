"""The door for a WSGI server."""

import os

from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")


def _serve() -> WSGIHandler:
    """Whoever loads this serves: each process says from now on that it lives."""
    handler = get_wsgi_application()
    from lookups.operations import traffic
    from lookups.operations.heartbeats import Pulse

    traffic.reserve_room()
    Pulse("web").start()
    return handler


application = _serve()
