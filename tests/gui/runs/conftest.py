"""The Runs page on a project with a judge at a real server."""

from collections.abc import Callable

import pytest

from reviewer.gui.runs.launch_pane import GUESS, LaunchPane
from reviewer.gui.runs.page import RunsPage
from tests.gui.jobs.conftest import Desk, desk, judged, judged_rubric, key, provider

__all__ = ["desk", "judged", "judged_rubric", "key", "provider"]


def is_settled(pane: LaunchPane) -> bool:
    """Tell whether what is chosen has been looked at."""
    return not (pane.settling.isActive() or GUESS in pane._surroundings.tasks.running())


@pytest.fixture
def pane(desk: Desk, settle: Callable[[], None]) -> LaunchPane:
    """The pane that launches, once it knows what there is to choose from."""
    desk.window.show_page("runs")
    page = desk.window.page
    assert isinstance(page, RunsPage)
    settle()
    desk.wait(page.launch.form.isEnabled)
    return page.launch


@pytest.fixture
def guessed(pane: LaunchPane, desk: Desk, settle: Callable[[], None]) -> Callable[[], str]:
    """Wait for the forecast of what is chosen now."""

    def wait() -> str:
        desk.wait(lambda: is_settled(pane))
        settle()
        return pane.estimate.text()

    return wait
