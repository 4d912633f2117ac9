"""Read files by what installed packages bring.

A reader is a function of a path that gives records, or an object with `title`, `recognise(path)`,
which says by what it knows a file and else None, and `read(path, progress)`. What it gives is a
record in the keys of the native format, or an exception: the reason why a row cannot be used.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import BadRow, Incoming
from reviewer.formats.record import checked
from reviewer.services.computer import plugins
from reviewer.services.computer.plugins import Brought, PackageError

_WHOLE: Final = 1_000_000


@dataclass
class Told:
    """How far a reader says that it is, as the source of its records."""

    path: Path
    size: int = _WHOLE
    _done: int = field(default=0, init=False)

    def position(self) -> int:
        """Give the share that the reader told, of `size`."""
        return self._done

    def read(self, _size: int = -1, /) -> bytes:
        """Give nothing: a package opens the file itself."""
        return b""

    def readline(self, _limit: int = -1, /) -> bytes:
        """Give nothing: a package opens the file itself."""
        return b""

    def __call__(self, done: float, total: float) -> None:
        """Take in that so much of the whole is read."""
        self._done = round(min(max(done / total, 0), 1) * self.size) if total > 0 else 0


@dataclass(frozen=True)
class PackageReader:
    """A reader of a package, for one file after another.

    Attributes:
        name: What `--format` takes.
        package: The package, with its version.
        reason: By what it knows the file.
    """

    name: str
    package: str
    reason: str
    _thing: Any

    @property
    def title(self) -> str:
        """Give what people call its format."""
        title = getattr(self._thing, "title", "")
        return title if isinstance(title, str) and title else self.name

    def records(self, file: Path) -> tuple[Told, Iterator[Incoming]]:
        """Give the records of a file, and how far the reading is.

        Raises:
            FormatError: The reader raised, gave no records, or gave what JSON cannot say.
        """
        told = Told(file)
        return told, self._records(file, told)

    def _records(self, file: Path, told: Told) -> Iterator[Incoming]:
        number = 0
        try:
            for number, given in enumerate(self._given(file, told), start=1):
                yield _row(given, number)
        except FormatError:
            raise
        # whatever a stranger's reader does
        except Exception as error:
            raise FormatError(
                f"The reader {self.name} failed on {file.name} after {number:,} records: "
                f"{type(error).__name__}: {_why(error)}"
            ) from error
        if not number:
            raise FormatError(f"The reader {self.name} found no record in {file.name}.")

    def _given(self, file: Path, told: Callable[[float, float], None]) -> Iterable[Any]:
        read = getattr(self._thing, "read", None)
        found: Iterable[Any] = self._thing(file) if read is None else read(file, told)
        return found


def _row(given: Any, number: int) -> Incoming:  # noqa: ANN401 - a stranger gives anything
    """Check a record; an exception in its place is the reason why there is none."""
    if isinstance(given, Exception):
        line, place = getattr(given, "line", number), getattr(given, "field", "")
        return BadRow(line if isinstance(line, int) else number, f"{place}", None, _why(given))
    # a copy in plain JSON: what the reader gave stays its own
    return checked(json.loads(json.dumps(given, allow_nan=False)), number)


def _why(error: Exception) -> str:
    return " ".join(str(error).split()) or "no reason given"


def named(name: str) -> PackageReader | None:
    """Give the reader that a package brings under a name; None where no package does.

    Raises:
        PackageError: It cannot be loaded, or two packages bring that name.
    """
    found = plugins.find("reader", name)
    return None if found is None else _reader(found, f"read by the package {found.package}")


def recognising(file: Path) -> tuple[PackageReader | None, tuple[str, ...]]:
    """Give the first reader by name that knows a file, and what kept others from looking."""
    problems = []
    for name in plugins.names("reader"):
        # a package that fails must not keep others' files from being read
        try:
            found = plugins.find("reader", name)
            reason = None if found is None else _look(found, file)
        except PackageError as error:
            problems.append(str(error))
            continue
        if found is not None and reason:
            return _reader(found, f"{reason} (by the package {found.package})"), tuple(problems)
    return None, tuple(problems)


def _look(found: Brought, file: Path) -> str | None:
    """Ask a reader by what it knows a file; a mere function knows none by itself."""
    try:
        look = getattr(_thing(found), "recognise", None)
        reason = None if look is None else look(file)
    # whatever a stranger's reader does
    except Exception as error:
        why = f"{type(error).__name__}: {_why(error)}"
        raise PackageError(
            f"The reader {found.title} could not look at {file.name}: {why}."
        ) from error
    return reason if isinstance(reason, str) else None


def _reader(found: Brought, reason: str) -> PackageReader:
    return PackageReader(found.name, found.package, reason, _thing(found))


def _thing(found: Brought) -> Any:  # noqa: ANN401 - a stranger brings anything
    """Give the object where a package names its class."""
    is_class = isinstance(found.thing, type) and hasattr(found.thing, "read")
    return found.thing() if is_class else found.thing
