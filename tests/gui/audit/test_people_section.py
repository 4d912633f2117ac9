"""The section on people: ceiling, anchoring, labelers, pairs, and what is missing in words."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.people_rows import CHANGED
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.audit.table_card import TIED
from reviewer.gui.kit.grid import GridView
from reviewer.gui.window import MainWindow
from tests.building import build_project
from tests.services.audits.comparing import label, one

HOSTILE = "<b>mo</b>\u202etac\nx"
Settle = Callable[[], None]


def panel(n: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(4)
    made = []
    for number in range(1, n + 1):
        truth = int(rng.choice([1, 2, 3, 4, 5]))
        auto = int(np.clip(truth + rng.integers(-1, 2), 1, 5))
        labels = []
        for who, seen in (("ann", False), ("bo", True), (HOSTILE, number % 2 == 0)):
            said = auto if seen and number % 3 else truth + int(rng.integers(-1, 2))
            labels.append(label(int(np.clip(said, 1, 5)), who, blind=not seen))
        if number % 4 == 0:
            labels.append(label(truth, "chief", kind="adjudication", at="2026-11-12T10:00:00Z"))
        tags = ["gold"] if number % 4 == 0 else []
        made.append(one(number, auto, labels, tags=tags))
    return made


def shown(
    window: MainWindow, path: Path, records: Sequence[dict[str, Any]], settle: Settle
) -> PeopleSection:
    made = build_project(path / "people.review", evaluations=records)
    window.surroundings.settings.set("labeler", "lead")
    assert window.open_project(made)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.scope.choose_metric("accuracy")
    section = page.sections.bring(PeopleSection)
    settle()
    return section


@pytest.fixture
def section(window: MainWindow, tmp_path: Path, settle: Settle) -> PeopleSection:
    return shown(window, tmp_path, panel(60), settle)


def words(table: GridView) -> list[list[str]]:
    rows = table.rows
    return [
        [rows.cell(row, column).words for column in range(rows.columnCount())]
        for row in range(rows.rowCount())
    ]


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_people_and_judge_stand_side_by_side(section: PeopleSection) -> None:
    told = plain(section.reached.sentence.text())
    assert told.startswith("On 60 evaluations that two people or more labelled, people agree")
    assert "of what people reach (95 % " in told
    rows = words(section.reached.table)
    assert [row[0] for row in rows] == ["quadratic κ", "same answer", "κ"]
    assert all(row[1] == "60" for row in rows)
    below = section.reached.table.rows.cell(0, 4).below
    assert "–" in below


def test_sight_is_compared_with_blindness(section: PeopleSection) -> None:
    rows = words(section.sight.table)
    assert rows[0] == ["labels", "90", "90", "", "1 person"]
    assert rows[1][0] == "like the judge's"
    assert "points" in rows[1][3]
    assert "in sight" in plain(section.sight.sentence.text())


def test_labelers_have_gold_and_hostile_names_stay_text(section: PeopleSection) -> None:
    rows = words(section.labelers.table)
    assert len(rows) == 4
    assert rows[3][0] == "without a majority"
    gold = [row[6] for row in rows[:3]]
    assert all(one.endswith("%") for one in gold)
    assert not any("\n" in row[0] or "\u202e" in row[0] for row in rows)
    assert len(words(section.pairs.table)) == 3


def test_every_figure_can_be_taken_away(section: PeopleSection, qtbot: QtBot) -> None:
    for table, key in (
        (section.reached.table, "percent"),
        (section.sight.table, "gap"),
        (section.labelers.table, "ann"),
        (section.labelers.table, TIED),
        (section.pairs.table, ("ann", "bo")),
    ):
        assert table.rows.place_of(key) is not None
        with qtbot.waitSignal(section.responses_requested) as asked:
            table.row_opened.emit(key)
        keys, heading = asked.args
        assert len(keys) > 0
        assert heading
    figure = section._labeler_figure("ann", 6)
    assert figure is not None
    assert figure.sentence.startswith("ann hits the known answer of gold responses in ")
    assert figure.steps is not None
    assert figure.steps()
    rest = section._labeler_figure("ann", 2)
    assert rest is not None
    assert rest.sentence.startswith("ann agrees with the other labelers at quadratic κ ")


def test_one_labeler_is_told_what_is_missing(
    window: MainWindow, tmp_path: Path, settle: Settle
) -> None:
    records = [one(n, 4, [label(4)]) for n in range(1, 9)]
    section = shown(window, tmp_path, records, settle)
    assert section.reached.sentence.text() == (
        "Only one person has labelled: there is nobody to compare with."
    )
    assert section.reached.table.isHidden()
    assert section.sight.sentence.text().startswith("Every label was given unseen")
    assert section.pairs.sentence.text() == "No two people labelled the same evaluation yet."
    assert words(section.labelers.table)[0][:3] == ["ann", "8", "—"]


def test_nobody_is_not_one_person_and_no_reason_is_said_twice(
    window: MainWindow, tmp_path: Path, settle: Settle
) -> None:
    section = shown(window, tmp_path, [one(n, 4, []) for n in range(1, 9)], settle)
    assert section.reached.sentence.text() == "Nobody has labelled this here yet."
    note = section.labelers.note.text()
    assert note.count("No two people labelled the same evaluation") <= 1


def test_changes_after_the_reveal_stand_under_heads_of_their_own(section: PeopleSection) -> None:
    assert section.sight.table.rows.place_of(CHANGED) is None
    heads = [column.title for column in section.again.table.rows.columns]
    assert heads == ["answers", "n", "changed", "nearer", "farther", "moved"]
    assert section.again.table.rows.place_of(CHANGED) == 0
    assert len(words(section.again.table)[0]) == len(heads)


def test_labelers_by_metric_open_what_they_share(
    window: MainWindow, tmp_path: Path, settle: Settle, qtbot: QtBot
) -> None:
    records = [
        one(
            n,
            4,
            [
                label(value, who, metric=metric)
                for metric in ("accuracy", "safety")
                for who, value in (("ann", 4), (HOSTILE, 4 if n % 2 else 3))
            ],
        )
        for n in range(1, 11)
    ]
    section = shown(window, tmp_path, records, settle)
    card = section.alike
    assert card.isVisible()
    assert card.chart is not None
    assert {spot.words.rpartition(": ")[2] for spot in card.chart.spots} == {
        "50 % the same as another person's, 10 responses"
    }
    assert not any("\u202e" in spot.words or "\nx" in spot.words for spot in card.chart.spots)
    with qtbot.waitSignals([section.metric_requested, section.responses_requested]):
        card.chart.spot_chosen.emit(("ann", "safety"))


def test_one_metric_has_no_table_of_metrics(section: PeopleSection) -> None:
    assert not section.alike.isVisible()
