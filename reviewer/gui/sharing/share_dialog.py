"""Share a project through a database: where, what goes there, and how far it is."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPlainTextEdit, QProgressBar, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.asking import Asking
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog, ProjectSurroundings
from reviewer.services.sharing import door, foretelling, taking_part
from reviewer.services.sharing import link as links
from reviewer.services.sharing.foretelling import Foretold
from reviewer.services.sharing.syncing import Synced

SHARE, COUNT = "hub-share", "hub-count"
ADDRESS = "postgresql://host/database"
HELP = (
    "A PostgreSQL database that your company already has joins the files of several people. The "
    "project stays a file that works alone, and nobody waits for the network."
)
COUNTING = "Counting what would go there…"
AT_WORK = "Connecting…"
HALF = (
    "Stopped. What has arrived there stays, and the rest follows with the next sending; leave the "
    "hub if it is not to be shared."
)


class ShareDialog(ProjectDialog):
    """Asks for an address; nothing is sent before the button is pressed.

    Signals:
        shared: The project is shared now.
        invite_requested: Somebody is to be invited.
    """

    shared = Signal()
    invite_requested = Signal()

    def __init__(self, surroundings: ProjectSurroundings, parent: QWidget) -> None:
        """Make the form and count what would be sent."""
        super().__init__(parent, "Share this project")
        self._surroundings, self._session = surroundings, surroundings.session
        self._theme = surroundings.theme
        self.statements: StatementsDialog | None = None
        self.address = pieces.named(QLineEdit(placeholderText=ADDRESS), "Address of the database")
        self.schema = pieces.named(
            QLineEdit(placeholderText=self._session.project.path.stem), "Name of the project there"
        )
        self.problem = pieces.text("", "alert", wrap=True, name="What is in the way", hidden=True)
        self.contents = pieces.text(COUNTING, wrap=True, name="What would go there")
        self.bar = pieces.named(
            QProgressBar(textVisible=False), "Progress of sharing", hidden=True
        )
        self.bar.setRange(0, 0)
        self.show_button = pieces.Button("Show the statements", self._show_statements)
        self.invite = pieces.Button("Invite…", self._invite)
        self.leave = pieces.Button("Cancel", self._leave)
        self.share = pieces.Button("Share", self._share, kind="primary")
        self._asking = Asking(surroundings.tasks, self, SHARE, self._session)
        pieces.connect(
            (self._asking.began, lambda: self._show_busy(is_busy=True)),
            (self._asking.ended, lambda: self._show_busy(is_busy=False)),
            (self._asking.advanced, self.contents.setText),
            (self.address.textEdited, lambda _: self._say("")),
            (self.schema.textEdited, lambda _: self._say("")),
            (self.address.returnPressed, self._share),
        )
        self.invite.hide()
        self._busy = False
        self._arrange()
        self._begin()

    def _begin(self) -> None:
        self._say(door.missing())
        self.share.setEnabled(not door.missing())
        self._surroundings.tasks.run(
            COUNT,
            beside(self._session, lambda own, _: foretelling.foretell(own)),
            then=self._show_contents,
            failed=self._say,
        )

    def _show_contents(self, found: Foretold) -> None:
        if not self._busy:
            self.contents.setText(found.sentence)

    def _share(self) -> None:
        if not self.share.isEnabled():
            return
        path, schema = self._session.project.path, self.schema.text().strip() or None
        try:
            address = taking_part.place_of(self.address.text(), schema, path)
        except ReviewerError as error:
            self._say(str(error))
            return
        self._say("")
        self.contents.setText(AT_WORK)

        self._asking.ask(
            address,
            taking_part.share,
            then=self._show_shared,
            failed=self._fail,
        )

    def _show_shared(self, done: Synced) -> None:
        if self.is_left:
            return
        where = taking_part.place_in(self._session.project).text
        told = " ".join(one_line(x, 300) for x in done.told)
        self.contents.setText(f"Shared at {where}. {done.sentence} {told}".rstrip())
        self.leave.setText("Close")
        pieces.show(self.share, self.show_button, shown=False)
        pieces.enable(self.address, self.schema, able=False)
        self.invite.show()
        self.invite.setFocus()
        self.shared.emit()

    def _fail(self, sentence: str) -> None:
        if self.is_left:
            return
        half = links.is_shared(self._session.project)
        self._say(HALF if half else sentence)
        self._begin_again(half=half)

    def _begin_again(self, *, half: bool) -> None:
        if half:
            self.share.hide()
            self.leave.setText("Close")
            self.contents.setText("")
            self.shared.emit()
        else:
            self._surroundings.tasks.run(
                COUNT,
                beside(self._session, lambda own, _: foretelling.foretell(own)),
                then=self._show_contents,
            )
            self.address.setFocus()
            self.address.selectAll()

    def _leave(self) -> None:
        if self._busy:
            self._asking.stop()
        else:
            self.close()

    def _invite(self) -> None:
        self.close()
        self.invite_requested.emit()

    def _show_statements(self) -> None:
        schema = self.schema.text().strip() or None
        text = self.address.text().strip() or ADDRESS
        try:
            made = taking_part.statements(text, schema, self._session.project.path)
        except ReviewerError as error:
            self._say(str(error))
            return
        self._say("")
        self.statements = StatementsDialog(made, self)
        self.statements.show()

    def _show_busy(self, *, is_busy: bool) -> None:
        self._busy = is_busy
        self.bar.setVisible(is_busy)
        self.leave.setText("Stop" if is_busy else "Cancel")
        pieces.enable(self.share, self.address, self.schema, self.show_button, able=not is_busy)

    def _say(self, problem: str) -> None:
        pieces.say(self.problem, problem)

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card("Share this project")
        card.body.addWidget(pieces.text(HELP, "muted", wrap=True))
        form = QFormLayout(verticalSpacing=px(8))
        form.addRow("Address", self.address)
        form.addRow("", self.problem)
        form.addRow("", self._asking.button())
        form.addRow("Name there", self.schema)
        layouts.fill(card.body, form, pieces.line(), self.contents, self.bar, 1)
        layouts.column(
            (card, 1),
            layouts.row(self.show_button, 1, self.leave, self.invite, self.share),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        fit(self, px(600), px(380))


class StatementsDialog(ProjectDialog):
    """What would be run in the database, for whoever runs that."""

    def __init__(self, statements: str, parent: QWidget) -> None:
        """Show statements."""
        super().__init__(parent, "What is run in the database")
        self.text = pieces.named(QPlainTextEdit(statements, readOnly=True), "Statements in SQL")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.copy_button = pieces.Button(
            "Copy", lambda: QGuiApplication.clipboard().setText(statements)
        )
        layouts.column(
            (self.text, 1),
            layouts.row(self.copy_button, 1, pieces.Button("Close", self.close, kind="primary")),
            on=self,
            margins=14,
            gap=12,
        )
        fit(self, 760, 560)
