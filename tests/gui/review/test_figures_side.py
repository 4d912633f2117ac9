"""What lags behind is said of the run in view, and of no other."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Progress
from reviewer.domain.judging import Endpoint, Judge
from reviewer.gui.review.figures_side import BEHIND
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.tallying import live_loading
from reviewer.store import judging
from tests.building import build_project, let_see
from tests.gui.review.test_judge_side import scored
from tests.services.adjudicating.test_claims import METRIC

PLAIN = [{"metric": METRIC, "value": 0.6, "scorer": "plain"}]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The way back for what was found in a large run: it opens when the test says so."""
    opened = threading.Event()
    look = live_loading.lagging_of_run

    def late(session: Session, run: str, progress: Progress) -> dict[str, tuple[str, ...]]:
        found = look(session, run, progress)
        if run == "old":
            assert opened.wait(30)
        return found

    monkeypatch.setattr(live_loading, "lagging_of_run", late)
    yield opened
    opened.set()


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> ReviewPage:
    path = build_project(
        tmp_path / "runs.review",
        evaluations=[scored(run="old"), scored(id="c-2", run="new", scores=PLAIN)],
        rubric=rubrics.shipped()["agent-rubric"],
        runs=("old", "new"),
    )
    let_see(path)
    with closing(Session.open(path)) as other:
        judging.keep(other.project, Endpoint(name="near"))
        judging.keep(other.project, Judge(name="careful", endpoint="near", model="m-2"))
    assert window.open_project(path)
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


def wait_for_figures(page: ReviewPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: page.scores.live.title.text() != "Live", timeout=20_000)


def is_stale(page: ReviewPage) -> bool:
    return page.scores.live.stale.isVisibleTo(page.scores.live)


def test_what_was_found_of_one_run_is_not_said_of_the_next(
    page: ReviewPage, qtbot: QtBot, gate: threading.Event
) -> None:
    page.open_evaluation(1)
    wait_for_figures(page, qtbot)
    page.figures.look_behind()
    page.open_evaluation(2)
    page.scores.set_focus_on(METRIC)
    wait_for_figures(page, qtbot)
    gate.set()
    tasks = page.surroundings.tasks
    qtbot.waitUntil(lambda: BEHIND not in tasks.running(), timeout=20_000)
    assert not is_stale(page)
    page.open_evaluation(1)
    page.scores.set_focus_on(METRIC)
    wait_for_figures(page, qtbot)
    page.figures.look_behind()
    qtbot.waitUntil(lambda: is_stale(page), timeout=20_000)


def test_what_was_found_in_one_project_is_not_said_in_the_next(
    page: ReviewPage, window: MainWindow, qtbot: QtBot, gate: threading.Event, tmp_path: Path
) -> None:
    page.open_evaluation(1)
    wait_for_figures(page, qtbot)
    page.figures.look_behind()
    other = build_project(
        tmp_path / "other.review",
        evaluations=[scored(run="old", scores=PLAIN)],
        rubric=rubrics.shipped()["agent-rubric"],
        runs=("old",),
    )
    let_see(other)
    assert window.open_project(other)
    page.scores.set_focus_on(METRIC)
    wait_for_figures(page, qtbot)
    gate.set()
    tasks = page.surroundings.tasks
    qtbot.waitUntil(lambda: BEHIND not in tasks.running(), timeout=20_000)
    assert not is_stale(page)
