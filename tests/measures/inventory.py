"""Everything that people and scripts can name: nothing of it may vanish while rooms are moved.

    python -m tests.measures.inventory FOLDER > before.txt       FOLDER is one of golden.py

Commands with their options, keys, settings, options of figures, pages, sections, and the keys of
JSON documents in the answers of the golden folder, one a line.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from reviewer.cli.program import program
from reviewer.cli.table import COMMANDS
from reviewer.gui.actions import EVERY
from reviewer.gui.audit.page import SECTIONS as AUDIT
from reviewer.gui.pages import PAGES
from reviewer.gui.runs.page import CARDS
from reviewer.gui.runs.page import SECTIONS as RUNS
from reviewer.services.computer.settings import TABLE
from reviewer.stats.deviations import CHOICES


def lines(golden: Path) -> Iterator[str]:
    """Give every name, its kind first."""
    yield from _tables()
    keys: set[str] = set()
    for path in golden.rglob("*"):
        if path.is_file():
            keys.update(_keys(path))
    yield from sorted(keys)


def _tables() -> Iterator[str]:
    for name in COMMANDS:
        for option in _options(name):
            yield f"command {name} {' '.join((*option.opts, *option.secondary_opts))}"
    for command in EVERY:
        told = (command.title, command.scope.value)
        yield f"key {command.id} {' '.join(command.keys)} | {' | '.join(told)}"
    for setting in TABLE:
        yield f"setting {setting.name} {setting.default!r} {dict(setting.choices)}"
    for name, values in CHOICES.items():
        yield f"option {name} {values}"
    for page in PAGES:
        yield f"page {page.id}"
    for title, sections in (("audit", AUDIT), ("runs", (*RUNS, *CARDS))):
        for section in sections:
            yield f"section {title} {section.title}"


def _options(name: str) -> list[Any]:
    made: Any = typer.main.get_command(program([name]))
    found: list[Any] = made.commands[name].params
    return found


def _keys(path: Path) -> Iterator[str]:
    kind = re.sub(r"^(file )?\d+ ", "", path.name).split()[0]
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return
    for one in _walked(found):
        yield f"json {kind} {one}"


def _walked(value: Any, place: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{place}.{name}"
            yield from _walked(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from _walked(inner, f"{place}[]")


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines(Path(sys.argv[1])))
