"""Import files of evaluations and labels into a project: look first, then run, or take back."""

import contextlib
import shlex
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from reviewer.domain.errors import (
    FormatError,
    LabelError,
    Progress,
    RubricError,
    Silent,
)
from reviewer.domain.rubric import Rubric
from reviewer.formats.incoming import Fields
from reviewer.formats.streams import heeding
from reviewer.services.project import backups, naming, rubrics
from reviewer.services.transfer import carry_offers
from reviewer.services.transfer.admission import RefusedShare
from reviewer.services.transfer.asking import (
    RefusedError,
    UnansweredError,
    keep_beside,
    refused_words,
    write_proposal,
)
from reviewer.services.transfer.file_plans import FilePlan, Opened, open_file, plan
from reviewer.services.transfer.import_files import FileImport, Terms
from reviewer.services.transfer.import_report import (
    STOPPED,
    ImportReport,
    RejectedRow,
    Rejections,
)
from reviewer.services.transfer.rubric_proposals import (
    fitting_rubrics,
    proposal_sentence,
    proposed_rubric,
    recognised,
    rubric_name,
    shipped_alike,
    unfit,
)
from reviewer.store import connecting, labelers, sweeping
from reviewer.store import importing as stored
from reviewer.store import rubrics as stored_rubrics
from reviewer.store.project import Project

PREVIEW = 50


OnConflict = Literal["skip", "replace", "version"]
Selection = Literal["random", "stratum", "unknown"]


@dataclass(frozen=True)
class ImportRequest:
    """What to import and how; everything but the files has a default.

    Attributes:
        files: The files, each imported whole or not at all.
        format: A format's name from the registry, None to recognise it.
        run: The run's name where a record names none; None for the file's name.
        rubric: A shipped rubric's name, one of the project's, a TOML file or a rubric itself.
        mapping: A mapping file, or a mapping as proposed and edited.
        on_conflict: What to do with a record whose `run` and `id` exist with other content.
        selection: How the labelled evaluations were chosen, where the labels do not say.
        dry_run: Count everything and store nothing.
        rejected: Where rejected rows are written; None for a file beside the project.
        strict: Store nothing where a single row or value is rejected.
        labeler: Who imports, so that they can undo it in the window.
        maker: Who leads the project where this makes it; None where nobody has said their name.
        answers: What names and values of columns do not tell, such as `x_pred=judge`.
        allow_refused: Store the rest where more than a few values of a metric are refused.
        write_mapping: Where a proposed mapping is written to, for a person to correct.
        command: What imports them on the command line, for advice that can be pasted; made where
            it is empty.
        spells: Whether the `uid` of an entry is a part of the file, which an export writes again.
        own: Whether this program itself put the files there, and the attachments beside them.
    """

    files: tuple[Path, ...]
    format: str | None = None
    run: str | None = None
    rubric: str | Path | Rubric | None = None
    mapping: Path | BaseModel | None = None
    on_conflict: OnConflict = "skip"
    selection: Selection | None = None
    dry_run: bool = False
    rejected: Path | None = None
    strict: bool = False
    labeler: str | None = None
    maker: str | None = None
    answers: tuple[str, ...] = ()
    allow_refused: bool = False
    write_mapping: Path | None = None
    command: str = ""
    spells: bool = True
    own: bool = False


@dataclass(frozen=True)
class ImportPlan:
    """What an import would do, for the window to show first.

    Attributes:
        files: One plan a file.
        rubric: The rubric that would be used.
        proposed: True where the rubric is made from the first rows (the import itself reads all).
        fitting: Shipped rubrics whose metrics hold all of the files' metrics.
        metrics: What the first rows have scores or labels of.
        sentences: What the user should know.
        first: The scores and labels of the first rows, a record an entry.
    """

    files: tuple[FilePlan, ...]
    rubric: Rubric | None = None
    proposed: bool = False
    fitting: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    first: tuple[Fields, ...] = ()

    def unfit(self, rubric: Rubric) -> tuple[RefusedShare, ...]:
        """Tell of which of its metrics a rubric would refuse values in the first rows."""
        return unfit(rubric, self.first)

    def request(self) -> ImportRequest:
        """Give the request that carries this plan out; change it with `dataclasses.replace`."""
        only = self.files[0] if len(self.files) == 1 else None
        return ImportRequest(
            files=tuple(plan.file for plan in self.files),
            format=only.format if only else None,
            mapping=only.mapping if only else None,
            rubric=None if self.proposed else self.rubric,
        )


