"""Functions of packages that hang, die, raise, or give back what is nothing: real processes."""

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.scoring.packages.scorers import CallEndedError
from reviewer.services.computer import packaged, plugins, secrets
from reviewer.services.computer.packaged import Packaged
from reviewer.services.computer.plugins import PackageError
from tests.services.strangers import install

CODE = r'''
import ctypes, os, re, subprocess, sys, time

def plain(case, **named):
    print("noise on standard output")
    sys.stderr.write("and on standard error")
    return {"score": 1, "case": case, **named}

def value(case):
    return eval(case, {"object": object})

def asleep(case):
    time.sleep(100_000)
asleep.seconds = 1

def busy(case):
    """Hang in C code that never lets another thread run."""
    return bool(re.match(r"(a+)+$", "a" * 60 + "b"))
busy.seconds = 1

def greedy(case):
    return len(b"x" * int(case))
greedy.memory_mb = 200

def parent(case):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100000)"])
    with open(case, "w") as file:
        file.write(str(child.pid))
    time.sleep(100_000)
parent.seconds = 5

def crash(case):
    ctypes.string_at(0)

def leave(case):
    os._exit(case)

def stop(case):
    sys.exit("enough")

async def later(case):
    return case

async def never(case):
    import asyncio
    await asyncio.sleep(100_000)
never.seconds = 1

def number(case):
    return os.getpid()

class Open:
    def __call__(self, case, **named):
        return {"score": 1, "reasoning": ",".join(named)}
    metrics = ("politeness", "tone")
opened = Open()

def two(case, limit=1, *, mark="!"):
    return limit

from reviewer.scoring.answers import EXACT_MATCH as own

class Answering:
    @staticmethod
    def run(case):
        return "ran"
'''
NAMES = ("plain", "value", "asleep", "busy", "parent", "crash", "leave", "stop", "later", "never",
         "number", "greedy", "opened", "two", "own")  # fmt: skip
ENTRIES = "[reviewer.scorers]\n" + "".join(f"{x} = strangers:{x}\n" for x in NAMES)
Make = Callable[..., Packaged]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    bots = "[reviewer.bots]\nanswering = strangers:Answering\n"
    install(tmp_path / "site", monkeypatch, CODE, ENTRIES + bots)
    found: list[Packaged] = []

    def make(name: str, kind: plugins.Kind = "scorer") -> Packaged:
        brought = plugins.find(kind, name)
        assert brought is not None
        found.append(Packaged(kind, brought))
        return found[-1]

    yield make
    for one in found:
        one.close()


def test_a_function_is_called_as_if_it_were_here(made: Make) -> None:
    assert made("plain")({"id": "a"}, limit=3) == {"score": 1, "case": {"id": "a"}, "limit": 3}
    assert made("answering", "bot")({}) == "ran"
    assert made("later")("soon") == "soon"


@pytest.mark.parametrize(
    "said", ["None", "True", "3", "0.25", "'ä'", "(1, 'so')", "{'score': 2, 'list': [1, None]}"]
)
def test_values_come_back_as_they_are(made: Make, said: str) -> None:
    assert made("value")(said) == eval(said)  # noqa: S307 - literals of this test


