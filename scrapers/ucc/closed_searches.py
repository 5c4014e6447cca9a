"""Lien searches that nobody may ask by program, or not for free: why a state answers no liens.

As public clients of these searches noted it from July to October 2026; nothing of it was tried. A price is a search's.
"""

from __future__ import annotations

from scrapers.parsing.fields import coded

CLOSED = coded(
    "IL: a captcha on the search (reCAPTCHA) | KS: 10 USD a search | MA: a bot wall (Imperva) | "
    "MN: 0.40 USD a search by debtor, the number alone is free | ND: by subscription | NE: 4.50 USD a search | "
    "NV: inside the state's portal, behind its wall | NY: a captcha on the search (Turnstile, since 2026-09) | "
    "OH: the portal's bot wall | PA: bot walls (Imperva, Cloudflare) | SD: 300 USD a year | UT: 12 USD a search | "
    "VA: a captcha on the search (reCAPTCHA) | WA: a captcha on the search (reCAPTCHA) | "
    "WV: a captcha on the search (reCAPTCHA)"
)
