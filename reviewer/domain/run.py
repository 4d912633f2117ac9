"""Runs, judge versions and labelers as the window lists them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class ScorerVersion(BaseModel):
    """One score set: a scorer or judge in one version with one set of parameters."""

    model_config = ConfigDict(frozen=True)

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


class Run(BaseModel):
    """One imported or launched evaluation run."""

    model_config = ConfigDict(frozen=True)

    key: int
    name: str
    rubric: str
    evaluations: int
    labelled: int
    imported_at: str
    first: str | None = None
    last: str | None = None
    source: str | None = None


class Labeler(BaseModel):
    """A person who labels or leads."""

    model_config = ConfigDict(frozen=True)

    key: int
    name: str
    colour: str | None = None
    role: Literal["labeler", "lead"] = "labeler"
