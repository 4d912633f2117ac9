"""How the cases of a test set are spread, and the index of their tags."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.count_bars import CountBars
from reviewer.services.testing.cases import NO_CATEGORY, Spread

BARS, TAGS = 10, 21


class SpreadCard(pieces.Card):
    """Bars by complexity and category, and every tag with its count.

    Signals:
        filter_requested: The cases are to be narrowed, by a filter as one would type it.
    """

    filter_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card without cases."""
        super().__init__("Spread")
        self._spread = Spread(cases=0, complexity={}, category={}, tags={})
        self._whole = False
        self.hint = pieces.text("click to see the cases", "small")
        self.head.addWidget(self.hint)
        self.complexity = CountBars(theme, "Complexity")
        self.category = CountBars(theme, "Category")
        row = QHBoxLayout()
        row.setSpacing(theme.px(18))
        for title, bars in (("complexity", self.complexity), ("category", self.category)):
            column = QVBoxLayout()
            column.setSpacing(2)
            column.addWidget(pieces.text(title, "small"))
            column.addWidget(bars)
            column.addStretch(1)
            row.addLayout(column, 1)
        self.body.addLayout(row)
        self.tags_title = pieces.text("tags", "small")
        self.tags = QWidget()
        self.tags.setAccessibleName("Tags")
        self._flow = pieces.FlowLayout(self.tags, spacing=6)
        self.body.addWidget(self.tags_title)
        self.body.addWidget(self.tags)
        self.complexity.chosen.connect(lambda name: self._ask("complexity", name))
        self.category.chosen.connect(self._ask_category)

    def show_spread(self, spread: Spread) -> None:
        """Show how some cases are spread."""
        self.complexity.show_counts(spread.complexity, BARS)
        self.category.show_counts(spread.category, BARS)
        self._spread = spread
        self._show_tags()

    def _show_tags(self) -> None:
        pieces.clear(self._flow)
        spread = self._spread
        most = len(spread.tags) if self._whole else TAGS
        for tag, count in list(spread.tags.items())[:most]:
            button = pieces.Button(
                f"{one_line(tag, 40)} {count:,}", dense=True, name=f"Tag {one_line(tag, 40)}"
            )
            button.clicked.connect(lambda _=False, tag=tag: self.filter_requested.emit(
                f"tag:{quoted(tag)}"))  # fmt: skip
            self._flow.addWidget(button)
        left = len(spread.tags) - most
        if left > 0:
            self._flow.addWidget(pieces.Button(f"{left:,} more", self._show_all, kind="link"))
        for part in (self.tags, self.tags_title):
            part.setVisible(bool(spread.tags))

    def _show_all(self) -> None:
        self._whole = True
        self._show_tags()

    def _ask(self, field: str, name: str) -> None:
        self.filter_requested.emit(f"{field}={quoted(name)}")

    def _ask_category(self, name: str) -> None:
        self._ask("category", "" if name == NO_CATEGORY else name)


def quoted(text: str) -> str:
    """Hold words together in a filter."""
    return f'"{text}"' if " " in text or not text else text
