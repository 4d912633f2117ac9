"""The columns that insights are computed from, read in one go."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo
from typing import NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table, statistics_pass
from reviewer.services.figures.column_memory import HeldBack
from reviewer.services.figures.figure_table import FigureTable, MetricTable, with_metrics
from reviewer.services.figures.human_columns import Flags, Floats, Ints, numbers
from reviewer.services.figures.paired_scores import shared_cases
from reviewer.services.figures.request import Covered, covered
from reviewer.services.figures.statistics_blocks import GoldenBlock
from reviewer.services.project import project_days
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.values import Counting
from reviewer.store import figures, repeats
from reviewer.store.project import Project

RETEST_AFTER = 3_600_000_000
"""Microseconds after which a second label is another judgement, and not a correction."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelRows:
    """Single current labels of one metric, oldest first; decisions and averages left out.

    Attributes:
        places: Their evaluations' positions in the table.
        labelers: People's numbers in the project.
        times: Microseconds since 1970 UTC, or `figures.UNDATED`.
        blind: 1 where given unseen, 0 where the auto score was seen, -1 where nobody knows.
    """

    places: Ints
    labelers: Ints
    values: Floats
    times: Ints
    blind: NDArray[np.int8]

    def at(self, rows: Ints | Flags) -> "LabelRows":
        """Give some of the rows."""
        return LabelRows(
            self.places[rows],
            self.labelers[rows],
            self.values[rows],
            self.times[rows],
            self.blind[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class TwoRuns:
    """The newest run in scope and the one before it, with the cases that both have.

    Attributes:
        first, second: Positions of the shared cases in the tables.
        same: Whether question and answer are the same to the byte.
        clusters: What shared cases belong together; None where each is its own.
    """

    before: str
    after: str
    before_table: FigureTable
    after_table: FigureTable
    first: Ints
    second: Ints
    same: Flags
    clusters: Ints | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Everything read from the project; topics are computed from it without the project.

    Attributes:
        counting: Which labels count in agreement, and how.
        categories: Of every evaluation of the table, or another field that slices go by.
        repeated: By metric and scorer version, each evaluation's values.
        repeated_keys: The evaluations of `repeated`, in the same order.
        relabelled: By metric and labeler, pairs of an earlier and a later blind label.
        runs: None where the project has no earlier run of the rubric.
        decisions: Decisions in the same form as `labels`, oldest first.
        golden: What a separate golden set says of the pass rate, None where there is none.
        slice_by: The field of `categories`.
    """

    table: FigureTable
    counting: Counting
    level: float
    zone: tzinfo
    categories: list[str | None]
    labels: dict[str, LabelRows]
    repeated: dict[str, dict[str, list[list[Value]]]]
    relabelled: dict[str, dict[str, list[list[Value]]]]
    runs: TwoRuns | None
    newest_run: str
    decisions: dict[str, LabelRows]
    repeated_keys: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    golden: GoldenBlock | None = None
    slice_by: str = "category"

    def both(self, table: MetricTable) -> Flags:
        """Tell which evaluations have both scores on a metric and were not left out as chosen."""
        left_out = self.table.selection.left_out(self.counting.selection)
        return np.asarray(table.both & np.isfinite(table.human.score) & ~left_out)

    def day(self, micros: int) -> date | None:
        """Give the day of a time in the project's time zone, None for an unknown one."""
        return project_days.day_of(micros, self.zone)


class By(NamedTuple):
    """By which options labels become scores, and whose answers are held back."""

    options: DeviationOptions
    held: HeldBack | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What insights go by: a golden set (None: the tag `gold`), and the field of slices."""

    golden: str | None = None
    slice_by: str = "category"


EVERYTHING = Wanted()


def _nothing() -> None:
    """Go on."""


def read(
    project: Project,
    scope: Scope,
    *,
    by: By,
    level: float = 0.95,
    wanted: Wanted = EVERYTHING,
    go_on: Callable[[], None] = _nothing,
) -> Source:
    """Read what the insights of a scope need.

    Args:
        project: The project.
        scope: Which evaluations, labels and scores count.
        by: The options by which labels become scores, and answers that count nowhere yet.
        level: Of every interval.
        wanted: The golden set, and the field that slices go by.
        go_on: Called now and then; it may raise to stop reading.

    Raises:
        ReviewerError: The scope names something that the project does not have.
    """
    with figures.snapshot(project):
        covers = covered(project, scope)
        table, held = _table(project, scope, covers, by), by.held
        go_on()
        labels, decisions = _labels(project, scope, table, held)
        repeated, repeated_keys = _repeated(project, table, go_on)
        gold = statistics_pass.read_golden(
            project, wanted.golden or statistics_pass.DEFAULT_GOLDEN, table, held=held
        )
        named = gold.table.keys.size or wanted.golden is not None
        return Source(
            table=table,
            counting=table.options.counting,
            level=level,
            zone=project_days.zone_of(project_days.zone_name(project)),
            categories=figures.read_groups(project, covers.within, wanted.slice_by),
            labels=labels,
            repeated=repeated,
            repeated_keys=repeated_keys,
            golden=statistics_pass.golden_block(table, gold, level) if named else None,
            slice_by=wanted.slice_by,
            relabelled=_relabelled(project, scope, table, held),
            runs=_two_runs(project, scope, covers, by),
            newest_run=covers.runs[-1],
            decisions=decisions,
        )


def people_of(
    project: Project,
    scope: Scope,
    table: FigureTable,
    *,
    held: HeldBack | None = None,
    level: float = 0.95,
) -> Source:
    """Read what people say of a table that is there already, and nothing else.

    Categories, repeats of the judge and the earlier run stay empty.

    Raises:
        ReviewerError: The scope names a labeler that the project does not have.
    """
    with figures.snapshot(project):
        labels, decisions = _labels(project, scope, table, held)
        if scope.labelers:
            # decisions count in no figure of single people, yet they are what gold is known by
            decisions = _labels(project, structs.replace(scope, labelers=()), table, held)[1]
        return Source(
            table=table,
            counting=table.options.counting,
            level=level,
            zone=project_days.zone_of(project_days.zone_name(project)),
            categories=[],
            labels=labels,
            repeated={},
            relabelled=_relabelled(project, scope, table, held),
            runs=None,
            newest_run="",
            decisions=decisions,
        )


def _table(project: Project, scope: Scope, covers: Covered, by: By) -> FigureTable:
    return figure_table.load(
        project,
        scope,
        rubric=covers.rubric,
        within=covers.within,
        options=by.options,
        held=by.held,
    )


def _labels(
    project: Project, scope: Scope, table: FigureTable, held: HeldBack | None
) -> tuple[dict[str, LabelRows], dict[str, LabelRows]]:
    """Give labels and decisions by metric."""
    found = figures.read_labels(project, scope)
    evaluations = np.frombuffer(found.evaluations, dtype=np.int64)
    labelers = np.frombuffer(found.labelers, dtype=np.int64)
    metrics = np.frombuffer(found.metrics, dtype=np.int64)
    decided = np.frombuffer(found.adjudicated, dtype=np.int8) == 1
    every = LabelRows(
        np.searchsorted(table.keys, evaluations),
        labelers,
        np.zeros(labelers.size),
        np.frombuffer(found.times, dtype=np.int64),
        np.frombuffer(found.blind, dtype=np.int8),
    )
    inside = np.isin(evaluations, table.keys)
    single = inside & ~decided & (np.frombuffer(found.aggregates, dtype=np.int64) == 0)
    if held is not None:
        single &= ~((labelers == held.labeler) & np.isin(evaluations, held.evaluations))
    keys = figures.metric_keys(project)
    made: tuple[dict[str, LabelRows], dict[str, LabelRows]] = ({}, {})
    for metric in table.rubric.metrics:
        own = metrics == keys.get(metric.name, -1)
        for into, wanted in zip(made, (single, inside & decided), strict=True):
            rows = np.flatnonzero(own & wanted)
            values = numbers(metric, [found.values[row] for row in rows.tolist()])
            some = replace(every.at(rows), values=values)
            some = some.at(np.isfinite(values))
            into[metric.name] = some.at(np.argsort(some.times, kind="stable"))
    return made


def _repeated(
    project: Project, table: FigureTable, go_on: Callable[[], None]
) -> tuple[dict[str, dict[str, list[list[Value]]]], dict[str, dict[str, list[int]]]]:
    """Give repeated values by metric and scorer version, and the evaluations they belong to."""
    if not table.keys.size:
        return {}, {}
    span = (int(table.keys[0]), int(table.keys[-1]))
    found = repeats.read_repeats(project, span, go_on)
    names = {key: name for name, key in figures.metric_keys(project).items()}
    versions = {x.key: x.name for x in figures.scorer_versions(project)}
    inside = np.isin(np.frombuffer(found.evaluations, dtype=np.int64), table.keys).tolist()
    groups: dict[tuple[int, int, int], list[Value]] = {}
    for there, evaluation, metric, score_set, value in zip(
        inside, found.evaluations, found.metrics, found.score_sets, found.values, strict=True
    ):
        if there:
            groups.setdefault((evaluation, metric, score_set), []).append(value)
    made: dict[str, dict[str, list[list[Value]]]] = {}
    keys: dict[str, dict[str, list[int]]] = {}
    for (evaluation, metric, score_set), values in groups.items():
        if len(values) > 1:
            name, version = names[metric], versions[score_set]
            made.setdefault(name, {}).setdefault(version, []).append(values)
            keys.setdefault(name, {}).setdefault(version, []).append(evaluation)
    return made, keys


def _relabelled(
    project: Project, scope: Scope, table: FigureTable, held: HeldBack | None
) -> dict[str, dict[str, list[list[Value]]]]:
    found = repeats.read_relabels(project)
    names = {key: name for name, key in figures.metric_keys(project).items()}
    wanted = figures.labeler_keys(project, scope.labelers)
    evaluations = np.frombuffer(found.evaluations, dtype=np.int64)
    inside = np.isin(evaluations, table.keys)
    if held is not None:
        mine = np.frombuffer(found.labelers, dtype=np.int64) == held.labeler
        inside &= ~(mine & np.isin(evaluations, held.evaluations))
    made: dict[str, dict[str, list[list[Value]]]] = {}
    for rows in _same_thing(found, inside.tolist()):
        labeler = found.labelers[rows[0]]
        if len(rows) > 1 and (not wanted or labeler in wanted):
            by_person = made.setdefault(names[found.metrics[rows[0]]], {})
            by_person.setdefault(table.labelers[labeler], []).append(
                [found.values[row] for row in rows]
            )
    return made


def _same_thing(found: repeats.RelabelColumns, inside: list[bool]) -> Iterable[list[int]]:
    """Give the rows of each thing that one person labelled; corrections replace each other."""
    groups: dict[tuple[int, int, int, int], list[int]] = {}
    for row, there in enumerate(inside):
        if not there:
            continue
        key = (
            found.evaluations[row],
            found.metrics[row],
            found.labelers[row],
            found.revisions[row],
        )
        rows = groups.setdefault(key, [])
        same_round = bool(rows) and found.rounds[row] == found.rounds[rows[-1]]
        if same_round and found.times[row] - found.times[rows[-1]] < RETEST_AFTER:
            rows[-1] = row
        else:
            rows.append(row)
    return groups.values()


def _two_runs(project: Project, scope: Scope, covers: Covered, by: By) -> TwoRuns | None:
    after = covers.runs[-1]
    places = figures.run_places(project)
    rubric = next(key for _, name, key in places if name == after)
    mine = [name for _, name, key in places if key == rubric]
    at = mine.index(after)
    if not at:
        return None
    before = mine[at - 1]
    second, ids_after = _run(project, scope, after, by)
    first, ids_before = _run(project, scope, before, by)
    wanted: dict[str, list[str]] = {}
    for name, table in second.metrics.items():
        other = first.metrics.get(name)
        if table.scorer and other and table.scorer in other.other_scorers:
            wanted.setdefault(table.scorer, []).append(name)
    metrics = dict[str, MetricTable]()
    for scorer, names in wanted.items():
        earlier, _ = _run(
            project, structs.replace(scope, scorer=scorer, only_scorer=True), before, by
        )
        metrics |= {name: earlier.metrics[name] for name in names}
    first = with_metrics(first, metrics)
    shared = shared_cases(ids_before, ids_after, (first.clusters, second.clusters))
    pairs = list(
        zip(first.keys[shared.before].tolist(), second.keys[shared.after].tolist(), strict=True)
    )
    same = np.array(repeats.same_texts(project, pairs), dtype=np.bool_)
    return TwoRuns(
        before, after, first, second, shared.before, shared.after, same, shared.clusters
    )


def _run(project: Project, scope: Scope, name: str, by: By) -> tuple[FigureTable, list[str]]:
    alone = structs.replace(scope, runs=(name,))
    covers = covered(project, alone)
    # a case is never missing: without a name of its own it has the evaluation's
    ids = [case or "" for case in figures.read_groups(project, covers.within, "case")]
    return _table(project, alone, covers, by), ids


def numbered(metric: Metric, groups: list[list[Value]]) -> list[list[float]]:
    """Give groups of values as numbers, without what lies off the scale."""
    made = [[x for x in numbers(metric, group).tolist() if np.isfinite(x)] for group in groups]
    return [group for group in made if len(group) > 1]
