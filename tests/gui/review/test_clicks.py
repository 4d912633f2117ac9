"""Whatever was clicked, the next keys label the response in view: the mouse leaves no trace."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
KINDS = (QAbstractButton, QAbstractItemView)


def opened(window: MainWindow, path: Path, settle: Callable[[], None]) -> ReviewPage:
    """The page on a response of which nothing is labelled, in a fresh copy of the demo."""
    assert window.open_project(path, "c-0003")
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    return page


def controls(page: ReviewPage, kind: type[QWidget]) -> list[QWidget]:
    """What can be clicked in sight, in the order of their making."""
    found = [x for x in page.findChildren(kind) if x.isVisible() and x.isEnabled()]
    return [x for x in found if not x.visibleRegion().isEmpty()]


CHIP = "Change the filter run: 2026-11-18 agent v7"


def name(widget: QWidget) -> str:
    said = widget.accessibleName() or getattr(widget, "text", lambda: "")()
    return f"{type(widget).__name__} {said}"


def click(widget: QWidget) -> None:
    """Click as a hand does: through the window, which gives the focus."""
    window = widget.window()
    handle = window.windowHandle()
    assert handle is not None
    seen = widget.visibleRegion().boundingRect()
    middle = seen.topLeft() + QPoint(min(seen.width() // 2, 60), min(seen.height() // 2, 60))
    QTest.mouseClick(handle, LEFT, Qt.KeyboardModifier.NoModifier, widget.mapTo(window, middle))


def put_away() -> None:
    """Leave what the click opened: menus and dialogs."""
    for opened_by_it in QApplication.topLevelWidgets():
        if opened_by_it.isVisible() and not isinstance(opened_by_it, MainWindow):
            opened_by_it.close()


@pytest.mark.parametrize("kind", KINDS)
def test_keys_label_what_is_in_view_after_any_click(
    window: MainWindow,
    demo: Path,
    qtbot: QtBot,
    settle: Callable[[], None],
    tmp_path: Path,
    kind: type[QWidget],
) -> None:
    tried = 0
    while True:
        path = Path(shutil.copy(demo, tmp_path / f"{tried}.review"))
        page = opened(window, path, settle)
        there = controls(page, kind)
        if tried >= len(there):
            break
        what = name(there[tried])
        inside = isinstance(there[tried].parent(), QLineEdit)
        # a chip's words are changed in the field
        inside = inside or what.endswith(CHIP)
        late = QTimer(singleShot=True, interval=50)
        late.timeout.connect(put_away)
        late.start()
        with qtbot.waitSignal(late.timeout):
            click(there[tried])
        put_away()
        settle()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        if isinstance(QApplication.focusWidget(), QLineEdit):
            # a sign inside of a field is a part of it
            assert inside, what
        else:
            label_and_take_back(page, window, what)
        tried += 1
    assert tried > (20 if kind is QAbstractButton else 0)


def label_and_take_back(page: ReviewPage, window: MainWindow, what: str) -> None:
    """Press 4, Space, J and Ctrl+Z; what the eye has in view is what is stored and taken back."""
    assert page.view is not None
    key, metric = page.view.evaluation.key, page.scores.focus
    assert metric is not None
    answered = {x for x, label in page.view.own.items() if label.counts}
    assert metric not in answered, what
    QTest.keyClick(window, Qt.Key.Key_4)
    if not page.case.shows_response:
        assert metric not in page.view.own, what
        QTest.keyClick(window, Qt.Key.Key_Escape)
        QTest.keyClick(window, Qt.Key.Key_4)
    assert page.view.evaluation.key == key, what
    assert page.view.own[metric].value == 4, what
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert page.view.evaluation.key != key, what
    QTest.keyClick(window, Qt.Key.Key_J)
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.view.evaluation.key == key, what
    assert page.scores.focus == metric, what
    given = page.view.own.get(metric)
    assert given is None or not given.counts, what
