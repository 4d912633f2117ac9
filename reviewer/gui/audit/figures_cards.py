"""Agreement by metric, agreement of labelers, and the histogram of gaps."""

import math

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit

from reviewer.domain.wording import DASH, gap_words, in_percent, short
from reviewer.gui.audit import metric_figures, words
from reviewer.gui.audit.metric_figures import OVERALL
from reviewer.gui.audit.scope_card import ScopeChoice
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.histogram import Bar, Histogram
from reviewer.services.audits.auditing import EQUAL, PairColumns
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.statistics_blocks import GapBlock, LabelerPair, MetricBlock
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.stats.catalogue import FIGURES

MANY = 12
"""Metrics from which a filter stands above them."""
_METRICS = (
    Column("metric"),
    Column("n", 40, number=True, tip="Labelled evaluations inside the window."),
    Column("auto", 50, number=True, tip="Mean of all auto scores.", drop=1),
    Column("human", 52, number=True, tip="Mean human score inside the window.", drop=2),
    Column("band", 60, number=True, tip="Error band: what labels add to an auto score.", drop=4),
    Column("adjusted", 64, number=True, tip="Auto mean plus band.", drop=3),
    Column("corrected", 84, number=True, tip="Estimated mean of all, with its interval."),
    Column("agreement", 88, number=True, tip="Judge and people by the chosen statistic."),
)
_PAIRS = (
    Column("pair"),
    Column("kappa", 84, number=True, tip=metric_figures.COLUMN_TIP),
    Column("n", 40, number=True, tip="Evaluations that both labelled.", drop=1),
)
ORDERS = (
    ("rubric", "rubric's order"),
    ("worst", "worst agreement first"),
    ("gap", "largest gap first"),
    ("fewest", "fewest labels first"),
    ("name", "by name"),
)


