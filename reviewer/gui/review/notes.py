"""Highlights, questions and causes listed below a conversation."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QHBoxLayout

from reviewer.domain.label import CAUSE_TITLES, Mark
from reviewer.gui.pieces import Card, pill, text
from reviewer.gui.text import visible

LISTED = ("highlight", "question", "cause")


def note_card(marks: Sequence[Mark], quote: Callable[[Mark], str]) -> Card | None:
    """Make the list of noted marks, None where there are none; `quote` gives the marked words."""
    noted = [mark for mark in marks if mark.kind in LISTED]
    if not noted:
        return None
    card = Card()
    for mark in noted:
        row = QHBoxLayout()
        row.addWidget(pill(mark.kind.capitalize(), "human"))
        words = f"{quote(mark)}{_said(mark)} · {mark.labeler}"
        row.addWidget(text(visible(words).text, "muted", wrap=True), 1)
        card.body.addLayout(row)
    return card


def _said(mark: Mark) -> str:
    """Say what a mark holds: a cause in words, whom a question goes to, and the note."""
    value = mark.value if isinstance(mark.value, str) else ""
    if mark.kind == "cause":
        value = CAUSE_TITLES.get(value, value)
    elif mark.kind == "question" and value:
        value = f"to {value}"
    return ": ".join(part for part in (value, mark.note) if part) or "no note"
