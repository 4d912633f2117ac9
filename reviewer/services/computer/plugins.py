"""What installed packages bring: scorers, judges, bots, readers, loaded when asked for.

A package names them in its metadata, in the groups `reviewer.scorers`, `reviewer.judges`,
`reviewer.bots` and `reviewer.readers`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Literal

from reviewer.domain.errors import ReviewerError

Kind = Literal["scorer", "judge", "bot", "reader"]
GROUPS: Final[dict[Kind, str]] = {
    "scorer": "reviewer.scorers",
    "judge": "reviewer.judges",
    "bot": "reviewer.bots",
    "reader": "reviewer.readers",
}


class PackageError(ReviewerError):
    """Report that what a package brings cannot be loaded or used."""


@dataclass(frozen=True, slots=True)
class Brought:
    """Something of a package, loaded.

    Attributes:
        thing: The function or object that the package names.
        package: The package, with its version.
    """

    name: str
    thing: Any
    package: str
    version: str

    @property
    def title(self) -> str:
        """Name it with its package, as in sentences."""
        return f"{self.name} of {self.package}"


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
    """Load what a package brings under a name; None where no package does.

    Raises:
        PackageError: It cannot be loaded, is nothing that could be called, or two packages bring
            that name.
    """
    found = [entry for entry in _entries(kind) if entry.name == name]
    if not found:
        return None
    packages = sorted({_package(entry) for entry in found})
    if len(packages) > 1:
        raise PackageError(
            f"The packages {' and '.join(packages)} both bring a {kind} {name!r}; remove one."
        )
    return _loaded(kind, found[0])


def _entries(kind: Kind) -> Iterable[EntryPoint]:
    return entry_points(group=GROUPS[kind])


def _loaded(kind: Kind, entry: EntryPoint) -> Brought:
    package = _package(entry)
    try:
        thing = entry.load()
    # whatever a stranger's module does while it loads
    except Exception as error:
        why = " ".join(str(error).split()) or "no reason given"
        raise PackageError(
            f"The {kind} {entry.name!r} of the package {package} cannot be loaded: "
            f"{type(error).__name__}: {why}"
        ) from error
    if not any(hasattr(thing, way) for way in ("__call__", "prepare", "run", "read")):
        raise PackageError(
            f"The {kind} {entry.name!r} of the package {package} is no function: {entry.value}."
        )
    return Brought(entry.name, thing, package, entry.dist.version if entry.dist else "0")


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
