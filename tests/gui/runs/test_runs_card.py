"""The list of runs: the chosen one is A, another one is B."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.runs_card import MARK, RunsCard
from reviewer.services.upkeep.projects import RunSummary


def summary(name: str, rubric: str = "guest") -> RunSummary:
    return RunSummary(
        key=1, name=name, rubric=rubric, evaluations=10, labelled=2, imported_at="",
        first=None, last=None, scorers=("judge",), pass_rate=0.5,
    )  # fmt: skip


@pytest.fixture
def card(qtbot: QtBot) -> RunsCard:
    made = RunsCard(Theme("light", 100))
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    made.show_runs((summary("v1"), summary("other", "own"), summary("v2"), summary("v3")))
    return made


def marks(card: RunsCard) -> str:
    return "".join(card.list.rows.cell(row, MARK).words or "-" for row in range(4))


def chosen(card: RunsCard) -> tuple[str, str]:
    return (card.a.name if card.a else "", card.b)


def test_the_newest_is_a_and_the_one_before_it_of_the_same_rubric_is_b(card: RunsCard) -> None:
    assert card.list.rows.keys == ("v3", "v2", "other", "v1")
    assert chosen(card) == ("v3", "v2")
    assert marks(card) == "AB--"
    card.choose("v2")
    assert chosen(card) == ("v2", "v1")
    card.choose("other")
    assert chosen(card) == ("other", "")


def test_the_list_chooses_a_and_the_key_b_exchanges(card: RunsCard) -> None:
    card.list.setFocus()
    QTest.keyClick(card.list, Qt.Key.Key_Down)
    assert chosen(card) == ("v2", "v1")
    QTest.keyClick(card.list, Qt.Key.Key_B)
    assert chosen(card) == ("v1", "v2")
    assert marks(card) == "-B-A"


def test_a_press_on_the_last_column_makes_a_run_b(card: RunsCard) -> None:
    index = card.list.rows.index(3, MARK)
    place: QPoint = card.list.visualRect(index).center()
    QTest.mouseClick(card.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen(card) == ("v3", "v1")


def test_what_was_chosen_by_hand_stays_while_it_is_there(card: RunsCard) -> None:
    seen: list[tuple[str, str]] = []
    card.runs_chosen.connect(lambda a, b: seen.append((a, b)))
    card.compare_with("v1")
    card.choose("v2")
    assert chosen(card) == ("v2", "v1")
    card.show_runs((summary("v1"), summary("v2"), summary("v4")))
    assert chosen(card) == ("v2", "v1")
    card.show_runs((summary("v2"), summary("v4")))
    assert chosen(card) == ("v2", "v4")
    assert seen[-1] == ("v2", "v4")


def test_swap_exchanges_and_no_run_can_be_b(card: RunsCard) -> None:
    QTest.mouseClick(card.swap, Qt.MouseButton.LeftButton)
    assert chosen(card) == ("v2", "v3")
    card.compare_with("")
    assert chosen(card) == ("v2", "")
    assert not card.swap.isEnabled()
    card.show_runs(())
    assert chosen(card) == ("", "")


def test_a_row_has_its_counts_and_why_there_is_no_pass_rate(card: RunsCard) -> None:
    run = replace(summary("v1"), evaluations=1204, labelled=37)
    card.show_runs((run, replace(run, name="v2", pass_rate=None)))
    cells = [[card.list.rows.cell(row, column) for column in range(4)] for row in range(2)]
    assert [[cell.words for cell in row] for row in cells] == [
        ["v2", "1,204", "37", "—"], ["v1", "1,204", "37", "50.0 %"],
    ]  # fmt: skip
    assert [row[3].tip for row in cells] == ["The rubric has no pass rule.", ""]


def test_a_run_alone_is_compared_with_nothing(card: RunsCard) -> None:
    assert card.other.isVisibleTo(card)
    assert card.swap.isEnabled()
    card.choose("other")
    assert not card.swap.isEnabled()
    card.show_runs((summary("v1"),))
    assert not any(widget.isVisibleTo(card) for widget in (card.other, card.swap))
    card.show_runs(())
    assert card.empty.isVisibleTo(card)
    assert not card.list.isVisibleTo(card)