class AgreementCard(pieces.Card):
    """One row a metric and one for the overall, by a statistic of choice.

    Signals:
        metric_chosen: Another metric is to be shown in detail, by its name.
    """

    metric_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make an empty table."""
        super().__init__("Agreement by metric")
        self._document: StatsDocument | None = None
        self.statistic = ScopeChoice("Statistic")
        self.statistic.offer(metric_figures.CHOICES)
        self.order = ScopeChoice("Order")
        self.order.offer(ORDERS)
        self.filter = pieces.named(
            QLineEdit(placeholderText="find a metric", clearButtonEnabled=True),
            "Find a metric",
            hidden=True,
        )
        chooser = layouts.row(gap=theme.px(4))
        for choice in (self.statistic, self.order):
            choice.picked.connect(self._show)
            chooser.addWidget(choice, 1)
        self.table = GridView(theme, _METRICS, "Agreement by metric", most=14)
        self.table.row_chosen.connect(self._choose)
        self.since = pieces.text("", "tiny", wrap=True, name="What the window bounds")
        layouts.fill(self.body, chooser, self.filter, self.table, self.since)
        self.filter.textChanged.connect(lambda _: self._show())

    @property
    def chosen(self) -> str:
        """Give the name of the chosen statistic, `SUITED` for the one that suits the scale."""
        return str(self.statistic.value or metric_figures.SUITED)

    def show_document(self, document: StatsDocument) -> None:
        """Show every metric and the overall."""
        self._document = document
        self._show()

    def _show(self) -> None:
        document = self._document
        if document is None:
            return
        self.filter.setVisible(len(document.metrics) >= MANY)
        wanted = self.filter.text().strip().casefold()
        blocks = [x for x in document.metrics.values() if wanted in x.title.casefold()]
        rows = [(x.name, _metric_cells(x, self.chosen)) for x in self._sorted(blocks)]
        known = document.satisfaction.n_auto or document.satisfaction.n_human
        named = any(block.is_overall for block in document.metrics.values())
        if known and not (wanted or named):
            rows.append((OVERALL, _overall_cells(document.satisfaction)))
        self.table.show_rows(rows)
        bounded = f"n, human, band and adjusted: {document.look_back}; the others: any date"
        pieces.say(self.since, bounded if document.look_back else "")

    def _sorted(self, blocks: list[MetricBlock]) -> list[MetricBlock]:
        match self.order.value:
            case "worst":
                return sorted(blocks, key=self._badness)
            case "gap":
                return sorted(blocks, key=lambda x: -abs(x.judge_human["bias"] or 0.0))
            case "fewest":
                return sorted(blocks, key=lambda x: x.judge_human.n)
            case "name":
                return sorted(blocks, key=lambda x: x.title.casefold())
        return blocks

    def _badness(self, block: MetricBlock) -> float:
        """Rank the worst first, those without a figure last."""
        name = metric_figures.name_of(self.chosen, block)
        value = block.judge_human[name]
        if value is None:
            return math.inf
        worst_is_far = FIGURES[name].gap is not None
        return -abs(float(value)) if worst_is_far else float(value)

    def _choose(self, name: object) -> None:
        if name != OVERALL:
            self.metric_chosen.emit(str(name))


def _metric_cells(block: MetricBlock, chosen: str) -> tuple[Cell, ...]:
    scorer = "no auto scores" if block.scorer is None else f"by {block.scorer}"
    if block.other_scorers:
        scorer += f"; not {', '.join(block.other_scorers)}"
    gaps = block.gaps
    return (
        Cell(block.title, tip=f"{block.title}, {scorer}", strong=True, below=_missing(block)),
        words.labelled(gaps),
        *_means(gaps),
        words.corrected(block.corrected),
        metric_figures.agreement_cell(block.judge_human, metric_figures.name_of(chosen, block)),
    )


def _missing(block: MetricBlock) -> str:
    if not block.gaps.n_human:
        return "no labels" if block.is_labelled else "not asked of people"
    return words.thin(block.judge_human)


def _overall_cells(gaps: GapBlock) -> tuple[Cell, ...]:
    missing = Cell(DASH, "muted", tip="The overall score has no levels to agree on.")
    estimate = Cell(DASH, "muted", tip="Corrected means are estimated metric by metric.")
    return (Cell("Overall", strong=True), words.labelled(gaps), *_means(gaps), estimate, missing)


def _means(gaps: GapBlock) -> tuple[Cell, ...]:
    return (
        words.figure(gaps.auto_mean, gaps.undefined, "auto_mean", "auto"),
        words.figure(gaps.human_mean, gaps.undefined, "human_mean", "human"),
        words.band(gaps),
        words.adjusted(gaps.shown_adjusted),
    )


class LabelersCard(pieces.Card):
    """How far people agree with each other on the metric."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty table."""
        super().__init__("Labelers")
        self.table = GridView(theme, _PAIRS, "Agreement of labelers, pair by pair", most=6)
        self.together = pieces.text("", "small", wrap=True)
        layouts.fill(self.body, self.table, self.together)
        self.pairs: dict[tuple[str, str], LabelerPair] = {}

    def show_metric(self, document: StatsDocument, block: MetricBlock) -> None:
        """Show the pairs of a metric."""
        mine = [pair for pair in document.labelers if pair.metric == block.name]
        self.pairs = {(pair.a, pair.b): pair for pair in mine}
        name = metric_figures.usual(block)
        self.table.setVisible(bool(mine))
        self.table.show_rows([((pair.a, pair.b), _pair_cells(pair, name)) for pair in mine])
        found = block.human_human
        value = found["alpha_ordinal"]
        if not mine:
            self.together.setText("No two people labelled the same evaluation yet.")
        elif value is None:
            self.together.setText(found.undefined.get("alpha_ordinal", ""))
        else:
            interval = found.intervals.get("alpha_ordinal")
            spoken = f", 95 % {words.ends(interval.low, interval.high)}" if interval else ""
            alpha = f"Krippendorff's alpha {short(value)}{spoken}"
            self.together.setText(
                f"All together: {alpha}, n = {found.n:,}. Responses are drawn anew, labelers are "
                "not: it is the agreement of these people."
            )


