"""The monitor in the real window: status, strip, samples, settings, and a watched folder."""

import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.jobs.monitors_at_work import MonitorsAtWork
from reviewer.gui.jobs_watch import Notifier
from reviewer.gui.kit.text import stamp
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering
from reviewer.services.monitoring import looking, watching
from reviewer.services.monitoring.looking import Looked
from reviewer.services.monitoring.watching import Watched
from tests.services.monitoring import production

PATIENCE = 60_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    rows = [
        production.record(str(k), float(k < 90), evaluated_at=f"2026-11-{k // 10 + 1:02}")
        for k in range(100)
    ]
    file = production.write(tmp_path / "r.jsonl", rows)
    return production.imported(tmp_path / "p.review", file)


def section(window: MainWindow, path: Path, settle: Callable[[], None]) -> MonitorSection:
    assert window.open_project(path)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    shown = page.sections.bring(MonitorSection)
    settle()
    return shown


@pytest.fixture
def blind(window: MainWindow, project: Path, settle: Callable[[], None]) -> MonitorSection:
    production.keep(project)
    production.look(project)
    return section(window, project, settle)


@pytest.fixture
def monitor(
    window: MainWindow, blind: MonitorSection, settle: Callable[[], None]
) -> MonitorSection:
    assert window.session is not None
    window.session.blind = False
    blind.recompute()
    settle()
    return blind


def test_nobody_has_looked_yet(
    window: MainWindow, project: Path, settle: Callable[[], None]
) -> None:
    shown = section(window, project, settle)
    assert shown.card.status.text() == "– insufficient data"
    assert "Nobody has looked yet" in shown.card.interval.text()
    assert not shown.samples.isVisible()
    assert shown.form.rate.value() == 1
    assert shown.form.warning.value() == 85


def test_the_status_has_word_sign_and_interval(monitor: MonitorSection) -> None:
    card = monitor.card
    assert card.title.text() == "Monitor of agent-rubric"
    assert card.status.text() == "✓ healthy, uncertain"
    assert card.status.property("role") == "adjusted"
    assert card.rate.text() == "90.0 %"
    assert card.interval.text() == (
        "pass, 95 % 82.6 to 94.5, n = 100; average score 0.90, over all samples"
    )
    assert card.sampled.text() == "100 samples at 100 %, seed 0"


def test_the_strip_says_its_status_without_colour(
    monitor: MonitorSection, settle: Callable[[], None]
) -> None:
    strip = monitor.card.strip
    assert strip is not None
    assert len(strip.spots) == 10
    assert "critical" in strip.spots[-1].words
    assert "healthy" in strip.accessibleDescription()
    asked: list[tuple[Any, str]] = []
    monitor.responses_requested.connect(lambda keys, heading: asked.append((keys, heading)))
    strip.setFocus()
    for _ in range(12):
        QTest.keyClick(strip, Qt.Key.Key_Right)
    QTest.keyClick(strip, Qt.Key.Key_Return)
    settle()
    ((keys, heading),) = asked
    assert len(keys) == 10
    assert heading == "samples of the monitor, 2026-11-10"


def test_nothing_is_watched_before_it_is_known_which_monitor(
    monitor: MonitorSection, settle: Callable[[], None]
) -> None:
    assert monitor.start.isEnabled()
    assert monitor.look.isEnabled()
    monitor.show_runs("another run")
    assert not monitor.start.isEnabled()
    assert not monitor.look.isEnabled()
    settle()


def test_samples_are_cut_and_open_their_evaluation(
    monitor: MonitorSection, settle: Callable[[], None]
) -> None:
    rows = monitor.table.rows
    assert rows.rowCount() == 100
    cell = rows.cell(0, 0)
    assert cell.words == "Question 99?"
    assert len(cell.below) <= 200
    assert [rows.cell(0, 1).words, rows.cell(0, 2).words] == ["0.00", "✕ fail"]
    assert rows.cell(99, 2).words == "✓ pass"
    asked: list[Any] = []
    monitor.responses_requested.connect(lambda keys, _: asked.append(keys))
    monitor.table.choose(rows.keys[0])
    monitor.table.setFocus()
    QTest.keyClick(monitor.table, Qt.Key.Key_Return)
    settle()
    assert asked == [[rows.keys[0]]]


