"""A monitor's judge in a process of its own: its scores, death and budget, and who stops it."""

import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from reviewer.domain.monitoring import Monitor
from reviewer.gui import monitors_at_work
from reviewer.gui.jobs_watch import JobsWatch
from reviewer.gui.monitors_at_work import MonitorsAtWork
from reviewer.services.monitoring import looking, watching
from reviewer.services.monitoring.view import View
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import Desk, Provider
from tests.servers.model_server import Answer

RUBRIC = "guest"


def keep(path: Path, **settings: object) -> None:
    with closing(Session.open(path)) as session:
        wanted = {"rubric": RUBRIC, "rate": 1.0, "judge": "careful", **settings}
        looking.keep(session, Monitor(**wanted))  # type: ignore[arg-type]


def shown(path: Path) -> View:
    with closing(Session.open(path)) as session:
        session.blind = False
        found = looking.shown(session, RUBRIC)
    assert found is not None
    return found


def is_watched(path: Path) -> bool:
    with closing(Session.open(path)) as session:
        return watching.standing(session, RUBRIC) is not None


@pytest.fixture
def monitors(desk: Desk) -> MonitorsAtWork:
    found = desk.window.surroundings.monitors
    found.every_ms = 50
    return found


@pytest.fixture
def told(monitors: MonitorsAtWork) -> list[str]:
    said: list[str] = []
    monitors.failed.connect(lambda _, sentence: said.append(sentence))
    return said


def at_rest(desk: Desk, monitors: MonitorsAtWork) -> None:
    desk.wait(lambda: not monitors.looks and not desk.jobs.jobs)


def test_the_judge_works_in_a_process_of_its_own(
    desk: Desk, provider: Provider, monitors: MonitorsAtWork, told: list[str]
) -> None:
    provider.answer = lambda *_: Answer('{"score": 4, "reasoning": "Fine."}')
    keep(desk.path)
    numbers: list[int] = []

    def note(key: int) -> None:
        process = desk.jobs.process(key)
        assert process is not None
        numbers.append(process.number)

    desk.jobs.moved.connect(note)
    monitors.look_now(RUBRIC)
    desk.wait(lambda: shown(desk.path).tally.total == 40)
    at_rest(desk, monitors)
    assert set(numbers) - {0, os.getpid()}
    assert provider.asked == 120
    assert shown(desk.path).spent_usd == pytest.approx(desk.row(desk.ends[0][0]).cost_usd)
    assert told == []
    # one note for every job would be too many; the monitor tells what changed
    watch = desk.window.findChild(JobsWatch)
    assert isinstance(watch, JobsWatch)
    assert all("status changed" in heading for heading, _ in watch.notifier.told)


def test_a_killed_judge_is_a_sentence_and_nothing_is_paid_twice(
    desk: Desk, provider: Provider, monitors: MonitorsAtWork, told: list[str]
) -> None:
    provider.answer = lambda *_: Answer('{"score": 4}', delay=0.05)
    keep(desk.path)
    monitors.look_now(RUBRIC)
    desk.wait(lambda: bool(desk.jobs.jobs))
    (job,) = desk.jobs.jobs
    desk.wait_done(job.key, 10)
    process = desk.jobs.process(job.key)
    assert process is not None
    os.kill(process.number, signal.SIGKILL)
    desk.wait(lambda: bool(told))
    assert told == [monitors_at_work.DIED]
    at_rest(desk, monitors)
    paid = shown(desk.path).spent_usd
    assert paid > 0
    asked = provider.asked
    monitors.look_now(RUBRIC)
    desk.wait(lambda: shown(desk.path).tally.total == 40)
    at_rest(desk, monitors)
    # two calls were under way when it died
    assert asked < provider.asked <= 122
    assert shown(desk.path).spent_usd > paid
    assert monitors.problems == {}


def test_the_budget_holds_over_jobs(
    desk: Desk, provider: Provider, monitors: MonitorsAtWork, told: list[str]
) -> None:
    provider.answer = lambda *_: Answer('{"score": 4}')
    keep(desk.path, max_cost=0.2)
    monitors.look_now(RUBRIC)
    desk.wait(lambda: any("budget" in sentence for sentence in told))
    at_rest(desk, monitors)
    for _ in range(3):
        monitors.look_now(RUBRIC)
        at_rest(desk, monitors)
    found = shown(desk.path)
    assert 0 < found.spent_usd <= 0.2
    assert found.waiting > 0
    assert is_watched(desk.path) is False


def test_a_key_that_may_not_go_there_is_a_sentence(
    desk: Desk,
    provider: Provider,
    monitors: MonitorsAtWork,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NEAR_KEY")
    provider.answer = lambda *_: Answer('{"score": 4}')
    keep(desk.path)
    monitors.look_now(RUBRIC)
    desk.wait(lambda: bool(told))
    at_rest(desk, monitors)
    assert "NEAR_KEY" in told[0]
    assert provider.asked == 0


@pytest.mark.parametrize("stop", ["pause", "cancel"])
def test_whoever_stops_the_job_ends_the_watch(
    desk: Desk, provider: Provider, monitors: MonitorsAtWork, told: list[str], stop: str
) -> None:
    provider.answer = lambda *_: Answer('{"score": 4}', delay=0.05)
    keep(desk.path)
    monitors.watch(RUBRIC)
    desk.wait(lambda: bool(desk.jobs.jobs))
    (job,) = desk.jobs.jobs
    desk.wait_done(job.key, 4)
    assert is_watched(desk.path)
    act: Callable[[int], None] = getattr(desk.jobs, stop)
    act(job.key)
    desk.wait(lambda: not is_watched(desk.path))
    at_rest(desk, monitors)
    state = "paused" if stop == "pause" else "cancelled"
    assert told == [monitors_at_work.STOPPED.format(state=state)]
    asked = provider.asked
    for _ in range(5):
        QTest.qWait(20)
    assert provider.asked == asked
    assert not desk.jobs.jobs


def test_a_watch_that_is_ended_pauses_its_job_without_a_word(
    desk: Desk, provider: Provider, monitors: MonitorsAtWork, told: list[str]
) -> None:
    provider.answer = lambda *_: Answer('{"score": 4}', delay=0.05)
    keep(desk.path)
    monitors.watch(RUBRIC)
    desk.wait(lambda: bool(desk.jobs.jobs))
    (job,) = desk.jobs.jobs
    desk.wait_done(job.key, 4)
    monitors.end(RUBRIC)
    at_rest(desk, monitors)
    assert desk.row(job.key).state == "paused"
    assert not is_watched(desk.path)
    assert told == []
