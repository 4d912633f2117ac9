"""A run as columns, case by case, and how stable cases are over several runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures import likeness
from reviewer.services.figures.column_memory import HeldBack
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader, overall_dates
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.likeness import MadeBy
from reviewer.services.figures.paired_scores import SharedCases, numbered, shared_cases
from reviewer.services.figures.request import Covered
from reviewer.services.figures.statistics_blocks import PassBlock
from reviewer.services.figures.statistics_pass import pass_block
from reviewer.services.project import project_days
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.overall_columns import FAIL, OPEN, PASS, Verdicts
from reviewer.store import evaluation_columns, figures

OVERALL = "overall"
"""The name of the overall score among the averages."""


@dataclass(frozen=True, slots=True)
class RunColumns:
    """One run's columns, one row an evaluation.

    Attributes:
        when: The day of its newest evaluation, None without dates.
        n: Evaluations of the run.
        cases: The case of each.
        places: The row of each case; of one that has several, each under a name of its own.
        scores: By metric, and `OVERALL` where there is an overall; missing is NaN.
        verdicts: `PASS`, `FAIL` or `OPEN`.
        passed: What passes: by the judge, by people, and corrected.
        made_by: Whose scores these are, by metric.
        parts: The metrics that make overall and verdict.
        clusters: The conversation of each; None where no two share one.
    """

    name: str
    when: str | None
    n: int
    cases: list[str]
    places: dict[str, int]
    keys: Ints
    scores: dict[str, Floats]
    verdicts: Verdicts
    latency: Floats
    cost: Floats
    passed: PassBlock
    made_by: dict[str, MadeBy]
    parts: tuple[Metric, ...]
    clusters: Ints | None = None


def load(
    loader: Loader, found: Covered, scorer: str | None = None, held: HeldBack | None = None
) -> RunColumns:
    """Read a run; `found` covers it alone, and answers that are held back count nowhere.

    Raises:
        ReviewerError: The project has no such scorer.
    """
    project, rubric = loader.project, found.rubric
    options = kept_options(project, rubric)
    with figures.snapshot(project):
        table = loader.load(
            Scope(runs=found.runs, scorer=scorer),
            rubric=rubric,
            within=found.within,
            options=options,
            held=held,
        )
        measured = evaluation_columns.read_performance(project, found.within)
        makers = likeness.made_by(project, found, table)
    zone = project_days.zone_of(project_days.zone_name(project))
    dates = overall_dates(table, table.overall_rule)
    newest = int(dates.max()) if dates.size else None
    day = None if newest is None else project_days.day_of(newest, zone)
    return RunColumns(
        name=found.runs[0],
        when=day.isoformat() if day else None,
        n=table.keys.size,
        cases=measured.cases,
        places={case: place for place, case in enumerate(numbered(measured.cases))},
        keys=table.keys,
        scores=_scores(table, rubric),
        verdicts=table.auto_verdicts(),
        latency=np.frombuffer(measured.latencies, dtype=np.float64),
        cost=np.frombuffer(measured.costs, dtype=np.float64),
        passed=pass_block(table, IntervalPolicy(), options.selection),
        made_by=makers,
        parts=likeness.parts_of(table),
        clusters=table.clusters,
    )


def _scores(table: FigureTable, rubric: Rubric) -> dict[str, Floats]:
    autos = table.autos()
    found = {metric.name: autos[metric.name] for metric in rubric.metrics if metric.is_numeric}
    if table.overall_rule.parts and OVERALL not in found:
        found[OVERALL] = table.auto_overall()
    return found


def shared(before: RunColumns, after: RunColumns) -> SharedCases:
    """Find the cases that both runs have, in the order of the later one."""
    return shared_cases(before.cases, after.cases, (before.clusters, after.clusters))


LISTED: Final = 100
"""Least stable cases that are listed."""


@dataclass(frozen=True, slots=True)
class UnstableCase:
    """One case over the runs.

    Attributes:
        spread: Standard deviation of its score over runs (n − 1).
        low, high: Its lowest and highest score.
        verdicts: A letter a run in the order of runs: `p` passed, `f` failed, `-` neither; runs
            without the case are left out.
        keys: Its evaluations in the order of runs.
    """

    case: str
    runs: int
    spread: float
    low: float
    high: float
    verdicts: str
    keys: tuple[int, ...]

    @property
    def changes(self) -> bool:
        """Tell whether it passed in one run and failed in another."""
        return "p" in self.verdicts and "f" in self.verdicts


@dataclass(frozen=True, slots=True)
class Stability:
    """All cases that are in two runs or more.

    Attributes:
        n: How many these are.
        mean_spread: Their mean spread; None without such a case.
        changing: How many passed in one run and failed in another.
        cases: The least stable ones: the widest spread first, then those whose verdict changes.
        hidden: How many are not listed, as the active labeler has still to answer them.
    """

    measure: str
    n: int = 0
    mean_spread: float | None = None
    changing: int = 0
    cases: tuple[UnstableCase, ...] = ()
    hidden: int = 0


def over(
    runs: Sequence[RunColumns], measure: str, hidden: frozenset[int] = frozenset()
) -> Stability:
    """Work out the spread of every case of two runs or more that has the score.

    All of them count; cases with an evaluation that is hidden are not listed.
    """
    codes: dict[str, int] = {}
    numbered = [
        np.array([codes.setdefault(case, len(codes)) for case in run.places], dtype=np.int64)
        for run in runs
    ]
    parts = [
        (code[known], column[known])
        for code, column in zip(numbered, [run.scores.get(measure) for run in runs], strict=True)
        if column is not None and (known := np.isfinite(column)).any()
    ]
    if not parts:
        return Stability(measure)
    places = np.concatenate([part[0] for part in parts])
    spread, count = _spreads(places, np.concatenate([part[1] for part in parts]), len(codes))
    several = count >= 2
    if not several.any():
        return Stability(measure)
    changing = _changing(runs, numbered, len(codes)) & several
    # equal spreads keep the order in which the cases came
    listed = several & ~_holding(runs, numbered, len(codes), hidden)
    chosen = [
        place
        for place in np.lexsort((~changing, -np.round(spread, 12), ~listed))[:LISTED].tolist()
        if listed[place] and (spread[place] > 0 or changing[place])
    ]
    names = list(codes)
    return Stability(
        measure,
        n=int(several.sum()),
        mean_spread=float(spread[several].mean()),
        changing=int(changing.sum()),
        cases=tuple(_case(runs, names[place], float(spread[place]), measure) for place in chosen),
        hidden=int((several & ~listed).sum()),
    )


def _holding(
    runs: Sequence[RunColumns], numbered: Sequence[Ints], size: int, keys: frozenset[int]
) -> Flags:
    """Tell which cases hold one of some evaluations."""
    wanted = np.fromiter(keys, dtype=np.int64)
    found = np.zeros(size, dtype=np.bool_)
    for run, code in zip(runs, numbered, strict=True):
        found[code[np.isin(run.keys, wanted)]] = True
    return found


def _spreads(places: Ints, values: Floats, size: int) -> tuple[Floats, Ints]:
    count = np.bincount(places, minlength=size)
    mean = np.bincount(places, values, size) / np.maximum(count, 1)
    squares = np.bincount(places, (values - mean[places]) ** 2, size)
    return np.sqrt(squares / np.maximum(count - 1, 1)), count


def _changing(runs: Sequence[RunColumns], numbered: Sequence[Ints], size: int) -> Flags:
    seen = np.zeros((2, size), dtype=np.bool_)
    for run, code in zip(runs, numbered, strict=True):
        for row, verdict in enumerate((PASS, FAIL)):
            seen[row, code[run.verdicts == verdict]] = True
    return np.asarray(seen[0] & seen[1])


def _case(runs: Sequence[RunColumns], case: str, spread: float, measure: str) -> UnstableCase:
    letters = {PASS: "p", FAIL: "f", OPEN: "-"}
    there = [(run, run.places[case]) for run in runs if case in run.places]
    values = [
        value
        for run, place in there
        if measure in run.scores and np.isfinite(value := float(run.scores[measure][place]))
    ]
    return UnstableCase(
        case,
        runs=len(values),
        spread=spread,
        low=min(values),
        high=max(values),
        verdicts="".join(letters[int(run.verdicts[place])] for run, place in there),
        keys=tuple(int(run.keys[place]) for run, place in there),
    )
