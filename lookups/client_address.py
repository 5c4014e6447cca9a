"""Where a request comes from: without a key it is counted by that, and a key may be bound to networks."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest

from billing import limits, networks

# A home or an office has a whole /64 of version 6: its hosts count as one address
V6_NETWORK = 64
_WITH_PORT = re.compile(r"^(?:\[([0-9A-Fa-f:.%\w]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$")  # [v6], [v6]:80, v4:80
FORMS_PER_HOUR = 10


def address_of(request: HttpRequest) -> str:
    """What the request is counted by: the address it came from, or its network."""
    return _network(_written(request))


def find(request: HttpRequest) -> networks.Address | None:
    """The address itself; None where what is said of it cannot be read."""
    try:
        read = ipaddress.ip_address(_written(request))
    except ValueError:
        return None
    return getattr(read, "ipv4_mapped", None) or read


def _written(request: HttpRequest) -> str:
    """Where the request came from, as far as it can be believed: only our own proxies' word counts."""
    address: str = request.META.get("REMOTE_ADDR") or ""
    if settings.TRUSTED_PROXIES:
        hops = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        # Each proxy adds the address it saw on the right; what stands further left was typed by the caller.
        address = hops[-settings.TRUSTED_PROXIES] if len(hops) >= settings.TRUSTED_PROXIES else address
    return _WITH_PORT.sub(r"\1\2", address)


def count(request: HttpRequest, *, now: datetime) -> limits.Rate:
    """Count one request without a key, or with one that opens nothing, against its address."""
    return limits.count(subject=f"address:{address_of(request)}", limit=settings.KEYLESS_PER_MINUTE, now=now)


def count_page(request: HttpRequest, *, now: datetime) -> limits.Rate:
    """Count one look at an entity's page against its address."""
    return limits.count(subject=f"pages:{address_of(request)}", limit=settings.PAGES_PER_MINUTE, now=now)


def count_form(request: HttpRequest, *, now: datetime) -> limits.Rate:
    """Count one form that a stranger sends and a person of ours reads against its address."""
    return limits.count(subject=f"forms:{address_of(request)}", limit=FORMS_PER_HOUR, now=now, seconds=3600)


def _network(address: str) -> str:
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        # A name, or what a proxy of ours let pass: whoever sends it is counted by it, and not together with all others
        return f"other-{hashlib.sha256(address.encode(errors='replace')).hexdigest()[:16]}"
    if isinstance(read, ipaddress.IPv4Address):
        return str(read)
    if read.ipv4_mapped:
        return str(read.ipv4_mapped)
    return str(ipaddress.ip_network((int(read), V6_NETWORK), strict=False))  # int: without the name of an interface
