"""Read files by what installed packages bring.

A reader is a function of a path that gives records, or an object with `title`, `recognise(path)`,
which says by what it knows a file and else None, and `read(path, progress)`. What it gives is a
record in the keys of the native format, or an exception: the reason why a row cannot be used. Its
code runs in a process of its own with limits.
"""

import json
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from reviewer.confined.process import (
    START_SECONDS,
    EndedError,
    Heed,
    OverdueError,
    Processes,
    greedy,
)
from reviewer.domain.errors import CancelledError, FormatError, Progress
from reviewer.domain.wording import counted
from reviewer.formats.incoming import BadRow, Incoming
from reviewer.formats.record import checked
from reviewer.services.computer import packaged, plugins
from reviewer.services.computer.packaged import About
from reviewer.services.computer.plugins import Brought, PackageError
from reviewer.services.transfer.import_report import STOPPED

LOOK_SECONDS: Final = 10.0
"""How long a reader may take until it is loaded, and then to say whether it knows a file."""
_WHOLE: Final = 1_000_000
_OVERDUE: Final[dict[str, str]] = {}
"""Which readers hung over a file; they look at no other one."""


@dataclass
class Told:
    """How far a reader says that it is, as the source of its records."""

    path: Path
    size: int = _WHOLE
    done: int = field(default=0, init=False)

    def position(self) -> int:
        """Give the share that the reader told, of `size`."""
        return self.done

    def read(self, _size: int = -1, /) -> bytes:
        """Give nothing: a package opens the file itself."""
        return b""

    def readline(self, _limit: int = -1, /) -> bytes:
        """Give nothing: a package opens the file itself."""
        return b""

    @contextmanager
    def again(self) -> Iterator["Told"]:
        """Give nothing once more."""
        yield self


@dataclass(frozen=True)
class PackageReader:
    """A reader of a package, for one file after another.

    Attributes:
        name: What `--format` takes.
        title: What people call its format.
        reason: By what it knows the file.
    """

    name: str
    title: str
    reason: str
    _processes: Processes
    _memory: int

    def records(
        self, file: Path, progress: Progress
    ) -> tuple[Told, Generator[Incoming, None, None]]:
        """Give the records of a file, and how far the reading is; close them if not read whole.

        Raises:
            CancelledError: Nobody waits for them any more.
            FormatError: The reader raised, gave no records, took too long or too much, or took its
                process down.
        """
        told = Told(file)
        return told, self._records(file, told, _heed(progress))

    def _records(self, file: Path, told: Told, heed: Heed) -> Generator[Incoming, None, None]:
        number, why = 0, ""
        try:
            with closing(self._processes.follow(_asked("read", file), heed)) as lines:
                for line in lines:
                    sign, rest = line[:1], line[1:]
                    if sign == b"+":
                        number += 1
                        yield _record(rest, number)
                    elif sign == b"-":
                        number += 1
                        yield _bad(rest)
                    elif sign == b"%":
                        told.done = int(rest)
                    else:
                        why = self._why(json.loads(rest))
        except EndedError as error:
            why = f"it {error}"
        finally:
            self._processes.close()
        if why:
            after = counted(number, "record")
            raise FormatError(f"The reader {self.name} failed on {file.name} after {after}: {why}")
        if not number:
            raise FormatError(f"The reader {self.name} found no record in {file.name}.")

    def _why(self, said: dict[str, Any]) -> str:
        return f"it {greedy(self._memory)}" if "greedy" in said else f"{said['error']}"


def _asked(what: str, file: Path) -> bytes:
    return json.dumps({"do": what, "file": f"{file.absolute()}"}).encode()


def _heed(progress: Progress) -> Heed:
    def heed() -> None:
        if progress.cancelled:
            raise CancelledError(STOPPED)

    return heed


def _record(line: bytes, number: int) -> Incoming:
    try:
        return checked(msgspec.json.decode(line), number, careful=False)
    except msgspec.DecodeError:
        # such as half of a surrogate pair
        return checked(json.loads(line), number)


def _bad(line: bytes) -> BadRow:
    place, name, reason = json.loads(line)
    return BadRow(place, name, None, reason)


def named(name: str, progress: Progress) -> PackageReader | None:
    """Give the reader that a package brings under a name; None where no package does.

    Raises:
        CancelledError: Nobody waits for it any more.
        PackageError: It cannot be loaded, or two packages bring that name.
    """
    found = plugins.find("reader", name)
    if found is None:
        return None
    about = packaged.about("reader", found, _heed(progress))
    return _reader(found, about, f"read by the package {found.package}")


def recognising(file: Path, progress: Progress) -> tuple[PackageReader | None, tuple[str, ...]]:
    """Give the first reader by name that knows a file, and what kept others from looking.

    Raises:
        CancelledError: Nobody waits for it any more.
    """
    problems = []
    for name in plugins.names("reader"):
        # a package that fails must not keep others' files from being read
        try:
            reader = _look(name, file, _heed(progress))
        except PackageError as error:
            problems.append(str(error))
        else:
            if reader is not None:
                return reader, tuple(problems)
    return None, tuple(problems)


def _look(name: str, file: Path, heed: Heed) -> PackageReader | None:
    """Ask a reader by what it knows a file; a mere function knows none by itself."""
    found = plugins.find("reader", name)
    if found is None:
        return None
    if found.title in _OVERDUE:
        raise PackageError(_OVERDUE[found.title])
    about = packaged.about("reader", found, heed, LOOK_SECONDS)
    if not about.recognises:
        return None
    looking = about._replace(seconds=min(about.seconds, LOOK_SECONDS))
    processes = _processes(found, looking, LOOK_SECONDS)
    try:
        said = json.loads(processes.ask(_asked("look", file), heed))
        why = said.get("error") or ("greedy" in said and greedy(about.memory))
    except OverdueError as error:
        why = f"it {error} It looks at no other file until the program is started anew"
        _OVERDUE[found.title] = _unable(found, file, why)
    except EndedError as error:
        why = f"it {error}"
    finally:
        processes.close()
    if why:
        raise PackageError(_unable(found, file, why))
    reason = said["reason"]
    return _reader(found, about, f"{reason} (by the package {found.package})") if reason else None


def _unable(found: Brought, file: Path, why: str) -> str:
    return f"The reader {found.title} could not look at {file.name}: {why.removesuffix('.')}."


def _reader(found: Brought, about: About, reason: str) -> PackageReader:
    title = about.title or found.name
    return PackageReader(found.name, title, reason, _processes(found, about), about.memory)


def _processes(found: Brought, about: About, loading: float = START_SECONDS) -> Processes:
    return packaged.processes_of(
        "reader", found, seconds=about.seconds, memory=about.memory, loading=loading
    )
