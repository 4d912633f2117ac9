"""Two or more candidate answers side by side."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QWidget

from reviewer.domain.evaluation import Candidate
from reviewer.gui.kit.pieces import Card
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.markdown import Attachment
from reviewer.gui.review.turn_text import TurnText


class Comparison(QWidget):
    """A card a candidate, numbered like the keys that choose it."""

    def __init__(
        self, theme: Theme, candidates: Sequence[Candidate], attachment: Attachment
    ) -> None:
        """Show candidates in their order."""
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        for place, candidate in enumerate(candidates, 1):
            card = Card(f"{place} · {one_line(candidate.id, 40)}")
            body = TurnText(theme, attachment)
            body.setAccessibleName(f"Candidate {candidate.id}")
            body.set_text(answer_of(candidate))
            card.body.addWidget(body)
            card.body.addStretch(1)
            row.addWidget(card, 1)


def answer_of(candidate: Candidate) -> str:
    """Give the text of a candidate: its response, else what the assistant says in its turns."""
    if candidate.response is not None:
        return candidate.response
    return "\n\n".join(t.text for t in candidate.messages if t.role == "assistant")
