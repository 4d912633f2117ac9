"""Import files of evaluations and labels into a project: look first, then run, or take back."""

import contextlib
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from reviewer.domain.errors import (
    CancelledError,
    FormatError,
    LabelError,
    Progress,
    ProjectError,
    RubricError,
    Silent,
)
from reviewer.domain.evaluation import Value
from reviewer.domain.record import run_name
from reviewer.domain.rubric import TIE, Metric, Rubric
from reviewer.domain.wording import counted, listed
from reviewer.formats.incoming import Fields, Record
from reviewer.services.project import backups, naming, rubrics
from reviewer.services.project.rubrics import MetricSample
from reviewer.services.transfer import carry_offers
from reviewer.services.transfer.admission import NAMED
from reviewer.services.transfer.file_plans import FilePlan, Opened, open_file, plan
from reviewer.services.transfer.import_files import FileImport
from reviewer.services.transfer.import_report import ImportReport, RejectedRow, Rejections
from reviewer.store import importing as stored
from reviewer.store import labelers
from reviewer.store import rubrics as stored_rubrics
from reviewer.store.importing import Restorer
from reviewer.store.project import Project

PREVIEW = 50


def proposed_rubric(
    files: Iterable[Opened], progress: Progress, limit: int | None = None
) -> Rubric:
    """Propose a rubric from all scores and labels of the files, in one pass over them.

    Raises:
        RubricError: There is no score and no label.
        CancelledError: The user stopped it.
    """
    samples: dict[str, MetricSample] = {}
    declared: dict[str, Metric] = {}
    name = ""
    for opened in files:
        name = name or run_name(opened.file.name)
        declared |= {metric.name: metric for metric in opened.declared()}
        with opened.items() as (source, items):
            for count, item in enumerate(items):
                if limit is not None and count >= limit:
                    break
                if count % 2000 == 0:
                    _report(progress, source.position(), source.size)
                if isinstance(item, Record):
                    _see_record(samples, item.fields)
                elif hasattr(item, "fields"):
                    _see(samples, item.fields["metric"], item.fields.get("value"))
    # a shipped name on other texts would mislead
    name = f"{name} (proposed)" if name in rubrics.shipped() else name
    return rubrics.propose(samples, name, declared)


def proposal_sentence(proposal: Rubric) -> str:
    """Say which rubric was proposed, and the scales of its first metrics."""
    metrics = proposal.metrics[:NAMED]
    scales = "; ".join(f"{metric.name}: {metric.describe_scale()}" for metric in metrics)
    more = len(proposal.metrics) - len(metrics)
    rest = f"; and {more:,} more metrics" if more else ""
    return f"The rubric {proposal.name} was proposed: {scales}{rest}."


def _report(progress: Progress, done: int, total: int) -> None:
    if progress.cancelled:
        raise CancelledError("The import was stopped; nothing was stored.")
    progress.advance(done, total, "looking for metrics and their scales")


def _see_record(samples: dict[str, MetricSample], fields: Fields) -> None:
    for score in fields.get("scores") or ():
        _see(samples, score["metric"], score.get("value"))
    for label in fields.get("labels") or ():
        if not label.get("aggregate"):
            _see(samples, label["metric"], label.get("value"))
    for candidate in fields.get("candidates") or ():
        for entry in (*(fields.get("scores") or ()), *(fields.get("labels") or ())):
            if isinstance(entry.get("value"), str):
                samples[entry["metric"]].texts |= {candidate["id"], TIE}


def _see(samples: dict[str, MetricSample], metric: str, value: Value | None) -> None:
    sample = samples.get(metric)
    if sample is None:
        sample = samples[metric] = MetricSample()
    if value is not None:
        sample.see(value)


def recognised(files: Iterable[Opened]) -> Rubric | None:
    """Give the shipped rubric whose results the files are, None where they do not tell."""
    told = {one.proposal.rubric if one.proposal else "" for one in files}
    return rubrics.shipped().get(told.pop()) if len(told) == 1 else None


def fitting_rubrics(rubric: Rubric) -> tuple[str, ...]:
    """Give the shipped rubrics that have all metrics of a rubric."""
    return rubrics.fitting(set(rubric.by_name))


