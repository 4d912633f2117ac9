"""The dialogs of work packages: making one, and taking returned ones in for good."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QProgressBar,
    QWidget,
)

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice, offer_names
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.gui.places import folder_of_files
from reviewer.services.parcels import merging, packing
from reviewer.services.parcels.packing import Foretold, Packed
from reviewer.services.parcels.returned import Conflict, Place, Returned
from reviewer.services.project.session import Session
from reviewer.services.queues import working

FORETELL, MAKE = "package-look", "package-make"
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
        self._surroundings.tasks.run(
            MAKE,
            beside(
                self._session,
                lambda own, progress: packing.make(
                    own, to, progress, queue=queue, labeler=labeler, blind=blind
                ),
            ),
            then=self._show_made,
            failed=self._fail,
            loss=f"the work package {to.name}",
        ).cancelled.connect(self._stop)

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
            FORETELL,
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
        folder = folder_of_files(self._session.project.path.parent)
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


COMPARE, MERGE = "merge-look", "merge"
LOOKING = "Looking at what is in the packages…"
NOTHING_NEW = "Nothing in it is new here; everything was taken in before."
_PACKAGES = (
    Column("package"),
    Column("labeler", 110, drop=1),
    Column("new", 56, number=True, tip="Answers that are not here yet."),
    Column("known", 62, number=True, tip="Taken in before; they are not stored twice."),
    Column(
        "marks",
        62,
        number=True,
        tip="New skips, flags, highlights and looks at auto scores.",
        drop=2,
    ),
    Column("differ", 62, number=True, tip="Answered otherwise here; the later answer counts."),
    Column("changed", 74, number=True, tip="The text is another one here; labels become stale."),
    Column("gone", 56, number=True, tip="Evaluations that are not here any more."),
    Column("refused", 70, number=True, tip="Such as labels on metrics that were deleted."),
)
_LOOKS = (
    Column("evaluation", 150),
    Column("what needs a look"),
    Column("here", 64, number=True, tip="What stands in this project."),
    Column("package", 64, number=True, tip="What the package says."),
)

Outcome = tuple[Path, Returned | str]


class MergeDialog(ProjectDialog):
    """One line a package, and beneath it whatever a person should look at.

    Signals:
        evaluation_requested: An evaluation is to be shown on Review, by its key.
        merged: Packages were taken in, as a sentence.
    """

    evaluation_requested = Signal(int)
    merged = Signal(str)

    def __init__(
        self, surroundings: Surroundings, session: Session, parent: QWidget, files: Sequence[Path]
    ) -> None:
        """Look at packages; nothing is taken in before the button is pressed."""
        super().__init__(parent, "Merge returned packages")
        self._surroundings, self._theme, self._session = surroundings, surroundings.theme, session
        self._files = tuple(files)
        self.packages = GridView(self._theme, _PACKAGES, "Packages and what they bring")
        self.looks = GridView(self._theme, _LOOKS, "What needs a look")
        self.looks.row_opened.connect(self._open)
        self.sentence = pieces.text(LOOKING, wrap=True, name="What would be taken in")
        self.notes = pieces.text("", "muted", wrap=True)
        self.problem = pieces.text("", "alert", wrap=True, name="What cannot be taken in")
        self.bar = pieces.named(QProgressBar(textVisible=False), "Progress")
        self.bar.setRange(0, 0)
        self.merge = pieces.Button("Merge", self._merge, kind="primary")
        self.leave = pieces.Button("Cancel", self.close)
        pieces.show(self.notes, self.problem, shown=False)
        self.merge.setEnabled(False)
        self._arrange()
        self._run(COMPARE, dry_run=True)

    def _run(self, kind: str, *, dry_run: bool) -> None:
        files = self._files

        def work(own: Session, progress: Progress) -> list[Outcome]:
            return [(file, _outcome(own, file, progress, dry_run=dry_run)) for file in files]

        self.bar.show()
        task = self._surroundings.tasks.run(
            kind,
            beside(self._session, work),
            then=self._show_preview if dry_run else self._show_merged,
            failed=self._fail,
            loss="" if dry_run else "the merging of work packages",
        )
        pieces.connect(
            (task.progressed, self._show_progress),
            (task.cancelled, self._stop),
        )

    def _merge(self) -> None:
        self.merge.setEnabled(False)
        self._run(MERGE, dry_run=False)

    def _show_preview(self, found: object) -> None:
        good = self._show(found)
        new, marks = sum(x.labels for x in good), sum(x.marks for x in good)
        self.merge.setEnabled(bool(new or marks))
        if new or marks:
            words = f"{new:,} new answers and {marks:,} new marks would be taken in."
        else:
            words = NOTHING_NEW if good else "Nothing can be taken in."
        self.sentence.setText(words)

    def _show_merged(self, found: object) -> None:
        if self.is_left:
            return
        self._session.poll()
        good = self._show(found)
        new, marks = sum(x.labels for x in good), sum(x.marks for x in good)
        words = f"Taken in: {new:,} new answers and {marks:,} new marks."
        self.sentence.setText(f"{words} Ctrl+Z takes them back, a package at a time.")
        self.leave.setText("Close")
        self.merged.emit(words)

    def _show(self, found: object) -> list[Returned]:
        self.bar.hide()
        outcomes: list[Outcome] = found if isinstance(found, list) else []
        good = [one for _, one in outcomes if isinstance(one, Returned)]
        bad = [one for _, one in outcomes if isinstance(one, str)]
        self.packages.show_rows([(str(file), _package_cells(file, x)) for file, x in outcomes])
        self.looks.show_rows(list(_rows(good)))
        pieces.say(self.problem, "\n".join(bad))
        pieces.say(self.notes, " ".join(dict.fromkeys(x for one in good for x in one.notes)))
        return good

    def _fail(self, sentence: str) -> None:
        self.bar.hide()
        self.sentence.setText("")
        pieces.say(self.problem, sentence)

    def _stop(self) -> None:
        self._fail("The packages were not taken in.")

    def _show_progress(self, _done: object, _total: object, note: str) -> None:
        self.bar.setToolTip(note)

    def _open(self, key: object) -> None:
        if isinstance(key, tuple) and isinstance(key[1], int):
            self.evaluation_requested.emit(key[1])

    def _arrange(self) -> None:
        px = self._theme.px
        above = pieces.Card("Packages")
        for widget in (self.packages, self.sentence, self.bar, self.problem, self.notes):
            above.body.addWidget(widget, 1 if widget is self.packages else 0)
        below = pieces.Card("To look at")
        below.head.addWidget(pieces.text("Return opens the evaluation", "small"))
        below.body.addWidget(self.looks, 1)
        layouts.column(
            (above, 2),
            (below, 3),
            layouts.row(1, self.leave, self.merge),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        fit(self, px(820), px(560))


def _outcome(own: Session, file: Path, progress: Progress, *, dry_run: bool) -> Returned | str:
    """Look at a package or take it in; one that cannot be taken does not hold up the others."""
    try:
        return merging.merge(own, file, progress, dry_run=dry_run)
    except ReviewerError as error:
        return str(error)


def _package_cells(file: Path, found: Returned | str) -> tuple[Cell, ...]:
    name = Cell(one_line(file.name, 80), strong=True, tip=str(file))
    if isinstance(found, str):
        return (name, *[Cell("—", "muted", tip=found)] * (len(_PACKAGES) - 1))
    tells = (len(found.conflicts), len(found.changed), len(found.missing), len(found.refused))
    return (
        name,
        Cell(one_line(found.labeler, 40)),
        Cell(f"{found.labels:,}"),
        Cell(f"{found.known:,}", "muted"),
        Cell(f"{found.marks:,}", "muted"),
        *(Cell(f"{x:,}", "alert" if x else "muted") for x in tells),
    )


_Row = tuple[tuple[int, int | str], tuple[Cell, ...]]


def _rows(found: Sequence[Returned]) -> Iterator[_Row]:
    """Give a line for each thing that a person should look at, opened by the evaluation's key."""
    for count, row in enumerate(line for one in found for line in _lines(one)):
        yield (count, row[0]), row[1]


