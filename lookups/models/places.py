"""Where a page of a list ends that is read from the newest on: a moment, and a name for those of the same moment."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db.models import Q

Place = tuple[datetime, uuid.UUID]


def is_after(place: Place) -> Q:
    """What comes after that place in the order `-created_at, -id`."""
    return Q(created_at__lt=place[0]) | Q(created_at=place[0], id__lt=place[1])
