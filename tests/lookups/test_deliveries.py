"""A customer learns by webhook what became of a job: exactly what happened, and until it has arrived."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import transaction
from django.utils import timezone
from standardwebhooks import Webhook

from lookups import tasks
from lookups.jobs import lifecycle, operator_actions, runner
from lookups.models import Delivery, DeliveryAttempt, Job
from lookups.notifications import deliveries, sending, webhook_secrets, webhook_sender
from lookups.notifications.sender_threads import SenderThreads
from scrapers.sandbox import DEMO_QUESTION
from scrapers.sandbox.portal import SandboxPortal
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import body_of, deliver, end_jobs, listen_at, only, wait_for, write_messages
from tests.lookups.registry_server import Register
from tests.lookups.test_left_out import leave_out
from tests.lookups.webhook_receiver import Answer, Receiver, receiving, says

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch, register: Register, settings: Any) -> list[str]:
    """New York is slow, receivers are on this machine, and each test plays the workers: calls to them are kept."""
    monkeypatch.setattr(NewYork, "slow", True)
    settings.WEBHOOKS_TO_LOOPBACK = True
    sent: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **_: sent.append(name))
    return sent


@pytest.fixture
def receiver(customer: Customer) -> Iterator[Receiver]:
    """The customer's server, which takes what it is sent."""
    with receiving(says(204)) as server:
        listen_at(customer, server)
        yield server


def hangs(ready: Any, stopped: Any) -> None:
    """An answer that never comes."""
    stopped.wait(30)


def in_turn(*answers: Answer) -> Answer:
    """One answer after the other; the last one from then on."""
    left = list(answers)
    return lambda ready, stopped: (left.pop(0) if len(left) > 1 else left[0])(ready, stopped)


