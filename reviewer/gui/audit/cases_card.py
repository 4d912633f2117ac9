"""The list of cases: sorted by its heads, narrowed by state and cause, many selected at once."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QMenu
from typing_extensions import override

from reviewer.domain.wording import counted, gap_words, in_percent, score_words
from reviewer.gui.audit.cause_bar import SHORT, CauseBar
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import SplitCard
from reviewer.gui.kit.grid import Cell, Column, GridModel, GridView
from reviewer.gui.kit.tables import count_selected, select_only, selected_rows
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.adjudicating.decisions import TITLES, Cause
from reviewer.services.adjudicating.disputes import (
    EXPLAINED,
    STANDINGS,
    DisputeRow,
    Disputes,
    Order,
    Standing,
)

_Index = QModelIndex | QPersistentModelIndex
Read = Callable[[Sequence[int]], list[DisputeRow]]
BLOCK = 64
BLOCKS_KEPT = 60
COLUMNS = (
    Column("response", wraps=True),
    Column("auto", 42, number=True, tip="The judge's score that counts."),
    Column("human", 50, number=True, tip="What was decided, else the mean of people's labels."),
    Column("gap", 56, number=True, tip="Human minus auto."),
    Column("spread", 50, number=True, tip="Highest minus lowest label.", drop=2),
    Column("state", 82, drop=1),
)
ORDERS: dict[int, Order] = {
    1: Order.AUTO, 2: Order.HUMAN, 3: Order.GAP, 4: Order.SPREAD, 5: Order.STATE,
}  # fmt: skip
"""What a click on the head of a column sorts by."""
NOTHING = (Cell(""),) * len(COLUMNS)


class CasesModel(GridModel):
    """Cases in an order; rows are read in blocks as the view asks for them."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty list."""
        super().__init__(theme, COLUMNS)
        self._read: Read = lambda _: []
        self._ids: array[int] = array("q")
        self._sorted: array[int] = array("q")
        self._places: array[int] = array("q")
        self._blocks: OrderedDict[int, dict[int, tuple[Cell, ...]]] = OrderedDict()

    def show_keys(self, keys: Sequence[int], read: Read) -> None:
        """Show other cases, in the order of their keys; `read` fetches a block of rows."""
        self.beginResetModel()
        self._read = read
        self._ids = array("q", keys)
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        self._places = array("q", order)
        self._sorted = array("q", (self._ids[place] for place in order))
        self._blocks.clear()
        self.endResetModel()

    def read_again(self, read: Read) -> None:
        """Read the rows anew as they come in sight: the cases are the same."""
        self._read = read
        self._blocks.clear()
        if self._ids:
            last = self.index(len(self._ids) - 1, len(COLUMNS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def place_of(self, key: Hashable) -> int | None:
        """Find the row of a case."""
        if not isinstance(key, int):
            return None
        at = bisect_left(self._sorted, key)
        if at < len(self._sorted) and self._sorted[at] == key:
            return self._places[at]
        return None

    def keys_between(self, first: int, last: int) -> Sequence[int]:
        """Give the cases from one row to another, both included."""
        return self._ids[first : last + 1]

    @property
    @override
    def keys(self) -> Sequence[int]:
        """Give the keys of the cases in order."""
        return self._ids

    @property
    @override
    def has_second_lines(self) -> bool:
        """Say that rows have two lines, without reading them."""
        return True

    @override
    def cell(self, row: int, column: int) -> Cell:
        """Give one cell, reading its block where that is still to do."""
        at = row // BLOCK
        block = self._blocks.get(at)
        if block is None:
            block = self._load(at)
        else:
            self._blocks.move_to_end(at)
        return block.get(self._ids[row], NOTHING)[column]

    @override
    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the cases."""
        return 0 if parent.isValid() else len(self._ids)

    def _load(self, at: int) -> dict[int, tuple[Cell, ...]]:
        block = {
            row.key: _cells(row) for row in self._read(self._ids[at * BLOCK : (at + 1) * BLOCK])
        }
        self._blocks[at] = block
        if len(self._blocks) > BLOCKS_KEPT:
            self._blocks.popitem(last=False)
        return block


def _cells(row: DisputeRow) -> tuple[Cell, ...]:
    title = one_line(row.title, 300)
    sure = (
        "" if row.confidence is None else f"\nThe judge is {in_percent(row.confidence, 0)} sure."
    )
    return (
        Cell(title, tip=f"{row.run} / {row.id}\n{title}{sure}"),
        Cell(score_words(row.auto), "auto"),
        Cell(score_words(row.human), "human"),
        Cell(gap_words(row.gap), strong=True),
        Cell(score_words(row.spread) if row.spread else "", "muted"),
        _state(row),
    )


def _state(row: DisputeRow) -> Cell:
    if row.standing is None and row.cause is None:
        return Cell("agree", "muted", "People and judge say the same.")
    tips = [EXPLAINED[row.standing]] if row.standing else []
    words = str(row.standing or "explained")
    if row.cause is not None:
        tips.append(f"Cause: {TITLES[row.cause]}.")
        if words in ("open", "disputed"):
            words = SHORT[row.cause]
    role = {"answered": "human", "newer labels": "human", "adjudicated": "adjusted"}.get(words)
    return Cell(words, role or "muted", "\n".join(tips))


SORTED = {
    Order.GAP: "gap", Order.SPREAD: "spread", Order.CONFIDENCE: "judge's confidence",
    Order.DATE: "date", Order.STATE: "state", Order.AUTO: "auto", Order.HUMAN: "human",
    Order.GIVEN: "as listed",
}  # fmt: skip
UPWARDS = (Order.STATE, Order.CONFIDENCE, Order.GIVEN)
"""Orders that begin with the lowest: what waits first, and what the judge is least sure of."""

SEEN = 118
"""Pixels at 100 % of the table that are always there: its head and two rows."""


class CasesCard(SplitCard):
    """The list; Return or a double click opens an evaluation on Review.

    Signals:
        case_chosen: Another evaluation is the current one, by its key.
        open_requested: An evaluation is to be shown on Review, by its key.
        all_requested: The whole list is wanted again, not one cell of it.
        narrowed: Another state, cause or order is wanted.
        filter_requested: The scope is to be narrowed by words of the filter language.
    """

    case_chosen = Signal(int)
    open_requested = Signal(int)
    all_requested = Signal()
    narrowed = Signal()
    filter_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make an empty list."""
        super().__init__("Disagreements")
        self._theme = theme
        self.order, self.descending = Order.GAP, True
        self.standing: Standing | None = None
        self.bulk_menu: Callable[[], QMenu] | None = None
        self._counts: dict[Standing, int] = {}
        self.what = pieces.ElidedText("", "small")
        self.what.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self.show_all = pieces.Button("Show all", self.all_requested.emit, kind="link")
        self.notice = pieces.ElidedText("", "small")
        self.held_out = pieces.named(pieces.ElidedText("", "small"), "What is held out")
        self.without_held_out = pieces.Button(
            "Leave them out", lambda: self.filter_requested.emit("part:dev"), kind="link"
        )
        self.states = pieces.Button("State: all ▾", self._open_states, dense=True)
        self.sorting = pieces.Button("Sort: gap ▾", self._open_orders, dense=True)
        self.selection = pieces.Button("Selected: 0 ▾", self._open_bulk, dense=True)
        self.causes = CauseBar(theme)
        self.causes.cause_chosen.connect(lambda _: self.narrowed.emit())
        self.rows = CasesModel(theme)
        self.table = GridView(theme, COLUMNS, "Disagreements, the largest gap first", self.rows)
        self._leave_room()
        self._theme.changed.connect(self._leave_room)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        pieces.connect(
            (self.table.row_chosen, lambda key: self.case_chosen.emit(int(str(key)))),
            (self.table.row_opened, lambda key: self.open_requested.emit(int(str(key)))),
            (self.table.selectionModel().selectionChanged, lambda *_: self._count_selected()),
        )
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_bulk_at)
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._sort_by_head)
        layouts.fill(self.head, (self.what, 4), self.show_all)
        row = layouts.FlowLayout(spacing=self._theme.px(6))
        layouts.fill(row, self.states, self.sorting, self.selection, self.causes.todo)
        layouts.fill(
            self.body,
            row,
            self.causes,
            self.notice,
            layouts.row((self.held_out, 1), self.without_held_out),
            (self.table, 1),
        )

    def _leave_room(self) -> None:
        self.table.setMinimumHeight(self._theme.px(SEEN))

    @property
    def cause(self) -> Cause | None:
        """Give the cause that the list is narrowed to."""
        return self.causes.chosen

    def show_cases(
        self, keys: Sequence[int], read: Read, what: str, notice: str, *, narrowed: bool
    ) -> None:
        """Show a list; `notice` says what is left out of it. What was chosen stays chosen."""
        chosen = self.table.chosen()
        self.title.setText("Responses" if narrowed else "Disagreements")
        self.what.setText(what)
        self.show_all.setVisible(narrowed)
        pieces.say(self.notice, notice)
        self.rows.show_keys(keys, read)
        if (chosen is None or not self.table.choose(chosen)) and keys:
            self.table.choose(keys[0])
        self._count_selected()

    def show_held_out(self, count: int) -> None:
        """Say how many of the listed cases no prompt of a judge may be made with."""
        of_these = counted(count, "of these is", "of these are")
        self.held_out.setText(
            f"{of_these} held out to test judges; whoever writes their prompts leaves them unread."
        )
        pieces.show(self.held_out, self.without_held_out, shown=count > 0)

    def show_counts(self, disputes: Disputes) -> None:
        """Show how many cases stand how, and why."""
        self._counts = disputes.standing_counts()
        self.causes.show_counts(disputes.counts())
        words = "all" if self.standing is None else str(self.standing)
        self.states.setText(f"State: {words} ▾")
        self.sorting.setText(f"Sort: {SORTED[self.order]} {'↓' if self.descending else '↑'} ▾")
        self.table.keep_column(next((x for x, by in ORDERS.items() if by is self.order), None))
        self.table.setAccessibleName(
            f"Disagreements by {SORTED[self.order]}, "
            f"{'the highest' if self.descending else 'the lowest'} first"
        )

    def reset(self) -> None:
        """Show every state and cause, the largest gap first."""
        self.standing, self.order, self.descending = None, Order.GAP, True
        self.causes.reset()

    def selected(self) -> list[int]:
        """Give the keys of the selected cases, in the list's order."""
        rows = selected_rows(self.table)
        return [key for first, last in rows for key in self.rows.keys_between(first, last)]

    def step(self, by: int) -> bool:
        """Go to another case of the list; tells whether there is one."""
        place = self.table.currentIndex().row() + by
        if not 0 <= place < self.rows.rowCount():
            return False
        select_only(self.table, self.rows.index(place, 0))
        return True

    def sort_by(self, order: Order) -> None:
        """Sort by something, or turn the present order round."""
        if order is self.order:
            self.descending = not self.descending
        else:
            self.order, self.descending = order, order not in UPWARDS
        self.narrowed.emit()

    def choose_standing(self, standing: Standing | None) -> None:
        """List one state alone, or all."""
        self.standing = standing
        self.narrowed.emit()

    def _sort_by_head(self, column: int) -> None:
        if column in ORDERS:
            self.sort_by(ORDERS[column])

    def _count_selected(self) -> None:
        count = count_selected(self.table)
        pieces.write(
            self.selection,
            f"Selected: {count:,} ▾",
            name=f"Selected: {count:,}, what to do with them",
        )
        self.selection.setEnabled(count > 0)

    def _open_states(self) -> None:
        menu = QMenu(self.states)
        every = menu.addAction("All")
        every.setCheckable(True)
        every.setChecked(self.standing is None)
        every.triggered.connect(lambda: self.choose_standing(None))
        for standing in STANDINGS:
            count = self._counts.get(standing, 0)
            action = menu.addAction(f"{str(standing).capitalize()}   {count:,}")
            action.setCheckable(True)
            action.setChecked(standing is self.standing)
            action.setEnabled(count > 0 or standing is self.standing)
            action.triggered.connect(lambda _=False, x=standing: self.choose_standing(x))
        _drop(menu, self.states)

    def _open_orders(self) -> None:
        menu = QMenu(self.sorting)
        for order, words in SORTED.items():
            if order is Order.GIVEN and self.order is not Order.GIVEN:
                continue
            action = menu.addAction(words.capitalize())
            action.setCheckable(True)
            action.setChecked(order is self.order)
            action.triggered.connect(lambda _=False, x=order: self.sort_by(x))
        _drop(menu, self.sorting)

    def _open_bulk(self) -> None:
        if self.bulk_menu is not None:
            _drop(self.bulk_menu(), self.selection)

    def _open_bulk_at(self, place: QPoint) -> None:
        if self.bulk_menu is not None and self.selected():
            self.bulk_menu().popup(self.table.viewport().mapToGlobal(place))


def _drop(menu: QMenu, button: pieces.Button) -> None:
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(button.mapToGlobal(QPoint(0, button.height())))
