"""A card asks its question, shows all levels while it is in focus and the chosen one later."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from reviewer.domain.evaluation import Label, Score
from reviewer.domain.rubric import Level, Metric
from reviewer.gui.kit.pieces import Button
from reviewer.gui.review.elided import ElidedLabel
from reviewer.gui.review.level_button import LevelButton
from reviewer.gui.review.metric_card import CardState, MetricCard
from reviewer.gui.window import MainWindow
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.tallying.live_figures import CaseFigures

ASKED = "Is everything that is said supported by the context, however plausible it may sound?"
WHY = "All of it is in the context."
METRIC = Metric(
    name="accuracy",
    title="Accuracy",
    description=ASKED,
    levels=(
        Level(value=3, title="Good", description="Every statement agrees.", example="3 p.m."),
        Level(value=2, title="Fair", description="A slip that misleads nobody. " * 4),
        Level(value=1, title="Poor", description="Mostly wrong or invented."),
    ),
)
MINE = Label(evaluation=1, metric="accuracy", labeler="me", value=2, comment="off by a day")
JUDGED = Score(
    metric="accuracy", value=3, scorer="judge", reasoning="All of it is in the context."
)


MakeCard = Callable[..., MetricCard]


@pytest.fixture
def make(window: MainWindow) -> MakeCard:
    """Show a card above empty room."""

    def made(*, compact: bool = False) -> MetricCard:
        holder = QWidget(window)
        card = MetricCard(window.surroundings.theme, METRIC, compact=compact)
        column = QVBoxLayout(holder)
        column.addWidget(card)
        column.addStretch(1)
        holder.resize(380, 700)
        holder.show()
        return card

    return made


def levels(card: MetricCard) -> list[LevelButton]:
    return [x for x in card.findChildren(LevelButton) if x.isVisible()]


def read(card: MetricCard) -> str:
    return "\n".join(x.text() for x in card.findChildren(QLabel) if x.isVisible())


def test_in_focus_it_asks_and_lists_what_every_level_says_the_best_on_top(make: MakeCard) -> None:
    card = make()
    card.set_in_focus(focused=True)
    assert ASKED in read(card).replace("\u200b", "")
    assert [x.text() for x in sorted(levels(card), key=lambda x: x.y())] == ["3", "2", "1"]
    tall = {x.text(): x.height() for x in levels(card)}
    assert tall["2"] > tall["3"], "a long text takes its lines"


def test_answered_it_folds_to_what_was_chosen_also_after_the_reveal(make: MakeCard) -> None:
    card = make()
    assert levels(card) == []
    card.show_state(CardState(own=MINE))
    assert [x.text() for x in levels(card)] == ["2"]
    assert METRIC.levels[1].description.strip() in levels(card)[0].toolTip()
    folded = card.height()
    card.show_state(CardState(own=MINE, auto=JUDGED, hidden=False))
    QTest.qWait(1)
    assert [x.text() for x in levels(card)] == ["2"]
    assert card.height() == folded, "a reveal moves no other card"
    card.set_in_focus(focused=True)
    assert len(levels(card)) == 3
    assert WHY in read(card)
    assert "off by a day" in read(card)


def test_a_click_on_a_folded_card_opens_it_and_changes_no_answer(
    make: MakeCard, qtbot: QtBot
) -> None:
    card = make()
    card.show_state(CardState(own=MINE))
    chosen: list[object] = []
    card.value_chosen.connect(chosen.append)
    with qtbot.waitSignal(card.focus_requested):
        QTest.mouseClick(levels(card)[0], Qt.MouseButton.LeftButton)
    assert chosen == []
    card.set_in_focus(focused=True)
    best = min(levels(card), key=lambda x: x.y())
    # anywhere on the line, not on the box alone
    QTest.mouseClick(best, Qt.MouseButton.LeftButton, pos=best.rect().center())
    assert chosen == [3]
    assert not best.isChecked(), "what is saved is shown, not what was clicked"


def test_examples_open_below_the_levels_and_move_none(make: MakeCard) -> None:
    card = make()
    card.set_in_focus(focused=True)
    QTest.qWait(1)
    places = [x.geometry() for x in levels(card)]
    link = next(x for x in card.findChildren(Button) if x.text() == "1 example")
    link.click()
    QTest.qWait(1)
    assert "3  3 p.m." in read(card)
    assert [x.geometry() for x in levels(card)] == places
    link.click()
    assert "3 p.m." not in read(card)


def test_a_compact_card_is_one_line_with_its_answer(make: MakeCard) -> None:
    card = make(compact=True)
    card.show_state(CardState(own=MINE))
    assert levels(card) == []
    assert card.summary.text() == "you 2 Fair"
    card.set_in_focus(focused=True)
    assert len(levels(card)) == 3


def test_a_compact_card_keeps_its_name_before_the_last_facts(make: MakeCard) -> None:
    card = make(compact=True)
    assert isinstance(card.heading, ElidedLabel)
    card.heading.set_words("Smooth-flowing conversation")
    adjusted = BandOrScore(6.29, mark="off the scale")
    figures = CaseFigures(auto=3.0, human=2.0, gap=-1.0, adjusted=adjusted)
    card.show_state(CardState(own=MINE, auto=JUDGED, figures=figures, hidden=False))
    QTest.qWait(0)
    assert card.heading.text() == "Smooth-flowing conversation"
    assert "adjusted 6.29 (off the scale)" in card.summary.toolTip()


def test_a_level_names_its_metric_and_whether_it_is_chosen(make: MakeCard) -> None:
    card = make()
    card.set_in_focus(focused=True)
    card.show_state(CardState(own=MINE, auto=JUDGED, hidden=False))
    named = {x.text(): (x.accessibleName(), x.isChecked()) for x in levels(card)}
    assert named["2"] == ("Accuracy, 2, Fair, your label", True)
    assert named["3"] == ("Accuracy, 3, Good, auto score", False)


@pytest.mark.parametrize(
    ("human", "gap", "adjusted", "words"),
    [
        (2.0, -1.0, None, "you 2 · auto 3 · gap −1"),
        # the gap is of everybody's mean
        (2.67, -0.33, None, "you 2 · people 2.67 · auto 3 · gap −0.33"),
        (2.0, -1.0, 2.4, "you 2 · auto 3 · gap −1 · adjusted 2.4"),
    ],
)
def test_a_gap_stands_beside_what_it_is_of(
    make: MakeCard, human: float, gap: float, adjusted: float | None, words: str
) -> None:
    card = make()
    figures = CaseFigures(auto=3.0, human=human, gap=gap, adjusted=BandOrScore(adjusted))
    card.show_state(CardState(own=MINE, auto=JUDGED, figures=figures, hidden=False))
    card.set_in_focus(focused=True)
    assert card.summary.text() == words