def _lines(one: Returned) -> Iterator[tuple[int | str, tuple[Cell, ...]]]:
    for conflict in one.conflicts:
        place = (conflict.run, conflict.id)
        yield one.keys.get(place, ""), _conflict_cells(one, conflict)
    for place in one.changed:
        words = "its text is another one here by now; the labels are marked stale"
        yield one.keys.get(place, ""), _cells(place, words)
    for place in one.missing:
        yield "", _cells(place, "is not here any more; its labels are left out")
    for place, sentence in one.refused:
        yield one.keys.get(place, ""), _cells(place, sentence)


def _conflict_cells(one: Returned, conflict: Conflict) -> tuple[Cell, ...]:
    who, metric = one_line(one.labeler, 40), one_line(conflict.metric, 60)
    where = "here" if conflict.later == "here" else "in the package"
    words = f"{who} answered {metric} twice; the answer {where} is later and counts"
    values = tuple(one_line(words, 30) for words in conflict.words)
    return _cells((conflict.run, conflict.id), words, *values)


def _cells(place: Place, words: str, here: str = "", there: str = "") -> tuple[Cell, ...]:
    name = one_line(place[1], 60)
    shown = Cell(name, strong=True, tip=f"{one_line(place[0], 60)}/{name}" if name else "")
    said = one_line(words, 300)
    return (shown, Cell(said, tip=said), Cell(here), Cell(there))
