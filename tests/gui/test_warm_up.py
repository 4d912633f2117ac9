"""What is loaded after the first page, and what stays away from the way to it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pytestqt.qtbot import QtBot

from reviewer.gui import warm_up
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.warm_up import WarmUp
from reviewer.gui.window import MainWindow

ROOT = Path(__file__).parents[2]
FIRST_PAGE = """
import sys
from collections.abc import Iterator
from pathlib import Path
from PySide6.QtWidgets import QApplication
from reviewer.gui.app import assemble, begin
from reviewer.services.computer.settings import Settings
app = QApplication([])
window = assemble(Settings(Path(sys.argv[2])), backups=False)
begin(window, Path(sys.argv[1]))
assert window.page is not None
print(*sys.modules)
"""


def asked_for_later(*rooms: str) -> set[str]:
    """Every module that these rooms import inside a function."""
    found: set[str] = set()
    for room in rooms:
        for path in (ROOT / "reviewer" / room).rglob("*.py"):
            for function in ast.walk(ast.parse(path.read_text())):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.update(inside(function))
    return found


def inside(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("reviewer."):
            for name in node.names:
                part = f"{node.module}.{name.name}"
                there = (ROOT / part.replace(".", "/")).with_suffix(".py").is_file()
                yield part if there else str(node.module)


def test_the_first_page_stands_without_them(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE, project, tmp_path / "config"],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    loaded = set(done.stdout.split())
    assert "reviewer.gui.review.page" in loaded
    later = asked_for_later("gui", "services")
    assert "reviewer.gui.audit.page" in later
    heavy = {
        "numpy",
        "pydantic",
        "pydantic_core",
        "pyqtgraph",
        "sqlite_utils",
        "psutil",
        "keyring",
    }
    heavy |= {"jinja2"}
    assert loaded & (later | heavy) == set()


def test_warming_up_loads_everything_and_ends(qtbot: QtBot, window: MainWindow) -> None:
    tasks = Tasks(window)
    warm = WarmUp(tasks, window)
    with qtbot.waitSignal(warm.finished, timeout=30_000):
        warm.begin()
    for room in (*warm_up.ROOMS, *warm_up.SERVICES):
        assert room in sys.modules
    assert asked_for_later("gui") - set(sys.modules) == set()
    tasks.close()


WARM = """
import sys
from PySide6.QtWidgets import QApplication
from reviewer.gui.warm_up import WarmUp
from reviewer.gui.kit.tasks import Tasks
app = QApplication([])
tasks = Tasks()
warm = WarmUp(tasks, tasks)
warm.finished.connect(app.quit)
warm.begin()
app.exec()
print(*sys.modules)
"""


def test_no_window_loads_what_talks_to_models() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WARM], capture_output=True, check=True, text=True, timeout=120
    )
    loaded = set(done.stdout.split())
    assert "reviewer.gui.audit.page" in loaded
    assert loaded & {"pydantic_ai", "openai", "anthropic", "keyring", "pyqtgraph"} == set()
