"""Asks a time-stamp authority (RFC 3161) when a text was there: one small request, to the operator's own address.

The authority sees a hash and nothing else. It is not followed elsewhere, not waited for long, and not read for more
than such a reply has.
"""

from __future__ import annotations

import hashlib
import time
from datetime import datetime
from typing import NamedTuple

import requests
from urllib3.exceptions import HTTPError

from scrapers.transport.deadline import in_time

SECONDS = 15.0
LONGEST_REPLY = 64 * 1024


class NotStamped(Exception):
    """There is no time-stamp; the message says why, for the operator."""


class Token(NamedTuple):
    """An authority's reply as it came, and the time in it."""

    raw: bytes
    at: datetime


def ask(url: str, text: bytes, *, seconds: float = SECONDS) -> Token:
    """Have the authority vouch for a text; raises NotStamped where it does not, or for something else."""
    # Here: 3 MB of every process, most of which never ask
    from rfc3161_client import HashAlgorithm, PKIStatus, TimestampRequestBuilder, decode_timestamp_response

    asked = TimestampRequestBuilder().data(text).hash_algorithm(HashAlgorithm.SHA256)
    request = asked.cert_request(cert_request=True).build()
    try:
        raw = in_time(lambda: _post(url, request.as_bytes(), seconds), deadline=time.monotonic() + seconds)
        reply = decode_timestamp_response(raw)
        status = PKIStatus(reply.status)
        about = reply.tst_info if status is PKIStatus.GRANTED else None
        certificates = reply.signed_data.certificates if about else None
    except (TimeoutError, requests.Timeout):  # ours for the whole, or the reader's for its next byte
        raise NotStamped(f"no answer within {seconds:g} s") from None
    except (requests.RequestException, HTTPError) as error:  # its body is read from urllib3 itself
        raise NotStamped(f"not reached ({type(error).__name__})") from error
    except ValueError as error:
        raise NotStamped("the answer is no time-stamp") from error
    if status is PKIStatus.GRANTED_WITH_MODS:  # who checks a file takes none of these
        raise NotStamped("granted with changes")
    if about is None:
        raise NotStamped(f"refused (status {reply.status})")
    if about.nonce != request.nonce or about.message_imprint.message != hashlib.sha256(text).digest():
        raise NotStamped("the answer is about something else")
    if not certificates:
        raise NotStamped("the answer has no certificate")
    return Token(raw, about.gen_time)


def _post(url: str, body: bytes, seconds: float) -> bytes:
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    with requests.post(
        url, data=body, headers=headers, timeout=seconds, allow_redirects=False, stream=True
    ) as response:
        if response.status_code != 200:
            raise NotStamped(f"answered {response.status_code}")
        raw = response.raw.read(LONGEST_REPLY + 1, decode_content=True)
    if len(raw) > LONGEST_REPLY:
        raise NotStamped("the answer is too long")
    return bytes(raw)
