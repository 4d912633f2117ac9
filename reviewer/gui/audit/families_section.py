"""The section Families: where families of metrics contradict each other, and two side by side."""

from functools import partial

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QWidget
from typing_extensions import override

from reviewer.domain.wording import DASH, fixed, percent, score_words
from reviewer.gui.audit.families_cards import FamiliesCard
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import NumberField, choice, offer, titled
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.plots.plot import Spot
from reviewer.gui.plots.scatter import Dot, Scatter
from reviewer.gui.sections import Reading
from reviewer.services.audits import families, family_rules
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.families import FamilyTable
from reviewer.services.audits.family_rules import Found, Threshold
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Floats, Ints

SETTLE_MS = 250


class FamiliesSection(AuditSection[FamilyTable]):
    """Families in rows, contradictions in lists, and two metrics of choice in a chart."""

    title = "Families"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self._waiting: dict[str, tuple[Threshold, float]] = {}
        self._wait = soon(self, self._keep, SETTLE_MS)
        self.families = FamiliesCard(self.theme, self.figures)
        self.contradictions = ContradictionsCard(self.theme, self.figures)
        self.scatter = ScatterCard(self.theme, self.figures)
        self._cards = (self.families, self.contradictions, self.scatter)
        for card in self._cards:
            card.hide()
            self.body.addWidget(card)
        pieces.connect(
            (self.families.metric_chosen, self.metric_requested),
            (self.contradictions.responses_requested, self.responses_requested),
            (self.contradictions.moved, self._move),
            (self.contradictions.reset_requested, self._reset),
            (self.scatter.responses_requested, self.responses_requested),
            (self.scatter.noted, self.noted),
        )

    @override
    @classmethod
    def fits(cls, audit: Audit) -> bool:
        """Tell whether any metric of the rubric names a family."""
        return families.has_families(audit.rubric)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[FamilyTable] | None:
        """Compute families and lists with the project's thresholds."""
        return lambda own, _: families.read(own, audit)

    @override
    def show_found(self, found: FamilyTable) -> None:
        """Show everything."""
        audit = self.audit
        if audit is not None:
            pieces.show(*self._cards, shown=True)
            self.families.show_families(found, audit)
            self.contradictions.show_found(found.found)
            self.scatter.show_audit(audit)

    def _move(self, threshold: Threshold, value: float) -> None:
        self._waiting[threshold.key] = (threshold, value)
        self._wait.start()

    def _keep(self) -> None:
        """Keep what was moved, then find anew."""
        waiting, self._waiting = self._waiting, {}
        with telling(self.noted.emit):
            for threshold, value in waiting.values():
                family_rules.keep(self.session, threshold, value)
        self.recompute()

    def _reset(self) -> None:
        with telling(self.noted.emit):
            family_rules.reset(self.session)
        self.recompute()


class RuleRow(QWidget):
    """One rule: what it means, its thresholds, and how many responses it finds.

    Signals:
        opened: Its responses are to be listed.
        moved: One of its thresholds has another value.
    """

    opened = Signal()
    moved = Signal(object, float)

    def __init__(self, theme: Theme, found: Found, figures: FigureMenu) -> None:
        """Make the row of what a rule found."""
        super().__init__()
        self.found = found
        self.fields: list[QDoubleSpinBox] = []
        self.cuts: list[QLabel] = []
        self.open_button = pieces.Button("", self.opened.emit, dense=True)
        self.meaning = pieces.text(found.rule.meaning, "small", wrap=True)
        self.title = pieces.text(found.rule.title, "strong")
        self.count = pieces.ElidedText("", "muted")
        self.count.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        column = layouts.column(
            layouts.row(self.title, (self.count, 1), self.open_button),
            self.meaning,
            on=self,
            margins=(0, theme.px(2), 0, theme.px(2)),
            gap=theme.px(4),
        )
        flow = layouts.FlowLayout(spacing=8)
        for threshold in found.thresholds:
            flow.addWidget(self._field(threshold))
        column.addLayout(flow)
        figures.serve(self.count, self.figure)
        self.show_found(found)

    def show_found(self, found: Found) -> None:
        """Show what the rule finds now."""
        self.found = found
        many = int(found.keys.size)
        pieces.write(self.open_button, "Open", name=f"Open {found.rule.title}")
        self.open_button.setEnabled(many > 0)
        self.count.setText(_count(found))
        for field, cut, threshold in zip(self.fields, self.cuts, found.thresholds, strict=True):
            with pieces.quiet(field):
                field.setValue(threshold.value)
            cut.setText(f"= {_measured(threshold)}" if threshold.cut is not None else "")
            cut.setVisible(threshold.cut is not None)

    def figure(self) -> Figure:
        """Give the rule's share as somebody takes it away."""
        found = self.found
        conditions = " and ".join(map(_condition, found.thresholds))
        return Figure(
            title=found.rule.title,
            sentence=f"{found.rule.title} ({conditions}): {_count(found)}.",
            steps=partial(_steps, found),
            keys=lambda: found.keys,
            heading=found.rule.title,
        )

    def _field(self, threshold: Threshold) -> QWidget:
        field = NumberField(f"{threshold.words} threshold, {self.found.rule.title}")
        field.setRange(threshold.low, threshold.high)
        span = threshold.high - threshold.low
        field.setSingleStep(1.0 if span > 1 else 0.1)
        if threshold.cut is not None or threshold.high == 100.0:
            field.setPrefix("p")
        cut = pieces.text("", "muted")
        self.fields.append(field)
        self.cuts.append(cut)
        place = len(self.fields) - 1
        field.valueChanged.connect(
            lambda value: self.moved.emit(self.found.thresholds[place], value)
        )
        made = QWidget()
        layouts.row(pieces.ElidedText(threshold.words, "muted"), field, cut, on=made, margins=0)
        return made


