"""The overall gap of a few evaluations, for the rows of a list.

It rests on nothing slow: rows are painted before the libraries of the figures are loaded. Where
live figures are there, they say it; else it is worked out by the same rules.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from reviewer.domain.values import Value
from reviewer.services.computer import deferred
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.human_scores import Moment, derive, standing
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    is_overall,
    overall_rule,
)
from reviewer.services.project.session import Session
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.satisfaction import OverallRule, overall
from reviewer.stats.values import Combine
from reviewer.store import figures

LIVE = "live figures"
"""The name under which live figures stand beside an open session."""


class Live(Protocol):
    """What is asked of live figures."""

    def gap_of(self, key: int) -> tuple[bool, float | None]:
        """Tell whether they know an evaluation, and its overall gap."""


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
    options = kept_options(session.project)
    if options.label_combine == "consensus":
        every: dict[int, float] = deferred.load(deferred.EVERY_GAP)(session, list(runs))
        return every
    project = session.project
    labels = figures.labels_among(project, list(runs))
    if not labels:
        return {}
    names = {key: name for name, key in figures.metric_keys(project).items()}
    there = {runs[row[0]] for row in labels}
    rules = {run: _RunRules(session, run, options, names) for run in there}
    humans = _humans(labels, {key: rules[run] for key, run in runs.items() if run in rules})
    autos: dict[int, dict[str, float]] = {key: {} for key in humans}
    for key, metric, score_set, value in figures.scores_among(project, sorted(humans)):
        rules[runs[key]].take_auto(autos[key], (metric, score_set), value)
    found = {}
    for key, human in humans.items():
        gap = rules[runs[key]].gap(autos[key], human)
        if gap is not None:
            found[key] = gap
    return found


class _RunRules:
    """What scores and labels of one run mean for its overall."""

    def __init__(
        self, session: Session, run: int, options: DeviationOptions, names: Mapping[int, str]
    ) -> None:
        rubric = session.rubric_of_run(run)
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
        numeric = {metric.name for metric in rubric.metrics if metric.is_numeric}
        self.names = {number: name for number, name in names.items() if name in numeric}
        self._sets = {
            (number, chosen.key): name
            for number, name in self.names.items()
            if (chosen := session.chosen(run, name)) is not None
        }

    def take_auto(self, autos: dict[str, float], by: tuple[int, int], value: Value) -> None:
        """Take a score where it counts, by metric and score set."""
        name = self._sets.get(by)
        if name is not None and not isinstance(value, str):
            autos[name] = float(value)

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
    """Give the human scores by evaluation and metric, of metrics with numbers."""
    given: dict[tuple[int, int], list[Moment]] = {}
    decisions: dict[tuple[int, int], list[Moment]] = {}
    for key, number, value, decided, time, order in labels:
        if not isinstance(value, str):
            side = decisions if decided else given
            side.setdefault((key, number), []).append((time, order, float(value)))
    made: dict[int, dict[str, float]] = {}
    for place in given | decisions if decisions else given:
        mine, name = rules[place[0]], rules[place[0]].names.get(place[1])
        if name is None:
            continue
        its = decisions.get(place, ())
        score = standing(its, given.get(place, ()), mine.combine, named=False)
        if score is not None:
            made.setdefault(place[0], {})[name] = score
    return made
