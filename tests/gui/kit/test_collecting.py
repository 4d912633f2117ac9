"""Garbage goes between events of the window's thread, and only there."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.collecting import Collector


class Circle:
    """An object that only a search finds."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def collector(qtbot: QtBot) -> Iterator[Collector]:
    enabled = gc.isenabled()
    owner = QWidget()
    qtbot.addWidget(owner)
    yield Collector(owner)
    (gc.enable if enabled else gc.disable)()


def test_many_objects_are_searched_and_few_are_not(collector: Collector) -> None:
    assert not gc.isenabled()
    gc.collect()
    circle = weakref.ref(Circle())
    collector.search()
    assert circle() is not None
    kept = [[] for _ in range(2 * gc.get_threshold()[0])]  # type: ignore[var-annotated]
    collector.search()
    assert circle() is None
    assert kept


def test_older_ones_are_searched_less_often(collector: Collector) -> None:
    gc.collect()
    kept: list[list[int]] = []
    for _ in range(gc.get_threshold()[1] + 1):
        kept += [[] for _ in range(2 * gc.get_threshold()[0])]
        collector.search()
    assert gc.get_count()[1] == 0
    assert gc.get_count()[2] == 1


def test_it_searches_by_itself(collector: Collector, qtbot: QtBot) -> None:
    circle = weakref.ref(Circle())
    kept = [[] for _ in range(2 * gc.get_threshold()[0])]  # type: ignore[var-annotated]
    qtbot.waitUntil(lambda: circle() is None, timeout=5000)
    assert kept
    assert collector.parent() is not None
