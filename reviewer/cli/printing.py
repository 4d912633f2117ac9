"""Tables and figures for people, on standard output.

The minus is a plain hyphen here, so that what is copied is a number.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from reviewer.cli.console import clean, say, write
from reviewer.domain import wording
from reviewer.domain.values import JsonValue
from reviewer.domain.wording import DASH, fixed, in_percent

WIDE = 200
"""Columns of output that goes to a file or another program, so that no cell is cut."""


def out(text: str = "") -> None:
    """Write a line on standard output."""
    sys.stdout.write(text + "\n")


def answer(document: Mapping[str, Any], words: str, *, as_json: bool) -> None:
    """Write what came of a command: the document where that was asked for, else in words."""
    if as_json:
        write(document)
    else:
        out(words)


def tell(sentence: str, *, as_json: bool, **beside: JsonValue) -> None:
    """Say what was done; the document has the sentence, too, behind what is `beside` it."""
    say(sentence)
    if as_json:
        write({**beside, "text": sentence})


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table with its title above.

    Args:
        title: Empty for none.
        columns: Headings; those that end in `>` are aligned right.
        rows: A cell a column; columns in which no row has anything to say are left out.
    """
    cells = [[clean(cell) for cell in row] for row in rows]
    used = [place for place in range(len(columns)) if _says_something(cells, place)]
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place in used:
        right = columns[place].endswith(">")
        grid.add_column(columns[place].removesuffix(">"), justify="right" if right else "left")
    for row in cells:
        grid.add_row(*(row[place] for place in used))
    console = _console()
    with console.capture() as written:
        console.print(grid)
    if title:
        out(f"\n{clean(title)}")
    for line in written.get().splitlines():
        if line.strip():
            out(line.rstrip())


def _says_something(rows: Sequence[Sequence[str]], place: int) -> bool:
    return place == 0 or not rows or any(row[place] not in ("", DASH) for row in rows)


def _console() -> Console:
    plain = Console(markup=False, highlight=False, emoji=False)
    if plain.is_terminal:
        return plain
    return Console(markup=False, highlight=False, emoji=False, width=WIDE)


def number(value: float | None, digits: int = 2) -> str:
    """Give a figure with so many decimals, a dash where it is undefined."""
    return fixed(value, digits).replace("−", "-")


def signed(value: float | None, digits: int = 2) -> str:
    """Give a difference with its sign, a dash where it is undefined."""
    return DASH if value is None else wording.signed(value, digits).replace("−", "-")


def percent(value: float | None) -> str:
    """Give a share in percent, a dash where it is undefined."""
    return in_percent(value).replace("−", "-")


def interval(ends: Sequence[float | None] | None, digits: int = 2) -> str:
    """Give an interval in brackets, nothing where there is none."""
    if not ends or None in ends:
        return ""
    return f"[{number(ends[0], digits)}, {number(ends[1], digits)}]"


def shown(entry: Mapping[str, Any], write: Callable[[float | None], str]) -> str:
    """Give a band or an adjusted score: the number with its mark, or the labels of how many."""
    if entry["value"] is not None:
        return write(entry["value"]) + (f" ({entry['mark']})" if "mark" in entry else "")
    return f"{DASH} {entry['n']:,} of {entry['of']:,}" if "of" in entry else DASH


def with_interval(block: Mapping[str, Any], name: str) -> str:
    """Give a coefficient of an agreement block with its interval."""
    ends = interval(block.get("intervals", {}).get(name))
    return f"{number(block.get(name))} {ends}".strip()
