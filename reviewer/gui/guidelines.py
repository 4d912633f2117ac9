"""The project's guidelines: read before the first task and one key away, written by leads."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QTextEdit, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.gui.review.turn_text import SealedDocument, set_markdown
from reviewer.gui.window import MainWindow
from reviewer.services.project import guidelines
from reviewer.services.project.session import Session, may_lead

NONE_YET = (
    "No guidelines are written yet. What labelers should keep to in this project stands here: "
    "what counts, what does not, and what to do in doubt."
)
HINT = (
    "In Markdown. Everybody is shown the text before their next task, and finds it with G; work "
    "packages take it along."
)


class GuidelinesDialog(ProjectDialog):
    """The text as it is read, and for leads as it is written.

    Signals:
        failed: It could not be kept, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        """Show a project's guidelines."""
        super().__init__(parent, "Guidelines")
        self._theme = theme
        self._session = session
        self.text = pieces.named(QTextEdit(readOnly=True), "Guidelines")
        self.text.setFrameShape(QTextEdit.Shape.NoFrame)
        self.field = pieces.named(QPlainTextEdit(tabChangesFocus=True), "Guidelines in Markdown")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.text)
        writing = QWidget()
        layouts.column(
            pieces.text(HINT, "muted", wrap=True),
            (self.field, 1),
            on=writing,
            margins=0,
            gap=theme.px(8),
        )
        self._pages.addWidget(writing)
        self.write = pieces.Button("Write…", self._write)
        self.keep = pieces.Button("Keep", self._keep, kind="primary")
        self.drop = pieces.Button("Drop changes", self._show)
        self.leave = pieces.Button("Close", self.close, kind="primary")
        layouts.column(
            (self._pages, 1),
            layouts.row(self.write, 1, self.drop, self.keep, self.leave),
            on=self,
            margins=theme.px(14),
            gap=theme.px(12),
        )
        fit(self, theme.px(680), theme.px(560))
        self._show()
        self.leave.setFocus()

    @override
    def reject(self) -> None:
        """Go back from writing by Escape, and close by Escape while reading."""
        if self._pages.currentIndex():
            self._show()
        else:
            super().reject()

    def _show(self) -> None:
        words = guidelines.guidelines(self._session)
        document = SealedDocument(lambda _: None, self.text)
        document.setDefaultFont(self.text.font())
        set_markdown(document, words or NONE_YET, self._theme)
        self.text.setDocument(document)
        self._turn(writing=False)
        with telling(self.failed.emit):
            guidelines.note_read(self._session)

    def _write(self) -> None:
        self.field.setPlainText(guidelines.guidelines(self._session))
        self._turn(writing=True)
        self.field.setFocus()

    def _turn(self, *, writing: bool) -> None:
        self._pages.setCurrentIndex(int(writing))
        pieces.show(self.keep, self.drop, shown=writing)
        self.leave.setVisible(not writing)
        able = may_lead(self._session) and not self._session.project.read_only
        self.write.setVisible(able and not writing)

    def _keep(self) -> None:
        with telling(self.failed.emit):
            guidelines.write(self._session, self.field.toPlainText())
            self._show()


class GuidelinesKeeper(QObject):
    """Shows the guidelines when they are asked for, and before somebody's first task.

    Attributes:
        dialog: The one that was opened last, None before the first.
    """

    def __init__(self, window: MainWindow) -> None:
        """Follow the window's projects."""
        super().__init__(window)
        self._window = window
        self.dialog: GuidelinesDialog | None = None
        window.session_opened.connect(self._begin)

    def open(self) -> None:
        """Show them."""
        session = self._window.session
        if session is not None:
            made = GuidelinesDialog(self._window.surroundings.theme, session, self._window)
            made.failed.connect(self._window.notices.error)
            self.dialog = made
            made.show()

    def _begin(self, session: Session) -> None:
        if guidelines.is_to_be_read(session):
            self.open()
