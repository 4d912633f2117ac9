"""Many changes, one layout."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from reviewer.gui.kit.arranging import SplitterRest, arrange_now, arranged_once
from reviewer.gui.kit.pieces import SteadyBar


class Sizes(QObject):
    """Counts how often a widget got another size."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Resize
        return super().eventFilter(watched, event)


def test_labels_are_shown_in_one_go_and_stand_where_they_belong(qtbot: QtBot) -> None:
    pane, scrolled, area = QWidget(), QWidget(), QScrollArea()
    qtbot.addWidget(pane)
    area.setWidgetResizable(True)
    area.setVerticalScrollBar(SteadyBar())
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    area.setWidget(scrolled)
    column, outer = QVBoxLayout(scrolled), QVBoxLayout(pane)
    outer.addWidget(area)
    first, *others = [QLabel(f"line {n}\nand another") for n in range(20)]
    for label in (first, *others):
        column.addWidget(label)
    for label in others:
        label.hide()
    pane.resize(200, 200)
    pane.show()
    qtbot.waitExposed(pane)
    qtbot.wait(50)
    sizes = Sizes()
    first.installEventFilter(sizes)
    with arranged_once(column, outer, None):
        for label in others:
            label.show()
    arrange_now(pane, area, others)
    assert sizes.count <= 1
    places = [label.geometry() for label in (first, *others)]
    assert min(place.height() for place in places) >= first.sizeHint().height()
    qtbot.wait(50)
    assert [label.geometry() for label in (first, *others)] == places


class Layouts(QObject):
    """Counts how often a widget was asked to lay out what is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return super().eventFilter(watched, event)


def test_a_splitter_rests_as_long_as_every_pane_has_room(qtbot: QtBot) -> None:
    split, pane, label = QSplitter(), QWidget(), QLabel("word")
    qtbot.addWidget(split)
    column = QVBoxLayout(pane)
    column.addWidget(label)
    for widget in (pane, QWidget()):
        split.addWidget(widget)
    split.setSizes([1, 400])
    split.resize(500, 100)
    split.show()
    qtbot.waitExposed(split)
    rest, asked = SplitterRest(split), Layouts()
    split.installEventFilter(asked)
    for words in ("Word", "wo"):
        label.setText(words)
        column.activate()
        rest.keep()
        qtbot.wait(20)
    assert asked.count == 0
    label.setText("many more words than there is room for")
    column.activate()
    rest.keep()
    qtbot.waitUntil(lambda: pane.width() >= pane.minimumSizeHint().width())
    assert asked.count
