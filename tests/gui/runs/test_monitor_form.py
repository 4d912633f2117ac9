"""Settings of a monitor while somebody types, other windows change them, and runs are chosen."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.domain.monitoring import Monitor
from reviewer.gui.commands import WindowCommands
from reviewer.gui.jobs.monitors_at_work import MonitorsAtWork
from reviewer.gui.runs.monitor_cards import EVERY, PRODUCTION
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.run_section import RunSection
from reviewer.gui.window import MainWindow
from reviewer.services.monitoring import looking, watching
from reviewer.services.project.session import Session
from tests.services.monitoring import production

PATIENCE = 60_000
RUBRIC = "agent-rubric"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    file = production.write(tmp_path / "r.jsonl", [production.record(str(k)) for k in range(30)])
    path = production.imported(tmp_path / "p.review", file)
    production.keep(path)
    return path


@pytest.fixture
def page(window: MainWindow, project: Path, settle: Callable[[], None]) -> RunsPage:
    assert window.open_project(project)
    window.show_page("runs")
    settle()
    assert isinstance(window.page, RunsPage)
    return window.page


@pytest.fixture
def monitor(page: RunsPage, settle: Callable[[], None]) -> MonitorSection:
    shown = page.sections.bring(MonitorSection)
    settle()
    return shown


def kept(path: Path, rubric: str = RUBRIC) -> Monitor:
    with closing(Session.open(path)) as session:
        return looking.settings_of(session, rubric)


def write_in(field: QWidget, text: str, qtbot: QtBot) -> None:
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.selectAll()  # type: ignore[attr-defined]
    QTest.keyClicks(field, text)


def test_what_is_being_typed_stays_while_samples_come(
    qtbot: QtBot,
    monitor: MonitorSection,
    project: Path,
    tmp_path: Path,
    settle: Callable[[], None],
) -> None:
    folder = tmp_path / "incoming"
    folder.mkdir()
    form = monitor.form
    write_in(form.folder, str(folder)[:-3], qtbot)
    monitor.recompute()
    settle()
    assert form.folder.text() == str(folder)[:-3]
    QTest.keyClicks(form.folder, str(folder)[-3:])
    write_in(form.seed, "12", qtbot)
    settle()
    assert kept(project).folder == str(folder)
    monitor.recompute()
    settle()
    assert form.seed.text() == "12"
    write_in(form.critical, "3", qtbot)
    settle()
    assert (kept(project).seed, form.seed.value()) == (12, 12)


def test_a_field_in_focus_follows_another_window_until_somebody_types(
    qtbot: QtBot, monitor: MonitorSection, project: Path, settle: Callable[[], None]
) -> None:
    form = monitor.form
    form.window_field.setFocus()
    qtbot.waitUntil(form.window_field.hasFocus)
    production.keep(project, window="7d")
    monitor.recompute()
    settle()
    assert form.window_field.text() == "7d"
    write_in(form.window_field, "20", qtbot)
    production.keep(project, window="10", rate=0.5)
    monitor.recompute()
    settle()
    assert form.window_field.text() == "20"
    QTest.keyClicks(form.window_field, "0\r")
    settle()
    assert (kept(project).window, kept(project).rate) == ("200", 0.5)
    # what is kept is not typed any more
    production.keep(project, window="10")
    monitor.recompute()
    settle()
    assert form.window_field.text() == "10"


def test_a_look_keeps_what_another_window_has_set(
    qtbot: QtBot, monitor: MonitorSection, project: Path, window: MainWindow
) -> None:
    production.keep(project, window="10", warning=0.9)
    before = kept(project)
    with qtbot.waitSignal(window.surroundings.monitors.looked, timeout=PATIENCE):
        monitor.look_now()
    assert kept(project) == before
    production.keep(project, window="all", seed=5)
    monitor.toggle_watching()
    assert kept(project) == replace(before, window="all", seed=5, warning=0.85)
    window.surroundings.monitors.end(RUBRIC)
    qtbot.waitUntil(lambda: not window.surroundings.monitors.looks, timeout=PATIENCE)


def test_a_look_takes_what_was_typed_a_moment_ago(
    qtbot: QtBot, monitor: MonitorSection, project: Path, window: MainWindow
) -> None:
    write_in(monitor.form.warning, "91", qtbot)
    with qtbot.waitSignal(window.surroundings.monitors.looked, timeout=PATIENCE):
        monitor.look_now()
    assert kept(project).warning == 0.91


def test_an_untouched_limit_stays_to_the_last_digit(monitor: MonitorSection) -> None:
    form = monitor.form
    odd = Monitor(judge="careful", max_cost=1.23456789, rate=1e-7, warning=2 / 3)
    form.show_monitor(odd, ())
    assert form.wanted() == odd
    form.critical.setValue(10)
    assert form.wanted() == replace(odd, critical=0.1)
    form.cost.setValue(2.5)
    assert form.wanted().max_cost == 2.5


def test_without_a_judge_none_is_chosen(monitor: MonitorSection) -> None:
    form = monitor.form
    judges = (("careful", "careful · qwen3"), ("quick", "quick · qwen3"))
    form.show_monitor(Monitor(judge="quick"), judges)
    assert form.judge.currentText() == "quick · qwen3"
    form.show_monitor(Monitor(), judges)
    assert form.judge.currentIndex() == 0
    assert form.wanted().judge is None
    form.judge.setCurrentIndex(1)
    assert form.wanted().judge == "careful"


def test_the_runs_are_a_choice_and_production_is_the_first(
    monitor: MonitorSection, project: Path, settle: Callable[[], None]
) -> None:
    form = monitor.form
    titles = [form.runs.itemText(k) for k in range(form.runs.count())]
    assert titles == [PRODUCTION, EVERY, "r"]
    assert form.runs.currentIndex() == 0
    form.runs.setCurrentIndex(2)
    form.runs.activated.emit(2)
    settle()
    assert kept(project).runs == ("r",)
    assert "the run r alone" in monitor.card.interval.text() + monitor.card.sampled.text()
    form.runs.setCurrentIndex(1)
    form.runs.activated.emit(1)
    settle()
    assert kept(project).runs == ("all",)


def test_several_named_runs_stay_one_choice(monitor: MonitorSection) -> None:
    form = monitor.form
    named = Monitor(runs=("a", "b"))
    form.show_monitor(named, (), (("a", "a"), ("b", "b (test cases)")))
    assert form.runs.currentText() == "a and b"
    assert form.wanted() == named


def watched(path: Path) -> list[str]:
    with closing(Session.open(path)) as session:
        names = {session.rubric_of_run(key).name for key in session.run_keys()}
        return sorted(name for name in names if watching.standing(session, name) is not None)


@pytest.fixture
def at_work(window: MainWindow) -> MonitorsAtWork:
    found = window.surroundings.monitors
    found.every_ms = 50
    return found


@pytest.fixture
def two(project: Path, tmp_path: Path) -> Path:
    """An older run of the rubric that is watched by default, and a newer one of another."""
    newer = production.write(tmp_path / "newer.jsonl", [production.record("x", None)])
    return production.imported(project, newer, "guest-response")


def test_the_palette_watches_for_the_run_in_view(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    at_work: MonitorsAtWork,
    two: Path,
    settle: Callable[[], None],
) -> None:
    assert window.open_project(two)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    shown = page.sections.bring(MonitorSection)
    settle()
    shown.toggle_watching()
    qtbot.waitUntil(lambda: watched(two) == ["guest-response"], timeout=PATIENCE)
    qtbot.waitUntil(lambda: shown.start.text() == "Stop watching", timeout=PATIENCE)
    page.sections.bring(RunSection)
    other = next(name for name in page.runs.list.rows.keys if name != page.run.run)
    page.runs.list.choose(other)
    qtbot.waitUntil(lambda: page.run.run == other, timeout=PATIENCE)
    here = {command.id: action for command, action in commands.available()}
    here["runs.watch"].trigger()
    qtbot.waitUntil(lambda: RUBRIC in watched(two), timeout=PATIENCE)
    assert watched(two) == [RUBRIC, "guest-response"]
    assert shown.form.wanted().rubric == RUBRIC
    for rubric in (RUBRIC, "guest-response"):
        at_work.end(rubric)
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)


def test_the_palette_waits_until_the_run_is_known(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    at_work: MonitorsAtWork,
    two: Path,
) -> None:
    assert window.open_project(two)
    away = {command.id: action for command, action in commands.elsewhere()}
    away["runs.watch"].trigger()
    qtbot.waitUntil(lambda: bool(watched(two)), timeout=PATIENCE)
    assert watched(two) == ["guest-response"]
    at_work.end("guest-response")
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)
