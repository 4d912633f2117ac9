"""Invite somebody to a shared project: a line to send, and a password that is kept nowhere."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCompleter, QFormLayout, QLineEdit, QProgressBar, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.asking import Asking
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog, ProjectSurroundings
from reviewer.services.sharing import taking_part
from reviewer.services.sharing.taking_part import Invited

INVITE = "hub-invite"
ROLES = (("labeler", "labeler: gets what is in their queues"), ("lead", "lead: gets everything"))
HELP = (
    "Whoever is invited gets a role of the database. Send them the line; the password, where one "
    "was made, on another way."
)
ONCE = "Shown this once and kept nowhere. Who loses it asks whoever runs the database for another."
HAD = "The database had this role already: they go in as they always do."


class InviteDialog(ProjectDialog):
    """A form, and below it what is to be handed over.

    Signals:
        invited: Somebody was invited, by name.
    """

    invited = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings, parent: QWidget) -> None:
        """Make the form."""
        super().__init__(parent, "Invite")
        self._session, self._theme = surroundings.session, surroundings.theme
        self.name = pieces.named(QLineEdit(placeholderText="as in queues and figures"), "Name")
        names = [person.name for person in self._session.labelers()]
        self.name.setCompleter(QCompleter(names, self))
        self.role = choice("Role", ROLES)
        self.account = pieces.named(
            QLineEdit(placeholderText="made from the name where there is none"), "Database role"
        )
        self.problem = pieces.text("", "alert", wrap=True, name="What is in the way", hidden=True)
        self.bar = pieces.named(
            QProgressBar(textVisible=False), "Progress of the invitation", hidden=True
        )
        self.bar.setRange(0, 0)
        self.given = pieces.Card("To hand over")
        self.line = _shown("Line to send")
        self.password = _shown("Password")
        self.copy_line = _copying(self.line, "Copy the line")
        self.copy_password = _copying(self.password, "Copy the password")
        self.note = pieces.text("", "small", wrap=True)
        self.invite = pieces.Button("Invite", self._invite, kind="primary")
        self._asking = Asking(surroundings.tasks, self, INVITE, self._session)
        pieces.connect(
            (self._asking.began, lambda: self._show_busy(is_busy=True)),
            (self._asking.ended, lambda: self._show_busy(is_busy=False)),
            (self.name.returnPressed, self._invite),
            (self.name.textEdited, lambda _: pieces.say(self.problem, "")),
        )
        self._arrange()
        self.given.hide()

    def _invite(self) -> None:
        name, role = self.name.text().strip(), self.role.currentData()
        account = self.account.text().strip() or None
        if not name:
            self._fail("A name is needed.")
            return
        pieces.say(self.problem, "")
        self.given.hide()
        try:
            place = taking_part.place_in(self._session.project)
        except ReviewerError as error:
            self._fail(str(error))
            return

        self._asking.ask(
            place,
            lambda own, hub, _: taking_part.invite(own, hub, name, role=role, account=account),
            then=self._show,
            failed=self._fail,
        )

    def _show(self, made: Invited) -> None:
        if self.is_left:
            return
        self.given.title.setText(f"For {one_line(made.name, 60)}, {made.role}")
        self.line.setText(made.line)
        self.line.setCursorPosition(0)
        self.password.setText(made.password or "")
        for widget in (self.password, self.copy_password):
            widget.setVisible(made.password is not None)
        self._form.setRowVisible(1, made.password is not None)
        self.note.setText(HAD if made.password is None else ONCE)
        self.given.show()
        self.name.clear()
        self.account.clear()
        self.copy_line.setFocus()
        self._session.poll()
        self.invited.emit(made.name)

    def _fail(self, sentence: str) -> None:
        if not self.is_left:
            pieces.say(self.problem, sentence)
            self.name.setFocus()
            self.name.selectAll()

    def _show_busy(self, *, is_busy: bool) -> None:
        self.bar.setVisible(is_busy)
        pieces.enable(self.invite, self.name, self.role, self.account, able=not is_busy)

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card("Invite")
        card.body.addWidget(pieces.text(HELP, "muted", wrap=True))
        form = QFormLayout(verticalSpacing=px(8))
        form.addRow("Name", self.name)
        form.addRow("", self.problem)
        form.addRow("", self._asking.button())
        form.addRow("Role", self.role)
        form.addRow("Database role", self.account)
        layouts.fill(card.body, form, self.bar)
        self._form = QFormLayout(verticalSpacing=px(8))
        self._form.addRow("Line", layouts.row((self.line, 1), self.copy_line))
        self._form.addRow("Password", layouts.row((self.password, 1), self.copy_password))
        layouts.fill(self.given.body, self._form, self.note)
        layouts.column(
            card,
            self.given,
            1,
            layouts.row(1, pieces.Button("Close", self.close), self.invite),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        fit(self, px(600), px(440))


def _shown(name: str) -> QLineEdit:
    return pieces.named(QLineEdit(readOnly=True), name)


def _copying(field: QLineEdit, name: str) -> pieces.Button:
    return pieces.Button(
        "Copy", lambda: QGuiApplication.clipboard().setText(field.text()), name=name
    )
