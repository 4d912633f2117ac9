"""A job of deterministic scorers: a block is on disk before the next begins."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue, now_text
from reviewer.domain.judging import Attempt, JobPlan
from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring.packages.scorers import FunctionScorer
from reviewer.scoring.scorer import (
    Case,
    Deterministic,
    Failure,
    Outcome,
    Rule,
    ScoreOutcome,
    case_of,
)
from reviewer.services.jobs import away, scorers
from reviewer.services.jobs.away import Batches, Named, Outcomes, Workers
from reviewer.services.jobs.control import Control, Ending, Teller
from reviewer.services.judging.prompts import passed
from reviewer.store import jobs, new_scores, reading
from reviewer.store.jobs import Counts
from reviewer.store.project import Project

BLOCK = 300
"""Evaluations a transaction at most, so that a label press beside it never waits for long."""
BLOCK_SECONDS = 1.0
"""How long scoring one block should take at most."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """One metric with its scorer, ready for many cases.

    Attributes:
        named: The scorer, as a worker finds it.
        key: The number of the metric.
        score_set: The number of the score set.
    """

    metric: Metric
    rule: Rule
    named: Named
    key: int
    score_set: int


@dataclass(slots=True)
class ScoreJob:
    """One scorers' job at work; scores that are there already with the same value stay alone."""

    project: Project
    key: int
    plan: JobPlan
    rubric: Rubric
    keys: Sequence[int]
    control: Control
    teller: Teller
    workers: Workers | None = None
    _taken: int = 0
    _stopped: bool = False

    def run(self) -> Ending:
        """Score every evaluation and tell how it ended."""
        with closing(new_scores.ScoreBook(self.project, self.key)) as book:
            return self._run(self._scorings(book))

    def _run(self, scorings: Sequence[Scoring]) -> Ending:
        with self.project.write() as conn:
            # a scorer gives the same again, so a job that goes on counts from the start
            jobs.restart(conn, self.key)
        self.teller.counts = Counts()
        used = (scorers.get(name, metric) for metric, name in self.plan.scorers.items())
        is_strange = any(isinstance(x, FunctionScorer) for x in used)
        for cases, outcomes in self._blocks(scorings, 1 if is_strange else BLOCK):
            self._keep(cases, scorings, outcomes)
        self.teller.tell(Counts(), at_once=True)
        stopped = self.control.ending("scored") if self._stopped else None
        return stopped or Ending("done")

    def _blocks(
        self, scorings: Sequence[Scoring], size: int
    ) -> Iterator[tuple[list[Case], Outcomes]]:
        """Give cases with what each scorer gave, until all are scored or somebody stops it."""
        self._taken = 0
        if self.workers is not None:
            wanted = tuple(x.named for x in scorings)
            yield from Batches(self.workers, wanted, self._take, self._stops, size, _resized)
            return
        rules = [x.rule for x in scorings]
        while (cases := self._take(size)) and not self._stops():
            began = time.monotonic()
            yield cases, away.outcomes(rules, cases)
            size = _resized(size, time.monotonic() - began)

    def _take(self, count: int) -> list[Case]:
        cases: list[Case] = []
        # what was taken out of the project meanwhile is no end
        while not cases and self._taken < len(self.keys):
            keys = self.keys[self._taken : self._taken + count]
            self._taken += len(keys)
            cases = [case_of(x) for x in reading.evaluations(self.project.conn, keys)]
        return cases

    def _stops(self) -> bool:
        self.control.look()
        self._stopped = self.control.stops
        return self._stopped

    def _scorings(self, book: new_scores.ScoreBook) -> list[Scoring]:
        made = []
        for name in self.plan.metrics:
            metric = self.rubric.by_name[name]
            scorer = scorers.get(self.plan.scorers[name], name)
            given = self.plan.parameters.get(name, metric.parameters)
            identity: dict[str, JsonValue] = {
                "scorer": scorer.name,
                "scorer_version": scorer.version,
            }
            if given:
                identity["parameters"] = dict(given)
            key = book.names.metric(name)
            made.append(
                Scoring(
                    metric=metric,
                    rule=scorer.prepare(given),
                    named=away.named(scorer, given),
                    key=key,
                    score_set=book.open(key, identity, str(self.rubric.version)),
                )
            )
        return made

    def _keep(
        self, cases: Sequence[Case], scorings: Sequence[Scoring], outcomes: Outcomes
    ) -> None:
        at = now_text()
        failures: list[tuple[Attempt, int]] = []
        rows: list[new_scores.Row] = []
        for scoring, given in zip(scorings, outcomes, strict=True):
            for case, found in zip(cases, given, strict=True):
                outcome = _on_scale(scoring.metric, found)
                if isinstance(outcome, Failure):
                    failed = Attempt(
                        evaluation=case.key,
                        metric=scoring.metric.name,
                        state="failed",
                        kind=outcome.kind,
                        sentence=outcome.text,
                        at=at,
                    )
                    failures.append((failed, scoring.key))
                else:
                    rows.append(_row(scoring, case.key, outcome, at))
        counts = Counts(done=len(rows), failed=len(failures))
        with self.project.write() as conn:
            new_scores.add_changed(conn, rows, self.key)
            jobs.keep(conn, self.key, failures)
            jobs.count(conn, self.key, counts)
        self.teller.tell(counts)


def _resized(size: int, seconds: float) -> int:
    """Give how many cases come next: whoever pauses a slow scorer waits for no whole block."""
    return max(1, min(BLOCK, int(size * BLOCK_SECONDS / max(seconds, 1e-6))))


def _on_scale(metric: Metric, outcome: Outcome) -> Outcome:
    if isinstance(outcome, ScoreOutcome):
        problem = metric.score_problem(outcome.value)
        if problem is not None:
            return Failure("parameters", f"{problem}.")
    return outcome


def _row(scoring: Scoring, key: int, outcome: ScoreOutcome, at: str) -> new_scores.Row:
    place = (key, scoring.key, scoring.score_set)
    is_plain = not (outcome.examples or outcome.hits) and scoring.metric.pass_at is None
    if is_plain and outcome.reasoning and outcome.value.__class__ is not bool:
        # nothing to pack: most scorers' scores are so
        return (*place, outcome.value, outcome.reasoning, at, None)
    return new_scores.row(*place, _fields(scoring.metric, outcome, at))


def _fields(metric: Metric, outcome: ScoreOutcome, at: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "metric": metric.name,
        "value": outcome.value,
        "reasoning": outcome.reasoning,
        "at": at,
    }
    if outcome.examples:
        fields["examples"] = list(outcome.examples)
    if metric.pass_at is not None:
        fields["passed"] = passed(metric, outcome.value)
    if outcome.hits:
        fields["meta"] = {"hits": [[hit.start, hit.end, hit.sought] for hit in outcome.hits]}
    return fields


def check(plan: JobPlan, rubric: Rubric) -> None:
    """Hold a plan to scorers that exist and fit the scales, and to their parameters.

    Raises:
        ReviewerError: A scorer is not known, its values mean nothing on a metric's scale, or a
            parameter is wrong.
    """
    for name in plan.metrics:
        scorer, metric = scorers.get(plan.scorers.get(name, ""), name), rubric.by_name[name]
        given = plan.parameters.get(name, metric.parameters)
        problem = scorer.misfit(metric, given) if isinstance(scorer, Deterministic) else None
        problem = problem or scorer.problem(given)
        if problem is not None:
            raise ReviewerError(f"Metric {name}: {problem}.")
