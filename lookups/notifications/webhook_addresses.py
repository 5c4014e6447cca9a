"""Where customers' webhooks may lead: to machines that the whole internet can reach, and nowhere else.

A webhook lets anybody choose an address that our server contacts. Everything that would lead it into a network of
ours is refused here: by the way the address is spelled, and by what its name resolves to at the moment of sending.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

NOT_READABLE = "the address cannot be read"
NOT_HTTPS = "the address is not https"
HAS_PASSWORD = "the address carries a user name or password"  # noqa: S105 - it says so, it is none
ODD_HOST = "the address names no machine in the usual spelling"
ODD_PORT = "the address names a port other than 443 or 1024 and above"
PRIVATE = "the address leads to a private network"

LONGEST = 500
_HTTPS, _HTTP = 443, 80
_PLAIN = re.compile(r"[!-\[\]-~]+")  # ASCII that can be seen; no backslash, which browsers take for a slash
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_INSIDE = ("local", "internal", "localhost", "localdomain", "intranet", "lan", "home", "corp", "arpa")

# IANA's special-purpose blocks, written out: what Python counts as global differs between its patch releases.
_NEVER_V4 = [
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "168.63.129.16/32",  # looks public, but is Azure's inside: it hands a machine its certificates
    )
]
# Of IPv6 only this block is public at all. That alone refuses every form that hides an IPv4 address in ::/8
# (mapped, compatible, NAT64 64:ff9b::), and link-local, unique local, site-local and multicast addresses.
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_NEVER_V6 = [
    ipaddress.IPv6Network(block)
    for block in (
        "2001::/23",  # Teredo (hides an IPv4 address), ORCHID, benchmarking
        "2001:db8::/32",
        "2002::/16",  # 6to4: hides an IPv4 address
        "3fff::/20",
    )
]
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # the third quarter of an address whose last quarter is an IPv4 address

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(Exception):
    """Nothing is sent to this address; the text says why, fit for the customer."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart: `host` in lower case without brackets, `path` with the query, as it is sent."""

    secure: bool
    host: str
    port: int
    path: str


def read(url: str, *, to_loopback: bool) -> Target:
    """Take an address apart, or raise Refused. Names are not resolved: `check` judges what they lead to.

    `to_loopback` (development, tests) lets http and names of this machine through; it is for `check` to see that
    they lead to loopback indeed.
    """
    if not url or len(url) > LONGEST or not _PLAIN.fullmatch(url):
        raise Refused(NOT_READABLE)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise Refused(NOT_READABLE) from error
    if parts.scheme not in (("https", "http") if to_loopback else ("https",)):
        raise Refused(NOT_HTTPS)
    if "@" in parts.netloc:
        raise Refused(HAS_PASSWORD)
    secure = parts.scheme == "https"
    _check_host(host, bracketed="[" in parts.netloc, to_loopback=to_loopback)
    usual = _HTTPS if secure else _HTTP
    port = usual if port is None else port
    if port != usual and port < 1024:
        # The ports below belong to other services (mail, ssh), which a request should not be able to speak to.
        raise Refused(ODD_PORT)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(secure=secure, host=host, port=port, path=path)


def check(target: Target, addresses: Iterable[str], *, to_loopback: bool) -> list[IPAddress]:
    """Return what the name resolved to when every one of `addresses` may be contacted; raise Refused otherwise.

    One private address among public ones is enough to refuse: which of them is taken would be chance.
    """
    found = [ipaddress.ip_address(address.partition("%")[0]) for address in addresses]
    at_home = bool(found) and to_loopback and all(_is_loopback(address) for address in found)
    if not at_home and not target.secure:
        raise Refused(NOT_HTTPS)
    if not at_home and not all(is_public(address) for address in found):
        raise Refused(PRIVATE)
    return found


def is_public(address: IPAddress) -> bool:
    """Tell whether the whole internet can reach the address, and it hides no other."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not any(address in block for block in _NEVER_V4)
    if address not in _PUBLIC_V6 or any(address in block for block in _NEVER_V6):
        return False
    return address.is_global and (int(address) >> 32) & 0xFFFF_FFFF not in _ISATAP


def _is_loopback(address: IPAddress) -> bool:
    """Tell whether the address is this machine's own; from 3.13 on Python says so of ::ffff:127.0.0.1 as well."""
    hides_another = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None
    return address.is_loopback and not hides_another


def _check_host(host: str, *, bracketed: bool, to_loopback: bool) -> None:
    """Raise Refused unless the host is an ordinary name, or an IP address in its usual spelling."""
    if bracketed:
        _check_literal(host, version=6, to_loopback=to_loopback)
        return
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):  # every client reads this as an IPv4 address, in all the spellings of old
        _check_literal(host, version=4, to_loopback=to_loopback)
        return
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise Refused(ODD_HOST)  # also the empty name, a dot at the end, a zone id
    if labels[-1] in _INSIDE or len(labels) < 2:
        if to_loopback and labels[-1] == "localhost":
            return
        raise Refused(PRIVATE)


def _check_literal(host: str, *, version: int, to_loopback: bool) -> None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError as error:
        raise Refused(ODD_HOST) from error
    if address.version != version or "%" in host:
        raise Refused(ODD_HOST)
    if not is_public(address) and not (to_loopback and _is_loopback(address)):
        raise Refused(PRIVATE)
