"""Requests to the tests' own servers on loopback.

Without TLS: httpx would read all certificates for each, in 21 ms. Its own 5 seconds are short for a busy machine.
"""

from __future__ import annotations

from functools import partial

import httpx

get, post = partial(httpx.get, verify=False, timeout=60), partial(httpx.post, verify=False, timeout=60)
