"""The figures of each run beside those of several runs pooled."""

from reviewer.gui.audit import statistic, words
from reviewer.gui.audit.cells import percents
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.figures.statistics_blocks import PassBlock, RunBlock
from reviewer.services.figures.statistics_document import StatsDocument

NAME = 60
_RUNS = (
    Column("run"),
    Column("n", 40, number=True, tip="Labelled evaluations inside the window."),
    Column("auto", 50, number=True, tip="Mean of all auto scores.", drop=1),
    Column("human", 52, number=True, tip="Mean human score inside the window.", drop=2),
    Column("adjusted", 64, number=True, tip="Auto mean plus band.", drop=4),
    Column("corrected", 84, number=True, tip="Estimated mean of all, with its interval."),
    Column("agreement", 88, number=True, tip="Judge and people by the metric's coefficient."),
    Column("passed", 84, number=True, tip="By the judge, over the whole rubric.", drop=3),
)


class RunsCard(pieces.Card):
    """One row a run for the metric in view, there only where several runs are pooled and differ.

    A judge that tells two agents apart agrees with people over both, and may with neither.
    """

    def __init__(self, theme: Theme) -> None:
        """Make an empty card that is not shown."""
        super().__init__("By run")
        self.table = GridView(theme, _RUNS, "Figures of each run")
        self.table.fit_to_rows(8)
        self.body.addWidget(self.table)
        self.hide()

    def show_metric(self, document: StatsDocument, metric: str) -> None:
        """Show the runs' figures of a metric."""
        runs = [run for run in document.by_run if metric in run.metrics]
        rows = [(run.name, _cells(run, metric)) for run in runs]
        told = {tuple(cell.words + cell.below for cell in cells[1:]) for _, cells in rows}
        self.setVisible(len(told) > 1)
        self.table.show_rows(rows if len(told) > 1 else [])


def _cells(run: RunBlock, metric: str) -> tuple[Cell, ...]:
    found = run.metrics[metric]
    gaps = found.gaps
    name = "kappa_quadratic" if gaps.ordered else "kappa"
    return (
        Cell(one_line(run.name, NAME), tip=f"{run.name}, by {found.scorer or 'nobody'}"),
        words.labelled(gaps),
        words.figure(gaps.auto_mean, gaps.undefined, "auto_mean", "auto"),
        words.figure(gaps.human_mean, gaps.undefined, "human_mean", "human"),
        words.adjusted(gaps.shown_adjusted),
        words.corrected(found.corrected),
        statistic.cell(found.judge_human, name),
        _passed(run.passing),
    )


def _passed(found: PassBlock) -> Cell:
    if found.auto_rate is None:
        return Cell(words.DASH, "muted", tip=found.undefined.get("auto_rate", ""))
    interval = found.intervals.get("auto_rate")
    below = "" if interval is None else f"{100 * interval.low:.0f} – {100 * interval.high:.0f} %"
    return Cell(percents(found.auto_rate), "auto", tip=f"n = {found.n_auto:,}", below=below)