@pytest.mark.usefixtures("unled")
def test_the_verdict_of_an_unanswered_sample_is_hidden(
    window: MainWindow, blind: MonitorSection, settle: Callable[[], None]
) -> None:
    session = window.session
    assert session is not None
    assert session.blind
    rows = blind.table.rows
    told = [rows.cell(place, column).words for place in range(100) for column in (1, 2)]
    assert told == ["—", "hidden"] * 100
    assert blind.samples_note.text().startswith(
        "100 are hidden from you until you have answered them. "
    )
    # the figures are those of all samples
    assert blind.card.rate.text() == "90.0 %"
    key = rows.keys[0]
    assert isinstance(key, int)
    for metric in session.rubric_of(key).labelled_metrics:
        entering.commit(session, key, metric.name, 1)
    settle()
    blind.recompute()
    settle()
    assert [rows.cell(0, column).words for column in (1, 2)] == ["0.00", "✕ fail"]
    assert rows.cell(1, 2).words == "hidden"
    assert "99 are hidden" in blind.samples_note.text()


def test_other_settings_hold_at_once(
    monitor: MonitorSection, project: Path, settle: Callable[[], None]
) -> None:
    monitor.form.window_field.setText("10")
    monitor.form.window_field.editingFinished.emit()
    settle()
    assert monitor.card.status.text() == "✕ critical"
    assert monitor.card.status.property("role") == "alert"
    assert "n = 10" in monitor.card.interval.text()
    assert [x.tally.total for x in monitor.card._spells] == [10] * 10
    session = production.opened(project)
    assert looking.settings_of(session, "agent-rubric").window == "10"
    session.close()


def test_settings_that_make_no_sense_are_said(
    monitor: MonitorSection, settle: Callable[[], None]
) -> None:
    said: list[str] = []
    monitor.failed.connect(said.append)
    monitor.form.window_field.setText("sometimes")
    monitor.form.window_field.editingFinished.emit()
    settle()
    assert said == [
        "The window is 'sometimes'; all, a number of samples such as 200, or of days such as 7d "
        "is expected."
    ]


def test_an_untouched_share_stays_to_the_last_digit(monitor: MonitorSection) -> None:
    kept = monitor.form.wanted()
    assert kept == monitor._monitor
    odd = replace(kept, rate=0.000123456, warning=1 / 3, critical=0.1)
    monitor.form.show_monitor(odd, ())
    assert monitor.form.wanted() == odd
    monitor.form.rate.setValue(5)
    assert monitor.form.wanted().rate == 0.05


@pytest.fixture
def at_work(window: MainWindow) -> MonitorsAtWork:
    found = window.surroundings.monitors
    found.every_ms = 50
    return found


def watched(path: Path) -> Watched | None:
    session = production.opened(path)
    found = watching.standing(session, "agent-rubric")
    session.close()
    return found


def test_a_folder_is_watched_beside_the_window(
    qtbot: QtBot,
    window: MainWindow,
    monitor: MonitorSection,
    at_work: MonitorsAtWork,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    noted: list[Looked] = []
    at_work.looked.connect(noted.append)
    monitor.form.folder.setText(str(folder))
    monitor.form.folder.editingFinished.emit()
    QTest.mouseClick(monitor.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: monitor.start.text() == "Stop watching", timeout=PATIENCE)
    assert monitor.doing.text().startswith(f"Watching {folder} since ")
    bad = [production.record(f"bad {k}", 0.0) for k in range(100)]
    part = production.write(tmp_path / "in" / "new.jsonl.part", bad)
    part.rename(folder / "new.jsonl")
    qtbot.waitUntil(lambda: monitor.card.rate.text() == "45.0 %", timeout=PATIENCE)
    assert monitor.card.status.text() == "✕ critical"
    assert ("new.jsonl: 100 new records.",) in [x.fed.sentences for x in noted]
    (change,) = {x.change for x in noted if x.change}
    assert change.startswith("Monitor of agent-rubric: healthy → critical, pass rate 45.0 %")
    notifier = window.findChild(Notifier)
    assert isinstance(notifier, Notifier)
    assert notifier.told == [("The monitor's status changed", change)]
    page = window.page
    assert isinstance(page, RunsPage)
    qtbot.waitUntil(lambda: page.runs.list.rows.rowCount() == 2, timeout=PATIENCE)
    QTest.mouseClick(monitor.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: monitor.start.text() == "Watch", timeout=PATIENCE)
    assert watched(tmp_path / "p.review") is None
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)


