"""Over time: means, gap and agreement by week, and what may have moved them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QCheckBox, QHBoxLayout
from typing_extensions import override

from reviewer.domain.run import DateBasis
from reviewer.domain.wording import DASH, gap_words, level_percent, short, signed, two
from reviewer.gui.audit import words
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.plots.plot import Plot
from reviewer.gui.plots.trend import FigureOfWeeks, Point, TrendChart
from reviewer.gui.sections import Reading
from reviewer.services.audits import trend
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.trend import LABELS_FROM, Side, Spanned, Trend, Week
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.bands import HELD
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.intervals import IntervalPolicy

GAP = "Gap, human − auto"
MOST_MARKS = 6
"""Changes that are told beneath the charts, the newest."""
BASIS: dict[DateBasis, str] = {"evaluation": "evaluation date", "chat": "chat date"}
_WEEKS = (
    Column("week from"),
    Column("auto", 60, number=True, tip="Mean of all auto scores of the week."),
    Column("n", 54, number=True, tip="Evaluations with an auto score.", drop=4),
    Column("human", 92, number=True, tip=f"From {LABELS_FROM} labels a week."),
    Column("n", 54, number=True, tip="Evaluations with a human score."),
    Column("gap", 104, number=True, tip="Mean of human − auto, with its interval.", drop=2),
    Column("agreement", 96, number=True, tip="Of judge and people, with its interval.", drop=3),
    Column("adjusted", 70, number=True, tip="Auto mean plus today's band.", drop=1),
)


_WHOLE = (
    Column("all weeks"),
    Column("auto", 70, number=True, tip="Mean of all auto scores of the scope.", drop=2),
    Column(
        "human",
        70,
        number=True,
        tip="Mean of people where both scored, inside the window.",
        drop=3,
    ),
    Column("gap", 70, number=True, tip="Mean of human − auto, inside the window.", drop=4),
    Column(
        "upper", 84, number=True, tip="Upper deviation: by how much people score higher.", drop=1
    ),
    Column(
        "lower", 84, number=True, tip="Lower deviation: by how much people score lower.", drop=1
    ),
    Column("band", 84, number=True, tip="What the deviations add to every auto mean."),
    Column("adjusted", 92, number=True, tip="Auto mean plus band."),
)


class TrendSection(AuditSection[Trend]):
    """The chart, and the same figures as a table beneath it."""

    title = "Over time"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section; the chart comes with the first figures."""
        super().__init__(surroundings)
        self.chart: TrendChart | None = None
        self.gaps: FigureOfWeeks | None = None
        self.agreements: FigureOfWeeks | None = None
        self._found: Trend | None = None
        self.card = pieces.Card("Over time")
        self.deviations = pieces.named(
            QCheckBox("deviations and adjusted"), "Deviations and adjusted"
        )
        self.choices = (self.deviations,)
        self.deviations.setChecked(True)
        self.deviations.toggled.connect(lambda _: self._draw())
        self.card.head.addWidget(self.deviations)
        self.whole = GridView(self.theme, _WHOLE, "The whole scope", most=1)
        self.legend = _legend()
        self.caption = pieces.text("", "tiny", wrap=True)
        self._charts = layouts.column(gap=4)
        self.marks = pieces.text("", "tiny", wrap=True, name="What changed")
        self._titles = [pieces.text("", "small") for _ in range(2)]
        layouts.fill(
            self.card.body, self.whole, self.legend, self._charts, self.marks, self.caption
        )
        self.table_card = pieces.Card("Week by week")
        self.table = GridView(self.theme, _WEEKS, "Means week by week", most=12)
        self.figures.serve_grid(self.table, self._figure_of)
        self.table.row_opened.connect(self._open)
        self.table_card.body.addWidget(self.table)
        layouts.fill(self.body, self.card, self.table_card)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[Trend] | None:
        """Give what works out the weeks, with intervals; runs and rubrics are read for marks."""
        request = audit.request
        policy = IntervalPolicy(level=request.level, seed=request.seed)
        return lambda own, _: trend.with_marks(
            own, audit, trend.trend(audit.frame, metric, request.scope.dates, policy)
        )

    @override
    def show_found(self, found: Trend) -> None:
        """Show the weeks, or why there are none."""
        self._found = found
        self.say(found.reason)
        pieces.show(self.card, self.table_card, shown=not found.reason)
        self.card.title.setText(found.title)
        self.whole.show_rows([(found.metric, _whole_cells(found))])
        self.table.show_rows([(x.start, _cells(x)) for x in reversed(found.weeks)])
        self._draw()

    def _draw(self) -> None:
        found, audit = self._found, self.audit
        if found is None or audit is None:
            return
        chart, gaps, agreements = self._charted()
        shown = self.deviations.isChecked()
        chart.show_trend(found, deviations=shown)
        gaps.show_figures(found, [week.gap for week in found.weeks])
        agreements.show_figures(found, [week.agreement for week in found.weeks])
        sign = FIGURES[found.coefficient].title
        for title, text in zip(self._titles, (GAP, f"Agreement, {sign}"), strict=True):
            title.setText(text)
        of_gap, of_agreement = self._titles
        pieces.show(of_gap, gaps, shown=found.has_labels)
        pieces.show(of_agreement, agreements, shown=found.has_agreement)
        told = [f"{mark.since}: {mark.words}" for mark in found.marks[-MOST_MARKS:]]
        pieces.say(self.marks, f"Changed: {'; '.join(told)}." if told else "")
        self.caption.setText(_caption(found, audit.request.scope.dates, deviations=shown))

    def _charted(self) -> tuple[TrendChart, FigureOfWeeks, FigureOfWeeks]:
        """Give the charts; what draws them takes half a second to import."""
        if self.chart is None or self.gaps is None or self.agreements is None:
            self.chart = TrendChart(self.theme)
            self.gaps = FigureOfWeeks(self.theme, "gap", "text", signed)
            self.agreements = FigureOfWeeks(self.theme, "agreement", "auto_fill", two)
            charts = (self.chart, self.gaps, self.agreements)
            for chart, title in zip(charts, (None, *self._titles), strict=True):
                if title is not None:
                    self._charts.addWidget(title)
                self._charts.addWidget(chart)
                pieces.connect((chart.spot_chosen, self._open), (chart.noted, self.noted))
                self.figures.serve_chart(chart, partial(self._spot_figure, chart))
        return self.chart, self.gaps, self.agreements

    def _open(self, wanted: object) -> None:
        audit, found = self.audit, self._found
        if audit is None or found is None:
            return
        if not isinstance(wanted, Point):
            week = next((x for x in found.weeks if x.start == wanted), None)
            if week is None:
                return
            wanted = Point(week.start, "labelled" if week.n_human else "judged")
        keys = trend.keys_of(audit.frame, found.metric, wanted.start, wanted.side)
        self.responses_requested.emit(keys, f"{wanted.side} in the week from {wanted.start}")

    def _spot_figure(self, chart: Plot) -> Figure | None:
        spot = chart.spot
        if spot is None or not isinstance(spot.key, Point):
            return None
        column = _HUMAN if spot.key.side == "labelled" else _AUTO
        if chart in (self.gaps, self.agreements):
            column = _GAP if chart is self.gaps else _AGREEMENT
        return self._figure_of(spot.key.start, column)

    def _figure_of(self, key: object, column: int) -> Figure | None:
        audit, found = self.audit, self._found
        if audit is None or found is None:
            return None
        week = next((x for x in found.weeks if x.start == key), None)
        column = _COUNTED.get(column, column)
        if week is None or column not in _MADE:
            return None
        frame, metric = audit.frame, found.metric
        side: Side = "labelled" if column == _HUMAN else "judged"
        if column in (_GAP, _AGREEMENT):
            side = "compared"
        return Figure(
            title=f"{found.title}, {week.name}",
            sentence=_sentence(found, week, column),
            steps=lambda: (_step(found, week, column),),
            keys=lambda: trend.keys_of(frame, metric, week.start, side),
            heading=f"{side} in the week from {week.start}",
        )


