"""A word through the system only to those who look elsewhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QSystemTrayIcon

from reviewer.gui.jobs_watch import JobsWatch
from reviewer.gui.kit.notices import Kind
from reviewer.gui.window import MainWindow


@pytest.fixture
def watch(window: MainWindow, project: Path, settle: Callable[[], None]) -> JobsWatch:
    assert window.open_project(project)
    settle()
    found = window.findChild(JobsWatch)
    assert isinstance(found, JobsWatch)
    return found


def test_a_done_job_is_told_in_the_bar_and_to_the_system(
    window: MainWindow, watch: JobsWatch, settle: Callable[[], None]
) -> None:
    window.surroundings.jobs.ended.emit(1, "careful judges accuracy", "done", "")
    settle()
    assert window.notices.notices[-1].text == "careful judges accuracy: done."
    assert watch.notifier.told == [("The re-evaluation is done", "careful judges accuracy: done.")]


def test_nothing_is_told_to_the_system_while_the_window_is_in_front(
    window: MainWindow, watch: JobsWatch
) -> None:
    assert window.isActiveWindow()
    assert not watch.notifier.tell("done", "all of it")


def test_where_no_system_tells_anything_the_bar_has_told_it_alone(
    window: MainWindow, watch: JobsWatch
) -> None:
    if QSystemTrayIcon.isSystemTrayAvailable():
        pytest.skip("this system shows notifications")
    window.hide()
    assert not watch.notifier.tell("done", "all of it")


def test_a_pause_by_hand_is_told_to_nobody(
    window: MainWindow, watch: JobsWatch, settle: Callable[[], None]
) -> None:
    window.surroundings.jobs.ended.emit(1, "a job", "paused", "Paused.")
    settle()
    assert not list(window.notices.notices)
    assert watch.notifier.told == []
    window.surroundings.jobs.ended.emit(1, "a job", "paused", "Stopped at the budget of $1.")
    settle()
    assert window.notices.notices[-1].kind is Kind.WARNING
    assert len(watch.notifier.told) == 1