class TestAJobThatEnds:
    """Tells its account."""

    def test_by_one_signed_post_in_the_words_of_its_status_page(self, customer: Customer, receiver: Receiver) -> None:
        job_id = customer.lookup().json()["jobId"]
        assert not Delivery.objects.exists()
        end_jobs()
        assert deliver() == 1
        (request,) = receiver.requests
        assert request.line == "POST /hooks?of=acme HTTP/1.1"
        assert request.headers["content-type"] == "application/json"
        secret = webhook_secrets.list_secrets(account_id=customer.account.pk, livemode=True, now=timezone.now())[0]
        body = Webhook(secret).verify(request.body, request.headers)
        assert set(body) == {"id", "type", "livemode", "created_at", "data"}
        assert body["livemode"] is True
        assert (body["type"], body["id"]) == ("lookup.complete", request.headers["webhook-id"])
        assert body["data"] == customer.get(f"/v1/lookup/status/{job_id}").json()
        assert body["data"]["data"]["entityName"] == "ACME CORP."
        delivery = only()
        assert (delivery.status, delivery.attempts, delivery.last_answer) == ("delivered", 1, "answered 204")
        assert deliver(timezone.now() + timedelta(days=4)) == 0

    def test_and_no_other_account(self, customer: Customer, receiver: Receiver) -> None:
        other = open_customer(name="Bolt")
        with receiving(says(204)) as others:
            listen_at(other, others)
            customer.lookup("Acme Corp")
            other.lookup("Zebra Inc")
            end_jobs()
            assert deliver() == 2
            heard = [[body_of(one)["data"]["data"]["entityName"] for one in at.requests] for at in (receiver, others)]
        assert heard == [["ACME CORP."], ["ZEBRA INC."]]

    def test_also_when_nothing_was_found(self, customer: Customer, receiver: Receiver) -> None:
        customer.lookup("Nobody Knows This")
        end_jobs()
        deliver()
        body = body_of(receiver.requests[0])
        assert (body["type"], body["data"]["error"]) == ("lookup.complete", "Entity not found")

    def test_also_when_it_failed(self, customer: Customer, receiver: Receiver, register: Register) -> None:
        register.status = 403
        job_id = customer.lookup().json()["jobId"]
        end_jobs()
        deliver()
        body = body_of(receiver.requests[0])
        asked = customer.get(f"/v1/lookup/status/{job_id}").json()
        assert (body["type"], body["data"]["reason"]) == ("lookup.failed", "blocked")
        assert body["data"] | {"requestId": None} == asked | {"requestId": None}

    def test_also_when_its_time_is_over(self, customer: Customer, receiver: Receiver) -> None:
        customer.lookup()
        runner.sweep(now=timezone.now() + lifecycle.MAX_WAIT)
        deliver(timezone.now() + lifecycle.MAX_WAIT)
        assert body_of(receiver.requests[0])["type"] == "lookup.failed"

    def test_also_when_it_was_asked_with_a_test_key(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(SandboxPortal, "slow", True)
        with receiving(says(200)) as server:
            listen_at(tester, server)
            job_id = tester.lookup(**DEMO_QUESTION).json()["jobId"]
            end_jobs()
            assert deliver() == 1
            (request,) = server.requests
        secret = webhook_secrets.list_secrets(account_id=tester.account.pk, livemode=False, now=timezone.now())[0]
        body = Webhook(secret).verify(request.body, request.headers)
        assert body["livemode"] is False
        assert (body["data"]["jobId"], body["data"]["success"], body["data"]["cost"]) == (job_id, True, 0)

    def test_unless_it_has_no_address(self, customer: Customer) -> None:
        customer.lookup()
        end_jobs()
        assert not Delivery.objects.exists()

    def test_unless_its_end_is_rolled_back(self, customer: Customer, receiver: Receiver) -> None:
        customer.lookup()
        job = lifecycle.claim(Job.objects.get().pk, now=timezone.now())
        assert job is not None

        def end_and_break() -> None:
            with transaction.atomic():
                assert operator_actions.end(job, now=timezone.now())
                assert Delivery.objects.exists()
                raise InterruptedError

        with pytest.raises(InterruptedError):
            end_and_break()
        assert not Delivery.objects.exists()
        assert (deliver(), receiver.requests) == (0, [])

    def test_and_wakes_a_worker_once_that_is_certain(
        self, customer: Customer, receiver: Receiver, calls: list[str], django_capture_on_commit_callbacks: Any
    ) -> None:
        customer.lookup()
        calls.clear()
        with django_capture_on_commit_callbacks(execute=True):
            end_jobs()
            assert calls == []
        assert calls == ["lookups.tasks.deliver"]
        tasks.deliver()
        assert len(receiver.requests) == 1

    def test_once_however_often_workers_come(self, customer: Customer, receiver: Receiver) -> None:
        headers = {"idempotency_key": "k"}
        customer.lookup(headers=headers)
        end_jobs()
        customer.lookup(headers=headers)
        end_jobs()
        deliver()
        assert (Delivery.objects.count(), len(receiver.requests)) == (1, 1)

    def test_and_again_when_an_operator_had_it_done_over(
        self, customer: Customer, receiver: Receiver, register: Register
    ) -> None:
        register.status = 403
        customer.lookup()
        end_jobs()
        for _ in range(2):
            assert operator_actions.do_over(Job.objects.get(), now=timezone.now())
            end_jobs()
        register.status = 200
        assert operator_actions.do_over(Job.objects.get(), now=timezone.now())
        end_jobs()
        leave_out(kind="person", person="Somebody Else")  # from then on messages are made anew
        deliver()
        told = {(body := body_of(request))["type"]: body["data"].get("reason") for request in receiver.requests}
        assert told == {"lookup.complete": None, "lookup.failed": "blocked"}, "each as it ended then"


class TestAMessageThatDoesNotArrive:
    """Is tried again."""

    @pytest.fixture(autouse=True)
    def _ended(self, customer: Customer) -> None:
        with receiving(says(200)) as nobody:
            address = listen_at(customer, nobody)
        assert address  # where nobody listens any more
        customer.lookup()
        end_jobs()

    def test_until_a_receiver_that_was_down_for_two_days_is_back(self, customer: Customer) -> None:
        now, end = timezone.now(), timezone.now() + timedelta(days=2)
        while now < end:
            deliver(now)
            now = only().next_at or end
        log = list(DeliveryAttempt.objects.values_list("error", flat=True))
        assert (only().status, len(log)) == ("pending", 8)
        assert set(log) == {webhook_sender.NO_CONNECTION}
        with receiving(says(200)) as back:
            listen_at(customer, back)
            assert deliver(now) == 1
            assert back.requests[0].headers["webhook-id"] == only().message_id
        assert only().status == "delivered"

    def test_at_once_then_later_each_time_for_three_days_and_is_then_given_up(self) -> None:
        now, tried = timezone.now(), []
        while only().status == "pending":
            now = only().next_at or now
            tried.append(now)
            deliver(now)
        gaps = [(after - before).total_seconds() for before, after in itertools.pairwise(tried)]
        for gap, pause in zip(gaps, deliveries.PAUSES[Delivery.Channel.WEBHOOK], strict=True):
            assert pause <= gap <= pause * 1.1 + 1
        assert timedelta(days=2, hours=23) < tried[-1] - tried[0] < timedelta(days=3, hours=8)
        assert (only().status, only().last_answer) == ("given_up", webhook_sender.NO_CONNECTION)
        assert deliver(now + timedelta(days=3)) == 0

    def test_under_the_same_name_with_a_fresh_signature(self, customer: Customer) -> None:
        with receiving(in_turn(says(500, b"<b>broken</b>"), says(302, location="http://127.0.0.1/"), says(200))) as it:
            listen_at(customer, it)
            for _ in range(3):
                deliver(only().next_at)
        assert {request.headers["webhook-id"] for request in it.requests} == {only().message_id}
        assert len({request.body for request in it.requests}) == 1
        assert len({request.headers["webhook-timestamp"] for request in it.requests}) == 3
        tries = list(DeliveryAttempt.objects.values_list("status_code", "error", "excerpt"))
        assert tries[0] == (500, "answered 500", "<b>broken</b>")
        assert tries[1][:2] == (302, "answered 302, a redirect; redirects are not followed")
        assert tries[2] == (200, "", "")

    def test_never_when_the_receiver_says_that_it_is_gone(self, customer: Customer) -> None:
        with receiving(says(410)) as it:
            listen_at(customer, it)
            deliver()
        assert (only().status, only().attempts, only().last_answer) == ("given_up", 1, "answered 410")

    @pytest.mark.parametrize(
        ("asked", "from_s", "to_s"), [("90", 90, 95), ("9999999", 21_600, 21_700), ("soon", 5, 6), ("-1", 5, 6)]
    )
    def test_when_the_receiver_asked_for_it_within_reason(
        self, customer: Customer, asked: str, from_s: int, to_s: int
    ) -> None:
        with receiving(says(429, retry_after=asked)) as it:
            listen_at(customer, it)
            began = timezone.now()
            deliver()
        next_at: Any = only().next_at
        assert (next_at - began).total_seconds() >= from_s
        assert (next_at - timezone.now()).total_seconds() <= to_s

    def test_at_the_address_as_it_is_by_then(self, customer: Customer) -> None:
        deliver()
        with receiving(says(200)) as it:
            address = listen_at(customer, it)
            deliver(timezone.now() + timedelta(minutes=1))
        assert (only().status, only().address) == ("delivered", address)

    def test_no_more_when_its_address_was_taken_away(self, customer: Customer) -> None:
        deliver()
        assert customer.patch("/v1/account/settings", {"webhookUrl": None}).status_code == 200
        deliver(timezone.now() + timedelta(minutes=1))
        assert (only().status, only().last_answer) == ("given_up", sending.NO_ADDRESS)

    def test_when_its_worker_died_between_sending_and_noting(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def die(*_: Any, **__: Any) -> None:
            raise SystemExit

        with receiving(says(200)) as it:
            listen_at(customer, it)
            with monkeypatch.context() as patch:
                patch.setattr(deliveries, "note", die)
                with pytest.raises(SystemExit):
                    deliver()
            assert (only().status, len(it.requests)) == ("pending", 1)
            assert deliver() == 0  # the dead worker's lease still runs
            assert deliver(timezone.now() + deliveries.LEASE[Delivery.Channel.WEBHOOK]) == 1
        assert [request.headers["webhook-id"] for request in it.requests] == [only().message_id] * 2
        assert (only().status, only().attempts) == ("delivered", 2)

    def test_when_it_broke_down_here_while_the_others_are_sent(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: Any, **__: Any) -> Any:
            raise RuntimeError

        with monkeypatch.context() as patch:
            patch.setattr(webhook_secrets, "list_secrets", broken)
            assert deliver() == 1
        assert (only().status, only().last_answer) == ("pending", sending.BROKEN)

    def test_and_is_looked_for_by_the_clock_when_the_broker_was_down(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
    ) -> None:
        def down(*_: Any, **__: Any) -> None:
            raise ConnectionError

        monkeypatch.setattr(current_app, "send_task", down)
        with receiving(says(200)) as it:
            listen_at(customer, it)
            with django_capture_on_commit_callbacks(execute=True):
                deliveries.send_again(only(), now=timezone.now())
            tasks.deliver()  # the clock's
            assert len(it.requests) == 1

    def test_and_forgotten_with_its_job(self) -> None:
        deliver()
        assert lifecycle.prune(now=timezone.now() + lifecycle.KEPT_FOR) > 0
        assert (Delivery.objects.count(), DeliveryAttempt.objects.count()) == (0, 0)


class TestAMessageThatIsSentAgain:
    """By its customer, or by the staff."""

    def test_is_sent_alone(self, customer: Customer, receiver: Receiver) -> None:
        one, other = write_messages(customer, 2)
        assert deliver() == 2
        assert deliveries.send_again(one, now=timezone.now())
        other.refresh_from_db()
        assert other.status == "delivered"
        assert deliver() == 1
        assert [request.headers["webhook-id"] for request in receiver.requests].count(one.message_id) == 2

    def test_is_left_to_the_worker_that_is_sending_it(self, customer: Customer, receiver: Receiver) -> None:
        write_messages(customer, 1)
        now = timezone.now()
        taken = deliveries.take_next(now=now)
        assert taken is not None
        assert not deliveries.send_again(taken, now=now)
        assert deliver(now) == 0, "it would come twice"
        assert deliveries.note(taken, deliveries.Answer(204, "", 7), now=now)
        assert (only().status, only().attempts) == ("delivered", 1)

    def test_has_all_of_its_tries_again(self, customer: Customer) -> None:
        (row,) = write_messages(customer, 1)
        now = timezone.now()
        Delivery.objects.update(status="given_up", attempts=10, next_at=None)
        assert deliveries.send_again(row, now=now)
        taken = deliveries.take_next(now=now)
        assert taken is not None
        assert deliveries.note(taken, deliveries.Answer(503, "answered 503", 7), now=now)
        assert (only().status, only().attempts) == ("pending", 1)

    def test_is_noted_by_the_worker_that_has_it_and_by_no_slower_one(self, customer: Customer) -> None:
        """Whose receiver hung, until its turn was over: that would send once more what has arrived."""
        write_messages(customer, 1)
        now = timezone.now()
        later = now + deliveries.LEASE[Delivery.Channel.WEBHOOK]
        slow, quick = deliveries.take_next(now=now), deliveries.take_next(now=later)
        assert slow is not None
        assert quick is not None
        assert deliveries.note(quick, deliveries.Answer(204, "", 7), now=later)
        assert not deliveries.note(slow, deliveries.Answer(None, "it hung", 30_000), now=later)
        assert (only().status, only().next_at, only().last_answer) == ("delivered", None, "answered 204")


class TestATest:
    """A message that means nothing, sent while somebody watches."""

    def test_is_in_the_log_for_a_week(self, customer: Customer, receiver: Receiver) -> None:
        reply = customer.post("/v1/account/webhook-test", {})
        assert reply.json()["delivered"] is True
        assert (only().message_id, only().event, only().status) == (
            reply.json()["webhookId"],
            "webhook.test",
            "delivered",
        )
        assert only().body.encode() == receiver.requests[0].body
        assert (only().channel, only().attempts) == ("webhook", 1)
        assert only().address == f"http://127.0.0.1:{receiver.port}/hooks?of=acme"
        assert DeliveryAttempt.objects.get().status_code == 204
        assert deliveries.prune(now=timezone.now()) == 0
        assert deliveries.prune(now=timezone.now() + lifecycle.KEPT_FOR) == 1

    def test_that_failed_is_not_tried_again_by_itself(self, customer: Customer) -> None:
        with receiving(says(500)) as it:
            listen_at(customer, it)
            assert customer.post("/v1/account/webhook-test", {}).json()["delivered"] is False
        assert (only().status, only().last_answer) == ("given_up", "answered 500")
        assert deliver(timezone.now() + timedelta(days=1)) == 0


class TestTheTurn:
    """Whose message is next."""

    def test_goes_past_an_account_that_has_two_on_their_way(self, customer: Customer) -> None:
        other = open_customer(name="Other")
        write_messages(customer, 50)
        write_messages(other, 1)
        taken = [self._take() for _ in range(4)]
        assert sorted(account for account in taken if account) == sorted(
            [customer.account.pk, customer.account.pk, other.account.pk]
        )
        assert taken[3] is None

    def test_goes_to_whoever_has_fewest_on_their_way_and_then_to_what_waits_longest(self, customer: Customer) -> None:
        """Nobody's thousand messages keep those of others waiting, and none of one's own is passed over."""
        others = [open_customer(name=f"Other {number}") for number in range(2)]
        write_messages(customer, 1)
        assert self._take() == customer.account.pk
        now = timezone.now()
        waits = {}
        for who, minutes in ((customer, 9), (others[0], 5), (others[1], 7), (others[1], 1)):
            [message] = write_messages(who, 1)
            Delivery.objects.filter(pk=message.pk).update(next_at=now - timedelta(minutes=minutes))
            waits[message.pk] = minutes
        turns = []
        while found := deliveries.find_next(now=now):
            turns.append(waits[found])
            assert deliveries.claim(found, now=now)
        assert turns == [7, 5, 9, 1]

    def test_of_a_mail_is_as_long_as_a_mail_server_may_take(self, customer: Customer) -> None:
        """With a webhook's half a minute it would be sent twice; and beside it a webhook waits no longer than that."""
        hook, mail = write_messages(customer, 2)
        Delivery.objects.filter(pk=mail.pk).update(channel="email")
        now = timezone.now()
        taken = [deliveries.claim(one.pk, now=now) for one in (hook, mail)]
        assert [one and one.lease_until for one in taken] == [now + timedelta(seconds=30), now + timedelta(minutes=10)]

    def test_goes_to_new_messages_before_repeated_ones(self, customer: Customer) -> None:
        write_messages(customer, 5)
        Delivery.objects.update(attempts=3)
        other = open_customer(name="Other")
        write_messages(other, 1)
        assert self._take() == other.account.pk

    def test_comes_for_few_mails_at_a_time_whoever_they_are_for(self, customer: Customer) -> None:
        from lookups.models import BulkJob

        now = timezone.now()
        for number in range(4):
            who = open_customer(name=f"Other {number}")
            bulk = BulkJob.objects.create(
                account=who.account,
                key=who.key,
                accepts_stored=False,
                total=0,
                questions=0,
                created_at=now,
                deadline=now,
                ended_at=now,
            )
            mail = {"channel": "email", "event": "bulk.complete", "next_at": now, "created_at": now}
            Delivery.objects.create(account=who.account, livemode=True, bulk=bulk, **mail)
        assert [bool(self._take()) for _ in range(4)] == [True, True, False, False]

    def _take(self) -> int | None:
        found = deliveries.find_next(now=timezone.now())
        if found is None:
            return None
        taken = deliveries.claim(found, now=timezone.now())
        assert taken is not None
        return taken.account_id


@pytest.mark.django_db(transaction=True)
class TestManyThreads:
    """That send at once."""

    def test_send_each_message_once(
        self, on_postgres: None, switches: None, at_once: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(deliveries, "_choosing", contextlib.nullcontext())  # as those of several processes
        customers = [open_customer(name=f"Customer {number}") for number in range(3)]
        with receiving(says(200)) as it:
            for customer in customers:
                listen_at(customer, it)
                write_messages(customer, 5)
            at_once(*[deliver] * 8)
            wait_for(lambda: not deliver() and not Delivery.objects.exclude(status="delivered").exists())
            names = [request.headers["webhook-id"] for request in it.requests]
        assert (len(names), len(set(names))) == (15, 15)

    def test_of_two_that_claim_the_same_one_gets_it(self, switches: None, at_once: Callable[..., list[Any]]) -> None:
        customer = open_customer()
        (row,) = write_messages(customer, 1)
        taken = at_once(*[lambda: deliveries.claim(row.pk, now=timezone.now())] * 6)
        assert len([one for one in taken if one]) == 1


@pytest.mark.django_db(transaction=True)
class TestTheSenderThreads:
    """The threads of a worker that send."""

    @pytest.fixture
    def sender(self) -> Iterator[SenderThreads]:
        made = SenderThreads()
        made.start()
        yield made
        made.stop()
        wait_for(lambda: not made.runs and not made._at_work)

    def test_finds_what_is_due_although_nobody_calls(
        self, switches: None, sender: SenderThreads, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.notifications.sender_threads.LOOK_EVERY", 0.1)
        sender.call()  # so that the shorter pause counts from now on
        customer = open_customer()
        with receiving(says(200)) as it:
            listen_at(customer, it)
            customer.lookup()
            end_jobs()
            wait_for(lambda: it.requests and only().status == "delivered")

    def test_sends_once_the_machine_has_threads_again(
        self, switches: None, sender: SenderThreads, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begin, refused = threading.Thread.start, []

        def start(thread: threading.Thread) -> None:
            if thread.name == "sender-send" and not refused:
                refused.append(thread)
                raise RuntimeError("can't start new thread")
            begin(thread)

        monkeypatch.setattr(threading.Thread, "start", start)
        monkeypatch.setattr("lookups.notifications.sender_threads.LOOK_EVERY", 0.1)
        customer = open_customer()
        with receiving(says(200)) as it:
            listen_at(customer, it)
            write_messages(customer, 1)
            sender.call()
            wait_for(lambda: refused and it.requests and only().status == "delivered")

    def test_keeps_nobody_waiting_for_a_receiver_that_hangs(self, switches: None, sender: SenderThreads) -> None:
        unlucky, other = open_customer(name="Unlucky"), open_customer(name="Other")
        with receiving(hangs) as dead, receiving(says(200)) as well:
            listen_at(unlucky, dead)
            listen_at(other, well)
            write_messages(unlucky, 40)
            sender.call()
            wait_for(lambda: dead.connections)
            write_messages(other, 10)
            sender.call()
            wait_for(lambda: len(well.requests) == 10)
            assert Delivery.objects.filter(account=unlucky.account, attempts__gt=0).count() <= deliveries.AT_ONCE
            sender.stop()
            dead.stopped.set()

    def test_begins_nothing_more_once_its_worker_ends(self, switches: None, sender: SenderThreads) -> None:
        sender.stop()
        wait_for(lambda: not sender.runs)
        customer = open_customer()
        write_messages(customer, 1)
        assert only().attempts == 0
