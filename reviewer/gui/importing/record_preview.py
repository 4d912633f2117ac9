"""The first records of a file as they will look on the Review page."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ReadingColumn
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.conversation import ConversationView
from reviewer.services.transfer.record_preview import Opinion, Preview

LONGEST = 240


class RecordPreview(QWidget):
    """One record at a time: its conversation, and whose values came with it."""

    def __init__(self, theme: Theme) -> None:
        """Make the preview, empty."""
        super().__init__()
        self._previews: tuple[Preview, ...] = ()
        self._at = 0
        self._place = pieces.text("", "small")
        self._id = pieces.ElidedText("", "strong", is_name=True)
        self.conversation = ConversationView(theme)
        content = QWidget()
        self._opinions = layouts.column(on=content, margins=6, gap=2)
        self.earlier = pieces.Button("Previous", lambda: self._go(-1), dense=True)
        self.later = pieces.Button("Next", lambda: self._go(1), dense=True)
        beside = ReadingColumn(content, "Scores and labels")
        layouts.column(
            layouts.row((self._id, 1), self._place, self.earlier, self.later),
            (layouts.row((self.conversation, 3), (beside, 2), gap=10), 1),
            on=self,
            margins=8,
            gap=6,
        )

    def show_previews(self, previews: Sequence[Preview]) -> None:
        """Show other records, from the one that was in view."""
        self._previews = tuple(previews)
        self._at = min(self._at, max(0, len(previews) - 1))
        self._go(0)

    def _go(self, steps: int) -> None:
        if not self._previews:
            return
        self._at = max(0, min(len(self._previews) - 1, self._at + steps))
        preview = self._previews[self._at]
        self._id.setText(one_line(preview.evaluation.id, LONGEST))
        self._place.setText(f"{self._at + 1:,} of the first {len(self._previews):,}")
        self.earlier.setEnabled(self._at > 0)
        self.later.setEnabled(self._at + 1 < len(self._previews))
        self.conversation.show_evaluation(preview.evaluation, (), lambda _: None)
        self._show_opinions(preview.opinions)

    def _show_opinions(self, opinions: Sequence[Opinion]) -> None:
        column = self._opinions
        pieces.clear(column)
        for number, one in enumerate(opinions):
            if number:
                column.addSpacing(pieces.GAP)
            value = "not applicable" if one.value is None else str(one.value)
            role = "human" if one.is_label else "auto"
            words = f"{one.metric}: {value}"
            column.addWidget(pieces.text(one_line(words, LONGEST), "strong", wrap=True))
            column.addWidget(pieces.text(one_line(one.words, LONGEST), role, wrap=True))
            if one.remark:
                column.addWidget(pieces.text(one_line(one.remark, LONGEST), "small", wrap=True))
        if not opinions:
            words = "Neither a score nor a label comes with this record."
            column.addWidget(pieces.text(words, "muted", wrap=True))
        column.addStretch(1)
