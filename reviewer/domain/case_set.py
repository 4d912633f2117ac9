"""A test set: named cases without a response, in versions."""

from dataclasses import dataclass
from typing import Any

Fields = dict[str, Any]
"""A case in the keys of the native format, with whatever else its file held."""

CASE_KEYS = (
    "id", "category", "complexity", "tags", "input", "messages", "expected", "expected_keywords",
    "expected_tools", "expected_sources", "context",
)  # fmt: skip
"""The keys of a case in their order; any other key is kept behind them."""

EXPECTATIONS = ("expected", "expected_keywords", "expected_tools", "expected_sources")
"""What says how a good response looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVersion:
    """One version of a test set, with its number of cases and what it came from."""

    version: int
    cases: int
    created_at: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEntry:
    """A test set as lists show it.

    Attributes:
        rubric: Name of the rubric by which runs of it are scored; None takes the newest run's.
        versions: The newest first.
    """

    name: str
    rubric: str | None
    versions: tuple[SetVersion, ...]

    @property
    def newest(self) -> SetVersion:
        """Give the version that counts unless another is named."""
        return self.versions[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet:
    """The cases of one version of a test set, in their order."""

    name: str
    version: int
    rubric: str | None
    cases: tuple[Fields, ...]

    @property
    def title(self) -> str:
        """Name the set with its version."""
        return f"{self.name} v{self.version}"


def question_of(case: Fields) -> str:
    """Give what is asked: the input, else the last turn of the user."""
    if case.get("input"):
        return str(case["input"])
    for turn in reversed(case.get("messages") or ()):
        if turn.get("role") == "user":
            return said(turn)
    return ""


def said(turn: Fields) -> str:
    """Give the readable text of a turn."""
    content = turn.get("content")
    if isinstance(content, str):
        return content
    parts = (part.get("text") for part in content or () if part.get("type") == "text")
    return "\n".join(part for part in parts if part)
