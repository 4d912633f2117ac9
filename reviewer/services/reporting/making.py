"""Make the report of a scope or of what was just evaluated, and write it as files.

A file is whole or not there, and never over an older one of another moment.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import Progress, ProjectError, ReviewerError, refusal
from reviewer.domain.judging import JobPlan, Selection
from reviewer.domain.run import Scope, ScorerVersion
from reviewer.reports import fields, rendering, sections
from reviewer.reports.document import Fields, as_json, plain
from reviewer.reports.rendering import Kind
from reviewer.reports.report import (
    BEST_AND_WORST,
    GUEST_RESPONSE,
    Report,
    Wanted,
    report_of,
    with_pass_mark,
)
from reviewer.services.calls import selecting
from reviewer.services.computer import secrets, whole_files
from reviewer.services.figures import statistics
from reviewer.services.figures.request import choices
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.reporting import cases, evidence
from reviewer.store import figures, jobs, scores
from reviewer.store.project import Project

HISTORY: Final = "evaluation_history.jsonl"
MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written."""

    file: Path
    bytes: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Give what the command line prints of it."""
        return {"file": str(self.file), "bytes": self.bytes, "sha256": self.sha256}


def write(to: Path, pieces: Iterable[str]) -> Written:
    """Write a file under a temporary name and rename it when it is whole.

    Raises:
        ProjectError: The folder is not there or cannot be written, or the disk is full.
    """
    with _part(to, pieces) as part:
        whole_files.put(part.file, to)
    return replace(part, file=to)


def make_folder(folder: Path) -> None:
    """Make a folder for reports where it is not there.

    Raises:
        ProjectError: It cannot be made, or a file has its place.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = refusal(error)
        raise ProjectError(f"The folder {folder} could not be made: {reason}.") from error


def write_pair(
    folder: Path, moment: datetime, texts: tuple[Iterable[str], Iterable[str]]
) -> tuple[Written, Written]:
    """Write a report as JSON and Markdown under a name of the moment that is still free.

    Args:
        folder: made where it is not there.
        moment: names the files, as evaluation_report_YYYYMMDD_HHMMSS.
        texts: JSON and Markdown, in pieces.

    Raises:
        ProjectError: The folder cannot be made or written, or the disk is full.
    """
    make_folder(folder)
    stem = f"evaluation_report_{moment:%Y%m%d_%H%M%S}"
    with (
        _part(folder / f"{stem}.json", texts[0]) as first,
        _part(folder / f"{stem}.md", texts[1]) as second,
    ):
        for name in (stem, *(f"{stem}_{number}" for number in range(2, MOST))):
            files = (folder / f"{name}.json", folder / f"{name}.md")
            if not any(file.exists() for file in files) and _placed((first, second), files):
                return replace(first, file=files[0]), replace(second, file=files[1])
    raise ProjectError(f"{folder} holds too many reports of one second; name another folder.")


def _placed(parts: tuple[Written, Written], files: tuple[Path, Path]) -> bool:
    """Put both files where nothing lies; tells whether another program was first."""
    made: list[Path] = []
    for part, file in zip(parts, files, strict=True):
        whole_files.sync(part.file)
        try:
            # a link is refused where something lies, so that two programs never meet
            os.link(part.file, file)
        except FileExistsError:
            for one in made:
                one.unlink(missing_ok=True)
            return False
        except OSError:
            # some file systems have no links
            part.file.replace(file)
        made.append(file)
    return True


def remember(folder: Path, line: Mapping[str, Any]) -> Path:
    """Add a line to the history beside the reports, as one write.

    Raises:
        ProjectError: It cannot be written.
    """
    path = folder / HISTORY
    content = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(number, content)
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        raise whole_files.not_written(path, error) from error
    return path


@contextlib.contextmanager
def _part(to: Path, pieces: Iterable[str]) -> Iterator[Written]:
    size, digest = 0, hashlib.sha256()
    with whole_files.part_of(to) as part:
        with part.open("wb") as file:
            for piece in pieces:
                content = secrets.hidden(piece).encode("utf-8", "backslashreplace")
                size += file.write(content)
                digest.update(content)
        yield Written(part, size, digest.hexdigest())


