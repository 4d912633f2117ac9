"""No public name that the product never uses: what only tests use is dead."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = (*FUNCTIONS, ast.ClassDef)
# names that nobody in the product says
NEEDED = {
    "model_config": "pydantic reads it",
    "Choice.LIGHT": "a choice's members are read from its settings' text",
    "ModelForm.context_tokens": "a form reads all of its fields by their names",
}
# called by whoever installed the program
FOR_SCRIPTS = "reviewer.api"
# the table of commands: module and function of each
COMMANDS = "reviewer.cli.table"
# and what opens the window
WINDOW = "open_"


@dataclass
class Uses:
    """What is said anywhere: names of modules (home and name), and attributes of anything."""

    names: set[tuple[str, str]] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


@dataclass
class Module:
    """One module: what its names stand for, and what it says."""

    name: str
    tree: ast.Module
    known: frozenset[str]
    modules: dict[str, str] = field(default_factory=dict)
    names: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what is imported from where."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.modules.update((x.asname or x.name, x.name) for x in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    if whole in self.known:
                        self.modules[alias.asname or alias.name] = whole
                    else:
                        self.names[alias.asname or alias.name] = (node.module, alias.name)

    def say(self, node: ast.AST, inside: tuple[str, ...], uses: Uses) -> None:
        """Collect what a node says; what a block says of itself does not count."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if inside[:1] != (node.id,):
                uses.names.add(self.names.get(node.id, (self.name, node.id)))
            if len(inside) > 1:
                # what a class's body says of its own members
                uses.attributes.add(node.id)
        elif isinstance(node, ast.Attribute):
            if node.attr not in inside:
                uses.attributes.add(node.attr)
            home = self.modules.get(_dotted(node.value))
            if home:
                uses.names.add((home, node.attr))
        elif isinstance(node, ast.Constant) and self.name == COMMANDS:
            uses.names.update((f"reviewer.cli.{x}", str(node.value)) for x in self.stems())
        if isinstance(node, BLOCKS):
            inside = (*inside, node.name)
        for child in ast.iter_child_nodes(node):
            self.say(child, inside, uses)

    def stems(self) -> Iterator[str]:
        return (x.rpartition(".")[2] for x in self.known if x.startswith("reviewer.cli."))

    def defined(self) -> Iterator[str]:
        """Go through the public functions, classes and constants of the module."""
        for node in self.tree.body:
            yield from (x for x in _names(node) if not x.startswith("_"))

    def members(self) -> Iterator[tuple[str, str]]:
        """Go through the public methods and constants of its classes."""
        for node in self.tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            if any("Protocol" in ast.unparse(base) for base in node.bases):
                continue
            for part in node.body:
                if not (_overrides(part) or isinstance(part, ast.AnnAssign)):
                    yield from ((node.name, x) for x in _names(part) if not x.startswith("_"))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, BLOCKS):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (x.id for x in node.targets if isinstance(x, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _overrides(node: ast.stmt) -> bool:
    return isinstance(node, FUNCTIONS) and any(
        "override" in ast.unparse(mark) for mark in node.decorator_list
    )


def unused(root: Path) -> list[str]:
    """Name what no module below a folder uses, as home and name."""
    files = sorted((root / "reviewer").rglob("*.py"))
    paths = {
        re.sub(r"\.__init__$", "", ".".join(x.relative_to(root).with_suffix("").parts)): x
        for x in files
    }
    known = frozenset(paths)
    found = [Module(name, ast.parse(x.read_text("utf-8")), known) for name, x in paths.items()]
    uses = Uses()
    for module in found:
        module.say(module.tree, (), uses)
    dead = []
    for module in found:
        if module.name.startswith(FOR_SCRIPTS):
            continue
        dead += [
            f"{module.name}: {x}"
            for x in module.defined()
            if (module.name, x) not in uses.names and x != WINDOW
        ]
        dead += [
            f"{module.name}: {of}.{x}"
            for of, x in module.members()
            if x not in uses.attributes and not {x, f"{of}.{x}"} & set(NEEDED)
        ]
    return dead


def test_no_public_name_is_unused() -> None:
    assert unused(ROOT) == []


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("def alone() -> None:\n    alone()\n", "alone"),
        ("class Lonely:\n    pass\n", "Lonely"),
        ("LIMIT = 3\n", "LIMIT"),
        ("class Used:\n    def method(self) -> None:\n        self.method()\n", "Used.method"),
    ],
)
def test_what_is_unused_is_named(tmp_path: Path, more: str, named: str) -> None:
    (tmp_path / "reviewer").mkdir()
    used = "from reviewer.one import Used, told\n\ntold(Used)\n"
    (tmp_path / "reviewer" / "__main__.py").write_text(used)
    whole = "def told(x: object) -> None:\n    x.kept()\n\n\n" + more
    if "class Used" not in more:
        whole += "\n\nclass Used:\n    def kept(self) -> None:\n        pass\n"
    (tmp_path / "reviewer" / "one.py").write_text(whole)
    assert unused(tmp_path) == [f"reviewer.one: {named}"]
