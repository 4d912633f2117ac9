"""Records of a reader that an installed package brings: a function of a path, records out."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import Incoming
from reviewer.formats.record import checked

Read = Callable[[Path], Iterable[Mapping[str, Any]]]


def records(name: str, read: Read, file: Path) -> Iterator[Incoming]:
    """Read a file by a reader; the records are checked as those of our own format.

    Lines are numbers of records, from 1.

    Raises:
        FormatError: The reader raised, gave no records, or gave what JSON cannot say.
    """
    number = 0
    try:
        for number, fields in enumerate(read(file), start=1):
            # a copy in plain JSON: what the reader gave stays its own
            yield checked(json.loads(json.dumps(fields, allow_nan=False)), number)
    except FormatError:
        raise
    # whatever a stranger's reader does
    except Exception as error:
        why = " ".join(str(error).split()) or "no reason given"
        raise FormatError(
            f"The reader {name} failed on {file.name} after {number:,} records: "
            f"{type(error).__name__}: {why}"
        ) from error
    if not number:
        raise FormatError(f"The reader {name} found no record in {file.name}.")
