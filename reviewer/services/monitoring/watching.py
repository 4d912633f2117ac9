"""Monitors that look by themselves: kept in the project, done by one window of a lead at once."""

from dataclasses import dataclass
from typing import Literal

from reviewer.domain.errors import CancelledError, Progress, ReviewerError
from reviewer.domain.monitoring import Monitor
from reviewer.services.computer import trust
from reviewer.services.monitoring import looking
from reviewer.services.monitoring.looking import Looked, Watch
from reviewer.services.project.session import Session, may_lead, require_lead
from reviewer.store import monitors, owners
from reviewer.store.monitors import Kept

Watches = dict[str, Watch]
Where = Literal["here", "elsewhere", "waits", "lead", "unconfirmed"]


@dataclass(frozen=True, slots=True)
class Watched:
    """A monitor that looks by itself.

    Attributes:
        since: When somebody began it, over restarts of the program.
        where: Who looks: this program, another one, or nobody as it `waits` to be begun here, for
            a `lead`, or is `unconfirmed` on this computer.
    """

    since: str
    where: Where


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one look came to: `looked`, or the sentence why there was none."""

    rubric: str
    looked: Looked | None = None
    problem: str = ""


def begin(session: Session, rubric: str) -> None:
    """Let a rubric's monitor look by itself whenever a lead has the project open on this computer.

    Raises:
        ReviewerError: The active labeler is no lead, or the project cannot be written.
    """
    require_lead(session, "watch production")
    kept = looking.ensured(session, rubric)
    trust.confirm_watch(session.project.path, rubric)
    monitors.watch(session.project, kept.key)


def end(session: Session, rubric: str) -> None:
    """Let a rubric's monitor look by itself no longer, in whichever window it does.

    Raises:
        ReviewerError: The active labeler is no lead, or the project cannot be written.
    """
    require_lead(session, "end a watch")
    kept = monitors.find(session.project, rubric)
    if kept is not None and kept.watched:
        monitors.unwatch(session.project, kept.key)


def standing(session: Session, rubric: str) -> Watched | None:
    """Tell since when a monitor looks by itself and who does so, None where it does not."""
    kept = monitors.find(session.project, rubric)
    if kept is None or kept.watched is None:
        return None
    return Watched(kept.watched, _where(session, kept))


def leave(session: Session) -> None:
    """Let another window look: this one closes the project or another labeler took the seat."""
    if not session.project.read_only:
        monitors.leave_watch(session.project)


def _where(session: Session, kept: Kept) -> Where:
    owner = kept.watcher
    if owner is not None and owner[0] == owners.owner_name():
        return "here"
    if owner is not None and owners.alive(*owner):
        return "elsewhere"
    if session.project.read_only or not may_lead(session):
        return "lead"
    return (
        "waits" if trust.may_watch(session.project.path, kept.settings.rubric) else "unconfirmed"
    )


def turn(session: Session, watches: Watches, progress: Progress) -> list[Outcome] | None:
    """Look with every monitor that is this process's; None where nothing is watched at all.

    Jobs that score samples are named in what a look came to, for the window to start.

    Args:
        session: the project, for a lead.
        watches: what is kept between two looks, by rubric.
        progress: stops it.

    Raises:
        CancelledError: The user stopped it.
        ReviewerError: The project cannot be written.
    """
    watched = [kept for kept in monitors.every(session.project) if kept.watched]
    if not watched:
        return None
    if not may_lead(session):
        leave(session)
        return []
    return [
        _look(session, watches, kept.settings, progress)
        for kept in watched
        if _where(session, kept) in ("here", "waits")
        and monitors.take_watch(session.project, kept)
    ]


def once(session: Session, watches: Watches, rubric: str, progress: Progress) -> list[Outcome]:
    """Look now; files count as whole that were the same a moment before.

    Raises:
        CancelledError: The user stopped it.
    """
    try:
        monitor = looking.ensured(session, rubric).settings
        watches[rubric] = Watch.of(monitor, works=False)
        looking.settle(session, watches[rubric])
    except ReviewerError as error:
        return [Outcome(rubric, problem=str(error))]
    return [_look(session, watches, monitor, progress)]


def again(session: Session, watches: Watches, rubric: str, progress: Progress) -> list[Outcome]:
    """Look after a job of the monitor has ended; what failed a moment ago is not begun anew.

    Raises:
        CancelledError: The user stopped it.
    """
    return [_look(session, watches, looking.settings_of(session, rubric), progress)]


def _look(session: Session, watches: Watches, monitor: Monitor, progress: Progress) -> Outcome:
    rubric = monitor.rubric
    if rubric not in watches or _folder(watches[rubric]) != monitor.folder:
        watches[rubric] = Watch.of(monitor, works=False)
    try:
        return Outcome(rubric, watches[rubric].look(session, rubric, progress))
    except CancelledError:
        raise
    except ReviewerError as error:
        return Outcome(rubric, problem=str(error))


def _folder(watch: Watch) -> str | None:
    return None if watch.folder is None else str(watch.folder.path)
