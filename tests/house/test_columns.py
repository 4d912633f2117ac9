"""A column of numbers says on hover what it counts, in one sentence."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "reviewer"


def bare(text: str) -> Iterator[str]:
    """Give the titles of columns of numbers without a sentence, or with half of one."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "Column":
            continue
        named = {x.arg: x.value for x in node.keywords}
        if "number" not in named:
            continue
        tip = named.get("tip")
        if tip is None or (isinstance(tip, ast.Constant) and not str(tip.value).endswith(".")):
            yield ast.unparse(node.args[0])


def test_every_column_of_numbers_has_a_sentence() -> None:
    found = {
        str(path.relative_to(ROOT)): titles
        for path in sorted(ROOT.rglob("*.py"))
        if (titles := list(bare(path.read_text("utf-8"))))
    }
    assert found == {}


def test_a_bare_column_is_found() -> None:
    assert list(bare("Column('n', 40, number=True)")) == ["'n'"]
    assert list(bare("Column('n', 40, number=True, tip='Labels')")) == ["'n'"]
    assert not list(bare("Column('n', 40, number=True, tip='Labels.')"))
    assert not list(bare("Column('name')"))
