"""How runs, steps, regressions and unstable cases of the trend are written, and what is drawn."""

from collections.abc import Sequence
from typing import Final

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import fixed, gap_words, score_words
from reviewer.gui.kit.grid import Cell
from reviewer.gui.kit.text import name_line, one_line, without_shared
from reviewer.gui.plots.level_shares import Panel, Row
from reviewer.gui.plots.runs import RunDot, RunMark, RunSeries
from reviewer.gui.runs.words import percent
from reviewer.services.monitoring import regressions
from reviewer.services.monitoring.regressions import Regression
from reviewer.services.monitoring.run_columns import UnstableCase
from reviewer.services.monitoring.trending import RunPoint, Trend
from reviewer.services.monitoring.trending import Step as RunStep
from reviewer.stats.clustering import NO_QUANTITY, Quantity
from reviewer.stats.regression import Change

PASSING, P95, COST = "pass", "p95", "cost"
"""What can be drawn beside scores."""
DASH: Final = "—"
MOST_LETTERS = 12
_SIGNS: Final = {"p": "✓", "f": "✕", "-": "–"}
_WORD_SIGNS: Final = {"better": "▲", "worse": "▼"}
_ROLES: Final = {"better": "adjusted", "worse": "alert"}


def title_of(figure: str, found: Trend) -> str:
    """Name a figure."""
    names = {PASSING: "Pass rate", P95: "p95 latency, ms", COST: "Average cost, $"}
    metric = found.rubric.by_name.get(figure)
    if metric is not None:
        return metric.title or figure
    return names.get(figure, "Overall")


def shown(run: RunPoint, figure: str) -> Quantity:
    """Give a figure of a run."""
    named = {PASSING: run.passing, P95: run.p95, COST: run.cost}
    return named.get(figure) or run.averages.get(figure, NO_QUANTITY)


def written(value: float | None, figure: str) -> str:
    """Write a figure's value."""
    if value is None:
        return DASH
    if figure == PASSING:
        return percent(value)
    if figure == P95:
        return f"{fixed(value, 0)} ms"
    return f"${fixed(value, 4)}" if figure == COST else fixed(value)


def series(found: Trend, figure: str) -> tuple[RunSeries, ...]:
    """Give a figure of all runs for the chart; the pass rate by everybody who says one."""
    if figure != PASSING:
        quantities = [shown(run, figure) for run in found.runs]
        return (RunSeries(title_of(figure, found), "auto", _dots(found, figure, "", quantities)),)
    sides = (
        ("judge", "auto", " by the judge", [x.passing for x in found.runs]),
        ("people", "human", " by people", [x.people for x in found.runs]),
        ("corrected", "adjusted", ", corrected", [x.corrected for x in found.runs]),
    )
    return tuple(
        RunSeries(name, role, _dots(found, figure, whose, quantities))
        for name, role, whose, quantities in sides
        if any(x.value is not None for x in quantities)
    )


def _dots(
    found: Trend, figure: str, whose: str, quantities: Sequence[Quantity]
) -> tuple[RunDot, ...]:
    """Write a figure of all runs, shares in percent."""
    made = []
    factor = 100.0 if figure == PASSING else 1.0
    for run, one in zip(found.runs, quantities, strict=True):
        ends = "" if one.low is None else (
            f"\n95 % {written(one.low, figure)} to {written(one.high, figure)}"
        )  # fmt: skip
        made.append(
            RunDot(
                run.name,
                _times(one.value, factor),
                _times(one.low, factor),
                _times(one.high, factor),
                f"{run.name}\n{title_of(figure, found)}{whose} {written(one.value, figure)}"
                f"{ends}\nn = {one.n:,}",
            )
        )
    return tuple(made)


def marks(found: Trend) -> tuple[RunMark, ...]:
    """Give where judge, prompt or rubric changed, a mark a run."""
    return tuple(
        RunMark(
            place,
            ", ".join(dict.fromkeys(x.kind for x in run.changed)),
            f"{run.name}\n" + "\n".join(x.words for x in run.changed),
        )
        for place, run in enumerate(found.runs)
        if run.changed
    )


def panels(found: Trend, most: int) -> tuple[Panel, ...]:
    """Give the newest runs' scores by level, a panel a metric."""
    runs = list(enumerate(found.runs))[-most:][::-1]
    short = without_shared([run.name for _, run in runs])
    made = []
    for one in found.shares:
        levels = tuple(_level(one.metric, x) for x in one.levels)
        rows = tuple(Row(x.name, x.name, short[x.name], one.counts[at]) for at, x in runs)
        made.append(Panel(one.metric.name, one.metric.heading, levels, rows))
    return tuple(made)


