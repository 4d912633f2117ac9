"""The real window on a project, opened once and read by many."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QApplication

from reviewer.gui.kit.grid import GridView
from reviewer.gui.page import Page
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from tests import windows
from tests.building import let_see
from tests.journeys.one_figure.seen import CAPPED

Line = dict[str, str]
Shown = TypeVar("Shown", bound=Page)
WAIT_S = 30.0


class Desk:
    """A window in which a lead who sees everything, or a blind labeler, looks at a project."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    def wait(self, holds: Callable[[], object]) -> None:
        """Let the window work until something holds."""
        end = time.monotonic() + WAIT_S
        while not holds():
            QApplication.processEvents()
            time.sleep(0.001)
            assert time.monotonic() < end, "the window did not come to an end"

    def settle(self) -> None:
        """Wait until nothing is computed any more."""
        QApplication.processEvents()
        self.wait(lambda: not self.window.surroundings.tasks.running())
        QApplication.processEvents()

    def page(self, name: str, kind: type[Shown]) -> Shown:
        """Bring a page into view and give it."""
        self.window.show_page(name)
        self.settle()
        shown = self.window.page
        assert isinstance(shown, kind)
        return shown

    def review(self) -> ReviewPage:
        """Bring Review into view."""
        return self.page("review", ReviewPage)


@contextmanager
def opened(path: Path, folder: Path, *, labeler: str, blind: bool) -> Iterator[Desk]:
    """Open a project in a window of its own."""
    let_see(path, blind=blind)
    settings = Settings(folder / f"config {labeler}")
    for name, value in (("theme", "light"), ("labeler", labeler)):
        settings.set(name, value)
    with windows.shown(settings) as window:
        desk = Desk(window)
        desk.wait(window.isActiveWindow)
        assert window.open_project(path)
        desk.settle()
        yield desk


def lines(view: GridView) -> dict[str, Line]:
    """Read a table's rows by their keys, each cell under its heading; a second `n` is `n 2`.

    What stands below a dash, such as how many labels there are, belongs to it, and so do marks.
    """
    heads: list[str] = []
    for column in view.rows.columns:
        again = heads.count(column.title)
        heads.append(f"{column.title} {again + 1}" if again else column.title)
    return {
        str(key): {head: _words(view, row, at) for at, head in enumerate(heads)}
        for row, key in enumerate(view.rows.keys)
    }


def _words(view: GridView, row: int, column: int) -> str:
    cell = view.rows.cell(row, column)
    belongs = cell.words == "—" or any(mark in cell.below for mark in CAPPED)
    return f"{cell.words} {cell.below}".strip() if belongs else cell.words


def tips(view: GridView) -> list[str]:
    """Read what stands behind the first cell of each row."""
    return [view.rows.cell(row, 0).tip for row in range(view.rows.rowCount())]
