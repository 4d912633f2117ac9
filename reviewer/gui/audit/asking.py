"""Send a case back: whom to ask, and what."""

from collections.abc import Sequence

from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.project_dialog import ProjectDialog


class AskDialog(ProjectDialog):
    """Asks for a labeler and a question."""

    def __init__(self, people: Sequence[str], what: str, parent: QWidget | None = None) -> None:
        """Offer people, those who labelled the case first; `what` names the case."""
        super().__init__(parent)
        self.setWindowTitle("Send back with a question")
        self.setMinimumWidth(420)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addWidget(pieces.text(what, "strong", wrap=True))
        self.person = QComboBox()
        self.person.setAccessibleName("Whom to ask")
        for name in people:
            self.person.addItem(one_line(name, 60), name)
        column.addWidget(pieces.text("Whom to ask", "small"))
        column.addWidget(self.person)
        self.question = QPlainTextEdit()
        self.question.setAccessibleName("Question")
        self.question.setTabChangesFocus(True)
        self.question.setPlaceholderText("What did you mean by…?")
        column.addWidget(pieces.text("Question", "small"))
        column.addWidget(self.question)
        column.addWidget(
            pieces.text(
                "They find it on Review under “Sent back to you”; another label or a comment "
                "answers it.", "small", wrap=True,
            )
        )  # fmt: skip
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self._send = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._send.setText("Send")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.question.textChanged.connect(self._enable)
        self._enable()
        self.question.setFocus()

    @property
    def answer(self) -> tuple[str, str]:
        """Give whom to ask and the question."""
        return str(self.person.currentData()), self.question.toPlainText().strip()

    def _enable(self) -> None:
        self._send.setEnabled(bool(self.answer[1]) and self.person.count() > 0)
