"""A limit in seconds: kept whatever a function catches, and nothing of it is left behind."""

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from reviewer.services.scripting.agent_tests import answered
from reviewer.services.scripting.limiting import TooLongError, limited

LIMIT = 0.2
LONG = {"response": None, "error": "The agent gave no answer within 0.2 s."}


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def tries_again(_: object) -> str:
    """Retry as agents do, whatever went wrong."""
    for _ in range(3):
        try:
            time.sleep(30)
        except Exception:  # noqa: BLE001, S112
            continue
    return "at last"


def catches_all(_: object) -> str:
    end = time.monotonic() + 2 * LIMIT
    while time.monotonic() < end:
        try:
            time.sleep(30)
        except:  # noqa: E722, S112
            continue
    return "at last"


def says_otherwise(_: object) -> NoReturn:
    try:
        time.sleep(30)
    except BaseException as error:
        raise RuntimeError("The tool failed.") from error
    raise AssertionError


@pytest.mark.parametrize("agent", [tries_again, catches_all, says_otherwise])
def test_no_agent_takes_longer_than_it_may(agent: Callable[[object], str]) -> None:
    started = time.monotonic()
    assert answered(agent, {"input": "?"}, LIMIT) == LONG
    assert time.monotonic() - started < 20
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_answer_in_time_and_an_error_are_as_they_are() -> None:
    assert answered(lambda x: x, {"input": "yes"}, 60) == "yes"
    assert answered(lambda x: x, {"input": "yes"}, None) == "yes"
    found = answered(lambda _: 1 / 0, {"input": "?"}, 60)
    assert found["error"].startswith("ZeroDivisionError")


def test_an_interruption_by_the_user_is_no_answer() -> None:
    def interrupted(_: object) -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answered(interrupted, {"input": "?"}, 60)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_timer_of_the_caller_goes_on() -> None:
    heard: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, 1000, 7)
    assert limited(60, lambda: "done") == "done"
    left, every = signal.getitimer(signal.ITIMER_REAL)
    assert 900 < left <= 1000
    assert every == 7
    with pytest.raises(TooLongError):
        limited(LIMIT, lambda: time.sleep(30))
    assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    assert heard == []
    signal.raise_signal(signal.SIGALRM)
    assert heard == [signal.SIGALRM]


def test_a_timer_that_was_due_meanwhile_fires_afterwards() -> None:
    heard: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, LIMIT / 10)
    with pytest.raises(TooLongError):
        limited(LIMIT, lambda: time.sleep(30))
    end = time.monotonic() + 20
    while not heard and time.monotonic() < end:
        time.sleep(0.001)
    assert heard == [signal.SIGALRM]


def test_a_handler_that_is_not_pythons_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    put = signal.signal

    def told_nothing(number: int, handler: Any) -> None:
        """Answer as where a program in C that Python is part of installed a handler first."""
        put(number, handler)

    monkeypatch.setattr(signal, "signal", told_nothing)
    assert limited(60, lambda: "done") == "done"
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
