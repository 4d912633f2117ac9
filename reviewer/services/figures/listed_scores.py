"""The overall gap of a few evaluations, for the rows of a list.

It rests on nothing slow: rows are painted before the libraries of the figures are loaded. Where
live figures are there, they say it; else it is worked out by the same rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from reviewer.domain.evaluation import Score, Value, as_number
from reviewer.domain.rubric import Metric
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.human_scores import Moment, number_of, standing
from reviewer.services.project import reading
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    derive,
    is_overall,
    overall_rule,
    value_of,
)
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session
from reviewer.stats.satisfaction import OverallRule, overall, weighted_mean
from reviewer.stats.values import Combine
from reviewer.store import figures

LIVE = "live figures"
"""The name under which live figures stand beside an open session."""


def gaps_of(session: Session, wanted: Mapping[int, int]) -> dict[int, float]:
    """Give the overall gap, human minus auto, of the evaluations that have one.

    `wanted` are the evaluations, each with its run.
    """
    live, found, left = session.kept.get(LIVE), dict[int, float](), dict[int, int]()
    for key, run in wanted.items():
        # mypy: what services keep beside a session has no type of its own
        known, gap = live.gap_of(key) if live is not None else (False, None)  # type: ignore[attr-defined]
        if not known:
            left[key] = run
        elif gap is not None:
            found[key] = gap
    if left:
        found |= _worked_out(session, left)
    return found


def _worked_out(session: Session, runs: Mapping[int, int]) -> dict[int, float]:
    if _any_consensus(session, runs):
        from reviewer.services.figures import every_score

        every: dict[int, float] = every_score.gaps_of(session, list(runs))
        return every
    project, rules = session.project, dict[int, _RunRules]()
    humans = _humans_of(session, runs, rules)
    autos: dict[int, dict[str, float]] = {key: {} for key in humans}
    for key, metric, score_set, value in figures.scores_among(project, sorted(humans)):
        name = rules[runs[key]].sets.get((metric, score_set))
        if name is not None and not isinstance(value, str):
            autos[key][name] = value
    found = {}
    for key, human in humans.items():
        gap = rules[runs[key]].gap(autos[key], human)
        if gap is not None:
            found[key] = gap
    return found


def humans_of(session: Session, wanted: Mapping[int, int]) -> dict[int, dict[str, Value]]:
    """Give the human scores of evaluations by metric, as people write them.

    `wanted` are the evaluations, each with its run.
    """
    rules = dict[int, _RunRules]()
    if _any_consensus(session, wanted):
        from reviewer.services.figures import every_score

        every: dict[int, dict[str, Value]] = every_score.humans_of(session, list(wanted))
        return every
    found: dict[int, dict[str, Value]] = {}
    for key, scores in _humans_of(session, wanted, rules).items():
        metrics = {x.name: x for x in rules[wanted[key]].metrics.values()}
        values = {name: value_of(metrics[name], float(x)) for name, x in scores.items()}
        found[key] = {name: value for name, value in values.items() if value is not None}
    return found


def _any_consensus(session: Session, runs: Mapping[int, int]) -> bool:
    """Tell whether some scores are a consensus, which only all evaluations together make."""
    rubrics = {x.name: x for x in (session.rubric_of_run(run) for run in set(runs.values()))}
    found = (kept_options(session.project, rubric) for rubric in rubrics.values())
    return any(options.label_combine == "consensus" for options in found)


def _humans_of(
    session: Session, runs: Mapping[int, int], rules: dict[int, "_RunRules"]
) -> dict[int, dict[str, float]]:
    """Read human scores by evaluation and metric, and the rules of the runs they are of."""
    labels = figures.labels_among(session.project, list(runs))
    if labels:
        names = {key: name for name, key in figures.metric_keys(session.project).items()}
        for run in set(runs.values()):
            rules[run] = _RunRules(session, run, names)
    return _humans(labels, {key: rules[run] for key, run in runs.items()} if labels else {})


class _RunRules:
    """What scores and labels of one run mean for its overall."""

    def __init__(self, session: Session, run: int, names: Mapping[int, str]) -> None:
        rubric = session.rubric_of_run(run)
        options = kept_options(session.project, rubric)
        self.combine: Combine = "mean"
        if options.label_combine != "consensus":
            self.combine = options.label_combine
        self.count_derived = options.derived_labels == "count"
        self.rule = overall_rule(rubric, options)
        self.derivations = {
            name: found
            for name, found in derivations(rubric).items()
            if not is_overall(rubric.by_name[name])
        }
        self.metrics = {
            # of what is no longer in the rubric labels may still be told
            number: rubric.by_name.get(name) or Metric(name=name, scale="measure")
            for number, name in names.items()
        }
        self.sets = {
            (number, chosen.key): metric.name
            for number, metric in self.metrics.items()
            if metric.name in rubric.by_name
            and metric.is_numeric
            and (chosen := session.chosen(run, metric.name)) is not None
        }

    def place_of(self, number: int, name: str) -> float | None:
        """Give a category's place on the scale of a metric, None off it."""
        metric = self.metrics.get(number)
        return None if metric is None else number_of(metric, name)

    def gap(self, autos: dict[str, float], human: dict[str, float]) -> float | None:
        """Work out the overall gap of one evaluation."""
        if not self.rule.parts:
            return None
        fill(autos, self.derivations, self.rule)
        if self.count_derived:
            fill(human, self.derivations, replace(self.rule, missing="null"))
        return overall(autos, human, self.rule).gap