def inspect(
    files: Sequence[Path],
    *,
    project: Path | None = None,
    mapping: Path | BaseModel | None = None,
    format_name: str | None = None,
    answers: Sequence[str] = (),
    progress: Progress | None = None,
) -> ImportPlan:
    """Look at files before importing them: the first rows of each, nothing is stored.

    Raises:
        FormatError: A file is empty, binary, damaged or of no known format.
        CancelledError: Nobody waits for it any more.
    """
    progress = progress or Silent()
    with heeding(progress, STOPPED):
        return _inspected(files, project, mapping, format_name, answers, progress)


def _inspected(
    files: Sequence[Path],
    project: Path | None,
    mapping: Path | BaseModel | None,
    format_name: str | None,
    answers: Sequence[str],
    progress: Progress,
) -> ImportPlan:
    own: Rubric | None = None
    if project is not None and project.is_file():
        with Project.open(project) as existing:
            known = rubrics.names(existing)
            own = rubrics.current(existing, known[0]) if known else None
    opened = [open_file(file, mapping, format_name, own, answers, progress) for file in files]
    sentences = [sentence for one in opened for sentence in one.sniffed.sentences]
    own = own or recognised(opened)
    plans = tuple(plan(one, progress) for one in opened)
    proposed: Rubric | None = None
    first: list[Fields] = []
    # rows that cannot be used are told with the first ones
    with contextlib.suppress(RubricError, FormatError):
        name = rubric_name(opened[0], project)
        proposed = proposed_rubric(opened, name, progress, PREVIEW, first)
    # an open question may be just about where the scores are, and rows without use say it all
    is_told = any(x.questions for x in plans) or not any(x.rows for x in plans)
    if own is None and proposed is None and not is_told:
        sentences.append(f"{rubrics.NOTHING_TO_PROPOSE}.")
    sentences += [f"{x.file.name} {x.attachments}." for x in plans if x.attachments]
    return ImportPlan(
        files=plans,
        rubric=own or proposed,
        proposed=own is None and proposed is not None,
        fitting=fitting_rubrics(proposed) if proposed else (),
        metrics=tuple(proposed.by_name) if proposed else (),
        sentences=tuple(sentences),
        first=tuple(first),
    )


def run(project: Path | Project, request: ImportRequest, progress: Progress) -> ImportReport:
    """Import files; a project that does not exist is made.

    Each file is stored whole or not at all; people may go on labelling meanwhile.

    Raises:
        FormatError: A file cannot be read, or nothing in it can be imported.
        UnansweredError: What its columns mean has to be said first.
        RefusedError: More than a few values of a metric would be refused.
        ProjectError: The disk is full or read-only, or another import is running.
        CancelledError: The user stopped it; nobody sees anything of the current file, and what is
            left of it in the project is removed later (`tidy`).
    """
    with heeding(progress, STOPPED):
        return _heeded(project, request, progress)


def _heeded(project: Path | Project, request: ImportRequest, progress: Progress) -> ImportReport:
    path = project if isinstance(project, Path) else project.path
    request = replace(request, command=request.command or _command(path, request))
    if request.dry_run:
        return _dry_run(path, request, progress)
    if request.strict and len(request.files) > 1:
        rehearsed = _dry_run(path, request, progress)
        if rehearsed.rejected or rehearsed.rejected_values:
            return rehearsed
    return _stored(project, request, progress)


