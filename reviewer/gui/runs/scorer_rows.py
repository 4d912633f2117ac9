"""A scorer a metric, with a field for each of its parameters."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomli_w
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from reviewer.domain import toml_text
from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.services.jobs import scorers
from reviewer.services.jobs.launching import MetricChoice, ScorerChoice
from reviewer.services.jobs.scorers import Misfit, Parameter

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
        self.choice: QComboBox = number_field.choice(f"Scorer of {metric.heading}")
        number_field.offer(self.choice, "none", [(x.name, x.title) for x in scorers])
        self.choice.setCurrentIndex(max(0, self.choice.findData(metric.scorer)))
        self.more = pieces.named(
            pieces.Button(FOLDED, self._toggle, kind="link"), f"Parameters of {metric.heading}"
        )
        self._column = layouts.column(
            layouts.row((pieces.ElidedText(metric.heading), 1), (self.choice, 1)),
            self.more,
            on=self,
            margins=0,
            gap=4,
        )
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
            pieces.discard(self.fields)
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
        self._column = layouts.column(on=self, margins=0, gap=theme.px(6))
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
                pieces.discard(row)

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


LINES = 4
FREE = "one a line, such as strict = true"


class ParameterField(QWidget):
    """One parameter: a choice, a line or a few lines; nothing typed stands for the default.

    Signals:
        changed: Something else is typed or chosen.
    """

    changed = Signal()

    def __init__(self, scorer: str, about: Parameter, value: Any, theme: Theme) -> None:  # noqa: ANN401
        """Make the field with a value, None for the default."""
        super().__init__()
        self._scorer, self.about = scorer, about
        self.entry = pieces.named(_entry(about, theme), f"Parameter {about.name}", tip=about.help)
        self.entry.setAccessibleDescription(about.help)
        self.meaning = pieces.ElidedText(about.help, "small")
        self.problem = pieces.text(
            "", "alert", wrap=True, name=f"What is wrong with {about.name}", hidden=True
        )
        layouts.column(self.entry, self.problem, self.meaning, on=self, margins=0, gap=1)
        if value is not None:
            self.type(about.written(value))
        _changed(self.entry).connect(lambda *_: self._take())

    @property
    def typed(self) -> str:
        """Give what was typed, empty for the default."""
        if isinstance(self.entry, QComboBox):
            return str(self.entry.currentData() or "")
        if isinstance(self.entry, QLineEdit):
            return self.entry.text()
        return self.entry.toPlainText()

    def type(self, text: str) -> None:
        """Put a text into the field, or choose it."""
        if isinstance(self.entry, QComboBox):
            self.entry.setCurrentIndex(max(0, self.entry.findData(text)))
        elif isinstance(self.entry, QLineEdit):
            self.entry.setText(text)
        else:
            self.entry.setPlainText(text)

    def value(self) -> Any:  # noqa: ANN401
        """Give the value.

        Raises:
            ParameterError: It cannot be read, or the scorer cannot use it.
        """
        return scorers.read(self._scorer, self.about.name, self.typed)

    def say(self, sentence: str) -> None:
        """Show what is wrong, or that nothing is."""
        pieces.say(self.problem, sentence)

    def _take(self) -> None:
        sentence = ""
        try:
            if self.typed.strip():
                self.value()
        except ReviewerError as error:
            sentence = str(error)
        self.say(sentence)
        self.changed.emit()


class ScorerFields(QWidget):
    """The fields of one scorer; a package's takes any parameter, so it has lines to fill.

    Signals:
        changed: Something else is typed or chosen.
    """

    changed = Signal()

    def __init__(self, scorer: ScorerChoice, given: Mapping[str, Any], theme: Theme) -> None:
        """Make the fields with values by name, the others at their defaults."""
        super().__init__()
        self.fields: dict[str, ParameterField] = {}
        self.free: QPlainTextEdit | None = None
        self._free_problem = pieces.text("", "alert", wrap=True, hidden=True)
        grid = layouts.grid(
            on=self,
            margins=(theme.px(10), 0, 0, 0),
            across=theme.px(8),
            down=theme.px(6),
            stretch={1: 1},
        )
        for row, about in enumerate(scorer.parameters):
            field = ParameterField(scorer.name, about, given.get(about.name), theme)
            field.changed.connect(self.changed)
            self.fields[about.name] = field
            label = pieces.text(about.name.replace("_", " "), "muted", wrap=True)
            label.setBuddy(field.entry)
            # beside the entry, not beside all that may stand below it
            label.setMinimumHeight(field.entry.sizeHint().height())
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(field, row, 1)
        if scorer.package:
            self.free = pieces.named(_lines(theme), f"Parameters of {scorer.name}")
            self.free.setPlaceholderText(FREE)
            self.free.setPlainText(tomli_w.dumps(dict(given)).strip())
            self.free.textChanged.connect(self._take_free)
            grid.addWidget(self.free, 0, 0, 1, 2)
            grid.addWidget(self._free_problem, 1, 0, 1, 2)

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to enter."""
        return not self.fields and self.free is None

    @property
    def problem(self) -> str:
        """Say what cannot be read, with its name; nothing where all can."""
        if self.free is not None:
            return self._free_problem.text()
        wrong = ((name, x.problem.text()) for name, x in self.fields.items())
        return next((f"{name}: {text}" for name, text in wrong if text), "")

    @property
    def values(self) -> dict[str, Any]:
        """Give what was entered, by name; what cannot be read is left out."""
        found: dict[str, Any] = {}
        try:
            if self.free is not None:
                return toml_text.document(self.free.toPlainText())
            for name, field in self.fields.items():
                if field.typed.strip():
                    found[name] = field.value()
        except (ReviewerError, tomllib.TOMLDecodeError):
            return found
        return found

    def _take_free(self) -> None:
        said = ""
        try:
            toml_text.document(self.free.toPlainText() if self.free else "")
        except tomllib.TOMLDecodeError as error:
            said = f"This cannot be read: {error}."
        pieces.say(self._free_problem, said)
        self.changed.emit()


def _entry(about: Parameter, theme: Theme) -> QComboBox | QLineEdit | QPlainTextEdit:
    if about.choices:
        combo = number_field.choice(about.name)
        usual = f"as usual: {about.usual}"
        number_field.offer(combo, usual, [(words, words) for words, _ in about.choices])
        return combo
    field = _lines(theme) if about.is_long else QLineEdit()
    field.setPlaceholderText(about.usual or ("JSON" if about.is_long else "not set"))
    return field


def _lines(theme: Theme) -> QPlainTextEdit:
    field = pieces.dressed(QPlainTextEdit(tabChangesFocus=True), role="mono")
    field.setFixedHeight(theme.px(22 * LINES))
    return field


def _changed(entry: QComboBox | QLineEdit | QPlainTextEdit) -> Any:  # noqa: ANN401  # Qt's signals
    return entry.currentIndexChanged if isinstance(entry, QComboBox) else entry.textChanged
