"""Who asks for links or shows what signs in is counted, by network address and by mailbox, before it is read.

Whether an address has an account plays no part in it, so that being told to wait says nothing about that.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.http import HttpRequest

from billing import limits
from billing.members import addresses
from lookups import client_address

WINDOW = 15 * 60
OF_AN_ADDRESS, OF_A_NETWORK = 5, 60


def count(request: HttpRequest, *, email: str = "", now: datetime) -> int:
    """Count a try; return how many seconds to wait, 0 when it may be looked at."""
    subjects = {f"entrance:{client_address.address_of(request)}": OF_A_NETWORK}
    if email:
        mailbox = addresses.mailbox_of(email)  # whoever reads it gets no more mails than five, however it is spelled
        subjects[f"entrance:{hashlib.sha256(mailbox.encode()).hexdigest()[:40]}"] = OF_AN_ADDRESS
    rates = [limits.count(subject=name, limit=most, now=now, seconds=WINDOW) for name, most in subjects.items()]
    return max(rate.retry_after for rate in rates)
