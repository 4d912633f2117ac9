"""Import one open file into a project: every row, then all of it at once."""

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviewer.domain.errors import CancelledError, Progress, ProjectError, ReviewerError, readable
from reviewer.domain.record import RECORD_KEYS, run_name
from reviewer.domain.rubric import Rubric
from reviewer.domain.wording import counted, fixed
from reviewer.formats.incoming import BadRow, Fields, LabelRow, Record, Refused, Source
from reviewer.formats.paths import fields_of
from reviewer.services.project.pictures import Attachments
from reviewer.services.transfer.admission import NAMED, Admission, Shares
from reviewer.services.transfer.file_plans import Opened
from reviewer.services.transfer.import_report import (
    STOPPED,
    ImportReport,
    RejectedRow,
    Rejections,
)
from reviewer.store import importing as stored
from reviewer.store.amending import Amender
from reviewer.store.loading import Loading
from reviewer.store.project import Project

REPORT_EVERY = 0.1
_KNOWN = frozenset(RECORD_KEYS)
BLOCK = 500
OTHER_VALUE = (
    "the same score (metric, scorer, version, turn and time) is there with another value, which "
    "was kept; replacing conflicts (--on-conflict) takes this one, or give it a time (at) of its "
    "own"
)
RubricOf = Callable[[str], Rubric]


@dataclass(frozen=True)
class Terms:
    """How a file comes in.

    Attributes:
        spells: Whether the `uid` of an entry is a part of the file.
        passing: Whether the project's file goes with an import that leaves nothing in it.
        own: Whether this program itself put the file there, and the attachments beside it.
    """

    spells: bool = True
    passing: bool = False
    own: bool = False


