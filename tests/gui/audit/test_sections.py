"""Sections are made when chosen, read while in view, and keep up with the page."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from typing_extensions import override

from reviewer.gui.audit import trend_section
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.sections import AuditSection, SectionsView
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.plots.trend import Point
from reviewer.gui.sections import Reading
from reviewer.gui.window import MainWindow
from reviewer.services.audits import trend
from reviewer.services.audits.auditing import Audit
from reviewer.services.labelling import entering


class Counting(AuditSection[tuple[str, str]]):
    """Counts how often it reads and shows."""

    title = "Counting"

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[tuple[str, str]]:
        self.read = getattr(self, "read", 0) + 1
        return lambda own, _: (metric, own.labeler.name)

    @override
    def show_found(self, found: tuple[str, str]) -> None:
        self.asked_about, self.who = found


class Never(Counting):
    """Fits no rubric."""

    title = "Never"

    @override
    @classmethod
    def fits(cls, audit: Audit) -> bool:
        return False


@pytest.fixture
def page(page: AuditPage, settle: Callable[[], None]) -> AuditPage:
    page.scope.choose_metric("accuracy")
    settle()
    return page


@pytest.fixture
def view(page: AuditPage) -> SectionsView:
    made = SectionsView(page.surroundings, (AgreementSection, Counting, Never))
    layout = page.layout()
    assert layout is not None
    layout.addWidget(made)
    made.show()
    return made


def given(view: SectionsView, page: AuditPage, metric: str = "accuracy") -> None:
    assert page.audit is not None
    view.show_metric(page.audit, metric)


def test_only_the_section_in_view_reads(
    view: SectionsView, page: AuditPage, settle: Callable[[], None]
) -> None:
    given(view, page)
    counting = view.bring(Counting)
    settle()
    assert counting.read == 1
    assert counting.asked_about == "accuracy"
    view.bring(AgreementSection)
    given(view, page, "safety")
    assert counting.read == 1
    view.bring(Counting)
    settle()
    assert counting.read == 2
    assert list(counting.asked_about) == list("safety")


def test_a_section_that_does_not_fit_is_not_offered(
    view: SectionsView, page: AuditPage, qtbot: QtBot
) -> None:
    given(view, page)
    assert [button.isVisible() for button in view.row.buttons] == [True, True, False]
    view.row.buttons[0].setFocus()
    qtbot.waitUntil(view.row.buttons[0].hasFocus)
    QTest.keyClick(view.row.buttons[0], Qt.Key.Key_Right)
    assert isinstance(view.current, Counting)
    QTest.keyClick(view.row.buttons[1], Qt.Key.Key_Left)
    assert isinstance(view.current, AgreementSection)


def test_weeks_open_their_responses(page: AuditPage, settle: Callable[[], None]) -> None:
    section = page.sections.bring(TrendSection)
    settle()
    assert section.chart is not None
    human = next(
        spot
        for spot in section.chart.spots
        if isinstance(spot.key, Point) and spot.key.side == "labelled"
    )
    assert "human mean" in human.words
    section.chart.spot_chosen.emit(human.key)
    assert "labelled in the week from" in page.side.cases.what.text()
    figure = section._figure_of(section.table.rows.keys[0], 1)
    assert figure is not None
    assert figure.sentence.startswith("The judge's mean Accuracy in the week from")
    assert figure.steps is not None
    assert " / " in figure.steps()[0].text


def test_scores_held_on_the_scale_are_said_to_be(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    section = page.sections.bring(TrendSection)
    settle()
    assert page.audit is not None
    frame = page.audit.frame
    options = replace(frame.choices.options, clip="hard")
    held = replace(frame, choices=replace(frame.choices, options=options))
    for shown, wanted in (
        (frame, "auto mean + band = "),
        (held, "Each score with the band was held on the scale"),
    ):
        section.show_found(trend.trend(shown, "accuracy"))
        figures = [
            section._figure_of(key, trend_section._ADJUSTED) for key in section.table.rows.keys
        ]
        told = [x for x in figures if x is not None and "held on the scale" in x.sentence]
        assert bool(told) is (shown is held)
        figure = (told or figures)[0]
        assert figure is not None
        assert figure.steps is not None
        assert wanted in figure.steps()[0].text


def test_gap_and_agreement_of_a_week_are_drawn_told_and_opened(
    page: AuditPage, settle: Callable[[], None], qtbot: QtBot
) -> None:
    section = page.sections.bring(TrendSection)
    settle()
    assert section.gaps is not None
    assert section.agreements is not None
    assert section._found is not None
    weeks = {week.start: week for week in section._found.weeks}
    for chart, of, column in (
        (section.gaps, "gap", trend_section._GAP),
        (section.agreements, "agreement", trend_section._AGREEMENT),
    ):
        assert chart.isVisible()
        there = {start for start, week in weeks.items() if getattr(week, of).value is not None}
        assert {spot.key.start for spot in chart.spots if isinstance(spot.key, Point)} == there
        assert len(chart.copies.data_text().splitlines()) == 1 + len(weeks)
        start = max(there)
        figure = section._figure_of(start, column)
        assert figure is not None
        assert f"n = {getattr(weeks[start], of).n}" in figure.sentence
        with qtbot.waitSignal(section.responses_requested) as asked:
            chart.spot_chosen.emit(Point(start, "compared"))
        assert len(asked.args[0]) == getattr(weeks[start], of).n


def test_a_run_that_begins_is_marked_in_every_chart(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    section = page.sections.bring(TrendSection)
    settle()
    assert section._found is not None
    assert [mark.title for mark in section._found.marks] == ["2026-11-18 agent v7"]
    assert section.chart is not None
    assert any("run 2026-11-18 agent v7" in spot.words for spot in section.chart.spots)
    assert section.marks.text().startswith("Changed: 2026-11-")


def test_deviations_and_adjusted_are_hidden_by_a_switch(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    section = page.sections.bring(TrendSection)
    settle()
    assert section.chart is not None
    assert any("adjusted" in spot.words for spot in section.chart.spots)
    section.deviations.setChecked(False)
    assert not any("adjusted" in spot.words for spot in section.chart.spots)
    assert "deviation" not in section.caption.text()
    assert "adjusted" in section.chart.copies.data_text(), "the copied numbers stay whole"


def test_figures_follow_a_label_and_the_list_stays(
    page: AuditPage, window: MainWindow, settle: Callable[[], None]
) -> None:
    session = window.session
    assert session is not None
    assert page.audit is not None
    before = page.audit
    keys = before.pairs["accuracy"].keys[:3]
    page.sections.responses_requested.emit(keys, "three of them")
    assert page.side.cases.what.text().startswith("three of them")
    unlabelled = next(
        int(key)
        for key in before.frame.table.keys
        if int(key) not in set(before.pairs["accuracy"].keys.tolist())
    )
    session.selection_reason = "random"
    entering.commit(session, unlabelled, "accuracy", 3)
    page._refresher.now()
    settle()
    assert page.audit is not before
    after = page.audit.document.metrics["accuracy"].judge_human.n
    assert after == before.document.metrics["accuracy"].judge_human.n + 1
    assert page.side.cases.what.text().startswith("three of them")


def test_how_far_figures_are_is_told_while_there_are_none(
    view: SectionsView, page: AuditPage
) -> None:
    view.show_nothing("Computing the figures…")
    view.tell_how_far(3, 35)
    assert view.state.text() == "Computing the figures… 3 of 35 metrics"
    given(view, page)
    view.tell_how_far(4, 35)
    assert not view.state.isVisible()
