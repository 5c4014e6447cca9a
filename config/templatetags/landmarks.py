"""What the admin's skin leaves out or writes otherwise than our pages may: landmarks, and styles in the page."""

from __future__ import annotations

import re

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
NAMED = (  # what the skin writes, and what is put in its place
    ('<div id="main"', '<div id="main" role="main"'),
    ('overflow-auto" data-simplebar>', 'overflow-auto" data-simplebar data-simplebar-aria-label="Menu">'),
    # Written as an object it is set by script; as text it would be a style in the page, which no page of ours may have
    ("""x-bind:style="'width: ' + changeListWidth + 'px'\"""", """x-bind:style="{ width: changeListWidth + 'px' }\""""),
    ('data-simplebar-direction="rtl"', 'data-simplebar-direction="rtl" data-simplebar-aria-label="Filters"'),
)


@register.filter
def with_landmarks(page: SafeString) -> SafeString:
    """The skin's page, its main part marked as that, and what scrolls told apart by names."""
    text = str(page)
    for written, named in NAMED:
        text = text.replace(written, named, 1)
    return mark_safe(text)  # noqa: S308  (it was safe before)


@register.filter
def without_styles(head: SafeString) -> SafeString:
    """The skin's part of the head, its styles left out: ours has them (lookups/admin.css)."""
    return mark_safe(re.sub(r"<style>.*?</style>", "", str(head), flags=re.DOTALL))  # noqa: S308  (it was safe before)
