"""Gather what live figures start from, and what lags behind, beside the window.

Each is read with a connection of its own.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.errors import CancelledError, Progress, heed
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope, ScorerVersion
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import HeldBack, held_back, held_now, memory_of
from reviewer.services.figures.figure_settings import FigureSettings, kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader, MetricTable, overall_dates
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.request import Choices, Covered, choices, covered
from reviewer.services.figures.selection import chance_of
from reviewer.services.figures.statistics_agreement import judged_rows
from reviewer.services.figures.statistics_gaps import label_times
from reviewer.services.figures.statistics_stale import behind
from reviewer.services.figures.statistics_words import judged_levels
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import is_overall, scale_of
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live_cases import Rules
from reviewer.stats.figures import Pair
from reviewer.stats.label_counts import Judged, label_evidence
from reviewer.stats.overall_columns import SatisfactionTally, overall_columns
from reviewer.stats.pairs import Evidence, Labels
from reviewer.stats.satisfaction import Overall
from reviewer.stats.tally import ClippedSums, DrawnTally, PairTally
from reviewer.store import figures, watching
from reviewer.store.project import Project
from reviewer.store.watching import Sight


@dataclass(slots=True)
class MetricTally:
    """One metric's running figures.

    Attributes:
        autos: Auto scores in the order of `Tallies.keys`, NaN where there is none.
        dates: When each evaluation was scored so, else its own date.
        score_set: The scorer version that is compared with.
        clipped: The same scores, for a mean that is held on the scale.
        held: The labeler's answers that count only after the reveal.
    """

    autos: Floats
    dates: Ints
    derived_autos: frozenset[int]
    score_set: int | None
    pairs: PairTally
    clipped: ClippedSums
    held: int = 0


@dataclass(slots=True)
class Tallies:
    """Everything that live figures keep, as of one moment of the project.

    Attributes:
        sight: How far the project had come.
        as_of: The last day of the window that the tallies stand at.
        keys: Evaluations in scope, ascending; `dates` of their overalls beside them.
        held: The labeler's held back answers by evaluation and metric.
        clusters: The conversation of each evaluation; None where no two share one.
        consensus: Human scores that all evaluations together make, by metric, in the order of
            `keys`; empty where each evaluation has its own.
        drawn: How many labelled evaluations of the scope chance drew.
        ways: How each evaluation was chosen, codes of `Choice`.
        judges: Whose scores count by metric, where the scope is one run with no scorer named.
    """

    sight: Sight
    scope: Scope
    rubric: Rubric
    hidden: Hidden
    choices: Choices
    keys: Ints
    dates: Ints
    metric_names: dict[int, str]
    metrics: dict[str, MetricTally]
    overall: SatisfactionTally
    drawn: DrawnTally
    ways: NDArray[np.int8]
    as_of: date
    held: dict[int, Counter[str]] = field(default_factory=dict)
    clusters: Ints | None = None
    overall_autos: ClippedSums = field(default_factory=lambda: ClippedSums(np.zeros(0)))
    judges: dict[str, ScorerVersion | None] = field(default_factory=dict)
    consensus: dict[str, Floats] = field(default_factory=dict)

    @property
    def by_label(self) -> bool:
        """Tell whether the window bounds the time of labelling, and not of evaluation."""
        return self.choices.options.window_date == "label"

    def place(self, evaluation: int) -> int | None:
        """Give an evaluation's place among `keys`, None outside the scope."""
        place = int(np.searchsorted(self.keys, evaluation))
        there = place < self.keys.size and int(self.keys[place]) == evaluation
        return place if there else None

    def settled(self, place: int) -> dict[str, float]:
        """Give the scores that all evaluations together make for the one at a place."""
        found = {name: column.item(place) for name, column in self.consensus.items()}
        return {name: value for name, value in found.items() if not math.isnan(value)}

    def day(self, place: int, metric: str | None = None) -> date | None:
        """Give the day at a place of a metric, or of the overall."""
        dates = self.dates if metric is None else self.metrics[metric].dates
        return project_days.day_of(int(dates[place]), self.choices.zone)

    def evidence(self, name: str) -> Evidence:
        """Give a metric's pairs as intervals need them: with the conversations they are from."""
        tally = self.metrics[name].pairs
        found = tally.evidence()
        if self.clusters is None or not len(tally):
            return found
        # whole conversations are drawn from single evaluations, which tallies do not keep apart
        pairs = dict(tally.counted_pairs())
        places = np.searchsorted(self.keys, np.array(list(pairs), dtype=np.int64))
        labels = [(at, value) for at, x in enumerate(pairs.values()) for value in x.labels]
        auto, human = np.array([(x.auto, x.human) for x in pairs.values()], np.float64).T
        judged = Judged(
            auto,
            human,
            Labels(np.array([x[0] for x in labels]), np.array([x[1] for x in labels], np.float64)),
            tally.weights(pairs.values()),
            self.clusters[places],
        )
        return label_evidence(judged, tally.scale, label_table=self.choices.options.label_table)

    def autos(self, place: int) -> dict[str, float | None]:
        """Give the auto scores of the evaluation at a place."""
        found: dict[str, float | None] = {}
        for name, one in self.metrics.items():
            value = one.autos.item(place)
            found[name] = None if math.isnan(value) else value
        return found


