"""Read ZIP archives without unpacking them to disk, and refuse those that would never end.

Newer tools pack with zstd (method 93), which Python's own `zipfile` knows from 3.14 on.
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from reviewer.domain.errors import CancelledError, FormatError
from reviewer.domain.wording import counted
from reviewer.formats.incoming import Source
from reviewer.formats.streams import open_plain

MOST_FILES = 200_000
LEAST_SUSPECT = 64 << 20
"""Unpacked bytes up to which nobody asks how well a file was packed."""
MOST_RATIO = 500
"""Times that a larger file may grow when it is unpacked; logs of text grow less than 100 times."""


class Member:
    """One file of an archive, unpacked while it is read."""

    def __init__(self, file: IO[bytes], name: str, archive: str) -> None:
        self._file = file
        self._name = name
        self._archive = archive

    def read(self, size: int = -1, /) -> bytes:
        """Read unpacked bytes; at the end, nothing."""
        return self._told(self._file.read, size)

    def readline(self, limit: int = -1, /) -> bytes:
        """Read one unpacked line with its line end, or at most `limit` bytes of it."""
        return self._told(self._file.readline, limit)

    def _told(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            return read(size)
        except CancelledError:
            raise
        # each way of packing has errors of its own, and damaged bytes reach every one of them
        except Exception as error:
            raise _damaged(self._name, self._archive, error) from error


class Archive:
    """An open ZIP archive; nothing of it is written anywhere."""

    def __init__(self, zipped: Any, name: str) -> None:  # noqa: ANN401 - of one of two modules
        self._zipped = zipped
        self._name = name
        self._members = {member.filename: member for member in zipped.infolist()}

    @property
    def names(self) -> tuple[str, ...]:
        """Give the names of its files, as they stand in its directory."""
        return tuple(self._members)

    @contextmanager
    def member(self, name: str) -> Iterator[Member]:
        """Open one file.

        Raises:
            FormatError: It is encrypted, damaged, or grows beyond what text does.
        """
        found = self._members[name]
        if found.flag_bits & 1:
            raise FormatError(f"{self._name}: {name} is encrypted; pack it without a password.")
        if found.file_size > max(LEAST_SUSPECT, found.compress_size * MOST_RATIO):
            times = found.file_size // max(found.compress_size, 1)
            raise FormatError(
                f"{self._name}: {name} would grow {times:,} times to {found.file_size >> 20:,} MB "
                "when unpacked, as no log does; it was not opened."
            )
        try:
            file = self._zipped.open(found)
        except CancelledError:
            raise
        except Exception as error:
            raise _damaged(name, self._name, error) from error
        with file:
            yield Member(file, name, self._name)


@contextmanager
def opened(source: Source) -> Iterator[Archive]:
    """Look into an archive whose bytes are read as they are.

    Raises:
        FormatError: It is damaged, or has more files than can be meant.
    """
    # loaded only where there is an archive
    from backports.zstd import zipfile

    name = source.path.name
    try:
        zipped = zipfile.ZipFile(cast(IO[bytes], source))
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError):
        raise FormatError(f"{name}: the archive is damaged; copy or download it again.") from None
    with zipped:
        if len(zipped.infolist()) > MOST_FILES:
            files = counted(len(zipped.infolist()), "file")
            raise FormatError(f"{name} holds {files}; at most {MOST_FILES:,} are read.")
        yield Archive(zipped, name)


def names(path: Path) -> tuple[str, ...]:
    """Give the names of an archive's files.

    Raises:
        FormatError: It cannot be opened, or is damaged.
    """
    with open_plain(path) as source, opened(source) as archive:
        return archive.names


def _damaged(name: str, archive: str, error: Exception) -> FormatError:
    if isinstance(error, NotImplementedError):
        return FormatError(f"{archive}: {name} is packed in a way that is not known here.")
    return FormatError(f"{archive}: {name} is damaged; copy or download the archive again.")
