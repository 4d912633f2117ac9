"""Import files of evaluations and labels into a project: look first, then run, or take back."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from reviewer.domain.progress import Progress
from reviewer.domain.rubric import Rubric
from reviewer.store.project import Project

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


@dataclass(frozen=True)
class FilePlan:
    """What one file seems to hold, before anything is imported.

    Attributes:
        file: The file.
        format: The format's name, such as `native` or `csv`.
        title: The format's title for people.
        reason: How it was recognised.
        mapping: How columns become fields; None for formats that need none.
        unambiguous: False where the mapping leaves questions open.
        questions: What a person should decide.
        columns: The columns of `rows`, for a table of the first rows.
        rows: The first rows as they would be imported, at most 50.
        rejected: What is wrong in the first rows.
    """

    file: Path
    format: str
    title: str
    reason: str
    mapping: BaseModel | None = None
    unambiguous: bool = True
    questions: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    rejected: tuple["RejectedRow", ...] = ()


@dataclass(frozen=True)
class ImportPlan:
    """What an import would do, for the window to show first.

    Attributes:
        files: One plan a file.
        rubric: The rubric that would be used.
        proposed: True where the rubric is made from the first rows (the import itself reads all).
        fitting: Shipped rubrics whose metrics hold all of the files' metrics.
        sentences: What the user should know.
    """

    files: tuple[FilePlan, ...]
    rubric: Rubric | None = None
    proposed: bool = False
    fitting: tuple[str, ...] = ()
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


@dataclass(frozen=True)
class RejectedRow:
    """A row or a single value that was not imported."""

    file: str
    line: int
    field: str
    value: Any
    reason: str


@dataclass
class ImportReport:
    """What an import did.

    `read` = `added` + `updated` + `unchanged` + `conflicts` + `rejected`, in records; `scores` and
    `labels` are those newly stored; `rejected_values` are scores, labels and other values refused
    while their record was kept.
    """

    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    conflicts: int = 0
    rejected: int = 0
    rejected_values: int = 0
    scores: int = 0
    labels: int = 0
    first_rejected: list[RejectedRow] = field(default_factory=list)
    rejected_file: Path | None = None
    rubric: str | None = None
    runs: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    imports: list[int] = field(default_factory=list)
    seconds: float = 0.0
    stored: bool = True

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        raise NotImplementedError


def inspect(
    files: tuple[Path, ...],
    *,
    project: Path | None = None,
    mapping: Path | BaseModel | None = None,
    format_name: str | None = None,
) -> ImportPlan:
    """Look at files before importing them: at most the first 50 rows or 1 MB of each.

    Raises:
        FormatError: A file is empty, binary, wrongly encoded or of no known format.
    """
    raise NotImplementedError


def run(project: Path | Project, request: ImportRequest, progress: Progress) -> ImportReport:
    """Import files; a project that does not exist is made.

    Each file is stored whole or not at all; people may go on labelling meanwhile.

    Raises:
        FormatError: A file cannot be read, or nothing in it can be imported.
        ProjectError: The disk is full or read-only, or another import is running.
        CancelledError: The user stopped it; nothing of the current file is left.
    """
    raise NotImplementedError


def undo_import(project: Project, number: int) -> str:
    """Take an import back and say what was taken back.

    Raises:
        ProjectError: There is no such import, or it was taken back already.
    """
    raise NotImplementedError
