"""The palette: every command and every evaluation, found by typing a few letters in order."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from typing_extensions import override

from reviewer.gui.actions import Command, Scope
from reviewer.gui.background import Hit
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.theme import TextStyle, Theme

WIDTH = 620
SHOWN = 60
LINES = 11
LINE = 32
SEARCH_DELAY_MS = 120
_ENTRY = Qt.ItemDataRole.UserRole


class _Entry(Struct, frozen=True):
    title: str
    detail: str
    keys: str
    run: Callable[[], object]


class _EntryDelegate(QStyledItemDelegate):
    """Draws an entry's title, what it belongs to and its keys on one line."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(100, self._theme.px(LINE))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: object) -> None:
        entry = index.data(_ENTRY)  # type: ignore[attr-defined]
        theme = self._theme
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.colour("selection"))
            edge = QRect(option.rect.topLeft(), QSize(theme.px(3), option.rect.height()))
            painter.fillRect(edge, theme.colour("focus"))
        area = option.rect.adjusted(theme.px(14), 0, -theme.px(12), 0)
        painter.setFont(theme.font(TextStyle.SMALL))
        painter.setPen(theme.colour("muted"))
        keys = painter.fontMetrics().horizontalAdvance(entry.keys)
        painter.drawText(area, _flags("right"), entry.keys)
        detail = painter.fontMetrics().horizontalAdvance(entry.detail)
        painter.drawText(
            area.adjusted(0, 0, -keys - theme.px(16), 0), _flags("right"), entry.detail
        )
        painter.setFont(theme.font())
        painter.setPen(theme.colour("text"))
        room = area.width() - keys - detail - theme.px(32)
        words = painter.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(area, _flags("left"), words)


def _flags(side: str) -> int:
    flag = Qt.AlignmentFlag.AlignRight if side == "right" else Qt.AlignmentFlag.AlignLeft
    return int((flag | Qt.AlignmentFlag.AlignVCenter).value)


