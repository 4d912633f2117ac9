"""The section on probes: what is found, what is missing, and the table of families."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.segments_section import ProbesSection
from reviewer.gui.window import MainWindow
from reviewer.services.audits.probe_values import Probe, Probes, Row
from tests.building import build_project
from tests.gui.audit.test_people_section import plain, words
from tests.services.audits.comparing import label, one

Settle = Callable[[], None]


@pytest.fixture
def section(window: MainWindow, tmp_path: Path, settle: Settle) -> ProbesSection:
    records = [
        one(
            n,
            4,
            [label(4 - (n > 20))],
            response="x" * (100 * n),
            model="ours" if n % 2 else "theirs",
        )
        for n in range(1, 41)
    ]
    path = build_project(tmp_path / "probes.review", evaluations=records)
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.scope.choose_metric("accuracy")
    made = page.sections.bring(ProbesSection)
    settle()
    return made


def test_what_moves_the_judge_is_marked(section: ProbesSection) -> None:
    rows = words(section.cards["length"].table)
    assert rows[0][2].startswith("≠ −")
    assert "the judge favours longer responses" in plain(section.cards["length"].sentence.text())
    assert section.cards["order"].table.isHidden()
    assert "One figure was tested." in section.told.text()


def test_a_figure_leads_to_its_responses(section: ProbesSection, qtbot: QtBot) -> None:
    with qtbot.waitSignal(section.responses_requested) as asked:
        section.cards["length"].table.row_opened.emit(0)
    assert len(asked.args[0]) == 40
    figure = section._figure("length", 0, 2)
    assert figure is not None
    assert "allowing for all probes under 0.001" in figure.sentence


def test_families_are_edited_and_probed_anew(section: ProbesSection, settle: Settle) -> None:
    card = section.cards["family"]
    assert "no known model family" in card.sentence.text()
    section.edit.click()
    dialog = section._dialog
    assert dialog is not None
    assert "gpt = OpenAI" in dialog.field.toPlainText()
    dialog.field.setPlainText("nonsense")
    dialog.keep.click()
    assert dialog.isVisible()
    assert dialog.problem.text().startswith("Line 1 of the model families is 'nonsense'")
    dialog.field.setPlainText("judge = House\nours = House\ntheirs = Other")
    dialog.keep.click()
    settle()
    assert not dialog.isVisible()
    assert words(card.table)[0][0] == "House against others"


def test_shares_are_in_percent_and_their_differences_in_points(section: ProbesSection) -> None:
    rows = (
        Row("first", "share difference", 1200, 0.25, 0.125, 0.375, adjusted=0.0004),
        Row("second", "share difference", 40, -0.1, reason="too few"),
        Row("swapped", "share", 40, 0.125, adjusted=0.5),
        Row("longer", "gap", 40, -0.5, -0.75, -0.25, adjusted=0.02),
        Row("none", "gap", 3, None, reason="too few"),
    )
    probe = Probe(kind="order", rows=rows, sentence="So.")
    section.show_found(Probes((probe,), 3, "Three figures were tested."))
    table = section.cards["order"].table
    assert [row[1:] for row in words(table)] == [
        ["1,200", "≠ +25 points", "< 0.001"],
        ["40", "−10 points", "—"],
        ["40", "12 %", "0.500"],
        ["40", "≠ −0.50", "0.020"],
        ["3", "—", "—"],
    ]
    cells = [table.rows.cell(place, 2) for place in range(5)]
    assert [cell.below for cell in cells] == ["+12 – +38", "", "", "−0.75 – −0.25", ""]
    assert [cell.role for cell in cells] == ["alert", "", "", "alert", "muted"]
    assert (cells[1].tip, cells[4].tip) == ("too few", "too few")
