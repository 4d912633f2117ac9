"""One look of a monitor: take new files, sample new records, score them, tell the status."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from reviewer.domain.errors import (
    CancelledError,
    FormatError,
    Progress,
    ReviewerError,
    RubricError,
    refusal,
)
from reviewer.domain.judging import Job
from reviewer.domain.monitoring import DEFAULT_RUBRIC, EVERY_RUN, Monitor
from reviewer.domain.wording import counted
from reviewer.services.jobs import running
from reviewer.services.jobs.control import Control
from reviewer.services.monitoring import sampled_runs, scoring, view
from reviewer.services.monitoring.scoring import Scored
from reviewer.services.monitoring.view import View
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import monitors
from reviewer.store.monitors import FileRow, FileState, Kept
from reviewer.store.project import Project

UNFINISHED: Final = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", ".swp", "~")
"""Endings of files that somebody is still writing."""
OURS: Final = (
    ".mapping.toml", ".rejected.jsonl", ".review", ".review-wal", ".review-shm",
    ".review-journal", ".lock",
)  # fmt: skip
"""Endings of files that this program writes."""
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Sign:
    """What changes when somebody writes to a file: size, time and the file itself."""

    size: int
    changed: int
    inode: int


@dataclass(slots=True)
class Folder:
    """A watched folder between two looks; nothing in it is moved, changed or removed.

    A file is whole when two looks in a row find it the same. Times are compared with each other
    only, never with a clock, so that a clock that is set does no harm.
    """

    path: Path
    _seen: dict[str, Sign] = field(default_factory=dict)

    def whole(self, known: dict[str, FileRow]) -> list[tuple[Path, Sign]]:
        """Give the files that are whole and were not dealt with as they are, oldest first.

        Args:
            known: what became of files earlier, by name.

        Raises:
            ReviewerError: The folder is not there or cannot be read.
        """
        present = self._look()
        whole = [
            (self.path / name, sign)
            for name, sign in present.items()
            if self._seen.get(name) == sign and not _is_done(known.get(name), sign)
        ]
        self._seen = present
        return sorted(whole, key=lambda found: (found[1].changed, found[0].name))

    def waiting(self, known: dict[str, FileRow]) -> int:
        """Count the files that are not dealt with as the last look found them."""
        return sum(not _is_done(known.get(name), sign) for name, sign in self._seen.items())

    def _look(self) -> dict[str, Sign]:
        try:
            found = {file.name: _sign(file) for file in self.path.iterdir() if _counts(file)}
        except OSError as error:
            reason = refusal(error)
            raise ReviewerError(
                f"The watched folder {self.path} cannot be read: {reason}."
            ) from error
        return {name: sign for name, sign in found.items() if sign is not None and sign.size}


def _counts(file: Path) -> bool:
    name = file.name.lower()
    return not name.startswith(".") and not name.endswith((*UNFINISHED, *OURS))


def _sign(file: Path) -> Sign | None:
    try:
        if not file.is_file():
            return None
        found = file.stat()
    except OSError:
        # it was renamed or removed since the folder was listed
        return None
    return Sign(found.st_size, found.st_mtime_ns, found.st_ino)


def _is_done(row: FileRow | None, sign: Sign) -> bool:
    return row is not None and (row.size, row.changed) == (sign.size, sign.changed)


def content_hash(file: Path) -> str:
    """Give the SHA-256 of a file's content.

    Raises:
        OSError: It cannot be read.
    """
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Fed:
    """What one look at a folder brought.

    Attributes:
        files: Files that were imported.
        records: New evaluations in them.
        waiting: Files that are there and were not dealt with, such as one still being written.
        sentences: What happened to each file.
    """

    files: int = 0
    records: int = 0
    waiting: int = 0
    sentences: tuple[str, ...] = ()


def feed(project: Project, monitor: Monitor, folder: Folder, progress: Progress) -> Fed:
    """Import every whole file that was not imported before.

    A file that cannot be imported is left until it changes; what the disk or another program
    prevents is tried again at the next look. A process that is killed meanwhile takes the same
    file again, and finds its records there.

    Raises:
        ReviewerError: The folder cannot be read, or the project cannot be written.
        CancelledError: The user stopped it.
    """
    known = monitors.files(project, str(folder.path))
    files = records = 0
    sentences: list[str] = []
    for file, sign in folder.whole(known):
        if progress.cancelled:
            raise CancelledError("Stopped.")
        found = _take(project, monitor, (file, sign), progress)
        if found is None:
            continue
        row, added = found
        known[file.name] = row
        monitors.keep_file(project, row)
        files += row.state == "imported"
        records += added
        sentences.append(row.sentence or "")
    return Fed(files, records, folder.waiting(known), tuple(sentences))


def _take(
    project: Project, monitor: Monitor, found: tuple[Path, Sign], progress: Progress
) -> tuple[FileRow, int] | None:
    file, sign = found
    try:
        sha256 = content_hash(file)
    except OSError:
        # it went away, or may not be read yet
        return None
    twin = monitors.file_with(project, sha256)
    if twin is not None:
        where = "" if twin.name == file.name else f" as {twin.name}"
        return _row(found, sha256, "same", f"{file.name}: imported before{where}."), 0
    request = ImportRequest(files=(file,), rubric=monitor.rubric, allow_refused=True)
    try:
        report = importing.run(project, request, progress)
    except (FormatError, RubricError) as error:
        return _row(found, sha256, "failed", str(error)), 0
    if _moved(file, sign):
        # somebody wrote while it was read: the next look takes it as it is then
        return None
    said = f"{file.name}: {counted(report.added, 'new record')}"
    if report.rejected or report.rejected_values:
        said += f", {report.refused_words} refused"
    if report.conflicts:
        said += f", {counted(report.conflicts, 'record')} known with other content"
    return _row(found, sha256, "imported", f"{said}."), report.added


def _moved(file: Path, sign: Sign) -> bool:
    try:
        now = file.stat()
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns) != (sign.size, sign.changed)


def _row(found: tuple[Path, Sign], sha256: str, state: FileState, sentence: str) -> FileRow:
    file, sign = found
    return FileRow(
        folder=str(file.parent),
        name=file.name,
        size=sign.size,
        changed=sign.changed,
        sha256=sha256,
        state=state,
        sentence=sentence,
    )


SETTLE_SECONDS: Final = 1.0
"""Between two looks at a file before it counts as whole."""
EVERY_SECONDS: Final = 5.0
"""Between two looks while a folder is watched."""
RETRY_SECONDS: Final = 60.0
"""Before a judge that could not be asked is asked again."""
BUSY: Final = "Another window or program looks with this monitor now; it tells the status."


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look came to.

    Attributes:
        sampled: New samples.
        job: The job that is to be worked on now, by who looks; None where there is none.
        problem: What could not be done and is tried again, empty where all was; it stands until
            a try has worked.
        change: The sentence about another status than was told last, empty where it is the same.
        at_work: Whether an earlier job is still at work, which may yet tell of a problem.
    """

    view: View
    fed: Fed
    sampled: int = 0
    job: int | None = None
    problem: str = ""
    change: str = ""
    at_work: bool = False


