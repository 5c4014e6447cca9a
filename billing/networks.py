"""The networks a key may be used from: how they are written, and whether an address or a network is within them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
MOST = 20  # networks of one key
FORM = r"^[0-9A-Fa-f:.]{2,45}(/[0-9]{1,3})?$"
"""An address, or a network as an address with the length of its prefix: no masks, no interfaces, no blanks."""


def read(text: str) -> str:
    """Return a network in its one spelling ("192.0.2.7" is "192.0.2.7/32"); ValueError with a sentence otherwise."""
    text = text.strip()
    try:
        if not re.fullmatch(FORM, text):
            raise ValueError
        address = ipaddress.ip_interface(text)
    except ValueError:
        raise ValueError("Send networks such as 192.0.2.0/24 or 2001:db8::/32.") from None
    network = address.network
    if address.ip != network.network_address:
        raise ValueError(f"{text} is an address within a network: send {network} or {address.ip}.")
    if isinstance(network, ipaddress.IPv6Network) and network.network_address.ipv4_mapped:
        raise ValueError(f"{text} is a network of IPv4: send it as one.")
    return str(network)


def admit(networks: Iterable[str], address: Address | None) -> bool:
    """Tell whether an address is in one of the networks; without networks every address is, also an unknown one."""
    allowed = list(networks)
    return not allowed or (address is not None and any(address in ipaddress.ip_network(one) for one in allowed))


def are_within(inner: Iterable[str], outer: Iterable[str]) -> bool:
    """Tell whether whoever is admitted by `inner` is by `outer`: each network lies in one of the others."""
    wide, narrow = ([ipaddress.ip_network(one) for one in networks] for networks in (outer, inner))
    if not wide:
        return True
    return bool(narrow) and all(
        any(one.version == other.version and one.subnet_of(other) for other in wide)  # type: ignore[arg-type]
        for one in narrow
    )
