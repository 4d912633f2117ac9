"""What a job was to do, with what, and what failed in it, in words."""

from dataclasses import dataclass

from reviewer.domain.job import Attempt, JobPlan, Selection
from reviewer.domain.wording import counted, fixed
from reviewer.services.jobs import job_list
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.project.session import Session

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
    row = job_list.row(session, key)
    found = job_list.failures(session, key)
    return JobFacts(
        row=row,
        lines=configuration(row.plan),
        counts=job_list.failure_counts(session, key),
        failures=tuple(Failing(_id(session, x.evaluation), x) for x in found),
    )


def configuration(plan: JobPlan) -> tuple[tuple[str, str], ...]:
    """Tell what decides what a job does, line by line."""
    lines = [("selection", selection(plan.selection))]
    if plan.judge is not None:
        judge = plan.judge
        lines.append(("judge", f"{judge.name}, version {plan.judge_version}"))
        lines.append(("model", f"{judge.model}, temperature {judge.temperature:g}"))
    if plan.endpoint is not None:
        lines.append(("endpoint", plan.endpoint.base_url or plan.endpoint.kind))
    for prompt in plan.prompts:
        which = f"v{prompt.version}" if prompt.version else "as shipped"
        lines.append((f"prompt of {prompt.metric}", f"{which}, {prompt.hash}"))
    for metric, scorer in plan.scorers.items():
        given = plan.parameters.get(metric)
        words = ", ".join(f"{name} = {value!r}" for name, value in (given or {}).items())
        lines.append((metric, f"{scorer}: {words}" if words else scorer))
    if plan.bot is not None:
        lines.append(("bot", f"{plan.bot.name}, {plan.bot.kind.replace('_', ' ')}"))
    if plan.target_run is not None:
        lines.append(("new run", plan.target_run))
    return (*lines, *_spending(plan))


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
        lines.append(("at most", _dollars(plan.max_cost)))
    if plan.concurrency is not None:
        lines.append(("at once", counted(plan.concurrency, "call")))
    if not plan.use_cache:
        lines.append(("cache", "not used"))
    return lines


def _id(session: Session, key: int) -> str:
    return session.place(key)[1]


def _dollars(limit: float) -> str:
    cents = round(limit, 2) == limit
    return f"${fixed(limit)}" if cents else f"${limit:g}"
