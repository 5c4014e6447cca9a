"""The folder that is the queue of the embedded default."""

from __future__ import annotations

import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection
from kombu.exceptions import ChannelError

from config.celery import app

NUMBER = 400


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Callable[[], Any]]:
    """Open the transport the service uses without Redis, in a folder of this test, as one more process does."""
    if settings.REDIS_URL:
        pytest.skip("Redis is the queue here")
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    options = {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }
    with ExitStack() as connections:
        yield lambda: connections.enter_context(
            Connection("filesystem://", transport=app.conf.broker_transport, transport_options=options)
        ).channel()


@pytest.fixture
def channel(connect: Callable[[], Any]) -> Any:
    return connect()


class TestTheFolder:
    """As a queue."""

    def test_never_hands_out_half_a_message(self, channel: Any) -> None:
        taken: list[Any] = []
        broken: list[BaseException] = []
        done = threading.Event()

        def take() -> None:
            while not done.is_set():
                try:
                    taken.append(channel._get("upkeep"))
                except Empty:
                    continue
                except Exception as error:
                    broken.append(error)

        reader = threading.Thread(target=take)
        reader.start()
        for number in range(NUMBER):
            channel._put("upkeep", {"number": number, "filling": "x" * 20_000})
        deadline = time.monotonic() + 20
        while len(taken) + len(broken) < NUMBER and time.monotonic() < deadline:
            time.sleep(0.01)
        done.set()
        reader.join(20)
        assert broken == []
        assert sorted(one["number"] for one in taken) == list(range(NUMBER))

    def test_passes_over_a_message_that_a_full_disk_cut_off(self, channel: Any, tmp_path: Path) -> None:
        (tmp_path / "messages" / "000000000000001_x.upkeep.msg").write_bytes(b'{"body": "abc')
        channel._put("upkeep", {"number": 1})
        with pytest.raises(Empty):
            channel._get("upkeep")
        assert channel._get("upkeep") == {"number": 1}

    def test_needs_no_other_folder_to_hand_out_a_message(
        self, channel: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """kombu moved each through /tmp; where that was full no worker took anything, and none said so."""
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full" / "tmp"))
        channel._put("upkeep", {"number": 1})
        assert channel._get("upkeep") == {"number": 1}
        assert list((tmp_path / "messages").iterdir()) == []

    def test_passes_over_what_cannot_be_read_and_says_so_once(
        self, channel: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "messages" / "000000000000001_x.upkeep.msg").mkdir()  # for whoever is root as well
        for number in range(2):
            channel._put("upkeep", {"number": number})
            assert channel._get("upkeep") == {"number": number}
        assert caplog.text.count("000000000000001_x.upkeep.msg") == 1

    def test_keeps_nothing_of_a_message_that_a_full_disk_refused(self, channel: Any, tmp_path: Path) -> None:
        """An hour of a full disk left a file for each call, and whoever looks for a message reads all their names."""
        usual, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))
        try:
            with pytest.raises(ChannelError):
                channel._put("upkeep", {"filling": "x" * 2000})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (usual, most))
        assert list((tmp_path / "messages").iterdir()) == []

    def test_that_is_removed_is_an_error_the_worker_tries_again_after_and_is_made_anew(
        self, connect: Callable[[], Any], channel: Any, tmp_path: Path
    ) -> None:
        """With anything else the worker ends, and `manage.py up` with it."""
        for name in ("messages", "control"):
            shutil.rmtree(tmp_path / name)
        with pytest.raises(ChannelError):
            channel._get("upkeep")
        again = connect()
        again._queue_bind("upkeep", "upkeep", None, "upkeep")
        channel._put("upkeep", {"number": 1})
        assert again._get("upkeep") == {"number": 1}

    def test_takes_messages_in_the_order_they_were_put(self, channel: Any) -> None:
        for number in range(3):
            channel._put("upkeep", {"number": number})
            time.sleep(0.002)  # names are ordered by the millisecond
        assert [channel._get("upkeep")["number"] for _ in range(3)] == [0, 1, 2]


class TestWhichQueuesAnExchangeFills:
    """As processes note it that start at once."""

    def test_the_queue_of_each_is_kept(self, connect: Callable[[], Any]) -> None:
        channels = [connect() for _ in range(8)]
        start = threading.Barrier(len(channels))

        def bind(number: int) -> None:
            start.wait(60)
            for turn in range(20):
                channels[number]._queue_bind("celery.pidbox", "", "", f"queue-{number}-{turn}")

        with ThreadPoolExecutor(len(channels)) as pool:
            list(pool.map(bind, range(len(channels))))
        names = sorted(queue for _, _, queue in channels[0].get_table("celery.pidbox"))
        assert names == sorted(f"queue-{number}-{turn}" for number in range(8) for turn in range(20))

    def test_a_queue_is_noted_once(self, channel: Any) -> None:
        for _ in range(2):
            channel._queue_bind("bulk", "bulk", None, "bulk")
        assert channel.get_table("bulk") == [("bulk", "", "bulk")]

    def test_a_queue_that_is_deleted_goes_with_its_messages_and_leaves_the_others(self, channel: Any) -> None:
        for queue in ("bulk", "upkeep"):
            channel._queue_bind("celery.pidbox", "", "", queue)
            channel._put(queue, {"number": 1})
        channel._delete("bulk", "celery.pidbox", "", "")
        assert channel.get_table("celery.pidbox") == [("", "", "upkeep")]
        assert (channel._size("bulk"), channel._size("upkeep")) == (0, 1)

    @pytest.mark.parametrize("left", [b"", b'[["bulk", "", "bu'], ids=["empty", "half"])
    def test_a_table_that_a_kill_or_a_full_disk_cut_off_is_written_anew(
        self, channel: Any, tmp_path: Path, left: bytes
    ) -> None:
        """As kombu left it between opening the file and writing it: the next worker that started there ended."""
        (tmp_path / "control" / "bulk.exchange").write_bytes(left)
        channel._queue_bind("bulk", "bulk", None, "bulk")
        assert channel.get_table("bulk") == [("bulk", "", "bulk")]

    def test_a_table_that_cannot_be_written_is_an_error_the_worker_tries_again_after(
        self, channel: Any, tmp_path: Path
    ) -> None:
        (tmp_path / "control" / "bulk.draft").mkdir()  # a disk that takes nothing, for whoever is root as well
        with pytest.raises(ChannelError):
            channel._queue_bind("bulk", "bulk", None, "bulk")
        assert channel.get_table("bulk") == []
