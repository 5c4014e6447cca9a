"""Who is asking where there is no key: an address, counted so that one of them cannot use up everybody's turn."""

from __future__ import annotations

import ipaddress
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest

from billing import limits

# A home or an office has a whole /64 of version 6: its hosts count as one address
V6_NETWORK = 64


def address_of(request: HttpRequest) -> str:
    """The address the request came from, as far as it can be believed: only our own proxies' word counts."""
    address = request.META.get("REMOTE_ADDR") or ""
    if settings.TRUSTED_PROXIES:
        hops = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        # Each proxy adds the address it saw on the right; what stands further left was typed by the caller.
        address = hops[-settings.TRUSTED_PROXIES] if len(hops) >= settings.TRUSTED_PROXIES else address
    return _network(address)


def count(request: HttpRequest, *, now: datetime) -> limits.Rate:
    """Count one request without a key against its address."""
    return limits.count(subject=f"address:{address_of(request)}", limit=settings.KEYLESS_PER_MINUTE, now=now)


def _network(address: str) -> str:
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(read, ipaddress.IPv4Address):
        return str(read)
    if read.ipv4_mapped:
        return str(read.ipv4_mapped)
    return str(ipaddress.ip_network((read, V6_NETWORK), strict=False))
