"""One evaluation as live figures need it: read by small indexed queries, worked out at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.human_scores import (
    Choice,
    Entry,
    HumanScore,
    choice_of,
    counted_labels,
    human_score,
    number_of,
    way_of,
    with_derived,
)
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    derive,
    is_overall,
    overall_rule,
)
from reviewer.services.project.sight import Hidden
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import Combine, Counting
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
    counting: Counting

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
            counting=options.counting,
        )


class Given(NamedTuple):
    """The labels of a metric that count, and when the newest entry was given."""

    labels: tuple[float, ...]
    time: int


@dataclass(frozen=True, slots=True)
class Case:
    """What counts of one evaluation.

    Attributes:
        humans: Human scores by metric, those that count.
        shown: The same, with what follows from labels of other metrics.
        given: Labels by metric, also of categories without a majority, which have no score.
        way: The best-known way in which the evaluation was chosen, whatever the metric.
        probability: The smallest with which it was drawn so; None where none is known.
        held: How many of the labeler's answers by metric count only after the reveal.
        hidden: Whether the labeler may not see auto scores yet.
    """

    humans: Mapping[str, HumanScore] = field(default_factory=dict)
    shown: Mapping[str, HumanScore] = field(default_factory=dict)
    given: Mapping[str, Given] = field(default_factory=dict)
    way: Choice = Choice.CONVENIENCE
    probability: float | None = None
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
    hidden: Hidden

    def case(
        self, evaluation: int, labeler: int, settled: Mapping[str, float] | None = None
    ) -> Case:
        """Read an evaluation's entries as they stand on disk.

        `settled` are human scores that all evaluations together make, by metric.
        """
        rubric = self.rules.rubric
        hidden = not self.hidden.nothing and self.hidden.hides(
            evaluation,
            rubric,
            settled=not figures.is_open_to(self.project, labeler, evaluation),
        )
        found: dict[str, list[Entry]] = {}
        held: dict[str, int] = {}
        drawn: list[tuple[Choice, float | None]] = []
        for _, number, person, given, decided, _, _, time, order, *way in figures.read_labels_of(
            self.project, evaluation, self.people, blind_only=self.scope.blind_only
        ):
            metric = rubric.by_name.get(self._name(number))
            value = number_of(metric, given) if metric is not None else None
            counts = decided or not hidden or person != labeler
            if metric is not None and counts:
                drawn.append((way_of(*way), way[1] or None))
            if metric is None or value is None:
                continue
            if not counts:
                held[metric.name] = held.get(metric.name, 0) + 1
                continue
            entry = Entry(value, bool(decided), time, order, choice_of(*way))
            found.setdefault(metric.name, []).append(entry)
        return self._case(found, held, drawn, settled or {}, hidden=hidden)

    def _case(
        self,
        found: Mapping[str, list[Entry]],
        held: Mapping[str, int],
        drawn: list[tuple[Choice, float | None]],
        together: Mapping[str, float],
        *,
        hidden: bool,
    ) -> Case:
        rules, rubric = self.rules, self.rules.rubric
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
        counted = shown if rules.derived_count else scores
        given = {
            name: Given(counted_labels(entries, rules.counting.label_combine), _newest(entries))
            for name, entries in found.items()
        }
        given |= {
            name: Given((score.score,), score.time)
            for name, score in counted.items()
            if score.derived and name not in given
        }
        way = max((way for way, _ in drawn), default=Choice.CONVENIENCE)
        of_way = [p for one, p in drawn if one > Choice.UNKNOWN or way <= Choice.UNKNOWN]
        return Case(
            humans=counted,
            shown=shown,
            given=given,
            way=way,
            probability=min((p for p in of_way if p is not None), default=None),
            held=held,
            hidden=hidden,
        )

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


def _newest(entries: list[Entry]) -> int:
    """Give when the newest entry behind a score was given; a decision stands alone."""
    decided = [x for x in entries if x.decided]
    return max(x.time for x in decided or entries)