class Palette(QFrame):
    """A field and a list over the window; Return runs what is chosen, Escape closes.

    Signals:
        search_requested: Evaluations are wanted for this text; answer with `show_hits`.
        evaluation_chosen: The evaluation with this key is to be opened.
        closed: The palette went away; focus goes back to where it was.
    """

    search_requested = Signal(str)
    evaluation_chosen = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make the palette, hidden."""
        super().__init__(parent)
        self._theme = theme
        self.setProperty("kind", "card")
        self.setAccessibleName("Commands and search")
        self._actions: list[tuple[Command, QAction]] = []
        self._hits: tuple[Hit, ...] = ()
        self._back: QWidget | None = None
        self._searching = False
        self._can_search = False
        self.field = pieces.named(
            QLineEdit(placeholderText="A command, an id, or words of a response"),
            "Search or run a command",
        )
        self.field.textChanged.connect(self._change)
        self.field.installEventFilter(self)
        self.list = pieces.named(QListWidget(), "Found commands and evaluations")
        self.list.setItemDelegate(_EntryDelegate(theme, self))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.itemClicked.connect(lambda _: self.run_chosen())
        self._foot = pieces.text("Return runs, Escape closes", "small")
        layouts.column(
            self.field, (self.list, 1), self._foot, on=self, margins=(10, 10, 10, 8), gap=6
        )
        self._timer = soon(
            self, lambda: self.search_requested.emit(self.field.text().strip()), SEARCH_DELAY_MS
        )
        self.hide()

    def start(
        self,
        actions: Sequence[tuple[Command, QAction]],
        back: QWidget | None,
        *,
        can_search: bool = True,
    ) -> None:
        """Open over the window with these commands; focus goes to `back` on closing.

        `can_search` tells whether there are evaluations to search.
        """
        self._can_search = can_search
        self._searching = False
        self._actions = [(c, a) for c, a in actions if c.listed]
        self._back = back
        self._hits = ()
        self.field.clear()
        self._fill()
        self.show()
        self.raise_()
        self.field.setFocus()

    def show_hits(self, query: str, hits: Sequence[Hit]) -> None:
        """Show the evaluations found for a text, unless another was typed meanwhile."""
        if query == self.field.text().strip() and self.isVisible():
            self._hits = tuple(hits)
            self._searching = False
            self._fill()

    def run_chosen(self) -> None:
        """Close and run the chosen entry."""
        item = self.list.currentItem()
        if item is not None:
            entry = item.data(_ENTRY)
            self.close_palette()
            entry.run()

    def close_palette(self) -> None:
        """Close and give the focus back."""
        self._timer.stop()
        self.hide()
        if self._back is not None:
            self._back.setFocus()
        self.closed.emit()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrows move through the list while the field keeps the focus."""
        if watched is self.field and isinstance(event, QKeyEvent):
            return event.type() == QEvent.Type.KeyPress and self._take_key(event.key())
        return super().eventFilter(watched, event)

    def _take_key(self, key: int) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8}
        steps[Qt.Key.Key_PageUp] = -8
        if key == Qt.Key.Key_Escape:
            self.close_palette()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_chosen()
        elif key in steps:
            row = self.list.currentRow() + steps[Qt.Key(key)]
            self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
        else:
            return False
        return True

    def _change(self, words: str) -> None:
        self._hits = ()
        self._searching = self._can_search and len(words.strip()) >= 2
        self._fill()
        if self._searching:
            self._timer.start()
        else:
            self._timer.stop()

    def _fill(self) -> None:
        self.list.clear()
        for entry in [*self._found_commands(), *(self._hit_entry(x) for x in self._hits)][:SHOWN]:
            item = QListWidgetItem(entry.title)
            item.setData(_ENTRY, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.title} {entry.keys}".strip())
            self.list.addItem(item)
        self.list.setCurrentRow(0 if self.list.count() else -1)
        parent = self.window()
        width = min(self._theme.px(WIDTH), parent.width() - 40)
        height = self._theme.px(min(max(self.list.count(), 2), LINES) * LINE) + self._theme.px(98)
        height = min(height, parent.height() - 100)
        self.setGeometry((parent.width() - width) // 2, self._theme.px(52), width, height)
        none = not self.list.count() and bool(self.field.text())
        words = "Nothing found" if none else "Return runs, Escape closes"
        self._foot.setText("Searching…" if self._searching else words)

    def _found_commands(self) -> list[_Entry]:
        query = self.field.text()
        ranked = [
            (_rank_of(command, query), place, command, action)
            for place, (command, action) in enumerate(self._actions)
            if action.isEnabled()
        ]
        found = [(r if query else 0.0, -place, c, a) for r, place, c, a in ranked if r is not None]
        found.sort(key=lambda entry: entry[:2], reverse=True)
        return [_Entry(c.title, _place_of(c), _keys(c), a.trigger) for _, _, c, a in found]

    def _hit_entry(self, hit: Hit) -> _Entry:
        return _Entry(hit.title, hit.detail, "", lambda: self.evaluation_chosen.emit(hit.key))


def _place_of(command: Command) -> str:
    return "" if command.scope is Scope.WINDOW else str(command.scope)


def _keys(command: Command) -> str:
    if not command.keys:
        return ""
    return QKeySequence(command.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)


def _rank_of(command: Command, query: str) -> float | None:
    """Rank a command by its title; by what is said of it where the title does not answer."""
    found = rank(query, f"{command.title} {command.scope}")
    if found is None and query.casefold().strip() in command.hint.casefold():
        found = -1.0
    return found


def rank(query: str, text: str) -> float | None:
    """Say how well a text answers a query; higher is better, None where it does not.

    A text matches when every word of the query occurs, whole or as an abbreviation: its letters in
    their order, within words or at their beginnings.
    """
    words = query.casefold().split()
    target = text.casefold()
    ranks = [_word_rank(word, target) for word in words]
    found = [x for x in ranks if x is not None]
    if len(found) < len(ranks):
        return None
    return sum(found) - len(target) / 1000


def _word_rank(word: str, target: str) -> float | None:
    start = target.find(word)
    if start >= 0:
        return 3.0 * len(word) + (2.0 if start == 0 or not target[start - 1].isalnum() else 0.0)
    if not _abbreviates(word, target):
        return None
    total, position = 0.0, -1
    for letter in word:
        found = target.find(letter, position + 1)
        starts_word = found == 0 or not target[found - 1].isalnum()
        total += 1.0 + (
            0.5 if found == position + 1 or starts_word else -0.05 * (found - position)
        )
        position = found
    return max(total, 0.0)


def _abbreviates(word: str, target: str) -> bool:
    """Tell whether letters follow each other within words, or go on where a word begins."""
    starts = [
        at for at, x in enumerate(target) if x.isalnum() and not target[at - 1 : at].isalnum()
    ]
    ends = {at for at in starts if target[at] == word[0]}
    for letter in word[1:]:
        ends = {
            at
            for at, x in enumerate(target)
            if x == letter
            and any(end < at and (at in starts or target[end:at].isalnum()) for end in ends)
        }
    return bool(ends)
