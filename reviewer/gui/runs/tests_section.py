"""The section "Test sets": which set and version, its cases, check and results over runs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QMessageBox, QWidget
from typing_extensions import override

from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.runs.case_dialog import CaseDialog
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.spread_card import SpreadCard
from reviewer.gui.runs.test_cases_cards import CasesCard, FindingsCard, RejectedCard
from reviewer.gui.runs.words import many
from reviewer.gui.sections import Reading
from reviewer.services.project.session import Session
from reviewer.services.testing import results, sets
from reviewer.services.testing.results import Overview
from reviewer.services.testing.sets import Added

ADD = "add test set"
PATTERN = "Test sets (*.jsonl *.json *.csv *.tsv *.yaml *.yml *.gz);;All files (*)"
REMOVE = "Remove the test set {name}, with all its versions? Runs of it stay."
REMOVE_CASES = "Remove {cases} from the test set {name}? Older versions and runs keep them."


class TestsSection(RunsSection[Overview]):
    """Everything about test sets.

    Signals:
        bot_requested: A bot is to answer cases: the set's name and ids, none for all of them.
    """

    __test__ = False
    title = "Test sets"
    bot_requested = Signal(str, object)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the cards; they fill with what is read."""
        super().__init__(surroundings)
        self._found = Overview(entries=())
        self.sets = TestsCard(self.theme)
        self.rejected = RejectedCard(self.theme)
        self.cases = CasesCard(self.theme)
        self.choices = (self.cases.scores,)
        self.findings = FindingsCard(self.theme)
        self.spread = SpreadCard(self.theme)
        self.dialog = CaseDialog(self.theme, self.session, self)
        for card in (self.sets, self.rejected, self.cases, self.findings, self.spread):
            self.body.addWidget(card)
            card.setVisible(card is self.sets)
        self._connect()

    @override
    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Say something about every project: a set can be added to it."""
        return session is not None and run is not None

    @override
    def reading(self, run: str) -> Reading[Overview] | None:
        """Read the chosen set with its results and its check."""
        name, version = self.sets.name, self.sets.wanted_version
        metric = self.cases.scores.currentData()
        return lambda own, _: results.read(own, name, version, metric)

    @override
    def show_found(self, found: Overview) -> None:
        """Show a test set."""
        self._found = found
        self.sets.show_sets(found, writable=not self.session.project.read_only)
        self.sets.of_run.setEnabled(self.sets.of_run.isEnabled() and bool(self.run))
        pieces.show(self.cases, self.findings, self.spread, shown=found.tests is not None)
        if found.across is not None:
            self.findings.show_findings(found.findings)
            self.cases.show_cases(found.across)
            cells = (x for run in found.across.runs for x in run.cells.values())
            self.expose(cell.evaluation for cell in cells if not cell.held)

    def add_file(self, file: Path) -> None:
        """Add a file's cases in the background."""
        self.surroundings.tasks.run(
            ADD,
            beside(self.session, lambda own, _: sets.add_file(own, file)),
            then=self._take_added,
            failed=self.failed,
        )

    def add_run(self) -> None:
        """Make a test set of the cases of run A, in the background."""
        run = self.run
        if run:
            self.surroundings.tasks.run(
                ADD,
                beside(self.session, lambda own, _: sets.from_run(own, run)),
                then=self._take_added,
                failed=self.failed,
            )

    def edit_case(self, id_: str) -> None:
        """Open the form of a case; older versions cannot be changed."""
        tests = self._found.tests
        if tests is None:
            return
        if not self._found.is_newest or self.session.project.read_only:
            self.noted.emit("This version cannot be changed; make it the newest first.")
            return
        self.dialog.show_case(tests.name, next((x for x in tests.cases if x["id"] == id_), None))

    def ask_bot(self) -> None:
        """Hand the cases in view over to the pane that lets a bot answer."""
        tests = self._found.tests
        if tests is not None:
            shown = sets.ids(self.cases.shown)
            self.bot_requested.emit(tests.name, shown if len(shown) < len(tests.cases) else ())

    def restore(self) -> None:
        """Make the version in view the newest again."""
        tests = self._found.tests
        if tests is not None:
            with telling(self.failed.emit):
                version = sets.restore(self.session, tests.name, tests.version)
                self.sets.version.setCurrentIndex(0)
                self.noted.emit(f"{tests.name}: v{version} is as v{tests.version} was.")
                self.recompute()

    def rename(self, to: str) -> None:
        """Give the set in view another name."""
        tests = self._found.tests
        if tests is not None:
            with telling(self.failed.emit):
                self._choose(sets.rename(self.session, tests.name, to))

    def remove(self) -> None:
        """Remove the set in view."""
        tests = self._found.tests
        if tests is not None:
            with telling(self.failed.emit):
                sets.forget(self.session, tests.name)
                self.noted.emit(f"The test set {tests.name} is removed; runs of it stay.")
                self.recompute()

    def remove_cases(self) -> None:
        """Take the cases in view out of the set."""
        tests = self._found.tests
        if tests is None:
            return
        shown = sets.ids(self.cases.shown)
        with telling(self.failed.emit):
            version = sets.remove_cases(self.session, tests.name, shown)
            self.noted.emit(sets.removed(tests.name, version, shown))
            self.cases.show_all()
            self.recompute()

    def _connect(self) -> None:
        card = self.sets
        pieces.connect(
            (card.chosen, self.recompute),
            (card.file_requested, self._ask_file),
            (card.run_requested, self.add_run),
            (card.bot_requested, self.ask_bot),
            (card.case_requested, lambda: self.edit_case("")),
            (card.restore_requested, self.restore),
            (card.rename_requested, self._ask_name),
            (card.remove_requested, partial(self._ask, REMOVE, self.remove)),
            (card.cases_removal_requested, partial(self._ask, REMOVE_CASES, self.remove_cases)),
        )
        card.in_view = lambda: len(self.cases.shown)
        pieces.connect(
            (
                self.cases.evaluation_requested,
                lambda key: self.responses_requested.emit([key], "a case of a test set"),
            ),
            (self.cases.case_requested, self.edit_case),
            (self.cases.metric_changed, self.recompute),
            (self.cases.narrowed, lambda: self.spread.show_spread(sets.spread(self.cases.shown))),
            (self.findings.cases_requested, self.cases.show_only),
            (self.spread.filter_requested, self.cases.narrow),
            (self.dialog.kept, self._note_kept),
        )

    def _choose(self, name: str) -> None:
        self.sets.set.clear()
        self.sets.version.clear()
        self.sets.set.addItem(name, name)
        self.recompute()

    def _take_added(self, found: Added) -> None:
        self.noted.emit(" ".join((found.sentence, *found.sentences)))
        self.rejected.show_rejected(found)
        self._choose(found.name)

    def _note_kept(self, version: int) -> None:
        self.noted.emit(f"Kept as v{version}.")
        self.recompute()

    def _ask_file(self) -> None:
        found, _ = QFileDialog.getOpenFileName(self, "Add a test set", "", PATTERN)
        if found:
            self.add_file(Path(found))

    def _ask_name(self) -> None:
        tests = self._found.tests
        if tests is None:
            return
        name, wanted = QInputDialog.getText(
            self, "Rename", "Name of the test set", text=tests.name
        )
        if wanted:
            self.rename(name)

    def _ask(self, words: str, act: Callable[[], None]) -> None:
        tests = self._found.tests
        if tests is None:
            return
        shown = many(len(self.cases.shown), "case")
        said = words.format(name=one_line(tests.name, 60), cases=shown)
        if QMessageBox.question(self, "Remove", said) == QMessageBox.StandardButton.Yes:
            act()