def test_a_package_gets_keys_and_what_it_tells_of_them_is_masked(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-planted-0123456789"
    monkeypatch.setenv("NEAR_KEY", key)
    with secrets.kept_apart():
        asked = made("value")
        assert asked(f"__import__('os').environ['NEAR_KEY'] == {key!r}") is True
        assert asked("'I use ' + __import__('os').environ['NEAR_KEY']") == "I use …"
        assert asked(f"{{'score': 2, 'reasoning': {key!r}}}") == {"score": 2, "reasoning": "…"}


def test_what_is_no_value_is_a_sentence(made: Make) -> None:
    value = made("value")
    for said, kind in (("[1]", "list"), ("object()", "object"), ("(1, 2, 3)", "tuple")):
        with pytest.raises(CallEndedError, match=f"gave {kind}, which is no answer"):
            value(said)
    assert value("1") == 1


@pytest.mark.parametrize("name", ["asleep", "busy", "never"])
def test_a_function_that_hangs_is_ended_again_and_again(made: Make, name: str) -> None:
    hanging = made(name)
    assert hanging.about.seconds == 1
    for _ in range(2):
        with pytest.raises(CallEndedError, match=r"gave no answer within 1 s; the call was ended"):
            hanging("x")
    assert not children()


def test_a_function_gets_no_more_memory_than_it_may_have(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert made("greedy")("1000000") == 1_000_000
    with pytest.raises(CallEndedError, match="needs more than 200 MB of memory"):
        made("greedy")("1000000000")
    assert made("plain").about.memory == packaged.MEMORY_MB * 2**20
    monkeypatch.setenv(packaged.MEMORY_VARIABLE, "2000")
    assert made("greedy")("1000000000") == 1_000_000_000
    monkeypatch.setenv(packaged.MEMORY_VARIABLE, "plenty")
    with pytest.raises(ReviewerError, match="a number of megabytes above 0 is expected"):
        made("plain")


def test_what_a_function_started_is_ended_with_it(made: Make, tmp_path: Path) -> None:
    note = tmp_path / "number"
    with pytest.raises(CallEndedError, match="within 5 s"):
        made("parent")(str(note))
    number = int(note.read_text())
    until = time.monotonic() + 60
    while is_alive(number):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_function_that_takes_its_process_down_is_a_sentence(made: Make) -> None:
    with pytest.raises(CallEndedError, match=r"ended its process \(signal 11\)"):
        made("crash")("x")
    leaving = made("leave")
    for code in (3, 7):
        with pytest.raises(CallEndedError, match=rf"ended its process \(exit code {code}\)"):
            leaving(code)


def test_what_it_raises_is_a_sentence_and_its_process_goes_on(made: Make) -> None:
    value = made("value")
    with pytest.raises(CallEndedError, match="failed: ZeroDivisionError: division by zero"):
        value("1 / 0")
    with pytest.raises(CallEndedError, match="failed: SystemExit: enough"):
        made("stop")("x")
    number = made("number")
    assert number("x") == number("x") != os.getpid()


def test_calls_at_the_same_time_have_processes_of_their_own(made: Make) -> None:
    hanging, number = made("asleep"), made("number")

    async def together() -> list[Any]:
        calls = [asyncio.to_thread(x, "x") for x in (hanging, number, hanging)]
        return await asyncio.gather(*calls, return_exceptions=True)

    first, second, third = asyncio.run(together())
    assert isinstance(first, CallEndedError)
    assert isinstance(third, CallEndedError)
    assert isinstance(second, int)


def test_closing_ends_a_call_under_way(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(packaged.VARIABLE, "100000")
    hanging = made("asleep")

    async def closed() -> None:
        call = asyncio.create_task(asyncio.to_thread(hanging, "x"))
        while not children():
            await asyncio.sleep(0.05)
        hanging.close()
        with pytest.raises(CallEndedError, match="ended its process"):
            await call

    asyncio.run(closed())
    assert not children()


def test_a_process_that_nobody_asks_any_more_ends(made: Make) -> None:
    number = made("number")
    (mine,) = {number("x"), number("x")}
    assert is_alive(mine)
    os.kill(mine, signal.SIGSTOP)
    os.kill(mine, signal.SIGCONT)
    number.close()
    assert not is_alive(mine)


def test_the_limit_is_the_variables_then_the_functions(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert made("plain").about.seconds == packaged.SECONDS
    assert made("asleep").about.seconds == 1
    monkeypatch.setenv(packaged.VARIABLE, "7.5")
    assert made("asleep").about.seconds == 7.5
    for wrong in ("soon", "0", "-1", "inf", "nan"):
        monkeypatch.setenv(packaged.VARIABLE, wrong)
        with pytest.raises(ReviewerError, match="a number of seconds above 0 is expected"):
            made("plain")


def children() -> list[int]:
    """Give the processes of functions that this process has."""
    found = psutil.Process().children()
    return [x.pid for x in found if "reviewer.worker.function" in " ".join(words(x))]


def words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def is_alive(number: int) -> bool:
    try:
        return bool(psutil.Process(number).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_nothing_of_it_is_loaded_here_but_the_function() -> None:
    assert "reviewer.worker.function" not in sys.modules


def test_a_package_tells_what_its_function_takes_without_being_loaded_here(made: Make) -> None:
    assert made("opened").about.metrics == ("politeness", "tone")
    assert made("opened").about.parameters is None
    assert made("two").about.parameters == ("case", "limit", "mark")
    assert made("two").about.metrics is None
    assert "strangers" not in sys.modules


def test_an_object_that_would_score_here_is_none(made: Make) -> None:
    with pytest.raises(PackageError, match=r"'own' of the package strangers 1\.2 is no function"):
        made("own")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('not today')", "cannot be loaded: SystemExit: not today"),
        ("import os; os._exit(5)", "ended its process while it was loaded (exit code 5)"),
        ("import time; time.sleep(100_000)", "was not loaded within 1 s; the call was ended."),
        ("eaten = 'x' * 10**9", "cannot be loaded: MemoryError"),
    ],
)
def test_a_package_that_goes_wrong_while_it_is_loaded_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    monkeypatch.setenv(packaged.MEMORY_VARIABLE, "300")
    install(tmp_path / "site", monkeypatch, code, "[reviewer.judges]\njudge = strangers:judge\n")
    found = plugins.find("judge", "judge")
    assert found is not None
    with pytest.raises(PackageError, match=re.escape(words)):
        packaged.about("judge", found, loading=1)
    assert not children()
