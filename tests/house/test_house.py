"""What no linter knows about the house: sizes, names, and what may stand in one place only."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "manager", "data", "info"}
FORBIDDEN_ENDINGS = ("Utils", "Helper", "Helpers", "Manager", "Info")
THREADS = {"threading", "_thread", "concurrent", "multiprocessing"}
WITHOUT_THREADS = {
    # numbers of entries grow whatever thread asks for them, and a lock starts none
    "domain/uids.py",
    # an executor is handed in, or is a cluster's; none is started here
    "services/jobs/away.py",
    "services/jobs/cluster.py",
}
"""What imports of them, beside the one module, starts none."""
QT_THREADS = {"QThread", "QThreadPool", "QRunnable", "QtConcurrent"}
# what else may be imported by the rooms that must stay light or pure
LIBRARIES = {
    "stats": {"numpy"},
    "domain": {"pydantic", "msgspec"},
    "paths": {"platformdirs"},
    "reports": {"jinja2", "pydantic", "pydantic_core"},
}
# libraries with one door: from their first use on, a contract protects them
PROTECTED = {"PySide6", "pyqtgraph", "superqt", "qtawesome", "qtpy", "sqlite_utils", "sqlite3"}
PROTECTED |= {"keyring", "pydantic_ai"}
EVERYWHERE = {"reviewer", "typing_extensions", *sys.stdlib_module_names}
COLOUR = re.compile(
    r"(?<![&\w])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgb|hsl|hsv)a?\(\s*\d", re.I
)
# written in pieces, so that this file does not itself name what it looks for
HOSTS = "|".join(
    re.escape("".join(pieces))
    for pieces in (
        ("py", "pi.org"),
        ("python", "hosted.org"),
        ("npm", "js.org"),
        ("npm", "js.com"),
        ("deb.deb", "ian.org"),
    )
)
FOREIGN = re.compile(rf"{HOSTS}|(?:^|[^A-Za-z.])/(?:wo{''}rk|fa{''}rm|ro{''}ot|ho{''}me)/")


def tracked_files() -> list[Path]:
    """Every file that git knows or would add; without git, all that is no by-product."""
    git = shutil.which("git")
    if not git:
        return [ROOT / name for name in _walked()]
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else _walked()
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def _walked() -> Iterator[str]:
    for top in ("reviewer", "tests", "packaging", "resources", ".ci"):
        yield from (
            str(path.relative_to(ROOT))
            for path in (ROOT / top).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        )
    yield from (path.name for path in ROOT.iterdir() if path.is_file())


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def modules(*tops: str) -> list[Path]:
    return sorted(path for top in tops or ("reviewer",) for path in (ROOT / top).rglob("*.py"))


def place(path: Path, node: ast.AST | None = None) -> str:
    line = f":{node.lineno}" if isinstance(node, ast.stmt | ast.expr) else ""
    return f"{path.relative_to(ROOT)}{line}"


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return []


def imports_of(path: Path) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(parsed(path)):
        for name in imported(node):
            yield node, name


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def docstrings(tree: ast.Module) -> set[int]:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, holders) and node.body and isinstance(node.body[0], ast.Expr):
            found.add(id(node.body[0].value))
    return found


def test_modules_have_at_most_500_lines() -> None:
    sizes = {place(path): len(path.read_text("utf-8").splitlines()) for path in modules()}
    assert {name: lines for name, lines in sizes.items() if lines > 500} == {}


def test_functions_have_at_most_50_lines() -> None:
    long = [
        f"{place(path, node)} {node.name}: {length} lines"
        for path in modules()
        for node in functions(path)
        if (length := (node.end_lineno or 0) - node.lineno + 1) > 50
    ]
    assert long == []


def test_classes_have_at_most_20_methods() -> None:
    large = [
        f"{place(path, node)} {node.name}: {count} methods"
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
        and (
            count := sum(isinstance(x, ast.FunctionDef | ast.AsyncFunctionDef) for x in node.body)
        )
        > 20
    ]
    assert large == []


def test_package_files_hold_one_docstring_and_nothing_else() -> None:
    files = [path for path in modules() if path.name == "__init__.py"]
    assert files
    wrong = [
        place(path)
        for path in files
        if len(parsed(path).body) != 1 or not ast.get_docstring(parsed(path))
    ]
    assert wrong == []


def test_every_folder_of_modules_says_what_it_owns() -> None:
    folders = {path.parent for path in modules()}
    assert [place(x) for x in sorted(folders) if not (x / "__init__.py").is_file()] == []


def test_colours_stand_in_the_theme_only() -> None:
    found = []
    for path in modules():
        if path.parent == ROOT / "reviewer" / "gui" / "kit" and path.stem.startswith("theme"):
            continue
        spoken = docstrings(parsed(path))
        found += [
            f"{place(path, node)} {node.value!r}"
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in spoken
            and COLOUR.search(node.value)
        ]
        found += [
            f"{place(path, node)} GlobalColor.{node.attr}"
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "GlobalColor"
            and node.attr != "transparent"
        ]
    assert found == []


def test_threads_stand_in_one_module_only() -> None:
    found = []
    for path in modules():
        if path.relative_to(ROOT / "reviewer").as_posix() in {
            "gui/kit/tasks.py",
            *WITHOUT_THREADS,
        }:
            continue
        for node in ast.walk(parsed(path)):
            names = {name.split(".")[0] for name in imported(node)} & THREADS
            if isinstance(node, ast.ImportFrom):
                names |= {alias.name for alias in node.names} & QT_THREADS
            if isinstance(node, ast.Attribute):
                names |= {node.attr} & QT_THREADS
            found += [f"{place(path, node)} {name}" for name in sorted(names)]
    assert found == []


def test_names_say_something() -> None:
    found = []
    for path in modules("reviewer", "tests", "packaging"):
        inside = path.relative_to(ROOT).with_suffix("").parts
        found += [f"{place(path)} {part}" for part in inside if part in FORBIDDEN_NAMES]
        for node in ast.walk(parsed(path)):
            match node:
                case ast.ClassDef(name=name):
                    if name.lower() in FORBIDDEN_NAMES or name.endswith(FORBIDDEN_ENDINGS):
                        found.append(f"{place(path, node)} {name}")
                case ast.FunctionDef(name=name) if name in FORBIDDEN_NAMES:
                    if not any("override" in ast.dump(mark) for mark in node.decorator_list):
                        found.append(f"{place(path, node)} {name}")
    assert found == []


def test_a_name_of_a_module_stands_for_one_thing() -> None:
    found = []
    for path in modules():
        given: set[str] = set()
        for node in parsed(path).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = {x.id for x in ast.walk(ast.Tuple(targets)) if isinstance(x, ast.Name)}
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names = {node.target.id}
            if all(isinstance(x, ast.Name | ast.Tuple) for x in targets):
                found += [f"{place(path, node)} {name}" for name in sorted(names & given)]
                given |= names
    assert found == []


def test_models_of_the_window_are_named_so() -> None:
    found = [
        f"{place(path, node)} {node.name}"
        for path in modules("reviewer/gui")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and not node.name.endswith("Model")
        for base in node.bases
        if re.fullmatch(r"(QtCore\.)?Q\w+Model", ast.unparse(base))
    ]
    assert found == []


def test_no_import_is_hidden_from_the_checks() -> None:
    found = [
        place(path, node)
        for path in modules("reviewer", "tests")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Name | ast.Attribute)
        and (node.id if isinstance(node, ast.Name) else node.attr) == "TYPE_CHECKING"
    ]
    assert found == []


def test_modules_are_loaded_by_name_in_the_declared_places_only() -> None:
    places = {"cli/program.py", "gui/warm_up.py"}
    found = [
        place(path, node)
        for path in modules()
        for node, name in imports_of(path)
        if name.split(".")[0] == "importlib" and name != "importlib.metadata"
        if path.relative_to(ROOT / "reviewer").as_posix() not in places
    ]
    assert found == []


def is_module(name: str) -> bool:
    """Tell whether a name is a module's, or what is directly in one."""
    path = ROOT / name.replace(".", "/")
    return (
        any(x.is_file() for x in (path.with_suffix(".py"), path.parent.with_suffix(".py")))
        or (path / "__main__.py").is_file()
    )


