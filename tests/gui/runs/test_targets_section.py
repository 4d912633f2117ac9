"""Targets and failure patterns of a run in the real window."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Advice
from reviewer.domain.run import Scope
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.targets_section import TargetsSection
from reviewer.gui.window import MainWindow
from reviewer.reports.report import Wanted
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.services.upkeep import projects
from tests.building import RUBRIC, build_project


@pytest.fixture
def shown(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> TargetsSection:
    path = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    window.surroundings.settings.set("labeler", "labeler 1")
    assert window.open_project(path)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    found = page.sections.bring(TargetsSection)
    settle()
    return found


def test_each_target_is_a_line(shown: TargetsSection) -> None:
    rows = shown.table.rows
    found = {
        rows.cell(row, 0).words: [
            rows.cell(row, 0).below, rows.cell(row, 1).words, rows.cell(row, 4).words
        ]
        for row in range(rows.rowCount())
    }  # fmt: skip
    assert len(found) == 9
    assert found["Pass rate"][0] == "≥ 0.8"
    # the judge alone would have reached it
    assert found["Pass rate"][1:] == ["91.7 %", "? cannot be said"]
    assert {words for _, _, words in found.values()} <= {
        "✓ reached",
        "✗ missed",
        "? cannot be said",
    }
    assert shown.verdict.text().endswith("cannot be said")


def test_a_pattern_lists_its_responses(shown: TargetsSection) -> None:
    rows = shown.patterns.rows
    titles = [rows.cell(row, 0).words for row in range(rows.rowCount())]
    assert "Low accuracy" in titles
    asked: list[tuple[object, str]] = []
    shown.responses_requested.connect(lambda keys, heading: asked.append((keys, heading)))
    shown._open("low accuracy")
    ((keys, heading),) = asked
    assert heading == f"Low accuracy · {shown.run}"
    count = rows.cell(titles.index("Low accuracy"), 1).words
    assert count.startswith(f"{len(keys)} of ")  # type: ignore[arg-type]


def test_the_best_and_the_worst_stand_as_in_the_report(
    shown: TargetsSection, qtbot: QtBot, window: MainWindow
) -> None:
    session = window.session
    assert session is not None
    told = making.build(session.project, Wanted(scope=Scope(runs=(shown.run,))))
    assert told.evidence is not None
    best, worst = told.evidence.best, told.evidence.worst
    rows = shown.extremes.rows
    found = [(rows.cell(n, 0).words, rows.cell(n, 0).mark) for n in range(rows.rowCount())]
    assert found == [*((x.id, "best") for x in best), *((x.id, "worst") for x in worst)]
    with qtbot.waitSignal(shown.responses_requested) as wished:
        shown._open_one(rows.keys[0])
    assert wished.args == [(best[0].key,), f"Best and worst · {shown.run}"]


@pytest.mark.usefixtures("unled")
def test_what_the_judge_scored_low_is_listed_as_far_as_it_is_answered(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, settle: Callable[[], None]
) -> None:
    limit = Advice(when="latency_ms > 1000", text="High latency: warm the cache.")
    rubric = replace(RUBRIC, targets={"accuracy": ">= 4"}, advice=(limit,))
    assert window.open_project(build_project(tmp_path / "p.review", rubric=rubric))
    session = window.session
    assert session is not None
    assert session.blind
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    shown = page.sections.bring(TargetsSection)
    settle()
    asked: list[object] = []
    noted: list[str] = []
    shown.responses_requested.connect(lambda keys, _: asked.append(keys))
    shown.noted.connect(noted.append)
    shown._open("low accuracy")
    title = "Low accuracy · agent v7"
    assert asked == []
    assert shown.extremes.rows.rowCount() == 0
    assert shown.unseen.text().startswith("10 are hidden from you")
    assert noted == [f"{title}: 4 are hidden from you until you have answered them."]
    rows = shown.patterns.rows
    place = rows.keys.index("low accuracy")
    assert (rows.cell(place, 1).words, rows.cell(place, 1).below) == ("4 of 12", "4 hidden")
    figure = shown._pattern_figure("low accuracy", 1)
    assert figure is not None
    assert figure.keys is None
    for metric in rubric.metrics:
        entering.commit(session, 4, metric.name, 3)
    settle()
    shown.recompute()
    settle()
    with qtbot.waitSignal(shown.responses_requested) as wished:
        shown._open("low accuracy")
    assert wished.args == [
        (4,), f"{title}: 3 more are hidden from you until you have answered them"
    ]  # fmt: skip
    # latency is no score: it tells nothing of the judge
    latency = shown._pattern_figure("high latency", 1)
    assert latency is not None
    assert latency.keys is not None
    assert len(latency.keys()) == 2


def test_figures_can_be_taken_away(shown: TargetsSection) -> None:
    target = shown._target_figure("pass_rate", 2)
    assert target is not None
    assert target.sentence.startswith(f"{shown.run}: Pass rate ")
    assert "(n " in target.sentence
    pattern = shown._pattern_figure("high latency", 1)
    assert pattern is not None
    assert pattern.keys is not None
    assert pattern.keys()
    assert "above 1000" in pattern.sentence


def test_a_rubric_without_targets_has_no_such_section(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review", evaluations=3)
    with closing(Session.open(path)) as session:
        assert not TargetsSection.fits(session, "agent v7")
        assert not TargetsSection.fits(session, "")
