"""Everything that figures are computed from, as columns: auto scores, human scores, labels.

Positions in all columns are those of `FigureTable.keys`; a missing value is NaN inside the
columns and never leaves them as such. Categories are numbered by their place on the scale.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.scope import Scope
from reviewer.services.figures.asked_window import AskedWindow
from reviewer.services.figures.auto_columns import AutoColumn, AutoScores, RunRecord
from reviewer.services.figures.column_memory import ColumnMemory, conversations, places_of
from reviewer.services.figures.human_columns import (
    NO_PEOPLE,
    NOBODY,
    Entries,
    Flags,
    Floats,
    HumanColumns,
    Ints,
    LabelArrays,
    People,
)
from reviewer.services.figures.human_consensus import by_consensus
from reviewer.services.figures.human_scores import Choice
from reviewer.services.project.figure_rules import Derivation, derivations, overall_rule
from reviewer.stats.overall_columns import weighted_means
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import HumanRule
from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition


@dataclass(frozen=True)
class MetricTable:
    """One metric's columns; what follows from them is worked out once.

    Attributes:
        scorer: The version whose scores count; None where runs differ or nothing scored.
        auto: The auto score that counts.
        dates: When each evaluation was scored so, else its own date; `figures.UNDATED`.
        records: Whose scores count in each run.
        human: What people say.
        derived_auto: True where the auto score was worked out from other metrics.
        derived_human: The same of the human score.
        people: Single labels, for people among themselves.
        score_set: The key of that scorer version.
        held_back: How many answers were left out because their evaluations are still hidden.
        not_weighed: Why the human scores are means although their consensus was asked for.
    """

    metric: Metric
    scorer: str | None
    other_scorers: tuple[str, ...]
    auto: Floats
    dates: Ints
    human: HumanColumns
    derived_auto: Flags
    derived_human: Flags
    people: People
    score_set: int | None = None
    records: tuple[RunRecord, ...] = ()
    held_back: int = 0
    not_weighed: str | None = None

    @cached_property
    def has_auto(self) -> Flags:
        """Tell where there is an auto score."""
        return _fixed(np.isfinite(self.auto))

    @cached_property
    def has_human(self) -> Flags:
        """Tell where anybody's entry counts, also where categories have no majority."""
        return _fixed(self.human.count > 0)

    @cached_property
    def both(self) -> Flags:
        """Tell where there is an auto score and somebody's entry."""
        return _fixed(self.has_auto & self.has_human)

    @cached_property
    def paired(self) -> Ints:
        """Give the places of `both`, ascending."""
        return np.flatnonzero(self.both)


@dataclass(frozen=True, slots=True)
class FigureTable:
    """The columns of all metrics of one rubric over the evaluations of a scope.

    Attributes:
        held: Answers left out by evaluation and metric, since nobody may see their figures yet.
        outside: Where a window is asked for, the evaluations of which a metric lies outside it:
            they have no overall and no verdict. None without such a window.
        clusters: The number of the conversation each evaluation comes from, of its own where it
            shares none; None where no two evaluations share one.
    """

    rubric: Rubric
    keys: Ints
    dates: Ints
    metrics: dict[str, MetricTable]
    labelers: dict[int, str]
    held: dict[int, Counter[str]] = field(default_factory=dict)
    clusters: Ints | None = None
    outside: Flags | None = None

    def autos(self) -> dict[str, Floats]:
        """Give the auto scores by metric that overall and verdicts are made of."""
        return {name: self._whole(table.auto) for name, table in self.metrics.items()}

    def humans(self) -> dict[str, Floats]:
        """Give the human scores by metric that overall and verdicts are made of."""
        return {name: self._whole(table.human.score) for name, table in self.metrics.items()}

    def _whole(self, values: Floats) -> Floats:
        return values if self.outside is None else np.where(self.outside, np.nan, values)


def _fixed(flags: Flags) -> Flags:
    """Make flags that many read unchangeable."""
    found = np.asarray(flags)
    found.flags.writeable = False
    return found


@dataclass(frozen=True, slots=True)
class HeldBack:
    """One labeler's answers on some evaluations, which count in no figure yet."""

    labeler: int
    evaluations: Ints


def load(
    project: Project,
    scope: Scope,
    *,
    rubric: Rubric,
    within: Condition,
    combine: HumanRule = "mean",
    held: HeldBack | None = None,
) -> FigureTable:
    """Read the columns of a scope.

    Raises:
        ReviewerError: The scope names a labeler or scorer that the project does not have.
    """
    return Loader(project).load(scope, rubric=rubric, within=within, combine=combine, held=held)