def _level(metric: Metric, value: float) -> str:
    title = next((x.title for x in metric.levels if x.value == value), "")
    return f"{score_words(value)} {title}".strip()


def cells(run: RunPoint, score: str, found: Trend, short: str = "") -> tuple[Cell, ...]:
    """Write a run's row: name, pass rate, score, p95 and cost, each with its step.

    Its `short` name stands where there is little room.
    """
    when = [run.when] if run.when else []
    shared = [] if run.against is None else [f"{run.shared:,} shared"]
    below = " · ".join((*when, f"n {run.n:,}", *shared))
    against = "" if run.against is None else f"\nAgainst {run.against}."
    return (
        Cell(name_line(run.name, 80), tip=f"{run.name}{against}", below=below, short=short),
        _step_cell(run, PASSING, run.passing_step, found),
        _step_cell(run, score, run.steps.get(score), found),
        _change_cell(run, P95, run.p95_step, found),
        _change_cell(run, COST, run.cost_step, found),
    )


def worse_cells(one: Regression, found: Trend) -> tuple[Cell, ...]:
    """Write a figure that became worse: its name, from what to what, by how much, in which run."""
    name = {
        regressions.PASSING: "Pass rate",
        regressions.P95: "p95 latency",
        regressions.COST: "Average cost",
    }.get(one.figure) or title_of(one.figure, found)
    return (
        Cell(f"▼ {name}", "alert", tip=one.sentence),
        Cell(one.went, tip=one.sentence),
        Cell(one.change, tip=one.sentence),
        Cell(one_line(one.run, 80), "muted", tip=f"{one.run}\nAgainst {one.against}."),
    )


def case_cells(case: UnstableCase) -> tuple[Cell, ...]:
    """Write a case's row: name, spread, from lowest to highest, its verdicts."""
    letters = "".join(_SIGNS[x] for x in case.verdicts[-MOST_LETTERS:])
    more = "…" if len(case.verdicts) > MOST_LETTERS else ""
    role = "alert" if case.changes else "muted"
    tip = "Its verdict by run, oldest first: ✓ passed, ✕ failed, – neither."
    return (
        Cell(one_line(case.case, 80), tip=case.case),
        Cell(fixed(case.spread), tip=f"Standard deviation over {case.runs} runs."),
        Cell(f"{score_words(case.low)} to {score_words(case.high)}"),
        Cell(more + letters, role, tip=tip),
    )


def _step_cell(run: RunPoint, figure: str, step: RunStep | None, found: Trend) -> Cell:
    value = shown(run, figure)
    words = written(value.value, figure)
    if value.value is None:
        reason = found.no_verdict if figure == PASSING else ""
        return Cell(DASH, "muted", tip=reason or "No evaluation of the run has it.")
    if step is None:
        return Cell(words, tip=f"n = {value.n:,}")
    tip = regressions.step_sentence(
        run, regressions.PASSING if figure == PASSING else figure, step
    )
    if step.difference is None:
        return Cell(words, tip=tip, below="no shared case")
    factor, digits = (100.0, 1) if figure == PASSING else (1.0, 2)
    told = gap_words(factor * step.difference, digits)
    ends = ""
    if step.low is not None and step.high is not None:
        low, high = (_short(factor * x, digits) for x in (step.low, step.high))
        ends = f" [{low}, {high}]"
    if step.unlike:
        # what it is goes first: the difference may be the judge's
        return Cell(words, tip=tip, below=f"{step.unlike.partition(':')[0]} {told}")
    if step.word:
        words = f"{_WORD_SIGNS[step.word]} {words}"
        below = f"{step.word} {told}{ends}"
    else:
        below = f"{told}{ends}"
    return Cell(words, _ROLES.get(step.word, ""), tip=tip, below=below)


def _change_cell(run: RunPoint, figure: str, change: Change | None, found: Trend) -> Cell:
    value = shown(run, figure)
    words = written(value.value, figure)
    if value.value is None:
        return Cell(DASH, "muted", tip="No response of the run carries it.")
    if change is None or change.difference is None:
        return Cell(words, tip=f"n = {value.n:,}")
    tip = regressions.change_sentence(
        run, regressions.P95 if figure == P95 else regressions.COST, change
    )
    share = change.share
    below = "" if share is None else f"{gap_words(100 * share, 0)} %"
    if regressions.is_regression(change, found.limit):
        return Cell(f"▼ {words}", "alert", tip=tip, below=f"worse {below}")
    return Cell(words, tip=tip, below=below)


def _short(value: float, digits: int) -> str:
    """Write an end of an interval in little room: without plus, and without a zero before."""
    text = fixed(abs(value), digits).removeprefix("0") or "0"
    return ("−" if round(value, digits) < 0 else "") + (text if text.strip(".0") else "0")


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