def _pair_cells(pair: LabelerPair, name: str) -> tuple[Cell, ...]:
    names = f"{one_line(pair.a, 30)} – {one_line(pair.b, 30)}"
    bias = pair.figures.get("bias")
    tip = names if bias is None else f"{names}: the second scores {short(bias)} apart"
    first, second = one_line(pair.a, 30), one_line(pair.b, 30)
    shown = metric_figures.pair_cell(pair, name)
    return (Cell(first, tip=tip, below=second), shown, Cell(f"{pair.n:,}"))


class GapsCard(pieces.Card):
    """How often people scored how far above or below the judge.

    Signals:
        responses_requested: The responses of a bar are to be listed, by keys and heading.
        noted: A passing line, such as that the chart was copied.
    """

    responses_requested = Signal(object, str)
    noted = Signal(str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card; the histogram comes with the first figures, served by `figures`."""
        super().__init__("Gaps, human − auto")
        self._theme = theme
        self._figures = figures
        self._title = ""
        self.histogram: Histogram | None = None
        self._pairs: PairColumns | None = None
        self.summary = pieces.ElidedText("", "small")
        self.head.addWidget(self.summary)

    def show_metric(self, block: MetricBlock, pairs: PairColumns, since: str) -> None:
        """Show the gaps of a metric inside the window; `since` says how it is called."""
        self._pairs, self._title = pairs, block.title
        found = block.gaps.deviations
        self.summary.setText(
            f"{found.n_lower:,} lower · {found.n_equal:,} equal · {found.n_higher:,} higher"
            + (f" · {since}" if since else "")
        )
        # the plotting library takes a moment to load: figures are painted first
        QTimer.singleShot(0, self, self._draw)

    def _draw(self) -> None:
        if self._pairs is None:
            return
        if self.histogram is None:
            self.histogram = Histogram(self._theme)
            pieces.connect(
                (self.histogram.spot_chosen, self._open),
                (self.histogram.noted, self.noted),
            )
            self._figures.serve_chart(self.histogram, self.figure)
            self.body.addWidget(self.histogram)
        gaps = self._pairs.histogram()
        self.setVisible(bool(gaps))
        self.histogram.show_gaps(gaps)

    def figure(self) -> Figure | None:
        """Give the bar under the pointer or the keys as somebody takes it away."""
        spot = None if self.histogram is None else self.histogram.spot
        bar, pairs = None if spot is None else spot.key, self._pairs
        if pairs is None or not isinstance(bar, Bar):
            return None
        whole = sum(n for _, n in pairs.histogram())
        gap = gap_words(bar.gap)
        if bar.low != bar.high:
            gap = f"between {gap_words(bar.low)} and {gap_words(bar.high)}"
        share = in_percent(bar.n / whole)
        return Figure(
            title=f"{self._title}: gap {gap}",
            sentence=f"On {self._title} the gap human − auto is {gap} in {bar.n:,} of "
            f"{whole:,} labelled responses ({share}).",
            steps=lambda: (
                Step(
                    "Share",
                    "Responses of the bar / all with a gap inside the window.",
                    f"{bar.n:,} / {whole:,} = {share}",
                ),
            ),
            keys=lambda: _of_bar(pairs, bar),
            heading=f"gap {gap_words(bar.gap)}",
        )

    def _open(self, bar: object) -> None:
        if self._pairs is not None and isinstance(bar, Bar):
            self.responses_requested.emit(_of_bar(self._pairs, bar), f"gap {gap_words(bar.gap)}")


def _of_bar(pairs: PairColumns, bar: Bar) -> Ints:
    wanted = pairs.inside & (pairs.gaps >= bar.low - EQUAL) & (pairs.gaps <= bar.high + EQUAL)
    return np.asarray(pairs.keys[wanted])