class FileImport:
    """One file on its way into a project."""

    def __init__(
        self,
        project: Project,
        opened: Opened,
        report: ImportReport,
        rejections: Rejections,
        terms: Terms,
    ) -> None:
        """Take a file that `file_plans.open_file` looked at.

        Args:
            project: Where the rows go.
            opened: The file.
            report: What counts and sentences are added to.
            rejections: Where rows that cannot be used are told.
            terms: How it comes in.
        """
        self._attachments = Attachments(opened.file.parent, own=terms.own)
        self._terms = terms
        self._project = project
        self._opened = opened
        self._report = report
        self._rejections = rejections
        self._name = opened.file.name
        self._runs: dict[str, tuple[int, Admission]] = {}
        self._before = dict(report.counts)
        mapping = opened.mapping
        self._naming = None if mapping is None else frozenset(fields_of(mapping.run or ""))
        self._beside: dict[str, None] = {}
        self.shares = Shares()
        self._number = 0

    def run(
        self,
        rubric_of: RubricOf,
        progress: Progress,
        *,
        run: str | None = None,
        selection: str | None = None,
        on_conflict: str = "skip",
    ) -> Loading:
        """Read every row into the project, still unseen; `finish` shows them.

        Raises:
            CancelledError: The user stopped it; what is left nobody sees, and it is swept later.
            ReviewerError: The file or the project cannot be read or written; nothing is left.
        """
        self._progress = progress
        self._default_run = run or run_name(self._name)
        self._selection = selection
        self._rubric_of = rubric_of
        self._loading = Loading.begin(
            self._project, self._opened.file, self._opened.sniffed.format, progress
        )
        self._loading.names.spells = self._terms.spells
        self._amender = Amender(self._loading, on_conflict)
        try:
            with self._opened.items(progress, whole=True) as (source, items):
                clock = _Clock(source, progress)
                waiting: list[tuple[int, LabelRow | BadRow]] = []
                for number, item in enumerate(items, start=1):
                    if not isinstance(item, Record):
                        waiting.append((number, item))
                    if waiting and (len(waiting) == BLOCK or isinstance(item, Record)):
                        self._labels(waiting)
                        waiting = []
                    if isinstance(item, Record):
                        self._number = number
                        self._record(item)
                    clock.tick()
                self._labels(waiting)
            self._loading.flush()
        except (CancelledError, KeyboardInterrupt):
            self._stop()
            raise
        except BaseException:
            if not self._terms.passing or stored.holds_anything(self._project):
                self.abandon()
            raise
        return self._loading

    def finish(self, labeler: str | None) -> None:
        """Show the whole file's rows at once."""
        loading, after = self._loading, self._report.counts
        counts = {name: after[name] - self._before[name] for name in after}
        try:
            loading.finish(counts, f"import of {self._name}", labeler)
        except BaseException:
            self.abandon()
            raise
        self._report.imports.append(loading.number)
        for name, (_, admission) in self._runs.items():
            told = admission.rescaling.sentences
            self._report.sentences += [f"{self._name}, run {name}: {x}" for x in told]
        if self._attachments.sentence:
            self._report.sentences.append(f"{self._name} {self._attachments.sentence}.")
        if self._beside:
            names = list(self._beside)
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            self._report.sentences.append(
                f"{self._name}: {counted(len(names), 'field')} kept beside, used by nothing here: "
                f"{', '.join(names[:NAMED])}{more}."
            )

    def _stop(self) -> None:
        """End at once: row by row it would take as long to go as it came."""
        self._amender.close()
        with contextlib.suppress(ProjectError):
            self._loading.stop()

    def abandon(self) -> None:
        """Leave nothing of the file."""
        # a full disk may not even let us clean up; what is left is invisible and swept later
        self._amender.close()
        with contextlib.suppress(ProjectError, CancelledError):
            self._loading.abandon(self._progress)

    def _record(self, item: Record) -> None:
        report, fields = self._report, item.fields
        report.read += 1
        name = fields.pop("run", None) or self._default_run
        run, admission = self._runs.get(name) or self._open_run(name)
        refused = item.refused
        admission.record(fields, refused)
        self._see_unused(fields)
        key = self._loading.find(run, fields["id"])
        if key is None:
            self._loading.add(run, fields, self._pictures(item))
            report.added += 1
            report.scores += len(fields.get("scores") or ())
            report.labels += len(fields.get("labels") or ())
        else:
            self._amend(key, name, fields, item)
        if refused:
            self._refuse(item.line, refused)

    def _see_unused(self, fields: Fields) -> None:
        """Remember what a record brings that nothing here uses."""
        if self._naming is not None:
            for key, value in (fields.get("meta") or {}).items():
                if key in self._naming:
                    continue
                if isinstance(value, dict) and value:
                    self._beside |= dict.fromkeys(f"{key}.{x}" for x in value)
                else:
                    self._beside[key] = None
        elif not fields.keys() <= _KNOWN:
            self._beside |= dict.fromkeys(key for key in fields if key not in _KNOWN)

    def _pictures(self, item: Record) -> Sequence[tuple[str, bytes]]:
        """Read what a record's turns refer to; what cannot be read is refused."""
        fields = item.fields
        if "messages" not in fields and "candidates" not in fields:
            return ()
        return self._attachments.collect(fields, item.refused)

    def _amend(self, key: int, run: str, fields: Fields, item: Record) -> None:
        report = self._report
        amended = self._amender.record(key, run, fields, lambda: self._pictures(item))
        if amended.outcome == "conflict":
            report.conflicts += 1
            self._tell_conflict(run, fields, item.line, amended.kept_out)
        elif amended.outcome == "unchanged":
            report.unchanged += 1
        else:
            report.updated += 1
        report.scores += amended.scores
        report.labels += amended.labels

    def _tell_conflict(
        self, run: str, fields: Fields, line: int, kept_out: Sequence[Fields]
    ) -> None:
        notes = [
            (f"scores[{fields['scores'].index(one)}].value", one.get("value"), OTHER_VALUE)
            for one in kept_out
        ] or [
            (
                "id",
                fields["id"],
                f"run {run!r} has {fields['id']!r} with other content; it was skipped "
                "(replacing conflicts or keeping both as versions, --on-conflict, takes it)",
            )
        ]
        for field, value, reason in notes:
            row = self._note(line, field, value, reason)
            if len(self._report.first_conflicts) < NAMED:
                self._report.first_conflicts.append(row)

    def _labels(self, items: Sequence[tuple[int, LabelRow | BadRow]]) -> None:
        """Take in labels that came without their evaluations, and rows that cannot be used."""
        wanted: dict[str | None, set[str]] = defaultdict(set)
        for _, item in items:
            if isinstance(item, LabelRow):
                wanted[item.fields.get("run")].add(item.fields["id"])
        if wanted and self._loading.has_unwritten:
            self._loading.flush()
        found = {run: stored.find(self._project, run, ids) for run, ids in wanted.items()}
        self._amender.prepare(
            {key for ids in found.values() for one in ids.values() for key, _ in one}
        )
        for self._number, item in items:
            if isinstance(item, BadRow):
                self._reject(item.line, item.field, item.value, item.reason)
            else:
                name = item.fields.pop("run", None)
                identity = item.fields.pop("id")
                self._label(item, name, identity, found[name].get(identity, []))

    def _label(
        self, item: LabelRow, name: str | None, identity: str, found: Sequence[tuple[int, str]]
    ) -> None:
        report, fields = self._report, item.fields
        if len(found) != 1:
            self._reject(item.line, "id", identity, _not_one(name, identity, len(found)))
            return
        key, run = found[0]
        _, admission = self._runs.get(run) or self._open_run(run)
        problem = admission.label_alone(fields)
        if problem is not None:
            self._reject(item.line, problem[0], fields.get(problem[0]), problem[1])
            return
        report.read += 1
        amended = self._amender.label(key, (run, identity), fields)
        report.labels += amended.labels
        report.updated += amended.outcome == "updated"
        report.unchanged += amended.outcome == "unchanged"
        if item.refused:
            self._refuse(item.line, item.refused)

    def _open_run(self, name: str) -> tuple[int, Admission]:
        rubric = self._rubric_of(name)
        key = self._loading.run(name, rubric.name, self._name)
        opened = self._runs[name] = (key, Admission(rubric, self._selection, self.shares))
        if name not in self._report.runs:
            self._report.runs.append(name)
        self._report.rubric = self._report.rubric or rubric.name
        return opened

    def _reject(self, line: int, field: str, value: object, reason: str) -> None:
        self._report.read += 1
        self._report.rejected += 1
        self._note(line, field, value, reason)

    def _refuse(self, line: int, refused: list[Refused]) -> None:
        self._report.rejected_values += len(refused)
        for item in refused:
            self._note(line, item.field, item.value, item.reason)

    def _note(self, line: int, field: str, value: object, reason: str) -> RejectedRow:
        record = self._opened.record_number(self._number)
        row = RejectedRow(self._name, line, field, value, readable(reason), record)
        self._rejections.add(row)
        return row


