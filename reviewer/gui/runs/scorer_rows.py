"""A scorer a metric, with its parameters."""

import tomllib
from collections.abc import Sequence
from typing import Any

import tomli_w
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from reviewer.gui import choosing, pieces
from reviewer.gui.theme import Theme
from reviewer.services.evaluating.launching import MetricChoice, ScorerChoice

LINES = 4


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
        self._scorers = {x.name: x for x in scorers}
        self.problem = ""
        self.choice: QComboBox = choosing.choice(f"Scorer of {metric.heading}")
        choosing.offer(self.choice, "none", [(x.name, x.title) for x in scorers])
        self.choice.setCurrentIndex(max(0, self.choice.findData(metric.scorer)))
        self.more = pieces.Button("parameters", self._toggle, kind="link")
        self.more.setAccessibleName(f"Parameters of {metric.heading}")
        self.text = QPlainTextEdit()
        self.text.setProperty("role", "mono")
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(f"Parameters of {metric.heading}, one a line")
        self.text.setFixedHeight(theme.px(22 * LINES))
        self.text.hide()
        head = QHBoxLayout()
        head.addWidget(pieces.ElidedText(metric.heading), 1)
        head.addWidget(self.choice, 1)
        head.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.text)
        self._fill()
        self.choice.currentIndexChanged.connect(self._take_scorer)
        self.text.textChanged.connect(self._take_text)

    @property
    def scorer(self) -> str:
        """Give the name of the chosen scorer, empty for none."""
        return str(self.choice.currentData() or "")

    @property
    def parameters(self) -> dict[str, Any] | None:
        """Give the parameters, None where they are those of the rubric or cannot be read."""
        try:
            found = tomllib.loads(self.text.toPlainText())
        except tomllib.TOMLDecodeError:
            return None
        return None if found == self._usual() else found

    def _usual(self) -> dict[str, Any]:
        return dict(self.about.parameters) if self.scorer == self.about.scorer else {}

    def _toggle(self) -> None:
        self.text.setVisible(self.text.isHidden())

    def _take_scorer(self) -> None:
        self._fill()
        self.changed.emit()

    def _take_text(self) -> None:
        try:
            tomllib.loads(self.text.toPlainText())
            self.problem = ""
        except tomllib.TOMLDecodeError as error:
            self.problem = f"The parameters of {self.about.heading} cannot be read: {error}."
        self.changed.emit()

    def _fill(self) -> None:
        found = self._scorers.get(self.scorer)
        options = found.options if found is not None else ()
        self.more.setDisabled(not options)
        self.more.setText("parameters" if options else "")
        self.choice.setToolTip(found.help if found is not None else "")
        examples = [f"{name} = {_toml(default)}" for name, default, _ in options]
        self.text.setPlaceholderText("\n".join(examples[:LINES]))
        self.text.setToolTip("\n".join(f"{name}: {meaning}" for name, _, meaning in options))
        blocker = QSignalBlocker(self.text)
        self.text.setPlainText(tomli_w.dumps(self._usual()).strip())
        blocker.unblock()
        self.problem = ""


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
        self._offered: tuple[MetricChoice, ...] = ()

    def offer(self, metrics: Sequence[MetricChoice], scorers: Sequence[ScorerChoice]) -> None:
        """Show the rows of metrics; what stands in rows that stay, stays."""
        if tuple(metrics) == self._offered:
            return
        self._offered = tuple(metrics)
        pieces.clear(self._column)
        self.rows = {x.name: ScorerRow(x, scorers, self._theme) for x in metrics}
        for row in self.rows.values():
            row.changed.connect(self.changed)
            self._column.addWidget(row)

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

    @property
    def problem(self) -> str:
        """Say which parameters cannot be read, nothing where all can."""
        return next((row.problem for row in self.rows.values() if row.problem), "")


def _toml(value: object) -> str:
    if value is None:
        return '""'
    return tomli_w.dumps({"x": value}).strip().removeprefix("x = ").replace("\n", " ")