KINDS: Final[dict[str, Kind]] = {
    ".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".pdf": "pdf",
}  # fmt: skip
Printer = Callable[[str, Path, str], int]
"""Writes a laid out text to a file under a title, and gives the pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """Which report to make.

    Attributes:
        scope: what it is about.
        template: the name of one that ships, or a file; None for the usual one.
        top: how many of the best and of the worst are told.
        passing: a pass mark in place of the rubric's.
        preset, options: how figures are made, where it is not as the project keeps it.
    """

    scope: Scope = field(default_factory=Scope)
    template: str | None = None
    top: int = BEST_AND_WORST
    passing: float | None = None
    preset: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def wanted(self) -> Wanted:
        """Give what the report is about."""
        return Wanted(
            scope=self.scope,
            passing=self.passing,
            top=self.top,
            preset=self.preset,
            options=self.options,
        )


def make(
    project: Project,
    to: Path,
    request: ReportRequest,
    printer: Printer | None = None,
    progress: Progress | None = None,
) -> Written:
    """Write a report; the file is whole or not there.

    Args:
        project: the project.
        to: the file, whose suffix says what kind of report it is.
        request: which report.
        printer: writes PDF.
        progress: told how far it is, and tells whether to stop.

    Raises:
        CancelledError: Somebody stopped it.
        ReviewerError: The suffix stands for no report, a filter or template is wrong, or the file
            cannot be written.
    """
    kind = kind_of(to.name, request)
    if to.resolve() == project.path.resolve():
        raise ReviewerError(f"{to} is the project itself; name another file for the report.")
    with figures.snapshot(project):
        if kind is not None:
            # a template that is not there is told before anything is worked out
            rendering.template(kind, request.template)
        made = build(project, request.wanted, progress=progress)
        if kind is None:
            return write(to, as_json(fields.document(made)))
        text = rendered(made, kind, request.template or rendering.GENERAL)
    if kind == "pdf" and printer is not None:
        return _printed(to, text, sections.title(made), printer)
    return write(to, [text])


def kind_of(name: str, request: ReportRequest) -> Kind | None:
    """Give what a file's suffix stands for, None for JSON.

    Raises:
        ReviewerError: It stands for no report, or for one that takes no template.
    """
    suffix = Path(name).suffix.lower()
    if suffix != ".json" and suffix not in KINDS:
        raise ReviewerError(
            f"The suffix of {name} says no kind of report; use .html, .pdf, .md or .json."
        )
    if suffix == ".json" and request.template is not None:
        raise ReviewerError("A JSON report has fixed fields and takes no --template.")
    return KINDS.get(suffix)


def _printed(to: Path, text: str, title: str, printer: Printer) -> Written:
    with whole_files.part_of(to) as part:
        printer(text, part, title)
        content = part.read_bytes()
        whole_files.put(part, to)
    return Written(to, len(content), hashlib.sha256(content).hexdigest())


def build(
    project: Project,
    wanted: Wanted,
    moment: datetime | None = None,
    progress: Progress | None = None,
) -> Report:
    """Work out the report of a scope.

    Raises:
        ReviewerError: The scope names something that is not there, the pass mark is off the
            scale, or a target of the rubric is no comparison.
    """
    found, whole = cases.read_both(project, wanted)
    moment = moment or datetime.now(UTC)
    if not wanted.people:
        return report_of(project.path.name, wanted, found, None, moment)
    request = StatsRequest(
        scope=wanted.scope,
        preset=wanted.preset,
        options=wanted.options,
        rubric=None if wanted.passing is None else found.rubric,
    )
    document = statistics.compute(project, request, progress=progress)
    chosen = choices(
        project, wanted.scope, found.rubric, preset=wanted.preset, options=wanted.options
    )
    behind = evidence.gather(whole, wanted, document, chosen, found.cases)
    return report_of(project.path.name, wanted, found, document.to_json(), moment, behind)


def rendered(report: Report, kind: Kind = "md", template: str | None = None) -> str:
    """Give a report as Markdown or HTML; without a template in the form of its system."""
    return rendering.render(
        kind, rendering.template(kind, template, report.rubric.name), fields.named(report, kind)
    )


OUTPUT: Final = Path("evaluation/reports/output")
"""Where reports of guest responses go unless another folder is named."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation came to.

    Attributes:
        run: The run that was evaluated; of several the newest.
        score_sets: The scorers and judges that scored it, with the metrics of each.
        summary: Its `Rows` are read from the open project.
        files: JSON and Markdown, None where no report was asked for.
    """

    run: str
    score_sets: tuple[tuple[ScorerVersion, list[str]], ...]
    summary: Fields
    files: tuple[Written, Written] | None
    history: Path | None = None

    def to_json(self) -> Fields:
        """Give what the command line prints."""
        reports = None
        if self.files is not None:
            first, second = self.files
            reports = {"json": str(first.file), "markdown": str(second.file)}
        return {
            "run": self.run,
            "score_sets": [
                {
                    "scorer": version.scorer,
                    "version": version.version,
                    "model": version.model,
                    "prompt_hash": version.prompt_hash,
                    "metrics": names,
                }
                for version, names in self.score_sets
            ],
            "summary": plain(self.summary),
            "reports": reports,
        }


def check(
    session: Session, plans: Sequence[JobPlan], *, passing: float | None, folder: Path | None
) -> None:
    """Hold a pass mark to the rubric and make the reports' folder, before anything is asked.

    Raises:
        ReviewerError: The rubric has no pass rule, the mark is off the scale, or the folder
            cannot be made.
    """
    if folder is not None:
        make_folder(folder)
    for plan in plans:
        if plan.kind == "bot":
            # which rubric its run gets is known once it has answered
            continue
        rubric = selecting.rubric_of(session, plan.selection)
        with_pass_mark(rubric, passing)
        if folder is None and rubric.name == GUEST_RESPONSE:
            make_folder(OUTPUT)


def report_evaluated(
    session: Session,
    keys: Sequence[int],
    *,
    passing: float | None = None,
    folder: Path | None = None,
) -> Evaluated | None:
    """Report what jobs have scored; None where they only answered.

    Guest responses are always reported as files, other rubrics where a folder is named.

    Args:
        session: the project.
        keys: of the jobs.
        passing: a pass mark in place of the rubric's.
        folder: where the files go.

    Raises:
        ReviewerError: The files cannot be written, or a target of the rubric is no comparison.
    """
    with figures.snapshot(session.project):
        made = build_evaluated(session, keys, passing=passing)
        return None if made is None else _reported(session.project, made, folder)


def _reported(project: Project, made: Report, folder: Path | None) -> Evaluated:
    files, history = None, None
    if folder is not None or made.rubric.name == GUEST_RESPONSE:
        place = folder or OUTPUT
        files = write_pair(place, made.moment, (as_json(fields.document(made)), [rendered(made)]))
        history = remember(place, fields.trend_line(made))
    return Evaluated(
        run=made.found.runs[-1],
        score_sets=_score_sets(project, made.wanted),
        summary=fields.summary(made),
        files=files,
        history=history,
    )


def build_evaluated(
    session: Session, keys: Sequence[int], *, passing: float | None = None
) -> Report | None:
    """Work out the report of what jobs have scored; None where they only answered.

    Raises:
        ReviewerError: A target of the rubric is no comparison, or the mark is off the scale.
    """
    project = session.project
    plans = [plan for plan in (jobs.plan(project.conn, key) for key in keys) if plan.kind != "bot"]
    if not plans:
        return None
    selection = plans[0].selection
    sets = sets_of(project, keys)
    wanted = Wanted(
        scope=Scope(runs=selecting.runs_of(session, selection)[0]),
        only=planned(session, selection, sets),
        sets=sets,
        passing=passing,
        people=False,
        selection=_told(selection),
    )
    return build(project, wanted)


def _told(selection: Selection) -> Fields:
    """Give what bounds a selection, by name."""
    found: Fields = {
        "categories": list(selection.categories),
        "filter": selection.filter_text,
        "only": selection.only,
        "part": selection.part,
        "limit": selection.limit,
        "chosen": None if selection.keys is None else len(selection.keys),
    }
    return {name: value for name, value in found.items() if value}


def planned(session: Session, selection: Selection, sets: Mapping[str, int]) -> set[int]:
    """Give what jobs planned; what they themselves changed is told by their scores.

    Labels that came since are in no half yet, and none was evaluated for them.
    """
    if selection.only not in ("failed", "disagreements"):
        return set(selecting.divided(session, selection))
    possible = set(selecting.divided(session, replace(selection, only=None)))
    numbers = figures.metric_keys(session.project)
    scored: set[int] = set()
    for name, key in sets.items():
        for _, _, keys in figures.read_scores(session.project, numbers[name], key):
            scored.update(map(int, keys.split(",")))
    return possible & scored


def sets_of(project: Project, keys: Sequence[int]) -> dict[str, int]:
    """Give the score sets that the jobs filled, by metric: of several on one that of the first."""
    names = {number: name for name, number in figures.metric_keys(project).items()}
    return {
        names[metric]: score_set
        for key in reversed(keys)
        for metric, score_set in scores.sets_of(project.conn, key).items()
    }


def _score_sets(project: Project, wanted: Wanted) -> tuple[tuple[ScorerVersion, list[str]], ...]:
    metrics: dict[int, list[str]] = {}
    for name, key in (wanted.sets or {}).items():
        metrics.setdefault(key, []).append(name)
    versions = {x.key: x for x in figures.scorer_versions(project)}
    return tuple((versions[key], names) for key, names in metrics.items())
