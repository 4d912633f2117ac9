"""A turn of a conversation: what was said stands open, the rest is folded under a line."""

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from reviewer.domain.evaluation import Part, Turn
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.turns import Fold, TurnView


def folds(qtbot: QtBot, turn: Turn) -> list[str]:
    view = TurnView(Theme("light", 100), turn, 0, lambda _: None)
    qtbot.addWidget(view)
    arrows = [fold.findChild(QToolButton) for fold in view.findChildren(Fold)]
    return [arrow.accessibleName() for arrow in arrows if arrow is not None]


@pytest.mark.parametrize(
    ("turn", "folded"),
    [
        (Turn(role="user", content="When does the pool open?"), []),
        (Turn(role="system", content="You are a concierge."), ["Show system prompt"]),
        (Turn(role="tool", name="hours", content='{"pool": 9}'), ["Show tool result"]),
        (
            Turn(
                role="assistant",
                content=(Part(type="reasoning", text="Look it up."), Part(type="text", text="9")),
            ),
            ["Show reasoning"],
        ),
    ],
)
def test_what_is_not_said_is_folded(qtbot: QtBot, turn: Turn, folded: list[str]) -> None:
    assert sorted(folds(qtbot, turn)) == folded
