"""One question at a time about what names and values of columns do not tell."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QRadioButton
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.text import literal
from reviewer.services.transfer.asking import Question

FEW = 6
"""Answers up to which each has a button of its own."""


class QuestionCard(pieces.Card):
    """The first open question of a file, with its answers and the way back, also at the end.

    Signals:
        answered: An answer was given, as `COLUMN=ANSWER`.
        back_requested: The last answer is to be taken back.
    """

    answered = Signal(str)
    back_requested = Signal()

    def __init__(self) -> None:
        """Make the card, hidden while there is nothing to ask."""
        super().__init__()
        self._count = pieces.text("", "small")
        self._words = pieces.text("", "heading", wrap=True)
        self._room = layouts.column(gap=4)
        self._group: QButtonGroup | None = None
        self._box: ChoiceBox | None = None
        self.back = pieces.Button("Back", self.back_requested.emit, dense=True)
        self.go_on = pieces.Button("Answer", self._answer, kind="primary", dense=True)
        layouts.fill(
            self.body,
            self._count,
            self._words,
            self._room,
            layouts.row(self.back, self.go_on, 1),
        )
        self.hide()

    def ask(self, questions: Sequence[Question], answered: int) -> None:
        """Ask the first of some questions, after so many; then only offer to change the last.

        No answer is chosen beforehand: whoever presses on would have guessed.
        """
        holds_keys = isinstance(self.window().focusWidget(), QAbstractButton | None)
        pieces.clear(self._room)
        self._group = self._box = None
        self.go_on.setEnabled(False)
        self.go_on.setVisible(bool(questions))
        self.back.setVisible(answered > 0)
        pieces.write(self.back, "Back" if questions else "Change the last answer")
        self.setVisible(bool(questions) or answered > 0)
        if not questions:
            self._count.setText("All questions are answered.")
            pieces.say(self._words, "")
            return
        question = questions[0]
        total = answered + len(questions)
        self._count.setText(f"Question {answered + 1:,} of {total:,} before the import")
        pieces.say(self._words, question.text)
        if len(question.choices) > FEW:
            self._offer_box(question)
        else:
            self._offer_buttons(question)
        first = self._box or (self._group.buttons()[0] if self._group else None)
        # who types in the mapping goes on typing
        if holds_keys and first is not None:
            first.setFocus()

    def _offer_box(self, question: Question) -> None:
        self._box = pieces.named(ChoiceBox(), "Answers")
        for choice in question.in_order:
            self._box.addItem(choice.words, choice.text)
        self._box.setPlaceholderText("Choose…")
        self._box.setCurrentIndex(-1)
        self._box.currentIndexChanged.connect(lambda place: self.go_on.setEnabled(place >= 0))
        self._room.addWidget(self._box)

    def _offer_buttons(self, question: Question) -> None:
        self._group = QButtonGroup(self)
        self._group.buttonToggled.connect(lambda: self.go_on.setEnabled(True))
        for choice in question.in_order:
            button = QRadioButton(literal(_sentence(choice.words)))
            button.setProperty("answer", choice.text)
            self._group.addButton(button)
            self._room.addWidget(button)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Return give the answer that is chosen."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.go_on.isEnabled():
            self._answer()
        else:
            super().keyPressEvent(event)

    def choose(self, answer: str) -> None:
        """Choose an answer as if by hand, such as `x_pred=judge`."""
        for button in self._group.buttons() if self._group else ():
            button.setChecked(button.property("answer") == answer)
        if self._box is not None:
            self._box.setCurrentIndex(self._box.findData(answer))

    def _answer(self) -> None:
        checked = self._group.checkedButton() if self._group else None
        given = checked.property("answer") if checked else None
        given = self._box.currentData() if self._box else given
        if given:
            self.answered.emit(given)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