def load_tallies(
    path: Path,
    scope: Scope,
    hidden: Hidden,
    *,
    settings: FigureSettings | None = None,
    progress: Progress | None = None,
) -> Tallies:
    """Read a scope's scores and labels into running tallies; call it off the window's thread.

    Args:
        path: The project file; it is opened anew.
        scope: The evaluations, people and scorer that figures are about.
        hidden: Who looks, and what stays hidden: their answers there are held back.
        settings: Preset and options; None for how the project computes its figures.
        progress: Asked whether to stop.

    Raises:
        ReviewerError: The scope names something that the project does not have.
        CancelledError: Nobody waits for the figures any more.
    """
    with Project.open(path) as project, figures.snapshot(project):
        found, chosen = _chosen(project, scope, settings or FigureSettings())
        held = held_back(project, hidden)
        table = _table(project, scope, found, chosen, held)
        drawn = DrawnTally(table.selection.n_drawn)
        overall, autos = _overall_tally(table, chosen, drawn)
        return Tallies(
            sight=watching.look(project),
            scope=scope,
            rubric=found.rubric,
            hidden=hidden,
            choices=chosen,
            keys=table.keys,
            dates=overall_dates(table, Rules.of(table.rubric, chosen.options).overall),
            metric_names={key: name for name, key in figures.metric_keys(project).items()},
            metrics=_metric_tallies(table, chosen, drawn, progress),
            overall=overall,
            overall_autos=autos,
            drawn=drawn,
            ways=table.selection.ways.copy(),
            as_of=chosen.as_of,
            held=table.held,
            clusters=table.clusters,
            judges=_judges(project, scope, table),
            consensus=_consensus(table),
        )


def _chosen(project: Project, scope: Scope, asked: FigureSettings) -> tuple[Covered, Choices]:
    found = covered(project, scope)
    return found, choices(project, scope, found.rubric, preset=asked.preset, options=asked.options)


def _judges(project: Project, scope: Scope, table: FigureTable) -> dict[str, ScorerVersion | None]:
    if len(scope.runs) != 1 or scope != Scope(runs=scope.runs):
        return {}
    versions = {version.key: version for version in figures.scorer_versions(project)}
    chosen = {name: one.score_set for name, one in table.metrics.items()}
    return {name: None if key is None else versions[key] for name, key in chosen.items()}


def _consensus(table: FigureTable) -> dict[str, Floats]:
    if table.options.label_combine != "consensus":
        return {}
    given = {name: x.human if x.given is None else x.given[1] for name, x in table.metrics.items()}
    return {
        name: one.score for name, one in given.items() if table.metrics[name].not_weighed is None
    }


def _table(
    project: Project, scope: Scope, found: Covered, chosen: Choices, held: HeldBack | None
) -> FigureTable:
    return figure_table.load(
        project,
        scope,
        rubric=found.rubric,
        within=found.within,
        options=chosen.options,
        held=held,
    )


def _metric_tallies(
    table: FigureTable, chosen: Choices, drawn: DrawnTally, progress: Progress | None
) -> dict[str, MetricTally]:
    heed(progress)
    made = {name: _metric_tally(x, table, chosen, drawn) for name, x in table.metrics.items()}
    heed(progress)
    return made


