"""The left pane: filter, order, progress and the queue itself."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMenu,
    QProgressBar,
    QTableView,
    QToolButton,
    QVBoxLayout,
)
from typing_extensions import override

from reviewer.gui.pieces import FlowLayout, Panel, set_property, text
from reviewer.gui.review.queue_delegate import QueueDelegate
from reviewer.gui.review.queue_model import QueueModel
from reviewer.gui.text import one_line
from reviewer.gui.theme import Theme
from reviewer.services.queue_memory import run_filter
from reviewer.services.queues import QueueOrder, QueueProgress

RUNS_LISTED = 12
FILTER_HELP = (
    "Words search question and answer. Also: category:policies · state:open · labeler:2 · tag:x · "
    'run:"agent v7" · text:"pool bar" · gap>1 (after the reveal) · -flag'
)


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
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
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
        """Take arrows and paging only; every other key belongs to the commands."""
        moving = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
        if event.key() in (*moving, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            super().keyPressEvent(event)
        else:
            event.ignore()


class QueueView(Panel):
    """The queue with its filter.

    Signals:
        chosen: The evaluation with this key was picked.
        filter_requested: A filter text and an order are wished for.
        save_requested: The present filter shall be kept under a name.
    """

    chosen = Signal(int)
    filter_requested = Signal(str, str)
    save_requested = Signal(str)
    forget_requested = Signal(str)

    def __init__(self, theme: Theme, model: QueueModel) -> None:
        """Show a model's evaluations."""
        super().__init__("right")
        self._theme = theme
        self._model = model
        self._order = QueueOrder.FILE
        self._saved: dict[str, str] = {}
        self._runs: list[str] = []
        self._may_gap = True
        self.edit = QLineEdit()
        self.edit.setPlaceholderText("Filter: category, score, text…")
        self.edit.setClearButtonEnabled(True)
        self.edit.setAccessibleName("Filter the queue")
        self.edit.setToolTip(FILTER_HELP)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(180)
        self._delay.timeout.connect(self._ask)
        self.edit.textEdited.connect(lambda _: self._delay.start())
        self.edit.returnPressed.connect(self._ask_and_leave)
        self.problem = text("", "alert", wrap=True)
        self.problem.hide()
        self._filters = _menu_button("Queue: all")
        self._orders = _menu_button("Order: file")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setProperty("role", "adjusted")
        self.bar.setAccessibleName("Progress of the queue")
        self.counts = text("", "small", wrap=True)
        self.empty = text("", "muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.list = QueueList(theme)
        self.list.setModel(model)
        self.list.selectionModel().currentChanged.connect(self._picked)
        self._arrange()
        self._fill_orders()
        self._fill_filters()

    @property
    def order(self) -> QueueOrder:
        """Give the order in force."""
        return self._order

    def select(self, key: int) -> None:
        """Mark an evaluation as the one in view, without asking for it again."""
        place = self._model.place_of(key)
        blocked = self.list.selectionModel().blockSignals(True)  # noqa: FBT003 - Qt's signature
        if place is None:
            self.list.clearSelection()
        else:
            index = self._model.index(place)
            self.list.setCurrentIndex(index)
            self.list.scrollTo(index)
        self.list.selectionModel().blockSignals(blocked)
        self.list.update()

    def show_progress(self, progress: QueueProgress) -> None:
        """Show how far the labeler is."""
        self.bar.setMaximum(max(progress.total, 1))
        self.bar.setValue(progress.done)
        words = [f"{progress.done:,} of {progress.total:,} done"]
        if progress.skipped:
            words.append(f"{progress.skipped:,} skipped")
        if progress.flagged:
            words.append(f"{progress.flagged:,} flagged")
        self.counts.setText(" · ".join(words))
        self.bar.setAccessibleDescription(self.counts.text())

    def show_problem(self, sentence: str) -> None:
        """Show why a filter cannot be understood, or nothing."""
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
        set_property(self.edit, "wrong", "true" if sentence else "false")

    def show_empty(self, sentence: str) -> None:
        """Say why the queue is empty, or show the list."""
        self.empty.setText(sentence)
        self.empty.setVisible(bool(sentence))
        self.list.setVisible(not sentence)

    def set_saved(self, saved: dict[str, str]) -> None:
        """Offer the project's saved filters."""
        self._saved = dict(saved)
        self._fill_filters()

    def set_runs(self, runs: Sequence[str]) -> None:
        """Offer the project's runs, newest first, as queues."""
        self._runs = list(runs)
        self._fill_filters()

    def show_filter(self, words: str, order: QueueOrder) -> None:
        """Show a filter and an order without asking for them."""
        self.edit.setText(words)
        self._order = order
        self._fill_orders()
        self._fill_filters()

    def set_blind(self, *, blind: bool) -> None:
        """Offer the order by gap only where it gives nothing away."""
        self._may_gap = not blind
        if blind and self._order is QueueOrder.GAP:
            self._order = QueueOrder.FILE
        self._fill_orders()

    def _arrange(self) -> None:
        px = self._theme.px
        column = QVBoxLayout(self)
        column.setContentsMargins(0, px(10), 0, 0)
        column.setSpacing(px(8))
        head = QVBoxLayout()
        head.setContentsMargins(px(12), 0, px(12), px(4))
        head.setSpacing(px(8))
        head.addWidget(self.edit)
        head.addWidget(self.problem)
        row = FlowLayout(spacing=px(6))
        row.addWidget(self._filters)
        row.addWidget(self._orders)
        head.addLayout(row)
        head.addWidget(self.bar)
        head.addWidget(self.counts)
        head.addWidget(self.empty)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self.list.setMinimumWidth(px(170))

    def _fill_orders(self) -> None:
        menu = self._orders.menu()
        menu.clear()
        for order in QueueOrder:
            action = menu.addAction(order.value.capitalize())
            action.setEnabled(order is not QueueOrder.GAP or self._may_gap)
            action.triggered.connect(lambda _=False, x=order: self._set_order(x))
        self._orders.setText(f"Order: {self._order.value} ▾")

    def _fill_filters(self) -> None:
        menu = self._filters.menu()
        menu.clear()
        menu.addAction("All evaluations").triggered.connect(lambda: self.set_filter(""))
        menu.addAction("Open").triggered.connect(lambda: self.set_filter("state:open"))
        menu.addAction("Skipped").triggered.connect(lambda: self.set_filter("state:skipped"))
        menu.addAction("Flagged").triggered.connect(lambda: self.set_filter("state:flagged"))
        menu.addSeparator()
        for run in self._runs[:RUNS_LISTED]:
            action = menu.addAction(f"Run {run}")
            action.triggered.connect(lambda _=False, x=run: self.set_filter(run_filter(x)))
        menu.addSeparator()
        for name, words in self._saved.items():
            action = menu.addAction(f"{name}   {words}")
            action.triggered.connect(lambda _=False, x=words: self.set_filter(x))
        keep = menu.addAction("Save this filter…")
        keep.setEnabled(bool(self.edit.text().strip()))
        keep.triggered.connect(lambda: self.save_requested.emit(self.edit.text().strip()))
        if self._saved:
            forget = menu.addMenu("Forget")
            for name in self._saved:
                forget.addAction(name).triggered.connect(
                    lambda _=False, x=name: self.forget_requested.emit(x)
                )
        self._name_filter()

    def _name_filter(self) -> None:
        words = self.edit.text().strip()
        fixed = {"": "all", "state:open": "open", "state:skipped": "skipped"}
        names = {run_filter(run): run for run in self._runs}
        names |= {text: name for name, text in self._saved.items()}
        name = names.get(words) or fixed.get(words, "filtered")
        self._filters.setText(f"Queue: {one_line(name, 22)} ▾")

    def edit_filter(self) -> None:
        """Put the cursor into the filter."""
        self.edit.setFocus()
        self.edit.selectAll()

    def set_filter(self, words: str) -> None:
        """Put a filter in force."""
        self.edit.setText(words)
        self._ask()

    def _set_order(self, order: QueueOrder) -> None:
        self._order = order
        self._fill_orders()
        self._ask()

    def _ask(self) -> None:
        self._delay.stop()
        self._fill_filters()
        self.filter_requested.emit(self.edit.text().strip(), self._order.value)

    def _ask_and_leave(self) -> None:
        self._ask()
        self.list.setFocus()

    def _picked(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self._model.keys[index.row()])


def _menu_button(words: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("kind", "pillbutton")
    button.setProperty("dense", "true")
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(QMenu(button))
    button.setText(f"{words} ▾")
    button.setAccessibleName(words)
    return button
