"""What an import reports: its counts, and the rows and values it did not take."""

import contextlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from pydantic_core import to_json

from reviewer.domain.errors import ProjectError, readable, refusal
from reviewer.domain.wording import counted, listed

MOST_SHOWN = 1_000
MOST_TEXT = 500
STOPPED = "The import was stopped; nothing of the file was stored."


@dataclass(frozen=True)
class RejectedRow:
    """A row or a single value that was not imported."""

    file: str
    line: int
    field: str
    value: Any
    reason: str
    record: int = 0
    """its number from 1 in a file whose lines are no records; else 0"""

    @property
    def place(self) -> str:
        """Say where in its file it stood."""
        return place_words(self.line, self.record)

    @property
    def sentence(self) -> str:
        """Say where it stood, what was found and what would be right."""
        where = f"{self.file}, {self.place}"
        field = f", {self.field}" if self.field else ""
        return readable(f"{where}{field}: {self.reason}")


def place_words(line: int, record: int) -> str:
    """Say where something stands; the number of a record is 0 where lines tell the place."""
    return f"record {record:,} (line {line:,})" if record else f"line {line:,}"


@dataclass
class ImportReport:
    """What an import did.

    `read` = `added` + `updated` + `unchanged` + `conflicts` + `rejected`, in records; `scores` and
    `labels` are those newly stored; `rejected_values` are scores, labels and other values refused
    while their record was kept. `stored` is False after a dry run, or with `strict` where
    something was rejected.
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
    first_conflicts: list[RejectedRow] = field(default_factory=list)
    rejected_file: Path | None = None
    rubric: str | None = None
    runs: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    imports: list[int] = field(default_factory=list)
    seconds: float = 0.0
    stored: bool = True

    @property
    def stored_words(self) -> str:
        """Say how many records were taken."""
        return f"{self.added + self.updated:,} imported" if self.stored else "nothing was stored"

    @property
    def refused_words(self) -> str:
        """Say how many rows and single values were not taken."""
        return listed(
            [
                counted(count, noun)
                for count, noun in (
                    (self.rejected, "row"),
                    (self.rejected_values, "single value"),
                )
                if count
            ]
        )

    @property
    def counts(self) -> dict[str, int]:
        """Give the counts by name."""
        names = ("read", "added", "updated", "unchanged", "conflicts", "rejected",
                 "rejected_values", "scores", "labels")  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {
            "schema": 1,
            **self.counts,
            "rubric": self.rubric,
            "runs": self.runs,
            "imports": self.imports,
            "rejected_file": str(self.rejected_file) if self.rejected_file else None,
            "stored": self.stored,
            "sentences": self.sentences,
            "seconds": round(self.seconds, 3),
        }


class Rejections:
    """The file of rejected rows, made with the first of them; one JSON object a line."""

    def __init__(self, path: Path | None, report: ImportReport) -> None:
        """Write to a path, to none in a dry run, and keep the first rows in a report."""
        self._path = path
        self._report = report
        self._file: IO[bytes] | None = None

    def add(self, row: RejectedRow) -> None:
        """Keep one more row.

        Raises:
            ProjectError: The file cannot be written.
        """
        row = replace(row, value=_short(row.value))
        if len(self._report.first_rejected) < MOST_SHOWN:
            self._report.first_rejected.append(row)
        document = {"file": row.file, "line": row.line, "field": row.field, "value": row.value,
                    "reason": row.reason}  # fmt: skip
        if row.record:
            document["record"] = row.record
        if self._path is None:
            return
        try:
            if self._file is None:
                self._file = self._path.open("wb")
                self._report.rejected_file = self._path
            self._file.write(to_json(document, inf_nan_mode="strings") + b"\n")
        except OSError as error:
            reason = refusal(error)
            raise ProjectError(
                f"The rejected rows cannot be written to {self._path}: {reason}. "
                "Name another file with --rejected."
            ) from None

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()


def _short(value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Keep small values as they are and show the start of large ones."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return (
            value if abs(value) < 2**63 else str(float(value)) if value < 10**300 else "too large"
        )
    if isinstance(value, str):
        text = value if len(value) <= MOST_TEXT else value[:MOST_TEXT] + "…"
        return text.encode("utf-8", "replace").decode()
    text = ascii(value)
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"
