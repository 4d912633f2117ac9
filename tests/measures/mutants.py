"""Faults of one line at random places: how many of them the tests notice.

    pip install pytest-cov                                 for the map alone
    python -m tests.measures.mutants map FOLDER            which test runs which line; once
    python -m tests.measures.mutants try FOLDER            a seeded sample of 200, in copies
    python -m tests.measures.mutants told FOLDER           what was noticed, room by room

A fault flips a comparison, changes a constant or a sign, negates a condition, or removes a call.
Each is tried with the tests that run its line, those of its own room first, until one fails. What
survives is listed with its line: it is a hole in the tests, or a fault that changes nothing (an
equal). Lines that only another process runs are tried with all tests of their room.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FLIPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in",
    "not in": "in", "is": "is not", "is not": "is",
}  # fmt: skip
SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*"}
COMPARISONS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
TESTS, SECONDS = 40, 300
"""How many tests a fault is tried with at most, and for how long."""


@dataclass(frozen=True)
class Fault:
    """One line written otherwise."""

    path: str
    line: int
    before: str
    after: str

    @property
    def room(self) -> str:
        parts = Path(self.path).parts[1:-1]
        return "/".join(parts[:2]) if parts and parts[0] in ("gui", "services") else parts[0]


def faults(path: Path) -> Iterator[Fault]:
    """Give every fault of one line that a module can have."""
    text = path.read_text()
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.expr | ast.stmt) or node.lineno != node.end_lineno:
            continue
        line = lines[node.lineno - 1]
        start, end = (
            len(line.encode()[:column].decode())
            for column in (node.col_offset, node.end_col_offset or 0)
        )
        # places in f-strings are not where the tree says, and pixels are looked at
        if "px(" in line or not _says(line[start:end], node):
            continue
        for words in _otherwise(node):
            after = line[:start] + words + line[end:]
            if after != line:
                yield Fault(str(path.relative_to(ROOT)), node.lineno, line, after)


def _says(words: str, node: ast.AST) -> bool:
    try:
        return ast.unparse(ast.parse(words.strip())) == ast.unparse(node)
    except SyntaxError:
        return False


def _otherwise(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            sign = COMPARISONS[type(op)]
            yield f"{ast.unparse(left)} {FLIPPED[sign]} {ast.unparse(right)}"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            if not any(
                isinstance(x, ast.Constant | ast.JoinedStr)
                and isinstance(getattr(x, "value", ""), str)
                for x in (left, right)
            ):
                sign = SIGNS[OPERATORS[type(op)]]
                yield f"({ast.unparse(left)} {sign} {ast.unparse(right)})"
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() | float() as value):
            yield repr(value + 1)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield ast.unparse(operand)
        case ast.BoolOp(op=op, values=values):
            sign = " or " if isinstance(op, ast.And) else " and "
            yield "(" + sign.join(f"({ast.unparse(x)})" for x in values) + ")"
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            # what Qt is told, in names of its own, is looked at
            if name.islower():
                yield "pass"


def drawn(count: int, seed: int) -> list[Fault]:
    """Draw faults: a room by its number of places, no line twice."""
    every = [x for path in sorted((ROOT / "reviewer").rglob("*.py")) for x in faults(path)]
    random.Random(seed).shuffle(every)  # noqa: S311 - nothing is kept secret
    found: dict[tuple[str, int], Fault] = {}
    for one in every:
        found.setdefault((one.path, one.line), one)
        if len(found) == count:
            break
    return list(found.values())


def map_lines(folder: Path) -> None:
    """Run the whole suite and keep which test runs which line."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "coverage.ini"
    settings.write_text(
        f"[run]\nsource = {ROOT / 'reviewer'}\nparallel = true\npatch = subprocess\n"
        f"data_file = {folder / 'lines'}\n"
    )
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadscope", "--cov=reviewer",
         "--hypothesis-profile", "house", "--cov-context=test", f"--cov-config={settings}",
         "--cov-report="],
        cwd=ROOT, check=False, env=os.environ | {"COVERAGE_CORE": "ctrace"},
    )  # fmt: skip


def tests_of(folder: Path) -> dict[tuple[str, int], list[str]]:
    """Give the tests that run each line, by their names; none where another process runs it."""
    from coverage import CoverageData  # type: ignore[import-not-found]

    data = CoverageData(str(folder / "lines"))
    data.read()
    found: dict[tuple[str, int], list[str]] = {}
    for file in data.measured_files():
        path = str(Path(file).relative_to(ROOT))
        for line, contexts in data.contexts_by_lineno(file).items():
            # a line that is run while its module loads belongs to whoever loaded it first
            found[path, line] = sorted(
                {x.partition("|")[0].partition("[")[0] for x in contexts if x}
            )
    return found


