"""What a system's own report says beside the fields of every report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from reviewer.reports.document import Fields
from reviewer.reports.wording import number

MOST_ROWS: Final = 50
LISTED: Final = 12
"""Responses that are named of many."""


class Table(NamedTuple):
    """A table under its title, with what is to be known of it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def of(self, n: int) -> "Table":
        """Give as many rows as a report shows, and say how many of `n` stand elsewhere."""
        more = n - MOST_ROWS
        said = f"{more:,} more rows stand in the JSON report." if more > 0 else ""
        note = " ".join(x for x in (self.note, said) if x)
        return self._replace(rows=self.rows[:MOST_ROWS], note=note)


def _no_tables() -> tuple[Table, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class OwnPart:
    """What a system says of a run.

    Attributes:
        document: In the system's own field names; lists of responses are `Rows`.
        tables: Makes the tables of HTML and Markdown, which may read texts.
    """

    document: Fields
    tables: Callable[[], Sequence[Table]] = _no_tables


def named_of(ids: Sequence[str]) -> str:
    """Name responses, of many the first."""
    more = len(ids) - LISTED
    return ", ".join(ids[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def two(value: float | None) -> str:
    """Write a score with two decimals."""
    return number(value)
