"""Small widgets that every page is built from: cards, pills, key caps, buttons, headings.

They are dressed by the style sheet through properties, so they follow theme and font size without
code of their own. A `role` is one of the style sheet's, such as `muted`, `auto` or `alert`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, SignalInstance
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)
from typing_extensions import override

from reviewer.gui.kit import layouts
from reviewer.gui.kit.text import breakable, literal

GAP = 12
"""Pixels between cards, whatever the text size: room is dearest where the text is large."""


Made = TypeVar("Made", bound=QWidget)


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet looks at, and dress the widget anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        style = widget.style()
        style.unpolish(widget)
        style.polish(widget)


def text(
    words: str,
    role: str = "",
    *,
    wrap: bool = False,
    name: str = "",
    tip: str = "",
    hidden: bool = False,
) -> QLabel:
    """Make a label of plain text; markup in it is shown, never obeyed."""
    label = WrappedText(words) if wrap else QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if role:
        label.setProperty("role", role)
    return named(label, name, tip=tip, hidden=hidden)


def say(label: QLabel, words: str, role: str | None = None) -> None:
    """Show words, in another role where one is given; without words the label is out of sight."""
    label.setText(words)
    if role is not None:
        set_property(label, "role", role)
    label.setVisible(bool(words))


def named(widget: Made, name: str = "", *, tip: str = "", hidden: bool = False) -> Made:
    """Give a widget back with the name that screen readers say, and what its tip says."""
    if name:
        widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(tip)
    if hidden:
        widget.hide()
    return widget


def dressed(widget: Made, *, kind: str = "", role: str = "") -> Made:
    """Give a new widget back with the kind or role that the style sheet knows."""
    for name, value in (("kind", kind), ("role", role)):
        if value:
            widget.setProperty(name, value)
    return widget


def write(
    widget: QLabel | QAbstractButton,
    words: str,
    *,
    name: str | None = None,
    tip: str | None = None,
) -> None:
    """Write words on a widget; its name for screen readers and its tip stay where None."""
    widget.setText(words)
    # Qt tells screen readers and tips again of what is the same
    if name is not None and name != widget.accessibleName():
        widget.setAccessibleName(name)
    if tip is not None and tip != widget.toolTip():
        widget.setToolTip(tip)


def discard(widget: QWidget) -> None:
    """Take a widget out of sight, and then out of the world."""
    widget.hide()
    layouts.take_out(widget)
    widget.deleteLater()


def show(*widgets: QWidget, shown: bool) -> None:
    """Show widgets, or hide them."""
    for widget in widgets:
        widget.setVisible(shown)


def enable(*widgets: QWidget, able: bool) -> None:
    """Let widgets be used, or not."""
    for widget in widgets:
        widget.setEnabled(able)


@contextmanager
def quiet(*senders: QObject) -> Iterator[None]:
    """Let nobody hear of what is changed meanwhile."""
    blockers = [QSignalBlocker(sender) for sender in senders]
    try:
        yield
    finally:
        for blocker in blockers:
            blocker.unblock()


def keycap(keys: str) -> QLabel:
    """Make a key cap such as `Ctrl K` from a portable key text such as `Ctrl+K`."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText) or keys
    label = QLabel(native[:-1].replace("+", " ") + native[-1], textFormat=Qt.TextFormat.PlainText)
    label.setProperty("kind", "keycap")
    label.setAccessibleName(f"key {native}")
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return label


def pill(words: str, role: str = "") -> QLabel:
    """Make a rounded label for a short fact, such as a category."""
    label = text(words, role)
    label.setProperty("kind", "pill")
    label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return label


