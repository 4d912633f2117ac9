"""Everything that figures are computed from, as columns: auto scores, human scores, labels.

Positions in all columns are those of `FigureTable.keys`; a missing value is NaN inside the
columns and never leaves them as such. Categories are numbered by their place on the scale. The
same scores and labels can stand under another rubric without reading them again.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import cached_property

import numpy as np

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures import derived_columns
from reviewer.services.figures.auto_columns import AutoColumn, AutoScores, RunRecord
from reviewer.services.figures.column_memory import (
    NOBODY,
    ColumnMemory,
    HeldBack,
    PeopleColumns,
    PeopleSide,
    conversations,
)
from reviewer.services.figures.human_columns import Flags, Floats, HumanColumns, Ints, People
from reviewer.services.figures.selection import Selection
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    is_overall,
    overall_rule,
    verdict_rule,
)
from reviewer.stats.deviations import DeviationOptions, Window
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
        scorer: The version whose scores count; None where runs differ or nothing scored.
        auto: The auto score that counts.
        dates: When each evaluation was scored so, else its own date; `figures.UNDATED`.
        records: Whose scores count in each run.
        human: What people say and figures count.
        shown: What stands beside one evaluation: also what follows from labels of other metrics.
        whole: What estimates stand on: of the overall, where every part of it is labelled.
        derived_auto: True where the auto score was worked out from other metrics.
        derived_human: The same of the human score that is shown.
        people: Single labels, for people among themselves.
        score_set: The key of that scorer version.
        held_back: How many answers were left out because their evaluations are still hidden.
        not_weighed: Why the human scores are means although their consensus was asked for.
        given: Auto and human side without what was worked out from other metrics.
    """

    metric: Metric
    scorer: str | None
    other_scorers: tuple[str, ...]
    auto: Floats
    dates: Ints
    human: HumanColumns
    shown: HumanColumns
    whole: HumanColumns
    derived_auto: Flags
    derived_human: Flags
    people: People
    score_set: int | None = None
    records: tuple[RunRecord, ...] = ()
    held_back: int = 0
    not_weighed: str | None = None
    given: tuple[Floats, HumanColumns] | None = None

    @cached_property
    def spreads(self) -> Floats:
        """Give how far people are apart on each evaluation, 0 where nobody is."""
        size = self.auto.size
        lowest, highest = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(lowest, self.people.positions, self.people.values)
        np.maximum.at(highest, self.people.positions, self.people.values)
        return np.asarray(np.where(highest >= lowest, highest - lowest, 0.0))

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
        selection: How the labelled evaluations were chosen.
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
    options: DeviationOptions
    selection: Selection
    held: dict[int, Counter[str]] = field(default_factory=dict)
    clusters: Ints | None = None
    outside: Flags | None = None

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
        """Read the columns of a scope; call it inside a snapshot.

        Of all evaluations, or only of the `labelled` ones.

        Raises:
            ReviewerError: The scope names a labeler or scorer that the project does not have.
        """
        project, columns = self.project, self.memory.look(self.project)
        found = columns.evaluations(scope, within)
        given = columns.labels(scope)
        if labelled:
            found = found.among(np.frombuffer(given.evaluations, dtype=np.int64))
        keys = found.keys
        labels = PeopleColumns(keys, given, held, options)
        scores = AutoScores(columns, scope, found)
        asked = AskedWindow.of(project, scope, rubric, options, keys.size)
        tables: dict[str, MetricTable] = {}
        for metric in rubric.metrics:
            number = scores.metric_keys.get(metric.name, -1)
            table, inside = _judged(metric, scores.read(metric, number)), None
            if asked is not None:
                inside = asked.inside(table.dates)
                table = replace(table, auto=asked.kept(metric.name, table.auto, inside))
            tables[metric.name] = _beside(table, labels.of(metric, number, inside))
        scores.check_scorer()
        outside = None if asked is None else asked.outside
        return FigureTable(
            rubric=rubric,
            keys=keys,
            dates=found.dates,
            metrics=with_derived(tables, rubric, options, outside),
            labelers=figures.labeler_names(project),
            options=options,
            selection=labels.selection([scores.metric_keys.get(x, -1) for x in tables]),
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
        human=NOBODY.human,
        shown=NOBODY.human,
        whole=NOBODY.human,
        derived_auto=nowhere,
        derived_human=nowhere.copy(),
        people=NOBODY.people,
        score_set=found.score_set,
        records=found.records,
    )


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


def with_derived(
    tables: dict[str, MetricTable],
    rubric: Rubric,
    options: DeviationOptions,
    outside: Flags | None,
) -> dict[str, MetricTable]:
    """Add to tables what follows from other metrics."""
    rule = overall_rule(rubric, options)
    for name, derivation in derivations(rubric).items():
        parts = [tables[part] for part in derivation.parts]
        if is_overall(rubric.by_name[name]):
            inside = {x.name: _inside(tables[x.name], outside) for x in rule.parts}
            tables[name] = _as_overall(tables[name], inside, derivation, options, rule)
        else:
            tables[name] = _derive(tables[name], derivation, parts, options, rule)
    return tables


