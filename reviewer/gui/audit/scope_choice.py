"""A choice of the scope: a quiet button that says what is chosen, with a menu to choose from."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy
from typing_extensions import override

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import literal, one_line

NAMED = 2
"""So many chosen names are spelt out; of more, only the number is said."""
LONGEST = 60
LEAST = 72
"""Pixels that the button needs at least."""
ARROW = " ▾"


class ScopeChoice(pieces.Button):
    """One name or, with `several`, any number of them; none stands for `everything`.

    An entry that is `alone` goes with no other.

    Signals:
        picked: Something else was chosen by hand.
    """

    picked = Signal()

    def __init__(
        self,
        name: str,
        everything: str = "",
        *,
        several: bool = False,
        alone: Hashable | None = None,
    ) -> None:
        """Make an empty choice; without `everything` one entry is always chosen."""
        super().__init__("", kind="flat", name=name)
        self._name, self._everything, self._several = name, everything, several
        self._alone = alone
        self._entries: tuple[tuple[Hashable, str], ...] = ()
        self._chosen: tuple[Hashable, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(LEAST)
        self._words = ""
        self.setProperty("side", "leading")
        self.menu_of_choices = _StayingMenu(self) if several else QMenu(self)
        self.menu_of_choices.setProperty("kind", "long")
        self.menu_of_choices.aboutToShow.connect(self._fill)
        self.clicked.connect(self._open)
        self._say()

    @property
    def chosen(self) -> tuple[Hashable, ...]:
        """Give what is chosen, nothing for everything."""
        return self._chosen

    @property
    def names(self) -> tuple[str, ...]:
        """Give what is chosen, of names."""
        return tuple(str(value) for value in self._chosen if value != self._alone)

    @property
    def value(self) -> Hashable | None:
        """Give the one entry that is chosen, None for everything."""
        return self._chosen[0] if self._chosen else None

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Give what can be chosen."""
        return tuple(value for value, _ in self._entries)

    def offer(self, entries: Sequence[tuple[Hashable, str]]) -> None:
        """Offer entries with their titles, quietly; what was chosen stays chosen."""
        self._entries = tuple(entries)
        there = {value for value, _ in entries}
        gone = tuple((x, str(x)) for x in self._chosen if x not in there)
        if gone and (self._everything or not entries):
            # what a scope names is shown also where it is nowhere any more
            self._entries += gone
        elif gone or (not self._chosen and not self._everything):
            self._chosen = tuple(value for value, _ in entries[:1])
        self._say()

    def offer_names(self, names: Sequence[str]) -> None:
        """Offer names that are their own titles."""
        self.offer([(name, one_line(name, LONGEST)) for name in names])

    def call_everything(self, words: str) -> None:
        """Say otherwise what stands where nothing is chosen."""
        self._everything = words
        self._say()

    def choose(self, *values: Hashable) -> None:
        """Choose quietly."""
        self._chosen = values
        self._say()

    def pick(self, *values: Hashable) -> None:
        """Choose as by hand."""
        if values != self._chosen:
            self.choose(*values)
            self.picked.emit()

    def reset(self) -> None:
        """Forget entries and choice."""
        self._entries, self._chosen = (), ()
        self._say()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the words to the room there is."""
        super().resizeEvent(event)
        self._elide()

    def _open(self) -> None:
        self.menu_of_choices.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _fill(self) -> None:
        self.menu_of_choices.clear()
        if self._everything:
            self._add(self._everything, not self._chosen).triggered.connect(lambda *_: self.pick())
        for value, title in self._entries:
            action = self._add(title, value in self._chosen)
            action.triggered.connect(lambda *_, value=value: self._press(value))

    def _add(self, title: str, checked: bool) -> QAction:  # noqa: FBT001 - a state, not a mode
        action = self.menu_of_choices.addAction(literal(title))
        action.setCheckable(True)
        action.setChecked(checked)
        return action

    def _press(self, value: Hashable) -> None:
        if not self._several or (value == self._alone and value not in self._chosen):
            self.pick(value)
        elif value in self._chosen:
            self.pick(*(x for x in self._chosen if x != value))
        else:
            there = [x for x, _ in self._entries]
            kept = (x for x in self._chosen if x != self._alone)
            self.pick(*sorted((*kept, value), key=there.index))
        named = self.menu_of_choices.actions()[-len(self._entries) :]
        for action, (name, _) in zip(named, self._entries, strict=True):
            action.setChecked(name in self._chosen)
        if self._everything:
            self.menu_of_choices.actions()[0].setChecked(not self._chosen)

    def _say(self) -> None:
        titles = dict(self._entries)
        named = [titles.get(value, str(value)) for value in self._chosen]
        words = ", ".join(named) if len(named) <= NAMED else f"{len(named)} chosen"
        self._words = words or self._everything or "—"
        self.setToolTip("\n".join(named))
        self.setAccessibleName(f"{self._name}: {self._words}")
        self._elide()

    def _elide(self) -> None:
        width = self.fontMetrics().horizontalAdvance
        # what frame and padding take, which grow with the text
        edges = self.sizeHint().width() - width(self.text())
        room = max(self.width() - edges - width(ARROW) - 1, LEAST // 2)
        fitting = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)
        self.setText(f"{fitting}{ARROW}")


class _StayingMenu(QMenu):
    """A menu that stays open while entries are ticked."""

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tick instead of closing."""
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isEnabled():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tick with Space; Return ticks and closes."""
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None:
            action.trigger()
        else:
            super().keyPressEvent(event)
