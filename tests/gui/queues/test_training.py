"""Training and repeats as labelers meet them on the page."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.queues import making, recipes
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import RUBRIC, build_project, record

METRICS = [metric.name for metric in RUBRIC.metrics]


def opened(window: MainWindow, settings: Settings, path: Path) -> ReviewPage:
    settings.set("labeler", "ann")
    window.open_project(path)
    assert isinstance(window.page, ReviewPage)
    return window.page


def test_a_known_answer_is_shown_after_ones_own(
    qtbot: QtBot, window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    decided = [
        {
            "metric": "accuracy", "labeler": "lea", "value": 2, "kind": "adjudication",
            "comment": "no source given",
        }
    ]  # fmt: skip
    made = [record(1), record(2, tags=["gold"], labels=decided)]
    page = opened(window, settings, build_project(tmp_path / "g.review", evaluations=made))
    session = window.session
    assert session is not None
    row = making.create(session, recipes.plan_by(session, "training"))
    page.open_list(queue=row.name)
    view = page.view
    assert view is not None
    assert view.evaluation.key == 2
    assert "gold" not in view.evaluation.tags
    for name in METRICS:
        assert not page.queue.view.known.isVisible()
        entering.commit(session, 2, name, 4)
    qtbot.waitUntil(page.queue.view.known.isVisible)
    words = page.queue.view.known.text()
    assert words == "Known answers: 0 of 1 right.\nAccuracy: 2 (yours 4) – no source given"
    page.open_evaluation(1)
    assert not page.queue.view.known.isVisible()


def test_a_repeat_comes_as_if_it_were_new(
    window: MainWindow, settings: Settings, project: Path
) -> None:
    page = opened(window, settings, project)
    session = window.session
    assert session is not None
    for name in METRICS:
        entering.commit(session, 12, name, 4)
    plan = QueuePlan(name="Again", sampling=Sampling.CHOSEN, keys=(1, 2), repeats=0.5)
    making.create(session, plan)
    page.open_list(queue="Again")
    queue = page.queue
    for _ in range(3):
        queue.count()
        rows = [queue.model.row(place) for place in range(queue.model.rowCount())]
        key = next(row.key for row in rows if row.state == "new")
        page.open_evaluation(key)
        view = page.view
        assert view is not None
        assert (view.hidden, view.own) == (True, {})
        for card in page.scores.cards.values():
            assert card.state.own is None
            assert card.state.auto is None
        for name in METRICS:
            entering.commit(session, key, name, 3)
    queue.count()
    assert queue.view.counts.text().startswith("0 evaluations to go · 3 of 3 done")
