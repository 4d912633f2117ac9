"""Published and independently computed figures, and projects that reproduce them.

What is compared goes through the command line only: `reviewer import`, then `reviewer stats`.
"""

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main

Block = Mapping[str, Any]
MAPPINGS = Path(__file__).resolve().parents[1] / "mappings"
ROUNDED = 0.00005 + 1e-9
"""The figures compared with are rounded to four decimals."""


def reference(shared_data: Path, *keys: str) -> Any:
    """Give one part of the independently computed figures."""
    part = _reference(shared_data / "reference.json")
    for key in keys:
        part = part[key]
    return part


@cache
def _reference(path: Path) -> Any:
    if not path.exists():
        pytest.skip("needs the figures to compare with, ../shared/data/reference.json")
    return json.loads(path.read_text())


def levels(name: str, metrics: Sequence[str], grid: Sequence[int]) -> str:
    """Write a rubric whose metrics have these levels."""
    steps = "".join(f'[[metrics.levels]]\nvalue = {x}\ntitle = "{x}"\n' for x in grid)
    blocks = [f'[[metrics]]\nname = "{metric}"\nscale = "ordinal"\n{steps}' for metric in metrics]
    return f'name = "{name}"\nversion = "1"\npass_rule = "none"\n' + "".join(blocks)


def ranges(name: str, metrics: Sequence[str], low: float, high: float) -> str:
    """Write a rubric whose metrics take any number from low to high."""
    blocks = [
        f'[[metrics]]\nname = "{metric}"\nscale = "range"\nmin = {low}\nmax = {high}\n'
        for metric in metrics
    ]
    return f'name = "{name}"\nversion = "1"\npass_rule = "none"\n' + "".join(blocks)


def yes_or_no(name: str, metric: str) -> str:
    """Write a rubric of one metric that passes with yes."""
    rule = f'name = "{name}"\nversion = "1"\npass_rule = "every"\n'
    return f'{rule}[[metrics]]\nname = "{metric}"\nscale = "binary"\npass_at = 1\n'


class Tables:
    """One project, filled and read through the command line."""

    def __init__(self, folder: Path, data: Path) -> None:
        self._folder = folder
        self._data = data
        self._documents: dict[tuple[str, ...], Block] = {}

    def take(
        self, file: str, mapping: str | None = None, rubric: str | None = None, run: str = "all"
    ) -> Block:
        """Import the files of a name or pattern; a rubric is given as text.

        Without a mapping they are read as what they are recognised as.
        """
        files = sorted(self._data.glob(file))
        if not files:
            pytest.skip(f"needs {file} in ../shared/data")
        chosen: list[str | Path] = ["--run", run]
        if mapping is not None:
            chosen += ["--mapping", MAPPINGS / f"{mapping}.toml"]
        if rubric is not None:
            path = self._folder / "rubric.toml"
            path.write_text(rubric)
            chosen += ["--rubric", path]
        return self._run("import", self._project, *files, *chosen)

    def stats(self, *options: str) -> Block:
        """Give the document of figures, every date in it."""
        if options not in self._documents:
            self._documents[options] = self._run(
                "stats", self._project, "--window-months", "none", *options
            )
        return self._documents[options]

    def metric(self, name: str, *options: str) -> Block:
        """Give one metric's figures."""
        found: Block = self.stats(*options)["metrics"][name]
        return found

    def judge(self, name: str, *options: str) -> Block:
        """Give one metric's agreement of judge and people."""
        found: Block = self.metric(name, *options)["agreement"]["judge_human"]
        return found

    def people(self, name: str, *options: str) -> Block:
        """Give one metric's agreement of people."""
        found: Block = self.metric(name, *options)["agreement"]["human_human"]
        return found

    @property
    def _project(self) -> Path:
        return self._folder / "tables.review"

    def _run(self, *arguments: str | Path) -> Block:
        out, told = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
            code = main([str(argument) for argument in (*arguments, "--json")])
        assert code == 0, told.getvalue()
        document: Block = json.loads(out.getvalue())
        return document


def labelers(*names: str) -> tuple[str, ...]:
    """Give the options that restrict the figures to these people."""
    return tuple(part for name in names for part in ("--labeler", name))


def compare(found: Block, expected: Block, names: Mapping[str, str] | Sequence[str]) -> None:
    """Hold figures against expected ones; names that differ stand as found: expected."""
    pairs = names.items() if isinstance(names, Mapping) else zip(names, names, strict=True)
    wrong = {
        mine: (found[mine], expected[theirs])
        for mine, theirs in pairs
        if found[mine] is None or abs(found[mine] - expected[theirs]) > ROUNDED
    }
    assert not wrong, wrong