def _count(found: Found) -> str:
    if found.reason is not None or found.share is None:
        return f"{DASH}  {found.reason}"
    words = f"{found.keys.size:,} of {found.n:,} · {percent(found.share)}"
    if found.interval is not None:
        low, high = 100 * found.interval.low, 100 * found.interval.high
        words += f" ({fixed(low, 0)} – {fixed(high, 0)})"
    return words


def _condition(threshold: Threshold) -> str:
    if threshold.cut is None:
        return f"{threshold.words} {score_words(threshold.value)}"
    return f"{threshold.words} p{score_words(threshold.value)} = {_measured(threshold)}"


def _steps(found: Found) -> tuple[Step, ...]:
    if found.reason is not None:
        return (Step(found.rule.title, f"{found.reason}."),)
    return (
        Step("Holds where", " and ".join(map(_condition, found.thresholds))),
        Step("Share", f"{found.keys.size:,} ÷ {found.n:,} = {fixed(found.share or 0, 4)}"),
    )


def _measured(threshold: Threshold) -> str:
    return f"{score_words(threshold.cut, 1)} {threshold.unit}".rstrip()


class ContradictionsCard(pieces.Card):
    """The rules with their thresholds; what stands in the fields is kept in the project.

    Signals:
        responses_requested: The responses that a rule finds, by keys and heading.
        moved: A threshold has another value.
        reset_requested: All thresholds are to be the framework's again.
    """

    responses_requested = Signal(object, str)
    moved = Signal(object, float)
    reset_requested = Signal()

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card without rules."""
        super().__init__("Where families contradict each other")
        self._theme = theme
        self._figures = figures
        self.rows: list[RuleRow] = []
        self.back = pieces.Button("Default thresholds", self.reset_requested.emit, kind="link")
        self.head.addWidget(self.back)

    def show_found(self, found: tuple[Found, ...]) -> None:
        """Show what every rule finds."""
        for place, one in enumerate(found if not self.rows else ()):
            if place:
                self.body.addWidget(pieces.line())
            row = RuleRow(self._theme, one, self._figures)
            pieces.connect(
                (row.moved, self.moved),
                (row.opened, partial(self._open, row)),
            )
            self.body.addWidget(row)
            self.rows.append(row)
        for row, one in zip(self.rows, found, strict=True):
            row.show_found(one)
        self.back.setVisible(any(x.value != x.default for one in found for x in one.thresholds))

    def _open(self, row: RuleRow) -> None:
        self.responses_requested.emit(row.found.keys, row.found.rule.title)


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
        row = layouts.FlowLayout(spacing=8)
        for combo in (self.across, self.upwards):
            combo.setMinimumContentsLength(13)
            row.addWidget(titled(combo))
            combo.currentIndexChanged.connect(lambda _: self._draw())
        self.note = pieces.text("", "small", wrap=True)
        layouts.fill(self.body, row, self.note)

    def show_audit(self, audit: Audit) -> None:
        """Take other figures; the chosen metrics stay where they are still there."""
        first = self._audit is None or self._audit.rubric != audit.rubric
        self._audit = audit
        numeric = [m for m in audit.rubric.metrics if m.is_numeric]
        entries = [(m.name, m.heading) for m in numeric]
        for combo in (self.across, self.upwards):
            offer(combo, "", entries)
        if first:
            with pieces.quiet(self.across, self.upwards):
                self._choose_first(entries)
        # the plotting library takes a moment to load: figures are painted first
        QTimer.singleShot(0, self, self._draw)

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
            pieces.connect(
                (self.chart.spot_chosen, self._open),
                (self.chart.noted, self.noted),
            )
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
    x, y = score_words(float(found.x[at])), score_words(float(found.y[at]))
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
