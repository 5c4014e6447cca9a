"""Who asks through /mcp is who asks: from where, for which account, in which mode, and for what."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from billing import keys, prices
from lookups.mcp import protocol, tools
from lookups.models import Lookup
from tests.doors.mcp.agents import Agent
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db
FOUND = "Magic Found LLC"
ASKED = {"name": "look_up_company", "arguments": {"entity_name": FOUND, "state": "DE"}}


class TestAKeyThatIsBoundToNetworks:
    """Is so behind a tool, also where a proxy of ours stands between."""

    @pytest.fixture
    def bound(self, tester: Customer) -> Agent:
        networks, now = ["203.0.113.0/24"], timezone.now()
        made = keys.issue(account=tester.account, name="bound", mode="test", allowed_networks=networks, now=now)
        return Agent(made[1])

    @pytest.mark.parametrize("proxies", [0, 1])
    def test_opens_nothing_from_another(self, bound: Agent, settings: Any, proxies: int) -> None:
        settings.TRUSTED_PROXIES = proxies
        within, elsewhere = "203.0.113.7", "198.51.100.7"
        for address, forwarded, is_error in (
            (within, within, False),
            (elsewhere, elsewhere, True),
            *(((within, elsewhere, True), (elsewhere, within, False)) if proxies else ()),
        ):
            bound.client.defaults |= {"REMOTE_ADDR": address, "HTTP_X_FORWARDED_FOR": forwarded}
            result = bound.call("look_up_company", entity_name=FOUND, state="DE")
            assert result["isError"] is is_error, (address, forwarded, result)


class TestWhatAnotherHasAskedFor:
    def test_is_answered_to_no_other_account_and_in_no_other_mode(self, tester: Customer) -> None:
        agent = Agent(tester.secret)
        found = agent.call("look_up_company", entity_name=FOUND, state="DE")["structuredContent"]
        rows = agent.call("find_where_registered", entities=[{"entity_name": FOUND, "state": "DE"}])
        watch = agent.call("watch_company", entity_name=FOUND, state="DE")["structuredContent"]["watch"]
        live = keys.issue(account=tester.account, name="live", now=timezone.now())[1]
        for stranger in (Agent(open_customer(mode="test").secret), Agent(live)):
            for tool, number in (
                ("get_result", found["lookupId"]),
                ("get_evidence", found["lookupId"]),
                ("get_result", rows["structuredContent"]["job_id"]),
                ("end_watch", watch["id"]),
            ):
                result = stranger.call(tool, id=number)
                assert (result["isError"], "structuredContent" in result) == (True, False), (tool, result)
            assert stranger.call("list_watches")["structuredContent"]["watches"] == []
        assert [one["id"] for one in agent.call("list_watches")["structuredContent"]["watches"]] == [watch["id"]]


class TestALiveAnswer:
    def test_is_not_called_invented_and_has_its_price(self, customer: Customer, register: Register) -> None:
        agent = Agent(customer.secret)
        found = agent.call("look_up_company", entity_name="Acme Corp.", state="NY")["content"][0]["text"]
        none = agent.call("look_up_company", entity_name="Nobody Inc", state="NY")["content"][0]["text"]
        assert found.endswith(" Cost: 0.0314 USD.")
        assert none.endswith(" Nothing was charged.")


class TestALiveHistory:
    def test_has_its_price_and_is_not_called_invented(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        assert open_customer(name="Other").lookup("Acme Corp.").status_code == 200
        agent, asked = Agent(customer.secret), {"state": "NY", "entityId": "100001", "idempotency_key": "once"}
        lines = [agent.call("get_history", **asked)["content"][0]["text"] for _ in range(2)]
        assert lines[0] == "KEPT: what was read here before; no registry was asked. Cost: 0.01 USD."
        assert lines[1].endswith("Cost: 0.01 USD, charged when it was first answered; now nothing.")


class TestAPageOfAnotherSite:
    @pytest.mark.parametrize("hosts", [["*"], ["127.0.0.1", ".ours.example"]])
    def test_is_refused_whatever_names_the_service_answers_to(self, settings: Any, hosts: list[str]) -> None:
        settings.PUBLIC_URL, settings.ALLOWED_HOSTS = "https://sos.example.com", [*hosts, "testserver"]
        for origin, status in (
            ("https://evil.test", 403),
            ("https://sos.example.com.evil.test", 403),
            ("https://sos.example.com", 200),
            *((("https://one.ours.example", 200),) if "*" not in hosts else ()),
        ):
            assert Agent().send("tools/list", Origin=origin).status_code == status, origin


class TestAHeader:
    """By which what stands between us may let a message pass, or not."""

    @pytest.mark.parametrize("named", [{"Mcp-Name": "get_balance"}, {"Mcp-Name": ""}, {"Mcp-Method": "tools/list"}])
    def test_that_names_another_tool_runs_none(self, tester: Customer, named: dict[str, str]) -> None:
        reply = Agent(tester.secret).send("tools/call", ASKED, **named)
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, protocol.HEADER_MISMATCH)
        assert not Lookup.objects.exists()


class TestTheHintsOfATool:
    """By which a program asks its person first, or does not."""

    def test_call_free_what_costs_nothing_and_nothing_else(self) -> None:
        hints = {one["name"]: one["annotations"] for one in tools.list_described()}
        asks = {"look_up_company", "look_up_liens", "check_name", "find_where_registered"}
        costs = asks | {"get_history", "watch_company"}
        assert {name for name, one in hints.items() if not one["idempotentHint"]} == costs
        assert {name for name, one in hints.items() if not one["readOnlyHint"]} == costs | {"end_watch"}
        assert {name for name, one in hints.items() if one["openWorldHint"]} == asks
