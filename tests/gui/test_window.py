"""The real window: it opens, closes, takes drops, and says what is wrong without a box."""

from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.gui import app
from reviewer.gui.commands import WindowCommands
from reviewer.gui.kit.notices import Kind
from reviewer.gui.page import Page
from reviewer.gui.pages import PAGES
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.upkeep import Upkeep
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing, undoing
from reviewer.services.transfer.importing import ImportRequest
from tests.building import build_project, let_see
from tests.strength.killed_imports import counts, write_file


def drop(window: MainWindow, *files: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    window.dropEvent(
        QDropEvent(
            QPointF(300, 300),
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )


def tabs(window: MainWindow) -> list[str]:
    buttons = window.top.findChildren(QAbstractButton)
    return [x.text() for x in buttons if x.property("kind") == "tab" and x.isVisible()]


def test_without_a_project_there_is_the_start_page_and_no_tab(window: MainWindow) -> None:
    assert window.stack.currentWidget() is window.start
    assert tabs(window) == []
    assert window.windowTitle() == "Reviewer"


def test_an_opened_project_shows_its_first_page(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    assert window.open_project(project)
    assert tabs(window) == [spec.title for spec in PAGES]
    assert type(window.page).__name__ == "ReviewPage"
    assert window.windowTitle() == "guest — Reviewer"
    settings = window.surroundings.settings
    qtbot.waitUntil(lambda: [x.path for x in settings.recent_projects] == [project])


def test_pages_are_made_when_they_are_shown(window: MainWindow, project: Path) -> None:
    window.open_project(project)
    assert len(window.made_pages()) == 1
    for spec in PAGES:
        window.show_page(spec.id)
    assert len(window.made_pages()) == len(PAGES)


def test_a_project_can_be_closed_and_opened_again(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.open_project(project)
    window.close_project()
    assert window.stack.currentWidget() is window.start
    assert window.session is None
    window.open_project(project, open_id="c-0007")
    qtbot.wait(10)
    view = getattr(window.page, "view", None)
    assert view is not None
    assert view.evaluation.id == "c-0007"


def test_an_id_that_is_not_there_is_said(window: MainWindow, project: Path) -> None:
    window.open_project(project, open_id="zzz")
    assert "zzz" in window.notices.notices[-1].text
    assert window.session is not None


def test_a_file_that_is_no_project_is_said_and_what_was_open_stays(
    window: MainWindow, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.review"
    other.write_bytes(b"this is no database" * 100)
    window.open_project(project)
    assert not window.open_project(other)
    assert window.session is not None
    assert window.session.project.path == project
    notice = window.notices.notices[-1]
    assert notice.kind is Kind.ERROR
    assert "other.review" in notice.text
    assert QApplication.activeModalWidget() is None


def test_a_dropped_project_is_opened(window: MainWindow, project: Path) -> None:
    drop(window, project)
    assert window.session is not None


def test_dropped_results_are_offered_for_import(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "results.csv"
    window.files_dropped.disconnect()
    with qtbot.waitSignal(window.files_dropped) as dropped:
        drop(window, file)
    assert dropped.args == [(file,)]


def test_what_another_window_labels_arrives(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.open_project(project)
    assert window.session is not None
    heard: list[object] = []
    window.session.subscribe(heard.append)
    with closing(Session.open(project, "ben")) as other:
        entering.commit(other, 1, "accuracy", 2)
    qtbot.waitUntil(lambda: bool(heard), timeout=3000)
    upkeep = window.findChild(Upkeep)
    assert isinstance(upkeep, Upkeep)


def test_an_own_label_is_said_to_be_saved(window: MainWindow, project: Path) -> None:
    window.open_project(project)
    assert window.session is not None
    entering.commit(window.session, 1, "accuracy", 2)
    words = [label.text() for label in window.status.findChildren(QLabel)]
    assert any(word.startswith("● Saved ") for word in words)


def test_the_time_of_saving_is_that_of_the_last_own_answer(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_project(project)
    session, said = window.session, []
    assert session is not None
    monkeypatch.setattr(window.status, "show_saved", lambda *_: said.append(1))
    with closing(Session.open(project, "ben")) as other:
        entering.commit(other, 1, "accuracy", 2)
    # whoever asks for what others wrote: the line to a hub does, too
    assert session.poll() == 1
    assert not said
    entering.commit(session, 1, "accuracy", 2)
    assert said


def test_switching_the_labeler_holds_everywhere(window: MainWindow, project: Path) -> None:
    window.open_project(project)
    window.top.labeler_requested.emit("ann")
    assert window.session is not None
    assert window.session.labeler.name == "ann"
    assert window.surroundings.settings.labeler == "ann"


def test_blindness_is_that_of_the_project_whoever_sits_at_the_computer(
    window: MainWindow, project: Path
) -> None:
    for blind in (True, False):
        let_see(project, blind=blind)
        window.open_project(project)
        assert window.session is not None
        assert window.session.blind is blind


def test_the_page_keys_switch_pages_only_with_a_project(
    window: MainWindow, commands: WindowCommands, project: Path
) -> None:
    assert not commands.actions["window.review"].isEnabled()
    window.open_project(project)
    assert commands.actions["window.review"].isEnabled()


def test_the_diagnosis_goes_to_the_clipboard(window: MainWindow) -> None:
    window.notices.error("Something.")
    window.notices.diagnosis_requested.emit()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("Reviewer ")
    assert "Python" in text


def test_an_unexpected_error_becomes_a_notice(window: MainWindow) -> None:
    app._Unexpected(window)(ValueError, ValueError("secret text"), None)
    notice = window.notices.notices[-1]
    assert "ValueError" in notice.text
    assert "secret" not in notice.text


def test_without_a_display_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(ReviewerError, match="no display"):
        app.require_display()


def test_every_control_can_be_named_aloud(window: MainWindow, project: Path) -> None:
    window.open_project(project)
    for spec in PAGES:
        window.show_page(spec.id)
    unnamed = [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for widget in window.findChildren(QWidget)
        if _needs_name(widget) and not (widget.accessibleName() or _own_words(widget))
    ]
    assert unnamed == []


def _needs_name(widget: QWidget) -> bool:
    tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    inner = widget.objectName().startswith("qt_") or _in_a_combo_box(widget)
    return bool(tab) and not inner and not widget.isWindow()


def _in_a_combo_box(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QComboBox):
        parent = parent.parentWidget()
    return parent is not None


def _own_words(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_change_of_colours_holds_at_once(
    window: MainWindow, commands: WindowCommands, project: Path, theme: str
) -> None:
    window.open_project(project)
    window.surroundings.settings.set("theme", theme)
    assert window.surroundings.theme.colours.dark == (theme == "dark")
    commands.switch_theme()
    assert window.surroundings.theme.colours.dark == (theme == "light")


def test_the_layout_turns_around_for_right_to_left(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.open_project(project)
    window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.wait(20)
    title = next(x for x in window.top.findChildren(QLabel) if x.text() == "Reviewer")
    assert title.x() > window.top.width() / 2


def test_a_read_only_project_never_claims_to_be_saved(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.store.connecting.writable", lambda _: False)
    assert window.open_project(project)
    assert window.session is not None
    assert window.session.project.read_only
    shown = [label.text() for label in window.status.findChildren(QLabel) if label.isVisible()]
    assert "○ Read-only" in shown
    assert "● Saved" not in shown


def test_a_page_that_takes_a_while_says_so_at_once(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_project(project)
    seen: list[str] = []
    made = window._make

    def look(session: Session, name: str) -> Page:
        words = window.stack.currentWidget()
        seen.append(words.text() if isinstance(words, QLabel) else "")
        return made(session, name)

    monkeypatch.setattr(window, "_make", look)
    window.show_page("audit")
    assert seen == ["Loading…"]
    window.show_page("review")
    window.show_page("audit")
    assert seen == ["Loading…"]


def test_what_was_said_in_passing_of_a_project_goes_with_it(
    window: MainWindow, project: Path
) -> None:
    window.open_project(project)
    window.notices.error("This stays.")
    window.notices.note("Undone: import of results.jsonl.")
    window.close_project()
    assert [x.text for x in window.notices.notices] == ["This stays."]


def test_an_empty_project_gathers_no_figures(window: MainWindow, tmp_path: Path) -> None:
    path = build_project(tmp_path / "empty.review", evaluations=3)
    with closing(Session.open(path)) as session:
        undoing.undo_import(session.project, 1)
    window.open_project(path)
    QApplication.processEvents()
    assert isinstance(window.page, ReviewPage)
    words = [x.text() for x in window.page.findChildren(QLabel) if x.isVisible()]
    assert not any("Gathering" in x for x in words)


def test_what_an_undone_import_left_is_removed_beside_the_window(
    qtbot: QtBot, window: MainWindow, project: Path, tmp_path: Path
) -> None:
    file = write_file(tmp_path / "more.jsonl", 20)
    before = counts(project)["evaluations"]
    importing.run(project, ImportRequest((file,), labeler="ann"), Silent())
    window.surroundings.settings.set("labeler", "ann")
    window.open_project(project)
    page = window.page
    assert isinstance(page, ReviewPage)
    page.acts.act("undo")
    qtbot.waitUntil(lambda: counts(project)["visible_evaluations"] == before)
    qtbot.waitUntil(lambda: counts(project)["evaluations"] == before)


def test_files_are_looked_for_where_somebody_keeps_theirs(
    window: MainWindow, commands: WindowCommands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, kept = tmp_path / "own", tmp_path / "kept"
    own.mkdir()
    kept.mkdir()
    monkeypatch.setattr("reviewer.paths.data_folder", lambda: own)
    settings = window.surroundings.settings

    def folder() -> Path:
        commands.actions["window.import"].trigger()
        dialog = next(x for x in window.findChildren(QFileDialog) if x.isVisible())
        found = Path(dialog.directory().path())
        dialog.close()
        dialog.deleteLater()
        return found

    settings.remember(own / "demo.review")
    assert folder() != own
    settings.remember(kept / "mine.review")
    settings.remember(own / "demo 2.review")
    assert folder() == kept
