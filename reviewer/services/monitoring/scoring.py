"""Score a monitor's samples: by what they bring, by the rubric's scorers, or by a judge."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np

from reviewer.domain.evaluation import parse_time
from reviewer.domain.judging import Job, JobPlan, Selection
from reviewer.domain.monitoring import DIED, Monitor
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.domain.wording import fixed
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.jobs import job_list, planning
from reviewer.services.jobs import scorers as scorers_there
from reviewer.services.project.session import Session
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.store import figures, jobs, monitors
from reviewer.store.monitors import Kept, Sample

Work = Callable[[int], Job | None]
TRIES: Final = 3
"""How often a judge is asked about a sample before the monitor does without."""
STARTING_SECONDS: Final = 60.0
"""How long a job that was kept may take to begin."""
TAKEN_OVER: Final = "A newer job of the monitor goes on with it."
NO_SCORE: Final = "it brings no score, and the rubric's scorers give none: choose a judge"
NOT_YET: Final = "the judge gave no score; it is asked again"
NO_VERDICT: Final = "its scores give no verdict under the rubric's pass rule"
GAVE_UP: Final = f"the judge gave no score in {TRIES} tries"


@dataclass(frozen=True, slots=True)
class Scored:
    """What scoring came to.

    Attributes:
        job: The job that somebody is to work on now, whose outcome the next look takes over.
        problem: Why it stopped early, empty where it did not.
        at_work: Whether an earlier job is still at work, so that nothing was begun.
    """

    job: int | None = None
    problem: str = ""
    at_work: bool = False


def open_samples(monitor: Monitor, samples: Sequence[Sample]) -> list[Sample]:
    """Give the samples that wait for a score by whoever the monitor wants."""
    wanted = monitor.judge or ""
    return [
        sample
        for sample in samples
        if (sample.scorer is None or (wanted and sample.judge != wanted))
        and (not wanted or sample.tries < TRIES or sample.judge != wanted)
    ]


def score(session: Session, kept: Kept, samples: Sequence[Sample], work: Work) -> Scored:
    """Score the samples that wait, and keep their verdicts.

    An earlier job's outcome is taken over first; while one is at work nothing is begun.

    Args:
        session: the project.
        kept: the monitor.
        samples: of its rate and seed.
        work: works on a job by its number and gives it as it is then, or None where somebody else
            is to work on it.

    Raises:
        ReviewerError: The judge is not there, or the project cannot be written.
        CancelledError: The user stopped it; what was scored until then is kept.
    """
    scoring = _Scoring(session, kept, session.rubric(kept.settings.rubric))
    open_job = monitors.open_job(session.project, kept.key)
    if open_job is not None:
        last = job_list.get(session, open_job)
        if _is_at_work(last):
            return Scored(at_work=True)
        samples, problem = scoring.take_over(last, samples)
        if problem:
            return Scored(problem=problem)
    left = scoring.take_what_is_there(open_samples(kept.settings, samples))
    plan, problem = scoring.plan(left)
    if plan is None:
        return Scored(problem=problem)
    key = scoring.add(plan)
    job = work(key)
    if job is None:
        return Scored(job=key)
    return Scored(problem=scoring.take_over(job, left)[1])


def _is_at_work(job: Job) -> bool:
    """Tell whether somebody works on a job, or was told to a moment ago."""
    if job.state == "waiting":
        age = (datetime.now(UTC) - parse_time(job.created_at)).total_seconds()
        return 0 <= age < STARTING_SECONDS
    return job_list.at_work(job)


def _problem(job: Job) -> str:
    """Say why a job that stopped is not simply gone on with, empty where it is."""
    if job_list.standing(job) == "interrupted":
        return DIED
    if job.state == "failed" or (job.state == "paused" and job.sentence != "Paused."):
        return job.sentence or "The judge stopped."
    return ""


@dataclass(frozen=True, slots=True)
class _Scoring:
    session: Session
    kept: Kept
    rubric: Rubric

    @property
    def judge(self) -> str | None:
        return self.kept.settings.judge

    def take_what_is_there(self, waiting: Sequence[Sample]) -> list[Sample]:
        """Keep the verdicts of scores that are there, and give the samples that still wait."""
        settled = list(self._verdicts(waiting, self.judge))
        left = _without(waiting, settled)
        if self.judge is None:
            left = [replace(x, note=NO_SCORE) for x in left]
        before = {sample.evaluation: sample for sample in waiting}
        changed = [x for x in (*settled, *left) if x != before[x.evaluation]]
        if changed:
            monitors.settle(self.session.project, self.kept.key, changed)
        return left

    def plan(self, left: Sequence[Sample]) -> tuple[JobPlan | None, str]:
        """Plan a job that scores what waits, or say why there is none."""
        if self.judge is None:
            return self._scorers_plan([x for x in left if x.tries < TRIES]), ""
        if not left:
            return None, ""
        limit = self.kept.settings.max_cost
        budget = None if limit is None else limit - self.kept.spent_usd
        if budget is not None and budget <= 0:
            return None, (
                f"The monitor's budget of ${limit or 0.0:g} is spent "
                f"(${fixed(self.kept.spent_usd, 4)}); raise it to go on. The samples that wait "
                "are kept."
            )
        selection = Selection(keys=tuple(sample.evaluation for sample in left))
        return replace(
            planning.judging_plan(self.session, self.judge, selection), max_cost=budget
        ), ""

    def add(self, plan: JobPlan) -> int:
        """Keep a job; the last one, where it did not come to its end, is gone on with by this."""
        project = self.session.project
        before = monitors.last_job(project, self.kept.key)
        key = planning.add(self.session, replace(plan, title=f"Monitor: {plan.title}"))
        monitors.note_job(project, self.kept.key, key)
        if before is not None:
            last = job_list.get(self.session, before)
            if last.state not in ("done", "cancelled") and not job_list.at_work(last):
                jobs.settle(project, last.key, "cancelled", TAKEN_OVER)
        return key

    def take_over(self, job: Job, samples: Sequence[Sample]) -> tuple[list[Sample], str]:
        """Keep what a job came to; give the samples as they are then, and what went wrong."""
        plan = job_list.plan(self.session, job.key)
        asked = set(plan.selection.keys or ())
        same = (plan.judge.name if plan.judge else None) == self.judge
        waiting = [
            sample
            for sample in open_samples(self.kept.settings, samples)
            if same and sample.evaluation in asked
        ]
        # a job that stopped says nothing about the samples it did not come to
        tried = self._tried(waiting, 1 if job.state == "done" else 0)
        monitors.settle(self.session.project, self.kept.key, tried, job=job.key)
        now = {sample.evaluation: sample for sample in tried}
        return [now.get(sample.evaluation, sample) for sample in samples], _problem(job)

    def _tried(self, waiting: Sequence[Sample], more: int) -> list[Sample]:
        """Give the samples that a job was to score as they are after it."""
        judge = self.judge
        found = list(self._verdicts(waiting, judge))
        left = _without(waiting, found)
        if judge is None:
            return [*found, *(replace(x, tries=x.tries + more, note=NO_SCORE) for x in left)]
        tried = [
            replace(
                sample,
                score=None,
                passed=None,
                scorer=None,
                judge=judge,
                tries=(sample.tries if sample.judge == judge else 0) + more,
                note=NOT_YET,
            )
            for sample in left
        ]
        last = [sample for sample in tried if sample.tries >= TRIES]
        given_up = list(self._verdicts(last, judge, partly=True))
        rest = [
            replace(x, note=GAVE_UP) if x.tries >= TRIES else x for x in _without(tried, given_up)
        ]
        return [*found, *given_up, *rest]

    def _scorers_plan(self, left: Sequence[Sample]) -> JobPlan | None:
        """Plan the rubric's scorers for metrics on which none of the samples has a score."""
        if not left:
            return None
        keys = [sample.evaluation for sample in left]
        table = self._table(keys, None)
        metrics = [
            metric.name
            for metric in self.rubric.metrics
            if not np.isfinite(table.metrics[metric.name].auto).any()
            and scorers_there.of_metric(metric) is not None
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
        for version in self._versions(judge):
            if not left:
                return
            for sample in self._by_version(list(left.values()), judge, version, partly=partly):
                del left[sample.evaluation]
                yield sample

    def _versions(self, judge: str | None) -> list[str | None]:
        """Give the versions of a judge, the newest first; without one that of record leads all."""
        known = figures.scorer_versions(self.session.project)[::-1]
        if judge is None:
            return [None, *(x.name for x in known)]
        return [x.name for x in known if x.is_called(judge)]

    def _by_version(
        self, waiting: Sequence[Sample], judge: str | None, version: str | None, *, partly: bool
    ) -> list[Sample]:
        table = self._table([sample.evaluation for sample in waiting], version)
        overall, verdicts = table.auto_overall(), table.auto_verdicts()
        whole = np.ones(table.keys.size, dtype=np.bool_)
        if judge is not None and not partly:
            for name in [
                metric.name
                for metric in self.rubric.labelled_metrics
                if metric.judge is not None or metric.scorer is None
            ]:
                whole &= table.metrics[name].has_auto
        scorer = ", ".join(
            dict.fromkeys([x.scorer for x in table.metrics.values() if x.scorer is not None])
        )
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

    def _table(self, keys: Sequence[int], version: str | None) -> FigureTable:
        return figure_table.load(
            self.session.project,
            Scope(scorer=version, only_scorer=True),
            rubric=self.rubric,
            within=monitors.among(keys),
            options=kept_options(self.session.project, self.rubric),
        )


def _without(samples: Sequence[Sample], settled: Sequence[Sample]) -> list[Sample]:
    gone = {sample.evaluation for sample in settled}
    return [sample for sample in samples if sample.evaluation not in gone]