def _stored(project: Path | Project, request: ImportRequest, progress: Progress) -> ImportReport:
    """Import into a project, or in a dry run into its copy, which writes nothing beside it."""
    path = project if isinstance(project, Path) else project.path
    started = time.monotonic()
    fresh = isinstance(project, Path) and _is_new(project)
    report = ImportReport()
    beside = None if request.dry_run else request.rejected or _beside(path, "rejected.jsonl")
    rejections = Rejections(beside, report)
    try:
        with _opened(project, request.maker) as target:
            if target.warning and isinstance(project, Path):
                report.sentences.append(target.warning)
            _Run(target, request, report, rejections, passing=fresh).all_files(progress)
    finally:
        rejections.close()
    report.seconds = time.monotonic() - started
    return report


def tidy(project: Path | Project, progress: Progress) -> None:
    """Remove what stopped and undone imports left, a little at a time beside whatever people do.

    Nothing is removed while an import is at work.

    Raises:
        ProjectError: The file cannot be written.
        CancelledError: There is no more time; what is left stays unseen.
    """
    if isinstance(project, Path):
        with Project.open(project) as opened:
            tidy(opened, progress)
    elif not project.read_only:
        sweeping.tidy(project, progress)


def _command(project: Path, request: ImportRequest) -> str:
    words = [str(file.absolute()) for file in (project, *request.files)]
    return " ".join(["reviewer import", *map(shlex.quote, words)])


def _beside(project: Path, suffix: str) -> Path:
    return project.with_name(f"{project.stem}.{suffix}")


@contextlib.contextmanager
def _opened(project: Path | Project, maker: str | None) -> Iterator[Project]:
    """Open the project of a path, made where absent and removed again where the import fails."""
    if isinstance(project, Project):
        yield project
        return
    fresh = _is_new(project)
    target = Project.create(project) if fresh else Project.open(project)
    try:
        yield target
        if fresh and maker is not None:
            with contextlib.suppress(LabelError), target.write() as conn:
                name = naming.taken(maker, (person.name for person in labelers.every(conn)))
                labelers.ensure(conn, name)
    except BaseException:
        if not fresh or stored.holds_anything(target):
            target.close()
        else:
            stored.remove_file(target)
        raise
    target.close()


def _is_new(path: Path) -> bool:
    """Tell whether a project is to be made; an emptied one with backups is to be repaired."""
    if not path.exists():
        return True
    return connecting.is_blank(path) and backups.newest_whole(path) is None


def _dry_run(path: Path, request: ImportRequest, progress: Progress) -> ImportReport:
    """Import into a copy that nobody keeps, so that every count is exact."""
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        copy = Path(folder) / path.name
        if path.is_file():
            with Project.open(path) as existing:
                backups.make(existing, copy)
        report = _stored(copy, replace(request, strict=False), progress)
    report.stored = False
    report.imports = []
    return report


