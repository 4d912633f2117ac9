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
from reviewer.services.figures import derived_columns
from reviewer.services.figures.column_memory import ColumnMemory, Columns, places_of
from reviewer.services.figures.human_columns import Flags, Floats, HumanColumns, Ints, People
from reviewer.services.figures.people_columns import (
    NOBODY,
    HeldBack,
    PeopleColumns,
    PeopleSide,
)
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    is_overall,
    overall_rule,
    verdict_rule,
)
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.overall_columns import (
    OverallColumns,
    Verdicts,
    overall_columns,
    verdict_columns,
    weighted_means,
)
from reviewer.stats.satisfaction import OverallRule
from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition


@dataclass(frozen=True)
class MetricTable:
    """One metric's columns; what follows from them is worked out once.

    Attributes:
        auto: The newest auto score by the chosen scorer version.
        human: What people say and figures count.
        shown: What stands beside one evaluation: also what follows from labels of other metrics.
        whole: What estimates stand on: of the overall, where every part of it is labelled.
        derived_auto: True where the auto score was worked out from other metrics.
        derived_human: The same of the human score that is shown.
        people: Single labels, for people among themselves.
        score_set: The chosen scorer version's key, None where nothing scored.
        held_back: How many answers were left out because their evaluations are still hidden.
        not_weighed: Why the human scores are means although their consensus was asked for.
        given: Auto and human side without what was worked out from other metrics.
    """

    metric: Metric
    scorer: str | None
    other_scorers: tuple[str, ...]
    auto: Floats
    human: HumanColumns
    shown: HumanColumns
    whole: HumanColumns
    derived_auto: Flags
    derived_human: Flags
    people: People
    score_set: int | None = None
    held_back: int = 0
    not_weighed: str | None = None
    given: tuple[Floats, HumanColumns] | None = None

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

    Overall and verdicts of these evaluations are asked of it alone, so that they are the same
    wherever they stand.

    Attributes:
        options: By which labels became scores, and scores the overall.
        held: Answers left out by evaluation and metric, since nobody may see their figures yet.
        clusters: The number of the conversation each evaluation comes from, of its own where it
            shares none; None where no two evaluations share one.
    """

    rubric: Rubric
    keys: Ints
    dates: Ints
    metrics: dict[str, MetricTable]
    labelers: dict[int, str]
    options: DeviationOptions
    held: dict[int, Counter[str]] = field(default_factory=dict)
    clusters: Ints | None = None

    @property
    def overall_rule(self) -> OverallRule:
        """Give how the metrics make the overall."""
        return overall_rule(self.rubric, self.options)

    @property
    def verdict_rule(self) -> OverallRule:
        """Give what passes."""
        return verdict_rule(self.rubric, self.options)

    def overall(self) -> OverallColumns:
        """Work out the overall of both sides."""
        return overall_columns(self.autos(), self.humans(), self.overall_rule)

    def auto_overall(self) -> Floats:
        """Work out the overall of the auto scores alone, NaN where there is none."""
        return weighted_means(self.autos(), self.overall_rule, self.keys.size)

    def auto_verdicts(self) -> Verdicts:
        """Say what passes by the auto scores."""
        return verdict_columns(self.autos(), self.verdict_rule)

    def human_verdicts(self) -> Verdicts:
        """Say what passes by the human scores alone."""
        return verdict_columns(self.humans(), self.verdict_rule, need_all=True)

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


def load(
    project: Project,
    scope: Scope,
    *,
    rubric: Rubric,
    within: Condition,
    options: DeviationOptions,
    held: HeldBack | None = None,
) -> FigureTable:
    """Read the columns of a scope.

    Raises:
        ReviewerError: The scope names a labeler or scorer that the project does not have.
    """
    return Loader(project).load(scope, rubric=rubric, within=within, options=options, held=held)


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
        options: DeviationOptions,
        held: HeldBack | None = None,
        labelled: bool = False,
    ) -> FigureTable:
        """Read the columns of a scope; call it inside a snapshot where others read beside it.

        Of all evaluations, or only of the `labelled` ones.

        Raises:
            ReviewerError: The scope names a labeler or scorer that the project does not have.
        """
        project = self.project
        columns = self.memory.look(project)
        keys, dates = columns.evaluations(scope, within)
        given = columns.labels(scope)
        if labelled:
            there = np.isin(keys, np.frombuffer(given.evaluations, dtype=np.int64))
            keys, dates = keys[there], dates[there]
        labels = PeopleColumns(keys, given, held, options)
        scores = _Scores(columns, scope, within=within, keys=keys)
        tables: dict[str, MetricTable] = {}
        for metric in rubric.metrics:
            number = scores.metric_keys.get(metric.name, -1)
            tables[metric.name] = _beside(scores.read(metric, number), labels.of(metric, number))
        scores.check_scorer()
        return FigureTable(
            rubric=rubric,
            keys=keys,
            dates=dates,
            metrics=with_derived(tables, rubric, options),
            labelers=figures.labeler_names(project),
            options=options,
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
            human=NOBODY.human,
            shown=NOBODY.human,
            whole=NOBODY.human,
            derived_auto=np.zeros(self._keys.size, dtype=np.bool_),
            derived_human=np.zeros(self._keys.size, dtype=np.bool_),
            people=NOBODY.people,
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


def _beside(table: MetricTable, side: PeopleSide) -> MetricTable:
    """Put people beside the auto scores of a metric."""
    return replace(
        table,
        human=side.human,
        shown=side.human,
        whole=side.human,
        people=side.people,
        held_back=side.held_back,
        not_weighed=side.not_weighed,
    )


def _is_called(version: ScorerVersion, name: str) -> bool:
    return name in (version.name, version.scorer)


def with_derived(
    tables: dict[str, MetricTable], rubric: Rubric, options: DeviationOptions
) -> dict[str, MetricTable]:
    """Add to tables what follows from other metrics."""
    rule = overall_rule(rubric, options)
    for name, derivation in derivations(rubric).items():
        parts = [tables[part] for part in derivation.parts]
        if is_overall(rubric.by_name[name]):
            tables[name] = _as_overall(tables, name, derivation, options, rule)
        else:
            tables[name] = _derive(tables[name], derivation, parts, options, rule)
    return tables


def _derive(
    table: MetricTable,
    derivation: Derivation,
    parts: list[MetricTable],
    options: DeviationOptions,
    rule: OverallRule,
) -> MetricTable:
    no_auto = ~table.has_auto
    auto = derived_columns.combined(derivation, [x.auto for x in parts], rule)
    # with parts that follow from others themselves, what is shown follows from what is shown
    shown, made = derived_columns.from_parts(
        table.human, [x.shown for x in parts], derivation, rule
    )
    human = shown if options.derived_labels == "count" else table.human
    return replace(
        table,
        scorer=table.scorer or parts[0].scorer,
        auto=np.where(no_auto, auto, table.auto),
        human=human,
        shown=shown,
        whole=human,
        derived_auto=no_auto & np.isfinite(auto),
        derived_human=made,
        given=(table.auto, table.human),
    )


def _as_overall(
    tables: Mapping[str, MetricTable],
    name: str,
    derivation: Derivation,
    options: DeviationOptions,
    rule: OverallRule,
) -> MetricTable:
    """Make the metric that is the overall: its scores and gaps are those of the overall."""
    table = tables[name]
    humans = {part.name: tables[part.name].human for part in rule.parts}
    found = overall_columns(
        {part.name: tables[part.name].auto for part in rule.parts},
        {part: one.score for part, one in humans.items()},
        rule,
    )
    human = derived_columns.overall_side(
        found, found.counted(exclude_mixed=options.exclude_mixed), humans, rule
    )
    nobody = replace(
        human, count=np.zeros_like(human.count), score=np.full_like(found.auto, np.nan)
    )
    whole, _ = derived_columns.from_parts(
        nobody, [tables[part].human for part in derivation.parts], derivation, rule
    )
    return replace(
        table,
        scorer=next((tables[part].scorer for part in derivation.parts), None),
        auto=found.auto,
        human=human,
        shown=derived_columns.overall_side(found, np.isfinite(found.human), humans, rule),
        whole=whole,
        derived_auto=np.isfinite(found.auto),
        derived_human=np.isfinite(found.human),
        given=(table.auto, table.human),
    )
