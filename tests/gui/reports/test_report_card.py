"""Reports and packets are made in the window as the command line makes them."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.reports.page import ReportsPage
from reviewer.gui.window import MainWindow


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


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_a_report_of_the_newest_run(
    page: ReportsPage, tmp_path: Path, qtbot: QtBot, suffix: str
) -> None:
    to = tmp_path / f"r{suffix}"
    assert written(page, to, qtbot) == "Written"
    text = to.read_text("utf-8")
    assert suffix == ".json" or "cannot be said yet" in text
    assert "2026-11-04 agent v6" not in text.partition("What is left out")[0][:400]
    assert page.export_card.facts["File"].accessibleName() == f"File: {to}"


def test_the_form_and_the_run_are_chosen(page: ReportsPage) -> None:
    assert page.report.suffix == ".html"
    page.report.form.setCurrentIndex(1)
    assert page.report.suffix == ".md"
    names = [page.report.run.itemText(at) for at in range(page.report.run.count())]
    assert names[0] == "the newest"
    page.report.run.setCurrentIndex(names.index("2026-11-04 agent v6"))
    assert page.report.scope().runs == ("2026-11-04 agent v6",)


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