@dataclass(frozen=True, slots=True)
class Loader:
    """Reads the columns of many scopes of a project, and each score and label only once."""

    project: Project
    memory: ColumnMemory = field(default_factory=ColumnMemory)

    def load(
        self,
        scope: Scope,
        *,
        rubric: Rubric,
        within: Condition,
        combine: HumanRule = "mean",
        held: HeldBack | None = None,
    ) -> FigureTable:
        """Read the columns of a scope; call it inside a snapshot where others read beside it.

        Raises:
            ReviewerError: The scope names a labeler or scorer that the project does not have.
        """
        project = self.project
        columns = self.memory.look(project)
        found = columns.evaluations(scope, within)
        keys = found.keys
        labels = _Labels(keys, columns.labels(scope), held, combine)
        scores = AutoScores(columns, scope, found)
        asked = AskedWindow.of(project, scope, rubric, keys.size)
        tables: dict[str, MetricTable] = {}
        for metric in rubric.metrics:
            number = scores.metric_keys.get(metric.name, -1)
            table, inside = _judged(metric, scores.read(metric, number)), None
            if asked is not None:
                inside = asked.inside(table.dates)
                table = replace(table, auto=asked.kept(metric.name, table.auto, inside))
            tables[metric.name] = labels.add_to(table, number, inside)
        scores.check_scorer()
        outside = None if asked is None else asked.outside
        return FigureTable(
            rubric=rubric,
            keys=keys,
            dates=found.dates,
            metrics=_with_derived(tables, derivations(rubric), overall_rule(rubric), outside),
            labelers=figures.labeler_names(project),
            held=labels.held,
            clusters=conversations(project, keys),
            outside=outside,
        )


def _judged(metric: Metric, found: AutoColumn) -> MetricTable:
    """Begin the table of a metric with what its judge said."""
    nowhere = np.zeros(found.values.size, dtype=np.bool_)
    return MetricTable(
        metric=metric,
        scorer=found.scorer,
        other_scorers=found.others,
        auto=found.values,
        dates=found.dates,
        human=NOBODY,
        derived_auto=nowhere,
        derived_human=nowhere.copy(),
        people=NO_PEOPLE,
        score_set=found.score_set,
        records=found.records,
    )


class _Labels:
    """Puts people's entries beside the auto scores of one metric after the other."""

    def __init__(
        self, keys: Ints, labels: figures.LabelColumns, held: HeldBack | None, combine: HumanRule
    ) -> None:
        self._size = keys.size
        self._combine = combine
        self._of_metric = np.frombuffer(labels.metrics, dtype=np.int64)
        evaluations = np.frombuffer(labels.evaluations, dtype=np.int64)
        self._positions, inside = places_of(keys, evaluations)
        self._held = np.zeros(inside.size, dtype=np.bool_)
        if held is not None:
            mine = np.frombuffer(labels.labelers, dtype=np.int64) == held.labeler
            given = np.frombuffer(labels.adjudicated, dtype=np.int8) == 0
            self._held = inside & mine & given & np.isin(evaluations, held.evaluations)
        self._counted = inside & ~self._held
        self._arrays = LabelArrays(labels, np.flatnonzero(self._counted))
        self.held: dict[int, Counter[str]] = {}

    def add_to(self, table: MetricTable, number: int, inside: Flags | None) -> MetricTable:
        own = self._of_metric == number
        if inside is not None and inside.size:
            own &= inside[self._positions]
        for evaluation in self._arrays.evaluations[own & self._held].tolist():
            self.held.setdefault(evaluation, Counter())[table.metric.name] += 1
        rows = np.flatnonzero(own & self._counted)
        entries = Entries(table.metric, self._arrays, rows, self._positions[rows])
        people, why = entries.people(), None
        if self._combine == "consensus":
            human = entries.human(self._size)
            human, why = by_consensus(human, people, table.metric, entries.decided())
        else:
            human = entries.human(self._size, self._combine)
        return replace(
            table,
            human=human,
            people=people,
            held_back=int((own & self._held).sum()),
            not_weighed=why,
        )


def _with_derived(
    tables: dict[str, MetricTable],
    rules: Mapping[str, Derivation],
    overall: OverallRule,
    outside: Flags | None,
) -> dict[str, MetricTable]:
    for name, derivation in rules.items():
        parts = [tables[part] for part in derivation.parts]
        if outside is not None and derivation.way == "weighted_mean":
            parts = [_without(part, outside) for part in parts]
        tables[name] = _derive(tables[name], derivation, parts, overall)
    return tables


def _without(table: MetricTable, outside: Flags) -> MetricTable:
    """Take out what no overall is made of."""
    human = replace(table.human, score=np.where(outside, np.nan, table.human.score))
    return replace(table, auto=np.where(outside, np.nan, table.auto), human=human)


