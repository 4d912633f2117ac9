"""A scorer a metric, with its parameters."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from reviewer.gui.kit import choosing, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.scorer_fields import ScorerFields
from reviewer.services.evaluating.launching import MetricChoice, ScorerChoice
from reviewer.services.evaluating.scorer_parameters import Misfit

FOLDED, UNFOLDED = "parameters ▸", "parameters ▾"


class ScorerRow(QWidget):
    """One metric: its scorer, and the parameters behind a button.

    Signals:
        changed: Scorer or parameters are others.
    """

    changed = Signal()

    def __init__(
        self, metric: MetricChoice, scorers: Sequence[ScorerChoice], theme: Theme
    ) -> None:
        """Make the row with the scorer and parameters of the rubric."""
        super().__init__()
        self.about = metric
        self._theme = theme
        scorers = [x for x in scorers if x.name not in metric.unfit]
        self._scorers = {x.name: x for x in scorers}
        self.fields: ScorerFields | None = None
        self._before: dict[str, Any] = {}
        self.choice: QComboBox = choosing.choice(f"Scorer of {metric.heading}")
        choosing.offer(self.choice, "none", [(x.name, x.title) for x in scorers])
        self.choice.setCurrentIndex(max(0, self.choice.findData(metric.scorer)))
        self.more = pieces.Button(FOLDED, self._toggle, kind="link")
        self.more.setAccessibleName(f"Parameters of {metric.heading}")
        head = QHBoxLayout()
        head.addWidget(pieces.ElidedText(metric.heading), 1)
        head.addWidget(self.choice, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        self._column.addWidget(self.more)
        self._fill(unfolded=False)
        self.choice.currentIndexChanged.connect(self._take_scorer)

    @property
    def scorer(self) -> str:
        """Give the name of the chosen scorer, empty for none."""
        return str(self.choice.currentData() or "")

    @property
    def parameters(self) -> dict[str, Any] | None:
        """Give the parameters, None where they are those of the rubric or cannot be read."""
        if self.fields is None or self.fields.problem:
            return None
        found = self.fields.values
        return None if found == self._before else found

    @property
    def problem(self) -> str:
        """Say which parameter cannot be read, nothing where all can."""
        said = self.fields.problem if self.fields is not None else ""
        return f"{self.about.heading}, {said}" if said else ""

    def show_misfit(self, found: Misfit) -> bool:
        """Say beside its field what a scorer cannot use; tells whether there is such a field."""
        field = self.fields.fields.get(found.name) if self.fields is not None else None
        if field is None:
            return False
        field.say(f"{found.why[:1].upper()}{found.why[1:]}.")
        self._unfold(unfolded=True)
        return True

    def _usual(self) -> dict[str, Any]:
        return dict(self.about.parameters) if self.scorer == self.about.scorer else {}

    def _toggle(self) -> None:
        if self.fields is not None:
            self._unfold(unfolded=self.fields.isHidden())

    def _unfold(self, *, unfolded: bool) -> None:
        if self.fields is not None:
            self.fields.setVisible(unfolded)
        self.more.setText(UNFOLDED if unfolded else FOLDED)

    def _take_scorer(self) -> None:
        # what the metric's own scorer does is known; another one has to be told
        self._fill(unfolded=self.scorer != self.about.scorer)
        self.changed.emit()

    def _fill(self, *, unfolded: bool) -> None:
        if self.fields is not None:
            self.fields.hide()
            self.fields.deleteLater()
            self.fields = None
        found = self._scorers.get(self.scorer)
        self.choice.setToolTip(found.help if found is not None else "")
        if found is not None:
            made = ScorerFields(found, self._usual(), self._theme)
            made.changed.connect(self.changed)
            self._column.addWidget(made)
            self.fields, self._before = made, made.values
        there = self.fields is not None and not self.fields.is_empty
        self.more.setVisible(there)
        self._unfold(unfolded=there and unfolded)


class ScorerRows(QWidget):
    """The rows of the metrics that are to be scored.

    Signals:
        changed: A scorer or parameter is another.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make it without a row."""
        super().__init__()
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.px(6))
        self.rows: dict[str, ScorerRow] = {}
        self._offered: tuple[ScorerChoice, ...] = ()

    def offer(self, metrics: Sequence[MetricChoice], scorers: Sequence[ScorerChoice]) -> None:
        """Show the rows of metrics; what stands in rows that stay, stays.

        A row stays where its metric is as it was, and there are the same scorers to choose from.
        """
        same = tuple(scorers) == self._offered
        if same and [x.about for x in self.rows.values()] == list(metrics):
            return
        before, self._offered = self.rows, tuple(scorers)
        found = {x.name: before.get(x.name) if same else None for x in metrics}
        self.rows = {}
        for place, metric in enumerate(metrics):
            row = found[metric.name]
            if row is None or row.about != metric:
                row = ScorerRow(metric, scorers, self._theme)
                row.changed.connect(self.changed)
            self.rows[metric.name] = row
            self._column.insertWidget(place, row)
        for row in before.values():
            if row is not self.rows.get(row.about.name):
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()

    def narrow(self, names: Sequence[str]) -> None:
        """Show the rows of these metrics; without names, those whose metric has a scorer."""
        usual = {name for name, row in self.rows.items() if row.about.scorer}
        shown = set(names) or usual or set(self.rows)
        for name, row in self.rows.items():
            row.setVisible(name in shown)

    def wished(self, names: Sequence[str]) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
        """Give scorers and parameters by metric, of those that differ from the rubric's."""
        rows = {name: row for name, row in self.rows.items() if not names or name in names}
        scorers = {n: r.scorer for n, r in rows.items() if r.scorer and r.scorer != r.about.scorer}
        given = {n: r.parameters for n, r in rows.items() if r.scorer}
        return scorers, {name: found for name, found in given.items() if found is not None}

    @property
    def wanted(self) -> tuple[str, ...]:
        """Give the metrics that have a scorer now."""
        return tuple(name for name, row in self.rows.items() if row.scorer)

    def show_misfit(self, found: Misfit | None) -> str:
        """Say beside its field which parameter a scorer cannot use, and give a short sentence."""
        row = self.rows.get(found.metric) if found is not None else None
        if found is None or row is None or not row.show_misfit(found):
            return ""
        return f"The parameter {found.name} of {row.about.heading} cannot be used as it stands."

    @property
    def problem(self) -> str:
        """Say which parameters cannot be read, nothing where all can."""
        return next((row.problem for row in self.rows.values() if row.problem), "")
