"""The Audit page in the real window, on the demo project."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.audit import metric_figures
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.cases_side import BLIND, SEEN
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.aligning import splitting
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.rubrics import shipped
from reviewer.services.project.session import LeadSession, Session, for_leads
from reviewer.store import splits
from tests.building import build_project, record


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> AuditPage:
    window.surroundings.settings.set("labeler", "lead")
    assert window.open_project(demo)
    window.show_page("audit")
    settle()
    shown = window.page
    assert isinstance(shown, AuditPage)
    return shown


@pytest.fixture
def session(window: MainWindow, page: AuditPage) -> Session:
    assert page.audit is not None
    assert window.session is not None
    return for_leads(window.session)


def listed(page: AuditPage) -> list[int]:
    return [key for key in page.side.cases.table.rows.keys if isinstance(key, int)]


def spoken(page: AuditPage) -> str:
    return " ".join(label.text() for label in page.side.case.findChildren(QLabel))


def cell_with_most(page: AuditPage, *, same: bool) -> tuple[int, int]:
    table = np.array(page.confusion.counts.confusion.table)
    places = np.eye(len(table), dtype=bool)
    table = np.where(places if same else ~places, table, -1)
    row, column = np.unravel_index(int(table.argmax()), table.shape)
    return int(row), int(column)


def test_every_metric_and_the_overall_are_listed(page: AuditPage) -> None:
    rows = page.agreement.table.rows
    names = [rows.cell(row, 0).words for row in range(rows.rowCount())]
    assert names == ["Relevance", "Accuracy", "Safety", "Overall"]
    assert rows.cell(1, 7).below, "kappa stands beside its interval"
    assert rows.cell(3, 7).tip


def test_the_metric_of_a_row_is_shown_in_detail(page: AuditPage) -> None:
    page.agreement.table.choose("accuracy")
    assert page.scope.chosen_metric == "accuracy"
    assert "Accuracy" in page.verdict.sentence.text()
    assert "too high" in page.verdict.sentence.text()
    assert page.verdict.interval.text().startswith("quadratic kappa · 95 % ")
    page.scope.choose_metric("safety")
    assert page.agreement.table.chosen() == "safety"


def test_a_cell_lists_its_responses_and_escape_is_a_link_away(page: AuditPage) -> None:
    page.scope.choose_metric("accuracy")
    everything = listed(page)
    row, column = cell_with_most(page, same=False)
    page.confusion.setCurrentIndex(page.confusion.counts.index(row, column))
    page.confusion.setFocus()
    page.confusion.clicked.emit(page.confusion.counts.index(row, column))
    assert page.side.cases.title.text() == "Responses"
    assert page.side.cases.what.text().startswith(f"human {row + 1} · auto {column + 1}")
    block = page.audit.document.metrics["accuracy"] if page.audit else None
    found = metric_figures.cell(page.audit, block, (row, column)) if page.audit and block else None
    assert found is not None
    assert found.keys is not None
    assert set() < set(listed(page)) <= set(map(int, found.keys()))
    QTest.mouseClick(page.side.cases.show_all, Qt.MouseButton.LeftButton)
    assert listed(page) == everything


def test_the_largest_gap_comes_first(page: AuditPage) -> None:
    page.scope.choose_metric("accuracy")
    rows = page.side.cases.table.rows
    gaps = [rows.cell(n, 3).words.replace("−", "-") for n in range(rows.rowCount())]
    sizes = [abs(float(gap)) for gap in gaps]
    assert sizes == sorted(sizes, reverse=True)
    # a case with a cause or question stays in the list where the version of record agrees
    disputes = page.side._disputes
    assert disputes is not None
    agreeing = set(disputes.keys[~disputes.differs].tolist())
    differ = [rows.cell(n, 4).words or rows.cell(n, 5).words != "agree" for n in range(len(gaps))]
    assert all(
        size or differs or key in agreeing
        for size, differs, key in zip(sizes, differ, rows.keys, strict=True)
    )


@pytest.mark.usefixtures("unled", "page")
def test_nothing_hidden_from_a_labeler_is_listed(
    window: MainWindow, settle: Callable[[], None]
) -> None:
    window.surroundings.settings.set("labeler", "labeler 2")
    settle()
    session, shown = window.session, window.page
    assert session is not None
    assert isinstance(shown, AuditPage)
    for metric in ("relevance", "accuracy", "safety"):
        shown.scope.choose_metric(metric)
        assert not any(row.hidden for row in listing.rows(session, listed(shown)))
        assert BLIND in shown.side.cases.notice.text()


def test_leads_are_listed_all_which_counts_as_seen(page: AuditPage, session: Session) -> None:
    page.scope.choose_metric("accuracy")
    assert any(row.hidden for row in listing.rows(session_behind(session), listed(page)))
    assert page.side.cases.notice.text() == SEEN


def session_behind(session: Session) -> Session:
    assert isinstance(session, LeadSession)
    return session.behind


def test_what_is_held_out_is_said_and_can_be_left_out(
    page: AuditPage, session: Session, settle: Callable[[], None]
) -> None:
    cases = page.side.cases
    page.scope.choose_metric("accuracy")
    assert not cases.held_out.isVisible()
    splitting.ensure(session)
    page.scope.choose_metric("safety")
    page.scope.choose_metric("accuracy")
    before = listed(page)
    parts = splits.parts_of(session.project.conn, before)
    held_out = {key for key in before if parts[key] == "held_out"}
    assert 0 < len(held_out) < len(before)
    assert f"{len(held_out)} of these are held out" in cases.held_out.text()
    assert cases.held_out.isVisible()
    QTest.mouseClick(cases.without_held_out, Qt.MouseButton.LeftButton)
    settle()
    assert page.scope.filter.text() == "part:dev"
    assert listed(page)
    assert not held_out & set(listed(page))
    assert not cases.held_out.isVisible()
    assert not cases.without_held_out.isVisible()


def test_judge_and_people_stand_side_by_side(page: AuditPage, session: Session) -> None:
    page.scope.choose_metric("accuracy")
    key = listed(page)[0]
    view = reading.view(session, key)
    words = " ".join(label.text() for label in page.side.case.findChildren(QLabel))
    assert view.auto["accuracy"].reasoning is not None
    assert view.auto["accuracy"].reasoning.split(".")[0] in words
    assert view.evaluation.id in page.side.case.name.text()
    assert "labeler 1" in words


def test_return_opens_the_response_on_review(page: AuditPage, window: MainWindow) -> None:
    asked: list[int] = []
    page.open_evaluation_requested.connect(asked.append)
    page.open_evaluation_requested.disconnect(window.open_evaluation)
    key = listed(page)[1]
    page.side.cases.table.setFocus()
    page.side.cases.table.choose(key)
    QTest.keyClick(page.side.cases.table, Qt.Key.Key_Return)
    QTest.mouseClick(page.side.case.open_button, Qt.MouseButton.LeftButton)
    assert asked == [key, key]


def test_a_response_of_the_list_is_one_press_from_review(
    page: AuditPage, window: MainWindow, settle: Callable[[], None]
) -> None:
    key = listed(page)[0]
    QTest.mouseClick(page.side.case.open_button, Qt.MouseButton.LeftButton)
    settle()
    review = window.page
    assert isinstance(review, ReviewPage)
    assert review.view is not None
    assert review.view.evaluation.key == key


def test_a_narrower_scope_is_computed(
    qtbot: QtBot, page: AuditPage, settle: Callable[[], None]
) -> None:
    page.scope.run.pick("2026-11-04 agent v6")
    settle()
    assert page.audit is not None
    assert page.audit.evaluations == 73
    page.scope.labeler.pick("labeler 2")
    page.scope.blind.setChecked(True)
    settle()
    qtbot.waitUntil(lambda: page.audit is not None and page.audit.labelled < 56)
    assert page.scope.run.names == ("2026-11-04 agent v6",)
    assert page.scope.scope().blind_only


def test_a_run_of_another_rubric_shows_its_metrics(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    page.scope.run.pick("A/B opening lines")
    settle()
    assert page.audit is not None
    assert page.audit.rubric.name == "opening-lines"
    assert page.scope.chosen_metric in page.audit.rubric.by_name
    assert page.verdict.isVisible()


def test_a_label_changes_the_figures_soon(
    qtbot: QtBot, page: AuditPage, session: Session, settle: Callable[[], None]
) -> None:
    audit = page.audit
    assert audit is not None
    before = audit.document.metrics["accuracy"].gaps.n_human
    state = next(
        key
        for key in listing.build(session, run="2026-11-18 agent v7").ids
        if not reading.view(session, key).own and not reading.view(session, key).others
        and not _labelled(session, key)
    )  # fmt: skip
    for metric in ("relevance", "accuracy", "safety"):
        entering.commit(session, state, metric, 2)
    qtbot.waitUntil(
        lambda: (
            page.audit is not None
            and page.audit.document.metrics["accuracy"].gaps.n_human == before + 1
        ),
        timeout=10_000,
    )
    settle()


def _labelled(session: Session, key: int) -> bool:
    session.blind = False
    found = bool(reading.view(session, key).others)
    session.blind = True
    return found


def test_a_project_without_labels_says_so(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(build_project(tmp_path / "bare.review", evaluations=5))
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    assert "Nobody has labelled Relevance" in page.verdict.sentence.text()
    words = " ".join(label.text() for label in page.side.case.findChildren(QLabel))
    assert "has both an auto score and a label" in words


def test_the_first_metric_shown_is_one_that_people_are_asked_for(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    rows = [record(n, scores=[{"metric": "exact_match", "value": 1}]) for n in range(3)]
    path = build_project(tmp_path / "faq.review", evaluations=rows, rubric=shipped()["faq-bot"])
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    assert "Nobody has labelled Relevance" in page.verdict.sentence.text()
    page.scope.choose_metric("exact_match")
    settle()
    assert page.verdict.sentence.text() == "Exact match is computed; people are not asked for it."
    assert "not enough labels" not in page.verdict.interval.text()
    shown = page.agreement.table.rows
    assert [shown.cell(row, 0).below for row in (0, 5)] == ["not asked of people", "no labels"]


def test_a_project_without_runs_says_so(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(build_project(tmp_path / "none.review", evaluations=0, runs=()))
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    assert "import evaluation results first" in page.sections.state.text()
    assert not page.verdict.isVisible()


def test_hostile_texts_are_shown_as_text(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    labels = [
        {"metric": name, "labeler": "ann", "value": 1, "comment": "<b>bold</b>\u202eevil"}
        for name in ("relevance", "accuracy", "safety")
    ]
    hostile = record(1, id="<h1>", input="<img src=x>", response="\x00<script>", labels=labels)
    path = build_project(tmp_path / "hostile.review", evaluations=[hostile])
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    labels_of_card = page.side.case.findChildren(QLabel)
    assert all(x.textFormat() == Qt.TextFormat.PlainText for x in labels_of_card)
    words = " ".join(label.text() for label in labels_of_card)
    assert "⟦U+202E⟧" in words
    assert "⟦U+0000⟧" in words


def test_the_judge_stands_with_model_and_prompt(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    assert "deepseek-chat" in page.verdict.judge.text()
    titles = [title for _, title in page.scope.judge._entries]
    assert any("prompt" in title for title in titles)
    page.scope.judge.pick(*page.scope.judge.values[:1])
    settle()
    assert page.verdict.judge.text().startswith("Judge: ")


def test_pairs_are_not_shown_twice(page: AuditPage, settle: Callable[[], None]) -> None:
    assert page.labelers.isVisibleTo(page)
    page.sections.bring(PeopleSection)
    settle()
    assert not page.labelers.isVisibleTo(page)
    page.sections.bring(AgreementSection)
    assert page.labelers.isVisibleTo(page)
