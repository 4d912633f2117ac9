"""Everything that figures are computed from, as columns: auto scores, human scores, labels.

Positions in all columns are those of `FigureTable.keys`; a missing value is NaN inside the
columns and never leaves them as such. Categories are numbered by their place on the scale.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.scope import Scope
from reviewer.services.figures.column_memory import ColumnMemory, Columns, places_of
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
from reviewer.services.figures.selection import Selection, selection_of
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
        auto: The newest auto score by the chosen scorer version.
        human: What people say.
        derived_auto: True where the auto score was worked out from other metrics.
        derived_human: The same of the human score.
        people: Single labels, for people among themselves.
        score_set: The chosen scorer version's key, None where nothing scored.
        held_back: How many answers were left out because their evaluations are still hidden.
        not_weighed: Why the human scores are means although their consensus was asked for.
    """

    metric: Metric
    scorer: str | None
    other_scorers: tuple[str, ...]
    auto: Floats
    human: HumanColumns
    derived_auto: Flags
    derived_human: Flags
    people: People
    score_set: int | None = None
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
        selection: How the labelled evaluations were chosen.
        held: Answers left out by evaluation and metric, since nobody may see their figures yet.
        clusters: The number of the conversation each evaluation comes from, of its own where it
            shares none; None where no two evaluations share one.
    """

    rubric: Rubric
    keys: Ints
    dates: Ints
    metrics: dict[str, MetricTable]
    labelers: dict[int, str]
    selection: Selection
    held: dict[int, Counter[str]] = field(default_factory=dict)
    clusters: Ints | None = None

    def autos(self) -> dict[str, Floats]:
        """Give the auto scores by metric."""
        return {name: table.auto for name, table in self.metrics.items()}

    def humans(self) -> dict[str, Floats]:
        """Give the human scores by metric."""
        return {name: table.human.score for name, table in self.metrics.items()}


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
        keys, dates = columns.evaluations(scope, within)
        labels = _Labels(keys, columns.labels(scope), held, combine)
        scores = _Scores(columns, scope, within=within, keys=keys)
        tables: dict[str, MetricTable] = {}
        for metric in rubric.metrics:
            number = scores.metric_keys.get(metric.name, -1)
            tables[metric.name] = labels.add_to(scores.read(metric, number), number)
        scores.check_scorer()
        return FigureTable(
            rubric=rubric,
            keys=keys,
            dates=dates,
            metrics=_with_derived(tables, derivations(rubric), overall_rule(rubric)),
            labelers=figures.labeler_names(project),
            selection=labels.selection([scores.metric_keys.get(x, -1) for x in tables]),
            held=labels.held,
            clusters=conversations(project, keys),
        )


def conversations(project: Project, keys: Ints) -> Ints | None:
    """Number the conversations of evaluations, None where no two share one."""
    named, names = figures.read_clusters(project)
    places, inside = places_of(keys, np.frombuffer(named, dtype=np.int64))
    _, codes = np.unique(np.array(names, dtype=np.str_)[inside], return_inverse=True)
    if codes.size == np.unique(codes).size:
        return None
    numbered: Ints = np.arange(keys.size, dtype=np.int64) + int(codes.max()) + 1
    numbered[places[inside]] = codes
    return numbered


class _Scores:
    """Reads the auto scores of one metric after the other."""

    def __init__(self, columns: Columns, scope: Scope, *, within: Condition, keys: Ints) -> None:
        self._columns = columns
        self._scope = scope
        self._within = within
        self._keys = keys
        self.metric_keys = figures.metric_keys(columns.project)
        self._versions = {x.key: x for x in figures.scorer_versions(columns.project)}

    def read(self, metric: Metric, number: int) -> MetricTable:
        sets = self._columns.sets(metric, number, self._within, self._keys)
        chosen = self._choose(sets)
        auto = np.full(self._keys.size, np.nan)
        if chosen is not None:
            auto = self._columns.scores(metric, number, chosen).at(self._keys)
        return MetricTable(
            metric=metric,
            scorer=self._versions[chosen].name if chosen is not None else None,
            other_scorers=tuple(self._versions[x].name for x in sets if x != chosen),
            auto=auto,
            human=NOBODY,
            derived_auto=np.zeros(self._keys.size, dtype=np.bool_),
            derived_human=np.zeros(self._keys.size, dtype=np.bool_),
            people=NO_PEOPLE,
            score_set=chosen,
        )

    def check_scorer(self) -> None:
        wanted = self._scope.scorer
        if wanted is None or any(_is_called(x, wanted) for x in self._versions.values()):
            return
        there = ", ".join(sorted({x.name for x in self._versions.values()})) or "none"
        raise ReviewerError(f"There is no scorer {wanted!r} in this project; there are: {there}.")

    def _choose(self, sets: Sequence[int]) -> int | None:
        wanted = self._scope.scorer
        fitting = [x for x in sets if wanted is None or _is_called(self._versions[x], wanted)]
        return fitting[0] if fitting else None


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

    def selection(self, metrics: list[int]) -> Selection:
        """Give how the evaluations were chosen whose labels on some metrics count."""
        rows = np.flatnonzero(self._counted & np.isin(self._of_metric, metrics))
        arrays = self._arrays
        ways, drawn = arrays.ways(rows), arrays.drawn[rows]
        return selection_of(self._size, self._positions[rows], ways, drawn)

    def add_to(self, table: MetricTable, number: int) -> MetricTable:
        own = self._of_metric == number
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


def _is_called(version: ScorerVersion, name: str) -> bool:
    return name in (version.name, version.scorer)


def _with_derived(
    tables: dict[str, MetricTable], rules: Mapping[str, Derivation], overall: OverallRule
) -> dict[str, MetricTable]:
    for name, derivation in rules.items():
        parts = [tables[part] for part in derivation.parts]
        tables[name] = _derive(tables[name], derivation, parts, overall)
    return tables


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
        undecided=np.where(made, np.nan, own.undecided),
        given=own.given.with_made(made, score),
    )
    return replace(
        table,
        scorer=table.scorer or parts[0].scorer,
        auto=np.where(no_auto, auto, table.auto),
        human=human,
        derived_auto=no_auto & np.isfinite(auto),
        derived_human=made,
    )


def under(table: FigureTable, rubric: Rubric) -> FigureTable:
    """Give a table as the project would have it with another rubric of the same metrics.

    Every value that was worked out from other metrics is worked out anew.
    """
    metrics = {
        name: replace(_undisturbed(one), metric=rubric.by_name[name])
        for name, one in table.metrics.items()
    }
    metrics = _with_derived(metrics, derivations(rubric), overall_rule(rubric))
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
            undecided=human.undecided,
            given=human.given.at(~made[human.given.positions]),
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
