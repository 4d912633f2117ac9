"""What a score means: a point a level on the Agreement page, and what it opens."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.calibration_card import CalibrationCard, range_note
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.window import MainWindow
from reviewer.services.findings.insights_values import Calibrated
from reviewer.stats.calibration import conformal
from tests.building import build_project
from tests.gui.audit.test_what_opens import counted
from tests.services.audits.test_budget import cases


@pytest.fixture
def card(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> CalibrationCard:
    path = build_project(tmp_path / "means.review", evaluations=cases(300, 60))
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.sections.bring(AgreementSection)
    page.scope.choose_metric("accuracy")
    settle()
    return page.sections.of_kind(AgreementSection).calibration


def test_a_point_a_level_is_drawn_and_told(card: CalibrationCard) -> None:
    assert card.isVisible()
    assert card.chart is not None
    assert [spot.key for spot in card.chart.spots] == [1.0, 3.0, 4.0, 5.0]
    table = card.chart.copies.data_text().splitlines()
    assert table[0] == "judge,labelled,people,low,high,fitted"
    assert sum(int(row.split(",")[1]) for row in table[1:]) == 60
    assert all(f"n = {row.split(',')[1]}" in spot.words
               for row, spot in zip(table[1:], card.chart.spots, strict=True))  # fmt: skip
    assert "once fitted" in card.chart.spots[0].words


def test_a_level_opens_what_it_counts(card: CalibrationCard, qtbot: QtBot) -> None:
    for level in (1.0, 3.0, 4.0, 5.0):
        figure = card.figure_of(level)
        assert figure is not None
        assert figure.keys is not None
        assert len(figure.keys()) == counted(figure.sentence)
    assert card.chart is not None
    with qtbot.waitSignal(card.responses_requested) as asked:
        card.chart.spot_chosen.emit(3.0)
    assert len(asked.args[0]) == 12
    assert card.figure_of(2.0) is None


def test_a_metric_without_labels_has_no_card(
    card: CalibrationCard, window: MainWindow, settle: Callable[[], None]
) -> None:
    page = window.page
    assert isinstance(page, AuditPage)
    page.scope.choose_metric("relevance")
    settle()
    assert not card.isVisible()


def test_the_note_says_how_far_off_the_judge_may_be() -> None:
    told = Calibrated(sentence="", ranges=(conformal({2.0: 60}, 0.9),))
    assert range_note(told) == "90 % within ±2.00"
    few = Calibrated(sentence="", ranges=(conformal({2.0: 3}, 0.9),))
    assert range_note(few).endswith(".")