class _Run:
    """All files of one request."""

    def __init__(
        self,
        project: Project,
        request: ImportRequest,
        report: ImportReport,
        rejections: Rejections,
        *,
        passing: bool,
    ) -> None:
        self._project = project
        self._passing = passing
        self._request = request
        self._report = report
        self._rejections = rejections
        self._default: Rubric | None = None

    def all_files(self, progress: Progress) -> None:
        request = self._request
        rubric = self._known_rubric()
        opened = [
            open_file(file, request.mapping, request.format, rubric, request.answers, progress)
            for file in request.files
        ]
        for one in opened:
            self._settle_mapping(one)
        self._choose_rubric(opened, progress)
        try:
            for one in opened:
                self._one(one, progress)
            if self._report.added and self._report.stored:
                for run in self._report.runs:
                    found = carry_offers.offers(self._project, run)
                    self._report.sentences += [carry_offers.sentence(one, run) for one in found]
        finally:
            if self._default is not None:
                stored_rubrics.drop_unused(self._project, self._default.name)

    def _one(self, opened: Opened, progress: Progress) -> None:
        report, request = self._report, self._request
        before = report.counts
        terms = Terms(spells=request.spells, passing=self._passing, own=request.own)
        file = FileImport(self._project, opened, report, self._rejections, terms)
        file.run(self._rubric_of, progress, run=request.run, selection=request.selection,
                 on_conflict=request.on_conflict)  # fmt: skip
        rejected = report.rejected + report.rejected_values
        taken = report.read - before["read"] - (report.rejected - before["rejected"])
        if not taken:
            file.abandon()
            raise FormatError(self._nothing(opened.file.name))
        if request.strict and rejected:
            file.abandon()
            report.stored = False
            report.sentences.append(
                f"Nothing was stored (--strict): {report.refused_words} would be refused."
            )
            return
        refused = file.shares.too_large
        if refused and not request.allow_refused:
            if not request.dry_run:
                file.abandon()
                raise RefusedError(opened.file.name, refused, self._first())
            report.sentences.append(
                f"{refused_words(opened.file.name, refused)}\nThe import will ask for "
                "--allow-refused."
            )
        file.finish(request.labeler)

    def _nothing(self, name: str) -> str:
        return f"Nothing in {name} can be imported. {self._first()}"

    def _first(self) -> str:
        first = self._report.first_rejected[0].sentence if self._report.first_rejected else ""
        where = self._report.rejected_file
        more = f" All are listed in {where}." if where else ""
        return f"First: {first}.{more}"

    def _settle_mapping(self, opened: Opened) -> None:
        """Use a proposed mapping that leaves no question open, else write it for a person."""
        self._report.sentences += opened.sniffed.sentences
        if opened.proposal is None or opened.mapping is None:
            return
        request, name = self._request, f"{opened.file.name}.mapping.toml"
        if request.write_mapping is not None:
            write_proposal(request.write_mapping, opened.mapping)
            self._report.sentences.append(f"The proposal was written to {request.write_mapping}.")
        if not opened.proposal.unambiguous:
            given = "".join(f" --answer {shlex.quote(answer)}" for answer in request.answers)
            command = f"{request.command}{given}"
            raise UnansweredError(opened.file, opened.proposal.questions, command)
        kept = (
            ""
            if request.dry_run
            else keep_beside(_beside(self._project.path, name), opened.mapping)
        )
        self._report.sentences.append(
            f"{opened.file.name} was read with this mapping.{kept}\n{opened.mapping.to_toml()}"
        )

    def _known_rubric(self) -> Rubric | None:
        """Give the rubric that was named, else the project's; None where neither is."""
        if self._request.rubric is not None:
            return rubrics.named(self._project, self._request.rubric)
        known = rubrics.names(self._project)
        return rubrics.current(self._project, known[0]) if known else None

    def _choose_rubric(self, opened: Sequence[Opened], progress: Progress) -> None:
        request, project = self._request, self._project
        if request.rubric is not None:
            self._default = rubrics.save_version(project, rubrics.named(project, request.rubric))
            return
        known = rubrics.names(project)
        if known:
            self._default = rubrics.current(project, known[0])
            return
        shipped = recognised(opened)
        if shipped is not None:
            self._default = rubrics.save_version(project, shipped)
            self._report.sentences.append(f"The rubric {shipped.name} was recognised.")
            return
        name = rubric_name(opened[0], project.path)
        proposal = proposed_rubric(opened, name, progress)
        self._default = rubrics.save_version(project, proposal)
        self._report.sentences.append(proposal_sentence(proposal))
        alike = shipped_alike(proposal)
        if alike is not None:
            self._report.sentences.append(
                f"The shipped rubric {alike} has the same metrics; choose it (--rubric {alike}) "
                "to have its texts and rules."
            )

    def _rubric_of(self, run: str) -> Rubric:
        """Give the rubric of a run: a run has one."""
        if self._default is None:
            raise RubricError("No rubric was chosen for this import.")
        own = stored_rubrics.of_run(self._project, run)
        if own is None or own == self._default.name:
            return self._default
        if self._request.rubric is not None:
            raise RubricError(
                f"The run {run!r} has the rubric {own}, and a run has one rubric; import without "
                "another rubric (--rubric) or under another name of the run (--run)."
            )
        return rubrics.current(self._project, own)


__all__ = [
    "FilePlan", "ImportPlan", "ImportReport", "ImportRequest", "RejectedRow", "inspect", "run",
]  # fmt: skip
