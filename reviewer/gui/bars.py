"""The bars of the window: name, project, pages, labeler above; what is saved and runs below."""

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QButtonGroup,
    QLineEdit,
    QMenu,
    QProgressBar,
    QSizePolicy,
    QWidget,
    QWidgetAction,
)
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.notices import NoticeBar
from reviewer.gui.kit.text import clock, literal, one_line

GAP = 6
PROMISE = "Nothing leaves this computer unless you start a judge or share a project."


class StatusBar(pieces.Panel):
    """Saved time and page's line on the left, background work or the promise on the right.

    Signals:
        work_clicked: The user wants to see the work that runs in the background.
        jobs_clicked: The user wants to see the jobs.
        failures_clicked: The user wants to see the calls that failed.
        retry_clicked: The calls that failed are to be tried again.
        hub_clicked: The user wants to know how the shared project stands.
    """

    work_clicked = Signal()
    jobs_clicked = Signal()
    failures_clicked = Signal()
    retry_clicked = Signal()
    hub_clicked = Signal()

    def __init__(self, notices: NoticeBar) -> None:
        """Make the line with nothing but the promise, and a place for notices."""
        super().__init__("top")
        self.setAccessibleName("Status")
        self._saved = pieces.text("", "adjusted")
        self._page = pieces.ElidedText("", "small")
        self._bar = _bar("Progress of the background work")
        self._work = pieces.Button("", self.work_clicked.emit, kind="flat", name="Background work")
        self._jobs_bar = _bar("Progress of the re-evaluation")
        self._jobs = pieces.Button("", self.jobs_clicked.emit, kind="flat", name="Re-evaluation")
        self._failures = pieces.Button(
            "", self.failures_clicked.emit, kind="flat", name="Failures"
        )
        self._retry = pieces.named(
            pieces.Button("retry", self.retry_clicked.emit, kind="link"),
            "Try the failed calls again",
        )
        self._hub = pieces.Button("", self.hub_clicked.emit, kind="flat", name="Shared project")
        for button in (self._jobs, self._failures, self._hub):
            button.let_shrink()
        for button in (self._work, self._jobs, self._failures, self._retry, self._hub):
            # a click leaves the keys where they were
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._promise = pieces.ElidedText(PROMISE, "small")
        self._notices = notices
        notices.turned.connect(self._make_room)
        layouts.row(
            self._saved,
            self._page,
            (notices, 100),
            1,
            *self._right,
            self._promise,
            on=self,
            margins=(14, 3, 14, 3),
            gap=16,
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clear_saved()
        self._hide_right(*self._right)

    @override
    def sizeHint(self) -> QSize:
        """Keep the height of a notice, so that nothing moves when there is one."""
        edge = self.contentsMargins()
        kept = self._notices.line_height + 6 + edge.top() + edge.bottom()
        return super().sizeHint().expandedTo(QSize(0, max(34, kept)))

    def show_saved(self, style: str = "system", moment: datetime | None = None) -> None:
        """Say that everything is on disk, with the time of the last write."""
        self._show(f"● Saved {clock(moment or datetime.now(UTC), style)}")

    def show_waiting(self, count: int) -> None:
        """Say how many answers are not yet on disk, where any are."""
        if count:
            self._show(f"○ {count:,} not yet saved")

    def show_opened(self, *, read_only: bool = False) -> None:
        """Say that everything is on disk before the first write, or that nothing can be."""
        self._show("○ Read-only" if read_only else "● Saved")

    def clear_saved(self) -> None:
        """Say nothing about saving: no project is open."""
        self._show("")

    def _show(self, words: str) -> None:
        pieces.say(self._saved, words)

    def show_version(self) -> None:
        """Tell the program's version, unless a project is open."""
        if not self._saved.text():
            from reviewer.services.computer import versions

            self._page.setText(f"Version {versions.version()}")

    def show_page(self, words: str) -> None:
        """Show the page's own line."""
        self._page.setText(words)

    def show_work(self, words: str, share: float | None = None, *, at_work: bool = True) -> None:
        """Show background work; a bar with what `share` is done, while it is `at_work`."""
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))
        pieces.write(self._work, f"{words} ▸", name=words)
        self._show_right(self._work)
        self._bar.setVisible(at_work)

    def idle(self) -> None:
        """Show nothing of work in the background."""
        self._hide_right(self._bar, self._work)

    def show_jobs(self, words: str, share: float | None = None, *, at_work: bool = True) -> None:
        """Show jobs; a bar with what `share` is done, where they are `at_work`."""
        self._jobs_bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._jobs_bar.setValue(round(share * 1000))
        pieces.write(self._jobs, f"{words} ▸", name=words)
        self._show_right(self._jobs)
        self._jobs_bar.setVisible(at_work)

    def no_jobs(self) -> None:
        """Show no job any more."""
        self._hide_right(self._jobs_bar, self._jobs)

    def show_failures(self, words: str) -> None:
        """Show which calls failed, with a way to try them again."""
        pieces.write(self._failures, f"{words} ▸", name=words)
        self._show_right(self._failures, self._retry)

    def no_failures(self) -> None:
        """Show no failed calls any more."""
        self._hide_right(self._failures, self._retry)

    def show_hub(self, words: str) -> None:
        """Show how a shared project stands; nothing for one that is not shared."""
        if words:
            pieces.write(self._hub, f"{words} ▸", name=words)
            self._show_right(self._hub)
        else:
            self._hide_right(self._hub)

    @property
    def _right(self) -> tuple[QWidget, ...]:
        jobs = (self._failures, self._retry, self._jobs_bar, self._jobs)
        return (*jobs, self._bar, self._work, self._hub)

    def _show_right(self, *widgets: QWidget) -> None:
        pieces.show(*widgets, shown=True)
        self._make_room()

    def _hide_right(self, *widgets: QWidget) -> None:
        pieces.show(*widgets, shown=False)
        self._make_room()

    def _make_room(self) -> None:
        """Leave the promise to when nothing else is to be said."""
        self._promise.setVisible(all(x.isHidden() for x in (*self._right, self._notices)))


