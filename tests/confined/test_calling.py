"""What is called with limits ends within them, gives its memory back, and knows no keys."""

import os
import time

import psutil
import pytest

from reviewer.confined import process
from reviewer.confined.calling import Confined
from reviewer.confined.process import MEGABYTE, EndedError, GreedyError, OverdueError


def worked(source: str, *more: object) -> object:
    """Work out an expression of these tests."""
    return eval(source, {"os": os, "time": time, "more": more})  # noqa: S307 - of this test


def confined(seconds: float = 20.0) -> Confined:
    return Confined(worked, seconds=seconds, memory=128 * MEGABYTE)


def test_values_go_there_and_come_back() -> None:
    asked = confined()
    assert asked("[more[0] * 2, None, 'ä\\n']", 4) == [8, None, "ä\n"]
    assert asked("os.getpid()") == asked("os.getpid()") != os.getpid()


def test_the_environment_holds_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-planted")
    assert "SOME_API_KEY" not in confined()("list(os.environ)")


def test_what_takes_too_long_is_ended() -> None:
    asked = confined(1)
    asked("1")
    for _ in range(2):
        before = time.monotonic()
        with pytest.raises(OverdueError, match="gave no answer within 1 s; the call was ended"):
            asked("time.sleep(1000)")
        assert time.monotonic() - before < 10
    assert asked("2") == 2


def test_what_takes_too_much_is_refused_by_the_system() -> None:
    asked = confined()
    before = psutil.Process(asked("os.getpid()"))
    with pytest.raises(GreedyError, match="needs more than 128 MB of memory; the call was ended"):
        asked("len(b'x' * 10**9)")
    assert before.memory_info().rss < 200 * MEGABYTE
    assert asked("3") == 3


def test_what_takes_too_much_is_ended_where_the_system_holds_no_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_has_limits", lambda: False)
    asked = confined()
    assert asked("3") == 3
    # with what is loaded it is too much, and the system would still allow it
    with pytest.raises(GreedyError, match="needs more than 128 MB of memory; the call was ended"):
        asked("[b'x' * (118 << 20), time.sleep(1000)]")


def test_what_a_call_raises_is_said() -> None:
    with pytest.raises(EndedError, match=r"^failed: ZeroDivisionError: division by zero\.$"):
        confined()("1 / 0")
    with pytest.raises(EndedError, match=r"ended its process \(exit code 7\)"):
        confined()("os._exit(7)")
    with pytest.raises(EndedError, match=r"gives more than 64 MB"):
        Confined(worked, seconds=20.0, memory=1024 * MEGABYTE)("'x' * (65 << 20)")


def test_nothing_is_left_of_it() -> None:
    asked = confined()
    number = asked("os.getpid()")
    asked.close()
    assert not psutil.pid_exists(number)
