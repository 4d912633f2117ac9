"""Join a shared project: the line that was sent, and the file that is made of it."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLineEdit, QProgressBar, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.asking import Asking
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.gui.places import folder_of_files
from reviewer.services.sharing import door, taking_part

JOIN = "hub-join"
LINE = "reviewer join postgresql://anna@host/database/project"
HELP = (
    "Paste the line that you were sent. You get a file of your own with what is in your queues; "
    "it works without a line, too, and what you answer is sent by itself."
)
HALF = "A part of it is in {name} already: open that file, and the rest comes by itself."
FILES = "Projects (*.review);;All files (*)"


class JoinDialog(ProjectDialog):
    """Asks for the line and the file.

    Signals:
        joined: The project is in a file, by its path.
    """

    joined = Signal(object)

    def __init__(self, surroundings: Surroundings, parent: QWidget) -> None:
        """Make the form."""
        super().__init__(parent, "Join a shared project")
        self._theme = surroundings.theme
        recents = surroundings.settings.recent_projects
        self._folder = folder_of_files(*(x.path.parent for x in recents))
        self._chosen = False
        self.line = pieces.named(QLineEdit(placeholderText=LINE), "Line that you were sent")
        self.problem = pieces.text("", "alert", wrap=True, name="What is in the way", hidden=True)
        self.file = pieces.named(QLineEdit(), "File of your own")
        self.browse = pieces.Button("Choose…", self._choose, name="Choose the file")
        self.progress = pieces.text("", wrap=True, name="How far it is")
        self.bar = pieces.named(
            QProgressBar(textVisible=False), "Progress of joining", hidden=True
        )
        self.bar.setRange(0, 0)
        self.leave = pieces.Button("Cancel", self._leave)
        self.join = pieces.Button("Join", self._join, kind="primary")
        self._asking = Asking(surroundings.tasks, self, JOIN)
        self._busy = False
        pieces.connect(
            (self._asking.began, lambda: self._show_busy(is_busy=True)),
            (self._asking.ended, lambda: self._show_busy(is_busy=False)),
            (self._asking.advanced, self.progress.setText),
            (self.line.textChanged, self._take_line),
            (self.line.returnPressed, self._join),
            (self.file.textEdited, self._keep_file),
        )
        self._arrange()
        pieces.say(self.problem, door.missing())
        self.join.setEnabled(not door.missing())

    def _take_line(self, text: str) -> None:
        """Name the file as the project is named there, until somebody names it."""
        pieces.say(self.problem, "")
        try:
            place = taking_part.invited_to(text)
        except ReviewerError:
            return
        if not self._chosen:
            self.file.setText(str(self._folder / taking_part.default_path(place)))

    def _keep_file(self, _: str) -> None:
        self._chosen = True

    def _choose(self) -> None:
        dialog = QFileDialog(
            self,
            "File of the project",
            str(self._folder),
            FILES,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix="review",
        )
        # a file that is there may be the same project, and no other takes its place
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        if self.file.text():
            dialog.selectFile(self.file.text())
        dialog.fileSelected.connect(self._take_file)
        dialog.open()

    def _take_file(self, name: str) -> None:
        self._chosen = True
        self.file.setText(name)

    def _join(self) -> None:
        if not self.join.isEnabled():
            return
        try:
            place = taking_part.invited_to(self.line.text())
        except ReviewerError as error:
            self._refuse(str(error))
            return
        pieces.say(self.problem, "")
        path = Path(self.file.text().strip() or self._folder / taking_part.default_path(place))

        was_there = path.exists()
        self._asking.ask(
            place,
            lambda _, hub, progress: taking_part.join(hub, path, progress),
            then=lambda _: self._take(path),
            failed=lambda sentence: self._fail(sentence, path, half=not was_there),
        )

    def _take(self, path: Path) -> None:
        if not self.is_left:
            self.close()
            self.joined.emit(path)

    def _fail(self, sentence: str, path: Path, *, half: bool) -> None:
        if not self.is_left:
            self.progress.setText("")
            more = HALF.format(name=path.name) if half and path.exists() else ""
            self._refuse(f"{sentence} {more}".strip())

    def _refuse(self, sentence: str) -> None:
        """Say what is in the way, with the keys in the line again."""
        pieces.say(self.problem, sentence)
        self.line.setFocus()
        self.line.selectAll()

    def _leave(self) -> None:
        if self._busy:
            self._asking.stop()
        else:
            self.close()

    def _show_busy(self, *, is_busy: bool) -> None:
        self._busy = is_busy
        self.bar.setVisible(is_busy)
        self.leave.setText("Stop" if is_busy else "Cancel")
        if is_busy:
            self.progress.setText("Connecting…")
        pieces.enable(self.join, self.line, self.file, self.browse, able=not is_busy)

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card("Join a shared project")
        card.body.addWidget(pieces.text(HELP, "muted", wrap=True))
        form = QFormLayout(verticalSpacing=px(8))
        form.addRow("Line", self.line)
        form.addRow("", self.problem)
        form.addRow("", self._asking.button())
        form.addRow("File", layouts.row((self.file, 1), self.browse))
        layouts.fill(card.body, form, self.bar, self.progress, 1)
        layouts.column(
            (card, 1), layouts.row(1, self.leave, self.join), on=self, margins=px(14), gap=px(12)
        )
        fit(self, px(620), px(320))
