"""What is loaded after the first page, and what stays away from the way to it."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui import deferred
from reviewer.gui.deferred import WarmUp
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.window import MainWindow
from reviewer.services.computer import deferred as beneath

FIRST_PAGE = """
import sys
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


@pytest.mark.parametrize("name", [*deferred.WIDGETS, *deferred.USES, *beneath.USES])
def test_every_name_exists(name: str) -> None:
    assert callable(deferred.load(name))


@pytest.mark.parametrize("module", deferred.PARTS)
def test_every_part_exists(module: str) -> None:
    assert importlib.import_module(module).__name__ == module


@pytest.mark.parametrize("table", [deferred, beneath])
def test_every_constant_of_a_table_is_in_its_list(table: object) -> None:
    named = {x for x in vars(table).values() if isinstance(x, str) and ":" in x and "\n" not in x}
    listed = {*getattr(table, "WIDGETS", ()), *getattr(table, "USES", ())}
    assert {x for x in named if x.startswith("reviewer.")} == listed


def test_names_point_down_and_widgets_stay_in_their_room() -> None:
    assert all(name.startswith("reviewer.gui.") for name in deferred.WIDGETS)
    plain = [*deferred.USES, *deferred.PARTS]
    assert all(name.startswith("reviewer.services.") for name in plain)
    below = ("reviewer.services.", "reviewer.scoring.")
    assert all(name.startswith(below) for name in beneath.USES)


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
    names = (*deferred.WIDGETS, *deferred.USES, *beneath.USES)
    later = {name.partition(":")[0] for name in names} | set(deferred.PARTS)
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
    for room in (*deferred.ROOMS, *deferred.SERVICES):
        assert room in sys.modules
    for name in (*deferred.WIDGETS, *deferred.USES):
        assert name.partition(":")[0] in sys.modules
    tasks.close()


WARM = """
import sys
from PySide6.QtWidgets import QApplication
from reviewer.gui.deferred import WarmUp
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
