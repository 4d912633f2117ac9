"""Laying out once for many changes, cards with lines that can be moved, sizes on a screen."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QLayout,
    QScrollArea,
    QScrollBar,
    QSplitter,
    QSplitterHandle,
    QStyle,
    QWidget,
)
from typing_extensions import override

from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme


@contextmanager
def arranged_once(*layouts: QLayout | None) -> Iterator[None]:
    """Hold layouts still while widgets in them are shown, hidden and changed.

    Qt lays out all parents anew, at once, for every single widget that is shown; held layouts
    are laid out once, before the next painting.
    """
    held = [x for x in layouts if x is not None and x.isEnabled()]
    for layout in held:
        layout.setEnabled(False)
    try:
        yield
    finally:
        for layout in held:
            layout.setEnabled(True)


RETURN_MS = 1_000


def come_back(bar: QScrollBar, value: int, is_still_wanted: Callable[[], bool]) -> None:
    """Scroll to where somebody was, while what is shown is laid out; whoever scrolls ends it."""

    def reach(*_: int) -> None:
        if is_still_wanted():
            bar.setValue(value)

    def end(*_: int) -> None:
        bar.rangeChanged.disconnect(reach)
        bar.actionTriggered.disconnect(end)
        timer.deleteLater()

    timer = QTimer(bar, singleShot=True, interval=RETURN_MS)
    timer.timeout.connect(end)
    bar.rangeChanged.connect(reach)
    bar.actionTriggered.connect(end)
    timer.start()
    reach()


def arrange_now(pane: QWidget, area: QScrollArea, changed: Sequence[QWidget]) -> None:
    """Find the places of changed widgets of a pane, some of them in a scroll area, in one go.

    By itself Qt takes several rounds of events, and each of them is seen for a moment. The area's
    bar must keep its room: what is inside is laid out in the width that it has.
    """
    for widget in changed:
        _ask_anew(widget)
        _activate(widget)
    inside = area.widget()
    for outer in (area,) if inside is None else (area, inside):
        QApplication.sendEvent(outer, QEvent(QEvent.Type.LayoutRequest))
    _activate(pane)
    for outer in (pane, area, area.viewport(), *(() if inside is None else (inside,))):
        # what has just been done, asked for once more by every widget in it
        QApplication.removePostedEvents(outer, QEvent.Type.LayoutRequest)


def _ask_anew(widget: QWidget) -> None:
    """Let a widget and those in it that hold others be measured anew, the innermost first."""
    for child in widget.children():
        if isinstance(child, QWidget) and child.layout() is not None:
            _ask_anew(child)
    widget.updateGeometry()


class SplitterRest:
    """Spares a splitter what changes nothing for it: laying out all panes for one pane's words.

    Each layout asks everything around it to be laid out anew, whatever came of it.
    """

    def __init__(self, split: QSplitter) -> None:
        """Know the splitter."""
        self._split = split

    def keep(self) -> None:
        """Take back that the splitter be laid out where every pane has the room that it needs."""
        panes = map(self._split.widget, range(self._split.count()))
        if all(_fits(pane) for pane in panes if pane is not None):
            QApplication.removePostedEvents(self._split, QEvent.Type.LayoutRequest)


def _fits(widget: QWidget) -> bool:
    least = widget.minimumSizeHint()
    return least.boundedTo(widget.size()) == least


def _activate(widget: QWidget) -> None:
    layout = widget.layout()
    if layout is not None:
        layout.activate()


LONG, THICK = 28, 3
"""Pixels at 100 % of the grip that is painted on the line."""


class CardsSplit(QSplitter):
    """Keeps the share of each card until somebody moves the line, and then where it was put."""

    def __init__(self, theme: Theme) -> None:
        """Make it empty."""
        super().__init__(Qt.Orientation.Vertical)
        self._theme = theme
        self._shares: list[int] = []
        self.setHandleWidth(pieces.GAP)
        self.setChildrenCollapsible(False)

    def add(self, card: QWidget, share: int) -> None:
        """Put a card at the end; `share` is its part of the height beside those of the others."""
        self.addWidget(card)
        self.setStretchFactor(self.count() - 1, share)
        self._shares.append(share)
        self.setSizes([100 * each for each in self._shares])

    @override
    def createHandle(self) -> QSplitterHandle:
        """Make the line with its grip."""
        return _Grip(self._theme, self)


class _Grip(QSplitterHandle):
    def __init__(self, theme: Theme, split: CardsSplit) -> None:
        super().__init__(Qt.Orientation.Vertical, split)
        self._theme = theme
        self.setToolTip("Drag to give the list or the response more room")

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grip alone: the line is the gap between the cards."""
        px, painter = self._theme.px, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("control"))
        box = QRectF(0, 0, px(LONG), px(THICK))
        box.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(box, px(THICK) / 2, px(THICK) / 2)
        painter.end()


class SplitCard(pieces.Card):
    """A card that never gets less height than its lines take at its width.

    A splitter asks for a smallest size only, which counts buttons in one line.
    """

    @override
    def minimumSizeHint(self) -> QSize:
        """Give the smallest size at the width of now."""
        hint, layout = super().minimumSizeHint(), self.layout()
        if layout is not None and layout.hasHeightForWidth():
            hint.setHeight(max(hint.height(), layout.minimumHeightForWidth(self.width())))
        return hint

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that another width may need another height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


def fit(dialog: QWidget, width: int, height: int) -> None:
    """Give a dialog a size in pixels; large text never makes it larger than its window.

    A dialog without a window behind it keeps within the screen.
    """
    owner = dialog.parentWidget()
    room = owner.window().size() if owner else dialog.screen().availableGeometry().size()
    dialog.resize(min(width, room.width()), min(height, room.height()))


def keep_on_screen(window: QWidget) -> None:
    """Maximise a window that is about to be shown and would not fit on its screen with its frame.

    Before it is shown a window has no frame yet, so that of the style stands for it.
    """
    title = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    room = window.screen().availableGeometry().size() - QSize(0, title)
    if not window.isMaximized() and window.size().boundedTo(room) != window.size():
        window.resize(window.size().boundedTo(room))
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)