EMPTY = (
    "No test set yet. A test set is a list of questions with what a good response says, without "
    "the responses: bots answer it, and every case's results stand side by side over the runs."
)


_TIP = Qt.ItemDataRole.ToolTipRole


class TestsCard(pieces.Card):
    """Choices of set and version, and the buttons.

    Signals:
        chosen: Another set or version is chosen.
        file_requested: A file is to be added.
        run_requested: The cases of run A are to become a test set.
        bot_requested: A bot is to answer the cases in view.
        case_requested: A new case is to be written.
        restore_requested: The version in view is to become the newest.
        rename_requested, remove_requested: The set is to be renamed or removed.
        cases_removal_requested: The cases in view are to be taken out of the set.
    """

    __test__ = False
    chosen = Signal()
    file_requested = Signal()
    run_requested = Signal()
    bot_requested = Signal()
    case_requested = Signal()
    restore_requested = Signal()
    rename_requested = Signal()
    remove_requested = Signal()
    cases_removal_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card without a test set."""
        super().__init__("Test set")
        self.set = number_field.choice("Test set")
        self.version = number_field.choice("Version")
        self.more = pieces.Button("⋯", dense=True, name="More about this test set")
        layouts.fill(self.head, (self.set, 4), (self.version, 3), self.more)
        self.about = pieces.text(EMPTY, "muted", wrap=True, name="About the test set")
        self.body.addWidget(self.about)
        holder = QWidget()
        flow = layouts.FlowLayout(holder, spacing=theme.px(6), pushed_from=3)
        self.file = pieces.Button("Add file…", self.file_requested.emit, dense=True)
        self.of_run = pieces.named(
            pieces.Button("Cases of run A", self.run_requested.emit, dense=True),
            tip="Make a test set of the cases of run A, without their responses.",
        )
        self.case = pieces.Button("New case…", self.case_requested.emit, dense=True)
        self.bot = pieces.Button("Run with a bot…", self.bot_requested.emit, kind="primary")
        layouts.fill(flow, self.file, self.of_run, self.case, self.bot)
        self.body.addLayout(layouts.row((holder, 1)))
        pieces.connect(
            (self.set.currentIndexChanged, self._change_set),
            (self.version.currentIndexChanged, lambda _: self.chosen.emit()),
            (self.more.clicked, lambda *_: self._open_menu()),
        )
        self._found = Overview(entries=())
        self.in_view: Callable[[], int] = lambda: 0
        self.show_sets(self._found, writable=False)

    @property
    def name(self) -> str | None:
        """Give the chosen set, None where there is none."""
        chosen: str | None = self.set.currentData()
        return chosen

    @property
    def wanted_version(self) -> int | None:
        """Give the chosen version, None for the newest."""
        chosen: int | None = self.version.currentData()
        return chosen

    def show_sets(self, found: Overview, *, writable: bool) -> None:
        """Show the sets and which of them is in view."""
        self._found = found
        entry = found.entry
        with QSignalBlocker(self.set), QSignalBlocker(self.version):
            number_field.offer(
                self.set,
                "",
                [(x.name, x.name) for x in found.entries],
            )
            if entry is not None and found.tests is not None:
                self.set.setCurrentIndex(self.set.findData(entry.name))
                self._offer_versions(found.tests.version)
        pieces.show(
            self.set, self.version, self.more, self.case, self.bot, shown=entry is not None
        )
        self.case.setEnabled(writable and found.is_newest)
        pieces.enable(self.file, self.of_run, self.bot, able=writable)
        self.about.setText(self._words())

    def menu(self) -> QMenu:
        """Make the menu of rarer deeds."""
        menu = QMenu(self)
        restore = menu.addAction("Make this version the newest")
        restore.setEnabled(not self._found.is_newest)
        restore.triggered.connect(lambda *_: self.restore_requested.emit())
        tests, shown = self._found.tests, self.in_view()
        part = tests is not None and 0 < shown < len(tests.cases)
        which = many(shown, "case") if part else "cases"
        taken = menu.addAction(f"Remove {which} in view…")
        taken.setEnabled(part and self.case.isEnabled())
        taken.triggered.connect(lambda *_: self.cases_removal_requested.emit())
        menu.addSeparator()
        pieces.connect(
            (menu.addAction("Rename…").triggered, lambda *_: self.rename_requested.emit()),
            (menu.addAction("Remove…").triggered, lambda *_: self.remove_requested.emit()),
        )
        return menu

    def _open_menu(self) -> None:
        pieces.open_below(self.more, self.menu())

    def _change_set(self) -> None:
        with QSignalBlocker(self.version):
            self.version.clear()
        self.chosen.emit()

    def _offer_versions(self, shown: int) -> None:
        entry = self._found.entry
        self.version.clear()
        for version in entry.versions if entry else ():
            newest = entry is not None and version == entry.newest
            title = f"v{version.version} · {version.created_at[:10]}"
            self.version.addItem(title, None if newest else version.version)
            place = self.version.count() - 1
            self.version.setItemData(place, one_line(version.note, 200), _TIP)
            if version.version == shown:
                self.version.setCurrentIndex(self.version.count() - 1)

    def _words(self) -> str:
        found, entry = self._found, self._found.entry
        if entry is None or found.tests is None:
            return EMPTY
        said = [many(len(found.tests.cases), "case"), many(len(entry.versions), "version")]
        if entry.rubric:
            said.append(f"rubric {one_line(entry.rubric, 40)}")
        if not found.is_newest:
            said.append("an older version: to change it, make it the newest")
        return " · ".join(said)