def _derive(
    table: MetricTable, derivation: Derivation, parts: list[MetricTable], rule: OverallRule
) -> MetricTable:
    no_auto, no_human = ~table.has_auto, ~table.has_human
    auto = _combine(derivation, [x.auto for x in parts], rule)
    score = _combine(derivation, [x.human.score for x in parts], replace(rule, missing="null"))
    most = _combine(derivation, [x.human.majority for x in parts], replace(rule, missing="null"))
    made = no_human & np.isfinite(score)
    own, others = table.human, [x.human for x in parts]
    human = HumanColumns(
        score=np.where(made, score, own.score),
        majority=np.where(made, most, own.majority),
        all_blind=np.where(
            made, np.logical_and.reduce([x.all_blind for x in others]), own.all_blind
        ),
        count=np.where(made, np.minimum.reduce([x.count for x in others]), own.count),
        chosen=np.where(made, np.minimum.reduce([x.chosen for x in others]), own.chosen),
        probability=np.where(
            made, np.fmin.reduce([x.probability for x in others]), own.probability
        ),
        times=np.where(made, np.maximum.reduce([x.times for x in others]), own.times),
    )
    return replace(
        table,
        scorer=table.scorer or parts[0].scorer,
        auto=np.where(no_auto, auto, table.auto),
        dates=_oldest(table, parts, no_auto),
        human=human,
        derived_auto=no_auto & np.isfinite(auto),
        derived_human=made,
    )


def _oldest(table: MetricTable, parts: list[MetricTable], made: Flags) -> Ints:
    """Give the dates of a metric that is made of others where it has no score of its own."""
    dates = oldest([(x.dates, x.has_auto) for x in parts], table.dates)
    if dates is table.dates:
        return dates
    return np.where(made, dates, table.dates)


def oldest(parts: Sequence[tuple[Ints, Flags]], own: Ints) -> Ints:
    """Give the oldest date of the parts that are there, where none has one its own date.

    Args:
        parts: Dates by evaluation, and where there is a value.
        own: The evaluations' own dates, which stand where no part is there.
    """
    if all(dates is own for dates, _ in parts):
        return own
    late = np.iinfo(np.int64).max
    found = np.full(own.size, late, dtype=np.int64)
    for dates, there in parts:
        dated = there & (dates != figures.UNDATED)
        np.minimum(found, np.where(dated, dates, late), out=found)
    return np.where(found == late, own, found)


def overall_dates(table: FigureTable, rule: OverallRule) -> Ints:
    """Give the date of every evaluation's overall: the oldest of its parts'."""
    parts = [table.metrics[part.name] for part in rule.parts]
    return oldest([(x.dates, x.has_auto) for x in parts], table.dates)


def under(table: FigureTable, rubric: Rubric) -> FigureTable:
    """Give a table as the project would have it with another rubric of the same metrics.

    Every value that was worked out from other metrics is worked out anew.
    """
    metrics = {
        name: replace(_undisturbed(one), metric=rubric.by_name[name])
        for name, one in table.metrics.items()
    }
    metrics = _with_derived(metrics, derivations(rubric), overall_rule(rubric), table.outside)
    return replace(table, rubric=rubric, metrics=metrics)


def _undisturbed(table: MetricTable) -> MetricTable:
    """Take out what was worked out from other metrics."""
    auto, human = table.auto, table.human
    if table.derived_auto.any():
        auto = np.where(table.derived_auto, np.nan, auto)
    made = table.derived_human
    if made.any():
        human = HumanColumns(
            score=np.where(made, np.nan, human.score),
            majority=np.where(made, np.nan, human.majority),
            all_blind=human.all_blind & ~made,
            count=np.where(made, np.int32(0), human.count),
            chosen=np.where(made, np.int8(Choice.CONVENIENCE), human.chosen),
            probability=np.where(made, np.nan, human.probability),
            times=np.where(made, np.int64(figures.UNDATED), human.times),
        )
    return replace(
        table,
        scorer=None if table.score_set is None else table.scorer,
        auto=auto,
        human=human,
        derived_auto=np.zeros_like(table.derived_auto),
        derived_human=np.zeros_like(made),
    )


def _combine(derivation: Derivation, columns: list[Floats], rule: OverallRule) -> Floats:
    match derivation.way:
        case "min":
            return np.asarray(np.minimum.reduce(columns))
        case "max":
            return np.asarray(np.maximum.reduce(columns))
        case "mean":
            return np.asarray(np.add.reduce(columns) / len(columns))
        case "weighted_mean":
            named = dict(zip(derivation.parts, columns, strict=True))
            size = columns[0].size
            weighted = tuple(part for part in rule.parts if part.name in named)
            return weighted_means(named, replace(rule, parts=weighted), size)