@dataclass(slots=True)
class Watch:
    """A monitor between its looks.

    Attributes:
        folder: None where records come by `reviewer import`.
        works: Whether a look works on the jobs that score; else it names them.
    """

    folder: Folder | None = None
    works: bool = True
    _retry_at: float = field(default=0.0)
    _tried: Monitor | None = field(default=None)
    _problem: str = field(default="")
    _last: View | None = field(default=None)
    _last_at: float = field(default=0.0)

    @classmethod
    def of(cls, monitor: Monitor, *, works: bool = True) -> "Watch":
        """Begin to watch the folder of a monitor, where it has one."""
        return cls(Folder(Path(monitor.folder)) if monitor.folder else None, works=works)

    def look(self, session: Session, rubric: str, progress: Progress) -> Looked:
        """Look once.

        Raises:
            ReviewerError: The folder or the judge is not there, another process looks, or the
                project cannot be written. What was done until then is kept.
            CancelledError: The user stopped it.
        """
        kept = kept_of(session, rubric)
        project = session.project
        if not monitors.claim(project, kept.key):
            raise ReviewerError(BUSY)
        try:
            return self._look(session, kept, progress)
        finally:
            monitors.let_go(project, kept.key)

    def _look(self, session: Session, kept: Kept, progress: Progress) -> Looked:
        project, fed, problem = session.project, Fed(), ""
        if self.folder is not None:
            try:
                fed = feed(project, kept.settings, self.folder, progress)
            except CancelledError:
                raise
            except ReviewerError as error:
                problem = str(error)
        new = _draw(session, kept, progress)
        scored = self._score_in_time(session, kept, progress)
        problem = scored.problem or problem
        if new or fed.files or problem or self._is_old(kept):
            self._last = view.of(session, kept_of(session, kept.settings.rubric))
            self._last_at = time.monotonic()
        found = self._last or view.of(session, kept)
        return Looked(
            found, fed, new, scored.job, problem, _change(session, kept, found), scored.at_work
        )

    def _is_old(self, kept: Kept) -> bool:
        """Tell whether the last view may be wrong by now, though this look brought nothing new."""
        last = self._last
        return (
            last is None
            or last.monitor != kept.settings
            or last.waiting > 0
            or time.monotonic() - self._last_at > RETRY_SECONDS
        )

    def _score_in_time(self, session: Session, kept: Kept, progress: Progress) -> Scored:
        """Score, or wait a while after it could not be done with the same settings."""
        if kept.settings == self._tried and time.monotonic() < self._retry_at:
            return Scored(problem=self._problem)
        found = self._score(session, kept, progress)
        self._tried = kept.settings
        self._retry_at = time.monotonic() + RETRY_SECONDS if found.problem else 0.0
        if found.job is None and not found.at_work:
            self._problem = found.problem
        return replace(found, problem=self._problem)

    def _score(self, session: Session, kept: Kept, progress: Progress) -> Scored:
        if not monitors.any_open(session.project, kept.key, kept.settings.judge or ""):
            return Scored()
        samples, _ = view.drawn(session, kept)
        if not samples:
            return Scored()

        def work(job: int) -> Job | None:
            if not self.works:
                return None
            done = running.run(session.project.path, job, progress, Control())
            if progress.cancelled:
                raise CancelledError("Stopped; what was scored until then is kept.")
            return done

        try:
            return scoring.score(session, kept, samples, work)
        except CancelledError:
            raise
        except ReviewerError as error:
            return Scored(problem=str(error))


