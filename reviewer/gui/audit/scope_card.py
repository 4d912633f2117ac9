"""What the figures are about: run, metric, judge, labelers, category, window."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.gui import pieces
from reviewer.gui.choosing import choice, chosen, offer, offer_names
from reviewer.gui.theme import Theme
from reviewer.services.auditing import ScopeChoices

WINDOWS: tuple[tuple[int | None, str], ...] = (
    (6, "last 6 months"),
    (1, "last month"),
    (3, "last 3 months"),
    (12, "last 12 months"),
    (None, "any date"),
)
WINDOW_TIP = (
    "Bounds means of labelled evaluations, deviations, band and gaps; agreement and corrected "
    "means take every pair."
)


class ScopeCard(pieces.Card):
    """The choices of a scope; the metric chooses only what is shown in detail.

    Signals:
        scope_changed: Other evaluations, labels or scores are to be computed.
        metric_changed: Another metric is to be shown, by its name.
    """

    scope_changed = Signal()
    metric_changed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card with nothing to choose from yet."""
        super().__init__("Scope")
        self.run = choice("Run")
        self.measured = choice("Metric")
        self.judge = choice("Judge")
        self.labeler = choice("Labelers")
        self.category = choice("Category")
        self.span = choice("Window")
        self.blind = QCheckBox("blind labels only")
        for months, title in WINDOWS:
            self.span.addItem(title, months)
        self.span.setToolTip(WINDOW_TIP)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setVerticalSpacing(theme.px(6))
        grid.setHorizontalSpacing(theme.px(8))
        combos = (self.run, self.measured, self.judge, self.labeler, self.category, self.span)
        for row, combo in enumerate(combos):
            grid.addWidget(pieces.text(combo.accessibleName(), "muted"), row, 0)
            grid.addWidget(combo, row, 1)
        grid.addWidget(self.blind, len(combos), 0, 1, 2)
        self.body.addLayout(grid)
        for combo in combos:
            if combo is not self.measured:
                combo.currentIndexChanged.connect(lambda _: self.scope_changed.emit())
        self.measured.currentIndexChanged.connect(lambda _: self._tell_metric())
        self.blind.toggled.connect(lambda _: self.scope_changed.emit())

    def scope(self) -> Scope:
        """Give what was chosen."""
        return Scope(
            runs=chosen(self.run),
            labelers=chosen(self.labeler),
            categories=chosen(self.category),
            scorer=self.judge.currentData(),
            blind_only=self.blind.isChecked(),
            window_months=self.span.currentData(),
        )

    @property
    def chosen_metric(self) -> str:
        """Give the metric that is shown in detail."""
        return str(self.measured.currentData() or "")

    def choose_metric(self, name: str) -> None:
        """Show another metric in detail."""
        place = self.measured.findData(name)
        if place >= 0:
            self.measured.setCurrentIndex(place)

    def choose_category(self, name: str) -> None:
        """Narrow the scope to a category; the one that is chosen already is let go."""
        place = self.category.findData(name)
        if place >= 0:
            self.category.setCurrentIndex(0 if place == self.category.currentIndex() else place)

    def show_choices(
        self, choices: ScopeChoices, rubric: Rubric, metrics: Sequence[str], best: str
    ) -> None:
        """Offer what the project has; what was chosen stays where it is still there.

        `best` is the metric to show where none was chosen before.
        """
        fresh = self.chosen_metric not in metrics
        titles = {metric.name: metric.heading for metric in rubric.metrics}
        offer_names(self.run, "all runs", tuple(reversed(choices.runs)))
        offer_names(self.judge, "the newest", choices.scorers)
        offer_names(self.labeler, "everybody", choices.labelers)
        offer_names(self.category, "all", choices.categories)
        offer(self.measured, "", [(name, titles[name]) for name in metrics])
        if fresh:
            blocker = QSignalBlocker(self.measured)
            self.choose_metric(best)
            blocker.unblock()

    def reset(self) -> None:
        """Forget the project's choices."""
        for combo in (self.run, self.measured, self.judge, self.labeler, self.category):
            blocker = QSignalBlocker(combo)
            combo.clear()
            blocker.unblock()

    def _tell_metric(self) -> None:
        if self.chosen_metric:
            self.metric_changed.emit(self.chosen_metric)
