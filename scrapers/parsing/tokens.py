"""The anti-forgery token of ASP.NET MVC: a hidden value of a page's form that the next request must carry."""

from __future__ import annotations

from scrapers.parsing.html import hidden_inputs, missing_result, select
from scrapers.transport.page import Page

_NAME = "__RequestVerificationToken"


def form_token(page: Page) -> dict[str, str]:
    """The field with the token, from the first form that has one; an error of the page when none has."""
    for form in select(page.html(), "form"):
        token = hidden_inputs(form).get(_NAME)
        if token:
            return {_NAME: token}
    raise missing_result(page, "the search form's token")
