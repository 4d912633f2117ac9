"""Validate the judge by keys, from the button to the verdict and the worst disagreements."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.kit.pieces import Button
from reviewer.gui.queues.keeper import VERDICT
from reviewer.gui.queues.overview import VerdictDialog
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from tests import windows
from tests.building import RUBRIC, build_project

METRICS = [metric.name for metric in RUBRIC.metrics]
FIRST_KEY = Qt.Key.Key_1


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    settings = Settings(tmp_path / "config")
    settings.set("labeler", "ann")
    with windows.shown(settings) as made:
        qtbot.waitUntil(made.isActiveWindow)
        made.open_project(build_project(tmp_path / "guest.review", evaluations=20))
        yield made


def judged(key: int, metric: str) -> int:
    """What `building.record` lets the judge give."""
    return (key + METRICS.index(metric)) % 5 + 1


def test_twenty_answers_by_keys_end_in_a_verdict(qtbot: QtBot, window: MainWindow) -> None:
    page = window.page
    assert isinstance(page, ReviewPage)
    page.queue.view.validate.click()
    commands = window.findChild(WindowCommands)
    assert isinstance(commands, WindowCommands)
    assert page.queue.given == "Validate the judge"
    assert page.queue.model.rowCount() == 20
    for answered in range(20):
        view = page.view
        assert view is not None
        assert view.hidden
        page.queue.count()
        words = page.queue.view.counts.text()
        left = 20 - answered
        assert words.startswith(f"{left} evaluation{'' if left == 1 else 's'} to go")
        key = view.evaluation.key
        page.case.conversation.setFocus()
        for metric in METRICS:
            value = judged(key, metric)
            if metric == "accuracy" and answered < 10:
                value = value % 5 + 1
            QTest.keyClick(window.focusWidget() or window, Qt.Key(FIRST_KEY + value - 1))
        assert commands.keeper.dialog is None
        if answered < 19:
            QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Space)
    # a window would take the keys of whoever is still at it, so the verdict waits
    qtbot.waitUntil(lambda: bool(offered(window)), timeout=20_000)
    assert commands.keeper.dialog is None
    assert window.isActiveWindow()
    assert window.notices.notices[-1].text == "Validate the judge is answered to the end."
    QTest.mouseClick(offered(window)[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(commands.keeper.dialog, VerdictDialog), timeout=20_000)
    dialog = commands.keeper.dialog
    assert isinstance(dialog, VerdictDialog)
    assert dialog.head.text() == "The judge falls short of 80 % agreement"
    model = dialog.metrics.rows
    verdicts = {
        model.cell(row, 0).words: model.cell(row, 1).words for row in range(model.rowCount())
    }
    assert verdicts == {"Relevance": "reaches", "Accuracy": "misses", "Safety": "reaches"}
    assert dialog.worst.rows.rowCount() == 10
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("The judge falls short of 80 % agreement (20 evaluations by ann).")
    assert "Accuracy falls short of 80 %: equal in 50 %" in copied
    dialog.open_button.click()
    assert page.queue.given is None
    assert page.queue.model.rowCount() == 10
    assert page.view is not None
    assert not page.view.hidden


def offered(window: MainWindow) -> list[Button]:
    found = window.notices.findChildren(Button)
    return [x for x in found if x.text() == VERDICT and x.isVisible()]


def test_the_verdict_waits_for_what_was_skipped_and_comes_once(
    qtbot: QtBot, window: MainWindow
) -> None:
    page, session = window.page, window.session
    assert isinstance(page, ReviewPage)
    assert session is not None
    commands = window.findChild(WindowCommands)
    assert isinstance(commands, WindowCommands)
    page.queue.view.validate.click()
    first, *rest = (int(key) for key in page.queue.model.keys)
    entering.toggle_skip(session, first)
    for key in rest:
        for metric in METRICS:
            entering.commit(session, key, metric, 3)
    qtbot.wait(600)
    assert commands.keeper.dialog is None
    page.queue.count()
    assert page.queue.view.counts.text().startswith(
        "1 evaluation to go · 19 of 20 done · 1 skipped"
    )
    for metric in METRICS:
        entering.commit(session, first, metric, 3)
    qtbot.waitUntil(lambda: bool(offered(window)), timeout=20_000)
    window.notices.dismiss()
    entering.commit(session, first, "accuracy", 4)
    qtbot.wait(600)
    assert offered(window) == []
    assert commands.keeper.dialog is None


def test_a_validation_left_half_way_goes_on(window: MainWindow) -> None:
    page = window.page
    assert isinstance(page, ReviewPage)
    page.queue.view.validate.click()
    page.queue.view.set_filter("")
    window.run_command("window.validate")
    assert page.queue.given == "Validate the judge"
