"""The folder that is the queue of the embedded default."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection

from config.celery import app

NUMBER = 400


@pytest.fixture
def channel(tmp_path: Path) -> Any:
    """The transport the service uses without Redis, in a folder of its own."""
    if settings.REDIS_URL:
        pytest.skip("Redis is the queue here")
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    options = {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }
    with Connection("filesystem://", transport=app.conf.broker_transport, transport_options=options) as connection:
        yield connection.channel()


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

    def test_takes_messages_in_the_order_they_were_put(self, channel: Any) -> None:
        for number in range(3):
            channel._put("upkeep", {"number": number})
            time.sleep(0.002)  # names are ordered by the millisecond
        assert [channel._get("upkeep")["number"] for _ in range(3)] == [0, 1, 2]
