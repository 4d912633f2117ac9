"""Score a monitor's samples: by what they bring, by the rubric's scorers, or by a judge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.domain.job import Job, JobPlan, Selection
from reviewer.domain.monitoring import Monitor
from reviewer.domain.progress import Progress
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.scoring.registry import scorer_for
from reviewer.services import figure_table
from reviewer.services.evaluating import job_list, planning, running
from reviewer.services.evaluating.control import Control
from reviewer.services.figure_rules import overall_rule, verdict_rule
from reviewer.services.figure_table import FigureTable
from reviewer.services.session import Session
from reviewer.stats.overall_columns import OPEN, PASS, verdict_columns, weighted_means
from reviewer.store import jobs, monitors
from reviewer.store.monitors import Kept, Sample

TRIES: Final = 3
"""How often a judge is asked about a sample before the monitor does without."""
TAKEN_OVER: Final = "A newer job of the monitor goes on with it."
NO_SCORE: Final = "it brings no score, and the rubric's scorers give none: choose a judge"
NOT_YET: Final = "the judge gave no score; it is asked again"
NO_VERDICT: Final = "its scores give no verdict under the rubric's pass rule"
GAVE_UP: Final = f"the judge gave no score in {TRIES} tries"


@dataclass(frozen=True, slots=True)
class Scored:
    """What scoring came to: new verdicts, and why it stopped early (empty where it did not)."""

    settled: int = 0
    problem: str = ""


def open_samples(monitor: Monitor, samples: Sequence[Sample]) -> list[Sample]:
    """Give the samples that wait for a score by whoever the monitor wants."""
    wanted = monitor.judge or ""
    return [
        sample
        for sample in samples
        if (sample.scorer is None or (wanted and sample.judge != wanted))
        and (not wanted or sample.tries < TRIES or sample.judge != wanted)
    ]


def score(session: Session, kept: Kept, samples: Sequence[Sample], progress: Progress) -> Scored:
    """Score the samples that wait, and keep their verdicts.

    Raises:
        ReviewerError: The judge is not there, or the project cannot be written.
        CancelledError: The user stopped it; what was scored until then is kept.
    """
    waiting = open_samples(kept.settings, samples)
    if not waiting:
        return Scored()
    scoring = _Scoring(session, kept, session.rubric(kept.settings.rubric), progress)
    if kept.settings.judge is not None:
        return scoring.by_judge(waiting, kept.settings.judge)
    return scoring.by_what_is_there(waiting)


@dataclass(frozen=True, slots=True)
class _Scoring:
    session: Session
    kept: Kept
    rubric: Rubric
    progress: Progress

    def by_what_is_there(self, waiting: Sequence[Sample]) -> Scored:
        settled = list(self._verdicts(waiting, None))
        left = [replace(x, note=NO_SCORE) for x in _without(waiting, settled)]
        plan = self._scorers_plan([sample for sample in left if sample.tries < TRIES])
        problem = ""
        if plan is not None:
            problem = self._work(plan).sentence or ""
            asked = set(plan.selection.keys or ())
            left = [replace(x, tries=x.tries + 1) if x.evaluation in asked else x for x in left]
            found = list(self._verdicts(left, None))
            settled, left = [*settled, *found], _without(left, found)
        monitors.settle(self.session.project, self.kept.key, [*settled, *left])
        return Scored(len(settled), problem)

    def by_judge(self, waiting: Sequence[Sample], judge: str) -> Scored:
        settled, problem = list(self._verdicts(waiting, judge)), ""
        left = _without(waiting, settled)
        if left:
            left, found, problem = self._ask(left, judge)
            settled += found
        monitors.settle(self.session.project, self.kept.key, [*settled, *left])
        return Scored(len(settled), problem)

    def _ask(self, left: Sequence[Sample], judge: str) -> tuple[list[Sample], list[Sample], str]:
        budget = self._budget()
        if budget is not None and budget <= 0:
            return list(left), [], _spent(self.kept)
        selection = Selection(keys=tuple(sample.evaluation for sample in left))
        plan = planning.judging_plan(self.session, judge, selection)
        job = self._work(replace(plan, max_cost=budget))
        problem = "" if job.state == "done" else (job.sentence or "The judge stopped.")
        found = list(self._verdicts(left, judge))
        # a job that stopped says nothing about the samples it did not come to
        again = 1 if job.state == "done" else 0
        tried = [
            replace(
                sample,
                score=None,
                passed=None,
                scorer=None,
                judge=judge,
                tries=(sample.tries if sample.judge == judge else 0) + again,
                note=NOT_YET,
            )
            for sample in _without(left, found)
        ]
        last = [sample for sample in tried if sample.tries >= TRIES]
        given_up = list(self._verdicts(last, judge, partly=True))
        rest = [
            replace(x, note=GAVE_UP) if x.tries >= TRIES else x for x in _without(tried, given_up)
        ]
        return rest, [*found, *given_up], problem

    def _take_over(self) -> None:
        """End the last job where it did not: its paid replies are kept, and a new one goes on."""
        if self.kept.job is None:
            return
        try:
            last = job_list.get(self.session, self.kept.job)
        except ReviewerError:
            return
        if last.state not in ("done", "cancelled") and not job_list.at_work(last):
            jobs.settle(self.session.project, last.key, "cancelled", TAKEN_OVER)

    def _budget(self) -> float | None:
        limit = self.kept.settings.max_cost
        return None if limit is None else limit - self.kept.spent_usd

    def _work(self, plan: JobPlan) -> Job:
        self._take_over()
        key = planning.add(self.session, replace(plan, title=f"Monitor: {plan.title}"))
        monitors.note_job(self.session.project, self.kept.key, key)
        job = running.run(self.session.project.path, key, self.progress, Control())
        monitors.note_cost(self.session.project, self.kept.key, job.cost_usd)
        if self.progress.cancelled:
            raise CancelledError("Stopped; what was scored until then is kept.")
        return job

    def _scorers_plan(self, left: Sequence[Sample]) -> JobPlan | None:
        """Plan the rubric's scorers for metrics on which none of the samples has a score."""
        if not left:
            return None
        keys = [sample.evaluation for sample in left]
        table = self._table(keys, None)
        metrics = [
            metric.name
            for metric in self.rubric.metrics
            if scorer_for(metric) is not None
            and not np.isfinite(table.metrics[metric.name].auto).any()
        ]
        if not metrics:
            return None
        return planning.scoring_plan(
            self.session, Selection(keys=tuple(keys)), metrics=tuple(metrics)
        )

    def _verdicts(
        self, waiting: Sequence[Sample], judge: str | None, *, partly: bool = False
    ) -> Iterator[Sample]:
        """Give the samples whose scores are there, each by one scorer version."""
        left = {sample.evaluation: sample for sample in waiting}
        if judge is not None and not monitors.has_scored(self.session.project, judge):
            return
        while left:
            found = self._by_newest(list(left.values()), judge, partly=partly)
            if not found:
                return
            for sample in found:
                del left[sample.evaluation]
                yield sample

    def _by_newest(
        self, waiting: Sequence[Sample], judge: str | None, *, partly: bool
    ) -> list[Sample]:
        table = self._table([sample.evaluation for sample in waiting], judge)
        autos = table.autos()
        overall = weighted_means(autos, overall_rule(self.rubric), table.keys.size)
        verdicts = verdict_columns(autos, verdict_rule(self.rubric))
        whole = np.ones(table.keys.size, dtype=np.bool_)
        if judge is not None and not partly:
            for name in self._judged():
                whole &= table.metrics[name].has_auto
        scorers = [x.scorer for x in table.metrics.values() if x.scorer is not None]
        scorer = ", ".join(dict.fromkeys(scorers))
        places = {int(key): place for place, key in enumerate(table.keys.tolist())}
        found = []
        for sample in waiting:
            place = places.get(sample.evaluation)
            if place is None or not whole[place] or not np.isfinite(overall[place]):
                continue
            verdict = int(verdicts[place])
            if verdict == OPEN and self.rubric.pass_rule != "none":
                continue
            found.append(
                replace(
                    sample,
                    score=float(overall[place]),
                    passed=None if verdict == OPEN else verdict == PASS,
                    judge=judge or "",
                    scorer=scorer,
                    rubric_version=str(self.rubric.version),
                    note=NO_VERDICT if verdict == OPEN else None,
                )
            )
        return found

    def _judged(self) -> list[str]:
        return [
            metric.name
            for metric in self.rubric.labelled_metrics
            if metric.judge is not None or metric.scorer is None
        ]

    def _table(self, keys: Sequence[int], judge: str | None) -> FigureTable:
        return figure_table.load(
            self.session.project,
            Scope(scorer=judge),
            rubric=self.rubric,
            within=monitors.among(keys),
        )


def _without(samples: Sequence[Sample], settled: Sequence[Sample]) -> list[Sample]:
    gone = {sample.evaluation for sample in settled}
    return [sample for sample in samples if sample.evaluation not in gone]


def _spent(kept: Kept) -> str:
    limit = kept.settings.max_cost or 0.0
    return (
        f"The monitor's budget of ${limit:g} is spent (${kept.spent_usd:.4f}); raise it to go on. "
        "The samples that wait are kept."
    )