_AUTO, _HUMAN, _GAP, _AGREEMENT, _ADJUSTED = 1, 3, 5, 6, 7
_MADE = (_AUTO, _HUMAN, _GAP, _AGREEMENT, _ADJUSTED)
_COUNTED = {2: _AUTO, 4: _HUMAN}
"""Columns that say how many evaluations stand behind the one before them."""


def _cells(week: Week) -> tuple[Cell, ...]:
    few = f"{week.n_labels} of the {LABELS_FROM} labels that a point needs."
    human = _spanned(week.human, short, few, "human")
    return (
        Cell(week.start.isoformat(), tip=week.name),
        Cell(short(week.auto_mean), "auto"),
        Cell(f"{week.n_auto:,}"),
        human,
        Cell(f"{week.n_human:,}"),
        _spanned(week.gap, signed, few),
        _spanned(week.agreement, two, f"n = {week.agreement.n:,}: too few, or all alike."),
        words.adjusted(week.adjusted),
    )


def _whole_cells(whole: Trend) -> tuple[Cell, ...]:
    gaps = whole.gaps
    found, undefined = gaps.deviations, gaps.undefined
    n = f"n {found.n_labelled:,}"
    gap = words.figure(found.gap_mean, undefined, "gap_mean")
    return (
        Cell(f"as of {whole.as_of}", "muted"),
        replace(words.figure(gaps.auto_mean, undefined, "auto_mean", "auto"),
                below=f"n {gaps.n_auto:,}"),
        replace(words.figure(gaps.human_mean, undefined, "human_mean", "human"), below=n),
        gap if found.gap_mean is None else replace(gap, words=gap_words(found.gap_mean)),
        words.deviation(gaps, found.upper, "upper"),
        words.deviation(gaps, found.lower, "lower"),
        words.band(gaps),
        words.adjusted(gaps.shown_adjusted),
    )  # fmt: skip