def settle(session: Session, watch: Watch, wait: Callable[[float], None] = time.sleep) -> None:
    """Look at the folder a first time and wait, so that the next look knows which files are whole.

    Raises:
        ReviewerError: The folder is not there or cannot be read.
    """
    if watch.folder is None:
        return
    known = monitors.files(session.project, str(watch.folder.path))
    watch.folder.whole(known)
    if watch.folder.waiting(known):
        wait(SETTLE_SECONDS)


def keep(session: Session, monitor: Monitor) -> Monitor:
    """Keep a monitor's settings; a watched folder is kept as an absolute path.

    Raises:
        ReviewerError: A setting makes no sense, or the rubric or folder is not there.
    """
    monitor.check()
    names = rubrics.names(session.project)
    if monitor.rubric not in names and monitor.rubric not in rubrics.shipped():
        there = ", ".join(dict.fromkeys((*names, *rubrics.shipped())))
        raise ReviewerError(f"There is no rubric {monitor.rubric!r}; there are: {there}.")
    if monitor.folder is not None:
        folder = Path(monitor.folder).expanduser().absolute()
        if not folder.is_dir():
            raise ReviewerError(f"There is no folder {folder}; make it, or watch another one.")
        monitor = replace(monitor, folder=str(folder))
    _check_runs(session, monitor)
    return monitors.keep(session.project, monitor).settings


