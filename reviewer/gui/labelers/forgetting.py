"""Forgetting a person or a record for good: asked twice, with the project closed meanwhile."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QMessageBox, QWidget

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import choice, offer_names
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.gui.window import MainWindow, leave_project, led, session_of
from reviewer.services.project.session import Session

HELP = (
    "What is forgotten is overwritten in the file, and nothing brings it back, no undo either. "
    "A person's answers stay under a name that tells nothing, so that no figure changes; their "
    "comments and notes go. A record goes with its texts, scores, labels and marks."
)
NOBODY = "– nobody –"
FORGET = "forget"


class ForgetDialog(ProjectDialog):
    """Names one person or one record.

    Signals:
        person_chosen: Somebody is to be forgotten, by name.
        record_chosen: A record is to be forgotten, by its key.
    """

    person_chosen = Signal(str)
    record_chosen = Signal(int)

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        """Offer the project's people, and a field for a record's id."""
        super().__init__(parent, "Forget for good")
        self._session = session
        px = theme.px
        self.person = choice("Person")
        offer_names(self.person, NOBODY, [one.name for one in session.labelers()])
        self.record = pieces.named(QLineEdit(placeholderText="ID or RUN/ID"), "Record")
        self.problem = pieces.text("", "alert", wrap=True, hidden=True, name="What is in the way")
        self.forget = pieces.Button("Forget…", self._choose, kind="primary")
        card = pieces.Card("Forget for good")
        card.body.addWidget(pieces.text(HELP, "muted", wrap=True))
        form = QFormLayout(verticalSpacing=px(8))
        form.addRow("Person", self.person)
        form.addRow("or record", self.record)
        layouts.fill(card.body, form, self.problem, 1)
        below = layouts.row(1, pieces.Button("Cancel", self.close), self.forget)
        layouts.column((card, 1), below, on=self, margins=px(14), gap=px(12))
        self.resize(px(520), px(320))

    def _choose(self) -> None:
        name, text = self.person.currentData(), self.record.text().strip()
        if bool(name) == bool(text):
            pieces.say(self.problem, "Choose either a person or a record.")
            return
        # the first page does without what a person does once a year
        from reviewer.services.upkeep import forgetting

        try:
            key = forgetting.find(self._session, text) if text else None
        except ReviewerError as error:
            pieces.say(self.problem, str(error))
            return
        question = f"Forget {one_line(text or str(name), 80)} for good? Nothing brings it back."
        if QMessageBox.question(self, "Forget", question) != QMessageBox.StandardButton.Yes:
            return
        self.close()
        if key is None:
            self.person_chosen.emit(str(name))
        else:
            self.record_chosen.emit(key)


class Forgetter(QObject):
    """Closes the project, as whoever reads it keeps its log, forgets, and opens it again.

    Attributes:
        dialog: The dialog that was opened last, None before the first.
    """

    def __init__(self, window: MainWindow) -> None:
        """Wait for the command."""
        super().__init__(window)
        self._window = window
        self.dialog: ForgetDialog | None = None

    def ask(self) -> None:
        """Ask what is to be forgotten."""
        session = led(self._window, "forget people and records")
        if session is None:
            return
        self.dialog = ForgetDialog(self._window.surroundings.theme, session, self._window)
        pieces.connect(
            (self.dialog.person_chosen, lambda name: self._forget(person=name)),
            (self.dialog.record_chosen, lambda key: self._forget(record=key)),
        )
        self.dialog.show()

    def _forget(self, person: str = "", record: int = 0) -> None:
        from reviewer.services.upkeep import forgetting

        path = session_of(self._window).project.path
        if not leave_project(self._window):
            return
        self._window.notices.note(f"Forgetting, in {path.name}…")

        def work(_: Progress) -> str:
            with closing(Session.open(path)) as own:
                found = (
                    forgetting.forget_person(own, person)
                    if person
                    else forgetting.forget_record(own, record)
                )
            held = ", ".join(one.name for one in found.still_in)
            return found.sentence + (f" These backups still hold it: {held}." if held else "")

        self._window.surroundings.tasks.run(
            FORGET,
            work,
            then=lambda said: self._open(path, said, self._window.notices.warn),
            failed=lambda problem: self._open(path, problem, self._window.notices.error),
            loss=f"the forgetting in {path.name}",
        )

    def _open(self, path: Path, said: str, tell: Callable[[str], object]) -> None:
        if self._window.open_project(path):
            tell(said)
