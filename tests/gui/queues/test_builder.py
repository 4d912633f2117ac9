"""A plan is shown as it would come out, made, and worked on."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.queues.builder import QueueBuilder
from reviewer.gui.queues.overview import QueuesDialog
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project, record


@pytest.fixture
def session(window: MainWindow, settings: Settings, tmp_path: Path) -> Session:
    settings.set("labeler", "ann")
    window.open_project(build_project(tmp_path / "a.review", evaluations=30))
    assert window.session is not None
    profiles.add(window.session, "bo")
    return window.session


@pytest.fixture
def builder(commands: WindowCommands, session: Session) -> QueueBuilder:
    assert not session.project.read_only
    commands.actions["window.new_queue"].trigger()
    found = commands.keeper.dialog
    assert isinstance(found, QueueBuilder)
    return found


def page(window: MainWindow) -> ReviewPage:
    assert isinstance(window.page, ReviewPage)
    return window.page


def rows(view: QWidget) -> list[list[str]]:
    model = view.rows  # type: ignore[attr-defined]
    return [
        [model.cell(row, column).words for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_the_preview_follows_the_form(qtbot: QtBot, builder: QueueBuilder) -> None:
    builder.draw.sampling.setCurrentIndex(builder.draw.sampling.findData(Sampling.STRATIFIED))
    builder.draw.n.setValue(12)
    for box in builder.people.boxes.values():
        box.setChecked(True)
    builder.people.overlap.setValue(2)
    builder.people.overlap_share.setValue(50)
    qtbot.waitUntil(lambda: len(rows(builder.per_stratum)) == 3, timeout=5_000)
    qtbot.waitUntil(lambda: "18 answers by 2 labelers" in builder.sentence.text(), timeout=5_000)
    assert rows(builder.per_person) == [["ann", "9", "0", "0", "9"], ["bo", "9", "0", "0", "9"]]
    assert rows(builder.per_stratum)[0] == ["amenities", "10", "4", "40.0 %"]
    assert builder.make.isEnabled()
    builder.people.overlap.setValue(3)
    qtbot.waitUntil(lambda: "overlap of 3" in builder.problem.text(), timeout=5_000)
    assert not builder.make.isEnabled()


def test_only_what_a_way_needs_is_asked(builder: QueueBuilder) -> None:
    draw = builder.draw
    for way, shown in (
        (Sampling.ALL, {"filter_text"}),
        (Sampling.RECENT, {"filter_text", "n", "days", "until", "unlabelled"}),
        (Sampling.STRATIFIED, {"filter_text", "n", "stratify", "allocation"}),
        (Sampling.GOLD, set()),
    ):
        draw.sampling.setCurrentIndex(draw.sampling.findData(way))
        fields = (
            "filter_text", "n", "days", "until", "unlabelled", "stratify", "allocation", "other",
            "measured",
        )  # fmt: skip
        assert {x for x in fields if getattr(draw, x).isVisibleTo(draw)} == shown
    assert draw.planned()["n"] is None


def test_each_way_begins_with_its_usual_number(builder: QueueBuilder) -> None:
    draw = builder.draw

    def chosen(way: Sampling) -> tuple[int, int]:
        draw.sampling.setCurrentIndex(draw.sampling.findData(way))
        return draw.n.value(), draw.days.value()

    assert chosen(Sampling.RECENT) == (10, 10)
    assert chosen(Sampling.STRATIFIED)[0] == 50
    assert chosen(Sampling.NEWEST)[0] == 10
    draw.n.setValue(12)
    assert chosen(Sampling.RANDOM)[0] == 12


def test_that_a_queue_for_others_is_made_is_said_until_the_next_act(
    qtbot: QtBot, window: MainWindow, builder: QueueBuilder
) -> None:
    for name, box in builder.people.boxes.items():
        box.setChecked(name == "bo")
    qtbot.waitUntil(builder.make.isEnabled)
    builder.make.click()
    qtbot.waitUntil(lambda: bool(window.notices.notices))
    assert window.notices.notices[-1].text == "The queue Queue is made."
    window.show_page("audit")
    assert not window.notices.notices


def test_a_queue_is_made_and_worked_on(
    qtbot: QtBot, window: MainWindow, session: Session, builder: QueueBuilder
) -> None:
    for name, box in builder.people.boxes.items():
        box.setChecked(name == "ann")
    builder.name.setText("Second look")
    builder.draw.n.setValue(7)
    qtbot.waitUntil(lambda: "7 answers by ann" in builder.sentence.text(), timeout=5_000)
    builder.make.click()
    qtbot.waitUntil(lambda: page(window).queue.given == "Second look", timeout=5_000)
    assert [x.queue.name for x in working.mine(session)] == ["Second look"]
    queue = page(window).queue
    assert queue.given == "Second look"
    assert queue.model.rowCount() == 7
    assert queue.view.menus.filters.text() == "Queue: Second look ▾"
    assert not queue.view.menus.orders.isVisibleTo(queue.view)
    queue.count()
    assert queue.view.counts.text() == "7 evaluations to go · 0 of 7 done"


def test_a_recipe_fills_the_form(builder: QueueBuilder) -> None:
    builder.choose_recipe("validate")
    assert builder.plan().recipe == "validate"
    assert builder.plan().sampling is Sampling.RANDOM
    assert builder.name.text() == "Validate the judge"
    assert "blind" in builder.about.text()


def test_the_menu_lists_queues_with_progress_and_leads_back(
    window: MainWindow, session: Session, settle: Callable[[], None]
) -> None:
    making.create(session, QueuePlan(name="Mine", sampling=Sampling.RANDOM, n=5))
    queue = page(window).queue
    menu = queue.view.menus.filters.menu()
    menu.aboutToShow.emit()
    action = next(x for x in menu.actions() if x.text().startswith("Mine"))
    assert action.text() == "Mine   0 of 5"
    action.trigger()
    assert queue.given == "Mine"
    assert session.queue is not None
    # skipped ones come back at the end
    first = int(queue.model.keys[0])
    entering.toggle_skip(session, first)
    queue.count()
    assert int(queue.model.keys[-1]) == first
    # over a restart the queue is the one that was worked on
    path = session.project.path
    window.close_project()
    window.open_project(path)
    assert page(window).queue.given == "Mine"
    page(window).queue.view.set_filter("")
    assert page(window).queue.given is None
    assert window.session is not None
    assert window.session.queue is None
    assert page(window).queue.model.rowCount() == 30
    settle()


def test_a_queue_in_sight_shows_what_blind_ones_hide(window: MainWindow, session: Session) -> None:
    making.create(session, QueuePlan(name="Seen", sampling=Sampling.RANDOM, n=5, blind=False))
    page(window).open_list(queue="Seen")
    view = page(window).view
    assert view is not None
    assert not view.hidden
    page(window).queue.view.set_filter("")
    again = page(window).view
    assert again is not None
    assert again.hidden


def test_all_queues_are_looked_over(
    window: MainWindow, session: Session, commands: WindowCommands
) -> None:
    making.create(
        session,
        QueuePlan(name="Both", sampling=Sampling.RANDOM, n=6, labelers=("ann", "bo"), overlap=2),
    )
    commands.actions["window.queues"].trigger()
    dialog = commands.keeper.dialog
    assert isinstance(dialog, QueuesDialog)
    assert rows(dialog.queues) == [["Both", "ann", "0 of 6", "open"]]
    assert [row[:3] for row in rows(dialog.people)] == [["ann", "0", "6"], ["bo", "0", "6"]]
    dialog.closing.click()
    assert rows(dialog.queues)[0][3] == "closed"
    assert not dialog.work.isEnabled()
    dialog.closing.click()
    dialog.work.click()
    assert page(window).queue.given == "Both"


def test_labelers_see_their_own_progress_only(
    session: Session, settings: Settings, commands: WindowCommands
) -> None:
    making.create(
        session,
        QueuePlan(
            name="Both", sampling=Sampling.RANDOM, n=6, labelers=("ann", "bo"), overlap=2,
            filter_text="auto:accuracy<5",
        ),
    )  # fmt: skip
    settings.set("labeler", "bo")
    commands.actions["window.queues"].trigger()
    dialog = commands.keeper.dialog
    assert isinstance(dialog, QueuesDialog)
    assert [row[0] for row in rows(dialog.people)] == ["bo"]
    assert dialog.about.text() == "blind"
    assert not dialog.verdict.isEnabled()
    assert not dialog.deleting.isEnabled()
    assert dialog.work.isEnabled()


def test_ten_of_the_last_days_are_one_command_away(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    settings: Settings,
    tmp_path: Path,
) -> None:
    settings.set("labeler", "ann")
    now = datetime.now(UTC)
    made = [record(n, evaluated_at=(now - timedelta(days=n)).isoformat()) for n in range(1, 31)]
    window.open_project(build_project(tmp_path / "b.review", evaluations=made))
    commands.actions["window.label_recent"].trigger()
    qtbot.waitUntil(lambda: page(window).queue.given != "", timeout=5_000)
    assert page(window).queue.given == "Random 10 of the last 10 days"
    assert page(window).queue.model.rowCount() == 9
    commands.actions["window.label_recent"].trigger()
    assert window.session is not None
    assert len(working.mine(window.session)) == 1


def test_without_anything_recent_the_days_are_asked_for(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    settings: Settings,
    tmp_path: Path,
) -> None:
    settings.set("labeler", "ann")
    made = [record(n, evaluated_at=f"2024-05-0{n}T12:00:00Z") for n in range(1, 6)]
    window.open_project(build_project(tmp_path / "b.review", evaluations=made))
    commands.actions["window.label_recent"].trigger()
    found = commands.keeper.dialog
    assert isinstance(found, QueueBuilder)
    qtbot.waitUntil(lambda: "count them from another day" in found.sentence.text(), timeout=5_000)
    assert [name for name, box in found.people.boxes.items() if box.isChecked()] == ["ann"]
    assert found.draw.until.text() == datetime.now(UTC).date().isoformat()
    found.draw.until.setText("yesterday")
    qtbot.waitUntil(lambda: "is no day" in found.problem.text(), timeout=5_000)
    found.draw.until.setText("2024-05-03")
    qtbot.waitUntil(lambda: "3 evaluations of 3" in found.sentence.text(), timeout=5_000)
    assert found.make.isEnabled()
