"""Reports and packets are made in the window as the command line makes them."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.reports.page import ReportsPage
from reviewer.gui.window import MainWindow
from reviewer.services.reporting import recipes


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> ReportsPage:
    window.surroundings.settings.set("labeler", "lead")
    assert window.open_project(demo)
    window.show_page("reports")
    settle()
    shown = window.page
    assert isinstance(shown, ReportsPage)
    return shown


def written(page: ReportsPage, to: Path, qtbot: QtBot) -> str:
    page.maker.write(to)
    qtbot.waitUntil(page.report.make.isEnabled, timeout=30_000)
    return page.export_card.title.text()


@pytest.mark.parametrize("suffix", [".html", ".pdf", ".md", ".json"])
def test_a_report_of_the_newest_run(
    page: ReportsPage, tmp_path: Path, qtbot: QtBot, suffix: str
) -> None:
    to = tmp_path / f"r{suffix}"
    assert written(page, to, qtbot) == "Written"
    text = to.read_bytes().decode("utf-8", "replace")
    assert text.startswith("%PDF-") or "cannot be said yet" in text
    assert "agent v7" in text or suffix == ".pdf"
    assert page.export_card.facts["File"].accessibleName() == f"File: {to}"


def test_the_form_and_the_run_are_chosen(page: ReportsPage) -> None:
    assert page.report.suffix == ".html"
    page.report.form.setCurrentIndex(page.report.form.findData(".md"))
    assert page.report.suffix == ".md"
    names = [page.report.run.itemText(at) for at in range(page.report.run.count())]
    assert names[0] == "the newest"
    page.report.run.setCurrentIndex(names.index("2026-11-04 agent v6"))
    assert page.report.request().scope.runs == ("2026-11-04 agent v6",)


def test_a_packet_takes_the_place_of_an_older_one(
    page: ReportsPage, tmp_path: Path, qtbot: QtBot
) -> None:
    to = tmp_path / "a.zip"
    to.write_bytes(b"older")
    assert written(page, to, qtbot) == "Written"
    with zipfile.ZipFile(to) as found:
        assert "recompute.py" in found.namelist()
    assert [x.name for x in tmp_path.glob("a.zip*")] == ["a.zip"]
    assert "73 evaluations" in page.export_card.facts["Rows"].accessibleName()


def test_what_cannot_be_written_is_said_and_the_older_file_stays(
    page: ReportsPage, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    to = tmp_path / "nowhere" / "r.html"
    assert written(page, to, qtbot) == "Not written"
    assert "nowhere" in page.export_card.line.text()
    assert window.session is not None
    with window.session.project.write() as conn:
        conn.execute("UPDATE labelers SET role = 'lead' WHERE name = 'labeler 1'")
        conn.execute("UPDATE labelers SET role = 'labeler' WHERE name = 'lead'")
    older = tmp_path / "b.zip"
    older.write_bytes(b"older")
    page.maker.write(older)
    qtbot.waitUntil(page.report.make.isEnabled, timeout=30_000)
    assert "Only a lead can make an audit packet" in page.export_card.line.text()
    assert older.read_bytes() == b"older"


def test_each_form_offers_its_templates(page: ReportsPage, tmp_path: Path) -> None:
    def offered() -> list[str]:
        combo = page.report.template
        return [combo.itemText(at) for at in range(combo.count())]

    assert offered() == ["the usual one"]
    page.report.form.setCurrentIndex(page.report.form.findData(".md"))
    assert offered()[1:] == [
        "agent-rubric", "faq-bot", "guest-response", "harness", "virtual-agent",
    ]  # fmt: skip
    mine = tmp_path / "mine.j2"
    mine.write_text("{{ total_cases }}", encoding="utf-8")
    page.report.take_template(mine)
    assert page.report.request().template == str(mine)
    page.report.form.setCurrentIndex(page.report.form.findData(".json"))
    assert not page.report.template.isEnabled()
    assert page.report.request().template is None


def test_recipes_are_kept_renamed_run_again_and_deleted(
    page: ReportsPage, tmp_path: Path, qtbot: QtBot
) -> None:
    card = page.recipes
    assert not card.empty.isHidden()
    page.report.form.setCurrentIndex(page.report.form.findData(".md"))
    card.keep("Weekly", page.report.suffix, page.report.request())
    assert list(card.rows) == ["Weekly"]
    assert card.empty.isHidden()
    card.keep("weekly", ".md", page.report.request())
    assert "There is a recipe 'weekly' already" in card.problem.text()
    (kept,) = recipes.every(page.session.project)
    card.rename(kept, "Monday")
    assert list(card.rows) == ["Monday"]
    assert card.problem.isHidden()
    to = tmp_path / "again.md"
    page.maker.write(to, kept.request)
    qtbot.waitUntil(page.report.make.isEnabled, timeout=30_000)
    assert "cannot be said yet" in to.read_text("utf-8")
    card.delete(recipes.find(page.session.project, "Monday"))
    assert card.rows == {}
