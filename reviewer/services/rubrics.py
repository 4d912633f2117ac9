"""Rubrics: the shipped ones, TOML in and out, versions in a project, a proposal from values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.domain.rubric import Rubric
from reviewer.domain.values import Value
from reviewer.store.project import Project


@dataclass
class MetricSample:
    """What one pass over a file saw of a metric; grows no further than a proposal needs."""

    whole: bool = True
    numbers: bool = False
    low: float = 0.0
    high: float = 0.0
    texts: dict[str, int] = field(default_factory=dict)
    truths: bool = False

    def see(self, value: Value) -> None:
        """Take one more value into account."""
        raise NotImplementedError


def shipped() -> dict[str, Rubric]:
    """Give the rubrics that ship, by name."""
    raise NotImplementedError


def load(path: Path) -> Rubric:
    """Read a rubric file.

    Raises:
        RubricError: It cannot be read or breaks a rule; the text names file, field and remedy.
    """
    raise NotImplementedError


def from_toml(text: str, source: str = "the rubric") -> Rubric:
    """Read a rubric from TOML text; `source` names it in errors.

    Raises:
        RubricError: The text breaks a rule; the sentence names line or field and remedy.
    """
    raise NotImplementedError


def to_toml(rubric: Rubric) -> str:
    """Write a rubric as TOML that reads back as the same rubric; defaults are left out."""
    raise NotImplementedError


def names(project: Project) -> tuple[str, ...]:
    """Give the names of the project's rubrics, that of the newest run first."""
    raise NotImplementedError


def current(project: Project, name: str) -> Rubric:
    """Give the newest version of one of the project's rubrics.

    Raises:
        RubricError: The project has no rubric of that name.
    """
    raise NotImplementedError


def versions(project: Project, name: str) -> tuple[Rubric, ...]:
    """Give every version of one of the project's rubrics, the newest first."""
    raise NotImplementedError


def save_version(project: Project, rubric: Rubric) -> Rubric:
    """Keep a rubric in the project: a change is a new version, the same text is none.

    Returns:
        The rubric as kept, with its version.
    """
    raise NotImplementedError


def propose(samples: Mapping[str, MetricSample], name: str) -> Rubric:
    """Propose a rubric from the values seen, by rule R24 of the record format.

    Raises:
        RubricError: There is no metric at all.
    """
    raise NotImplementedError
