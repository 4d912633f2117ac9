"""The verdict on one metric: what it says where figures are missing or must not be relied on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.window import MainWindow
from reviewer.services.figures.statistics_blocks import MetricBlock, Staleness
from tests.gui.audit.test_too_few import twice
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SIMPLE, case, label, score

MANY = [twice(number, 40) for number in range(40)]


@pytest.fixture
def card(window: MainWindow, qtbot: QtBot) -> VerdictCard:
    made = VerdictCard(window.surroundings.theme)
    qtbot.addWidget(made)
    return made


def block(folder: Path, rows: list[dict[str, Any]]) -> MetricBlock:
    with audited(folder, rows, SIMPLE) as (_, audit):
        return audit.document.metrics["a"]


def test_a_missing_figure_says_why_in_place_of_its_interval(
    card: VerdictCard, tmp_path: Path
) -> None:
    alike = [case(number, [score("a", 3)], [label("a", 3)]) for number in range(40)]
    card.show_metric(block(tmp_path, alike), ())
    assert card.figure.text().endswith("—")
    assert card.interval.text() == f"quadratic kappa · {card.figure.toolTip()}"
    assert "cannot be computed" in card.interval.text()


def test_what_a_figure_means_stays_in_its_tip_where_it_stands(
    card: VerdictCard, tmp_path: Path
) -> None:
    card.show_metric(block(tmp_path, MANY), ())
    assert not card.figure.text().endswith("—")
    assert card.figure.toolTip()
    assert card.interval.text() == "quadratic kappa"


def test_what_to_know_first_stands_above_what_lags_behind(
    card: VerdictCard, tmp_path: Path
) -> None:
    found = block(tmp_path, MANY)
    noted = replace(found, judge_human=replace(found.judge_human, note="Chosen by the judge."))
    lags = (
        Staleness("metrics.a", "labels", 2, "2 labels are of other texts."),
        Staleness("metrics.b", "labels", 3, "Of another metric."),
    )
    card.show_metric(noted, lags)
    assert card.notes.text() == "⚠ Chosen by the judge.\n⚠ 2 labels are of other texts."
