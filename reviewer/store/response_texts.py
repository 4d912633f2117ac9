"""What is known of responses without showing them: their lengths, and how they begin."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from reviewer.store.project import Project

NO_RESPONSE = -1
"""The length of a response that is not there."""

_SPAN = 10_000
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ResponseSizes:
    """Keys of evaluations in ascending order, with revision and length in characters."""

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    revisions: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))


def read_sizes(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> ResponseSizes:
    """Read revisions and lengths of all evaluations from the first key to the last.

    `go_on` is called now and then; it may raise to stop reading.
    """
    columns = ResponseSizes()
    for first, last in _spans(*span):
        go_on()
        rows = project.conn.execute(
            f"SELECT id, revision, ifnull(length(response), {NO_RESPONSE}) "
            "FROM evaluations WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ).fetchall()
        if rows:
            keys, revisions, lengths = zip(*rows, strict=True)
            columns.keys.extend(keys)
            columns.revisions.extend(revisions)
            columns.lengths.extend(lengths)
    return columns


def read_beginnings(
    project: Project, keys: Sequence[int], size: int
) -> Iterator[list[tuple[int, str]]]:
    """Read how responses begin, block by block; evaluations without one are left out.

    Yields:
        Keys with at most `size` characters of the response.
    """
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        yield project.conn.execute(
            f"SELECT id, substr(response, 1, {size:d}) FROM evaluations "
            f"WHERE id IN ({marks}) AND response IS NOT NULL",
            tuple(some),
        ).fetchall()


def _spans(low: int, high: int) -> Iterator[tuple[int, int]]:
    for first in range(low, high + 1, _SPAN):
        yield first, min(first + _SPAN - 1, high)