def _spanned(one: Spanned, write: Callable[[float], str], few: str, role: str = "") -> Cell:
    if one.value is None:
        return Cell(DASH, "muted", tip=few)
    below = "" if one.ends is None else f"{write(one.ends[0])} – {write(one.ends[1])}"
    return Cell(write(one.value), role, tip=f"n = {one.n:,}", below=below)


def _sentence(found: Trend, week: Week, column: int) -> str:
    when = f"in the week from {week.start}"
    if column == _AUTO:
        mean = short(week.auto_mean)
        return f"The judge's mean {found.title} {when} is {mean} (n = {week.n_auto:,})."
    if column == _ADJUSTED:
        return _adjusted_sentence(found, week, when)
    if week.human.value is None:
        return (
            f"There is no human mean of {found.title} {when}: {week.n_labels} of the "
            f"{LABELS_FROM} labels that a point needs (n = {week.n_human:,})."
        )
    if column in (_GAP, _AGREEMENT):
        return _labelled_sentence(found, week, column)
    return (
        f"People's mean {found.title} {when} is {short(week.human.value)} "
        f"(n = {week.n_human:,}, {week.n_labels:,} labels)."
    )


def _adjusted_sentence(found: Trend, week: Week, when: str) -> str:
    shown = week.adjusted
    if shown.value is None:
        said = shown.words(short)
        return (
            f"The adjusted mean {found.title} {when} is {said}: {shown.reason} "
            f"(n = {week.n_auto:,})."
        )
    ends = f", {shown.mark}" if shown.mark else ""
    return (
        f"The adjusted mean {found.title} {when} is {shown.words(short)}: the judge's "
        f"mean plus the band {found.band.words(gap_words)} as of {found.as_of}{ends} "
        f"(n = {week.n_auto:,})."
    )


def _labelled_sentence(found: Trend, week: Week, column: int) -> str:
    when, level = f"in the week from {week.start}", level_percent(found.level)
    if column == _GAP:
        told = _with_ends(week.gap, signed, level)
        return f"The mean gap human − auto of {found.title} {when} is {told}."
    sign, told = FIGURES[found.coefficient].title, _with_ends(week.agreement, two, level)
    return f"The {sign} of judge and people on {found.title} {when} is {told}."


def _with_ends(one: Spanned, write: Callable[[float], str], level: str) -> str:
    if one.value is None:
        return f"not defined (n = {one.n:,})"
    around = "" if one.ends is None else f", {level} {write(one.ends[0])} to {write(one.ends[1])}"
    return f"{write(one.value)} (n = {one.n:,}{around})"


def _step(found: Trend, week: Week, column: int) -> Step:
    if column == _ADJUSTED:
        shown, band = week.adjusted, found.band.words(gap_words)
        if shown.value is None:
            return Step("Adjusted mean", shown.note)
        made = f"auto mean + band = {short(week.auto_mean)} + ({band})"
        if shown.mark == HELD:
            made = f"mean of {week.n_auto:,} auto scores, each + ({band})"
        note = f"{shown.note} " if shown.mark else ""
        text = (
            f"{made} = {shown.words(short)}. {note}The band is that of the whole scope "
            f"as of {found.as_of}; it is the same for every week."
        )
        return Step("Adjusted mean", text)
    if column in (_GAP, _AGREEMENT):
        return Step("Gap" if column == _GAP else "Agreement", _sentence(found, week, column))
    mean, n = week.auto_mean, week.n_auto
    if column == _HUMAN:
        mean, n = week.human.value, week.n_human
    name = "auto" if column == _AUTO else "human"
    if mean is None:
        return Step(f"{name.title()} mean", _sentence(found, week, column))
    total = short(mean * n)
    text = f"sum of {name} scores / n = {total} / {n:,} = {short(mean)}."
    return Step(f"{name.title()} mean", text)


def _caption(found: Trend, basis: DateBasis, *, deviations: bool) -> str:
    parts = [f"by {BASIS[basis]}", f"human means from {LABELS_FROM} labels a week"]
    if deviations:
        if found.upper is None and found.lower is None:
            parts.append("no deviations yet: too few labels differ")
        else:
            sides = (("lower", found.lower), ("upper", found.upper))
            said = [f"{side} {gap_words(value)}" for side, value in sides if value is not None]
            what = "deviations" if len(said) > 1 else "deviation"
            parts.append(f"shaded: {what} {' and '.join(said)} as of {found.as_of}")
        if found.band.value is None:
            parts.append(f"no adjusted means: {found.band.reason}")
    if found.n_unscored:
        parts.append(f"{found.n_unscored:,} were not scored")
    if found.n_undated:
        parts.append(f"{found.n_undated:,} without a date are in no week")
    return " · ".join(parts)


def _legend() -> QHBoxLayout:
    row = layouts.row(gap=14)
    for sign, name in (("●", "auto"), ("■", "human"), ("┄", "adjusted")):
        drawn = pieces.text(sign)
        # the sign has the colour of the line, which is too bright for words
        drawn.setProperty("sign", name)
        row.addLayout(layouts.row(drawn, pieces.text(name, "small"), gap=4))
    row.addStretch(1)
    return row
