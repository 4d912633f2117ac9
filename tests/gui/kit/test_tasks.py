"""Background work reports, fails, is cancelled and is replaced, always on the window's thread."""

import threading
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import CancelledError, FormatError, Progress
from reviewer.gui.kit.tasks import Tasks


@pytest.fixture
def tasks(qapp: QApplication) -> Tasks:
    assert qapp is not None
    return Tasks()


def until_cancelled(progress: Progress) -> None:
    while not progress.cancelled:
        threading.Event().wait(0.002)
    raise CancelledError("stopped")


def test_the_result_arrives_on_the_windows_thread(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[tuple[object, bool]] = []
    task = tasks.run("sum", lambda _: (sum(range(10)), threading.current_thread().name))
    task.finished.connect(
        lambda result: seen.append((result, threading.current_thread() is threading.main_thread()))
    )
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [((45, "task sum"), True)]


def test_progress_beyond_two_thousand_million_arrives_whole(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[tuple[object, object, str]] = []

    def work(progress: Progress) -> None:
        progress.advance(5_000_000_000, 5_000_000_000, "bytes")

    task = tasks.run("count", work)
    task.progressed.connect(lambda *report: seen.append(report))
    with qtbot.waitSignal(task.finished):
        pass
    assert seen == [(5_000_000_000, 5_000_000_000, "bytes")]


def test_an_expected_error_is_its_sentence(qtbot: QtBot, tasks: Tasks) -> None:
    def work(_: Progress) -> None:
        raise FormatError("line 3 is no JSON")

    with qtbot.waitSignal(tasks.run("read", work).failed) as failed:
        pass
    assert failed.args == ["line 3 is no JSON"]


def test_an_unexpected_error_says_no_more_than_its_kind(qtbot: QtBot, tasks: Tasks) -> None:
    def work(_: Progress) -> None:
        raise KeyError("a secret of the file")

    with qtbot.waitSignal(tasks.run("read", work).failed) as failed:
        pass
    assert failed.args is not None
    assert "KeyError" in failed.args[0]
    assert "secret" not in failed.args[0]


def test_cancelling_stops_the_work(qtbot: QtBot, tasks: Tasks) -> None:
    task = tasks.run("wait", until_cancelled)
    with qtbot.waitSignal(task.cancelled):
        tasks.cancel("wait")
    qtbot.waitUntil(lambda: not tasks.running())


def test_a_dropped_task_says_nothing_and_makes_room(qtbot: QtBot, tasks: Tasks) -> None:
    said: list[object] = []
    go_on = threading.Event()
    older = tasks.run("look", lambda _: go_on.wait(5))
    for signal in (older.finished, older.failed, older.cancelled):
        signal.connect(lambda *what: said.append(what))
    tasks.drop("look")
    assert tasks.running() == ()
    newer = tasks.run("look", lambda _: "newer")
    with qtbot.waitSignals([older.ended, newer.finished]):
        go_on.set()
    assert said == []


def test_a_newer_task_of_the_kind_silences_the_older(qtbot: QtBot, tasks: Tasks) -> None:
    said: list[str] = []
    older = tasks.run("search", until_cancelled)
    for signal in (older.finished, older.failed, older.cancelled):
        signal.connect(_saying(said, "older"))
    newer = tasks.run("search", lambda _: "found")
    newer.finished.connect(_saying(said, "newer"))
    qtbot.waitUntil(lambda: said == ["newer"] and not older.is_running)
    qtbot.wait(20)
    assert said == ["newer"]


def test_different_kinds_run_beside_each_other(tasks: Tasks) -> None:
    tasks.run("one", until_cancelled)
    tasks.run("two", until_cancelled)
    assert set(tasks.running()) == {"one", "two"}
    assert tasks.close()


def test_after_closing_nothing_begins(qtbot: QtBot, tasks: Tasks) -> None:
    assert tasks.close()
    ran: list[int] = []
    tasks.run("late", lambda _: ran.append(1))
    qtbot.wait(20)
    assert not ran


def _saying(said: list[str], word: str) -> Callable[..., None]:
    return lambda *_: said.append(word)


def test_work_that_waits_counts_as_running_and_gives_way_first(qtbot: QtBot, tasks: Tasks) -> None:
    begun: list[str] = []
    late = tasks.run("late", lambda _: begun.append("late"), after=0.3)
    with qtbot.waitSignal(tasks.run("now", lambda _: begun.append("now")).finished):
        pass
    assert begun == ["now"]
    assert tasks.running() == ("late",)
    with qtbot.waitSignal(late.finished):
        pass
    assert begun == ["now", "late"]


def test_work_that_waits_is_cancelled_before_it_begins(qtbot: QtBot, tasks: Tasks) -> None:
    begun: list[str] = []
    task = tasks.run("late", lambda _: begun.append("late"), after=60.0)
    with qtbot.waitSignal(task.cancelled, timeout=2_000):
        tasks.cancel("late")
    assert not begun
