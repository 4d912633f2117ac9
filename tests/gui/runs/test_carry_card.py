"""The Runs page offers labels that fit, and copies them on request only."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

LABEL = {"metric": "accuracy", "labeler": "ann", "value": 2, "at": "2026-11-01T10:00:00Z"}


def test_labels_are_carried_over_by_the_button(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    records = [record(1, run="v1", labels=[LABEL]), record(1, run="v2")]
    path = build_project(tmp_path / "two.review", evaluations=records, runs=("v1", "v2"))
    assert window.open_project(path)
    window.show_page("runs")
    page = window.page
    assert isinstance(page, RunsPage)
    qtbot.waitUntil(lambda: len(page.run.carry.buttons) == 1, timeout=10_000)
    assert page.run.carry.buttons[0].text() == "Carry 1 label over from v1"
    page.run.carry.buttons[0].click()
    qtbot.waitUntil(lambda: not page.run.carry.buttons, timeout=10_000)
    assert window.session is not None
    count = window.session.project.conn.execute(
        "SELECT count(*) FROM current_labels WHERE value = 2"
    ).fetchone()[0]
    assert count == 2
