"""Rows of a report that are read from the project while they are written, never all at once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are read anew whenever somebody walks through them.

    Attributes:
        n: How many there are.
        read: Reads them, in their order.
    """

    n: int
    read: Callable[[], Iterator[Fields]]

    def __len__(self) -> int:
        """Count the rows without reading them."""
        return self.n

    def __iter__(self) -> Iterator[Fields]:
        """Read the rows."""
        return self.read()

    def __getitem__(self, place: int | slice) -> Any:  # noqa: ANN401 - a row or a list of them
        """Give some rows, as templates ask for them; all of them are read."""
        return list(self)[place]


def plain(value: Any) -> Any:  # noqa: ANN401 - any part of a document
    """Give a document with its rows read into lists."""
    if isinstance(value, Rows):
        return list(value)
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    return value
