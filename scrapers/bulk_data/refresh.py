"""Keeps the loaded copies fresh: fetch the file, load it beside the old copy, switch, clean up."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Max, Q

from jurisdictions import selectors
from scrapers import discovery, gateway
from scrapers.bulk_data import copies
from scrapers.bulk_data.published import BulkData
from scrapers.failures import PortalError
from scrapers.models import BulkCopy
from scrapers.portal import Portal
from scrapers.transport.download import DownloadSession

PATIENCE = 3 * 3600.0  # seconds for one file; the largest is 1.8 GB
FRESH = timedelta(days=6, hours=12)  # a copy is loaded anew each week, by a clock that looks each day
LAST_BEGINS = 18 * 3600.0  # seconds after which no further file is begun: the next day's look goes on
log = logging.getLogger(__name__)


def get_bulk_data(portal: Portal) -> BulkData:
    """What the portal's registry publishes as files; LoadRefused when that is nothing that can be read here."""
    if portal.bulk_data is None:
        raise copies.LoadRefused(f"{portal.code} publishes no bulk data this program can read")
    return portal.bulk_data


def fetch(*, portal: Portal, now: datetime) -> tuple[Path, datetime]:
    """Download the state's file under var/bulk_data; returns where it is and the day it is from.

    What was left there by another day's fetch is removed: a file may be gigabytes.
    """
    source = get_bulk_data(portal)
    if not _may_fetch(source):
        raise copies.LoadRefused(
            f"{source.url} is nothing that this program may fetch: fetch it yourself, then use --file"
        )
    gateway.refuse_when_off(portal)
    to = _folder() / f"{portal.code}-{now:%Y%m%d}"
    to.parent.mkdir(parents=True, exist_ok=True)
    for earlier in to.parent.glob(f"{portal.code}-*"):  # of another day: it was loaded, or not what was expected
        if not earlier.name.startswith(to.name):
            _remove(earlier)
    session = DownloadSession(
        portal=portal.code,
        hosts=portal.hosts,
        settings=gateway.transport_settings(),
        pace=portal.pace,
        pacer=gateway.get_pacer(portal),
        deadline=time.monotonic() + PATIENCE,
    )
    try:
        if source.asked_before is not None:
            source.asked_before(session)
        if not source.more:
            return to, session.download(source.url, to=to, now=now)
        to.mkdir(exist_ok=True)
        urls = (source.url, *source.more)
        return to, min(session.download(url, to=to / url.rpartition("/")[2], now=now) for url in urls)
    finally:
        session.close()


def load(
    *,
    portal: Portal,
    file: Path,
    as_of: datetime,
    now: datetime,
    may_shrink: bool = False,
    progress: copies.Progress = lambda copy: None,
) -> BulkCopy:
    """Load a file and switch to it; LoadRefused leaves the old copy answering, and the reason in the row."""
    bulk_data = get_bulk_data(portal)
    copy = copies.begin(state=portal.code, bulk_data=bulk_data, file=file, as_of=as_of, now=now)
    try:
        copies.load(copy=copy, bulk_data=bulk_data, progress=progress)
        copies.switch(copy=copy, bulk_data=bulk_data, now=now, may_shrink=may_shrink)
    except copies.OtherLoad:
        raise
    except copies.LoadRefused as error:
        copies.refuse(copy=copy, why=str(error), now=now)
        raise
    finally:
        copies.prune()
    return copy


def refresh_all(*, now: datetime) -> dict[str, str]:
    """Refresh every copy that was loaded a week ago; returns what came of each. One failing stops no other.

    What did not come, or was killed, is due the next day; what came and was refused, a week later, but for a file that
    a person brought: it says nothing of the registry's own. Not of a state that is switched off: its registry is left
    alone, and nobody is answered from the copy.
    """
    told, off, began = {}, set(selectors.list_off().values_list("code", flat=True)), time.monotonic()
    looked = BulkCopy.objects.filter(~Q(status="refused") | Q(file__startswith=f"{_folder()}/"))
    last = dict(looked.order_by().values_list("state").annotate(Max("finished_at")))
    for portal in discovery.list_publishers():
        loaded = last.get(portal.code)
        if loaded is None or loaded > now - FRESH or not _may_fetch(get_bulk_data(portal)):
            continue
        if time.monotonic() - began > LAST_BEGINS:
            told[portal.code] = "left for tomorrow"
            continue
        if portal.code in off:
            told[portal.code] = "not asked: switched off"
            continue
        _release_connection()
        try:
            file, as_of = fetch(portal=portal, now=now)
            told[portal.code] = f"{load(portal=portal, file=file, as_of=as_of, now=now).entities} entities"
            _remove(file)
        except (PortalError, copies.LoadRefused) as error:
            told[portal.code] = f"kept the old copy: {error}"
            log.warning("bulk data of %s not refreshed: %s", portal.code, error)
        except Exception as error:  # a full disk, a cell that a reader trips over
            told[portal.code] = f"kept the old copy: {type(error).__name__}"
            log.exception("bulk data of %s not refreshed", portal.code)
    return told


def _folder() -> Path:
    """Where fetched files lie."""
    return Path(settings.VAR_DIR) / "bulk_data"


def _may_fetch(source: BulkData) -> bool:
    return not source.supplied and source.url.startswith("https://")


def _release_connection() -> None:
    """Hold no connection to the database for the hours of a download, and none that broke: it may lead nowhere."""
    if not connection.in_atomic_block:
        connection.close()


def _remove(file: Path) -> None:
    if file.is_dir():
        shutil.rmtree(file, ignore_errors=True)
    else:
        file.unlink(missing_ok=True)
