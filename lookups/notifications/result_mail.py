"""The mail that brings the results of a bulk job: its numbers, where to fetch them, and the table when it is not large.

Nothing a customer typed gets into a header: subject and file name are made of our own words and the job's name.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import timezone

from billing import money
from lookups import bodies, bulk_table, csv_export
from lookups.bulk import bulk_jobs
from lookups.bulk.progress import get_progress
from lookups.models import BulkJob, Delivery
from lookups.verdicts import Verdict

LARGEST_TABLE = 5_000_000  # bytes; many mail servers take 10 MB, and the attachment grows by a third on its way

NO_ADDRESS = (
    "The account has no e-mail address. Choose one in the workspace, under Settings, or have the operator set it."
)
FICTIONAL = "This is of the sandbox: a fictional registry answered, and all of it is invented."


def is_configured() -> bool:
    """Whether the operator has named a mail server."""
    return bool(settings.MAIL_CONFIGURED)


def make(delivery: Delivery) -> EmailMessage:
    """The mail for the bulk job of `delivery`, to its address."""
    bulk = delivery.bulk
    assert bulk is not None
    table = make_table(bulk)
    message = EmailMessage(
        subject=f"{bulk.public_id}: {'cancelled' if bulk.cancelled_at else 'complete'}",
        body=_text(bulk, attached=table is not None, livemode=delivery.livemode),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[delivery.address],
        # The same in every try: a mail that comes twice because we could not note the first one is known for the same.
        headers={
            "Message-ID": f"<{delivery.message_id}@{urlsplit(settings.PUBLIC_URL).hostname}>",
            "Auto-Submitted": "auto-generated",
        },
    )
    if table is not None:
        message.attach(f"{bulk.public_id}.csv", table, "text/csv")
    return message


def make_table(bulk: BulkJob) -> str | None:
    """The rows and columns of the CSV download; None when it is too large to attach."""
    rows, now = bulk_jobs.list_rows(bulk), timezone.now()
    results = (bodies.of_row(row, now=now) for row in rows.iterator(chunk_size=200))
    lines, size = [], 0
    for line in csv_export.csv_lines(*bulk_table.make_table(results)):
        size += len(line.encode())
        if size > LARGEST_TABLE:
            return None
        lines.append(line)
    return "".join(lines)


def _text(bulk: BulkJob, *, attached: bool, livemode: bool) -> str:
    progress = get_progress(bulk)
    several = bulk_jobs.list_rows(bulk).filter(verdict=Verdict.AMBIGUOUS).count()  # counted among what was not found
    ended = "was cancelled; what had begun by then has ended" if bulk.cancelled_at else "is complete"
    table = (
        "The results are attached as a CSV table."
        if attached
        else f"The table of results is larger than {LARGEST_TABLE // 1_000_000} MB, so it is not attached."
    )
    return "\n".join(
        [
            f"Your bulk lookup {bulk.public_id} {ended}.",
            "",
            *([] if livemode else [FICTIONAL, ""]),
            f"Rows:       {bulk.total}",
            f"Found:      {progress.found}",
            f"Not found:  {progress.not_found - several}",
            f"Several fit: {several}",
            f"Failed:     {progress.failed}",
            f"Cancelled:  {bulk.total - progress.found - progress.not_found - progress.failed}",
            f"Cost:       {money.to_decimal_string(progress.cost)} USD",
            "",
            table,
            "Fetch it with your API key:",
            "",
            f'  curl -H "x-api-key: $KEY" -H "accept: text/csv" {settings.PUBLIC_URL}{bodies.poll_url(bulk)}',
            "",
            "You get this mail because email_results was asked for with an API key of your account.",
            "",
        ]
    )
