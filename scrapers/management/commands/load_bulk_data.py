"""Load a copy of a state's bulk data: `manage.py load_bulk_data AK` fetches it, `--file` takes one at hand.

The load is streamed, goes on where a broken one stopped, and the state answers from the old copy until the new
one is whole. `--list` shows the copies there are. GLEIF (its golden copy) and EDGAR (its list of names) are loaded in
the same way: LEI and CIK are looked for there then.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from scrapers import discovery
from scrapers.bulk_data import copies, refresh
from scrapers.failures import PortalError
from scrapers.models import BulkCopy
from scrapers.portal import Portal


class Command(BaseCommand):
    """See the module."""

    help = (
        "Load a copy of a state's bulk data, GLEIF's golden copy or EDGAR's list of names; a broken load goes on where"
        " it stopped, and the old copy answers until the new one is whole."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", nargs="?", help="two letters; or GLEIF, EDGAR")
        parser.add_argument("--file", type=Path, help="the file, or the folder of files, already downloaded")
        parser.add_argument("--as-of", help="the day the file is from, YYYY-MM-DD (default: the file's own time)")
        parser.add_argument(
            "--smaller", action="store_true", help="also where it has far fewer entities than before, or not its last"
        )
        parser.add_argument("--list", action="store_true", help="show the copies there are")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["state"] and (options["file"] or options["as_of"]):
            raise CommandError("Nothing has changed: name the state that the file is of.")
        if options["list"] or not options["state"]:
            self._list()
            return
        wanted = options["state"].upper()
        portal = next((one for one in discovery.list_publishers() if one.code == wanted), None)
        if portal is None:
            raise CommandError(f"{options['state']} publishes no bulk data this program can read.")
        now = timezone.now()
        try:
            file, as_of = self._file(portal, options, now)
            copy = self._load(portal, file, as_of, now, may_shrink=options["smaller"])
        except (PortalError, copies.LoadRefused, OSError) as error:  # a full disk, a file of somebody else's
            raise CommandError(f"Nothing has changed: {error}") from error
        self.stdout.write(
            f"{portal.code} answers from its bulk data of {copy.as_of:%Y-%m-%d}: {copy.entities} entities."
        )

    def _file(self, portal: Portal, options: dict[str, Any], now: datetime) -> tuple[Path, datetime]:
        file: Path | None = options["file"]
        if file is None:
            return refresh.fetch(portal=portal, now=now)
        if not file.exists():
            raise CommandError(f"There is no {file}.")
        stamp = options["as_of"]
        try:
            written = datetime.fromtimestamp(file.stat().st_mtime, tz=UTC)
            dated = datetime.fromisoformat(stamp) if stamp else min(now, written)
            dated = dated.replace(tzinfo=UTC) if dated.tzinfo is None else dated.astimezone(UTC)
        except (ValueError, OverflowError) as error:  # before the first day that there can be
            raise CommandError("--as-of must be a day such as 2026-11-22.") from error
        if stamp and dated > now + timedelta(days=1):  # somewhere it is tomorrow already
            raise CommandError("--as-of is a day that is still to come.")
        return file.resolve(), dated

    def _load(self, portal: Portal, file: Path, as_of: datetime, now: datetime, *, may_shrink: bool) -> BulkCopy:
        with tqdm(unit=" rows", desc=f"{portal.code} bulk data", file=cast("TextIO", self.stderr._out)) as bar:

            def show(copy: BulkCopy) -> None:
                bar.update(copy.rows_read - bar.n)

            return refresh.load(portal=portal, file=file, as_of=as_of, now=now, may_shrink=may_shrink, progress=show)

    def _list(self) -> None:
        for copy in BulkCopy.objects.all():
            self.stdout.write(f"{copy}: {copy.entities} entities, {copy.rows_read} rows read. {copy.detail}")
        readable = [portal.code for portal in discovery.list_publishers()]
        self.stdout.write(f"Bulk data that can be loaded: {', '.join(readable) or 'none'}")
