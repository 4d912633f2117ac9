"""Labelers by metric: how often each gives the answer of another person."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal

from reviewer.domain.wording import counted, percent
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import name_line, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.matrix import MatrixCell, MatrixChart
from reviewer.services.audits.people import Alike

TITLE, MOST = 40, 24
"""Characters of a metric's title, and people that are shown, those least alike."""


class AlikeCard(pieces.Card):
    """A row a person and a column a metric, there where both are several.

    Signals:
        opened: A cell was chosen, an `Alike`.
        noted: A passing line, such as that the chart was copied.
    """

    opened = Signal(object)
    noted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card, out of sight; the chart comes with the first people."""
        super().__init__("Labelers by metric")
        self._theme = theme
        self.chart: MatrixChart | None = None
        self._found: dict[tuple[str, str], Alike] = {}
        self.told = pieces.text("", "small", wrap=True)
        self.body.addWidget(self.told)
        self.hide()

    def show_people(self, found: Sequence[Alike], titles: Mapping[str, str]) -> None:
        """Show everybody on every metric; `titles` are those of the metrics, in their order."""
        self._found = {(one.labeler, one.metric): one for one in found}
        metrics = [name for name in titles if any(one.metric == name for one in found)]
        people = list(dict.fromkeys(one.labeler for one in found))
        self.setVisible(len(metrics) > 1 and len(people) > 1)
        if self.isHidden():
            return
        least = {who: min(x.share for x in found if x.labeler == who) for who in people}
        shown = sorted(sorted(people, key=lambda who: least[who])[:MOST])
        if self.chart is None:
            self.chart = MatrixChart(self._theme, "Labelers by metric", "human_fill")
            self.body.insertWidget(self.body.indexOf(self.told), self.chart)
            pieces.connect((self.chart.spot_chosen, self._open), (self.chart.noted, self.noted))
        self.chart.show_cells(
            [name_line(who, TITLE) for who in shown],
            [one_line(titles[name], TITLE) for name in metrics],
            [[self._cell(who, name, titles[name]) for name in metrics] for who in shown],
        )
        left = len(people) - len(shown)
        more = (
            f" {counted(left, 'person', 'people')} more are as much alike or more." if left else ""
        )
        self.told.setText(
            "How often a person's label is that of another one who labelled the same response; "
            f"every response counts alike.{more}"
        )

    def _cell(self, who: str, metric: str, title: str) -> MatrixCell | None:
        one = self._found.get((who, metric))
        if one is None:
            return None
        share, n = percent(one.share), counted(one.keys.size, "response")
        words = f"{name_line(who, TITLE)}, {title}: {share} the same as another person's, {n}"
        return MatrixCell(share, one.share, words, (who, metric))

    def _open(self, key: object) -> None:
        if isinstance(key, tuple) and key in self._found:
            self.opened.emit(self._found[key])
