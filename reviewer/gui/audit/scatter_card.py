"""Two metrics of the same evaluations against each other."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, QTimer, Signal

from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.choosing import choice, offer, titled
from reviewer.gui.kit.text import number
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.plot import Spot
from reviewer.gui.plots.scatter import Dot, Scatter
from reviewer.services.audits import families
from reviewer.services.audits.auditing import Audit
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Floats, Ints

MOST_DOTS = 2_000
FEW_LEVELS = 12
"""Distinct values up to which dots are moved apart, so that equal ones do not hide each other."""
APART = 0.18


class ScatterCard(pieces.Card):
    """Two metrics of the same evaluations against each other; a dot opens its response.

    Signals:
        responses_requested: The response of a dot, by keys and heading.
        noted: A passing line, such as that the chart was copied.
    """

    responses_requested = Signal(object, str)
    noted = Signal(str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card; the chart comes with the first figures, served by `figures`."""
        super().__init__("Two metrics")
        self._figures = figures
        self._theme = theme
        self._audit: Audit | None = None
        self.chart: Scatter | None = None
        self.across, self.upwards = choice("Across"), choice("Upwards")
        row = pieces.FlowLayout(spacing=8)
        for combo in (self.across, self.upwards):
            combo.setMinimumContentsLength(13)
            row.addWidget(titled(combo))
            combo.currentIndexChanged.connect(lambda _: self._draw())
        self.note = pieces.text("", "small", wrap=True)
        self.body.addLayout(row)
        self.body.addWidget(self.note)

    def show_audit(self, audit: Audit) -> None:
        """Take other figures; the chosen metrics stay where they are still there."""
        first = self._audit is None or self._audit.rubric != audit.rubric
        self._audit = audit
        numeric = [m for m in audit.rubric.metrics if m.is_numeric]
        entries = [(m.name, m.heading) for m in numeric]
        for combo in (self.across, self.upwards):
            offer(combo, "", entries)
        if first:
            blockers = [QSignalBlocker(combo) for combo in (self.across, self.upwards)]
            self._choose_first(entries)
            for blocker in blockers:
                blocker.unblock()
        # the plotting library takes a moment to load: figures are painted first
        QTimer.singleShot(0, self, self._draw)

    def forget(self) -> None:
        """Let go of the figures."""
        self._audit = None

    def _choose_first(self, entries: list[tuple[str, str]]) -> None:
        """Begin with words against sense, else with the first two metrics."""
        names = [name for name, _ in entries]
        if {"keyword_recall", "relevance"} <= set(names):
            first, second = names.index("keyword_recall"), names.index("relevance")
        else:
            first, second = 0, min(1, len(names) - 1)
        self.across.setCurrentIndex(first)
        self.upwards.setCurrentIndex(second)

    def _draw(self) -> None:
        audit, x, y = self._audit, self.across.currentData(), self.upwards.currentData()
        if audit is None or x is None or y is None:
            return
        if self.chart is None:
            self.chart = Scatter(self._theme, "Two metrics against each other")
            self.chart.spot_chosen.connect(self._open)
            self.chart.noted.connect(self.noted)
            self._figures.serve_chart(self.chart, self.figure)
            self.body.insertWidget(self.body.count() - 1, self.chart)
        found = families.points(audit, str(x), str(y))
        titles = [audit.rubric.by_name[str(name)].heading for name in (x, y)]
        shown = _sampled(found.keys.size)
        across, upwards = _apart(found.x, 1), _apart(found.y, 2)
        dots = [
            Dot(Spot(float(across[at]), float(upwards[at]), _words(titles, found, at), int(key)))
            for at, key in zip(shown.tolist(), found.keys[shown].tolist(), strict=True)
        ]
        self.chart.setVisible(bool(dots))
        self.chart.show_dots(dots, x_title=titles[0], y_title=titles[1])
        self.note.setText(_scatter_note(len(dots), int(found.keys.size), found.hidden))

    def figure(self) -> Figure | None:
        """Give the dot under the pointer or the keys as somebody takes it away."""
        spot = None if self.chart is None else self.chart.spot
        if spot is None or not isinstance(spot.key, int):
            return None
        key = spot.key
        return Figure(
            title="A response",
            sentence=f"Auto scores of one response: {spot.words}.",
            steps=lambda: (Step("Auto scores", f"{spot.words}."),),
            keys=lambda: [key],
            heading="the response of a dot",
        )

    def _open(self, key: object) -> None:
        if isinstance(key, int):
            self.responses_requested.emit([key], "the response of a dot")


def _sampled(n: int) -> Ints:
    rng = np.random.default_rng(0)
    if n <= MOST_DOTS:
        return np.arange(n)
    return np.sort(rng.choice(n, MOST_DOTS, replace=False))


def _apart(values: Floats, seed: int) -> Floats:
    """Move equal values of a scale with few levels a little apart."""
    levels = np.unique(values)
    if not 1 < levels.size <= FEW_LEVELS:
        return values
    step = float(np.diff(levels).min())
    moved = np.random.default_rng(seed).uniform(-APART, APART, values.size) * step
    return np.asarray(values + moved)


def _words(titles: list[str], found: families.Points, at: int) -> str:
    x, y = number(float(found.x[at])), number(float(found.y[at]))
    return f"{titles[0]} {x} · {titles[1]} {y}"


def _scatter_note(shown: int, there: int, hidden: int) -> str:
    if not there:
        words = "No evaluation in view has both scores."
    elif shown < there:
        words = f"{shown:,} of {there:,} responses, drawn at random."
    else:
        words = f"{there:,} responses; those with equal scores are drawn a little apart."
    if hidden:
        words += f" {hidden:,} are left out until you have scored them yourself."
    return words
