"""The section Pass/fail in the real window, on the demo project."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.pass_section import INVITATION, UNMOVED, PassSection
from reviewer.gui.audit.scope_card import EVERY_RUN
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

Settle = Callable[[], None]
_Kind = TypeVar("_Kind", bound=AuditSection[Any])


def brought_to(window: MainWindow, path: Path, settle: Settle, kind: type[_Kind]) -> _Kind:
    """Open all runs of a project on the Audit page, not blind, and bring a section into view."""
    assert window.open_project(path)
    assert window.session is not None
    window.session.blind = False
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    if EVERY_RUN in page.scope.run.values:
        page.scope.run.pick(EVERY_RUN)
        settle()
    section = page.sections.bring(kind)
    settle()
    return section


@pytest.fixture
def section(window: MainWindow, demo: Path, settle: Settle) -> PassSection:
    return brought_to(window, demo, settle, PassSection)


def asked(section: PassSection) -> list[tuple[int, str]]:
    """Lists of responses that the section asks for, by size and heading."""
    found: list[tuple[int, str]] = []
    section.responses_requested.connect(lambda keys, what: found.append((len(keys), what)))
    return found


def row(section: PassSection, key: object) -> list[str]:
    rows = section.verdicts.rates.rows
    place = rows.place_of(key)
    assert place is not None
    return [rows.cell(place, column).words for column in range(rows.columnCount())]


def test_rates_stand_with_interval_and_n(section: PassSection) -> None:
    assert section.verdicts.subject.currentText() == "Whole rubric"
    assert "Accuracy from 3" in section.verdicts.rule.text()
    assert row(section, "catch_rate") == ["Fails caught", "41 %", "15 of 37"]
    rows = section.verdicts.rates.rows
    assert rows.cell(0, 1).below == "26 – 57 %"
    assert row(section, "corrected_rate")[1]


def test_a_cell_and_a_rate_open_as_many_responses_as_they_say(section: PassSection) -> None:
    lists = asked(section)
    section.verdicts.cells.cell_chosen.emit(0, 1)
    section.verdicts.rates.row_opened.emit("catch_rate")
    section.verdicts.rates.row_opened.emit("auto_rate")
    assert lists == [
        (22, "people fail · judge pass"), (22, "people fail · judge pass"), (21, "judge fail"),
    ]  # fmt: skip


def test_the_verdicts_of_one_metric_can_be_chosen(section: PassSection, settle: Settle) -> None:
    verdicts = section.verdicts
    verdicts.subject.setCurrentIndex(verdicts.subject.findData("accuracy"))
    settle()
    assert verdicts.rule.text() == "Accuracy passes from 3."
    assert section.what_if.outcome is not None
    assert section.what_if.outcome.subject == "accuracy"


def test_categories_too_small_show_counts_instead_of_rates(section: PassSection) -> None:
    table = section.categories.table.rows
    names = [table.cell(place, 0).words for place in range(table.rowCount())]
    assert "amenities" in names
    caught = table.cell(names.index("amenities"), 2)
    assert (caught.words, caught.below) == ("—", "2 of 6")
    lists = asked(section)
    section.categories.table.clicked.emit(table.index(names.index("amenities"), 2))
    assert lists == [(4, "amenities · people fail · judge pass")]


def test_figures_are_copied_and_explained(section: PassSection) -> None:
    figure = section.verdicts.figure("catch_rate")
    assert figure is not None
    section.figures.copy(figure)
    assert QGuiApplication.clipboard().text() == (
        "Whole rubric: of what people fail, the judge fails 41 % (15 of 37; 95 % interval 26 % to "
        "57 %)."
    )
    assert figure.steps is not None
    assert "both fail ÷ people fail = 15 ÷ 37 = 0.4054" in [step.text for step in figure.steps()]
    corrected = section.verdicts.figure("corrected_rate")
    assert corrected is not None
    assert corrected.steps is not None
    assert "0.8500 × 64/86 + 0.1500 × 0/15 = 0.6326" in corrected.steps()[1].text
    of_category = section.categories.figure(0, 6)
    assert of_category is not None
    assert of_category.title.startswith("Corrected pass rate, ")


def test_another_mark_says_at_once_what_flips(section: PassSection, settle: Settle) -> None:
    card = section.what_if
    assert card.sentence.text() == INVITATION
    assert not card.table.isVisible()
    mark = card.form.field("accuracy")
    mark.setValue(4)
    card.compute()
    settle()
    assert card.outcome is not None
    judge, people = (card.outcome.flipped(who).size for who in ("judge", "people"))
    assert judge
    assert people
    assert f"flips on {judge:,}, people's on {people:,}" in card.sentence.text()
    lists = asked(section)
    openers = [x for x in card.findChildren(QPushButton) if x.text().startswith("Open all")]
    openers[0].click()
    assert lists == [(card.outcome.flipped().size, "flipped")]
    moved = card.table.rows.rowCount()
    card.everything.click()
    assert card.table.rows.rowCount() > moved
    card.back.click()
    card.compute()
    settle()
    assert card.sentence.text() == INVITATION
    assert mark.value() == 3


def test_a_change_that_moves_nothing_says_so(section: PassSection, settle: Settle) -> None:
    card = section.what_if
    card.form.options.options.setText("clip=display")
    card.form.options.apply.click()
    card.compute()
    settle()
    assert card.sentence.text() == UNMOVED


def test_labels_combined_otherwise_are_tried_too(section: PassSection, settle: Settle) -> None:
    card = section.what_if
    card.form.options.options.setText("label_combine=latest")
    card.compute()
    settle()
    assert card.outcome is not None
    assert any(one.moved for one in card.outcome.figures)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("band_gate", "is no option"), ("odd=1", "no option 'odd'"), ("clip=x", "clip is 'x'")],
)
def test_an_option_that_does_not_fit_is_explained(
    section: PassSection, settle: Settle, text: str, sentence: str
) -> None:
    card = section.what_if
    card.form.options.options.setText(text)
    card.compute()
    settle()
    assert sentence in card.form.options.problem.text()


def test_the_wheel_over_a_field_scrolls_the_page_instead(section: PassSection) -> None:
    mark = section.what_if.form.field("accuracy")
    before = mark.value()
    spot = QPointF(mark.rect().center())
    wheel = QWheelEvent(
        spot, QPointF(mark.mapToGlobal(mark.rect().center())), QPoint(0, 0), QPoint(0, 120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    assert wheel.type() == QEvent.Type.Wheel
    QApplication.sendEvent(mark, wheel)
    assert mark.value() == before


def test_a_label_changes_the_figures_and_keeps_what_is_tried(
    window: MainWindow, section: PassSection, settle: Settle
) -> None:
    section.what_if.form.field("accuracy").setValue(4)
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.compute()
    settle()
    assert section.what_if.form.field("accuracy").value() == 4
    assert section.what_if.outcome is not None
    assert section.what_if.outcome.change.marks == (("accuracy", 4.0),)


def wide(count: int, *, marked: bool) -> Rubric:
    levels = tuple(Level(value=value) for value in range(1, 6))
    return Rubric(
        name="wide",
        pass_rule="every" if marked else "none",
        metrics=tuple(
            Metric(name=f"m{n}", levels=levels, pass_at=3 if marked else None)
            for n in range(count)
        ),
    )


def test_forty_metrics_stay_in_reach(
    window: MainWindow, tmp_path: Path, settle: Settle, qtbot: QtBot
) -> None:
    scores = [{"metric": f"m{n}", "value": 4, "scorer": "judge"} for n in range(40)]
    path = build_project(
        tmp_path / "wide.review",
        evaluations=[record(n, scores=scores) for n in range(5)],
        rubric=wide(40, marked=True),
    )
    section = brought_to(window, path, settle, PassSection)
    form = section.what_if.form
    assert section.verdicts.subject.count() == 41
    assert form.area.height() < form.fields.sizeHint().height()
    form.field("m39").setValue(5)
    section.what_if.compute()
    settle()
    qtbot.waitUntil(lambda: section.what_if.outcome is not None)
    assert section.what_if.outcome is not None
    assert section.what_if.outcome.flipped("judge").size == 5


def test_without_a_rule_the_reason_is_said_and_one_can_be_tried(
    window: MainWindow, tmp_path: Path, settle: Settle
) -> None:
    path = build_project(
        tmp_path / "ruleless.review",
        evaluations=[
            record(n, scores=[{"metric": "m0", "value": 1 + n % 5, "scorer": "judge"}])
            for n in range(10)
        ],
        rubric=wide(2, marked=False),
    )
    section = brought_to(window, path, settle, PassSection)
    assert section.verdicts.rule.text() == (
        "The rubric has no pass rule, so responses have no verdict. One can be tried below."
    )
    assert not section.verdicts.rates.isVisible()
    assert not section.categories.isVisible()
    form = section.what_if.form
    form.field("m0").setValue(3)
    form.rule.setCurrentIndex(form.rule.findData("every"))
    section.what_if.compute()
    settle()
    assert section.what_if.outcome is not None
    assert section.what_if.outcome.flipped("judge").size == 10
