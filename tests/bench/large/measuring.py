"""One database: asks for every address so many times, and writes what that took as JSON. Started by `__main__`."""

from __future__ import annotations

import json
import os
import sys
import time
from statistics import quantiles
from typing import Any

EACH = 4  # times in each repeat
LONGEST = 30.0  # seconds for one address: what is slower is asked less often
FEWEST = 3


def main() -> None:
    """The arguments are the number of repeats and the part that is wanted."""
    repeats, part = int(sys.argv[1]), sys.argv[2]
    from tests.bench.large import set_up

    set_up()
    from tests.bench.large.addresses import HOT, list_addresses

    clients = {"admin": sign_in_staff(), "workspace": sign_in_member()}
    key = issue_key()
    for one in list_addresses():
        if part not in one.name and part not in one.part:
            continue

        def ask(address: Any = one) -> Any:
            if address.part == HOT:
                return call(address, key)
            return clients[address.part].get(address.path, follow=False)

        times, status = _measure(ask, repeats, forget=one.part != HOT)
        cuts = quantiles(times, n=20, method="inclusive")
        found = {"part": one.part, "name": one.name, "status": status, "p50": cuts[9], "p95": cuts[18], "n": len(times)}
        print(json.dumps(found), flush=True)  # noqa: T201


def _measure(ask: Any, repeats: int, *, forget: bool) -> tuple[list[float], int]:
    """Milliseconds of each request after the first, which compiles templates and plans."""
    from django.core.cache import cache

    times: list[float] = []
    status = ask().status_code
    begun = time.monotonic()
    for _ in range(repeats * EACH):
        if forget:
            cache.clear()
        start = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - start))
        if len(times) >= FEWEST and time.monotonic() - begun > LONGEST:
            break
    return times, status


def sign_in_staff() -> Any:
    from django.contrib.auth import get_user_model
    from django.contrib.auth.models import Group
    from django.test import Client

    user, is_new = get_user_model().objects.get_or_create(username="bench-owner", is_staff=True)
    if is_new:
        user.groups.add(Group.objects.get(name="owner"))
    client = Client(raise_request_exception=True)
    client.force_login(user)
    return client


def sign_in_member() -> Any:
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.utils import timezone

    from billing.members import sessions
    from billing.models import Member
    from tests.bench.large.tables import BIG

    now = timezone.now()
    user, _ = get_user_model().objects.get_or_create(username="bench-member", email="m@bench.test")
    member, _ = Member.objects.get_or_create(user=user, account_id=BIG, defaults={"role": "owner", "joined_at": now})
    client = Client()
    token = sessions.begin(member=member, address="192.0.2.7", browser="Firefox", now=now)
    client.cookies[settings.WORKSPACE_COOKIE_NAME] = token
    return client


def issue_key() -> str:
    from django.utils import timezone

    from billing import keys
    from billing.models import Account
    from tests.bench.large.tables import BIG

    key, secret = keys.issue(account=Account.objects.get(pk=BIG), name="bench", now=timezone.now())
    key.rate_limit_per_minute = key.concurrent_lookups = 1_000_000
    key.save()
    return secret


def call(address: Any, key: str) -> Any:
    from django.test import Client

    client, headers = Client(), {"x-api-key": key}
    if address.posts is None:
        return client.get(address.path, headers=headers)
    return client.post(address.path, json.dumps(address.posts), content_type="application/json", headers=headers)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    main()
