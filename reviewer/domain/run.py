"""Runs, judge versions and labelers as the window lists them."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace


class ScorerVersion(Struct, frozen=True, kw_only=True):
    """One score set: a scorer or judge in one version with one set of parameters.

    Attributes:
        apart: What tells it from others of the same scorer and version, such as
            `normalize_numbers=false`; empty where nothing needs to.
    """

    key: int
    scorer: str
    version: str | None = None
    model: str | None = None
    prompt_hash: str | None = None
    parameters: str | None = None
    apart: str = ""

    @property
    def plain(self) -> str:
        """Give NAME or NAME@VERSION."""
        return f"{self.scorer}@{self.version}" if self.version else self.scorer

    @property
    def name(self) -> str:
        """Give the full name, as filters, documents and exports spell it."""
        return f"{self.plain} {self.apart}".strip() if self.apart else self.plain

    def is_called(self, name: str) -> bool:
        """Tell whether a name means this version, perhaps among others."""
        return name in (self.name, self.plain, self.scorer)


def told_apart(
    versions: Sequence[ScorerVersion], scored: Mapping[int, frozenset[int]]
) -> tuple[ScorerVersion, ...]:
    """Give versions names that tell: what differs between those of one scorer and version.

    Args:
        versions: Every score set.
        scored: The metrics that each scored; sets of different metrics need no telling apart, as
            a judge has a prompt for each of them.
    """
    alike: dict[str, list[ScorerVersion]] = {}
    for version in versions:
        alike.setdefault(version.plain, []).append(version)
    found = {}
    for same in alike.values():
        for version in same:
            rivals = [x for x in same if x is not version and scored[x.key] & scored[version.key]]
            found[version.key] = _apart(version, rivals)
    return tuple(replace(x, apart=found[x.key]) if found[x.key] else x for x in versions)


def _apart(version: ScorerVersion, rivals: Sequence[ScorerVersion]) -> str:
    """Say in what a version differs from its rivals; what it lacks itself is not told."""
    if not rivals:
        return ""
    mine, others = _aspects(version), [_aspects(x) for x in rivals]
    return " ".join(
        f"{name}={value}"
        for name, value in mine.items()
        if any(other.get(name) != value for other in others)
    )


def _aspects(version: ScorerVersion) -> dict[str, str]:
    """Give everything but scorer and version that makes a version, by name."""
    given = {"model": version.model, "prompt": version.prompt_hash}
    found = {name: value for name, value in given.items() if value}
    try:
        parameters = json.loads(version.parameters) if version.parameters else {}
    except ValueError:
        parameters = version.parameters
    if not isinstance(parameters, dict):
        parameters = {"parameters": parameters}
    return found | {
        name: x if isinstance(x, str) else json.dumps(x, ensure_ascii=False)
        for name, x in parameters.items()
    }


class Run(Struct, frozen=True, kw_only=True):
    """One imported or launched evaluation run."""

    key: int
    name: str
    rubric: str
    evaluations: int
    labelled: int
    imported_at: str
    first: str | None = None
    last: str | None = None
    source: str | None = None


class Labeler(Struct, frozen=True, kw_only=True):
    """A person who labels or leads."""

    key: int
    name: str
    colour: str | None = None
    role: Literal["labeler", "lead"] = "labeler"
