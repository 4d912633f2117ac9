"""The monitor in the real window: status, strip, samples, settings, and a watched folder."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.notifying import Notifier
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.monitoring import looking
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
def monitor(window: MainWindow, project: Path, settle: Callable[[], None]) -> MonitorSection:
    production.keep(project)
    production.look(project)
    return section(window, project, settle)


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
    monitor.evaluations_requested.connect(lambda keys, heading: asked.append((keys, heading)))
    strip.setFocus()
    for _ in range(12):
        QTest.keyClick(strip, Qt.Key.Key_Right)
    QTest.keyClick(strip, Qt.Key.Key_Return)
    settle()
    ((keys, heading),) = asked
    assert len(keys) == 10
    assert heading == "samples of the monitor, 2026-11-10"


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
    monitor.evaluations_requested.connect(lambda keys, _: asked.append(keys))
    monitor.table.choose(rows.keys[0])
    monitor.table.setFocus()
    QTest.keyClick(monitor.table, Qt.Key.Key_Return)
    settle()
    assert asked == [[rows.keys[0]]]


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


def test_a_folder_is_watched_beside_the_window(
    qtbot: QtBot,
    window: MainWindow,
    monitor: MonitorSection,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    noted: list[str] = []
    monitor.noted.connect(noted.append)
    monitor.form.folder.setText(str(folder))
    monitor.form.folder.editingFinished.emit()
    monitor.watch._timer.setInterval(50)
    QTest.mouseClick(monitor.start, Qt.MouseButton.LeftButton)
    assert monitor.start.text() == "Stop watching"
    assert monitor.doing.text() == f"Watching {folder}."
    bad = [production.record(f"bad {k}", 0.0) for k in range(100)]
    part = production.write(tmp_path / "in" / "new.jsonl.part", bad)
    part.rename(folder / "new.jsonl")
    qtbot.waitUntil(lambda: monitor.card.rate.text() == "45.0 %", timeout=PATIENCE)
    assert monitor.card.status.text() == "✕ critical"
    assert "new.jsonl: 100 new records." in noted
    change = next(x for x in noted if "→" in x)
    assert change.startswith("Monitor of agent-rubric: healthy → critical, pass rate 45.0 %")
    notifier = window.findChild(Notifier)
    assert isinstance(notifier, Notifier)
    assert notifier.told == [("The monitor's status changed", change)]
    page = window.page
    assert isinstance(page, RunsPage)
    qtbot.waitUntil(lambda: page.runs.list.rows.rowCount() == 2, timeout=PATIENCE)
    QTest.mouseClick(monitor.start, Qt.MouseButton.LeftButton)
    assert monitor.start.text() == "Watch"
    qtbot.waitUntil(lambda: not monitor.watch.looks, timeout=PATIENCE)


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
    assert not monitor.watch.watching


def test_a_folder_that_goes_away_is_said_and_watched_on(
    qtbot: QtBot, monitor: MonitorSection, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    monitor.form.folder.setText(str(folder))
    monitor.form.folder.editingFinished.emit()
    monitor.watch._timer.setInterval(50)
    folder.rmdir()
    monitor.watch.begin(monitor.session, monitor._monitor)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: "cannot be read" in monitor.doing.text(), timeout=PATIENCE)
    folder.mkdir()
    qtbot.waitUntil(lambda: "cannot be read" not in monitor.doing.text(), timeout=PATIENCE)
    assert monitor.watch.watching == "agent-rubric"
    monitor.watch.end()
    qtbot.waitUntil(lambda: not monitor.watch.looks, timeout=PATIENCE)


def test_a_closed_project_is_watched_no_longer(
    qtbot: QtBot, window: MainWindow, monitor: MonitorSection
) -> None:
    monitor.toggle_watching()
    assert monitor.watch.watching
    window.close_project()
    assert not monitor.watch.watching
    assert monitor.table.rows.rowCount() == 0
    qtbot.waitUntil(lambda: not monitor.watch.looks, timeout=PATIENCE)


def test_the_pass_rate_is_a_figure(monitor: MonitorSection) -> None:
    figure = monitor._figure()
    assert figure is not None
    assert figure.sentence == (
        "The monitor of agent-rubric says healthy, uncertain: pass rate 90.0 % (95 % 82.6 to "
        "94.5, n 100), with a warning below 85 % and critical below 70 %."
    )
    assert figure.keys is not None
    assert len(figure.keys()) == 100