def try_all(folder: Path, count: int, seed: int, part: int, parts: int) -> None:
    """Try a part of a sample in a copy of the checkout; nothing is tried again."""
    known, tree = tests_of(folder), folder / f"tree-{part}"
    results = folder / f"results-{seed}-{part}.jsonl"
    done = {(x["path"], x["line"]) for x in _read(folder, seed)}
    if not tree.exists():
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__"))
        (tree / ".git").mkdir()
    for place, one in enumerate(drawn(count, seed)):
        if place % parts != part or (one.path, one.line) in done:
            continue
        told = _tried(tree, one, known.get((one.path, one.line), []))
        with results.open("a") as out:
            out.write(json.dumps(asdict(one) | told) + "\n")
        sys.stdout.write(f"{told['outcome']:9} {one.path}:{one.line} {one.after.strip()}\n")
        sys.stdout.flush()


def _tried(tree: Path, fault: Fault, tests: list[str]) -> dict[str, object]:
    room = Path("tests", *Path(fault.path).parts[1:-1])
    chosen = _chosen(fault, tests) or ([str(room)] if (tree / room).is_dir() else [])
    if not chosen:
        return {"outcome": "not run", "tests": 0}
    path = tree / fault.path
    kept = path.read_text()
    lines = kept.split("\n")
    lines[fault.line - 1] = fault.after
    path.write_text("\n".join(lines))
    start = time.monotonic()
    noticed = ""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *chosen],
            cwd=tree, capture_output=True, check=False, text=True, timeout=SECONDS,
            env=os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        outcome = {0: "survived", 4: "not run", 5: "not run"}.get(done.returncode, "killed")
        noticed = next(
            (x for x in done.stdout.split("\n") if x.startswith(("FAILED", "ERROR"))), ""
        )
    except subprocess.TimeoutExpired:
        outcome = "too slow"
    finally:
        path.write_text(kept)
    seconds = round(time.monotonic() - start)
    return {"outcome": outcome, "tests": len(tests), "by": noticed, "seconds": seconds}


def _chosen(fault: Fault, tests: list[str]) -> list[str]:
    """Take tests of the same module and room first, then a few of each other file."""
    stem, room = Path(fault.path).stem, f"tests/{fault.room}/"
    near = [x for x in tests if stem in x.partition("::")[0]] + [x for x in tests if room in x]
    by_file: dict[str, list[str]] = defaultdict(list)
    for name in tests:
        by_file[name.partition("::")[0]].append(name)
    some = [x for names in by_file.values() for x in names[:4]]
    return list(dict.fromkeys([*near[:30], *some]))[:TESTS]


def tell(folder: Path, seed: int) -> None:
    """Print what was noticed by room, and what survived."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for one in _read(folder, seed):
        fault = Fault(one["path"], one["line"], one["before"], one["after"])
        rooms[fault.room][one["outcome"]] += 1
        if one["outcome"] != "killed":
            sys.stdout.write(
                f"{one['outcome']} {fault.path}:{fault.line}\n   {fault.before.strip()}\n"
                f"   {fault.after.strip()}\n"
            )
    for room, counts in sorted(rooms.items()):
        sys.stdout.write(f"{room:28} {counts['killed']:4} of {sum(counts.values()):4} noticed\n")
    whole = sum(rooms.values(), Counter[str]())
    sys.stdout.write(f"{'together':28} {whole['killed']:4} of {sum(whole.values()):4} noticed\n")


def _read(folder: Path, seed: int) -> list[dict[str, Any]]:
    files = sorted(folder.glob(f"results-{seed}-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="mutants")
    asked.add_argument("what", choices=("map", "try", "told"))
    asked.add_argument("folder", type=Path)
    asked.add_argument("--count", type=int, default=200)
    asked.add_argument("--seed", type=int, default=11)
    asked.add_argument("--part", type=int, default=0, help="of --parts that run side by side")
    asked.add_argument("--parts", type=int, default=1)
    given = asked.parse_args()
    place = given.folder.resolve()
    if given.what == "map":
        map_lines(place)
    elif given.what == "try":
        try_all(place, given.count, given.seed, given.part, given.parts)
    else:
        tell(place, given.seed)
