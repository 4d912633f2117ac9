"""Two jobs that would ask the same: the later one waits, so that no reply is paid for twice."""

import time
from collections.abc import Callable, Sequence

from reviewer.domain.job import JobPlan
from reviewer.services.evaluating import selecting
from reviewer.services.evaluating.control import Control
from reviewer.services.project.session import Session
from reviewer.store import jobs

LOOK_EVERY = 0.2


def wait(
    session: Session,
    key: int,
    plan: JobPlan,
    keys: Sequence[int],
    *,
    control: Control,
    say: Callable[[int], None],
) -> bool:
    """Wait while an earlier job asks the same about one of the evaluations, or until a wish.

    `keys` are the evaluations of the job; `say` is told for which job it waits, again and again.
    Tells whether there was one.
    """
    conn = session.project.conn
    ahead = [x.key for x in jobs.taken_before(conn, key) if _overlaps(session, x.key, plan, keys)]
    waits = bool(ahead)
    while ahead and not control.stops:
        say(ahead[0])
        time.sleep(LOOK_EVERY)
        control.look()
        at_work = {x.key for x in jobs.taken_before(conn, key)}
        ahead = [x for x in ahead if x in at_work]
    return waits


def words(other: int) -> str:
    """Say for which job another one waits."""
    return f"waits for job {other}, which asks the same"


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
