"""Large letters in a window of ordinary size: nothing is cut or squeezed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, ElidedText
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from tests import windows
from tests.building import build_project

RUN = "a run with a name that is long enough to be shortened"


@pytest.fixture(params=[100, 150, 200])
def window(qtbot: QtBot, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MainWindow]:
    settings = Settings(tmp_path / "settings")
    settings.set("font_scale", request.param)
    with windows.shown(settings, QSize(1280, 800)) as made:
        assert made.open_project(build_project(tmp_path / f"{RUN}.review"))
        qtbot.waitUntil(lambda: not made.surroundings.tasks.running(), timeout=60_000)
        qtbot.wait(50)
        yield made


def words_of(holder: QWidget) -> list[QLabel | QAbstractButton]:
    return [*holder.findChildren(QLabel), *holder.findChildren(QAbstractButton)]


def squeezed(holder: QWidget) -> list[str]:
    """Name the labels and buttons in sight that have less room than they need."""
    found = []
    for widget in words_of(holder):
        least = widget.minimumSizeHint()
        if not widget.isVisible() or not widget.text():
            continue
        if widget.width() < least.width() or widget.height() < least.height():
            found.append(f"{widget.text()}: {widget.size()} of {least}")
    return found


def outside(holder: QWidget, within: QWidget) -> list[str]:
    """Name the labels and buttons that reach over the edge at the right."""
    found = []
    for widget in words_of(holder):
        right = QRect(widget.mapTo(within, QPoint(0, 0)), widget.size()).right()
        if widget.isVisible() and widget.text() and right > within.width():
            found.append(f"{widget.text()}: {right} of {within.width()}")
    return found


def _empty(found: list[str]) -> None:
    assert found == []


def test_the_review_page_has_room_for_every_word(window: MainWindow, qtbot: QtBot) -> None:
    page = window.page
    assert page is not None
    qtbot.waitUntil(lambda: _empty(squeezed(page)), timeout=10_000)
    assert outside(page, page) == []
    assert squeezed(window.top) == []
    assert outside(window.top, window.top) == []


def test_the_names_of_the_pages_stay_whole_in_a_small_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    for width in (1024, 1280):
        window.resize(width, 700)
        qtbot.waitUntil(lambda: _empty(squeezed(window.top)), timeout=10_000)
        assert outside(window.top, window.top) == []
        assert all(tab.isVisible() for tab in window.top._tabs.values())
    # what gave way comes back with the room
    window.resize(1600, 800)
    qtbot.waitUntil(window.top._search.isVisible)


def test_the_cards_do_not_reach_under_the_edge(window: MainWindow) -> None:
    page = window.page
    assert page is not None
    area = page.scores.area  # type: ignore[attr-defined]
    assert area.widget().width() <= area.viewport().width()


@pytest.mark.parametrize("name", ["runs", "reports"])
def test_other_pages_scroll_instead_of_cutting(
    window: MainWindow, qtbot: QtBot, name: str
) -> None:
    window.show_page(name)
    qtbot.wait(100)
    page = window.page
    assert page is not None
    assert page.width() >= page.minimumSizeHint().width()
    assert window.status.height() >= window.status.minimumSizeHint().height()
    assert window.top.height() >= window.top.minimumSizeHint().height()


@pytest.mark.parametrize("command", ["window.settings", "window.keys"])
def test_dialogs_fit_the_window_and_cut_nothing(
    window: MainWindow, qtbot: QtBot, command: str
) -> None:
    window.run_command(command)
    qtbot.wait(100)
    dialog = next(x for x in window.findChildren(QDialog) if x.isVisible())
    assert dialog.width() <= window.width()
    assert dialog.height() <= window.height()
    for label in dialog.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width())


def test_a_dialog_is_never_larger_than_what_is_behind_it(window: MainWindow) -> None:
    dialog = QDialog(window)
    fit(dialog, 5000, 300)
    assert (dialog.width(), dialog.height()) == (window.width(), 300)


def test_a_button_shortens_its_words_and_keeps_its_arrow(qtbot: QtBot) -> None:
    button = Button("Queue: 2026-11-18 agent v7 ▾")
    qtbot.addWidget(button)
    button.let_shrink()
    button.resize(button.minimumSizeHint())
    assert button.width() < button.sizeHint().width()
    button.show()
    button.grab()
    assert button.toolTip() == "Queue: 2026-11-18 agent v7 ▾"


def test_a_row_that_is_too_long_breaks_and_pushes_its_end(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    row = FlowLayout(holder, spacing=4, pushed_from=1)
    first, second = QLabel("one"), QLabel("two")
    for label in (first, second):
        row.addWidget(label)
    holder.resize(400, 60)
    row.activate()
    assert second.geometry().right() == 399
    assert first.y() == second.y()
    holder.resize(first.width() + 2, 60)
    row.activate()
    assert second.y() > first.y()


def test_tabs_stay_together_while_there_is_room(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    row = FlowLayout(holder, spacing=4, together=True)
    for words in ("Conversation", "Context", "Expected"):
        row.addWidget(ElidedText(words))
    wide = row.sizeHint().width()
    assert wide > row.minimumSize().width()
    assert row.heightForWidth(wide) < row.heightForWidth(wide // 2)


def test_a_notice_and_a_reveal_move_nothing(window: MainWindow, qtbot: QtBot) -> None:
    page = window.page
    assert isinstance(page, ReviewPage)

    def places() -> list[QRect]:
        qtbot.wait(30)
        kept = (page.scores.next, page.scores.skip, page.scores.comment, page.scores.area)
        # of the cards that scroll, what is above them
        return [QRect(x.mapTo(window, QPoint(0, 0)), x.size()) for x in kept]

    before = places()
    QTest.keyClick(window, Qt.Key.Key_R)
    assert window.notices.isVisible()
    assert places() == before
    bar = window.notices._whole._area.verticalScrollBar()
    assert not bar.isVisible(), "all of what floats is in sight"
    QTest.keyClick(window, Qt.Key.Key_R)
    assert page.view is not None
    assert not page.view.hidden
    assert places()[:3] == before[:3]
    assert places()[3].top() == before[3].top()


class StyleCount(QObject):
    """Counts how often a widget is styled anew."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.times = 0

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count and let pass."""
        self.times += event.type() == QEvent.Type.StyleChange
        return False


def test_another_text_size_styles_each_widget_a_few_times_however_deep_it_stands(
    window: MainWindow,
) -> None:
    page = window.page
    assert isinstance(page, ReviewPage)
    deep = page.scores.reveal
    counted = StyleCount()
    deep.installEventFilter(counted)
    window.surroundings.settings.set("font_scale", 120)
    # once off and once on; it was once for every widget above it
    assert 1 <= counted.times <= 4
