"""The verdict on one metric: what it says where figures are missing or must not be relied on."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.window import MainWindow
from reviewer.services.figures.statistics_blocks import MetricBlock, Staleness
from tests.gui.audit.test_too_few import twice
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SIMPLE


@pytest.fixture
def card(window: MainWindow, qtbot: QtBot) -> VerdictCard:
    made = VerdictCard(window.surroundings.theme)
    qtbot.addWidget(made)
    return made


def block(folder: Path, labelled: int) -> MetricBlock:
    rows = [twice(number, labelled) for number in range(20)]
    with audited(folder, rows, SIMPLE) as (_, audit):
        return audit.document.metrics["a"]


def test_a_missing_figure_says_why_in_place_of_its_interval(
    card: VerdictCard, tmp_path: Path
) -> None:
    card.show_metric(block(tmp_path, 3), ())
    assert card.figure.text().endswith("—")
    assert "of the 5 pairs" in card.interval.text()


def test_a_figure_that_stands_has_its_interval_and_word_alone(
    card: VerdictCard, tmp_path: Path
) -> None:
    card.show_metric(block(tmp_path, 20), ())
    assert not card.figure.text().endswith("—")
    assert card.interval.text().startswith("95 %")
    assert card.figure.toolTip() not in card.interval.text()


def test_what_to_know_first_stands_above_what_lags_behind(
    card: VerdictCard, tmp_path: Path
) -> None:
    found = block(tmp_path, 20)
    noted = replace(found, judge_human=replace(found.judge_human, note="Chosen by the judge."))
    lags = (
        Staleness("metrics.a", "labels", 2, "2 labels are of other texts."),
        Staleness("metrics.b", "labels", 3, "Of another metric."),
    )
    card.show_metric(noted, lags)
    assert card.notes.text() == "⚠ Chosen by the judge.\n⚠ 2 labels are of other texts."
