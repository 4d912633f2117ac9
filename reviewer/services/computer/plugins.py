"""What installed packages bring: scorers, judges, bots, readers.

A package names them in its metadata, in the groups `reviewer.scorers`, `reviewer.judges`,
`reviewer.bots` and `reviewer.readers`. They are loaded in processes of their own only.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from math import inf
from typing import Any, Final, Literal

from reviewer.domain.errors import ReviewerError

Kind = Literal["scorer", "judge", "bot", "reader"]
GROUPS: Final[dict[Kind, str]] = {
    "scorer": "reviewer.scorers",
    "judge": "reviewer.judges",
    "bot": "reviewer.bots",
    "reader": "reviewer.readers",
}
LONGEST_REASON: Final = 1_000
"""Characters of what a stranger's error says."""


class PackageError(ReviewerError):
    """Report that what a package brings cannot be loaded or used."""


@dataclass(frozen=True, slots=True)
class Brought:
    """Something that a package brings, not loaded.

    Attributes:
        package: The package, with its version.
        entry: Where its code is.
    """

    name: str
    package: str
    version: str
    entry: EntryPoint

    @property
    def title(self) -> str:
        """Name it with its package, as in sentences."""
        return f"{self.name} of {self.package}"

    @property
    def place(self) -> str:
        """Give the folder that the package is in, empty where that is not known."""
        return f"{self.entry.dist.locate_file('')}" if self.entry.dist else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that a package names, not loaded; `package` has the version, too."""

    name: str
    package: str


def offers(kind: Kind) -> tuple[Offer, ...]:
    """Give what packages bring, by name, without loading any of it.

    Where several packages bring one name it is offered once, with all of them.
    """
    found: dict[str, set[str]] = {}
    for entry in _entries(kind):
        found.setdefault(entry.name, set()).add(_package(entry))
    return tuple(Offer(name, " and ".join(sorted(found[name]))) for name in sorted(found))


def names(kind: Kind) -> tuple[str, ...]:
    """Give the names of what packages bring, without loading any of it."""
    return tuple(sorted({entry.name for entry in _entries(kind)}))


def package_of(kind: Kind, name: str) -> str:
    """Give the package, with its version, that brings something; empty where none does."""
    return next((x.package for x in offers(kind) if x.name == name), "")


def find(kind: Kind, name: str) -> Brought | None:
    """Find what a package brings under a name; None where no package does.

    Raises:
        PackageError: Two packages bring that name.
    """
    found = [entry for entry in _entries(kind) if entry.name == name]
    if not found:
        return None
    packages = sorted({_package(entry) for entry in found})
    if len(packages) > 1:
        raise PackageError(
            f"The packages {' and '.join(packages)} both bring a {kind} {name!r}; remove one."
        )
    entry = found[0]
    return Brought(name, packages[0], entry.dist.version if entry.dist else "0", entry)


def load(kind: Kind, found: Brought) -> Any:  # noqa: ANN401 - a stranger brings anything
    """Run the code of a package and give what it brings: a function, or an object that has one.

    Raises:
        PackageError: It cannot be loaded, or is nothing that could be called.
    """
    try:
        thing = found.entry.load()
        if kind == "reader" and isinstance(thing, type) and hasattr(thing, "read"):
            thing = thing()
    # whatever a stranger's module does while it loads; SystemExit would look like a crash
    except (Exception, SystemExit) as error:
        raise PackageError(f"{_of(kind, found)} cannot be loaded: {why(error)}") from error
    if not any(callable(getattr(thing, way, None)) for way in ("__call__", "run", "read")):
        raise PackageError(f"{_of(kind, found)} is no function: {found.entry.value}.")
    return thing


def _of(kind: Kind, found: Brought) -> str:
    return f"The {kind} {found.name!r} of the package {found.package}"


def why(error: BaseException) -> str:
    """Say what a stranger's code raised, and why."""
    return f"{type(error).__name__}: {reason_of(error)}"


def reason_of(error: BaseException) -> str:
    """Give the reason that an error of a stranger's code states."""
    try:
        said = " ".join(str(error).split())
    # an error may not even be able to say what it is
    except Exception:  # noqa: BLE001
        said = ""
    return said[:LONGEST_REASON] or "no reason given"


def about(thing: object) -> dict[str, Any]:
    """Describe what was loaded in JSON values, to be told to another process.

    `parameters` are the names that a function takes, None where it takes every one.
    """
    limits = {x: _number(getattr(thing, x, None)) for x in ("seconds", "memory_mb")}
    metrics, title = getattr(thing, "metrics", None), getattr(thing, "title", "")
    is_listed = isinstance(metrics, list | tuple) and all(isinstance(x, str) for x in metrics)
    return {
        **limits,
        "title": title if isinstance(title, str) else "",
        "metrics": list(metrics) if is_listed and metrics is not None else None,
        "parameters": _parameters(function_of(thing)),
        "recognises": callable(getattr(thing, "recognise", None)),
    }


def function_of(thing: Any) -> Callable[..., Any]:  # noqa: ANN401 - a stranger brings anything
    """Give what is called of a scorer, judge or bot."""
    function: Callable[..., Any] = getattr(thing, "run", thing)
    return function


def _number(said: object) -> float | None:
    is_one = isinstance(said, int | float) and not isinstance(said, bool) and 0 < said < inf
    return float(said) if is_one and isinstance(said, int | float) else None


def _parameters(function: Callable[..., Any]) -> list[str] | None:
    try:
        named = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    is_open = any(x.kind is inspect.Parameter.VAR_KEYWORD for x in named.values())
    return None if is_open else list(named)


def _entries(kind: Kind) -> Iterable[EntryPoint]:
    return entry_points(group=GROUPS[kind])


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
