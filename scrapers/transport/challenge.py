"""Recognizes a wall served in place of an answer, whatever its HTTP status.

A wall is reported to the operator and to the caller (503 `blocked`); it is never solved or disguised.
"""

from __future__ import annotations

from scrapers.failures import PortalBlocked, PortalUnavailable

# Marks seen on the vendors' own pages (2026-11); lower case, because pages are compared in lower case.
_WALLS: tuple[tuple[str, str], ...] = (
    ("cf-mitigated", "Cloudflare challenge"),
    ("<title>just a moment", "Cloudflare challenge"),
    ("/cdn-cgi/challenge-platform", "Cloudflare challenge"),
    ("cf-turnstile", "Cloudflare Turnstile"),
    ("_incapsula_resource", "Imperva wall"),
    ("incapsula incident id", "Imperva wall"),
    ("<title>access denied</title>", "Akamai wall"),
    ("errors.edgesuite.net", "Akamai wall"),
    ("<title>challenge validation</title>", "Akamai captcha"),
    ("captcha-delivery.com", "DataDome wall"),
    ("/tspd/", "F5 wall"),
    ("frmcaptcha", "captcha form"),
    ("awswafintegration", "AWS wall"),
)
# Plain words, which a company's name may hold as well: looked for on pages only, never in data.
_WORDS: tuple[tuple[str, str], ...] = (
    ("pardon our interruption", "Imperva wall"),
    ("testing whether you are a human visitor", "F5 captcha"),
    ("the requested url was rejected. please consult with your administrator", "F5 wall"),
    ("system verification in progress", "Turnstile page"),
    ("azure waf", "Azure wall"),
    ("our security service has detected suspicious activity", "Ohio's block page"),  # headed "Website Maintenance"
)
# A captcha widget alone proves nothing: several portals carry one on pages that do hold the answer. The parser
# that misses its result asks `is_captcha_form`.
_WIDGETS = ("g-recaptcha", "grecaptcha", "h-captcha", "hcaptcha.com", "divcaptcha", "recaptcha/api.js")
_CLOSED = (
    "down for maintenance",
    "undergoing maintenance",
    "scheduled maintenance",
    "temporarily unavailable",
    "service unavailable",
)
_LOOK = 300_000  # characters; walls are short, and a long page is an answer


def refuse_walls(*, status: int, headers: dict[str, str], text: str, asked: str = "") -> None:
    """Raise PortalBlocked or PortalUnavailable when the page is a wall or a closed door; else return.

    `headers` have lower-case names; `text` is the page as far as it is text. A mark that stands in the question
    (`asked`) proves nothing: pages repeat what they were asked, and nobody may close a portal for others that way.
    """
    if headers.get("cf-mitigated") == "challenge":
        raise PortalBlocked("Cloudflare challenge (cf-mitigated header)")
    head, question = text[:_LOOK].lower(), asked.lower()
    is_data = head.lstrip("\ufeff \t\r\n").startswith(("{", "["))
    for mark, name in _WALLS if is_data else _WALLS + _WORDS:
        if mark in head and mark not in question:
            raise PortalBlocked(f"{name}: the page carries {mark!r}")
    short_page = status < 500 and len(head) < 20_000 and not is_data
    if short_page and any(mark in head and mark not in question for mark in _CLOSED):
        raise PortalUnavailable("the portal shows a maintenance page")


def is_captcha_form(text: str) -> bool:
    """Say whether the page carries a captcha widget: with the expected result missing, that is a wall."""
    head = text[:_LOOK].lower()
    return any(mark in head for mark in _WIDGETS)
