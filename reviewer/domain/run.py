"""Runs, judge versions and labelers as the window lists them."""

from typing import Literal

from msgspec import Struct


class ScorerVersion(Struct, frozen=True, kw_only=True):
    """One score set: a scorer or judge in one version with one set of parameters."""

    key: int
    scorer: str
    version: str | None = None
    model: str | None = None
    prompt_hash: str | None = None
    parameters: str | None = None

    @property
    def name(self) -> str:
        """Give NAME or NAME@VERSION, as filters and exports spell it."""
        return f"{self.scorer}@{self.version}" if self.version else self.scorer


class Run(Struct, frozen=True, kw_only=True):
    """One imported or launched evaluation run.

    Counts and dates are of the evaluations that count; `excluded` says how many do not.
    """

    key: int
    name: str
    rubric: str
    evaluations: int
    labelled: int
    imported_at: str
    excluded: int = 0
    first: str | None = None
    last: str | None = None
    source: str | None = None


class Labeler(Struct, frozen=True, kw_only=True):
    """A person who labels or leads."""

    key: int
    name: str
    colour: str | None = None
    role: Literal["labeler", "lead"] = "labeler"