def fill(values: dict[str, float], rules: Mapping[str, Derivation], rule: OverallRule) -> None:
    """Put what follows from other metrics where a metric has no value of its own.

    Of a weighted mean parts may be missing where the rule leaves them out.
    """
    for name, derivation in rules.items():
        known = {part: values[part] for part in derivation.parts if part in values}
        whole = len(known) == len(derivation.parts) or derivation.way == "weighted_mean"
        if name not in values and known and whole:
            made = derive(derivation, known, rule)
            if made is not None:
                values[name] = made


def _humans(
    labels: Iterable[figures.CountedLabel], rules: Mapping[int, _RunRules]
) -> dict[int, dict[str, float]]:
    """Give the human scores by evaluation and metric; categories by their place on the scale."""
    given: dict[tuple[int, int], list[Moment]] = defaultdict(list)
    decisions: dict[tuple[int, int], list[Moment]] = defaultdict(list)
    for key, number, value, decided, time, order in labels:
        there = rules[key].place_of(number, value) if isinstance(value, str) else value
        if there is not None:
            side = decisions if decided else given
            side[key, number].append((time, order, there))
    made: dict[int, dict[str, float]] = {}
    for place in given | decisions if decisions else given:
        mine = rules[place[0]]
        metric, its = mine.metrics.get(place[1]), decisions.get(place, ())
        if metric is None:
            continue
        named = not metric.is_numeric
        score = standing(its, given.get(place, ()), mine.combine, named=named)
        if score is not None:
            made.setdefault(place[0], {})[metric.name] = score
    return made


def auto_score(
    session: Session, view: EvaluationView, metric: str, scorer: str | None
) -> Score | None:
    """Give the auto score beside a metric's figures: by their scorer, else the one that counts.

    Of the metric that is the overall, and of one that nobody scored, it is worked out from others.
    """
    if view.hidden:
        return None
    if is_overall(view.rubric.by_name[metric]):
        autos = {name: as_number(score.value) for name, score in view.auto.items()}
        value = weighted_mean(
            autos, overall_rule(view.rubric, kept_options(session.project, view.rubric))
        )
        words = "From its parts: weighted mean of the other metrics."
        return None if value is None else Score(metric=metric, value=value, reasoning=words)
    mine = view.auto.get(metric) if metric in derivations(view.rubric) else None
    return reading.counted(session, view.evaluation.key, metric, scorer) or mine