def test_modules_are_named_as_strings_only_to_load_them_beforehand_or_to_start_them() -> None:
    # a process is started with a module's name
    places = {"gui/warm_up.py", "__main__.py", "gui/jobs/jobs_at_work.py"}
    places |= {"gui/syncing/hub_at_work.py", "services/computer/packaged.py"}
    places |= {"services/transfer/reading_beside.py"}
    named = re.compile(r"reviewer(\.\w+)+(:\w+)?")
    found = [
        f"{place(path, node)} {node.value}"
        for path in modules()
        if path.relative_to(ROOT / "reviewer").as_posix() not in places
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and named.fullmatch(node.value)
        and is_module(node.value.partition(":")[0])
    ]
    assert found == []


@pytest.mark.parametrize("room", LIBRARIES)
def test_light_rooms_import_only_their_library(room: str) -> None:
    top = ROOT / "reviewer" / room
    files = sorted(top.rglob("*.py")) if top.is_dir() else [top.with_suffix(".py")]
    allowed = LIBRARIES[room] | EVERYWHERE
    found = [
        f"{place(path, node)} {name}"
        for path in files
        for node, name in imports_of(path)
        if name.split(".")[0] not in allowed
    ]
    assert found == []


def test_libraries_with_one_door_are_protected_by_a_contract() -> None:
    used = {name.split(".")[0] for path in modules() for _, name in imports_of(path)}
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    protected = {name for contract in contracts for name in contract.get("protected_modules", [])}
    assert used & PROTECTED - protected == set()


def test_files_name_no_registry_and_no_folder_of_one_machine() -> None:
    files = tracked_files()
    assert ROOT / "pyproject.toml" in files
    found = []
    for path in files:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := FOREIGN.search(line):
                found.append(f"{place(path)}:{number} {match.group()}")
    assert found == []


def test_projects_and_result_archives_are_not_tracked() -> None:
    kept = ROOT / "tests", ROOT / "resources"
    found = [
        place(path)
        for path in tracked_files()
        if path.suffix == ".review" and not any(path.is_relative_to(folder) for folder in kept)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("file", "extras"), [("constraints.txt", False), ("constraints-test.txt", True)]
)
def test_every_dependency_is_pinned_with_hashes(file: str, extras: bool) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = project["build-system"]["requires"] + project["project"]["dependencies"]
    if extras:
        needed += project["project"]["optional-dependencies"]["test"]
    pins = re.findall(
        r"^(\S+)==\S+ \\\n {4}--hash=sha256:[0-9a-f]{64}",
        (ROOT / "packaging" / file).read_text("utf-8"),
        re.M,
    )
    assert {_package(line) for line in needed} - set(pins) == set()


def _package(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match
    return match.group().lower().replace("_", "-").replace(".", "-")
