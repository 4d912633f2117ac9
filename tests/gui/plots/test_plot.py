"""Every chart is hovered, chosen by keys and pointer, and copied as picture and as numbers."""

from collections.abc import Hashable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from reviewer.gui.plots.histogram import Bar, Histogram
from reviewer.gui.plots.plot import Spot
from reviewer.gui.plots.scatter import Dot, Scatter
from reviewer.gui.window import MainWindow


@pytest.fixture
def scatter(window: MainWindow, qtbot: QtBot) -> Scatter:
    made = Scatter(window.surroundings.theme, "Relevance against accuracy")
    qtbot.addWidget(made)
    made.resize(500, 260)
    made.show_dots(
        [
            Dot(Spot(1.0, 2.0, "relevance 1, accuracy 2: 7 responses", (1, 2)), n=7),
            Dot(Spot(4.0, 5.0, "relevance 4, accuracy 5: 30 responses", (4, 5)), n=30),
        ],
        x_title="relevance",
        y_title="accuracy",
    )
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.setFocus()
    return made


def move(plot: Scatter, x: float, y: float) -> None:
    box = plot.area.plotItem.vb
    at = QPointF(plot.area.mapFromScene(box.mapViewToScene(QPointF(x, y))))
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(
        QEvent.Type.MouseMove, at, plot.area.viewport().mapToGlobal(at), none, none,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QGuiApplication.sendEvent(plot.area.viewport(), event)


def test_keys_go_from_spot_to_spot_and_choose(scatter: Scatter) -> None:
    chosen: list[Hashable] = []
    scatter.spot_chosen.connect(chosen.append)
    QTest.keyClick(scatter, Qt.Key.Key_Return)
    assert chosen == []
    QTest.keyClick(scatter, Qt.Key.Key_Right)
    QTest.keyClick(scatter, Qt.Key.Key_Right)
    QTest.keyClick(scatter, Qt.Key.Key_Right)
    assert QToolTip.text() == "relevance 4, accuracy 5: 30 responses"
    QTest.keyClick(scatter, Qt.Key.Key_Left)
    QTest.keyClick(scatter, Qt.Key.Key_Return)
    assert chosen == [(1, 2)]


def test_the_pointer_finds_the_nearest_spot_within_reach(scatter: Scatter, qtbot: QtBot) -> None:
    move(scatter, 4.0, 5.0)
    assert scatter.spot is not None
    assert scatter.spot.key == (4, 5)
    # the library looks at a hundred moves a second at most
    qtbot.wait(30)
    move(scatter, 2.5, 3.5)
    assert scatter.spot is None


def test_numbers_are_copied_as_csv(scatter: Scatter) -> None:
    scatter.copies.copy_data()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines == ["relevance,accuracy,responses", "1.0,2.0,7", "4.0,5.0,30"]


def test_pictures_are_copied_sharp_and_in_the_theme(scatter: Scatter, window: MainWindow) -> None:
    scatter.copies.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * scatter.area.width()
    assert image.pixelColor(1, 1) == window.surroundings.theme.colour("card")
    scatter.copies.copy_svg()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("<?xml")
    assert "relevance" in text
    assert bytes(QGuiApplication.clipboard().mimeData().data("image/svg+xml").data())


def test_screen_readers_hear_the_numbers(scatter: Scatter) -> None:
    assert scatter.accessibleName() == "Relevance against accuracy"
    assert "4; 5; 30" in scatter.accessibleDescription()


def test_every_bar_gives_its_gaps(window: MainWindow, qtbot: QtBot) -> None:
    made = Histogram(window.surroundings.theme)
    qtbot.addWidget(made)
    made.show_gaps(((-1.0, 4), (0.0, 9), (2.0, 1)))
    assert [spot.key for spot in made.spots] == [
        Bar(-1.0, 4, -1.0, -1.0), Bar(0.0, 9, 0.0, 0.0), Bar(2.0, 1, 2.0, 2.0)
    ]  # fmt: skip
    assert made.copies.data_text().splitlines()[1:] == ["-1.0,4", "0.0,9", "2.0,1"]
    assert made.isVisible()
    made.show_gaps(())
    assert not made.isVisible()
