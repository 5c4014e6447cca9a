"""The door for a WSGI server."""

import os

from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.urls import resolve

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")


def _serve() -> WSGIHandler:
    """Whoever loads this serves: each process says from now on that it lives."""
    handler = get_wsgi_application()
    from config import started
    from lookups.operations import traffic
    from lookups.operations.heartbeats import Pulse

    resolve("/")  # else the first request would load the pages, and each look for cycles would go through them
    started()
    traffic.reserve_room()
    Pulse("web").start()
    return handler


application = _serve()
