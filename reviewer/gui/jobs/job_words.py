"""How jobs and what failed in them are told in a line."""

from collections.abc import Mapping

from reviewer.domain.wording import fixed
from reviewer.gui.jobs.jobs_at_work import JobAtWork

_FAILURES = {
    "key": "key not accepted",
    "quota": "account used up",
    "refused": "refused",
    "unreachable": "not reachable",
    "timeout": "time-out",
    "rate": "too many calls",
    "server": "server error",
    "model": "no such model",
    "redirect": "redirected",
    "certificate": "wrong certificate",
    "not_json": "no JSON",
    "too_large": "reply without end",
    "too_long": "text too long",
    "cut": "cut off",
    "under_way": "still at work",
    "lost": "worker lost",
    "reply": "unreadable reply",
    "prompt": "prompt wrong",
    "parameters": "parameters wrong",
    "excluded": "excluded by a pre-check",
    "missing": "field missing",
    "input": "field unusable",
    "undefined": "not defined for this case",
}
_DOING = {
    "starting": "starting…",
    "pausing": "pausing: calls under way come to their end…",
    "cancelling": "cancelling…",
}


def failure(kind: str | None) -> str:
    """Say in two or three words what went wrong."""
    return _FAILURES.get(kind or "", (kind or "other").replace("_", " "))


def money(dollars: float) -> str:
    """Write dollars, with more digits where there are few of them."""
    return f"${fixed(dollars)}" if dollars >= 0.1 or not dollars else f"${fixed(dollars, 4)}"


def progress(job: JobAtWork) -> str:
    """Say how far a job is: count, pace, time left, cost, and where the replies came from."""
    told = job.told
    parts = [job.rate.words(told.done, told.total or job.total)]
    if job.asks:
        parts.append(_cost(told.cost_usd, job.max_cost, priced=job.priced))
    parts.append(_outcome(job))
    if told.waits_for:
        parts.insert(0, f"waits for job {told.waits_for}, which asks the same")
    if told.limit_with:
        parts.insert(0, f"waits for job {told.limit_with}, as one limit holds for both")
    if job.doing in _DOING:
        parts.insert(0, _DOING[job.doing])
    return " · ".join(part for part in parts if part)


def in_short(jobs: tuple[JobAtWork, ...]) -> str:
    """Say for the status bar what is at work."""
    if len(jobs) == 1:
        job = jobs[0]
        total = job.told.total or job.total
        count = f"{job.told.done:,}" if total is None else f"{job.told.done:,} of {total:,}"
        cost = f" · {money(job.told.cost_usd)}" if job.told.cost_usd else ""
        return f"{job.title}: {count}{cost}"
    done = sum(job.told.done for job in jobs)
    total = sum(job.told.total or job.total or 0 for job in jobs)
    return f"{len(jobs)} re-evaluations: {done:,} of {total:,}"


def share(jobs: tuple[JobAtWork, ...]) -> float | None:
    """Give how much of the jobs is done, from 0 to 1, None where unknown."""
    total = sum(job.told.total or job.total or 0 for job in jobs)
    return min(sum(job.told.done for job in jobs) / total, 1.0) if total else None


def failures(counts: Mapping[str, int], *, asks: bool = True) -> str:
    """Say how many calls failed and why: "2 failed calls: time-out"."""
    count = sum(counts.values())
    noun = "call" if asks else "score"
    many = f"1 failed {noun}" if count == 1 else f"{count:,} failed {noun}s"
    kinds = list(counts.items())
    if len(kinds) == 1:
        return f"{many}: {failure(kinds[0][0])}"
    named = ", ".join(f"{failure(kind)} {number:,}" for kind, number in kinds[:3])
    more = f", {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return f"{many}: {named}{more}"


UNPRICED = "price not known"


def _cost(spent: float, limit: float | None, *, priced: bool) -> str:
    if not priced and not spent:
        return UNPRICED if limit is None else f"{UNPRICED}: the limit of {money(limit)} cannot act"
    if limit is not None:
        return f"{money(spent)} of at most {money(limit)}"
    return money(spent) if spent else ""


def _outcome(job: JobAtWork) -> str:
    told = job.told
    if not job.asks:
        return f"{told.failed:,} failed" if told.failed else ""
    answered = max(told.done - told.failed - told.cached, 0)
    parts = [f"{answered:,} answered"]
    if told.cached:
        parts.append(f"{told.cached:,} from cache")
    if told.failed:
        parts.append(f"{told.failed:,} failed")
    return ", ".join(parts)