def _check_runs(session: Session, monitor: Monitor) -> None:
    """Hold runs that are named anew to those of the rubric; others may be gone by now."""
    before = monitors.find(session.project, monitor.rubric)
    kept = EVERY_RUN if before is None else (*EVERY_RUN, *before.settings.runs)
    there = sampled_runs.of_monitor(session, replace(monitor, runs=EVERY_RUN)).runs
    for name in monitor.runs:
        if name not in (*kept, *there):
            raise ReviewerError(
                f"There is no run {name!r} with the rubric {monitor.rubric}; there are: "
                f"{', '.join(there) or 'none'}."
            )


def ensured(session: Session, rubric: str) -> Kept:
    """Give the monitor of a rubric; where it has none, one with the settings that ship is kept.

    Raises:
        ReviewerError: There is no such rubric, or the project cannot be written.
    """
    if monitors.find(session.project, rubric) is None:
        keep(session, Monitor(rubric=rubric))
    return kept_of(session, rubric)


def settings_of(session: Session, rubric: str | None = None) -> Monitor:
    """Give the settings of a rubric's monitor, those that ship where there is none yet.

    Without a rubric: the agent rubric's, or the newest run's where the project has no such run.
    """
    name = rubric or default_rubric(session)
    kept = monitors.find(session.project, name)
    return Monitor(rubric=name) if kept is None else kept.settings


def default_rubric(session: Session) -> str:
    """Give the rubric that is monitored where none is named."""
    known = {kept.settings.rubric for kept in monitors.every(session.project)}
    used = [session.rubric_of_run(key).name for key in session.run_keys()]
    if DEFAULT_RUBRIC in known or DEFAULT_RUBRIC in used or not used:
        return DEFAULT_RUBRIC
    return used[-1]


def shown(session: Session, rubric: str, *, every: bool = False) -> View | None:
    """Give what a monitor shows now, None where the rubric has none; `every` reads all texts."""
    kept = monitors.find(session.project, rubric)
    return None if kept is None else view.of(session, kept, every=every)


def all_shown(session: Session) -> tuple[View, ...]:
    """Give what every monitor of the project shows now."""
    return tuple(view.of(session, kept) for kept in monitors.every(session.project))


def kept_of(session: Session, rubric: str) -> Kept:
    """Give the monitor of a rubric as the project keeps it.

    Raises:
        ReviewerError: There is none.
    """
    kept = monitors.find(session.project, rubric)
    if kept is None:
        raise ReviewerError(f"The project has no monitor for the rubric {rubric!r}.")
    return kept


def _draw(session: Session, kept: Kept, progress: Progress) -> int:
    """Sample what came since the last look, or everything where rate or seed are others."""
    monitor = kept.settings
    sampled = sampled_runs.of_monitor(session, monitor)
    drawn = f"{monitor.rate!r} {monitor.seed} {sampled.signature}".rstrip()
    last, rows = monitors.candidates(
        session.project, sampled.runs, kept.seen if kept.drawn == drawn else 0
    )
    if last == kept.seen and kept.drawn == drawn:
        return 0
    chosen = []
    for count, (key, run, name) in enumerate(rows):
        if count % 10_000 == 0 and progress.cancelled:
            raise CancelledError("Stopped.")
        if view.is_sampled(view.identity_of(run, name), rate=monitor.rate, seed=monitor.seed):
            chosen.append(key)
    return monitors.note_looked(session.project, kept.key, chosen, seen=last, drawn=drawn)


def _change(session: Session, kept: Kept, found: View) -> str:
    before = monitors.change_status(session.project, kept.key, found.status)
    if before is None:
        return ""
    mixed = f" {' '.join(found.stale)} The change may be theirs." if found.stale else ""
    return (
        f"Monitor of {kept.settings.rubric}: {before.replace('_', ' ')} → {found.tally.words}, "
        f"{found.tally.sentence}.{mixed}"
    )
