"""The section Segments in the real window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from reviewer.gui.audit.segments_section import LISTED, SegmentsSection
from reviewer.gui.window import MainWindow
from tests.building import build_project, record
from tests.gui.audit.test_pass_section import Settle, brought_to


@pytest.fixture
def section(window: MainWindow, demo: Path, settle: Settle) -> SegmentsSection:
    return brought_to(window, demo, settle, SegmentsSection)


def names(section: SegmentsSection) -> list[str]:
    rows = section.table.rows
    return [rows.cell(place, 0).words for place in range(rows.rowCount())]


def choose(section: SegmentsSection, settle: Callable[[], None], name: str | None) -> None:
    combo = section.dimension
    combo.setCurrentIndex(combo.findData(name) if name else 0)
    settle()


def test_the_worst_segment_comes_first_with_what_it_says(section: SegmentsSection) -> None:
    assert section.sentence.text().endswith("too small to tell.")
    assert "Benjamini–Hochberg" in section.correction.text()
    first = section.table.rows
    assert first.cell(0, 0).below in {
        "category", "tag", "run", "model", "language", "characters",
    }  # fmt: skip
    assert " to " in first.cell(0, 2).below
    assert "adjusted p" in first.cell(0, 2).tip


def test_one_dimension_alone_has_only_its_segments(
    section: SegmentsSection, settle: Settle
) -> None:
    choose(section, settle, "category")
    rows = section.table.rows
    assert {rows.cell(place, 0).below for place in range(rows.rowCount())} == {"category"}
    assert "amenities" in names(section)
    choose(section, settle, "run")
    assert "amenities" not in names(section)


def test_another_measure_orders_by_it(section: SegmentsSection, settle: Settle) -> None:
    choose(section, settle, "category")
    section.measure.setCurrentIndex(section.measure.findData("agreement"))
    settle()
    shown = [
        float(cell.words.rstrip(" %*"))
        for place in range(section.table.rows.rowCount())
        if (cell := section.table.rows.cell(place, 3)).words != "—" and "*" not in cell.words
    ]
    assert shown == sorted(shown)


def test_a_row_opens_its_responses_and_its_figure_is_copied(section: SegmentsSection) -> None:
    lists: list[tuple[int, str]] = []
    section.responses_requested.connect(lambda keys, what: lists.append((len(keys), what)))
    section.table.clicked.emit(section.table.rows.index(0, 0))
    key = section.table.rows.keys[0]
    figure = section.figure(key, 3)
    assert figure is not None
    assert lists == [(int(section.table.rows.cell(0, 1).words), figure.heading)]
    assert figure.title.startswith("Same level, ")
    assert figure.sentence.startswith(figure.title.removeprefix("Same level, "))
    assert figure.steps is not None
    assert any("Bonferroni" in step.text for step in figure.steps())
    assert section.figure(("tag", 10_000), 2) is None


def test_another_metric_reads_no_text_again(section: SegmentsSection, settle: Settle) -> None:
    source = section._source
    section.metric_requested.emit("accuracy")
    settle()
    assert section.chosen_metric == "accuracy"
    assert section._source is source
    assert section.card.title.text().endswith("verdicts by Accuracy")


def test_dimensions_without_segments_say_why(
    window: MainWindow, project: Path, settle: Settle
) -> None:
    section = brought_to(window, project, settle, SegmentsSection)
    assert "Run: there is one run only." in section.note.text()
    place = section.dimension.findData("tag")
    tip = section.dimension.itemData(place, Qt.ItemDataRole.ToolTipRole)
    assert tip == "No evaluation has a tag"
    choose(section, settle, "tag")
    assert section.sentence.text() == "There is nothing to compare: no evaluation has a tag."
    assert not section.table.isVisible()


def test_thousands_of_tags_are_not_all_listed(
    window: MainWindow, tmp_path: Path, settle: Settle
) -> None:
    path = build_project(
        tmp_path / "tags.review",
        evaluations=[record(n, tags=[f"t{n}-{at}" for at in range(100)]) for n in range(20)],
    )
    section = brought_to(window, path, settle, SegmentsSection)
    choose(section, settle, "tag")
    assert section.table.rows.rowCount() == 0
    section.every.click()
    assert section.table.rows.rowCount() == LISTED
    assert f"{2000 - LISTED:,} more segments are not listed." in section.note.text()


def test_each_column_is_a_figure_of_its_own(section: SegmentsSection, settle: Settle) -> None:
    choose(section, settle, "category")
    key = section.table.rows.keys[0]
    titles = [section.figure(key, column) for column in range(1, 7)]
    assert [found.title.split(",")[0] for found in titles if found is not None] == [
        "Labelled", "Mean gap", "Same level", "Fails caught", "Judge's pass rate",
        "People's pass rate",
    ]  # fmt: skip
    judge, people = (section.table.rows.cell(0, column).words for column in (5, 6))
    told = ((titles[4], judge, "the judge passes"), (titles[5], people, "people pass"))
    for found, shown, said in told:
        assert found is not None
        assert f"{said} {shown} (" in found.sentence
        assert found.steps is not None
        assert "÷" in (found.steps()[0].formula or "")
