"""What a job was to do, what failed in it, and what became of its scores, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.domain.judging import Attempt, JobPlan, Selection
from reviewer.domain.wording import counted, fixed
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import MetricRecord
from reviewer.services.jobs import job_list
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.project.session import Session, may_lead
from reviewer.store import figures, jobs, of_record, scores

_ONLY = {
    "labelled": "labelled",
    "unlabelled": "not labelled",
    "disagreements": "judge and people differ",
    "failed": "failed the last time",
}


@dataclass(frozen=True, slots=True)
class Failing:
    """One failed or excluded attempt, with the id of its evaluation."""

    id: str
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class JobFacts:
    """One job with what failed in it.

    Attributes:
        lines: Name and value of what decides what it does.
        counts: How many attempts failed, by kind.
        failures: Failed and excluded attempts, at most the first 1,000.
    """

    row: JobRow
    lines: tuple[tuple[str, str], ...]
    counts: dict[str, int]
    failures: tuple[Failing, ...]


def read(session: Session, key: int) -> JobFacts:
    """Read a job; call it beside the window.

    Raises:
        ReviewerError: There is no such job.
    """
    row = job_list.row(session, job_list.get(session, key))
    return JobFacts(
        row=row,
        lines=configuration(row.plan),
        counts=job_list.failure_counts(session, key),
        failures=tuple(
            Failing(session.place(x.evaluation)[1], x)
            for x in jobs.failures(session.project.conn, key)
        ),
    )


def configuration(plan: JobPlan) -> tuple[tuple[str, str], ...]:
    """Tell what decides what a job does, line by line."""
    lines = [("selection", selection(plan.selection))]
    if plan.judge is not None:
        judge = plan.judge
        lines += [
            ("judge", f"{judge.name}, version {plan.judge_version}"),
            ("model", f"{judge.model}, temperature {judge.temperature:g}"),
        ]
    if plan.endpoint is not None:
        lines.append(("endpoint", plan.endpoint.base_url or plan.endpoint.kind))
    for prompt in plan.prompts:
        which = f"v{prompt.version}" if prompt.version else "as shipped"
        lines.append((f"prompt of {prompt.metric}", f"{which}, {prompt.hash}"))
    for metric, scorer in plan.scorers.items():
        words = ", ".join(
            f"{name} = {value!r}" for name, value in (plan.parameters.get(metric) or {}).items()
        )
        lines.append((metric, f"{scorer}: {words}" if words else scorer))
    if plan.bot is not None:
        lines.append(("bot", f"{plan.bot.name}, {plan.bot.kind.replace('_', ' ')}"))
    if plan.target_run is not None:
        lines.append(("new run", plan.target_run))
    return (*lines, *_spending(plan))


def apart(rows: Sequence[JobRow]) -> dict[int, str]:
    """Say by job what tells it from others of its title and selection; empty where nothing."""
    alike: dict[tuple[str, str], list[JobRow]] = {}
    for row in rows:
        alike.setdefault((row.job.title, selection(row.plan.selection)), []).append(row)
    found = {}
    for same in alike.values():
        lines = [dict(configuration(row.plan)) for row in same]
        names = dict.fromkeys(name for line in lines for name in line)
        telling = [name for name in names if len({line.get(name) for line in lines}) > 1]
        for row, line in zip(same, lines, strict=True):
            told = [f"{name} {line[name]}" for name in telling if name in line]
            found[row.job.key] = " · ".join(told)
    return found


def selection(chosen: Selection) -> str:
    """Tell in words what is selected."""
    if chosen.keys is not None:
        return f"{len(chosen.keys):,} chosen evaluations"
    parts = [", ".join(chosen.runs) or "the newest run"]
    if chosen.categories:
        parts.append(f"category {', '.join(chosen.categories)}")
    if chosen.only is not None:
        parts.append(_ONLY[chosen.only])
    if chosen.part is not None:
        parts.append("development half" if chosen.part == "dev" else "held-out half")
    if chosen.filter_text:
        parts.append(chosen.filter_text)
    if chosen.limit is not None:
        parts.append(f"the first {chosen.limit:,}")
    return " · ".join(parts)


def _spending(plan: JobPlan) -> list[tuple[str, str]]:
    if plan.kind == "scorer":
        return []
    lines = []
    if plan.repeats > 1:
        lines.append(("repeats", str(plan.repeats)))
    if plan.max_cost is not None:
        cents = round(plan.max_cost, 2) == plan.max_cost
        lines.append(("at most", f"${fixed(plan.max_cost)}" if cents else f"${plan.max_cost:g}"))
    if plan.concurrency is not None:
        lines.append(("at once", counted(plan.concurrency, "call")))
    if not plan.use_cache:
        lines.append(("cache", "not used"))
    return lines


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A metric of a run that a job scored.

    Attributes:
        version: The full name of the version that its scores are of.
        n: How many evaluations of the run that version scored, whichever job.
        counts: Whether that version is the one of record.
        instead: Which one counts, empty where none does.
        instead_n: On how many that is.
    """

    run: str
    heading: str
    version: str
    n: int
    of: int
    counts: bool
    instead: str
    instead_n: int


