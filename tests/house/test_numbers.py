"""Numbers are written in one place: nothing else knows decimals, percent or exponents."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "reviewer"
HOME = "domain/wording.py"
# what somebody typed, written so that it can be read again
TYPED = "gui/kit/number_field.py"
PRECISE = re.compile(r"\.(\d|\{)|[eE%]$")


def precise(text: str) -> Iterator[int]:
    """Give the lines that write a number with so many decimals or digits."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            parts = node.format_spec.values
            spec = "".join(str(x.value) if isinstance(x, ast.Constant) else "{}" for x in parts)
            # a date is no number
            if PRECISE.search(spec) and "%Y" not in spec:
                yield node.lineno


def test_only_one_module_knows_decimals() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted(ROOT.rglob("*.py"))
        if (lines := list(precise(path.read_text("utf-8"))))
    }
    assert found.keys() == {HOME, TYPED}


@pytest.mark.parametrize(
    "line", ["f'{x:.2f}'", "f'{x:,.1f} %'", "f'{x:.0%}'", "f'{x:+.{digits}f}'", "f'{x:.3g}'"]
)
def test_a_planted_format_is_found(line: str) -> None:
    assert list(precise(line)) == [1]


def test_counts_texts_and_dates_are_free() -> None:
    assert not list(precise("f'{n:,} {name:16} {limit:g} {day:%Y-%m-%d} {code:04X}'"))


def scale_names(text: str) -> Iterator[int]:
    """Give the lines that ask for a scale by its name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = any(isinstance(x, ast.Attribute) and x.attr == "scale" for x in sides)
            named = any(
                isinstance(y, ast.Constant) and isinstance(y.value, str)
                for x in sides
                for y in ast.walk(x)
            )
            if asked and named:
                yield node.lineno


def test_only_the_domain_asks_for_a_scale_by_name() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted(ROOT.rglob("*.py"))
        if (lines := list(scale_names(path.read_text("utf-8"))))
    }
    assert {path for path in found if not path.startswith("domain/")} == set()


@pytest.mark.parametrize("line", ["x.scale == 'binary'", "metric.scale in ('range', 'measure')"])
def test_a_planted_scale_is_found(line: str) -> None:
    assert list(scale_names(line)) == [1]