def _inside(table: MetricTable, outside: Flags | None) -> MetricTable:
    """Take out what no overall is made of."""
    if outside is None:
        return table
    human = replace(
        table.human,
        score=np.where(outside, np.nan, table.human.score),
        count=np.where(outside, np.int32(0), table.human.count),
    )
    return replace(table, auto=np.where(outside, np.nan, table.auto), human=human)


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
        dates=_oldest(table, parts, no_auto),
        human=human,
        shown=shown,
        whole=human,
        derived_auto=no_auto & np.isfinite(auto),
        derived_human=made,
        given=(table.auto, table.human),
    )


def _oldest(table: MetricTable, parts: list[MetricTable], made: Flags) -> Ints:
    """Give the dates of a metric that is made of others where it has no score of its own."""
    dates = derived_columns.oldest([(x.dates, x.has_auto) for x in parts], table.dates)
    if dates is table.dates:
        return dates
    return np.where(made, dates, table.dates)


def overall_dates(table: FigureTable, rule: OverallRule) -> Ints:
    """Give the date of every evaluation's overall: the oldest of its parts'."""
    parts = [table.metrics[part.name] for part in rule.parts]
    return derived_columns.oldest([(x.dates, x.has_auto) for x in parts], table.dates)


def _as_overall(
    table: MetricTable,
    by_part: Mapping[str, MetricTable],
    derivation: Derivation,
    options: DeviationOptions,
    rule: OverallRule,
) -> MetricTable:
    """Make the metric that is the overall: its scores and gaps are those of the overall."""
    humans = {name: part.human for name, part in by_part.items()}
    found = overall_columns(
        {name: part.auto for name, part in by_part.items()},
        {name: one.score for name, one in humans.items()},
        rule,
    )
    human = derived_columns.overall_side(
        found, found.counted(exclude_mixed=options.exclude_mixed), humans, rule
    )
    nobody = replace(
        human,
        count=np.zeros_like(human.count),
        score=np.full_like(found.auto, np.nan),
        given=NOBODY.human.given,
    )
    whole, _ = derived_columns.from_parts(
        nobody, [humans[part] for part in derivation.parts], derivation, rule
    )
    parts = [by_part[part] for part in derivation.parts]
    return replace(
        table,
        scorer=next((part.scorer for part in parts), None),
        auto=found.auto,
        dates=_oldest(table, parts, np.isfinite(found.auto)),
        human=human,
        shown=derived_columns.overall_side(found, np.isfinite(found.human), humans, rule),
        whole=whole,
        derived_auto=np.isfinite(found.auto),
        derived_human=np.isfinite(found.human),
        given=(table.auto, table.human),
    )


def under(table: FigureTable, rubric: Rubric, options: DeviationOptions) -> FigureTable:
    """Give a table as the project would have it with another rubric of the same metrics."""
    metrics = {
        name: replace(one, metric=rubric.by_name[name])
        for name, one in given(table).metrics.items()
    }
    return derived(replace(table, rubric=rubric, metrics=metrics, options=options))


def with_metrics(table: FigureTable, others: Mapping[str, MetricTable]) -> FigureTable:
    """Give a table with some metrics taken from elsewhere, such as by another scorer."""
    metrics = {name: _given(one) for name, one in others.items()}
    return derived(replace(table, metrics=given(table).metrics | metrics))


def given(table: FigureTable) -> FigureTable:
    """Give a table without what was worked out from other metrics."""
    return replace(table, metrics={name: _given(one) for name, one in table.metrics.items()})


def derived(table: FigureTable) -> FigureTable:
    """Work out anew what follows from other metrics."""
    metrics = with_derived(dict(table.metrics), table.rubric, table.options, table.outside)
    return replace(table, metrics=metrics)


def _given(table: MetricTable) -> MetricTable:
    """Take out what was worked out from other metrics."""
    if table.given is None:
        return table
    auto, human = table.given
    return replace(
        table,
        scorer=None if table.score_set is None else table.scorer,
        auto=auto,
        human=human,
        shown=human,
        whole=human,
        derived_auto=np.zeros_like(table.derived_auto),
        derived_human=np.zeros_like(table.derived_human),
        given=None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class AskedWindow:
    """A window that is taken to the metrics of n evaluations, one after the other.

    Attributes:
        parts: What overall and verdicts are made of.
        outside: Shape (n,), true where one of these was scored outside the window.
    """

    span: Window
    zone: tzinfo
    parts: frozenset[str]
    outside: Flags

    @classmethod
    def of(
        cls, project: Project, scope: Scope, rubric: Rubric, options: DeviationOptions, n: int
    ) -> "AskedWindow | None":
        """Read a scope's window, None where it asks for none."""
        found = project_days.asked_window(project, scope)
        if found is None:
            return None
        rules = overall_rule(rubric, options), verdict_rule(rubric, options)
        parts = frozenset(part.name for rule in rules for part in rule.parts)
        return cls(*found, parts, np.zeros(n, dtype=np.bool_))

    def inside(self, moments: Ints) -> Flags:
        """Tell which evaluations lie inside, by the moments at which they count for a metric."""
        return project_days.inside(moments, self.span, self.zone)

    def kept(self, metric: str, auto: Floats, inside: Flags) -> Floats:
        """Take out a metric's auto scores outside, and remember where overalls lose a part."""
        if metric in self.parts:
            np.logical_or(self.outside, ~inside & np.isfinite(auto), out=self.outside)
        return np.where(inside, auto, np.nan)
