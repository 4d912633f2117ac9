"""Make a work package: whose part of which queue, blind or not, and what will be in it."""

from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QProgressBar,
    QWidget,
)

from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import choice, offer_names
from reviewer.gui.kit.refreshing import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.services.parcels import packing
from reviewer.services.parcels.packing import Foretold, Packed
from reviewer.services.project.session import Session
from reviewer.services.queues import working

LOOK, MAKE = "package-look", "package-make"
NOTHING = "There is no queue yet. A package is one labeler's part of a queue: make a queue first."
HELP = (
    "A package is a project file for a labeler on another machine. They open it, answer, and send "
    "the file back; it is merged here."
)
SUFFIX = ".review"


class PackDialog(ProjectDialog):
    """A small form with a sentence on what the file will hold."""

    def __init__(
        self, surroundings: Surroundings, session: Session, parent: QWidget, queue: str = ""
    ) -> None:
        """Offer the project's queues, the named one first."""
        super().__init__(parent, "Make a work package")
        self._surroundings, self._theme, self._session = surroundings, surroundings.theme, session
        self._people = {
            one.queue.name: working.people(session, one.queue) for one in working.every(session)
        }
        self._blind = {one.queue.name: one.queue.blind for one in working.every(session)}
        self.queue, self.labeler = choice("Queue"), choice("Labeler")
        offer_names(self.queue, "", list(self._people))
        self.queue.setCurrentIndex(max(self.queue.findData(queue), 0))
        self.blind = QCheckBox("Blind: leave auto scores and reasoning out of the file")
        self.contents = pieces.text("", wrap=True, name="What the package will hold")
        self.problem = pieces.text("", "alert", wrap=True, name="What is in the way", hidden=True)
        self.bar = pieces.named(
            QProgressBar(textVisible=False), "Progress of the package", hidden=True
        )
        self.make = pieces.Button("Choose a file and write…", self._choose_file, kind="primary")
        self.leave = pieces.Button("Cancel", self.close)
        self._soon = soon(self, self._look)
        pieces.connect(
            (self.queue.currentIndexChanged, lambda _: self._take_queue()),
            (self.labeler.currentIndexChanged, lambda _: self._soon.start()),
            (self.blind.toggled, lambda _: self._soon.start()),
        )
        self._arrange()
        self._take_queue()

    def write(self, to: Path) -> None:
        """Write the package beside the window."""
        queue, labeler, blind = self._wanted()
        self._show_busy(is_busy=True)
        self._say("")
        task = self._surroundings.tasks.run(
            MAKE,
            beside(
                self._session,
                lambda own, progress: packing.make(
                    own, to, progress, queue=queue, labeler=labeler, blind=blind
                ),
            ),
            then=self._show_made,
            failed=self._fail,
        )
        task.cancelled.connect(self._stop)

    def _wanted(self) -> tuple[str, str, bool]:
        return (
            str(self.queue.currentData() or ""),
            str(self.labeler.currentData() or ""),
            self.blind.isChecked(),
        )

    def _take_queue(self) -> None:
        name = self.queue.currentData()
        offer_names(self.labeler, "", self._people.get(name, ()))
        self.blind.setChecked(self._blind.get(name, True))
        self.make.setEnabled(False)
        pieces.enable(self.queue, self.labeler, self.blind, able=name is not None)
        if name is None:
            # an emptied list of people asks for a look as well
            self._soon.stop()
            self.contents.setText(NOTHING)
        else:
            self._soon.start()

    def _look(self) -> None:
        queue, labeler, blind = self._wanted()
        self._surroundings.tasks.run(
            LOOK,
            beside(
                self._session,
                lambda own, _: packing.foretell(own, queue=queue, labeler=labeler, blind=blind),
            ),
            then=self._show_contents,
            failed=self._say,
        )

    def _show_contents(self, found: Foretold) -> None:
        self._say("")
        self.contents.setText(one_line(found.sentence, 600))
        self.make.setEnabled(True)

    def _choose_file(self) -> None:
        queue, labeler, _ = self._wanted()
        folder = self._session.project.path.parent
        name = "".join(x if x.isalnum() or x in " -_" else "-" for x in f"{queue} {labeler}")
        dialog = QFileDialog(
            self,
            "Write the package",
            str(folder),
            f"Projects (*{SUFFIX});;All files (*)",
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix=SUFFIX.removeprefix("."),
        )
        # a package never takes the place of a file, so nobody is asked whether it should
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.selectFile(f"{name.strip()[:80]}{SUFFIX}")
        dialog.fileSelected.connect(lambda chosen: self.write(Path(chosen)))
        dialog.open()

    def _show_made(self, made: Packed) -> None:
        self._show_busy(is_busy=False)
        pieces.write(self.contents, f"Written. {made.sentence}", tip=str(made.file))
        self.leave.setText("Close")

    def _fail(self, sentence: str) -> None:
        self._show_busy(is_busy=False)
        self._say(sentence)

    def _stop(self) -> None:
        self._fail("Nothing was written.")

    def _show_busy(self, *, is_busy: bool) -> None:
        self.bar.setRange(0, 0 if is_busy else 1)
        self.bar.setVisible(is_busy)
        pieces.enable(self.make, self.queue, self.labeler, self.blind, able=not is_busy)

    def _say(self, problem: str) -> None:
        pieces.say(self.problem, problem)

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card("Work package")
        card.body.addWidget(pieces.text(HELP, "muted", wrap=True))
        form = QFormLayout(verticalSpacing=px(8))
        form.addRow("Queue", self.queue)
        form.addRow("For", self.labeler)
        form.addRow("", self.blind)
        layouts.fill(card.body, form, pieces.line(), self.contents, self.bar, self.problem, 1)
        layouts.column(
            (card, 1), layouts.row(1, self.leave, self.make), on=self, margins=px(14), gap=px(12)
        )
        self.resize(px(560), px(360))
