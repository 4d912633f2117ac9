"""One evaluation as live figures need it: read by small indexed queries, worked out at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.figures.human_scores import (
    Entry,
    HumanScore,
    choice_of,
    human_score,
    number_of,
    with_derived,
)
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    derive,
    is_overall,
    overall_rule,
)
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import Combine
from reviewer.store import figures
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class Rules:
    """What a rubric means, worked out once.

    Attributes:
        derivations: Of the metrics that follow from others, but for the overall itself.
        wholes: The metrics that are the overall.
        combine: How the labels of one evaluation become its score.
        consensus: Whether a consensus of all evaluations stands above that.
        derived_count: Whether what follows from labels of other metrics counts as a label.
    """

    rubric: Rubric
    overall: OverallRule
    derivations: Mapping[str, Derivation]
    wholes: frozenset[str]
    combine: Combine
    consensus: bool
    derived_count: bool

    @classmethod
    def of(cls, rubric: Rubric, options: DeviationOptions) -> "Rules":
        """Read a rubric; labels of weight zero count here, the options decide at reading."""
        how = options.label_combine
        wholes = frozenset(metric.name for metric in rubric.metrics if is_overall(metric))
        return cls(
            rubric=rubric,
            overall=replace(overall_rule(rubric, options), require_weighted_label=False),
            derivations={x: y for x, y in derivations(rubric).items() if x not in wholes},
            wholes=wholes,
            combine="mean" if how == "consensus" else how,
            consensus=how == "consensus",
            derived_count=options.derived_labels == "count",
        )


@dataclass(frozen=True, slots=True)
class Case:
    """What counts of one evaluation.

    Attributes:
        humans: Human scores by metric, those that count.
        shown: The same, with what follows from labels of other metrics.
        held: How many of the labeler's answers by metric count only after the reveal.
        hidden: Whether the labeler may not see auto scores yet.
    """

    humans: Mapping[str, HumanScore] = field(default_factory=dict)
    shown: Mapping[str, HumanScore] = field(default_factory=dict)
    held: Mapping[str, int] = field(default_factory=dict)
    hidden: bool = False

    def scores(self) -> dict[str, float | None]:
        """Give the human scores alone."""
        return {name: found.score for name, found in self.humans.items()}

    def labelled_at(self, names: Iterable[str]) -> int:
        """Give when the newest entry on some of the metrics was given, or `figures.UNDATED`."""
        times = [self.humans[name].time for name in names if name in self.humans]
        return max(times, default=figures.UNDATED)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads single evaluations of a scope for one labeler.

    Attributes:
        metrics: Metric names by the project's own numbers.
        people: The only ones whose labels count; empty means everybody.
    """

    project: Project
    scope: Scope
    rules: Rules
    metrics: dict[int, str]
    people: frozenset[int]
    blind: bool

    def case(
        self, evaluation: int, labeler: int, settled: Mapping[str, float] | None = None
    ) -> Case:
        """Read an evaluation's entries as they stand on disk.

        `settled` are human scores that all evaluations together make, by metric.
        """
        rubric = self.rules.rubric
        hidden = (
            self.blind
            and bool(rubric.labelled_metrics)
            and figures.is_open_to(self.project, labeler, evaluation)
        )
        found: dict[str, list[Entry]] = {}
        held: dict[str, int] = {}
        rows = figures.read_labels_of(
            self.project, evaluation, self.people, blind_only=self.scope.blind_only
        )
        for _, number, person, given, decided, _, _, time, order, *way in rows:
            metric = rubric.by_name.get(self._name(number))
            value = number_of(metric, given) if metric is not None else None
            if metric is None or value is None:
                continue
            if hidden and not decided and person == labeler:
                held[metric.name] = held.get(metric.name, 0) + 1
                continue
            entry = Entry(value, bool(decided), time, order, choice_of(*way))
            found.setdefault(metric.name, []).append(entry)
        rules, together = self.rules, settled or {}
        scores = {
            name: score
            for name, entries in found.items()
            if (
                score := human_score(
                    rubric.by_name[name], entries, rules.combine, together.get(name)
                )
            )
            is not None
        }
        shown = with_derived(scores, rules.derivations, rules.overall)
        return Case(shown if rules.derived_count else scores, shown, held, hidden)

    def _name(self, number: int) -> str:
        if number not in self.metrics:
            # a metric without scores gets its number with its first label
            self.metrics.update((key, x) for x, key in figures.metric_keys(self.project).items())
        return self.metrics.get(number, "")

    def autos(
        self, evaluation: int, score_sets: Mapping[str, int | None]
    ) -> dict[str, float | None]:
        """Read the auto scores of an evaluation outside the scope, derived ones too."""
        rubric = self.rules.rubric
        found = figures.scores_of(self.project, evaluation)
        made: dict[str, float | None] = {}
        for metric in rubric.metrics:
            value = found.get((metric.name, score_sets.get(metric.name) or -1))
            made[metric.name] = None if value is None else number_of(metric, value)
        for name, derivation in derivations(rubric).items():
            parts = {part: made[part] for part in derivation.parts}
            known = {part: value for part, value in parts.items() if value is not None}
            whole = len(known) == len(parts) or derivation.way == "weighted_mean"
            absent = made.get(name) is None or name in self.rules.wholes
            if absent and known and whole:
                made[name] = derive(derivation, known, self.rules.overall)
        return made
