"""What stands below a conversation: highlights, questions and causes, and what a bot matched."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QHBoxLayout

from reviewer.domain.evaluation import Evaluation
from reviewer.domain.label import CAUSE_TITLES, Mark
from reviewer.domain.values import JsonValue
from reviewer.gui.kit.pieces import Card, pill, text
from reviewer.gui.kit.text import one_line, visible

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


def match_card(evaluation: Evaluation) -> Card | None:
    """Show which row of its question list a bot took the response from, None where it took none.

    That is about the bot under review and tells nothing of a score.
    """
    meta = evaluation.rest.get("meta")
    found = meta.get("matched") if isinstance(meta, dict) else None
    if not isinstance(found, dict):
        return None
    row, likeness = found.get("row"), found.get("similarity")
    card = Card(f"Matched row {row}" if row is not None else "No row matched")
    question = found.get("question")
    if isinstance(question, str) and question:
        card.body.addWidget(
            text(f"“{one_line(question, 300)}”", wrap=True, name="Matched question")
        )
    facts = [f"similarity {likeness:.2f}"] if isinstance(likeness, int | float) else []
    facts.append(_shared(found.get("shared")))
    card.body.addWidget(text(" · ".join(facts), "muted", wrap=True, name="How alike"))
    return card


def _shared(words: JsonValue) -> str:
    said = (
        [visible(x).text for x in words if isinstance(x, str)] if isinstance(words, list) else []
    )
    return f"shared words: {', '.join(said)}" if said else "no shared words"
