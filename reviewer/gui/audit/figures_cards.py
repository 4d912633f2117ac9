"""Agreement by metric, agreement of labelers, and the histogram of gaps."""

from PySide6.QtCore import QTimer, Signal

from reviewer.gui import pieces
from reviewer.gui.audit import words
from reviewer.gui.grid import Cell, Column, GridView
from reviewer.gui.plots.histogram import Bar, Histogram
from reviewer.gui.text import one_line, signed
from reviewer.gui.theme import Theme
from reviewer.services.auditing import EQUAL, PairColumns
from reviewer.services.statistics_blocks import GapBlock, LabelerPair, MetricBlock
from reviewer.services.statistics_document import StatsDocument
from reviewer.stats.words import COEFFICIENTS_FROM

OVERALL = ""
"""The key of the overall's row, which has no detail of its own."""
_METRICS = (
    Column("metric"),
    Column("n", 40, number=True, tip="Labelled evaluations inside the window."),
    Column("auto", 50, number=True, tip="Mean of all auto scores.", drop=1),
    Column("human", 52, number=True, tip="Mean human score inside the window.", drop=2),
    Column("band", 52, number=True, tip="Error band: what labels add to an auto score.", drop=4),
    Column("adjusted", 64, number=True, tip="Auto mean plus band.", drop=3),
    Column("corrected", 84, number=True, tip="Estimated mean of all, with its interval."),
    Column("κ quadratic", 88, number=True, tip="Agreement of judge and people, with interval."),
)
_PAIRS = (
    Column("pair"),
    Column("κ", 84, number=True, tip="Quadratic kappa with its interval."),
    Column("n", 34, number=True, tip="Evaluations that both labelled."),
)


class AgreementCard(pieces.Card):
    """One row a metric and one for the overall.

    Signals:
        metric_chosen: Another metric is to be shown in detail, by its name.
    """

    metric_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make an empty table."""
        super().__init__("Agreement by metric")
        self.table = GridView(theme, _METRICS, "Agreement by metric")
        self.table.fit_to_rows(14)
        self.table.row_chosen.connect(self._choose)
        self.body.addWidget(self.table)

    def show_document(self, document: StatsDocument) -> None:
        """Show every metric and the overall."""
        rows = [(name, _metric_cells(block)) for name, block in document.metrics.items()]
        if document.satisfaction.n_auto or document.satisfaction.n_human:
            rows.append((OVERALL, _overall_cells(document.satisfaction)))
        self.table.show_rows(rows)

    def clear(self) -> None:
        """Show nothing."""
        self.table.show_rows([])

    def _choose(self, name: object) -> None:
        if name != OVERALL:
            self.metric_chosen.emit(str(name))


def _metric_cells(block: MetricBlock) -> tuple[Cell, ...]:
    name, _ = words.coefficient(block)
    scorer = "no auto scores" if block.scorer is None else f"by {block.scorer}"
    if block.other_scorers:
        scorer += f"; not {', '.join(block.other_scorers)}"
    gaps = block.gaps
    return (
        Cell(block.title, tip=f"{block.title}, {scorer}", strong=True, below=_missing(block)),
        _count(gaps),
        *_means(gaps),
        words.corrected(block.corrected),
        words.kappa(block.judge_human, name),
    )


def _missing(block: MetricBlock) -> str:
    if not block.gaps.n_human:
        return "no labels"
    return words.thin(block.judge_human)


def _overall_cells(gaps: GapBlock) -> tuple[Cell, ...]:
    missing = Cell(words.DASH, "muted", tip="The overall score has no levels to agree on.")
    estimate = Cell(words.DASH, "muted", tip="Corrected means are estimated metric by metric.")
    return (Cell("Overall", strong=True), _count(gaps), *_means(gaps), estimate, missing)


def _count(gaps: GapBlock) -> Cell:
    n = gaps.deviations.n_labelled
    tip = f"{gaps.n_auto:,} with an auto score, {gaps.n_human:,} with a human score, {n:,} with "
    return Cell(f"{n:,}", tip=tip + f"both inside the window, {gaps.n_blind:,} of them blind.")


def _means(gaps: GapBlock) -> tuple[Cell, ...]:
    adjusted = words.figure(gaps.adjusted_mean, gaps.undefined, "adjusted_mean", "adjusted")
    return (
        words.figure(gaps.auto_mean, gaps.undefined, "auto_mean", "auto"),
        words.figure(gaps.human_mean, gaps.undefined, "human_mean", "human"),
        words.band(gaps),
        adjusted,
    )


class LabelersCard(pieces.Card):
    """How far people agree with each other on the metric."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty table."""
        super().__init__("Labelers")
        self.table = GridView(theme, _PAIRS, "Agreement of labelers, pair by pair")
        self.table.fit_to_rows(6)
        self.together = pieces.text("", "small", wrap=True)
        self.body.addWidget(self.table)
        self.body.addWidget(self.together)

    def show_metric(self, document: StatsDocument, block: MetricBlock) -> None:
        """Show the pairs of a metric."""
        mine = [pair for pair in document.labelers if pair.metric == block.name]
        self.table.setVisible(bool(mine))
        self.table.show_rows([((pair.a, pair.b), _pair_cells(pair)) for pair in mine])
        found = block.human_human
        if not mine:
            self.together.setText("No two people labelled the same evaluation yet.")
        elif found.alpha_ordinal is None:
            self.together.setText(found.undefined.get("alpha_ordinal", ""))
        else:
            interval = found.intervals.get("alpha_ordinal")
            spoken = f", 95 % {words.ends(interval.low, interval.high)}" if interval else ""
            alpha = f"Krippendorff's alpha {words.two(found.alpha_ordinal)}{spoken}"
            self.together.setText(f"All together: {alpha}, n = {found.n:,}")