def _not_one(run: str | None, identity: str, count: int) -> str:
    if count:
        return f"{count} runs have an evaluation {identity!r}; name the run"
    where = f"the run {run!r} has" if run else "there is"
    return f"{where} no evaluation {identity!r}; import the evaluations first"


class _Clock:
    """Report how far an import is, how fast it goes and how long it will take."""

    def __init__(self, source: Source, progress: Progress) -> None:
        self._source = source
        self._progress = progress
        self._count = 0
        self._started = time.monotonic()
        self._next = 0.0

    def tick(self) -> None:
        self._count += 1
        if self._count % 16 and self._next:
            return
        if self._progress.cancelled:
            raise CancelledError(STOPPED)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + REPORT_EVERY
            done, total = self._source.position(), self._source.size
            self._progress.advance(done, total, self._note(now - self._started, done, total))

    def _note(self, seconds: float, done: int, total: int) -> str:
        rows = counted(self._count, "row")
        if seconds < 0.5 or not done:
            return rows
        left = seconds * (total - done) / done
        return f"{rows}, {fixed(self._count / seconds, 0)} a second, {_time(left)} left"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{fixed(max(seconds, 1), 0)} s"
    return f"{fixed(seconds / 60, 0)} min"


__all__ = ["FileImport", "ReviewerError"]
