"""A package is made, answered on another machine, dropped on the window and merged."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.parcels.dialogs import NOTHING, NOTHING_NEW, MergeDialog, PackDialog
from reviewer.gui.queues.overview import QueuesDialog
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering, undo
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project

WAIT = 60_000


@pytest.fixture
def session(window: MainWindow, settings: Settings, tmp_path: Path) -> Session:
    settings.set("labeler", "lea")
    window.open_project(build_project(tmp_path / "team.review", evaluations=12))
    assert window.session is not None
    profiles.add(window.session, "ann")
    making.create(
        window.session,
        QueuePlan(name="First look", sampling=Sampling.RANDOM, n=5, labelers=("ann",)),
    )
    return window.session


def packed(qtbot: QtBot, commands: WindowCommands, to: Path) -> PackDialog:
    commands.actions["window.package"].trigger()
    dialog = commands.parcels.dialog
    assert isinstance(dialog, PackDialog)
    qtbot.waitUntil(dialog.make.isEnabled, timeout=WAIT)
    dialog.write(to)
    qtbot.waitUntil(lambda: dialog.contents.text().startswith("Written."), timeout=WAIT)
    return dialog


def answer(package: Path, value: int, count: int) -> None:
    """Answer in a package as on another machine."""
    own = Session.open(package)
    row = working.find(own, "First look")
    for item in working.items_of(own, row, "ann")[:count]:
        for metric in own.rubric_of(item.evaluation).metrics:
            entering.commit(own, item.evaluation, metric.name, value)
    own.close()


def dropped(window: MainWindow, *files: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    no = Qt.KeyboardModifier.NoModifier
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, no
    )
    window.dropEvent(event)


def rows(dialog: MergeDialog, name: str) -> list[list[str]]:
    model = getattr(dialog, name).rows
    return [
        [model.cell(row, column).words for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def looked(qtbot: QtBot, commands: WindowCommands) -> MergeDialog:
    dialog = commands.parcels.dialog
    assert isinstance(dialog, MergeDialog)
    qtbot.waitUntil(lambda: not dialog.bar.isVisible(), timeout=WAIT)
    return dialog


def test_what_will_be_inside_is_said(
    qtbot: QtBot, commands: WindowCommands, session: Session
) -> None:
    commands.keeper.queues()
    overview = commands.keeper.dialog
    assert isinstance(overview, QueuesDialog)
    overview.package.click()
    dialog = commands.parcels.dialog
    assert isinstance(dialog, PackDialog)
    assert dialog.queue.currentData() == "First look"
    assert dialog.labeler.currentData() == "ann"
    assert dialog.blind.isChecked()
    qtbot.waitUntil(lambda: "no auto scores" in dialog.contents.text(), timeout=WAIT)
    assert dialog.contents.text().startswith("5 evaluations of ")
    dialog.blind.setChecked(False)
    qtbot.waitUntil(lambda: "Auto scores and reasoning are inside" in dialog.contents.text())
    profiles.add(session, "bo")
    making.create(
        session, QueuePlan(name="Second look", sampling=Sampling.RANDOM, n=3, labelers=("bo",))
    )
    dialog.close()
    overview.package.click()
    second = commands.parcels.dialog
    assert isinstance(second, PackDialog)
    qtbot.waitUntil(second.make.isEnabled, timeout=WAIT)
    second.queue.setCurrentIndex(second.queue.findData("Second look"))
    assert not second.make.isEnabled()
    qtbot.waitUntil(lambda: second.contents.text().startswith("3 evaluations of "), timeout=WAIT)
    assert second.make.isEnabled()
    second.close()
    overview.close()
    assert session.queue is None


def test_without_a_queue_there_is_nothing_to_pack(
    window: MainWindow, commands: WindowCommands, project: Path, settle: Callable[[], None]
) -> None:
    window.open_project(project)
    commands.actions["window.package"].trigger()
    dialog = commands.parcels.dialog
    assert isinstance(dialog, PackDialog)
    QApplication.processEvents()
    settle()
    assert dialog.contents.text() == NOTHING
    assert not dialog.problem.text()
    assert not dialog.make.isEnabled()
    dialog.close()


def test_a_file_is_never_overwritten(
    qtbot: QtBot, commands: WindowCommands, session: Session, tmp_path: Path
) -> None:
    there = tmp_path / "there.review"
    there.write_text("kept")
    commands.actions["window.package"].trigger()
    dialog = commands.parcels.dialog
    assert isinstance(dialog, PackDialog)
    qtbot.waitUntil(dialog.make.isEnabled, timeout=WAIT)
    dialog.write(there)
    qtbot.waitUntil(lambda: "exists already" in dialog.problem.text(), timeout=WAIT)
    assert dialog.make.isEnabled()
    assert there.read_text() == "kept"
    assert session.labeler.name == "lea"
    dialog.close()


def test_a_package_goes_out_and_comes_back(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    session: Session,
    settle: Callable[[], None],
    tmp_path: Path,
) -> None:
    package = tmp_path / "for ann.review"
    packed(qtbot, commands, package).close()
    answer(package, 2, 3)
    dropped(window, package)
    dialog = looked(qtbot, commands)
    assert dialog.merge.isEnabled()
    assert window.session is session
    shown = rows(dialog, "packages")[0]
    assert shown[:3] == ["for ann.review", "ann", dialog.sentence.text().split()[0]]
    new = int(shown[2])
    assert rows(dialog, "looks") == []
    assert labels_of(session, "ann") == 0
    dialog.merge.click()
    qtbot.waitUntil(lambda: dialog.sentence.text().startswith("Taken in"), timeout=WAIT)
    assert labels_of(session, "ann") == new
    dialog.close()
    # once more brings nothing
    dropped(window, package)
    dialog = looked(qtbot, commands)
    assert dialog.sentence.text() == NOTHING_NEW
    assert not dialog.merge.isEnabled()
    assert rows(dialog, "packages")[0][2:4] == ["0", str(new)]
    dialog.close()
    undo.undo(session)
    assert labels_of(session, "ann") == 0
    settle()


def test_an_answer_on_both_sides_is_shown_and_opened(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    session: Session,
    tmp_path: Path,
) -> None:
    package = tmp_path / "ann.review"
    packed(qtbot, commands, package).close()
    answer(package, 2, 1)
    own = Session.open(session.project.path, "ann")
    row = working.find(own, "First look")
    key = working.items_of(own, row, "ann")[0].evaluation
    metric = own.rubric_of(key).metrics[0].name
    entering.commit(own, key, metric, 5)
    own.close()
    no_package = tmp_path / "none.review"
    build_project(no_package, evaluations=2)
    commands.parcels.take([package, no_package])
    dialog = looked(qtbot, commands)
    assert len(rows(dialog, "looks")) == 1
    found = rows(dialog, "looks")[0]
    assert "the answer here is later and counts" in found[1]
    assert found[2:] == ["5", "2"]
    assert rows(dialog, "packages")[0][5] == "1"
    assert "no work package" in dialog.problem.text()
    with qtbot.waitSignal(dialog.evaluation_requested) as opened:
        dialog.looks.row_opened.emit(dialog.looks.rows.keys[0])
    assert opened.args == [key]
    assert isinstance(window.page, ReviewPage)
    dialog.close()


def test_a_package_opens_as_its_labeler_on_its_queue(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    settings: Settings,
    session: Session,
    tmp_path: Path,
) -> None:
    assert session.labeler.role == "lead"
    package = tmp_path / "ann.review"
    packed(qtbot, commands, package).close()
    window.open_project(package)
    assert window.session is not None
    assert window.session.labeler.name == "ann"
    assert isinstance(window.page, ReviewPage)
    assert window.page.queue.given == "First look"
    assert window.page.queue.model.rowCount() == 5
    settings.set("labeler", "bo")
    assert window.session.labeler.name == "ann"
    assert "is for ann" in window.notices.notices[-1].text
    commands.parcels.dialog = None
    commands.actions["window.package"].trigger()
    assert commands.parcels.dialog is None
    assert "send it back" in window.notices.notices[-1].text


def test_only_leads_make_and_merge_packages(
    window: MainWindow, commands: WindowCommands, settings: Settings, session: Session
) -> None:
    settings.set("labeler", "ann")
    assert session.labeler.role == "labeler"
    for name in ("window.package", "window.merge"):
        commands.actions[name].trigger()
        assert "Only a lead can" in window.notices.notices[-1].text
    assert commands.parcels.dialog is None


def labels_of(session: Session, labeler: str) -> int:
    row = session.project.conn.execute(
        "SELECT count(*) FROM current_labels c JOIN labelers l ON l.id = c.labeler "
        "WHERE l.name = ? AND c.kind <> 'withdrawn'",
        (labeler,),
    ).fetchone()
    return int(row[0])


def test_a_copy_of_an_open_package_holds_the_answers(
    qtbot: QtBot, window: MainWindow, commands: WindowCommands, session: Session, tmp_path: Path
) -> None:
    assert session.labeler.role == "lead"
    package = tmp_path / "ann.review"
    packed(qtbot, commands, package).close()
    window.open_project(package)
    assert isinstance(window.page, ReviewPage)
    assert window.session is not None
    assert window.page.view is not None
    entering.commit(window.session, window.page.view.evaluation.key, "safety", 4)

    def answers() -> int:
        # what is sent while the program is still open: the one file, nothing beside it
        sent = tmp_path / "sent.review"
        sent.write_bytes(package.read_bytes())
        with closing(Session.open(sent)) as found:
            return int(found.project.conn.execute("SELECT count(*) FROM labels").fetchone()[0])

    qtbot.waitUntil(lambda: answers() == 1, timeout=WAIT)