class ElidedText(QLabel):
    """A line of plain text that shortens itself with an ellipsis; the whole is in the tooltip."""

    def __init__(self, words: str = "", role: str = "", *, is_name: bool = False) -> None:
        """Make the line; a name loses its middle, as names differ at their ends."""
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(24)
        if role:
            self.setProperty("role", role)
        self._mode = Qt.TextElideMode.ElideMiddle if is_name else Qt.TextElideMode.ElideRight
        self._words = words
        self.setText(words)

    @override
    def setText(self, words: str) -> None:
        """Show other words."""
        self._words = words
        self.setToolTip("")
        super().setText(words)
        self.updateGeometry()

    @override
    def sizeHint(self) -> QSize:
        """Ask for room for the whole line."""
        hint = super().sizeHint()
        hint.setWidth(self.fontMetrics().horizontalAdvance(self._words) + 2)
        return hint

    @override
    def minimumSizeHint(self) -> QSize:
        """Make do with little."""
        return QSize(24, super().minimumSizeHint().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much as there is room for."""
        shown = self.fontMetrics().elidedText(self._words, self._mode, self.contentsRect().width())
        self.setToolTip(self._words if shown != self._words else "")
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(self.alignment()), shown)


class Card(QFrame):
    """A framed area with a heading; `body` takes the content, `head` the heading's row."""

    def __init__(
        self, title: str = "", *, margin: int = 14, parent: QWidget | None = None
    ) -> None:
        """Make a card; `margin` in pixels at 100 %."""
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.body = layouts.column(on=self, margins=margin, gap=8)
        self.head = QHBoxLayout()
        self.title = text(title, "heading")
        if title:
            self.setAccessibleName(title)
            layouts.fill(self.head, self.title, 1)
            self.body.addLayout(self.head)


class Panel(QFrame):
    """A plain area of the window's surface colour with a border at one edge."""

    def __init__(self, edge: str = "", parent: QWidget | None = None) -> None:
        """Make a panel; `edge` is left, right, top or bottom."""
        super().__init__(parent)
        self.setProperty("kind", "panel")
        self.setProperty("edge", edge)


def clear(layout: QLayout) -> None:
    """Take everything out of a layout, gone from sight at once."""
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if inner is not None:
            clear(inner)
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def line() -> QFrame:
    """Make a thin horizontal line between rows."""
    frame = QFrame()
    frame.setProperty("kind", "line")
    frame.setFixedHeight(1)
    return frame


class Button(QPushButton):
    """A button of one of the window's kinds, with the key that does the same beside its words."""

    def __init__(
        self,
        words: str,
        clicked: Callable[[], object] | None = None,
        *,
        kind: str = "pillbutton",
        key: str = "",
        name: str = "",
        dense: bool = False,
    ) -> None:
        """Make a button; `kind` is pillbutton, primary, flat, link, tab or row."""
        super().__init__()
        self.setProperty("kind", kind)
        self.setProperty("dense", "true" if dense else "false")
        self.setAccessibleName(name or words.rstrip("…▾ "))
        # a dialog would press the first such button when Return ends a field
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._cap: QLabel | None = None
        self._shrinks = False
        self.setText(words)
        if key:
            self._cap = keycap(key)
            layouts.row(1, self._cap, on=self, margins=(10, 0, 10, 0))
            self.setStyleSheet("QPushButton { text-align: left; }")
        if clicked is not None:
            self.clicked.connect(lambda *_: clicked())

    @override
    def setText(self, words: str) -> None:
        """Show other words; an & in them is a letter like any other."""
        super().setText(words)
        if "&" in words:
            self.setShortcut(QKeySequence())

    @override
    def sizeHint(self) -> QSize:
        """Leave room for the key cap, and for every & of the words."""
        hint = super().sizeHint()
        marks = self.text().count("&")
        if marks:
            hint.setWidth(hint.width() + marks * self.fontMetrics().horizontalAdvance("&"))
        if self._cap is not None:
            hint.setWidth(hint.width() + self._cap.sizeHint().width() + 4)
        return hint

    def let_shrink(self) -> None:
        """Shorten the words with an ellipsis where room is scarce; the tooltip has them whole."""
        self._shrinks = True
        self.updateGeometry()

    @override
    def minimumSizeHint(self) -> QSize:
        """Never squeeze the key cap over the words; a shrinking button keeps a few letters."""
        hint = self.sizeHint()
        if self._shrinks:
            spare = self.fontMetrics().horizontalAdvance(self.text())
            hint.setWidth(hint.width() - max(0, spare - self.fontMetrics().averageCharWidth() * 8))
        return hint

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button, with as much of its words as there is room for."""
        words = self.text()
        room = self.width() - (
            self.sizeHint().width() - self.fontMetrics().horizontalAdvance(words)
        )
        option = QStyleOptionButton()
        self.initStyleOption(option)
        shown = _shortened(words, room, self.fontMetrics())
        option.text = literal(shown)
        if shown != words and not self.toolTip():
            self.setToolTip(words)
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)


ARROW = " ▾"


def _shortened(words: str, room: int, metrics: QFontMetrics) -> str:
    """Shorten words to a width; the arrow of a menu stays."""
    if metrics.horizontalAdvance(words) <= room:
        return words
    if not words.endswith(ARROW):
        return metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
    # a menu is called after what was chosen from it, and such names differ at their ends
    room -= metrics.horizontalAdvance(ARROW)
    front = words.removesuffix(ARROW)
    return metrics.elidedText(front, Qt.TextElideMode.ElideMiddle, room) + ARROW


def connect(*pairs: tuple[SignalInstance, Callable[..., object] | SignalInstance]) -> None:
    """Let signals be followed, each by what is called or told on."""
    for signal, follow in pairs:
        signal.connect(follow)


def offer_acts(button: QWidget, acts: Iterable[tuple[str, Callable[[], object]]]) -> None:
    """Offer acts in a menu below a button."""
    menu = QMenu(button)
    for words, act in acts:
        menu.addAction(words).triggered.connect(lambda _=False, act=act: act())
    open_below(button, menu)


def open_below(button: QWidget, menu: QMenu) -> None:
    """Open a menu where its button ends."""
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))


class WrappedText(QLabel):
    """Plain text whose lines end inside a word too, where that is longer than a line."""

    def __init__(self, words: str = "") -> None:
        """Make the label."""
        super().__init__()
        self._shown = "", True
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(words)

    @override
    def text(self) -> str:
        """Give the words as they were set."""
        return self._shown[0]

    @override
    def setText(self, words: str) -> None:
        """Show other words; what has markup is shown as it is."""
        plain = self.textFormat() == Qt.TextFormat.PlainText
        if (words, plain) != self._shown:
            self._shown = words, plain
            super().setText(breakable(words) if plain else words)


class SteadyBar(QScrollBar):
    """Keeps its room where there is nothing to scroll, so that what it scrolls keeps its width."""

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint nothing where there is nothing to scroll."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class ScrolledColumn(QScrollArea):
    """Scrolls vertically only, is never narrower than what it holds, and takes no focus."""

    def __init__(self, content: QWidget, name: str) -> None:
        """Put a widget into it; `name` is what screen readers call the area."""
        super().__init__()
        self._content = content
        content.setProperty("kind", "scrolled")
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell the layout around it when the content needs another width."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @override
    def minimumSizeHint(self) -> QSize:
        """Ask for the content's least width beside the scroll bar."""
        bar = self.verticalScrollBar().sizeHint().width()
        least = self._content.minimumSizeHint().width()
        return QSize(least + bar, super().minimumSizeHint().height())


class ReadingColumn(ScrolledColumn):
    """A column that is read by keys: a tab stop while there is more than is in sight.

    Arrows, Page Up and Page Down, Home and End move it, Space and Shift+Space by a page.
    """

    def __init__(self, content: QWidget, name: str) -> None:
        """Put a widget into it; `name` is what screen readers call the area."""
        super().__init__(content, name)
        self.setProperty("kind", "reading")
        self.verticalScrollBar().rangeChanged.connect(self._be_a_stop)

    def scroll_by_page(self, pages: int) -> None:
        """Scroll down, or up where `pages` is negative; two lines stay in sight."""
        bar = self.verticalScrollBar()
        step = max(bar.pageStep() - 2 * self.fontMetrics().height(), bar.singleStep())
        bar.setValue(bar.value() + pages * step)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll to the ends and by pages; the rest is Qt's."""
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(bar.minimum())
            case Qt.Key.Key_End:
                bar.setValue(bar.maximum())
            case Qt.Key.Key_Space:
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.scroll_by_page(-1 if back else 1)
            case _:
                super().keyPressEvent(event)

    def _be_a_stop(self, lowest: int, highest: int) -> None:
        more = highest > lowest
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if more else Qt.FocusPolicy.NoFocus)


class ScrolledPage(QScrollArea):
    """A whole page: fills its room, and scrolls where large text needs more than there is."""

    def __init__(self, content: QWidget) -> None:
        """Put a page into it."""
        super().__init__(widgetResizable=True)
        self.setWidget(content)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
