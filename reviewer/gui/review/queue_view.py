"""The left pane: the menus of filter and order, progress, and the queue itself."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from PySide6.QtCore import QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QProgressBar,
    QTableView,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.filters import Filter, Term, joined, to_text
from reviewer.gui.kit import layouts
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import (
    Button,
    ElidedText,
    Panel,
    clear,
    connect,
    dressed,
    named,
    say,
    text,
    write,
)
from reviewer.gui.kit.tables import select_only, selected_rows
from reviewer.gui.kit.text import literal, name_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.filter_bar import FacetReader, FilterBar
from reviewer.gui.review.filter_picker import FilterPicker
from reviewer.gui.review.queue_model import QueueDelegate, QueueModel
from reviewer.services.listing import facets
from reviewer.services.listing.listing import QueueOrder, QueueProgress, SavedView, run_filter

NO_MATCH = "No evaluation matches this filter. Clear it, or ask for something else."
VALIDATE_HELP = "20 to 50 random responses, answered blind, and a verdict at the end."


class QueueList(QTableView):
    """The list of evaluations; arrows move through it only while it has the focus.

    A table of one column: a list view lays out every row anew at each change of one.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty list."""
        super().__init__()
        self._theme = theme
        self._painter = QueueDelegate(theme)
        self.setItemDelegate(self._painter)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName("Queue")
        self.fit_rows()

    def fit_rows(self) -> None:
        """Give rows the height that the theme's fonts ask for."""
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(self._painter.height)

    @override
    def keyboardSearch(self, search: str) -> None:
        """Leave letters to the commands; the filter is the search."""

    @override
    def sizeHint(self) -> QSize:
        """Ask for little; the pane gives what there is."""
        return QSize(260, 300)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take arrows, paging and "select all"; every other key belongs to the commands."""
        moving = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
        every = event.matches(QKeySequence.StandardKey.SelectAll)
        if every or event.key() in (*moving, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            super().keyPressEvent(event)
        else:
            event.ignore()


class QueueView(Panel):
    """The queue with its filter.

    Signals:
        chosen: The evaluation with this key was picked.
        filter_requested: A filter text and an order are wished for.
        save_requested: The present filter shall be kept under a name.
        command_requested: A command of the window is to be run, by its id.
    """

    chosen = Signal(int)
    filter_requested = Signal(str, str)
    save_requested = Signal(str)
    command_requested = Signal(str)

    def __init__(self, theme: Theme, model: QueueModel, reader: FacetReader) -> None:
        """Show a model's evaluations; `reader` knows what a filter can ask for."""
        super().__init__("right")
        self._theme = theme
        self._model = model
        self.filter = FilterBar(theme, reader)
        self.edit, self.problem = self.filter.edit, self.filter.problem
        self._reader = reader
        self.pick = Button("Filter ▾", self._open_picker, dense=True)
        self.pick.setToolTip("Fields and their values, with how many each finds")
        self.menus = QueueMenus(self)
        self.validate = Button("Validate the judge", self._wish_validation, dense=True)
        self.known = text("", wrap=True, name="Known answers")
        self.bar = dressed(
            named(QProgressBar(textVisible=False), "Progress of the queue"), role="adjusted"
        )
        # one line whatever is counted, so that the list keeps its place
        self.counts = ElidedText("", "small")
        self.empty = NothingFound()
        self.list = QueueList(theme)
        self.list.setModel(model)
        self.list.selectionModel().currentChanged.connect(self._picked)
        self._arrange()
        connect(
            (self.filter.changed, self._wish),
            (self.menus.filter_chosen, self.set_filter),
            (self.menus.order_chosen, self.filter.ask),
            (self.menus.command_chosen, self.command_requested),
            (self.menus.save_chosen, self._keep),
            (self.empty.dropped, self.filter.drop),
            (self.empty.cleared, self.let_go),
        )

    @cached_property
    def picker(self) -> FilterPicker:
        """Give what picks fields and values, made when it is opened first."""
        made = FilterPicker(self._theme, self._reader, self)
        connect(
            (made.keep_requested, self._keep),
            (made.turned, self._turn),
            (made.cleared, self.clear_filter),
        )
        return made

    def select(self, key: int) -> None:
        """Mark an evaluation as the one in view, without asking for it again."""
        place = self._model.place_of(key)
        blocked = self.list.selectionModel().blockSignals(True)  # noqa: FBT003 - Qt's signature
        if place is None:
            self.list.clearSelection()
        else:
            index = self._model.index(place)
            if index != self.list.currentIndex():
                # choosing it anew would let go of whatever else is selected
                select_only(self.list, index)
                self.list.scrollTo(index)
        self.list.selectionModel().blockSignals(blocked)
        self.list.update()

    def selected(self) -> list[int]:
        """Give the keys of the selected evaluations, in the queue's order."""
        rows = selected_rows(self.list)
        return [key for first, last in rows for key in self._model.keys[first : last + 1]]

    def show_progress(self, progress: QueueProgress) -> None:
        """Show how far the labeler is."""
        self.bar.setMaximum(max(progress.total, 1))
        self.bar.setValue(progress.done)
        words = [f"{progress.done:,} of {progress.total:,} done"]
        if self.menus.working:
            left = progress.total - progress.done
            words.insert(0, f"{left:,} evaluation{'' if left == 1 else 's'} to go")
        if progress.skipped:
            words.append(f"{progress.skipped:,} skipped")
        if progress.flagged:
            words.append(f"{progress.flagged:,} flagged")
        self.counts.setText(" · ".join(words))
        self.bar.setAccessibleDescription(self.counts.text())

    def show_problem(self, error: ReviewerError | None) -> None:
        """Show why a filter cannot be understood, or nothing."""
        self.filter.show_problem(error)

    def show_empty(self, sentence: str) -> None:
        """Say why the queue is empty, or show the list."""
        self.empty.say(sentence)
        self.list.setVisible(not sentence)

    def show_filter(self, words: str | None, order: QueueOrder, working: str = "") -> None:
        """Show a filter and an order, or a queue for people, without asking for them.

        Without `words` the filter stays as it is shown.
        """
        if words is None:
            words = self.filter.text()
        else:
            self.filter.show_filter(words)
        if "picker" in vars(self) and self.picker.isVisible():
            self.picker.show_filter(self.filter.chips)
        self.menus.show_in_force(words, order, working)
        # a run, a state or a saved view stands once: in the menu that names it
        self.filter.show_chips(shown=not self.menus.named(words))
        self.validate.setVisible(not working)

    def show_known(self, sentence: str) -> None:
        """Show the known answers of the evaluation in view, or nothing."""
        say(self.known, sentence)

    def _wish_validation(self) -> None:
        self.command_requested.emit("window.validate")

    def _arrange(self) -> None:
        px = self._theme.px
        row = FlowLayout(spacing=px(6))
        layouts.fill(row, self.menus.filters, self.menus.orders, self.pick, self.validate)
        head = layouts.column(
            self.filter,
            row,
            self.bar,
            self.counts,
            self.known,
            self.empty,
            margins=(px(12), 0, px(12), px(4)),
            gap=px(8),
        )
        self.known.hide()
        self.validate.setToolTip(VALIDATE_HELP)
        self.validate.let_shrink()
        # what is empty takes the room of the list where that is out of sight
        layouts.column(head, (self.list, 1), 0, on=self, margins=(0, px(10), 0, 0), gap=px(8))
        self.list.setMinimumWidth(px(170))

    def edit_filter(self) -> None:
        """Put the cursor into the filter."""
        self.edit.setFocus()
        self.edit.selectAll()

    def set_filter(self, words: str) -> None:
        """Put a filter in force."""
        self.filter.set_filter(words)

    def clear_filter(self) -> None:
        """Ask for everything."""
        self.set_filter("")

    def let_go(self) -> None:
        """Take back what cannot be read, and what finds nothing: all but the run one is in."""
        self.filter.drop_unreadable()
        if self.empty.may_clear:
            runs = [x for x in self.filter.chips if isinstance(x, Term) and x.field == "run"]
            words = to_text(joined(runs[:1])) if runs else ""
            self.set_filter("" if words == self.filter.text() else words)

    def _keep(self) -> None:
        self.save_requested.emit(self.filter.text())

    def _wish(self, words: str) -> None:
        self.filter_requested.emit(words, self.menus.order.value)

    def _open_picker(self) -> None:
        self.filter.commit()
        self.picker.open(self.filter.chips, self.pick)

    def _turn(self, term: Term) -> None:
        self.filter.turn(term)
        self.picker.show_filter(self.filter.chips)

    def _picked(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self._model.keys[index.row()])