def _bar(name: str) -> QProgressBar:
    bar = pieces.named(QProgressBar(textVisible=False), name)
    bar.setFixedWidth(140)
    return bar


class TopBar(pieces.Panel):
    """Name, project, tabs, search field and labeler menu.

    Signals:
        page_requested: A tab was chosen, by the page's id.
        palette_requested: The search field was pressed.
        labeler_requested: Another or a new labeler was chosen, by name.
        labelers_wanted: The labeler menu is about to open and needs its names.
        settings_requested: The settings were chosen from the labeler menu.
        profiles_requested: The profiles of labelers were chosen from it.
    """

    page_requested = Signal(str)
    palette_requested = Signal()
    labeler_requested = Signal(str)
    labelers_wanted = Signal()
    settings_requested = Signal()
    profiles_requested = Signal()

    def __init__(self, pages: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Make the bar; `pages` are ids and titles, shown once a project is open."""
        super().__init__("bottom", parent)
        self.setAccessibleName("Top bar")
        self.setMinimumHeight(44)
        # a page that wants more height than there is must not squeeze the tabs
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._project = pieces.ElidedText("", "muted", is_name=True)
        self._program = pieces.text("Reviewer", "heading")
        row = layouts.row(self._program, on=self, margins=(14, 5, 14, 5), gap=GAP)
        row.addSpacing(4)
        row.addWidget(self._project)
        row.addSpacing(18)
        self._group = QButtonGroup(self)
        self._tabs = {page: self._tab(page, title) for page, title in pages}
        self._row_of_tabs = pieces.named(pieces.dressed(QWidget(), kind="tabs"), "Pages")
        layouts.row(*self._tabs.values(), on=self._row_of_tabs, margins=0, gap=6)
        row.addWidget(self._row_of_tabs)
        row.addStretch(1)
        self._search = pieces.Button(
            "Search or run a command", self.palette_requested.emit, key="Ctrl+K", dense=True
        )
        self._search.let_shrink()
        row.addWidget(self._search)
        self._labeler = pieces.Button("", kind="pillbutton", dense=True, name="Labeler")
        self._labeler.let_shrink()
        self._menu = QMenu(self._labeler)
        self._menu.aboutToShow.connect(self.labelers_wanted)
        self._labeler.setMenu(self._menu)
        row.addWidget(self._labeler)
        for button in (self._search, self._labeler):
            # a click leaves the keys where they were
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_project("")

    @override
    def event(self, event: QEvent) -> bool:
        """Keep the names of the pages readable, whatever else has no room then."""
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._make_room()
        return done

    def _make_room(self) -> None:
        """Leave out the program's name and the search, which has its key, where room is scarce."""
        layout, parts = self.layout(), (self._program, self._search)
        least = layout.minimumSize().width() if layout is not None else 0
        widths = {part: part.minimumSizeHint().width() + GAP for part in parts}
        least += sum(widths[part] for part in parts if part.isHidden())
        for part in parts:
            fits = least <= self.width()
            least -= 0 if fits else widths[part]
            if part.isHidden() is fits:
                part.setVisible(fits)

    def _tab(self, page: str, title: str) -> pieces.Button:
        tab = pieces.Button(title, lambda: self.page_requested.emit(page), kind="tab")
        tab.setCheckable(True)
        self._group.addButton(tab)
        return tab

    def show_project(self, name: str) -> None:
        """Show the open project's name and the tabs, or neither for an empty name."""
        self._project.setText(name)
        self._project.setAccessibleName(f"Project {name}".rstrip())
        pieces.show(self._project, self._row_of_tabs, shown=bool(name))

    def show_page(self, page: str) -> None:
        """Mark the tab of the page in view."""
        if page in self._tabs:
            self._tabs[page].setChecked(True)

    def show_labeler(self, name: str, role: str = "", icon: QIcon | None = None) -> None:
        """Show who labels, in their colour and with their role."""
        shown = one_line(name, 30)
        self._labeler.setText(f"{shown} · {role} ▾" if role else f"{shown} ▾")
        self._labeler.setIcon(icon or QIcon())
        self._labeler.setAccessibleName(f"Labeler: {shown}{', ' + role if role else ''}")

    def fill_labelers(self, people: Sequence[tuple[str, str, QIcon]], current: str) -> None:
        """Fill the menu with labelers (name, role and dot) and a field for a new one."""
        self._menu.clear()
        for name, role, icon in people:
            words = one_line(name, 60)
            action = self._menu.addAction(icon, literal(f"{words} · {role}" if role else words))
            action.setCheckable(True)
            action.setChecked(name == current)
            action.triggered.connect(lambda *_, name=name: self.labeler_requested.emit(name))
        self._menu.addSeparator()
        field = pieces.named(
            QLineEdit(placeholderText="New labeler: name, then Return"), "Name of a new labeler"
        )
        field.setMinimumWidth(240)
        field.returnPressed.connect(lambda: self._take_new(field.text()))
        entry = QWidgetAction(self._menu)
        entry.setDefaultWidget(field)
        self._menu.addAction(entry)
        self._menu.addSeparator()
        self._menu.addAction("Team…").triggered.connect(lambda *_: self.profiles_requested.emit())
        self._menu.addAction("Settings…").triggered.connect(
            lambda *_: self.settings_requested.emit()
        )

    def open_labelers(self) -> None:
        """Open the labeler menu, as a press on it does."""
        self._labeler.setFocus()
        pieces.open_below(self._labeler, self._menu)

    def _take_new(self, name: str) -> None:
        self._menu.close()
        if name.strip():
            self.labeler_requested.emit(name.strip())
