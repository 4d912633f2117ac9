"""What a lead does to a case: the levels to decide on, the causes, the note, sending back."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from reviewer.domain.rubric import Metric
from reviewer.domain.values import Value
from reviewer.gui.actions import COMMANDS
from reviewer.gui.any_value import has_more
from reviewer.gui.audit.cause_bar import SHORT
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import number, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.deciding.cases import DisputedCase
from reviewer.services.deciding.causes import CAUSES, TITLES, Cause

MOST_WORDS = 24
"""Longer names of categories are shortened on their buttons."""
OTHER = "Other…"


class DecideRow(QWidget):
    """The buttons; each has its key.

    Signals:
        decided: The value at a place of the scale, counted from the lowest.
        cause_chosen: A cause is to be recorded, or taken back where it stands.
        wished: Another act by its name: `value`, `edit_note`, `note`, `ask` and the like.
    """

    decided = Signal(int)
    cause_chosen = Signal(str)
    wished = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the row without levels."""
        super().__init__()
        self._theme = theme
        self.levels: list[pieces.Button] = []
        self._metric: Metric | None = None
        self._beyond: Value | None = None
        self._levels = pieces.FlowLayout(spacing=theme.px(5))
        self.causes: dict[Cause, pieces.Button] = {}
        self.note = QLineEdit()
        self.note.setPlaceholderText("Note for the decision or the cause (C), kept with Return")
        self.note.setAccessibleName("Note for the decision or the cause")
        self.note.hide()
        self.write = _act("Note…", "note", self, wish="edit_note")
        self.note.returnPressed.connect(lambda: self.wished.emit("note"))
        self.other = _act(OTHER, "value", self)
        self.other.setCheckable(True)
        # a click checks it, whatever comes of the question
        self.other.clicked.connect(lambda *_: self._mark_other())
        self.ask = _act("Send back…", "ask", self)
        self.take_back = _act("Take back", "withdraw", self)
        self._arrange()

    @property
    def words(self) -> str:
        """Give the note as it stands in the field."""
        return self.note.text().strip()

    def show_case(self, found: DisputedCase) -> None:
        """Show what is decided and why; where nothing may be decided, nothing can be pressed."""
        self._show_levels(found.metric)
        decided = found.decisions[0].value if found.decisions else None
        for button, value in zip(self.levels, found.metric.key_values, strict=False):
            button.setChecked(decided is not None and value == decided)
        self._beyond = None if decided in found.metric.key_values else decided
        self._mark_other()
        for cause, one in self.causes.items():
            one.setChecked(found.cause is not None and found.cause.cause == cause)
        note = found.cause.note if found.cause else ""
        if not note and found.mine is not None:
            note = found.mine.comment or ""
        self.note.setText(note)
        self.note.setVisible(bool(note) or self.note.hasFocus())
        self.take_back.setVisible(found.mine is not None)
        self.setEnabled(found.may_decide)
        self.setToolTip("" if found.may_decide else "Only a lead decides in this project.")

    def edit_note(self) -> None:
        """Put the cursor into the note."""
        self.note.show()
        self.note.setFocus()
        self.note.selectAll()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self._theme.px(6))
        column.addWidget(pieces.line())
        column.addLayout(self._levels)
        for cause in CAUSES:
            command = COMMANDS[f"audit.{cause}"]
            button = pieces.Button(
                SHORT[cause], partial(self.cause_chosen.emit, cause),
                dense=True, name=command.title,
            )  # fmt: skip
            button.setCheckable(True)
            button.setToolTip(f"{TITLES[cause].capitalize()}   [{command.keys_text}]")
            self.causes[cause] = button
        column.addWidget(self.note)
        leave = QShortcut(QKeySequence("Escape"), self.note)
        leave.setContext(Qt.ShortcutContext.WidgetShortcut)
        leave.activated.connect(self._leave_note)

    def _leave_note(self) -> None:
        self.wished.emit("leave")
        self.note.setVisible(bool(self.words))

    def _mark_other(self) -> None:
        """Show a decided value that has no button of its own."""
        beyond = self._beyond
        words = OTHER if beyond is None else f"Other: {one_line(number(beyond), MOST_WORDS)}…"
        self.other.setText(words)
        self.other.setChecked(beyond is not None)

    def _show_levels(self, metric: Metric) -> None:
        if metric == self._metric:
            return
        self._metric = metric
        others = (self.other, self.ask, self.take_back, *self.causes.values(), self.write)
        for part in others:
            self._levels.removeWidget(part)
        pieces.clear(self._levels)
        heading = pieces.text("Decide", "small")
        self._levels.addWidget(heading)
        titles = {level.value: level.title or "" for level in metric.levels}
        self.levels = []
        for place, value in enumerate(metric.key_values):
            words, title = number(value), titles.get(value, "")
            shown = words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 1] + "…"
            button = pieces.Button(
                shown, partial(self.decided.emit, place), dense=True,
                name=f"Decide {words} {title}".strip(),
            )  # fmt: skip
            button.setCheckable(True)
            button.setToolTip(f"{words} {title}".strip() + f"   [{(place + 1) % 10}]")
            self.levels.append(button)
            self._levels.addWidget(button)
        for part in others:
            self._levels.addWidget(part)
        # a button without a parent would become a window of its own
        self.other.setVisible(has_more(metric))


def _act(words: str, name: str, row: DecideRow, wish: str = "") -> pieces.Button:
    command = COMMANDS[f"audit.{name}"]
    button = pieces.Button(
        words, lambda: row.wished.emit(wish or name), dense=True, name=command.title.rstrip("…")
    )
    button.setToolTip(f"{command.title.rstrip('…')}   [{command.keys_text}]")
    return button
