"""The two menus above the queue: what it holds, and in which order."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from reviewer.gui.kit.pieces import Button
from reviewer.gui.kit.text import literal, one_line
from reviewer.services.queueing.queue_memory import run_filter
from reviewer.services.queueing.queues import QueueOrder

RUNS_LISTED = 12
STATES = {"": "All evaluations", "state:open": "Open", "state:skipped": "Skipped",
          "state:flagged": "Flagged"}  # fmt: skip
ASKED = "asked:me"
SHORT = {"": "all", "state:open": "open", "state:skipped": "skipped", "state:flagged": "flagged",
         ASKED: "sent back to you"}  # fmt: skip
COMMANDS = {"window.new_queue": "New queue…", "window.queues": "All queues…"}


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
        self._saved: dict[str, str] = {}
        self._runs: list[str] = []
        self.list_given: Callable[[], list[tuple[str, str]]] = list
        self.count_asked: Callable[[], int] = int
        self._may_gap = True
        self.filters = _menu_button("Queue: all", self._fill_filters)
        self.orders = _menu_button("Order: file", self._fill_orders)
        self._name()

    def set_saved(self, saved: dict[str, str]) -> None:
        """Offer the project's saved filters."""
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

    def _name(self) -> None:
        names = {run_filter(run): run for run in self._runs}
        names |= {text: name for name, text in self._saved.items()}
        name = self.working or names.get(self._words) or SHORT.get(self._words, "filtered")
        self.filters.setText(f"Queue: {one_line(name, 30 if self.working else 22)} ▾")
        self.filters.setAccessibleName(f"Queue: {name}")
        self.orders.setText(f"Order: {self.order.value} ▾")
        self.orders.setAccessibleName(f"Order: {self.order.value}")

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
        for words, title in STATES.items():
            self._add(menu, title, words)
        self._add(menu, f"Sent back to you ({self.count_asked():,})", ASKED)
        self._add_given(menu)
        menu.addSeparator()
        for run in self._runs[:RUNS_LISTED]:
            self._add(menu, f"Run {run}", run_filter(run))
        menu.addSeparator()
        for name, words in self._saved.items():
            self._add(menu, f"{name}   {words}", words)
        keep = menu.addAction("Save this filter…")
        keep.setEnabled(bool(self._words) and not self.working)
        keep.triggered.connect(lambda _=False: self.save_chosen.emit())
        if self._saved:
            forget = menu.addMenu("Forget")
            for name in self._saved:
                forget.addAction(literal(name)).triggered.connect(
                    lambda _=False, x=name: self.forget_chosen.emit(x)
                )

    def _add(self, menu: QMenu, title: str, words: str) -> None:
        menu.addAction(literal(title)).triggered.connect(
            lambda _=False, x=words: self.filter_chosen.emit(x)
        )

    def _add_given(self, menu: QMenu) -> None:
        """List the labeler's queues with how far they are, and the ways to make and see more."""
        menu.addSeparator()
        for name, progress in self.list_given():
            action = menu.addAction(literal(f"{one_line(name, 40)}   {progress}"))
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