def _pair_cells(pair: LabelerPair) -> tuple[Cell, ...]:
    value = pair.figures.get("kappa_quadratic")
    interval = pair.intervals.get("kappa_quadratic")
    names = f"{one_line(pair.a, 30)} – {one_line(pair.b, 30)}"
    if value is None or pair.n < COEFFICIENTS_FROM:
        reason = pair.undefined.get(
            "kappa_quadratic", f"{pair.n} of the {COEFFICIENTS_FROM} pairs that a κ needs."
        )
        shown = Cell(words.DASH, "muted", tip=reason)
    else:
        below = words.ends(interval.low, interval.high) if interval else ""
        shown = Cell(words.two(value), tip=f"95 % {below}" if below else "", below=below)
    bias = pair.figures.get("bias")
    tip = names if bias is None else f"{names}: the second scores {words.two(bias)} apart"
    first, second = one_line(pair.a, 30), one_line(pair.b, 30)
    return (Cell(first, tip=tip, below=second), shown, Cell(f"{pair.n:,}"))


class GapsCard(pieces.Card):
    """How often people scored how far above or below the judge.

    Signals:
        responses_requested: The responses of a bar are to be listed, by keys and heading.
        noted: A passing line, such as that the chart was copied.
    """

    responses_requested = Signal(object, str)
    noted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card; the histogram comes with the first figures."""
        super().__init__("Gaps, human − auto")
        self._theme = theme
        self.histogram: Histogram | None = None
        self._pairs: PairColumns | None = None
        self.summary = pieces.ElidedText("", "small")
        self.head.addWidget(self.summary)

    def show_metric(self, block: MetricBlock, pairs: PairColumns) -> None:
        """Show the gaps of a metric inside the window."""
        self._pairs = pairs
        found = block.gaps.deviations
        self.summary.setText(
            f"{found.n_lower:,} lower · {found.n_equal:,} equal · {found.n_higher:,} higher"
        )
        # the plotting library takes a moment to load: figures are painted first
        QTimer.singleShot(0, self, self._draw)

    def _draw(self) -> None:
        if self._pairs is None:
            return
        if self.histogram is None:
            self.histogram = Histogram(self._theme)
            self.histogram.spot_chosen.connect(self._open)
            self.histogram.noted.connect(self.noted)
            self.body.addWidget(self.histogram)
        gaps = self._pairs.histogram()
        self.setVisible(bool(gaps))
        self.histogram.show_gaps(gaps)

    def _open(self, bar: object) -> None:
        pairs = self._pairs
        if pairs is None or not isinstance(bar, Bar):
            return
        wanted = pairs.inside & (pairs.gaps >= bar.low - EQUAL) & (pairs.gaps <= bar.high + EQUAL)
        self.responses_requested.emit(pairs.keys[wanted], f"gap {signed(bar.gap)}")
