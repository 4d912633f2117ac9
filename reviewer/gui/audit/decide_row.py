"""What a lead can do about the chosen case: decide, name the cause, note it, ask."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QWidget

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import score_words
from reviewer.gui.actions import COMMANDS
from reviewer.gui.any_value import has_more
from reviewer.gui.audit.cause_bar import SHORT
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.adjudicating.cases import DisputedCase
from reviewer.services.adjudicating.decisions import CAUSES, TITLES, Cause

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
        self._about = (0, "")
        self._kept = ""
        self._drafts: dict[tuple[int, str], str] = {}
        self._levels = layouts.FlowLayout(spacing=theme.px(5))
        self.causes: dict[Cause, pieces.Button] = {}
        self.note = pieces.named(
            QLineEdit(placeholderText="Note for the decision or the cause (C), kept with Return"),
            "Note for the decision or the cause",
            hidden=True,
        )
        self.write = _act("Note…", "note", self, wish="edit_note")
        self.note.returnPressed.connect(lambda: self.wished.emit("note"))
        self.other = _act(OTHER, "value", self)
        self.other.setCheckable(True)
        # a click checks it, whatever comes of the question
        self.other.clicked.connect(lambda *_: self._mark_other())
        self.ask = _act("Send back…", "ask", self)
        self.take_back = _act("Take back", "withdraw", self)
        self.take_question_back = _act("Take question back", "withdraw_question", self)
        column = layouts.column(
            pieces.line(), self._levels, on=self, margins=0, gap=self._theme.px(6)
        )
        for cause in CAUSES:
            command = COMMANDS[f"audit.{cause}"]
            button = pieces.named(pieces.Button(
                SHORT[cause], partial(self.cause_chosen.emit, cause),
                dense=True, name=command.title,
            ), tip=f"{TITLES[cause].capitalize()}   [{command.keys_text}]")  # fmt: skip
            button.setCheckable(True)
            self.causes[cause] = button
        column.addWidget(self.note)
        leave = QShortcut(QKeySequence("Escape"), self.note)
        leave.setContext(Qt.ShortcutContext.WidgetShortcut)
        leave.activated.connect(self._leave_note)

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
        about = (found.key, found.metric.name)
        if about != self._about and self.words != self._kept:
            # what was written and not kept stands here again with its response
            self._drafts[self._about] = self.words
        self._about, self._kept = about, note
        note = self._drafts.pop(about, note)
        self.note.setText(note)
        self.note.setVisible(bool(note) or self.note.hasFocus())
        self.take_back.setVisible(found.mine is not None)
        self.take_question_back.setVisible(found.asks)
        self.setEnabled(found.may_decide)
        self.setToolTip("" if found.may_decide else "Only a lead decides in this project.")

    def edit_note(self) -> None:
        """Put the cursor into the note."""
        self.note.show()
        self.note.setFocus()
        self.note.selectAll()

    def _leave_note(self) -> None:
        self.wished.emit("leave")
        self.note.setVisible(bool(self.words))

    def _mark_other(self) -> None:
        """Show a decided value that has no button of its own."""
        beyond = self._beyond
        self.other.setText(
            OTHER if beyond is None else f"Other: {one_line(score_words(beyond), MOST_WORDS)}…"
        )
        self.other.setChecked(beyond is not None)

    def _show_levels(self, metric: Metric) -> None:
        if metric == self._metric:
            return
        self._metric = metric
        others = (
            self.other, self.ask, self.take_question_back, self.take_back,
            *self.causes.values(), self.write,
        )  # fmt: skip
        for part in others:
            self._levels.removeWidget(part)
        pieces.clear(self._levels)
        self._levels.addWidget(pieces.text("Decide", "small"))
        titles = {level.value: level.title or "" for level in metric.levels}
        self.levels = []
        for place, value in enumerate(metric.key_values):
            words, title = score_words(value), titles.get(value, "")
            shown = words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 1] + "…"
            button = pieces.named(pieces.Button(
                shown, partial(self.decided.emit, place), dense=True,
                name=f"Decide {metric.heading} {words} {title}".strip(),
            ), tip=f"{words} {title}".strip() + f"   [{(place + 1) % 10}]")  # fmt: skip
            button.setProperty("told", "level")
            button.setCheckable(True)
            self.levels.append(button)
            self._levels.addWidget(button)
        layouts.fill(self._levels, *others)
        # a button without a parent would become a window of its own
        self.other.setVisible(has_more(metric))


def _act(words: str, name: str, row: DecideRow, wish: str = "") -> pieces.Button:
    command = COMMANDS[f"audit.{name}"]
    return pieces.named(
        pieces.Button(
            words,
            lambda: row.wished.emit(wish or name),
            dense=True,
            name=command.title.rstrip("…"),
        ),
        tip=f"{command.title.rstrip('…')}   [{command.keys_text}]",
    )
