"""Bars, points and what would change are figures too: sentence, formula, responses."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.plots.histogram import Bar
from reviewer.gui.plots.trend import Point
from reviewer.gui.window import MainWindow
from tests.gui.audit.test_pass_section import Settle, brought_to


def offered(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.isEnabled() and action.text()]


def test_a_bar_is_copied_explained_and_opened(
    window: MainWindow, demo: Path, settle: Settle, qtbot: QtBot
) -> None:
    section = brought_to(window, demo, settle, AgreementSection)
    qtbot.waitUntil(lambda: section.gaps.histogram is not None)
    chart = section.gaps.histogram
    assert chart is not None
    assert section.gaps.figure() is None
    chart.setFocus()
    qtbot.waitUntil(chart.hasFocus)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    bar = chart.spots[0].key
    assert isinstance(bar, Bar)
    QTest.keyClick(chart, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert f" in {bar.n:,} of " in QGuiApplication.clipboard().text()
    figure = section.gaps.figure()
    assert figure is not None
    assert figure.steps is not None
    assert figure.steps()[0].formula.startswith(f"{bar.n:,} / ")
    assert figure.keys is not None
    assert len(figure.keys()) == bar.n
    menu = chart.copies.menu()
    plain = offered(menu)
    chart.menu_made.emit(menu)
    assert len(offered(menu)) == len(plain) + 3
    assert offered(menu)[3:] == plain


def test_a_point_and_the_counts_of_a_week_are_figures(
    window: MainWindow, demo: Path, settle: Settle, qtbot: QtBot
) -> None:
    section = brought_to(window, demo, settle, TrendSection)
    qtbot.waitUntil(lambda: section.chart is not None)
    chart = section.chart
    assert chart is not None
    chart.setFocus()
    qtbot.waitUntil(chart.hasFocus)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert chart.spot is not None
    assert isinstance(chart.spot.key, Point)
    figure = section._spot_figure(chart)
    assert figure is not None
    assert str(chart.spot.key.start) in figure.sentence
    rows = section.table.rows
    for column in (2, 4):
        counts = section._figure_of(rows.keys[0], column)
        assert counts is not None
        assert f"n = {rows.cell(0, column).words}" in counts.sentence


def test_what_would_change_is_a_figure(window: MainWindow, demo: Path, settle: Settle) -> None:
    card = brought_to(window, demo, settle, PassSection).what_if
    card.form.field("accuracy").setValue(4)
    card.compute()
    settle()
    rows = card.table.rows
    assert card.outcome is not None
    told = 0
    for place in range(rows.rowCount()):
        key, found = rows.keys[place], card.figure(rows.keys[place])
        if found is None:
            assert isinstance(key, tuple)
            assert not key[1]
            continue
        told += 1
        for column in (1, 2):
            shown = rows.cell(place, column).words
            assert shown in found.sentence or shown == "—"
        assert found.sentence.endswith("nothing is saved.")
        assert found.steps is not None
        assert [step.title for step in found.steps()][:2] == ["Now", "Then"]
        assert found.keys is not None
        assert len(found.keys()) == card.outcome.flipped().size
    assert told == sum(one.moved for one in card.outcome.figures)
