"""The sections of the Audit page: a row of titles, and the chosen one, read while in view."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.gui.background import Found
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.sections import Reading, Section, Sections
from reviewer.services.audits.auditing import Audit


class AuditSection(Section[Found]):
    """A section on a metric of the scope; it says what to work out in `reading`.

    Signals:
        filter_requested: The page's scope is to be narrowed by words of the filter language.
        metric_requested: Another metric is to be shown, by its name.
    """

    page = "audit"
    working = "Working out the figures…"
    filter_requested = Signal(str)
    metric_requested = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty; subclasses put their cards into `body`."""
        super().__init__(surroundings)
        self.audit: Audit | None = None
        self.chosen_metric = ""

    @classmethod
    def fits(cls, audit: Audit) -> bool:
        """Tell whether the section has anything to say about this rubric."""
        return audit is not None

    @property
    @override
    def about(self) -> str:
        """Give the metric in view."""
        return self.chosen_metric

    def reading(self, audit: Audit, metric: str) -> Reading[Found] | None:
        """Give what is to be worked out beside the window; None where nothing is."""
        raise NotImplementedError

    @override
    def work(self) -> Reading[Found] | None:
        """Give what is to be worked out about the metric in view."""
        return None if self.audit is None else self.reading(self.audit, self.chosen_metric)

    def show_metric(self, audit: Audit, metric: str) -> None:
        """Take other figures, another scope or another metric; read at once where in view."""
        before = None if self.audit is None else (self.audit.request, self.chosen_metric)
        self.audit, self.chosen_metric = audit, metric
        if before == (audit.request, metric) and self.is_reading:
            # dropping it for every label that comes in would never show anything
            self._again = True
            return
        self.renew()

    def refine(self, audit: Audit) -> None:
        """Take the same figures with resampled intervals; nothing is read anew."""
        self.audit = audit


class SectionsView(Sections[AuditSection[Any]]):
    """The sections of the Audit page; it hands on what they ask for.

    Signals as those of `AuditSection`.
    """

    responses_requested = Signal(object, str)
    filter_requested = Signal(str)
    metric_requested = Signal(str)
    noted = Signal(str)

    def __init__(
        self, surroundings: ProjectSurroundings, kinds: Sequence[type[AuditSection[Any]]]
    ) -> None:
        """Make the row, and the first section."""
        self.state = pieces.text("", "muted", wrap=True, name="State of the figures")
        self.nothing = NothingHere(surroundings.theme)
        super().__init__(
            surroundings, kinds, "Figures", self.state, self.nothing, connect=self._hand_on
        )
        self.row.hide()

    def _hand_on(self, made: AuditSection[Any]) -> None:
        pieces.connect(
            (made.responses_requested, self.responses_requested),
            (made.filter_requested, self.filter_requested),
            (made.metric_requested, self.metric_requested),
            (made.noted, self.noted),
        )

    def show_metric(self, audit: Audit, metric: str) -> None:
        """Show figures in the section in view; the others take them when they come into view."""
        self._audit = audit
        self.say("")
        self.nothing.hide()
        self.row.show()
        self.show_fitting(
            [kind.fits(audit) for kind in self._kinds],
            lambda made: made.show_metric(self._audit, metric),
        )

    def refine(self, audit: Audit) -> None:
        """Hand on the same figures with resampled intervals."""
        if self.is_given:
            self._audit = audit
            for made in self._made.values():
                made.refine(audit)

    def show_nothing(self, sentence: str) -> None:
        """Show a sentence in place of figures."""
        self.nothing.hide()
        self.show_none()
        self.say(sentence)
        self.row.hide()

    def show_empty(self, *, narrowed: bool) -> None:
        """Say that the scope holds no response, and what to do about it."""
        self.show_nothing(NOTHING if narrowed else NO_RESPONSES)
        self.nothing.offer(narrowed=narrowed)

    def tell_how_far(self, done: int, total: int) -> None:
        """Say how far the figures are where none are shown yet."""
        if not self.is_given:
            self.say(f"Computing the figures… {done:,} of {total:,} metrics")

    def say(self, sentence: str) -> None:
        """Show a sentence above the sections, or nothing."""
        pieces.say(self.state, sentence)


NOTHING = "No response is in this scope."
NO_RESPONSES = "The project has no responses yet. Import evaluation results first."


class NothingHere(QWidget):
    """The ways out of an empty scope, as buttons.

    Signals:
        everything_requested: The scope is to let everything in again.
        command_requested: A command of the window is to be run, by its id.
    """

    everything_requested = Signal()
    command_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the buttons, out of sight."""
        super().__init__()
        row = layouts.FlowLayout(self, spacing=theme.px(8))
        self.widen = pieces.Button("Clear filter and choices", self.everything_requested.emit)
        self.bring = pieces.Button(
            "Import results…",
            partial(self.command_requested.emit, "window.import"),
            name="Import results",
        )
        layouts.fill(row, self.widen, self.bring)
        self.hide()

    def offer(self, *, narrowed: bool) -> None:
        """Offer what helps: to widen the scope, or to bring results where nothing narrows it."""
        self.widen.setVisible(narrowed)
        self.bring.setVisible(not narrowed)
        self.show()
