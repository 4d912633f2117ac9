"""Why it goes wrong: the causes that leads have named, by metric."""

from collections.abc import Sequence

from PySide6.QtCore import Signal

from reviewer.domain.wording import counted, percent
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.matrix import MatrixCell, MatrixChart
from reviewer.services.adjudicating.causes import CausesOf
from reviewer.services.adjudicating.decisions import CAUSES, TITLES, Cause

TITLE = 40


class CausesCard(pieces.Card):
    """A row a cause and a column a metric, there where any cause was named.

    Signals:
        responses_requested: The responses of a cause, by metric, keys and heading.
        noted: A passing line, such as that the chart was copied.
    """

    responses_requested = Signal(str, object, str)
    noted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card, out of sight; the chart comes with the first causes."""
        super().__init__("Why it goes wrong")
        self._theme = theme
        self.chart: MatrixChart | None = None
        self._found: dict[str, CausesOf] = {}
        self.told = pieces.text("", "small", wrap=True)
        self.body.addWidget(self.told)
        self.hide()

    def show_causes(self, found: Sequence[CausesOf]) -> None:
        """Show how often each cause was named on each metric."""
        self._found = {one.metric: one for one in found}
        self.setVisible(bool(found))
        if not found:
            return
        if self.chart is None:
            self.chart = MatrixChart(self._theme, "Causes by metric", "auto_fill")
            self.body.insertWidget(self.body.indexOf(self.told), self.chart)
            pieces.connect((self.chart.spot_chosen, self._open), (self.chart.noted, self.noted))
        named = [cause for cause in CAUSES if any(cause in one.keys for one in found)]
        self.chart.show_cells(
            [TITLES[cause] for cause in named],
            [one_line(one.title, TITLE) for one in found],
            [[_cell(one, cause) for one in found] for cause in named],
        )
        parts = [f"{x.title} {x.explained:,} of {x.apart:,}" for x in found]
        self.told.setText(
            f"Named by leads. Of the responses on which judge and people differ, a cause have: "
            f"{', '.join(parts)}."
        )

    def _open(self, key: object) -> None:
        if not isinstance(key, tuple):
            return
        metric, cause = key
        one = self._found.get(metric)
        if one is not None and cause in one.keys:
            heading = f"{TITLES[cause]}, {one.title}"
            self.responses_requested.emit(metric, one.keys[cause], heading)


def _cell(one: CausesOf, cause: Cause) -> MatrixCell | None:
    keys = one.keys.get(cause)
    if keys is None:
        return None
    share = keys.size / one.n
    named = counted(one.n, "cause named", "causes named")
    words = f"{one.title}: {TITLES[cause]} {keys.size:,} of {named} ({percent(share)})"
    return MatrixCell(f"{keys.size:,}", share, words, (one.metric, cause))
