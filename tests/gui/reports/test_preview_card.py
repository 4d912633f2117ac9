"""The preview of a report: as it will be, anew with every choice, and blind where one is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.paper import Paper
from reviewer.gui.reports.page import EXPORTS, REPORTS, ReportsPage
from reviewer.gui.window import MainWindow
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot) -> Callable[[Path, str], ReportsPage]:
    def open_(project: Path, labeler: str) -> ReportsPage:
        window.surroundings.settings.set("labeler", labeler)
        assert window.open_project(project)
        window.show_page("reports")
        page = window.page
        assert isinstance(page, ReportsPage)
        done(page, qtbot)
        return page

    return open_


def done(page: ReportsPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page.preview.state.text(), timeout=30_000)


def shown(page: ReportsPage) -> str:
    return page.preview.paper.toPlainText()


def test_a_report_is_shown_as_it_will_be(
    opened: Callable[[Path, str], ReportsPage], demo: Path, qtbot: QtBot
) -> None:
    page = opened(demo, "lead")
    assert isinstance(page.preview.paper.document(), Paper)
    assert shown(page).startswith("Can the judge be trusted? 2026-11-18 agent v7")
    page.report.form.setCurrentIndex(page.report.form.findData(".md"))
    done(page, qtbot)
    assert shown(page).startswith("# Can the judge be trusted? 2026-11-18 agent v7")
    page.report.form.setCurrentIndex(page.report.form.findData(".json"))
    done(page, qtbot)
    assert shown(page).startswith("{")
    page.report.run.setCurrentIndex(page.report.run.findData("2026-11-04 agent v6"))
    page.report.form.setCurrentIndex(page.report.form.findData(".pdf"))
    done(page, qtbot)
    assert shown(page).startswith("Can the judge be trusted? 2026-11-04 agent v6")


def test_what_a_lead_was_shown_counts_as_seen(
    opened: Callable[[Path, str], ReportsPage], demo: Path, qtbot: QtBot
) -> None:
    page = opened(demo, "lead")
    session = page.session
    key = session.project.conn.execute(
        "SELECT id FROM evaluations WHERE ext_id = 'c-0023' ORDER BY id DESC LIMIT 1"
    ).fetchone()[0]

    def revealed() -> bool:
        page.settle()
        row = session.project.conn.execute(
            "SELECT count(*) FROM marks WHERE evaluation = ? AND kind = 'reveal'", (key,)
        ).fetchone()
        return bool(row[0])

    qtbot.waitUntil(revealed, timeout=10_000)


@pytest.mark.usefixtures("unled")
def test_nothing_is_shown_of_what_is_hidden(
    opened: Callable[[Path, str], ReportsPage], demo: Path
) -> None:
    page = opened(demo, "labeler 1")
    assert page.preview.paper.isHidden()
    assert "hidden from you until you have scored them" in page.preview.problem.text()
    assert shown(page) == ""


def test_an_empty_project_and_a_wrong_template_say_so(
    opened: Callable[[Path, str], ReportsPage], tmp_path: Path, qtbot: QtBot
) -> None:
    page = opened(build_project(tmp_path / "p.review", evaluations=4), "labeler 1")
    mine = tmp_path / "mine.j2"
    mine.write_text("{{ 1 }}\n{{ total_case }}", encoding="utf-8")
    page.report.take_template(mine)
    done(page, qtbot)
    said = page.preview.problem.text()
    assert "line 2" in said
    assert "Did you mean total_cases" in said
    Project.create(tmp_path / "empty.review").close()
    page = opened(tmp_path / "empty.review", "labeler 1")
    assert "holds no run yet" in page.preview.problem.text()


def test_the_preview_is_of_what_was_chosen_last(
    opened: Callable[[Path, str], ReportsPage], demo: Path
) -> None:
    page = opened(demo, "lead")
    assert page.tabs.place == REPORTS
    page.choices.whats["labels"].setChecked(True)
    assert (page.tabs.place, page.previews.currentIndex()) == (EXPORTS, EXPORTS)
    page.report.run.setCurrentIndex(1)
    assert page.previews.currentWidget() is page.preview