OnConflict = Literal["skip", "replace", "version"]
NOT_BACK = "importing the file anew does not bring them back"
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
        spells: Whether the `uid` of an entry is a part of the file, which an export writes again.
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
    spells: bool = True


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
    """

    files: tuple[FilePlan, ...]
    rubric: Rubric | None = None
    proposed: bool = False
    fitting: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()

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
) -> ImportPlan:
    """Look at files before importing them: the first rows of each, nothing is stored.

    Raises:
        FormatError: A file is empty, binary, damaged or of no known format.
    """
    own: Rubric | None = None
    if project is not None and project.is_file():
        with Project.open(project) as existing:
            known = rubrics.names(existing)
            own = rubrics.current(existing, known[0]) if known else None
    opened = [open_file(file, mapping, format_name, own) for file in files]
    sentences = [sentence for one in opened for sentence in one.sniffed.sentences]
    own = own or recognised(opened)
    proposed: Rubric | None = None
    try:
        proposed = proposed_rubric(opened, Silent(), PREVIEW)
    except RubricError as error:
        if own is None:
            sentences.append(str(error))
    return ImportPlan(
        files=tuple(plan(one) for one in opened),
        rubric=own or proposed,
        proposed=own is None and proposed is not None,
        fitting=fitting_rubrics(proposed) if proposed else (),
        metrics=tuple(proposed.by_name) if proposed else (),
        sentences=tuple(sentences),
    )


def run(project: Path | Project, request: ImportRequest, progress: Progress) -> ImportReport:
    """Import files; a project that does not exist is made.

    Each file is stored whole or not at all; people may go on labelling meanwhile.

    Raises:
        FormatError: A file cannot be read, or nothing in it can be imported.
        ProjectError: The disk is full or read-only, or another import is running.
        CancelledError: The user stopped it; nothing of the current file is left.
    """
    path = project if isinstance(project, Path) else project.path
    if request.dry_run:
        return _dry_run(path, request, progress)
    if request.strict and len(request.files) > 1:
        rehearsed = _dry_run(path, request, progress)
        if rehearsed.rejected or rehearsed.rejected_values:
            return rehearsed
    started = time.monotonic()
    report = ImportReport()
    rejections = Rejections(request.rejected or _beside(path, "rejected.jsonl"), report)
    try:
        with _opened(project, request.maker) as target:
            if target.warning and isinstance(project, Path):
                report.sentences.append(target.warning)
            _Run(target, request, report, rejections).all_files(progress)
    finally:
        rejections.close()
    report.seconds = time.monotonic() - started
    return report


def places_to_lose(project: Project, number: int) -> str:
    """Name the places in queues that taking an import back would cost; empty for none."""
    found = stored.places_to_lose(project, number)
    if not found:
        return ""
    queues = counted(len(found), "queue") if len(found) > 3 else listed(tuple(found))
    which = queues if len(found) > 3 else f"the queue{'s' * (len(found) > 1)} {queues}"
    return f"{counted(sum(found.values()), 'place')} in {which}"


def undo_import(project: Project, number: int) -> str:
    """Take an import back and say what was taken back.

    Raises:
        ProjectError: There is no such import, or it was taken back already.
    """
    found = stored.state(project, number)
    if found is None:
        raise ProjectError(f"There is no import {number} in {project.path.name}.")
    state, source = found
    if state != "done":
        raise ProjectError(f"The import {number} of {source} is {state} already.")
    later = stored.later_entries(project, number)
    entries = stored.brought_to_others(project, number)
    brought = counted(entries, "score, label or mark", "scores, labels and marks")
    texts = len(Restorer(project, number).found)
    back = f" Replaced texts that are back: {texts:,}." if texts else ""
    places = places_to_lose(project, number)
    count = stored.take_back(project, number)
    since = counted(later, "label or mark", "labels and marks")
    verbs = ("stays", "shows") if later == 1 else ("stay", "show")
    kept = (
        f" {since} given since {verbs[0]} in the project and {verbs[1]} again when the file is "
        "imported anew."
        if later
        else ""
    )
    parts = [counted(count, "evaluation")] if count or not entries else []
    parts += [f"{brought} that it gave to earlier evaluations"] if entries else []
    lost = f" Lost with it: {places}; {NOT_BACK}." if places else ""
    return f"Took back the import of {source}: {listed(parts)}.{back}{kept}{lost}"


def _beside(project: Path, suffix: str) -> Path:
    return project.with_name(f"{project.stem}.{suffix}")


@contextlib.contextmanager
def _opened(project: Path | Project, maker: str | None) -> Iterator[Project]:
    """Open the project of a path, made where absent and removed again where the import fails."""
    if isinstance(project, Project):
        yield project
        return
    fresh = not project.exists()
    target = Project.create(project) if fresh else Project.open(project)
    try:
        yield target
        if fresh and maker is not None:
            with contextlib.suppress(LabelError), target.write() as conn:
                name = naming.taken(maker, (person.name for person in labelers.every(conn)))
                labelers.ensure(conn, name)
    except BaseException:
        empty = fresh and not stored.holds_anything(target)
        target.close()
        if empty:
            for suffix in ("", "-wal", "-shm"):
                project.with_name(project.name + suffix).unlink(missing_ok=True)
        raise
    target.close()


def _dry_run(path: Path, request: ImportRequest, progress: Progress) -> ImportReport:
    """Import into a copy that nobody keeps, so that every count is exact."""
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        copy = Path(folder) / path.name
        if path.is_file():
            with Project.open(path) as existing:
                backups.make(existing, copy)
        rejected = request.rejected or _beside(path, "rejected.jsonl")
        report = run(
            copy, replace(request, dry_run=False, strict=False, rejected=rejected), progress
        )
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
    ) -> None:
        self._project = project
        self._request = request
        self._report = report
        self._rejections = rejections
        self._default: Rubric | None = None

    def all_files(self, progress: Progress) -> None:
        request = self._request
        rubric = self._known_rubric()
        opened = [
            open_file(file, request.mapping, request.format, rubric) for file in request.files
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
        file = FileImport(self._project, opened, report, self._rejections, spells=request.spells)
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
        file.finish(request.labeler)

    def _nothing(self, name: str) -> str:
        first = self._report.first_rejected[0].sentence if self._report.first_rejected else ""
        where = self._report.rejected_file
        more = f" All are listed in {where}." if where else ""
        return f"Nothing in {name} can be imported. First: {first}.{more}"

    def _settle_mapping(self, opened: Opened) -> None:
        """Use a proposed mapping that leaves no question open, else write it for a person."""
        self._report.sentences += opened.sniffed.sentences
        if opened.proposal is None or opened.mapping is None:
            return
        text = opened.mapping.to_toml()
        if not opened.proposal.unambiguous:
            file = opened.file.with_name(f"{opened.file.name}.mapping.toml")
            if not _written(file, text):
                file = _beside(self._project.path, f"{opened.file.name}.mapping.toml")
                _written(file, text)
            questions = " ".join(opened.proposal.questions)
            raise FormatError(
                f"{opened.file.name}: it is not clear what its columns mean. {questions} "
                f"A proposal is in {file}; correct it and import with --mapping {file.name}."
            )
        file = _beside(self._project.path, f"{opened.file.name}.mapping.toml")
        kept = f" It is kept in {file.name}." if _written(file, text) else ""
        self._report.sentences.append(
            f"{opened.file.name} was read with this mapping.{kept}\n{text}"
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
        proposal = proposed_rubric(opened, progress)
        self._default = rubrics.save_version(project, proposal)
        self._report.sentences.append(proposal_sentence(proposal))
        fitting = fitting_rubrics(proposal)
        if fitting:
            self._report.sentences.append(
                f"The shipped rubric {fitting[0]} has the same metrics; choose it (--rubric "
                f"{fitting[0]}) to have its texts and rules."
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


def _written(file: Path, text: str) -> bool:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError:
        return False
    return True


__all__ = [
    "FilePlan", "ImportPlan", "ImportReport", "ImportRequest", "RejectedRow", "inspect", "run",
    "undo_import",
]  # fmt: skip
