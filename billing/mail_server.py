"""The one way to the mail server: what became of a mail, whatever is wrong with the server or the address.

Whoever writes several is stopped by none of them: a mail that cannot be sent is an answer and no exception.
"""

from __future__ import annotations

import contextlib
import logging
import smtplib
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db.models import QuerySet

from billing import limits
from billing.models import Account

log = logging.getLogger(__name__)

TAKEN = 250  # what a mail server says when it has taken a mail
NO_SERVER = "no mail server is configured (EMAIL_URL)"
NO_ADDRESS = "the account's e-mail address is none"


def post(message: EmailMessage) -> tuple[int | None, str]:
    """Give the mail to the server; what it answered, and what went wrong (empty: it has it)."""
    if not settings.MAIL_CONFIGURED:
        return None, NO_SERVER
    try:
        validate_email(message.to[0])
        _send(message)
    except (ValidationError, UnicodeError):  # Django takes hosts that no mail can be sent to: without a name in ASCII
        return None, NO_ADDRESS
    except smtplib.SMTPRecipientsRefused as refused:
        code, answer = next(iter(refused.recipients.values()))
        return code, f"the mail server refused the address: {_plain(answer)}"
    except smtplib.SMTPAuthenticationError as refused:
        return refused.smtp_code, "the mail server refused our user name or password"
    except smtplib.SMTPResponseException as refused:
        return refused.smtp_code, f"the mail server refused the mail: {_plain(refused.smtp_error)}"
    except (smtplib.SMTPException, OSError) as error:
        return None, f"the mail server cannot be reached or broke off ({type(error).__name__})"
    return TAKEN, ""


def post_text(*, to: str, subject: str, text: str) -> str:
    """Mail some lines of our own; what went wrong (empty: the server has it)."""
    headers = {"Auto-Submitted": "auto-generated"}  # so that no machine answers it
    _, error = post(EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [to], headers=headers))
    return error


def post_once(
    account: Account, waiting: QuerySet[Account], *, subject: str, text: str, done: dict[str, Any], now: datetime
) -> bool:
    """Mail to one of those who wait for it, that nobody else writes to meanwhile; True when the mail server has it.

    Only then is it noted (`done`): whoever is killed before leaves the mail to the next sweep.
    """
    with limits.alone(subject=f"{subject}:{account.pk}", now=now) as may_write:
        if not may_write or not waiting.filter(pk=account.pk).exists():
            return False
        error = post_text(to=account.email, subject=subject, text=text)
        if error:
            log.warning("account %s was not sent %r: %s", account.pk, subject, error)
            return False
        waiting.filter(pk=account.pk).update(**done)
    return True


def _send(message: EmailMessage) -> None:
    message.connection = get_connection()
    try:
        message.send()
    finally:
        with contextlib.suppress(OSError):  # Django leaves it open when our password was refused
            message.connection.close()


def _plain(answer: bytes | str) -> str:
    text = answer.decode(errors="replace") if isinstance(answer, bytes) else answer
    return " ".join(text.split())[:200]
