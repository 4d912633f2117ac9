"""What to do next: one list for the scope, each with its reason and a button."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.listing import Listing
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.services.adjudicating.next_steps import Act, NextStep

NOTHING = "Nothing is waiting for you here."
WORKING = "Looking for what would help most…"


class NextCard(pieces.Card):
    """The steps, numbered, the first one as the window's main button.

    Signals:
        chosen: A step is to be taken, a `NextStep`.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        """Make a card that waits."""
        super().__init__("What next")
        self.theme = theme
        self.state = pieces.text(WORKING, "muted", wrap=True)
        self._rows = layouts.column(gap=theme.px(10))
        self.buttons: list[pieces.Button] = []
        layouts.fill(self.body, self.state, self._rows)

    def show_steps(self, steps: Sequence[NextStep]) -> None:
        """Show what to do."""
        pieces.say(self.state, "" if steps else NOTHING)
        pieces.clear(self._rows)
        self.buttons = []
        for number, step in enumerate(steps, start=1):
            if number > 1:
                self._rows.addWidget(pieces.line())
            self._rows.addWidget(self._row(number, step))

    def _row(self, number: int, step: NextStep) -> QWidget:
        made = QWidget()
        button = pieces.Button(
            step.button,
            partial(self.chosen.emit, step),
            kind="primary" if number == 1 else "",
            dense=True,
            name=f"{step.button.rstrip('…')}: {step.title}",
        )
        self.buttons.append(button)
        layouts.row(
            layouts.column(pieces.text(f"{number}", "muted"), 1),
            (
                layouts.column(
                    pieces.text(step.title, "strong", wrap=True),
                    pieces.text(step.reason, "small", wrap=True),
                    gap=2,
                ),
                1,
            ),
            layouts.column(button, 1),
            on=made,
            margins=0,
            gap=self.theme.px(10),
        )
        return made


class RightSide(QWidget):
    """What to do next while Trust is in view, else the responses behind the figures."""

    def __init__(self, theme: Theme, cases: CasesSide) -> None:
        """Show what to do next."""
        super().__init__()
        self.steps = NextCard(theme)
        self._cases = cases
        holder = pieces.dressed(QWidget(), kind="scrolled")
        layouts.column(self.steps, 1, on=holder, margins=0, gap=pieces.GAP)
        self._next = pieces.ScrolledColumn(holder, "What next")
        self.back = pieces.Button(
            "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK} What next",
            self._go_back,
            kind="link",
            name="What next",
        )
        layouts.column(self._next, layouts.row(self.back, 1), cases, on=self, margins=0, gap=4)
        self.show_cases(shown=False)

    def show_cases(self, *, shown: bool, back: bool = False) -> None:
        """Show responses, with a way `back` or without, or what to do next."""
        self._cases.setVisible(shown)
        self._next.setVisible(not shown)
        self.back.setVisible(shown and back)

    def _go_back(self) -> None:
        self.show_cases(shown=False)
        if self.steps.buttons:
            # the link that had the keys is gone
            self.steps.buttons[0].setFocus()


class StepTaker(QObject):
    """Takes the steps that are chosen.

    Signals:
        command_requested: A command of the window is to be run, by its id.
        page_requested: Another page is to be shown, by its id.
        metric_requested: Another metric is to be shown, by its name.
        queue_requested: A queue of more labels is wanted, as the step says.
    """

    command_requested = Signal(str)
    queue_requested = Signal(object)
    page_requested = Signal(str)
    metric_requested = Signal(str)

    def __init__(self, right: RightSide, cases: CasesSide, listing: Listing) -> None:
        """Serve the list of steps."""
        super().__init__(right)
        self._right, self._cases, self._listing = right, cases, listing
        right.steps.chosen.connect(self.take)

    def take(self, step: NextStep) -> None:
        """Take a step."""
        if step.metric:
            self.metric_requested.emit(step.metric)
        acts: dict[Act, Callable[[], object]] = {
            "decide": lambda: self._list(step),
            "list": lambda: self._list(step),
            "prompts": lambda: self.command_requested.emit("window.prompts"),
            "queue": lambda: self.queue_requested.emit(step),
            "todo": self._cases.show_todo,
            "runs": lambda: self.page_requested.emit("runs"),
        }
        acts[step.act]()

    def _list(self, step: NextStep) -> None:
        self._right.show_cases(shown=True, back=True)
        self._listing.show_responses(step.keys, step.title)
        self._cases.focus_list()
