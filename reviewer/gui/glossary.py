"""The glossary: every word of the figures with one sentence, found as one types."""

from PySide6.QtWidgets import QLineEdit, QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.stats.terms import glossary

NOTHING = "No word or sentence has this."


class GlossaryDialog(ProjectDialog):
    """The words one beneath the other; what is typed leaves those that have it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Make the dialog with every word."""
        super().__init__(parent, "Glossary")
        self.search = pieces.named(
            QLineEdit(placeholderText="Word, or a part of what it means", clearButtonEnabled=True),
            "Look for a word",
        )
        self.nothing = pieces.text(NOTHING, "muted", wrap=True)
        self.words: dict[str, QWidget] = {}
        holder = QWidget()
        column = layouts.column(self.nothing, on=holder, margins=0, gap=theme.px(12))
        self._texts = {word: f"{word} {what}".casefold() for word, what in glossary().items()}
        for word, what in glossary().items():
            entry = self.words[word] = QWidget()
            layouts.column(
                pieces.text(word, "strong", wrap=True),
                pieces.text(what, wrap=True),
                on=entry,
                margins=0,
                gap=2,
            )
            column.addWidget(entry)
        column.addStretch(1)
        layouts.column(
            self.search, (pieces.ReadingColumn(holder, "Words"), 1), on=self, margins=14, gap=10
        )
        self.nothing.hide()
        self.search.textChanged.connect(self._narrow)
        fit(self, theme.px(560), theme.px(640))

    def _narrow(self, typed: str) -> None:
        wanted = typed.casefold().split()
        shown = [word for word, text in self._texts.items() if all(x in text for x in wanted)]
        for word, entry in self.words.items():
            entry.setVisible(word in shown)
        self.nothing.setVisible(not shown)
