"""The parts of which a report for readers is put together, whatever it is written as.

A section is declared once; HTML, Markdown and print write each kind of part in their own way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from reviewer.domain.wording import upper_first
from reviewer.reports.charts import Drawing
from reviewer.reports.document import MOST_ROWS
from reviewer.reports.evidence import ToldCase

Role = Literal["", "auto", "human", "adjusted", "alert", "muted"]
"""What a text is of or says, never by its colour alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text, quieter lines below, and why it is a dash where it is one."""

    text: str
    role: Role = ""
    below: Sequence[str] = ()
    tip: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column, and whether it holds numbers, which stand right."""

    title: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    kind: ClassVar[str] = "grid"
    columns: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]

    def cut(self) -> "Grid":
        """Leave out what a report does not show."""
        return replace(self, rows=self.rows[:MOST_ROWS])

    def named_once(self, place: int) -> "Grid":
        """Name a column after its coefficient where the first lines below all have the same."""
        names = {row[place].below[0] for row in self.rows if row[place].below}
        if len(names) != 1:
            return self
        columns = list(self.columns)
        columns[place] = replace(columns[place], title=upper_first(names.pop())[:-1])
        rows = [
            [
                replace(cell, below=cell.below[1:]) if at == place else cell
                for at, cell in enumerate(row)
            ]
            for row in self.rows
        ]
        return Grid(columns, rows)


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph; one without weight stands smaller."""

    kind: ClassVar[str] = "words"
    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Entries:
    """Names, each with what is said of it."""

    kind: ClassVar[str] = "entries"
    entries: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines for a terminal."""

    kind: ClassVar[str] = "commands"
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, its legend, and the same as a table where no other table says it.

    Another one may stand beside a half one.
    """

    kind: ClassVar[str] = "picture"
    drawing: Drawing
    legend: Sequence[tuple[Role, str]]
    title: str = ""
    table: Grid | None = None
    half: bool = False


@dataclass(frozen=True, slots=True)
class Cases:
    """Responses with what judge and people say of them."""

    kind: ClassVar[str] = "cases"
    cases: Sequence[ToldCase]


Part = Grid | Words | Entries | Commands | Picture | Cases


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its parts; `anchor` names its place in a page."""

    title: str
    parts: Sequence[Part]


def below(*lines: str) -> tuple[str, ...]:
    """Give the lines below a figure that have something to say."""
    return tuple(filter(None, lines))


def right(*titles: str) -> list[Heading]:
    """Give headings of numbers."""
    return [Heading(title, number=True) for title in titles]