def test_one_look_takes_what_is_whole(
    qtbot: QtBot, monitor: MonitorSection, tmp_path: Path, settle: Callable[[], None]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    production.write(folder / "new.jsonl", [production.record("x"), production.record("y")])
    monitor.form.folder.setText(str(folder))
    monitor.form.folder.editingFinished.emit()
    settle()
    QTest.mouseClick(monitor.look, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "102 samples" in monitor.card.sampled.text(), timeout=PATIENCE)
    assert watched(tmp_path / "p.review") is None


def test_a_folder_that_goes_away_is_said_and_watched_on(
    qtbot: QtBot, monitor: MonitorSection, at_work: MonitorsAtWork, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    monitor.form.folder.setText(str(folder))
    monitor.form.folder.editingFinished.emit()
    folder.rmdir()
    at_work.watch("agent-rubric")
    qtbot.waitUntil(lambda: "cannot be read" in monitor.doing.text(), timeout=PATIENCE)
    folder.mkdir()
    qtbot.waitUntil(lambda: "cannot be read" not in monitor.doing.text(), timeout=PATIENCE)
    at_work.end("agent-rubric")
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)


def test_watching_goes_on_where_the_project_is_opened_again(
    qtbot: QtBot,
    window: MainWindow,
    monitor: MonitorSection,
    at_work: MonitorsAtWork,
    tmp_path: Path,
    settle: Callable[[], None],
) -> None:
    path = tmp_path / "p.review"
    monitor.toggle_watching()
    qtbot.waitUntil(lambda: "Watching" in monitor.doing.text(), timeout=PATIENCE)
    before = watched(path)
    assert before is not None
    qtbot.waitUntil(lambda: watched(path) == replace(before, where="here"), timeout=PATIENCE)
    window.close_project()
    qtbot.waitUntil(lambda: watched(path) == replace(before, where="waits"), timeout=PATIENCE)
    new = production.write(tmp_path / "new.jsonl", [production.record("x")])
    production.imported(path, new)
    found: list[Looked] = []
    at_work.looked.connect(found.append)
    # no page but the first is shown
    assert window.open_project(path)
    qtbot.waitUntil(lambda: any(x.sampled == 1 for x in found), timeout=PATIENCE)
    assert watched(path) == replace(before, where="here")
    shown = section(window, path, settle)
    assert f"since {stamp(before.since, window.surroundings.settings.time_format)}." in (
        shown.doing.text()
    )
    at_work.end("agent-rubric")
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)


def test_another_windows_watch_is_said_and_taken_over_when_it_ends(
    qtbot: QtBot,
    window: MainWindow,
    project: Path,
    at_work: MonitorsAtWork,
    settle: Callable[[], None],
) -> None:
    production.keep(project)
    session = production.opened(project)
    watching.begin(session, "agent-rubric")
    session.close()
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    production.watched_by(project, f"{other.pid}@{socket.gethostname()}")
    shown = section(window, project, settle)
    assert shown.doing.text().endswith(", in another window or program.")
    # more than one turn, each without a look
    for _ in range(3):
        with qtbot.waitSignal(at_work.changed, timeout=PATIENCE):
            pass
    assert production.count(project, "SELECT count(*) FROM monitor_samples") == 0
    other.communicate(b"\n", timeout=60)
    qtbot.waitUntil(
        lambda: production.count(project, "SELECT count(*) FROM monitor_samples") == 100,
        timeout=PATIENCE,
    )
    qtbot.waitUntil(lambda: "another window" not in shown.doing.text(), timeout=PATIENCE)
    at_work.end("agent-rubric")
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)


def test_the_palette_watches_and_looks_from_any_page(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    at_work: MonitorsAtWork,
    project: Path,
) -> None:
    assert window.open_project(project)
    away = {command.id: action for command, action in commands.elsewhere()}
    away["runs.look"].trigger()
    qtbot.waitUntil(
        lambda: production.count(project, "SELECT count(*) FROM monitors") == 1, timeout=PATIENCE
    )
    assert watched(project) is None
    here = {command.id: action for command, action in commands.available()}
    here["runs.watch"].trigger()
    qtbot.waitUntil(lambda: watched(project) is not None, timeout=PATIENCE)
    page = window.page
    assert isinstance(page, RunsPage)
    shown = page.sections.current
    assert isinstance(shown, MonitorSection)
    qtbot.waitUntil(lambda: shown.start.text() == "Stop watching", timeout=PATIENCE)
    here["runs.watch"].trigger()
    qtbot.waitUntil(lambda: watched(project) is None, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not at_work.looks, timeout=PATIENCE)


def test_the_pass_rate_is_a_figure(monitor: MonitorSection) -> None:
    figure = monitor._figure()
    assert figure is not None
    assert figure.sentence == (
        "The monitor of agent-rubric says healthy, uncertain: pass rate 90.0 % (95 % 82.6 to "
        "94.5, n 100), with a warning below 85 % and critical below 70 %."
    )
    assert figure.keys is not None
    assert len(figure.keys()) == 100
