"""The start page: drop results, open the demo or a project, go on with a recent one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ScrolledPage
from reviewer.gui.kit.text import ago
from reviewer.gui.page import Surroundings
from reviewer.services.computer.recents import RecentProject, summarise

FORMATS = (
    "JSONL, JSON, YAML, CSV and TSV, also as .gz; Excel and .ods workbooks, Parquet, .eval and "
    ".traj"
)
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("guest-response", "Guest response"),
    ("virtual-agent", "Virtual agent"),
    ("agent-rubric", "Agent rubric"),
    ("faq-bot", "FAQ bots"),
    ("harness", "Harness"),
)
"""The five systems that ship with an example, by their name and title."""
COLUMNS_WIDTH = 1200


def dropped_files(mime: QMimeData) -> tuple[Path, ...]:
    """Give the local files of something dragged over the window."""
    return tuple(Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile())


class DropZone(QFrame):
    """The dashed area; the window itself takes drops everywhere, this one invites them."""

    choose_requested = Signal()

    def __init__(self) -> None:
        """Make the area."""
        super().__init__()
        self.setProperty("kind", "drop")
        self.setAccessibleName("Drop results here")
        self.setMinimumHeight(210)
        body = layouts.column(1, on=self)
        for words, role in (("Drop results here", "heading"), (FORMATS, "muted")):
            label = pieces.text(words, role, wrap=True)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            body.addWidget(label)
        body.addSpacing(6)
        choose = pieces.Button("Choose files…", self.choose_requested.emit, kind="primary")
        layouts.fill(body, (choose, 0, Qt.AlignmentFlag.AlignCenter), 1)

    def set_active(self, active: bool) -> None:  # noqa: FBT001 - reads like Qt's setters
        """Show that a drop would be taken, or no longer."""
        pieces.set_property(self, "active", "true" if active else "false")


class RecentRow(pieces.Button):
    """A recent project: name and age above, counts below; greyed where it is gone."""

    def __init__(self, recent: RecentProject) -> None:
        """Make the row."""
        gone = recent.gone
        super().__init__("", kind="row", name=_spoken(recent))
        self.setToolTip(str(recent.path))
        self.setEnabled(not gone)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._name = pieces.ElidedText(
            recent.path.stem, "muted" if gone else "heading", is_name=True
        )
        head = layouts.row((self._name, 1), pieces.text(ago(recent.opened_at), "small"))
        self._counts = pieces.ElidedText(recent.problem or recent.summary or " ", "small")
        layouts.column(head, self._counts, on=self, margins=(4, 8, 4, 8), gap=2)
        for label in self.findChildren(QWidget):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @override
    def sizeHint(self) -> QSize:
        """Ask for what the two lines need; a button by itself counts only its own words."""
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()


def _spoken(recent: RecentProject) -> str:
    return ", ".join(x for x in (recent.path.stem, recent.problem or recent.summary) if x)


class StartPage(QWidget):
    """What is shown while no project is open.

    Signals:
        choose_requested: Result files are to be chosen.
        open_requested: A project file is to be chosen.
        join_requested: A shared project is to be joined.
        demo_requested: The example of a system is to be made and opened, by its name.
        help_requested: What the systems of the examples measure is to be read.
        project_requested: A recent project is to be opened.
        forget_requested: A recent project is to be taken off the list.
        recents_changed: The counts of the recent projects have arrived.
    """

    choose_requested = Signal()
    open_requested = Signal()
    join_requested = Signal()
    demo_requested = Signal(str)
    help_requested = Signal()
    project_requested = Signal(object)
    forget_requested = Signal(object)
    recents_changed = Signal()

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the page; `refresh` fills the recent projects."""
        super().__init__()
        self._surroundings = surroundings
        self.setProperty("kind", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.drop_zone = DropZone()
        self.drop_zone.choose_requested.connect(self.choose_requested)
        columns = QWidget(maximumWidth=COLUMNS_WIDTH)
        grid = layouts.grid(on=columns, margins=0, across=18, stretch={0: 1, 1: 1})
        grid.addLayout(self._left(), 0, 0)
        self._recents_card = pieces.Card("Recent", margin=18)
        self._rows = layouts.column(gap=0)
        layouts.fill(self._recents_card.body, self._rows, 1)
        grid.addWidget(self._recents_card, 0, 1)
        middle = pieces.dressed(QWidget(), kind="scrolled")
        layouts.row(1, (columns, 40), 1, on=middle, margins=(40, 60, 40, 60))
        layouts.column(ScrolledPage(middle), on=self, margins=0)

    def _left(self) -> QVBoxLayout:
        words = "Open results, score some yourself, see how far the automatic scores are off."
        column = layouts.column(
            pieces.text("Can you trust the judge?", "title"),
            pieces.text(words, "muted", wrap=True),
            gap=8,
        )
        column.addSpacing(14)
        column.addWidget(self.drop_zone)
        column.addSpacing(8)
        row = layouts.FlowLayout()
        layouts.fill(
            row,
            pieces.Button("Open the demo", lambda: self.demo_requested.emit("")),
            pieces.Button("Open project…", self.open_requested.emit, key="Ctrl+O"),
            pieces.Button("Join a shared project…", self.join_requested.emit),
        )
        column.addLayout(row)
        column.addSpacing(22)
        words = "One for each rubric that ships: small, with two runs, made for looking around."
        layouts.fill(
            column, pieces.text("Examples", "heading"), pieces.text(words, "small", wrap=True)
        )
        examples = layouts.FlowLayout()
        for name, title in EXAMPLES:
            button = pieces.named(
                pieces.Button(title, partial(self.demo_requested.emit, name)),
                f"Open the example {title}",
            )
            examples.addWidget(button)
        read = pieces.Button(
            "What each measures, and how it is used", self.help_requested.emit, kind="link"
        )
        layouts.fill(column, examples, layouts.row(read, 1), 1)
        return column

    def refresh(self) -> None:
        """List the recent projects at once and count what they hold in the background."""
        recents = self._surroundings.settings.recent_projects
        self._show([RecentProject(x.path, x.opened_at) for x in recents])
        if recents:
            self._surroundings.tasks.run(
                "recents", lambda progress: summarise(recents, progress), then=self._take
            )

    def _take(self, found: Sequence[RecentProject]) -> None:
        self._show(found)
        self.recents_changed.emit()

    def _show(self, recents: Sequence[RecentProject]) -> None:
        pieces.clear(self._rows)
        if not recents:
            words = "Projects that you open appear here."
            self._rows.addWidget(pieces.text(words, "small", wrap=True))
        for recent in recents:
            layouts.fill(self._rows, self._row(recent), pieces.line())

    def _row(self, recent: RecentProject) -> QWidget:
        row = RecentRow(recent)
        row.clicked.connect(lambda *_: self.project_requested.emit(recent.path))
        if recent.problem is None:
            return row
        both = QWidget()
        forget = pieces.named(
            pieces.Button("Remove", lambda: self.forget_requested.emit(recent.path)),
            f"Take {recent.path.stem} off the list",
        )
        layouts.row((row, 1), forget, on=both, margins=0)
        return both
