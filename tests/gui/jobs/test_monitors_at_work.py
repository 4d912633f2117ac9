"""A monitor's judge in a process of its own: its scores, death and budget, and who stops it."""

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import ProjectError
from reviewer.domain.judging import Selection
from reviewer.domain.monitoring import DIED, Monitor
from reviewer.gui.jobs import monitors_at_work
from reviewer.gui.jobs.monitors_at_work import MonitorsAtWork
from reviewer.gui.jobs_watch import JobsWatch
from reviewer.services.jobs import job_list, planning
from reviewer.services.monitoring import looking, watching
from reviewer.services.monitoring.view import View
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import KEY, WAIT_MS, Desk, Provider
from tests.servers.model_server import Answer
from tests.services.monitoring import production

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
    assert told == [DIED]
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


def test_what_lasts_is_told_once_and_stands_until_it_is_over(
    desk: Desk,
    provider: Provider,
    monitors: MonitorsAtWork,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looking, "RETRY_SECONDS", 0.5)
    monkeypatch.delenv("NEAR_KEY")
    provider.answer = lambda *_: Answer('{"score": 4}')
    keep(desk.path)
    standing: list[str] = []
    monitors.changed.connect(lambda: standing.append(monitors.problems.get(RUBRIC, "")))
    monitors.watch(RUBRIC)
    desk.wait(lambda: bool(told))
    standing.clear()
    desk.wait(lambda: len(desk.ends) >= 3)
    assert len(told) == 1
    assert set(standing) == set(told)
    monkeypatch.setenv("NEAR_KEY", KEY)
    desk.wait(lambda: shown(desk.path).tally.total == 40)
    desk.wait(lambda: not monitors.problems)
    assert len(told) == 1
    monitors.end(RUBRIC)
    at_rest(desk, monitors)


def test_a_look_that_failed_as_a_whole_is_told_until_one_works(
    desk: Desk, monitors: MonitorsAtWork, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(desk.path, judge=None)
    monitors.watch(RUBRIC)
    desk.wait(lambda: shown(desk.path).tally.total == 40)

    def refused(*_: object) -> None:
        raise ProjectError("The disk cannot be read.")

    # a renamed file is followed, so no look fails as a whole by that
    with monkeypatch.context() as patched:
        patched.setattr(watching, "turn", refused)
        desk.wait(lambda: "" in monitors.problems)
        QTest.qWait(3 * monitors.every_ms)
        assert told == ["The disk cannot be read."]
    desk.wait(lambda: monitors.problems == {})
    monitors.end(RUBRIC)
    at_rest(desk, monitors)


@pytest.mark.parametrize("stop", ["pause", pytest.param("cancel", marks=pytest.mark.long)])
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


def ready(path: Path) -> None:
    """Draw every sample, so that the next look plans a job at once."""
    production.keep(path, rubric=RUBRIC)
    production.look(path, rubric=RUBRIC)
    keep(path)


@pytest.fixture
def second(judged: Path, tmp_path: Path) -> Path:
    """Another project, where somebody has paused a job of the same number."""
    path = Path(shutil.copy(judged, tmp_path / "second.review"))
    with closing(Session.open(path)) as session:
        session.blind = False
        key = planning.add(session, planning.judging_plan(session, "careful", Selection()))
        job_list.stop(session, key, "pause")
    return path


def test_a_look_of_the_project_before_starts_nothing_in_this_one(
    desk: Desk,
    qtbot: QtBot,
    provider: Provider,
    monitors: MonitorsAtWork,
    told: list[str],
    second: Path,
) -> None:
    ready(desk.path)
    looked: list[object] = []
    monitors.looked.connect(looked.append)
    monitors.look_now(RUBRIC)
    with qtbot.waitSignal(monitors.changed, timeout=WAIT_MS):
        assert desk.window.open_project(second)
    assert not desk.jobs.jobs
    assert (looked, told, provider.asked) == ([], [], 0)
    desk.path = second
    assert desk.row(1).state == "paused"


def test_a_project_is_looked_at_though_a_look_of_the_one_before_goes_on(
    desk: Desk,
    monitors: MonitorsAtWork,
    second: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitors_at_work, "FIRST_MS", 10)
    folder = tmp_path / "in"
    folder.mkdir()
    # it is looked at twice, a second apart
    production.write(folder / "new.jsonl", [production.record("x")])
    keep(desk.path, judge=None, folder=str(folder))
    keep(second, judge=None)
    with closing(Session.open(second)) as session:
        watching.begin(session, RUBRIC)
    monitors.look_now(RUBRIC)
    assert desk.window.open_project(second)
    desk.wait(lambda: shown(second).tally.total == 40)
    at_rest(desk, monitors)


def test_ending_one_watch_leaves_the_other_one_alone(
    desk: Desk, qtbot: QtBot, monitors: MonitorsAtWork, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    production.write(folder / "new.jsonl", [production.record("x")])
    keep(desk.path, judge=None)
    keep(desk.path, judge=None, rubric="agent-rubric", folder=str(folder))
    monitors.watch(RUBRIC)
    desk.wait(lambda: shown(desk.path).tally.total == 40)
    desk.wait(lambda: not monitors.looks)
    monitors.watch("agent-rubric")
    monitors.end("agent-rubric")
    session = desk.window.session
    assert session is not None
    session.poll()
    with qtbot.waitSignal(monitors.changed, timeout=WAIT_MS):
        assert monitors.looks
    desk.wait(lambda: monitors.looks)
    at_rest(desk, monitors)
    assert is_watched(desk.path)


def test_a_watch_that_is_ended_while_it_looks_pays_for_nothing(
    desk: Desk, provider: Provider, monitors: MonitorsAtWork, told: list[str]
) -> None:
    ready(desk.path)
    monitors.watch(RUBRIC)
    monitors.end(RUBRIC)
    at_rest(desk, monitors)
    assert desk.row(1).state == "paused"
    assert (desk.ends, told, provider.asked) == ([], [], 0)
    monitors.look_now(RUBRIC)
    desk.wait(lambda: provider.asked == 120)
    at_rest(desk, monitors)
