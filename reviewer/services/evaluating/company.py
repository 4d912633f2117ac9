"""Jobs at work at the same time: the later one waits where the earlier one bears on it.

Of two that would ask the same no reply is paid for twice, and of two that share a limit each knows
what the other has spent.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from reviewer.domain.job import JobPlan
from reviewer.services.evaluating import selecting
from reviewer.services.evaluating.control import Control
from reviewer.services.project.session import Session
from reviewer.store import jobs

LOOK_EVERY = 0.2


class Ahead(NamedTuple):
    """A job that goes first, and whether that is because of a common limit."""

    job: int
    by_limit: bool

    @property
    def words(self) -> str:
        """Say for which job another one waits, and why."""
        why = "as one limit holds for both" if self.by_limit else "which asks the same"
        return f"waits for job {self.job}, {why}"

    @property
    def told(self) -> dict[str, float]:
        """Say it as processes tell it."""
        return {"limit_with" if self.by_limit else "waits_for": self.job}


def wait(
    session: Session,
    key: int,
    plan: JobPlan,
    keys: Sequence[int],
    *,
    control: Control,
    say: Callable[[Ahead], None],
) -> bool:
    """Wait while an earlier job asks the same or spends of the same limit, or until a wish.

    `keys` are the evaluations of the job; `say` is told for which job it waits, again and again.
    Tells whether there was one.
    """
    conn = session.project.conn
    limited = {x.key for x in jobs.sharing(conn, key)} if plan.max_cost is not None else set()
    ahead = [
        Ahead(x.key, by_limit=x.key in limited)
        for x in jobs.taken_before(conn, key)
        if (x.key in limited and x.kind != "scorer") or _overlaps(session, x.key, plan, keys)
    ]
    waits = bool(ahead)
    while ahead and not control.stops:
        say(ahead[0])
        time.sleep(LOOK_EVERY)
        control.look()
        at_work = {x.key for x in jobs.taken_before(conn, key)}
        ahead = [x for x in ahead if x.job in at_work]
    return waits


def _overlaps(session: Session, other: int, plan: JobPlan, keys: Sequence[int]) -> bool:
    theirs = jobs.plan(session.project.conn, other)
    if _asked(plan).isdisjoint(_asked(theirs)):
        return False
    return not set(keys).isdisjoint(selecting.selected(session, theirs.selection))


def _asked(plan: JobPlan) -> set[tuple[str | None, ...]]:
    """Name what a plan asks, apart from the evaluations; nothing where nobody shares its replies.

    Details that decide a reply as well are left out: at worst two jobs go one after the other.
    """
    if plan.endpoint is None or plan.judge is None or not plan.use_cache:
        return set()
    place = (plan.endpoint.kind, plan.endpoint.base_url, plan.judge.model)
    return {(*place, prompt.metric, prompt.hash) for prompt in plan.prompts}
