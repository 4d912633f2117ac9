"""The list of cases: sorted by its heads, narrowed by state and cause, many selected at once."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QMenu

from reviewer.gui.audit.cases_model import COLUMNS, ORDERS, CasesModel, Read
from reviewer.gui.audit.cause_bar import CauseBar
from reviewer.gui.kit import pieces
from reviewer.gui.kit.cards_split import SplitCard
from reviewer.gui.kit.grid import GridView
from reviewer.gui.kit.selecting import count_selected, select_only, selected_rows
from reviewer.gui.kit.theme import Theme
from reviewer.services.deciding.causes import Cause
from reviewer.services.deciding.disputes import STANDINGS, Disputes, Order, Standing

SORTED = {
    Order.GAP: "gap", Order.SPREAD: "spread", Order.CONFIDENCE: "judge's confidence",
    Order.DATE: "date", Order.STATE: "state", Order.AUTO: "auto", Order.HUMAN: "human",
    Order.GIVEN: "as listed",
}  # fmt: skip
UPWARDS = (Order.STATE, Order.CONFIDENCE, Order.GIVEN)
"""Orders that begin with the lowest: what waits first, and what the judge is least sure of."""

SEEN = 100
"""Pixels at 100 % of the table that are always there: its head and three rows."""


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
        self.held_out = pieces.ElidedText("", "small")
        self.held_out.setAccessibleName("What is held out")
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
        self._prepare_table()
        self._arrange()

    def _prepare_table(self) -> None:
        self._leave_room()
        self._theme.changed.connect(self._leave_room)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.row_chosen.connect(lambda key: self.case_chosen.emit(int(str(key))))
        self.table.row_opened.connect(lambda key: self.open_requested.emit(int(str(key))))
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._count_selected())
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_bulk_at)
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._sort_by_head)

    def _leave_room(self) -> None:
        self.table.setMinimumHeight(self._theme.px(SEEN))

    def _arrange(self) -> None:
        self.head.addWidget(self.what, 4)
        self.head.addWidget(self.show_all)
        row = pieces.FlowLayout(spacing=self._theme.px(6))
        for button in (self.states, self.sorting, self.selection, self.causes.todo):
            row.addWidget(button)
        self.body.addLayout(row)
        self.body.addWidget(self.causes)
        self.body.addWidget(self.notice)
        held_out = QHBoxLayout()
        held_out.addWidget(self.held_out, 1)
        held_out.addWidget(self.without_held_out)
        self.body.addLayout(held_out)
        self.body.addWidget(self.table, 1)

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
        self.notice.setText(notice)
        self.notice.setVisible(bool(notice))
        self.rows.show_keys(keys, read)
        if (chosen is None or not self.table.choose(chosen)) and keys:
            self.table.choose(keys[0])
        self._count_selected()

    def show_held_out(self, count: int) -> None:
        """Say how many of the listed cases no prompt of a judge may be made with."""
        of_these = "1 of these is" if count == 1 else f"{count:,} of these are"
        self.held_out.setText(
            f"{of_these} held out to test judges; whoever writes their prompts leaves them unread."
        )
        for widget in (self.held_out, self.without_held_out):
            widget.setVisible(count > 0)

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
        self.selection.setText(f"Selected: {count:,} ▾")
        self.selection.setAccessibleName(f"Selected: {count:,}, what to do with them")
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
