"""The public pages that every installation has."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def read(url: str) -> Any:
    return Client().get(url)


class TestTheOtherPages:
    """Home, states, errors."""

    @pytest.mark.parametrize("url", ["/", "/states/", "/robots.txt"])
    def test_are_there(self, switches: None, url: str) -> None:
        assert read(url).status_code == 200

    def test_tell_every_state_with_its_reason(self, switches: None) -> None:
        page = read("/states/").content.decode()
        assert page.count("<tr ") == 56
        assert "captcha" in page

    def test_say_what_to_do_when_no_state_is_set_up(self, db: None) -> None:
        assert read("/states/").status_code == 200

    @pytest.mark.parametrize("url", ["/docs/", "/docs/errors/", "/states/", "/pricing/", "/privacy/", "/admin/"])
    def test_are_found_without_the_last_slash(self, switches: None, url: str) -> None:
        reply = read(f"{url[:-1]}?from=here")
        assert (reply.status_code, reply["Location"]) == (301, f"{url}?from=here")

    def test_that_are_none_are_not_there_with_or_without_it(self, switches: None) -> None:
        assert {read(url).status_code for url in ("/nothing", "/nothing/", "/states.html", "/v1/nothing")} == {404}

    def test_take_no_other_method(self, switches: None) -> None:
        assert Client().post("/states/").status_code == 405

    def test_that_a_form_is_sent_to_lead_on_to_a_page(self) -> None:
        reply = read("/app/balance/topup/")
        assert (reply.status_code, reply["Location"]) == (302, "/app/balance/")

    def test_say_what_may_be_sent_to_who_pastes_too_much(self) -> None:
        reply = Client().post(
            "/app/bulk/", {"pasted": "Blue Heron Logistics LLC,DE\n" * 200_000}, "application/x-www-form-urlencoded"
        )
        assert reply.status_code == 413
        assert "may have 5 MB" in reply.content.decode()
        assert '<a class="button" href="/app/bulk/">Back to the form</a>' in reply.content.decode()
