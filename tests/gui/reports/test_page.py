"""The Reports page in the real window, on the demo project."""

import csv
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import CancelledError, Progress, Silent
from reviewer.gui.reports.page import EXPORT, ReportsPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import reading
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.previewing import HIDDEN


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> ReportsPage:
    assert window.open_project(demo)
    window.show_page("reports")
    settle()
    shown = window.page
    assert isinstance(shown, ReportsPage)
    return shown


def column(page: ReportsPage, name: str) -> list[str]:
    places = {page.rows.headerData(n, Qt.Orientation.Horizontal): n for n in _columns(page)}
    return [
        str(page.rows.data(page.rows.index(row, places[name])) or "")
        for row in range(page.rows.rowCount())
    ]


def _columns(page: ReportsPage) -> range:
    return range(page.rows.columnCount())


def test_the_first_rows_are_shown_with_the_count(page: ReportsPage) -> None:
    assert page.rows.rowCount() == 50
    assert page.count.text() == "the first 50 of 158 evaluations"


@pytest.mark.usefixtures("unled")
def test_what_is_hidden_from_the_labeler_is_not_in_the_preview(page: ReportsPage) -> None:
    scores = dict(zip(column(page, "id"), column(page, "scores"), strict=True))
    assert scores["c-0001"] == HIDDEN
    assert scores["c-0002"].startswith("relevance ")


def test_filters_narrow_preview_and_count(page: ReportsPage, settle: Callable[[], None]) -> None:
    page.choices.run.setCurrentIndex(page.choices.run.findData("2026-11-18 agent v7"))
    page.choices.category.setCurrentIndex(page.choices.category.findData("policies"))
    settle()
    assert page.count.text() == "11 evaluations"
    assert set(column(page, "category")) == {"policies"}


def test_labels_are_one_row_each(page: ReportsPage, settle: Callable[[], None]) -> None:
    page.choices.whats["labels"].setChecked(True)
    page.choices.labeler.setCurrentIndex(page.choices.labeler.findData("labeler 2"))
    settle()
    assert set(column(page, "labeler")) == {"labeler 2"}
    assert page.count.text().endswith(" labels")


def test_hidden_disagreements_are_left_out_and_said(
    page: ReportsPage, settle: Callable[[], None]
) -> None:
    page.choices.whats["disagreements"].setChecked(True)
    settle()
    assert not page.choices.labels.isEnabled()
    session = page.session
    assert session is not None
    listed = zip(column(page, "run"), column(page, "id"), strict=True)
    keys = [reading.key_of(session, f"{run}/{identity}") for run, identity in listed]
    assert not any(reading.view(session, key).hidden for key in keys if key is not None)
    assert "left out here until you have scored them yourself" in page.notice.text()


def test_nothing_that_fits_is_said(page: ReportsPage, settle: Callable[[], None]) -> None:
    page.choices.run.setCurrentIndex(page.choices.run.findData("A/B opening lines"))
    page.choices.category.setCurrentIndex(page.choices.category.findData("policies"))
    settle()
    assert page.empty.isVisible()
    assert page.empty.text() == "Nothing fits these choices."
    assert not page.start.isEnabled()


def told(file: Path) -> list[dict[str, Any]]:
    """What was written, but for what this window shows a lead meanwhile."""
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for record in records:
        marks = [mark for mark in record.pop("marks", ()) if mark["kind"] != "reveal"]
        record.update({"marks": marks} if marks else {})
    return records


def test_the_file_is_what_the_command_line_writes(
    page: ReportsPage, settle: Callable[[], None], tmp_path: Path
) -> None:
    written, expected = tmp_path / "window.jsonl", tmp_path / "expected.jsonl"
    page.export(written)
    settle()
    session = page.session
    assert session is not None
    exporting.export(session.project, expected, ExportRequest(), Silent())
    assert told(written) == told(expected)
    assert page.export_card.facts["Rows"].text() == "158 evaluations"
    digest = hashlib.sha256(written.read_bytes()).hexdigest()
    assert page.export_card.facts["SHA-256"].text() == digest
    assert len(told(written)) == 158


def test_csv_is_written_by_the_suffix(
    page: ReportsPage, settle: Callable[[], None], tmp_path: Path
) -> None:
    page.choices.whats["disagreements"].setChecked(True)
    page.choices.form.setCurrentIndex(1)
    assert page.choices.suffix == ".csv"
    settle()
    file = tmp_path / "out.csv"
    page.export(file)
    settle()
    with file.open(encoding="utf-8", newline="") as stream:
        assert {"id", "metric", "gap"} <= set(next(csv.reader(stream)))


def test_a_folder_that_is_not_there_is_said(
    page: ReportsPage, settle: Callable[[], None], tmp_path: Path
) -> None:
    page.export(tmp_path / "nowhere" / "out.jsonl")
    settle()
    assert page.export_card.title.text() == "Not written"
    assert "does not exist" in page.export_card.line.text()
    assert page.start.isEnabled()


def test_cancelling_leaves_no_file(
    qtbot: QtBot, page: ReportsPage, window: MainWindow, tmp_path: Path
) -> None:
    page.export(tmp_path / "out.jsonl")
    assert page.export_card.cancel.isVisible()
    QTest.mouseClick(page.export_card.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: EXPORT not in window.surroundings.tasks.running())
    # a small export may have been whole before the press
    found = [x.name for x in tmp_path.iterdir() if x.name.startswith((".out", "out"))]
    done = page.export_card.title.text() == "Exported"
    assert found == (["out.jsonl"] if done else [])


def test_a_label_given_meanwhile_is_previewed(
    page: ReportsPage, window: MainWindow, settle: Callable[[], None]
) -> None:
    session = window.session
    assert session is not None
    session.blind = False
    page.look()
    settle()
    assert HIDDEN not in column(page, "scores")


def test_a_running_export_ends_with_its_project(
    page: ReportsPage,
    window: MainWindow,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[str] = []

    def export(_: object, to: Path, __: object, progress: Progress) -> None:
        while not progress.cancelled:
            time.sleep(0.01)
        ended.append(to.name)
        raise CancelledError("Stopped.")

    monkeypatch.setattr(exporting, "export", export)
    page.export(tmp_path / "out.jsonl")
    window.close_project()
    qtbot.waitUntil(lambda: ended == ["out.jsonl"])
    qtbot.wait(50)
    assert not window.notices.notices


def test_every_format_that_can_hold_it_is_offered_and_written(
    qtbot: QtBot, page: ReportsPage, tmp_path: Path
) -> None:
    offered = {page.choices.form.itemData(n) for n in range(page.choices.form.count())}
    assert {"native", "csv", "workbook", "parquet", "huggingface", "inspect"} <= offered
    page.choices.form.setCurrentIndex(page.choices.form.findData("workbook"))
    page.choices.masking.setChecked(True)
    page.choices.pseudonyms.setChecked(True)
    assert page.choices.suffix == ".xlsx"
    with qtbot.waitSignal(page.noted, timeout=60_000) as noted:
        page.export(tmp_path / "out.xlsx")
    assert noted.args is not None
    assert "Masked: 1 e-mail address, 0 account numbers" in noted.args[0]
    assert (tmp_path / "out.xlsx").read_bytes()[:2] == b"PK"
    # labels fit into fewer formats, and what was chosen stays where it can
    page.choices.whats["labels"].setChecked(True)
    offered = {page.choices.form.itemData(n) for n in range(page.choices.form.count())}
    assert page.choices.suffix == ".xlsx"
    assert "inspect" not in offered