class NothingFound(QWidget):
    """Why the list is empty, and the ways out of it.

    Signals:
        dropped: The filter's part at this place is to go.
        cleared: The whole filter is to go.
    """

    dropped = Signal(int)
    cleared = Signal()

    def __init__(self) -> None:
        """Say nothing."""
        super().__init__()
        self._words = text("", "muted", wrap=True)
        self._ways = layouts.column(gap=2)
        self._clear = Button("Clear the filter", self.cleared.emit, dense=True, key="Esc")
        layouts.column(self._words, self._ways, self._clear, 1, on=self, margins=0, gap=8)
        self.hide()

    def text(self) -> str:
        """Give what is said."""
        return self._words.text() if not self.isHidden() else ""

    @property
    def may_clear(self) -> bool:
        """Tell whether a filter is why nothing is shown."""
        return not self.isHidden() and not self._clear.isHidden()

    def say(self, words: str) -> None:
        """Say why the list is empty; without words the list is shown."""
        clear(self._ways)
        self._words.setText(words)
        self._clear.setVisible(words == NO_MATCH)
        self.setVisible(bool(words))

    def show_ways(self, parts: Sequence[Filter], counts: Sequence[int]) -> None:
        """Offer to leave out a part of the filter, each with what would then be found."""
        clear(self._ways)
        for at, (part, count) in enumerate(zip(parts, counts, strict=True)):
            if count and len(parts) > 1:
                words = f"Without {name_line(facets.in_words(part), 30)}: {count:,}"
                way = Button(words, partial(self.dropped.emit, at), kind="link")
                way.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                layouts.fill(self._ways, way)


