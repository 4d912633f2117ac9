"""Tables and figures for people, on standard output."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from reviewer.cli.console import clean

DASH = "—"
WIDE = 200
"""Columns of output that goes to a file or another program, so that no cell is cut."""


def out(text: str = "") -> None:
    """Write a line on standard output."""
    sys.stdout.write(text + "\n")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table; columns whose heading ends in `>` are aligned right."""
    grid = Table(
        title=clean(title) or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in columns:
        right = column.endswith(">")
        grid.add_column(column.removesuffix(">"), justify="right" if right else "left")
    for row in rows:
        grid.add_row(*(clean(cell) for cell in row))
    console = _console()
    with console.capture() as written:
        console.print(grid)
    for line in written.get().splitlines():
        out(line.rstrip())


def _console() -> Console:
    plain = Console(markup=False, highlight=False, emoji=False)
    if plain.is_terminal:
        return plain
    return Console(markup=False, highlight=False, emoji=False, width=WIDE)


def number(value: float | None, digits: int = 2) -> str:
    """Give a figure with so many decimals, a dash where it is undefined."""
    return DASH if value is None else f"{value:,.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    """Give a difference with its sign, a dash where it is undefined."""
    if value is None:
        return DASH
    text = f"{value:+,.{digits}f}"
    return text if text.strip("+-0.,") else f"{0:.{digits}f}"


def percent(value: float | None) -> str:
    """Give a share in percent, a dash where it is undefined."""
    return DASH if value is None else f"{100 * value:.1f} %"


def interval(ends: Sequence[float | None] | None, digits: int = 2) -> str:
    """Give an interval in brackets, nothing where there is none."""
    if not ends or None in ends:
        return ""
    return f"[{number(ends[0], digits)}, {number(ends[1], digits)}]"


def with_interval(block: Mapping[str, Any], name: str) -> str:
    """Give a coefficient of an agreement block with its interval."""
    ends = interval(block.get("intervals", {}).get(name))
    return f"{number(block.get(name))} {ends}".strip()
