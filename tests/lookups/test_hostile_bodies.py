"""Whatever is thrown at the service: the one error shape, never a crash, never a page for people."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookups.api.wire.words import CODES
from tests.lookups.conftest import Customer

pytestmark = pytest.mark.django_db

GOOD = {"entity_name": "Acme Corp", "state": "NY"}


def assert_error(reply: Any, status: int, code: str, text: str | None = None) -> dict[str, Any]:
    """The one shape."""
    assert reply.status_code == status, reply.content[:300]
    assert reply["Content-Type"].startswith("application/json")
    body = reply.json()
    assert body["success"] is False
    assert body["code"] == code
    assert code in CODES
    assert body["docUrl"].endswith(f"/docs/errors/#{code}")
    assert (body["cost"], isinstance(body["retryable"], bool)) == (0, True)
    assert body["requestId"] == reply["X-Request-Id"]
    if text:
        assert body["error"] == text
    return dict(body)


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "broken JSON": b'{"entity_name": "Acme", "state": ',
    "a bare word": b"hello",
    "a list": b'[{"entity_name": "Acme", "state": "NY"}]',
    "a number": b"12",
    "null": b"null",
    "an empty object": b"{}",
    "two objects": b'{"state":"NY"}{"state":"NY"}',
    "a NUL in the name": b'{"entity_name": "Ac\\u0000me", "state": "NY"}',
    "a raw NUL": b'{"entity_name": "Ac\x00me", "state": "NY"}',
    "a control character": b'{"entity_name": "Ac\\u0007me", "state": "NY"}',
    "half a character": b'{"entity_name": "Ac\\ud800me", "state": "NY"}',
    "half a character in a field nobody knows": b'{"entity_name": "Acme", "state": "NY", "x": "\\udfff"}',
    "half a character as a name": b'{"entity_name": "Acme", "state": "NY", "\\ud800": 1}',
    "invalid UTF-8": b'{"entity_name": "Acm\xff\xfe", "state": "NY"}',
    "overlong UTF-8": b'{"entity_name": "\xc0\xaf\xc0\xaf", "state": "NY"}',
    "UTF-16": '{"entity_name": "Acme", "state": "NY"}'.encode("utf-16"),
    "deep nesting, behind a text of brackets": b'{"entity_name":"' + b"]" * 20_000 + b'","x":' + b"[" * 20_000,
    "deep nesting": b'{"entity_name":' + b"[" * 30_000,
    "deep nesting, closed": b'{"entity_name": "Acme", "state": "NY", "x":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "a name twice": b'{"entity_name": "Acme", "state": "NY", "state": "CA"}',
    "NaN": b'{"entity_name": "Acme", "state": "NY", "x": NaN}',
    "Infinity": b'{"entity_name": "Acme", "state": "NY", "x": -Infinity}',
    "a huge integer": b'{"entity_name": "Acme", "state": "NY", "x": ' + b"9" * 5_000 + b"}",
    "an exponent beyond reckoning": b'{"entity_name": "Acme", "state": "NY", "x": 1e9999999999999999999}',
    "a number as the name": b'{"entity_name": 12, "state": "NY"}',
    "a list as the name": b'{"entity_name": ["Acme"], "state": "NY"}',
    "an object as the name": b'{"entity_name": {"$ne": null}, "state": "NY"}',
    "true as the name": b'{"entity_name": true, "state": "NY"}',
    "null as the name": b'{"entity_name": null, "state": "NY"}',
    "one letter": b'{"entity_name": "A", "state": "NY"}',
    "one letter in blanks": b'{"entity_name": "   A   ", "state": "NY"}',
    "blanks": b'{"entity_name": "     ", "state": "NY"}',
    "201 letters": json.dumps({"entity_name": "A" * 201, "state": "NY"}).encode(),
    "no state": b'{"entity_name": "Acme"}',
    "a state's name": b'{"entity_name": "Acme", "state": "New York"}',
    "three letters": b'{"entity_name": "Acme", "state": "NYC"}',
    "a state of digits": b'{"entity_name": "Acme", "state": 12}',
    "a state of other letters": '{"entity_name": "Acme", "state": "\u039d\u03a5"}'.encode(),
    "a list as the state": b'{"entity_name": "Acme", "state": ["NY"]}',
    "a source nobody knows": b'{"entity_name": "Acme", "state": "NY", "source": "memory"}',
    "a list as the source": b'{"entity_name": "Acme", "state": "NY", "source": ["live"]}',
    "a search type nobody knows": b'{"entity_name": "Acme", "state": "NY", "searchType": "trademark"}',
    "yes as fresh": b'{"entity_name": "Acme", "state": "NY", "fresh": "yes"}',
    "one as fresh": b'{"entity_name": "Acme", "state": "NY", "fresh": 1}',
    "a number as the identifier": b'{"entity_id": 100001, "state": "NY"}',
    "an endless identifier": json.dumps({"entity_id": "1" * 500, "state": "NY"}).encode(),
    "searchBy without ucc": b'{"entity_name": "Acme", "state": "NY", "searchBy": "debtor"}',
    "dates without ucc": b'{"entity_name": "Acme", "state": "NY", "dateAfter": "2024-01-01"}',
    "a day that is none": b'{"entity_name": "Acme", "state": "NY", "searchType": "ucc", "dateAfter": "2024-02-30"}',
    "a moment as a day": b'{"entity_name":"Acme","state":"NY","searchType":"ucc","dateAfter":"2024-01-01T00:00:00Z"}',
    "a day of a week": b'{"entity_name": "Acme", "state": "NY", "searchType": "ucc", "dateAfter": "2024-W01-1"}',
    "a day in wide digits": json.dumps(
        {"entity_name": "Acme", "state": "NY", "searchType": "ucc", "dateAfter": "\uff12\uff10\uff12\uff14-01-01"}
    ).encode(),
    "days the wrong way round": b'{"entity_name":"Acme","state":"NY","searchType":"ucc",'
    b'"dateAfter":"2024-02-02","dateBefore":"2024-02-01"}',
    "ucc by identifier": b'{"entity_name":"Acme","entity_id":"1","state":"NY","searchType":"ucc"}',
}


class TestAHostileBody:
    """Refused before anybody is asked."""

    @pytest.mark.parametrize("what", HOSTILE, ids=str)
    def test_gets_the_one_error_shape(self, what: str, customer: Customer) -> None:
        body = assert_error(customer.post("/v1/lookup", HOSTILE[what]), 400, "invalid_request", "Invalid request body")
        assert body["details"]
        assert all(isinstance(told, list) for told in body["details"].values())
        assert customer.balance.held == 0

    def test_naming_an_unknown_state_says_so(self, customer: Customer) -> None:
        body = assert_error(customer.lookup(state="ZZ"), 400, "unsupported_state", "Invalid request body")
        assert body["details"] == {"state": ["No such jurisdiction."]}

    @pytest.mark.parametrize("size", [64 * 1024 + 1, 10 * 1024 * 1024])
    def test_of_a_size_nobody_needs_is_a_413(self, customer: Customer, size: int) -> None:
        body = b'{"entity_name": "' + b"A" * size + b'"}'
        assert_error(customer.post("/v1/lookup", body), 413, "payload_too_large")

    @pytest.mark.parametrize(
        "kind",
        [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/xml",
            "multipart/form-data; boundary=x",
            "",
            "nonsense",
        ],
    )
    def test_of_another_content_type_is_a_415(self, customer: Customer, kind: str) -> None:
        reply = customer.post("/v1/lookup", json.dumps(GOOD), **{"content-type": kind})
        body = assert_error(reply, 415, "invalid_request", "Invalid request body")
        assert body["details"] == {"body": ["Send application/json."]}

    @pytest.mark.parametrize("path", ["/v1/lookup", "/v1/bulk-lookup", "/v1/name-availability"])
    def test_that_is_packed_is_a_415_that_says_so(self, customer: Customer, path: str) -> None:
        """It was called text that is no UTF-8, and whoever has a client that packs by itself looked for accents."""
        reply = customer.post(path, gzip.compress(json.dumps(GOOD).encode()), **{"content-encoding": "gzip"})
        body = assert_error(reply, 415, "invalid_request", "Invalid request body")
        assert body["details"] == {"body": ["Send it as it is, without Content-Encoding."]}

    def test_that_says_it_is_not_packed_is_read(self, tester: Customer) -> None:
        reply = tester.post("/v1/lookup", json.dumps(GOOD), **{"content-encoding": "identity"})
        assert reply.status_code in (200, 404)

    def test_of_another_content_type_where_tables_are_taken_names_them(self, customer: Customer) -> None:
        reply = customer.post("/v1/bulk-lookup", b"x", **{"content-type": "application/xml"})
        assert "application/json or text/csv" in json.dumps(assert_error(reply, 415, "invalid_request"))

    @pytest.mark.parametrize("extra", [{"x": 1}, {"x": {"y": [None, 1.5]}}, {"x": "\U0001f600"}, {"x": 1e300}])
    def test_with_fields_nobody_knows_is_none(self, tester: Customer, extra: dict[str, Any]) -> None:
        assert tester.lookup("Nobody Knows This", "DE", **extra).status_code == 404

    @given(
        body=st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["entity_name", "state", "source", "fresh", "entity_id"]) | st.text(),
                    inner,
                    max_size=6,
                )
            ),
            max_leaves=12,
        )
    )
    @settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_of_any_making_never_crashes_the_service(self, customer: Customer, body: Any) -> None:
        customer.key.__class__.objects.update(rate_limit_per_minute=100_000)
        reply = customer.post("/v1/lookup", json.dumps(body))
        assert reply.status_code in (400, 404, 503), reply.content
        assert reply.json()["success"] is False

    @given(raw=st.binary(max_size=200))
    @settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_of_any_bytes_never_crashes_the_service(self, customer: Customer, raw: bytes) -> None:
        customer.key.__class__.objects.update(rate_limit_per_minute=100_000)
        assert customer.post("/v1/lookup", raw).status_code == 400


class TestAHostileAddress:
    """Paths, methods, headers."""

    @pytest.mark.parametrize(
        "path",
        [
            "/v1/",
            "/v1/nothing",
            "/v1/lookup/",
            "/v1/lookup/x",
            "/v1/%00",
            "/v1/%ff",
            "/v1/../v1/nothing",
            "/v1/lookup%2f",
        ],
    )
    @pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
    def test_that_is_none_is_a_404(self, db: None, path: str, method: str) -> None:
        reply = getattr(Client(raise_request_exception=False), method)(path)
        assert_error(reply, 404, "not_found")

    @pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "options", "head", "trace"])
    def test_with_another_method_is_a_405(self, customer: Customer, method: str) -> None:
        reply = getattr(Client(raise_request_exception=False), method)(
            "/v1/lookup", headers={"x-api-key": customer.secret}
        )
        assert reply.status_code == 405
        assert "POST" in reply["Allow"]
        if method != "head":
            assert_error(reply, 405, "method_not_allowed")

    def test_for_another_format_is_a_406(self, customer: Customer) -> None:
        text = "This endpoint answers in application/json"
        assert_error(customer.get("/v1/account/balance", accept="application/xml"), 406, "invalid_request", text)

    @pytest.mark.parametrize(
        ("path", "accept", "status", "says"),
        [
            ("/v1/account/usage", "application/xml", 406, "application/json or text/csv"),
            ("/v1/account/usage?format=xml", "*/*", 400, "Use one of: json, csv."),
            ("/v1/lookups/lk_1/evidence.wacz", "application/xml", 406, "application/wacz"),
        ],
    )
    def test_that_cannot_be_read_counts_and_says_what_can(
        self, customer: Customer, path: str, accept: str, status: int, says: str
    ) -> None:
        reply = customer.get(path, accept=accept)
        body = assert_error(reply, status, "invalid_request")
        assert says in json.dumps(body)
        assert (body["livemode"], "X-RateLimit-Remaining" in reply) == (True, True)

    def test_that_cannot_be_read_of_whoever_has_no_key_is_a_401(self, db: None) -> None:
        reply = Client().get("/v1/account/usage", headers={"accept": "application/xml"})
        assert_error(reply, 401, "unauthorized")

    def test_with_a_host_that_is_not_ours_is_a_400(self, db: None, settings: Any) -> None:
        settings.ALLOWED_HOSTS = ["example.com"]
        reply = Client(raise_request_exception=False).get("/v1/health", headers={"host": "evil.test"})
        assert_error(reply, 400, "invalid_request")

    def test_with_a_thousand_parameters_is_no_crash(self, customer: Customer) -> None:
        reply = customer.post("/v1/lookup?" + "&".join(f"a{n}=1" for n in range(2000)), GOOD)
        assert reply.status_code in (400, 503)
        assert reply.json()["success"] is False

    def test_with_a_fresh_that_is_no_flag_is_a_400(self, customer: Customer) -> None:
        body = assert_error(customer.post("/v1/lookup?fresh=maybe", GOOD), 400, "invalid_request")
        assert "fresh" in body["details"]


class TestARequestId:
    """Names a request in every reply."""

    @pytest.mark.parametrize("given_id", ["abc", "A.b-c_9", "x" * 64])
    def test_that_is_well_formed_is_kept(self, db: None, given_id: str) -> None:
        assert Client().get("/v1/nothing", headers={"x-request-id": given_id})["X-Request-Id"] == given_id

    @pytest.mark.parametrize("given_id", ["", "x" * 65, "a b", "a/b", "é", "a;b", "<script>"])
    def test_that_is_not_is_replaced(self, db: None, given_id: str) -> None:
        told = Client().get("/v1/nothing", headers={"x-request-id": given_id})["X-Request-Id"]
        assert told != given_id
        assert len(told) == 32

    @pytest.mark.parametrize(
        "path", ["/v1/health", "/v1/states", "/v1/account/balance", "/docs/", "/openapi.json", "/nowhere"]
    )
    def test_is_on_every_reply(self, switches: None, path: str) -> None:
        assert Client().get(path)["X-Request-Id"]
