"""Numbers of entries: later ones are greater, and content gives the same one everywhere."""

import threading
import time
import uuid

import pytest

from reviewer.domain import uids


def test_a_fresh_one_is_a_uuid_of_version_7_that_tells_its_time() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(bytes=uids.fresh())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before <= made.int >> 80 <= time.time_ns() // 1_000_000 + 1


def test_later_ones_are_greater_within_a_millisecond_and_from_every_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = time.time_ns() + 10**9
    # more than a millisecond has room for, and a clock that goes back
    moments = iter([now] * 5_000 + [now - 10**12] * 5_000)
    monkeypatch.setattr("reviewer.domain.uids.time.time_ns", lambda: next(moments, now))
    found = [uids.fresh() for _ in range(10_000)]
    assert found == sorted(set(found))
    monkeypatch.undo()
    made: list[list[bytes]] = [[] for _ in range(4)]
    threads = [
        threading.Thread(target=lambda to=to: to.extend(uids.fresh() for _ in range(500)))
        for to in made
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(some == sorted(some) for some in made)
    assert len({x for some in made for x in some}) == 2_000


def test_content_gives_the_same_one_everywhere_and_another_for_other_content() -> None:
    parts = ("label", "run", "c-1", "accuracy", "Ann", None, "2026-11-01", "label", None)
    found = uids.of_content(*parts, 4, 0)
    # given out: it must never change
    assert uids.text_of(found) == "65cb3317-e0c2-8170-9843-592bd39afe14"
    assert uuid.UUID(bytes=found).version == 8
    others = [
        (*parts, 4.0, 0),
        (*parts, "4", 0),
        (*parts, 4, 1),
        (*parts, 5, 0),
        (*parts, None, 0),
    ]
    assert len({found, *(uids.of_content(*other) for other in others)}) == 6
    assert uids.of_content("ünï\ud800") != uids.of_content("ünï")


def test_only_the_text_that_is_written_is_read() -> None:
    uid = uids.fresh()
    text = uids.text_of(uid)
    assert uids.from_text(text) == uid
    for other in (text.upper(), text.replace("-", ""), f"{{{text}}}", "", "x"):
        assert uids.from_text(other) is None
