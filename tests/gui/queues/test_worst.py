"""The worst disagreements of a validation are listed with the worst first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.gui.commands import WindowCommands
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.listing.listing import QueueOrder
from tests.building import let_see


@pytest.mark.parametrize("blind", [True, False])
def test_the_worst_is_in_view_and_the_list_follows_the_gap(
    window: MainWindow, demo: Path, commands: WindowCommands, settle: Callable[[], None],
    *, blind: bool,
) -> None:  # fmt: skip
    let_see(demo, blind=blind)
    assert window.open_project(demo)
    settle()
    keys = (9, 3, 17)
    commands.keeper._list_worst(keys)
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    assert page.view is not None
    assert page.view.evaluation.key == keys[0]
    wanted = QueueOrder.FILE if blind else QueueOrder.GAP
    assert page.queue.view.menus.order is wanted
