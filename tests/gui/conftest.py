"""A window on a small project, with settings of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui.app import compose
from reviewer.gui.commands import WindowCommands
from reviewer.gui.window import MainWindow
from reviewer.services.settings import Settings
from tests.building import build_project


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    kept = Settings(tmp_path / "config")
    kept.set("theme", "light")
    return kept


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """The real window, shown and active."""
    made = compose(settings, backups=False)
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    made.close()
    QApplication.processEvents()


@pytest.fixture
def commands(window: MainWindow) -> WindowCommands:
    found = window.findChild(WindowCommands)
    assert isinstance(found, WindowCommands)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "guest.review", evaluations=12)
