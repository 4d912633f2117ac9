"""A window on a small project, with settings of its own."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui import window as window_module
from reviewer.gui.commands import WindowCommands
from reviewer.gui.review import figures_side
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.upkeep import projects
from tests import windows
from tests.building import build_project


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    kept = Settings(tmp_path / "config")
    kept.set("theme", "light")
    return kept


@pytest.fixture(autouse=True)
def figures_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gather figures without the wait that lets the first page be painted before."""
    monkeypatch.setattr(figures_side, "FIRST_WAIT_S", 0.0)


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """The real window, shown and active."""
    with windows.shown(settings) as made:
        qtbot.waitUntil(made.isActiveWindow)
        yield made


@pytest.fixture
def unled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open every page as somebody sees it from whom a queue still hides something."""
    monkeypatch.setattr(window_module, "_is_closed", lambda *_: False)
    monkeypatch.setattr(window_module, "for_leads", lambda session: session)


@pytest.fixture
def commands(window: MainWindow) -> WindowCommands:
    found = window.findChild(WindowCommands)
    assert isinstance(found, WindowCommands)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "guest.review", evaluations=12)


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo project, made once; tests work on copies."""
    return projects.make_demo(tmp_path_factory.mktemp("demo") / "demo.review", None, Silent())


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path, settings: Settings) -> Path:
    """A copy of the demo, and nobody is asked who they are among its people."""
    settings.set("labeler", settings.labeler)
    return Path(shutil.copy(demo_file, tmp_path / "demo.review"))


@pytest.fixture
def settle(qtbot: QtBot, window: MainWindow) -> Callable[[], None]:
    """Wait until the page's background work has ended."""

    def wait() -> None:
        qtbot.waitUntil(lambda: not window.surroundings.tasks.running(), timeout=20_000)

    return wait