@dataclass(frozen=True, slots=True)
class JobScores:
    """The scores of a job.

    Attributes:
        evaluations: How many have scores of it now.
        places: Where its scores are.
        discarded: Whether they were taken back.
        may_record: Whether they can be made the record.
        may_discard: Whether they can be taken back.
        problem: Why they cannot, in a sentence; empty where they can.
    """

    job: int
    evaluations: int
    places: tuple[JobPlace, ...]
    discarded: bool
    may_record: bool
    may_discard: bool
    problem: str

    @property
    def sentence(self) -> str:
        """Say whether they count, and what does where they do not."""
        if self.discarded and not self.evaluations:
            return "The scores of this job were discarded; undo brings them back."
        told: dict[tuple[object, ...], list[JobPlace]] = {}
        for x in self.places:
            told.setdefault((x.run, x.version, x.counts, x.instead), []).append(x)
        return " ".join(map(_words, told.values()))


def read_scores(session: Session, key: int) -> JobScores:
    """Read what became of a job's scores; call it beside the window.

    Raises:
        ReviewerError: There is no such job.
    """
    job, conn = job_list.get(session, key), session.project.conn
    evaluations = len(scores.scored(conn, key))
    places = () if job.kind == "bot" else _places(session, key)
    writable = may_lead(session) and not session.project.read_only
    problem = job_list.discard_problem(session, job, evaluations)
    return JobScores(
        job=key,
        evaluations=evaluations,
        places=places,
        discarded=job_list.is_discarded(session, key),
        may_record=(
            writable
            and not job_list.record_problem(job)
            and not all(x.counts for x in places)
            and not (job_list.is_discarded(session, key) and not evaluations)
        ),
        may_discard=writable and not problem,
        problem=problem,
    )


def _places(session: Session, key: int) -> tuple[JobPlace, ...]:
    project = session.project
    found = of_record.scored_by_job(project.conn, key, job_list.worked_on(session, key))
    runs = {number: name for number, name, _ in figures.run_places(project)}
    metrics = {number: name for name, number in figures.metric_keys(project).items()}
    records = {
        run: {x.metric.name: x for x in run_records.of_run(session, runs[run]).metrics}
        for run in dict.fromkeys(run for run, _ in found)
    }
    return tuple(
        _place(runs[run], records[run][metrics[metric]], next(iter(sets)))
        for (run, metric), sets in found.items()
        if metrics[metric] in records[run]
    )


def _place(run: str, one: MetricRecord, score_set: int) -> JobPlace:
    version, n = next(x for x in one.versions if x[0].key == score_set)
    standing = one.found.version
    return JobPlace(
        run=run,
        heading=one.metric.heading,
        version=version.name,
        n=n,
        of=one.found.of,
        counts=standing is not None and standing.key == score_set,
        instead="" if standing is None or one.found.reason else standing.name,
        instead_n=one.found.n,
    )


def _words(alike: Sequence[JobPlace]) -> str:
    """Say of metrics that stand alike whether the job's version counts for them."""
    one, metrics = alike[0], ", ".join(x.heading for x in alike)
    mine = run_records.span([x.n for x in alike], one.of)
    if one.counts:
        return f"{one.version} counts for {metrics} of {one.run}, on {mine}."
    other = run_records.span([x.instead_n for x in alike], one.of)
    rest = f"{one.instead} does, on {other}" if one.instead else "nothing does"
    return f"{one.version} on {mine} does not count for {metrics} of {one.run}: {rest}."
