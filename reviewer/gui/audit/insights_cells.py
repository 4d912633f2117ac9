"""Cells and tables that the topics of the numbers are shown with."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from reviewer.domain.wording import DASH, in_percent, p_words, short
from reviewer.gui.audit.words import ends
from reviewer.gui.kit.grid import Cell, Column
from reviewer.gui.kit.text import one_line
from reviewer.services.findings.insights_values import Keys

NAME_LENGTH = 40
TIED = ("tied",)
"""The row of evaluations without a majority, which no labeler can be called."""
Row = tuple[Hashable, tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Detail:
    """The table behind a line; without rows there is nothing to unfold.

    Attributes:
        figures: The few figures that stand beside the title.
        note: What the table cannot say, below it.
        opens: Whether a row leads to its responses.
        responses: The evaluations behind rows by the row's key, and a heading for their list.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()
    figures: str = ""
    note: str = ""
    opens: bool = False
    responses: Mapping[Hashable, tuple[Keys, str]] = field(default_factory=dict)


def signed(value: float) -> str:
    """Write a difference with its sign."""
    return f"+{short(value)}" if round(value, 2) > 0 else short(value)


def missing(reason: str | None = None) -> Cell:
    """Make the cell of a figure that is not there, with its reason."""
    return Cell(DASH, "muted", tip=reason or "")


def number(value: float | None, reason: str | None = None, role: str = "") -> Cell:
    """Make the cell of a figure."""
    return missing(reason) if value is None else Cell(short(value), role)


def whole(value: int | None, reason: str | None = None) -> Cell:
    """Make the cell of a count."""
    return missing(reason) if value is None else Cell(f"{value:,}")


def share(value: float | None, reason: str | None = None, role: str = "") -> Cell:
    """Make the cell of a share."""
    return missing(reason) if value is None else Cell(in_percent(value, 0), role)


def difference(value: float | None, low: float | None, high: float | None) -> Cell:
    """Make the cell of a difference with its interval below."""
    if value is None:
        return missing()
    spoken = ends(low, high)
    return Cell(signed(value), tip=f"95 % {spoken}" if spoken else "", below=spoken)


def person(name: str) -> Cell:
    """Make the cell of somebody's name."""
    return Cell(one_line(name, NAME_LENGTH), strong=True, tip=name)


def p_value(value: float | None) -> Cell:
    """Make the cell of a p value."""
    if value is None:
        return missing()
    return Cell(p_words(value))


def spoken(words: str) -> str:
    """Make a sentence of words."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""
