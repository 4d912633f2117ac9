"""The section Families in the real window, on the shipped example and on rubrics without any."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.audit.families_cards import PEOPLE
from reviewer.gui.audit.families_section import FamiliesSection, RuleRow
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.window import MainWindow
from reviewer.services.audits import family_rules
from reviewer.services.upkeep import projects
from tests.gui.audit.test_pass_section import Settle, brought_to


@pytest.fixture
def section(window: MainWindow, tmp_path: Path, settle: Settle, qtbot: QtBot) -> FamiliesSection:
    path = projects.make_demo(tmp_path / "faq.review", "faq-bot", Silent())
    window.surroundings.settings.set("labeler", "lead")
    found = brought_to(window, path, settle, FamiliesSection)
    qtbot.waitUntil(lambda: found.scatter.chart is not None)
    return found


def rule(section: FamiliesSection, name: str) -> RuleRow:
    return next(row for row in section.contradictions.rows if row.found.rule.name == name)


def asked(section: FamiliesSection) -> list[tuple[list[int], str]]:
    found: list[tuple[list[int], str]] = []
    section.responses_requested.connect(lambda keys, what: found.append((list(keys), what)))
    return found


def test_every_family_has_a_row_and_its_metrics_beneath(section: FamiliesSection) -> None:
    rows = section.families.table.rows
    shown = [rows.cell(place, 0).words for place in range(rows.rowCount())]
    assert shown[:5] == [
        "correctness", "    strict match", "    full context",
        "    Exact match", "        strict match",
    ]  # fmt: skip
    assert "operations" in shown
    operations = shown.index("operations")
    assert rows.cell(operations, 1).words == "—"
    assert rows.cell(operations, 1).tip == "its metrics have no common scale"
    latency = shown.index("    Latency")
    assert rows.cell(latency, 2).words.startswith("p95")
    # beside the means of the Agreement page a median says what it is
    assert rows.cell(latency, 1).below == "median"
    chosen: list[str] = []
    section.metric_requested.connect(chosen.append)
    section.families.table.row_opened.emit(("correctness", "keyword_recall", ""))
    section.families.table.row_opened.emit(("correctness", "", ""))
    assert chosen == ["keyword_recall"]


def test_figures_of_families_are_sentences(section: FamiliesSection) -> None:
    family = section.families.figure(("semantic review", "", ""))
    metric = section.families.figure(("operations", "latency", ""))
    assert family is not None
    assert metric is not None
    assert family.sentence.startswith("semantic review: level 0.")
    assert family.steps is not None
    assert "Relevance" in family.steps()[0].text
    assert "95th percentile" in metric.sentence
    assert section.families.figure(("nowhere", "", "")) is None
    apart = section.families.figure(("semantic review", "", "strict match"))
    assert apart is not None
    assert apart.sentence.startswith("strict match: semantic review: level 0.")
    assert family.keys is not None
    assert apart.keys is not None
    assert 2 * len(apart.keys()) == len(family.keys())


def test_every_list_opens_as_many_responses_as_it_says(section: FamiliesSection) -> None:
    lists = asked(section)
    for row in section.contradictions.rows:
        many = row.found.keys.size
        assert row.count.text().startswith(f"{many:,} of 52")
        if many:
            row.findChildren(QPushButton)[0].click()
            assert lists[-1] == (row.found.keys.tolist(), row.found.rule.title)
    assert lists


def test_a_threshold_is_kept_in_the_project_and_can_be_reset(
    window: MainWindow, section: FamiliesSection, settle: Settle, qtbot: QtBot
) -> None:
    row = rule(section, "paraphrase")
    before = row.found.keys.size
    assert not section.contradictions.back.isVisible()
    row.fields[1].setValue(5)
    qtbot.waitUntil(lambda: rule(section, "paraphrase").found.keys.size != before)
    settle()
    session = window.session
    assert session is not None
    assert family_rules.kept(session.project) == {"paraphrase.relevance": 5.0}
    assert section.contradictions.back.isVisible()
    section.contradictions.back.click()
    settle()
    assert rule(section, "paraphrase").found.keys.size == before
    assert rule(section, "paraphrase").fields[1].value() == 4
    assert family_rules.kept(session.project) == {}


def test_percentiles_say_the_value_that_they_stand_for(section: FamiliesSection) -> None:
    curt = rule(section, "curt")
    assert curt.fields[0].text() == "p5"
    assert curt.cuts[0].text().endswith("characters")
    figure = curt.figure()
    assert "p5 = " in figure.sentence
    assert figure.steps is not None
    assert "÷ 52 =" in figure.steps()[1].text


def test_a_dot_opens_its_response(section: FamiliesSection) -> None:
    chart = section.scatter.chart
    assert chart is not None
    assert len(chart.spots) == 52
    lists = asked(section)
    chart.spot_chosen.emit(chart.spots[0].key)
    assert lists == [([chart.spots[0].key], "the response of a dot")]
    assert chart.spots[0].words.startswith("Keyword recall ")
    assert "drawn a little apart" in section.scatter.note.text()


def test_any_two_metrics_can_be_drawn(section: FamiliesSection) -> None:
    chart = section.scatter.chart
    assert chart is not None
    section.scatter.across.setCurrentIndex(section.scatter.across.findData("latency"))
    section.scatter.upwards.setCurrentIndex(section.scatter.upwards.findData("robustness"))
    assert len(chart.spots) == 51
    assert "Latency" in chart.spots[0].words
    assert "Robustness" in chart.spots[0].words


def test_a_rubric_without_families_has_no_such_section(
    window: MainWindow, demo: Path, settle: Settle
) -> None:
    assert window.open_project(demo)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    shown = [button.text() for button in page.sections.row.buttons if not button.isHidden()]
    assert "Families" not in shown
    assert {"Pass/fail", "Segments"} <= set(shown)


def test_levels_and_metrics_of_families_have_formula_and_responses(
    section: FamiliesSection,
) -> None:
    rows = section.families.table.rows
    opened = 0
    for place in range(rows.rowCount()):
        figure = section.families.figure(rows.keys[place], 1)
        assert figure is not None
        assert figure.steps is not None
        assert figure.steps()
        n = rows.cell(place, 3).words
        if figure.keys is None:
            assert n in ("", "0")
            continue
        opened += 1
        assert f"{len(figure.keys()):,}" == n
    assert opened > 5


def test_what_people_say_of_a_metric_is_a_figure(section: FamiliesSection) -> None:
    rows = section.families.table.rows
    people = [
        (found, rows.cell(place, PEOPLE))
        for place in range(rows.rowCount())
        if rows.cell(place, PEOPLE).words.endswith(")")
        and (found := section.families.figure(rows.keys[place], PEOPLE))
    ]
    assert people
    for figure, cell in people:
        assert cell.words.split(" ")[0] in figure.sentence
        assert figure.keys is not None
        assert cell.tip == f"n = {len(figure.keys()):,}"


def test_a_dot_is_a_figure(section: FamiliesSection) -> None:
    chart = section.scatter.chart
    assert chart is not None
    assert section.scatter.figure() is None
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Right)
    figure = section.scatter.figure()
    assert figure is not None
    assert figure.keys is not None
    assert list(figure.keys()) == [chart.spots[0].key]
