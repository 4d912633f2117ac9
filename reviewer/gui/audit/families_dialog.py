"""The table of model families, to be edited as text."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import pieces
from reviewer.gui.kit.fitting import fit
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits import model_families
from reviewer.services.project.session import Session

HELP = (
    "One line a family: how a word of the model's name begins, an equals sign, the family. The "
    "first line that fits counts; an empty table brings the usual one back."
)
WIDTH, HEIGHT = 420, 520


class FamiliesDialog(QDialog):
    """Shows and keeps the table of a project.

    Signals:
        kept: The table was kept.
    """

    kept = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make the dialog without a project."""
        super().__init__(parent)
        self._session: Session | None = None
        self.setWindowTitle("Model families")
        fit(self, theme.px(WIDTH), theme.px(HEIGHT))
        self.field = QPlainTextEdit()
        self.field.setAccessibleName("Model families")
        self.problem = pieces.text("", "alert", wrap=True)
        self.problem.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(20), theme.px(16), theme.px(20), theme.px(16))
        column.addWidget(pieces.text(HELP, "small", wrap=True))
        column.addWidget(self.field, 1)
        column.addWidget(self.problem)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(pieces.Button("Cancel", self.reject))
        self.keep = pieces.Button("Keep", self._keep, kind="primary")
        row.addWidget(self.keep, 0, Qt.AlignmentFlag.AlignTrailing)
        column.addLayout(row)

    def show_table(self, session: Session) -> None:
        """Show a project's table."""
        self._session = session
        self.problem.hide()
        self.field.setPlainText(model_families.read(session.project).text())
        self.open()

    def _keep(self) -> None:
        if self._session is None:
            return
        try:
            model_families.save(self._session.project, self.field.toPlainText())
        except ReviewerError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.accept()
        self.kept.emit()
