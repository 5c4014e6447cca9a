"""Landmarks that the admin's skin leaves out, so that a screen reader can go to what a page is about."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
NAMED = (  # what the skin writes, and what is put in its place
    ('<div id="main"', '<div id="main" role="main"'),
    ('overflow-auto" data-simplebar>', 'overflow-auto" data-simplebar data-simplebar-aria-label="Menu">'),
    ('data-simplebar-direction="rtl"', 'data-simplebar-direction="rtl" data-simplebar-aria-label="Filters"'),
)


@register.filter
def with_landmarks(page: SafeString) -> SafeString:
    """The skin's page, its main part marked as that, and what scrolls told apart by names."""
    text = str(page)
    for written, named in NAMED:
        text = text.replace(written, named, 1)
    return mark_safe(text)  # noqa: S308  (it was safe before)
