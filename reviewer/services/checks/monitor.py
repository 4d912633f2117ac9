"""The monitor's status as a check."""

from collections.abc import Iterator

from reviewer.domain.scope import Scope
from reviewer.services.checks.check import Check
from reviewer.services.checks.limits import Limits
from reviewer.services.monitoring import looking, status
from reviewer.services.monitoring.view import View
from reviewer.services.project.session import Session

NONE_YET = "no monitor has looked at this project yet; run `reviewer monitor` first"


def checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    """Hold the monitors' status to the one from which a release is stopped, a line each.

    A monitor holds where its status is better than the alarm, and fails without a verdict. A
    scope says which rubric by its runs, and nothing else.

    Nothing is sampled or scored; the status is that of the samples that are there, under the
    window and thresholds of the monitor.
    """
    alarm = limits.monitor
    if alarm is None:
        return
    keys = zip(session.run_names(), session.run_keys(), strict=True)
    wanted = {session.rubric_of_run(key).name for name, key in keys if name in scope.runs}
    found = [x for x in looking.all_shown(session) if not wanted or x.monitor.rubric in wanted]
    if not found:
        yield Check(
            name="monitor", value=None, limit=_limit(alarm), n=0, state="fails", reason=NONE_YET
        )
    yield from (_check(view, alarm) for view in found)


def _check(view: View, alarm: str) -> Check:
    name = f"monitor {view.monitor.rubric}"
    n = view.tally.total
    if not n:
        return Check(
            name=name, value=None, limit=_limit(alarm), n=0, state="fails", reason=view.reason
        )
    ok = not status.reaches(view.status, alarm)
    reason = None
    if not ok or view.tally.status.uncertain:
        reason = f"{view.tally.words}: {view.tally.sentence}"
    return Check(
        name=name,
        value=view.status,
        limit=_limit(alarm),
        n=n,
        state="holds" if ok else "fails",
        reason=reason,
    )


def _limit(alarm: str) -> str:
    return "better than warning" if alarm == "warning" else "better than critical"
