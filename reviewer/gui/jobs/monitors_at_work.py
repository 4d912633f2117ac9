"""Monitors that look by themselves while a project is open, on whichever page one is."""

import contextlib
from typing import Any

from PySide6.QtCore import QObject, Signal

from reviewer.domain.change import Change, MonitorsChanged
from reviewer.domain.errors import Progress, ReviewerError
from reviewer.domain.monitoring import DIED
from reviewer.gui.background import beside
from reviewer.gui.jobs.jobs_at_work import JobsAtWork
from reviewer.gui.kit.tasks import Tasks, soon
from reviewer.services.project.session import Session

LOOK = "monitor look"
FIRST_MS = 2_000
"""When the first look comes after a project was opened: the first page comes first."""
EVERY_MS = 5_000
STOPPED = "Production is not watched any more, as the monitor's job was {state}."


class MonitorsAtWork(QObject):
    """Looks every few seconds with what the project watches, and once where that is wished.

    What is to be judged or scored is a job in a process of its own, like every other.

    Attributes:
        problems: Why monitors cannot look or score now, by rubric; "" is none in particular.
        every_ms: Between two looks.

    Signals:
        looked: A look is done, with what it came to (`looking.Looked`).
        failed: The monitor of a rubric cannot look or score: rubric, sentence; told once for as
            long as it lasts.
        changed: A look began or ended.
    """

    looked = Signal(object)
    failed = Signal(str, str)
    changed = Signal()

    def __init__(self, tasks: Tasks, jobs: JobsAtWork) -> None:
        """Make it; nothing is watched."""
        super().__init__()
        self._tasks, self._at_work = tasks, jobs
        self._session: Session | None = None
        self._watches: dict[str, Any] = {}
        self._jobs: dict[int, str] = {}
        self._wishes: list[tuple[str, str]] = []
        self._ended: set[str] = set()
        self.problems: dict[str, str] = {}
        self.every_ms = EVERY_MS
        self._timer = soon(self, self._look)
        jobs.ended.connect(self._take_end)

    @property
    def looks(self) -> bool:
        """Tell whether a look is under way."""
        return LOOK in self._tasks.running()

    def owns(self, job: int) -> bool:
        """Tell whether a job scores samples of a monitor, which is told of here and not there."""
        return job in self._jobs

    def open(self, session: Session | None) -> None:
        """Look with what a project watches; None lets go of it."""
        if self._session is not None:
            self._timer.stop()
            # a look that still goes on is of another project than what it would be told to
            self._tasks.drop(LOOK)
            if self._watches:
                from reviewer.services.monitoring import watching

                with contextlib.suppress(ReviewerError):
                    watching.leave(self._session)
        self._session, self._watches = session, {}
        self._jobs.clear()
        self._wishes.clear()
        self._ended.clear()
        self.problems.clear()
        if session is not None and not session.project.read_only:
            session.subscribe(self._on_change)
            self._timer.start(FIRST_MS)

    def look_now(self, rubric: str) -> None:
        """Look once with the monitor of a rubric, as soon as a look under way is done."""
        self.problems.pop(rubric, None)
        self._ended.discard(rubric)
        self._wishes.append(("once", rubric))
        self._look()

    def watch(self, rubric: str) -> None:
        """Let the monitor of a rubric look by itself, from now on and after restarts.

        Raises:
            ReviewerError: The labeler is no lead, or the project cannot be written.
        """
        if self._session is not None:
            from reviewer.services.monitoring import watching

            watching.begin(self._session, rubric)
            self.look_now(rubric)

    def end(self, rubric: str) -> None:
        """Let the monitor of a rubric look by itself no longer; its job is paused.

        Raises:
            ReviewerError: The labeler is no lead, or the project cannot be written.
        """
        if self._session is None:
            return
        from reviewer.services.monitoring import watching

        watching.end(self._session, rubric)
        self.problems.pop(rubric, None)
        self._ended.add(rubric)
        self._tasks.cancel(LOOK)
        for job in [job for job, name in self._jobs.items() if name == rubric]:
            del self._jobs[job]
            self._at_work.pause(job)
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        # a watch may have been begun or ended in another window
        if isinstance(change, MonitorsChanged) and not self._timer.isActive():
            self._look_later()

    def _look(self) -> None:
        session, watches = self._session, self._watches
        if session is None:
            return
        if self.looks:
            self._look_later()
            return
        self._timer.stop()
        wish = self._wishes.pop(0) if self._wishes else None

        def work(own: Session, progress: Progress) -> object:
            # loaded here, as it takes a while
            from reviewer.services.monitoring import watching

            if wish is not None:
                look = watching.again if wish[0] == "again" else watching.once
                return look(own, watches, wish[1], progress)
            return watching.turn(own, watches, progress)

        task = self._tasks.run(
            LOOK,
            beside(session, work),
            then=self._take,
            failed=lambda sentence: self._fail("", sentence),
        )
        task.cancelled.connect(self._look_later)
        task.ended.connect(self._end)
        self.changed.emit()

    def _look_later(self) -> None:
        if self._session is not None and not self._session.project.read_only:
            self._timer.start(self.every_ms)

    def _end(self) -> None:
        self.changed.emit()
        if self._wishes:
            self._look()

    def _take(self, found: object) -> None:
        self.problems.pop("", None)
        if self._session is not None and isinstance(found, list):
            self._look_later()
            for outcome in found:
                self._take_one(outcome)

    def _take_one(self, outcome: Any) -> None:  # noqa: ANN401  # of a room that is loaded late
        session, looked = self._session, outcome.looked
        problem = outcome.problem if looked is None else looked.problem
        if problem:
            self._fail(outcome.rubric, problem)
        elif looked.job is None and not looked.at_work:
            self.problems.pop(outcome.rubric, None)
        if looked is None or session is None:
            return
        if looked.job is not None:
            self._begin(session, looked.job, outcome.rubric)
        self.looked.emit(looked)

    def _begin(self, session: Session, job: int, rubric: str) -> None:
        if rubric in self._ended:
            # the watch was ended while it looked
            from reviewer.services.jobs import job_list

            job_list.stop(session, job, "pause")
            return
        from reviewer.gui.jobs import job_lines

        self._jobs[job] = rubric

        self._at_work.start(job_lines.to_work(session, job))

    def _fail(self, rubric: str, sentence: str) -> None:
        self._look_later()
        if self.problems.get(rubric) != sentence:
            self.problems[rubric] = sentence
            self.failed.emit(rubric, sentence)

    def _take_end(self, job: int, _: str, state: str, sentence: str) -> None:
        rubric = self._jobs.get(job)
        if rubric is None or self._session is None:
            return
        if state in ("failed", "interrupted"):
            self._fail(rubric, DIED if state == "interrupted" else sentence)
        elif state == "cancelled" or sentence == "Paused.":
            from reviewer.services.monitoring import watching

            self._fail(rubric, STOPPED.format(state=state))
            with contextlib.suppress(ReviewerError):
                watching.end(self._session, rubric)
            return
        # take over what it came to
        self._wishes.append(("again", rubric))
        self._look()
