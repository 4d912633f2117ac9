"""What a score of the judge means: people's mean at each, and how far off the judge may be."""

import numpy as np
from PySide6.QtCore import Qt, Signal

from reviewer.domain.wording import in_percent, plain, short, upper_first
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.calibration import CalibrationChart
from reviewer.services.audits.auditing import EQUAL, PairColumns
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.findings.insights_values import Calibrated, LevelMean, MetricInsights

HINT = "■ mean of people's scores · dashed: as the judge"


class CalibrationCard(pieces.Card):
    """The chart, what it says of the most frequent score, and the ranges.

    Signals:
        responses_requested: The responses of a level are to be listed, by keys and heading.
        noted: A passing line, such as that the chart was copied.
    """

    responses_requested = Signal(object, str)
    noted = Signal(str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card; the chart comes with the first figures, served by `figures`."""
        super().__init__("What a score means")
        self._theme, self._figures = theme, figures
        self.chart: CalibrationChart | None = None
        self._found: Calibrated | None = None
        self._title = ""
        self._pairs: PairColumns | None = None
        hint = pieces.ElidedText(HINT, "small")
        hint.setAlignment(Qt.AlignmentFlag.AlignTrailing)
        self.head.addWidget(hint, 3)
        self.sentence = pieces.text("", wrap=True)
        self.note = pieces.text("", "tiny", wrap=True)
        for part in (self.sentence, self.note):
            self.body.addWidget(part)
        self.hide()

    def show_metric(self, found: MetricInsights, title: str, pairs: PairColumns) -> None:
        """Show a metric's calibration; nothing where there is no level to speak of."""
        told = found.calibration
        self._found, self._title, self._pairs = told, title, pairs
        self.setVisible(bool(told.levels))
        if not told.levels:
            return
        self.sentence.setText(told.sentence)
        pieces.say(self.note, range_note(told))
        if self.chart is None:
            self.chart = CalibrationChart(self._theme)
            pieces.connect((self.chart.spot_chosen, self._open), (self.chart.noted, self.noted))
            self._figures.serve_chart(self.chart, self.figure)
            self.body.insertWidget(self.body.indexOf(self.note), self.chart)
        steps = told.table.steps if told.table else ()
        fitted = {step.level: step.fitted for step in steps}
        self.chart.show_levels(told.levels, fitted, found.bounds)

    def figure(self) -> Figure | None:
        """Give the level under the pointer or the keys as somebody takes it away."""
        spot = None if self.chart is None else self.chart.spot
        return None if spot is None else self.figure_of(spot.key)

    def figure_of(self, level: object) -> Figure | None:
        """Give the figure of a level of the judge."""
        found, pairs = self._found, self._pairs
        if found is None or pairs is None:
            return None
        one = next((x for x in found.levels if x.level == level), None)
        if one is None:
            return None
        counted = pairs.counted & (np.abs(pairs.auto - one.level) <= EQUAL)
        return Figure(
            title=f"{self._title} where the judge gives {plain(one.level)}",
            sentence=_sentence(self._title, one),
            steps=lambda: (
                Step(
                    "Mean",
                    "Sum of human scores / their number; the interval is Student's.",
                    f"{short(one.mean * one.n)} / {one.n:,} = {short(one.mean)}",
                ),
            ),
            # a part of a range has no one auto score to look for
            keys=(lambda: np.asarray(pairs.keys[counted])) if found.on_levels else None,
            heading=f"auto {plain(one.level)}, {self._title}",
        )

    def _open(self, level: object) -> None:
        figure = self.figure_of(level)
        if figure is not None and figure.keys is not None:
            self.responses_requested.emit(figure.keys(), figure.heading)


def _sentence(title: str, one: LevelMean) -> str:
    around = ""
    if one.low is not None and one.high is not None:
        around = f", 95 % {short(one.low)} to {short(one.high)}"
    return (
        f"{title}: where the judge gives {plain(one.level)}, people give {short(one.mean)} on "
        f"average (n = {one.n:,}{around})."
    )


def range_note(found: Calibrated) -> str:
    """Say how far off the judge may be."""
    told = [
        f"{in_percent(one.level, 0)} within ±{short(one.half_width)}"
        for one in found.ranges
        if one.half_width is not None
    ]
    why = found.ranges[0].reason if found.ranges else None
    if told:
        return " · ".join(told)
    return f"{upper_first(why)}." if why and not found.reason else ""
