"""Which test set is shown, in which version, and what can be done with it."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from reviewer.gui.kit import choosing, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import many
from reviewer.services.testing.overview import Overview

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

    def __init__(self, theme: Theme) -> None:
        """Make the card without a test set."""
        super().__init__("Test set")
        self.set = choosing.choice("Test set")
        self.version = choosing.choice("Version")
        self.head.addWidget(self.set, 4)
        self.head.addWidget(self.version, 3)
        self.more = pieces.Button("⋯", dense=True, name="More about this test set")
        self.head.addWidget(self.more)
        self.about = pieces.text(EMPTY, "muted", wrap=True, name="About the test set")
        self.body.addWidget(self.about)
        holder = QWidget()
        flow = pieces.FlowLayout(holder, spacing=theme.px(6), pushed_from=3)
        self.file = pieces.Button("Add file…", self.file_requested.emit, dense=True)
        self.of_run = pieces.Button("Cases of run A", self.run_requested.emit, dense=True)
        self.of_run.setToolTip("Make a test set of the cases of run A, without their responses.")
        self.case = pieces.Button("New case…", self.case_requested.emit, dense=True)
        self.bot = pieces.Button("Run with a bot…", self.bot_requested.emit, kind="primary")
        for button in (self.file, self.of_run, self.case, self.bot):
            flow.addWidget(button)
        row = QHBoxLayout()
        row.addWidget(holder, 1)
        self.body.addLayout(row)
        self.set.currentIndexChanged.connect(self._change_set)
        self.version.currentIndexChanged.connect(lambda _: self.chosen.emit())
        self.more.clicked.connect(lambda *_: self._open_menu())
        self._found = Overview(entries=())
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
            choosing.offer(
                self.set,
                "",
                [(x.name, x.name) for x in found.entries],
            )
            if entry is not None and found.tests is not None:
                self.set.setCurrentIndex(self.set.findData(entry.name))
                self._offer_versions(found.tests.version)
        for widget in (self.set, self.version, self.more, self.case, self.bot):
            widget.setVisible(entry is not None)
        self.case.setEnabled(writable and found.is_newest)
        for button in (self.file, self.of_run, self.bot):
            button.setEnabled(writable)
        self.about.setText(self._words())

    def menu(self) -> QMenu:
        """Make the menu of rarer deeds."""
        menu = QMenu(self)
        restore = menu.addAction("Make this version the newest")
        restore.setEnabled(not self._found.is_newest)
        restore.triggered.connect(lambda *_: self.restore_requested.emit())
        menu.addSeparator()
        menu.addAction("Rename…").triggered.connect(lambda *_: self.rename_requested.emit())
        menu.addAction("Remove…").triggered.connect(lambda *_: self.remove_requested.emit())
        return menu

    def _open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

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
