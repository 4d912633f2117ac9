"""Preset and options are chosen where figures are explained, and hold at once everywhere."""

from datetime import date
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.explanation import ExplanationDialog
from reviewer.gui.window import MainWindow
from reviewer.services.figures import figure_settings
from reviewer.services.figures.figure_settings import FigureSettings
from reviewer.services.project import project_days
from reviewer.store.project import Project
from tests.gui.review.test_page import open_page, press


@pytest.fixture
def explained(qtbot: QtBot, window: MainWindow, project: Path) -> ExplanationDialog:
    page = open_page(window, project)
    press(window, "425")
    qtbot.waitUntil(lambda: bool(page.figures.case.metrics), timeout=10_000)
    page.scores.set_focus_on("accuracy")
    page.figures.explain()
    found = window.findChild(ExplanationDialog)
    assert isinstance(found, ExplanationDialog)
    return found


def said(dialog: ExplanationDialog) -> str:
    return " ".join(label.text() for label in dialog.findChildren(QLabel))


def test_a_changed_option_is_kept_and_explained_at_once(
    qtbot: QtBot, project: Path, explained: ExplanationDialog
) -> None:
    assert explained.options is not None
    assert explained.options.preset.currentText() == "as the rubric: recommended"
    explained.options.options.setText("min_records=2; clip = display")
    explained.options.apply.click()
    qtbot.waitUntil(lambda: "at least 2 are needed" in said(explained), timeout=10_000)
    assert "With the preset “published”" in said(explained)
    with Project.open(project) as kept:
        assert figure_settings.read(kept) == FigureSettings(
            None, (("min_records", "2"), ("clip", "display"))
        )
    explained.options.options.clear()
    explained.options.preset.setCurrentIndex(explained.options.preset.findData("published"))
    qtbot.waitUntil(lambda: "band_gate = both" in said(explained), timeout=10_000)
    with Project.open(project) as kept:
        assert figure_settings.read(kept) == FigureSettings("published")
    explained.options.preset.setCurrentIndex(0)
    qtbot.waitUntil(lambda: "band_gate = any" in said(explained), timeout=10_000)
    with Project.open(project) as kept:
        assert figure_settings.read(kept) == FigureSettings()


def test_options_chosen_in_another_window_are_followed(
    qtbot: QtBot, project: Path, explained: ExplanationDialog
) -> None:
    assert "band_gate = any" in said(explained)
    with Project.open(project) as other:
        figure_settings.write(other, FigureSettings("published"))
    qtbot.waitUntil(lambda: "band_gate = both" in said(explained), timeout=60_000)


def test_the_figures_move_at_midnight_while_nobody_labels(
    qtbot: QtBot, window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(window, project)
    press(window, "425")
    qtbot.waitUntil(lambda: "(n = 1)" in said_by(page.scores.live), timeout=10_000)
    monkeypatch.setattr(project_days, "today", lambda _: date(2199, 1, 1))
    page.figures.midnight.timeout.emit()
    qtbot.waitUntil(lambda: "(n = 0)" in said_by(page.scores.live), timeout=10_000)


def said_by(panel: QWidget) -> str:
    return " ".join(label.text() for label in panel.findChildren(QLabel))


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("min_records", "NAME=VALUE is expected"),
        ("nothing=3", "There is no option 'nothing'"),
        ("clip=sometimes", "it can be one of: none, display, hard"),
    ],
)
def test_what_does_not_fit_is_said_and_changes_nothing(
    project: Path, explained: ExplanationDialog, typed: str, sentence: str
) -> None:
    assert explained.options is not None
    explained.options.options.setText(typed)
    explained.options.apply.click()
    assert sentence in explained.options.problem.text()
    with Project.open(project) as kept:
        assert figure_settings.read(kept) == FigureSettings()
