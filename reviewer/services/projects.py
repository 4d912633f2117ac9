"""Projects as a whole: the demo and the examples, and the list of runs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewer.domain.progress import Progress
from reviewer.store.project import Project

SYSTEMS = ("guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent")


@dataclass(frozen=True)
class RunSummary:
    """A run as listed: counts, dates, judges and the judge's pass rate."""

    name: str
    evaluations: int
    labelled: int
    imported_at: str
    first: str | None
    last: str | None
    source: str | None
    rubric: str
    scorers: tuple[str, ...]
    pass_rate: float | None

    def to_json(self) -> dict[str, Any]:
        """Give the run's entry of the command line's document."""
        raise NotImplementedError


def make_demo(path: Path | None, system: str | None, progress: Progress) -> Path:
    """Make the demo project, or the example of one system, and give its file.

    Without a path a fresh file in the data folder is made.

    Raises:
        ProjectError: The file exists already or cannot be written, or no such system.
    """
    raise NotImplementedError


def list_runs(project: Project) -> tuple[RunSummary, ...]:
    """Give the project's runs in the order of their import."""
    raise NotImplementedError