RUNS_LISTED = 12
STATES = {"": "All evaluations", "state:open": "Open", "state:skipped": "Skipped",
          "state:flagged": "Flagged"}  # fmt: skip
ASKED = "asked:me"
SHORT = {"": "all", "state:open": "open", "state:skipped": "skipped", "state:flagged": "flagged",
         ASKED: "sent back to you"}  # fmt: skip
COMMANDS = {
    "window.label_recent": "Label 10 random of the last 10 days",
    "window.new_queue": "New queue…",
    "window.queues": "All queues…",
}


class QueueMenus(QObject):
    """Which filters, runs, saved filters and queues for people there are, and the one in force.

    Signals:
        filter_chosen: A filter is to hold.
        order_chosen: The order changed.
        queue_chosen: A queue for people is to be worked on, by its name.
        save_chosen: The present filter is to be kept.
        forget_chosen: A saved filter is to be forgotten, by its name.
        command_chosen: A command of the window is to be run, by its id.

    Attributes:
        list_given: Gives the queues that the labeler has a part in, with how far they are.
        count_asked: Counts the evaluations that a lead sent back to the labeler.
    """

    filter_chosen = Signal(str)
    order_chosen = Signal()
    queue_chosen = Signal(str)
    save_chosen = Signal()
    forget_chosen = Signal(str)
    command_chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        """Make both menus with nothing but what every project has."""
        super().__init__(parent)
        self.order = QueueOrder.FILE
        self.working = ""
        self._words = ""
        self._saved: dict[str, SavedView] = {}
        self._runs: list[str] = []
        self.list_given: Callable[[], list[tuple[str, str]]] = list
        self.count_asked: Callable[[], int] = int
        self._may_gap = True
        self.filters = _menu_button("Queue: all", self._fill_filters)
        self.orders = _menu_button("Order: file", self._fill_orders)
        self._name()

    def set_saved(self, saved: dict[str, SavedView]) -> None:
        """Offer the project's saved views."""
        self._saved = dict(saved)
        self._name()

    def set_runs(self, runs: Sequence[str]) -> None:
        """Offer the project's runs, newest first, as queues."""
        self._runs = list(runs)
        self._name()

    def set_blind(self, *, blind: bool) -> None:
        """Offer the order by gap only where it gives nothing away."""
        self._may_gap = not blind
        if blind and self.order is QueueOrder.GAP:
            self.order = QueueOrder.FILE
        self._name()

    def show_in_force(self, words: str, order: QueueOrder, working: str = "") -> None:
        """Show what holds: a filter and an order, or a queue for people by its name."""
        self._words, self.order, self.working = words, order, working
        self.orders.setVisible(not working)
        self._name()

    def named(self, words: str) -> str:
        """Give the name that the menu has for a filter: of a view, a run or a state, else ""."""
        names = SHORT | {run_filter(run): run for run in self._runs}
        return (names | {view.words: name for name, view in self._saved.items()}).get(words, "")

    def _name(self) -> None:
        name = self.working or self.named(self._words) or "filtered"
        write(
            self.filters,
            f"Queue: {name_line(name, 30 if self.working else 22)} ▾",
            name=f"Queue: {name}",
        )
        write(self.orders, f"Order: {self.order.value} ▾", name=f"Order: {self.order.value}")

    def _fill_orders(self) -> None:
        menu = self.orders.menu()
        menu.clear()
        for order in QueueOrder:
            action = menu.addAction(order.value.capitalize())
            action.setEnabled(order is not QueueOrder.GAP or self._may_gap)
            action.triggered.connect(lambda _=False, x=order: self._set_order(x))

    def _set_order(self, order: QueueOrder) -> None:
        self.order = order
        self._name()
        self.order_chosen.emit()

    def _fill_filters(self) -> None:
        menu = self.filters.menu()
        menu.clear()
        menu.setToolTipsVisible(True)
        for words, title in STATES.items():
            self._add(menu, title, words)
        self._add(menu, f"Sent back to you ({self.count_asked():,})", ASKED)
        self._add_given(menu)
        menu.addSeparator()
        for run in self._runs[:RUNS_LISTED]:
            self._add(menu, f"Run {run}", run_filter(run))
        menu.addSeparator()
        for name, view in self._saved.items():
            action = menu.addAction(literal(name_line(name, 40)))
            action.setToolTip(f"{view.words}, {view.order}")
            action.triggered.connect(lambda _=False, x=view: self._choose(x))
        keep = menu.addAction("Save as a view…")
        keep.setEnabled(bool(self._words) and not self.working)
        keep.triggered.connect(lambda _=False: self.save_chosen.emit())
        if self._saved:
            forget = menu.addMenu("Forget a view")
            for name in self._saved:
                forget.addAction(literal(name)).triggered.connect(
                    lambda _=False, x=name: self.forget_chosen.emit(x)
                )

    def _choose(self, view: SavedView) -> None:
        may = view.order is not QueueOrder.GAP or self._may_gap
        self.order = view.order if may else QueueOrder.FILE
        self.filter_chosen.emit(view.words)

    def _add(self, menu: QMenu, title: str, words: str) -> None:
        menu.addAction(literal(title)).triggered.connect(
            lambda _=False, x=words: self.filter_chosen.emit(x)
        )

    def _add_given(self, menu: QMenu) -> None:
        """List the labeler's queues with how far they are, and the ways to make and see more."""
        menu.addSeparator()
        for name, progress in self.list_given():
            action = menu.addAction(literal(f"{name_line(name, 40)}   {progress}"))
            action.setCheckable(True)
            action.setChecked(name == self.working)
            action.triggered.connect(lambda _=False, x=name: self.queue_chosen.emit(x))
        for command, title in COMMANDS.items():
            menu.addAction(title).triggered.connect(
                lambda _=False, x=command: self.command_chosen.emit(x)
            )


def _menu_button(words: str, fill: Callable[[], None]) -> Button:
    button = Button(f"{words} ▾", dense=True)
    button.let_shrink()
    menu = QMenu(button)
    menu.aboutToShow.connect(fill)
    button.setMenu(menu)
    return button
