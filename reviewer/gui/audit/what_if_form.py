"""What can be tried: pass marks, weights, the rule of verdicts, and how deviations are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QScrollArea,
    QWidget,
)

from reviewer.domain.rubric import Metric, PassRule, Rubric
from reviewer.gui.explanation import FigureOptions
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import NumberField, choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits.what_if import Change
from reviewer.services.figures import figure_settings

SHOWN_ROWS = 12
"""Metrics that are shown at once; more are scrolled."""
ROW = 34
DECIMALS = 4
NO_MARK = "none"
PRESETS = ("published", "recommended")
RULES: tuple[tuple[PassRule, str], ...] = (
    ("every", "every marked metric reaches its mark"),
    ("overall", "the overall reaches its mark"),
    ("none", "no rule"),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """One metric's fields; without a range there is no mark, and outside the overall no weight."""

    metric: Metric
    mark: QDoubleSpinBox | None
    weight: QDoubleSpinBox | None

    def mark_value(self) -> float | None:
        """Give the mark, None at the special value below the scale."""
        if self.mark is None or self.mark.value() == self.mark.minimum():
            return None
        return _rounded(self.mark.value())


class WhatIfForm(QWidget):
    """The fields; nothing that stands in them is saved.

    Signals:
        changed: Something else is to be tried.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the form without a rubric."""
        super().__init__()
        self._theme = theme
        self._rubric: Rubric | None = None
        self._preset = PRESETS[0]
        self._rows: tuple[_Row, ...] = ()
        self.rule = choice("A response passes where")
        self.overall = NumberField("Mark of the overall")
        self.overall.setDecimals(DECIMALS)
        self.marks = choice("All marks")
        self.options = FigureOptions(theme, PRESETS)
        self.fields = QWidget()
        self.area = QScrollArea()
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        grid = layouts.grid(across=self._theme.px(8), down=self._theme.px(6), stretch={1: 1})
        rule = layouts.row((self.rule, 1), self.overall, gap=self._theme.px(8))
        self.rule.setMinimumContentsLength(14)
        self._marks_title = pieces.text("Marks", "muted")
        grid.addWidget(pieces.text("Passes where", "muted"), 0, 0)
        grid.addLayout(rule, 0, 1)
        grid.addWidget(self._marks_title, 1, 0)
        grid.addWidget(self.marks, 1, 1)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layouts.column(grid, self.area, self.options, on=self, margins=0)
        pieces.connect(
            (self.rule.currentIndexChanged, lambda _: self._choose_rule()),
            (self.overall.valueChanged, lambda _: self.changed.emit()),
            (self.marks.currentIndexChanged, lambda _: self._choose_marks()),
            (self.options.changed, lambda *_: self.changed.emit()),
        )

    def show_rubric(self, rubric: Rubric, preset: str) -> None:
        """Show what holds now; the same rubric keeps what is being tried."""
        if self._rubric == rubric and self._preset == preset:
            return
        self._rubric, self._preset = rubric, preset
        self._fill()

    def reset(self) -> None:
        """Go back to what holds."""
        if self._rubric is not None:
            self._fill()
            self.changed.emit()

    def change(self) -> Change:
        """Give what is tried.

        Raises:
            ReviewerError: An option is malformed.
        """
        rubric = self._rubric
        if rubric is None:
            return Change()
        preset = str(self.options.preset.currentData())
        rule = self.rule.currentData()
        overall = _rounded(self.overall.value())
        return Change(
            marks=tuple(
                (row.metric.name, row.mark_value())
                for row in self._rows
                if row.mark is not None and row.mark_value() != _rounded(row.metric.pass_at)
            ),
            weights=tuple(
                (row.metric.name, row.weight.value())
                for row in self._rows
                if row.weight is not None
                and _rounded(row.weight.value()) != _rounded(row.metric.weight)
            ),
            pass_rule=rule if rule != rubric.pass_rule else None,
            pass_at=overall if rule == "overall" and overall != _rounded(rubric.pass_at) else None,
            preset=preset if preset != self._preset else None,
            options=figure_settings.parsed(self.options.options.text()),
        )

    def field(self, metric: str) -> QDoubleSpinBox:
        """Give the field of a metric's pass mark."""
        return next(x.mark for x in self._rows if x.metric.name == metric and x.mark is not None)

    def show_problem(self, sentence: str) -> None:
        """Say why something cannot be tried."""
        self.options.show_problem(sentence)

    def _fill(self) -> None:
        rubric = self._rubric
        if rubric is None:
            return
        with pieces.quiet(self.rule, self.overall, self.marks):
            _offer(self.rule, RULES, rubric.pass_rule)
            low, high = _overall_range(rubric)
            self.overall.setRange(low, high)
            self.overall.setSingleStep((high - low) / 20)
            self.overall.setValue(high if rubric.pass_at is None else rubric.pass_at)
            self.overall.setVisible(rubric.pass_rule == "overall")
            presets = [(str(n), f"{x.name} {x.pass_at:g}") for n, x in enumerate(rubric.presets)]
            _offer(self.marks, [("", "as in the rubric"), *presets], "")
            for widget in (self.marks, self._marks_title):
                widget.setVisible(bool(presets))
        if tuple(row.metric for row in self._rows) != _scored(rubric):
            self._make_rows(rubric)
        for row in self._rows:
            if row.weight is not None:
                _set(row.weight, row.metric.weight)
            if row.mark is not None:
                mark = row.metric.pass_at
                _set(row.mark, row.mark.minimum() if mark is None else mark)
        self.options.show_options(self._preset, "")

    def _make_rows(self, rubric: Rubric) -> None:
        self.fields = pieces.dressed(QWidget(), kind="scrolled")
        grid = layouts.grid(on=self.fields, margins=(0, 0, self._theme.px(8), 0), stretch={0: 1})
        for column, title in enumerate(("metric", "pass mark", "weight")):
            grid.addWidget(pieces.text(title, "small"), 0, column)
        self._rows = tuple(self._row(metric) for metric in _scored(rubric))
        for place, row in enumerate(self._rows, start=1):
            grid.addWidget(pieces.ElidedText(one_line(row.metric.heading, 60)), place, 0)
            if row.mark is not None:
                grid.addWidget(row.mark, place, 1)
            if row.weight is not None:
                grid.addWidget(row.weight, place, 2)
        self.area.setWidget(self.fields)
        count = min(len(self._rows), SHOWN_ROWS)
        whole = self.fields.sizeHint().height()
        room = self._theme.px(ROW) * (count + 1)
        self.area.setFixedHeight(whole if count == len(self._rows) else room)

    def _row(self, metric: Metric) -> _Row:
        if metric.derived is not None:
            return _Row(metric, self._mark(metric), None)
        weight = NumberField(f"Weight of {metric.heading}")
        weight.setDecimals(DECIMALS)
        weight.setRange(0, 1000)
        weight.setSingleStep(0.1 if metric.weight % 1 else 1.0)
        weight.valueChanged.connect(lambda _: self.changed.emit())
        return _Row(metric, self._mark(metric), weight)

    def _mark(self, metric: Metric) -> QDoubleSpinBox | None:
        if metric.bounds is None or metric.bounds[0] >= metric.bounds[1]:
            return None
        low, high = metric.bounds
        step = min((b - a for a, b in pairwise(metric.grid)), default=0.0)
        step = step or (high - low) / 20
        mark = NumberField(f"Pass mark of {metric.heading}")
        mark.setDecimals(DECIMALS)
        mark.setSingleStep(step)
        mark.setRange(low - step, high)
        mark.setSpecialValueText(NO_MARK)
        mark.valueChanged.connect(lambda _: self.changed.emit())
        return mark

    def _choose_rule(self) -> None:
        self.overall.setVisible(self.rule.currentData() == "overall")
        self.changed.emit()

    def _choose_marks(self) -> None:
        rubric, chosen = self._rubric, self.marks.currentData()
        if rubric is None:
            return
        preset = rubric.presets[int(chosen)] if chosen else None
        for row in self._rows:
            wanted = row.metric.pass_at if preset is None else preset.pass_at
            if row.mark is not None and row.metric.pass_at is not None:
                _set(row.mark, row.mark.minimum() if wanted is None else wanted)
        self.changed.emit()


def _set(field: QDoubleSpinBox, value: float) -> None:
    """Set a field quietly."""
    with pieces.quiet(field):
        field.setValue(value)


def _rounded(value: float | None) -> float | None:
    """Give what a field shows of a value."""
    return None if value is None else round(value, DECIMALS)


def _scored(rubric: Rubric) -> tuple[Metric, ...]:
    """Give the metrics that can have a mark, or have one."""
    return tuple(m for m in rubric.metrics if m.bounds is not None or m.pass_at is not None)


def _offer(combo: QComboBox, entries: Sequence[tuple[str, str]], chosen: str) -> None:
    combo.clear()
    for name, title in entries:
        combo.addItem(title, name)
    combo.setCurrentIndex(max(combo.findData(chosen), 0))


def _overall_range(rubric: Rubric) -> tuple[float, float]:
    ranges = {m.bounds for m in rubric.overall_metrics if m.bounds and m.weight}
    return ranges.pop() if len(ranges) == 1 else (0.0, 1.0)
