"""Export evaluations, labels or disagreements: streaming, written whole or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from reviewer.domain.progress import Progress
from reviewer.store.project import Project

What = Literal["evaluations", "labels", "disagreements"]
LabelForm = Literal["each", "mean", "adjudicated"]


class Filters(Protocol):
    """What an export needs of the shared filters."""

    @property
    def runs(self) -> Sequence[str]:
        """Run names, empty for all."""
        ...

    @property
    def categories(self) -> Sequence[str]:
        """Categories, empty for all."""
        ...


@dataclass(frozen=True)
class ExportRequest:
    """What to export and how.

    Attributes:
        what: Evaluations with everything, the label history, or where people and judge differ.
        labels: Every entry, the mean of the people, or the decided value.
        format: `native` or `csv`; None goes by the file's suffix.
        filters: Which evaluations; None for all.
    """

    what: What = "evaluations"
    labels: LabelForm = "each"
    format: str | None = None
    filters: Filters | None = None


@dataclass(frozen=True)
class Exported:
    """A written file."""

    file: Path
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class ExportPreview:
    """The first rows of an export as a table."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...] = field(default=())


def export(project: Project, to: Path, request: ExportRequest, progress: Progress) -> Exported:
    """Write an export under a temporary name and rename it when it is whole.

    Raises:
        ProjectError: The folder does not exist or cannot be written, or the disk is full.
        FormatError: The suffix or the name stands for no format that can be written.
        CancelledError: The user stopped it; nothing is left behind.
    """
    raise NotImplementedError


def preview(project: Project, request: ExportRequest, limit: int = 50) -> ExportPreview:
    """Give the first rows of an export without writing it."""
    raise NotImplementedError