def _metric_tally(
    table: MetricTable, whole: FigureTable, chosen: Choices, drawn: DrawnTally
) -> MetricTally:
    rule = chosen.options.counting
    judged = judged_levels(table.metric, table.auto)
    tally = PairTally(scale_of(table.metric), chosen.span, rule, drawn, judged)
    known = table.auto[table.has_auto]
    tally.autos.add_many(known.size, float(known.sum()))
    # the metric that is the overall has its tally there
    rows = table.paired[: 0 if is_overall(table.metric) else None]
    # what a consensus settles is not known of single evaluations while people label
    pairs = judged_rows(whole, table, rows, rule.label_combine)
    ways, probability = whole.selection.ways[rows], whole.selection.probability[rows]
    columns = (
        whole.keys[rows].tolist(),
        pairs.auto.tolist(),
        pairs.human.tolist(),
        _labels(pairs),
        _dates(chosen, table.dates, table.human.times)[rows].tolist(),
        map(Choice, ways.tolist()),
        probability.tolist(),
    )
    tally.load(
        (
            key,
            Pair(
                auto,
                human,
                labels,
                project_days.day_of(micros, chosen.zone),
                chance_of(way, _known(share)),
                chosen=way == Choice.CONVENIENCE,
            ),
        )
        for key, auto, human, labels, micros, way, share in zip(*columns, strict=True)
    )
    return MetricTally(
        autos=table.auto,
        dates=table.dates,
        derived_autos=frozenset(np.flatnonzero(table.derived_auto).tolist()),
        score_set=table.score_set,
        pairs=tally,
        clipped=ClippedSums(known),
        held=table.held_back,
    )


def _labels(pairs: Judged) -> list[tuple[float, ...]]:
    """Give each evaluation's labels that count."""
    order = np.argsort(pairs.labels.pairs, kind="stable")
    values = pairs.labels.values[order].tolist()
    ends = np.searchsorted(pairs.labels.pairs[order], np.arange(pairs.auto.size + 1)).tolist()
    return [tuple(values[a:b]) for a, b in pairwise(ends)]


def _dates(chosen: Choices, evaluated: Ints, labelled: Ints) -> Ints:
    return labelled if chosen.options.window_date == "label" else evaluated


def _overall_tally(
    table: FigureTable, chosen: Choices, drawn: DrawnTally
) -> tuple[SatisfactionTally, ClippedSums]:
    tally = SatisfactionTally(chosen.span, chosen.options.counting, drawn)
    rule = Rules.of(table.rubric, chosen.options).overall
    if not rule.parts:
        return tally, ClippedSums(np.zeros(0))
    found = overall_columns(table.autos(), table.humans(), rule)
    rest = found.auto[np.isfinite(found.auto) & ~found.labelled]
    tally.autos.add_many(rest.size, float(rest.sum()))
    rows = np.flatnonzero(found.labelled)
    columns = (
        table.keys[rows].tolist(),
        found.auto[rows].tolist(),
        found.human[rows].tolist(),
        found.gap[rows].tolist(),
        found.covered[rows].tolist(),
        found.mixed[rows].tolist(),
        _dates(chosen, overall_dates(table, rule), label_times(table, rule))[rows].tolist(),
        table.selection.chosen[rows].tolist(),
    )
    tally.load(
        (
            key,
            Overall(_known(auto), _known(human), _known(gap), share, mixed),
            project_days.day_of(micros, chosen.zone),
            by_choice,
        )
        for key, auto, human, gap, share, mixed, micros, by_choice in zip(*columns, strict=True)
    )
    return tally, ClippedSums(found.auto[np.isfinite(found.auto)])


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def lagging_of_run(session: Session, run: str, progress: Progress) -> dict[str, tuple[str, ...]]:
    """Say by metric what lags behind in a run; call it beside the window.

    Raises:
        ReviewerError: There is no such run.
        CancelledError: Nobody waits for it any more.
    """
    project, scope = session.project, Scope(runs=(run,))
    said: dict[str, list[str]] = {}
    with figures.snapshot(project):
        found = covered(project, scope)
        table = Loader(project, memory_of(session)).load(
            scope,
            rubric=found.rubric,
            within=found.within,
            options=kept_options(project, found.rubric),
            held=held_now(session),
        )
        for metric in table.metrics.values():
            if progress.cancelled:
                raise CancelledError("Nobody asks what lags behind any more.")
            for one in behind(project, found, (metric,)):
                said.setdefault(metric.metric.name, []).append(one.text)
    return {name: tuple(texts) for name, texts in said.items()}
