"""The import dialog from a dropped file to the list of what was refused."""

import gzip
import json
import time
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import CancelledError, Progress, ProjectError, Silent
from reviewer.formats.questions import Choice, Question
from reviewer.gui import app
from reviewer.gui.commands import WindowCommands
from reviewer.gui.importing.dialog import ImportDialog
from reviewer.gui.importing.question_card import QuestionCard
from reviewer.gui.kit.tasks import Task
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import undo
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.column_uses import ColumnUse, Use
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import projects
from tests.building import build_project, next_undo, record

TABLE = """id,question,answer,accuracy,why,ann
q-1,When is check-in?,From 3 p.m.,5,so,5
q-2,Is there parking?,Yes and it is free.,4,so,2
q-3,,,4,so,2
"""


def drop(window: MainWindow, *files: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, mime, buttons, keys))


def shown(qtbot: QtBot, window: MainWindow) -> ImportDialog:
    """The dialog, once it has looked at the files."""
    dialog = window.findChildren(ImportDialog)[-1]
    looked(qtbot, dialog)
    return dialog


def looked(qtbot: QtBot, dialog: ImportDialog) -> None:
    qtbot.waitUntil(
        lambda: (
            (
                dialog.start.isEnabled()
                or not dialog.plan.question.isHidden()
                or bool(error_of(dialog))
            )
            and not dialog._state.text().startswith("Looking")
        ),
        timeout=10_000,
    )


def error_of(dialog: ImportDialog) -> str:
    return dialog._error.text()


def imported(qtbot: QtBot, dialog: ImportDialog) -> None:
    with qtbot.waitSignal(dialog.work_ended, timeout=20_000):
        dialog.start.click()


def words(dialog: ImportDialog) -> set[str]:
    return {label.text() for label in dialog.outcome.findChildren(QLabel) if not label.isHidden()}


@pytest.fixture
def native(tmp_path: Path) -> Path:
    file = tmp_path / "results.jsonl.gz"
    rows = [record(n) for n in range(1, 6)] + [{"id": "empty"}]
    file.write_bytes(gzip.compress("\n".join(json.dumps(x) for x in rows).encode()))
    return file


def test_dropped_records_become_a_project_to_review(
    qtbot: QtBot, window: MainWindow, native: Path
) -> None:
    drop(window, native)
    dialog = shown(qtbot, window)
    assert dialog.plan.target.field.text() == str(native.with_name("results.review"))
    assert dialog.plan.chosen_rubric() is not None
    imported(qtbot, dialog)
    assert "5 imported" in words(dialog)
    assert "1 row refused" in words(dialog)
    dialog.outcome.review.click()
    assert window.session is not None
    assert window.session.project.path == native.with_name("results.review")
    assert [run.evaluations for run in window.session.runs()] == [5]


def test_a_table_shows_its_columns_and_takes_changes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    drop(window, file)
    dialog = shown(qtbot, window)
    editor = dialog.plan.editor
    row = next(x for x in editor._rows if x.column == "ann")
    row.show_use(ColumnUse("ann", Use.LABEL, "accuracy", "ann"))
    with qtbot.waitSignal(editor.mapping_changed):
        row.choice.activated.emit(row.choice.currentIndex())
    assert 'labeler = "ann"' in editor.text.toPlainText()
    qtbot.waitUntil(lambda: dialog._state.text() == "", timeout=10_000)
    imported(qtbot, dialog)
    assert "2 imported" in words(dialog), error_of(dialog)
    dialog.outcome.review.click()
    assert window.session is not None
    assert "ann" in [x.name for x in window.session.labelers()]


def test_how_numbers_and_dates_are_written_is_chosen_or_entered_as_text(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    drop(window, file)
    editor = shown(qtbot, window).plan.editor
    box = editor._habits["decimal"]
    box.setCurrentIndex(box.findData(","))
    with qtbot.waitSignal(editor.mapping_changed):
        box.activated.emit(box.currentIndex())
    text = editor.text.toPlainText()
    assert 'decimal = ","' in text
    with qtbot.waitSignal(editor.mapping_changed):
        editor.text.setPlainText(text.replace('decimal = ","', 'dates = "day-first"'))
    assert {key: x.currentData() for key, x in editor._habits.items()} == {
        "decimal": "", "dates": "day-first"
    }  # fmt: skip


def test_a_mistake_in_the_mappings_text_is_said_and_the_last_one_holds(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    drop(window, file)
    dialog = shown(qtbot, window)
    editor, before = dialog.plan.editor, dialog.plan.editor.mapping
    with qtbot.waitSignal(editor.problem_found) as problem:
        editor.text.setPlainText("[fields]\ncolour = 3")
    assert problem.args is not None
    assert "colour" in problem.args[0]
    assert editor.mapping == before


def test_the_mapping_can_be_kept(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    drop(window, file)
    dialog = shown(qtbot, window)
    dialog.plan.mapping_file.save(str(tmp_path / "kept.toml"))
    assert "[fields]" in (tmp_path / "kept.toml").read_text()
    dialog.plan.mapping_file.save(str(tmp_path / "nowhere" / "kept.toml"))
    assert "nowhere" in error_of(dialog)


def test_the_open_project_is_the_target_unless_another_is_named(
    qtbot: QtBot, window: MainWindow, native: Path, project: Path
) -> None:
    window.open_project(project)
    drop(window, native)
    dialog = shown(qtbot, window)
    assert dialog.plan.target.path() == project
    dialog.plan.run.setText("agent v8")
    imported(qtbot, dialog)
    assert window.session is not None
    assert {run.name for run in window.session.runs()} == {"agent v7", "agent v8"}


def test_a_file_that_exists_is_never_written_over(
    qtbot: QtBot, window: MainWindow, native: Path, project: Path
) -> None:
    drop(window, native)
    dialog = shown(qtbot, window)
    dialog.plan.target.field.setText(str(project))
    dialog.start.click()
    assert "exists already" in error_of(dialog)
    assert not dialog.is_running


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, b"\x1f\x8b\x08broken"]
)
def test_a_file_that_cannot_be_read_is_a_sentence(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    drop(window, file)
    dialog = shown(qtbot, window)
    assert "odd.jsonl" in error_of(dialog)
    assert not dialog.start.isEnabled()


def test_a_cancelled_import_leaves_nothing(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "many.jsonl"
    with file.open("w") as stream:
        stream.writelines(json.dumps(record(n)) + "\n" for n in range(4000))
    drop(window, file)
    dialog = shown(qtbot, window)
    dialog.start.click()
    with qtbot.waitSignal(dialog.work_ended, timeout=20_000):
        dialog.cancel()
    assert error_of(dialog) == "The import was cancelled."
    assert dialog.start.isEnabled()


def test_refused_records_of_one_long_line_have_their_number(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "list.json"
    file.write_text(json.dumps([record(1), {"id": "empty"}]), encoding="utf-8")
    drop(window, file)
    dialog = shown(qtbot, window)
    imported(qtbot, dialog)
    model = dialog.outcome._model
    assert model.data(model.index(0, 1)) == "record 2 (line 1)"


def test_the_list_of_refused_rows_can_be_saved(
    qtbot: QtBot, window: MainWindow, native: Path, tmp_path: Path
) -> None:
    drop(window, native)
    dialog = shown(qtbot, window)
    imported(qtbot, dialog)
    dialog.outcome.save_list(str(tmp_path / "refused.jsonl"))
    refused = (tmp_path / "refused.jsonl").read_text()
    assert '"line"' in refused
    dialog.outcome.save_list(str(tmp_path / "nowhere" / "refused.jsonl"))
    assert "nowhere" in error_of(dialog)


def test_while_one_import_runs_no_other_begins(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, native: Path
) -> None:
    file = tmp_path / "many.jsonl"
    with file.open("w") as stream:
        stream.writelines(json.dumps(record(n)) + "\n" for n in range(4000))
    drop(window, file)
    dialog = shown(qtbot, window)
    told: list[str] = []
    dialog.work_changed.connect(lambda words, _share: told.append(words))
    dialog.start.click()
    dialog.close()
    drop(window, native)
    assert len(window.findChildren(ImportDialog)) == 1
    assert dialog.isVisible()
    qtbot.waitUntil(lambda: any("%" in words for words in told), timeout=20_000)
    assert all(words.startswith("Import ") for words in told)
    with qtbot.waitSignal(dialog.work_ended, timeout=20_000):
        dialog.cancel()


@pytest.mark.parametrize("choice", ["skip", "replace", "version"])
def test_other_content_is_treated_as_chosen(
    qtbot: QtBot, window: MainWindow, project: Path, choice: str
) -> None:
    assert window.open_project(project)
    file = project.with_name("again.jsonl")
    file.write_text(json.dumps(record(2, run="agent v7", response="a new answer")))
    drop(window, file)
    dialog = shown(qtbot, window)
    dialog.plan.conflict.setCurrentIndex(dialog.plan.conflict.findData(choice))
    imported(qtbot, dialog)
    session = window.session
    assert session is not None
    key = reading.key_of(session, "c-0002")
    assert key is not None
    kept = str(record(2)["response"])
    assert reading.view(session, key).evaluation.response == (
        kept if choice == "skip" else "a new answer"
    )
    if choice != "skip":
        # taken back by the key that undoes everything else
        assert "again.jsonl" in str(next_undo(session))
        assert undo.undo(session) is not None
        assert reading.view(session, key).evaluation.response == kept


def test_texts_without_scores_take_a_rubric_that_ships(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text(json.dumps({"id": "a", "input": "q", "response": "r"}))
    drop(window, file)
    dialog = shown(qtbot, window)
    place = dialog.plan.rubric.findText("guest-response", Qt.MatchFlag.MatchContains)
    assert place >= 0
    dialog.plan.rubric.setCurrentIndex(place)
    qtbot.waitUntil(dialog.start.isEnabled)
    imported(qtbot, dialog)
    assert "1 imported" in words(dialog)


def test_the_import_belongs_to_whoever_labels_in_the_window(
    qtbot: QtBot, window: MainWindow, native: Path, tmp_path: Path
) -> None:
    assert window.open_project(build_project(tmp_path / "open.review"))
    session = window.session
    assert session is not None
    session.set_labeler("somebody else")
    drop(window, native)
    dialog = shown(qtbot, window)
    imported(qtbot, dialog)
    session.poll()
    rows = session.project.conn.execute(
        "SELECT l.name FROM journal j JOIN labelers l ON l.id = j.labeler ORDER BY j.id DESC"
    )
    assert rows.fetchone() == ("somebody else",)
    window.close()


@pytest.mark.parametrize("way", ["escape", "close", "cancel"])
def test_what_was_mapped_by_hand_is_thrown_away_only_after_a_question(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    drop(window, file)
    dialog = shown(qtbot, window)
    asked: list[str] = []
    answer = QMessageBox.StandardButton.No

    def ask(_: object, __: str, question: str, ___: object, default: object) -> object:
        assert default == QMessageBox.StandardButton.No
        asked.append(question)
        return answer

    monkeypatch.setattr(QMessageBox, "question", ask)

    def leave() -> None:
        if way == "escape":
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
        elif way == "close":
            dialog.close()
        else:
            next(x for x in dialog.findChildren(QPushButton) if x.text() == "Cancel").click()

    row = dialog.plan.editor._rows[0]
    row.choice.setCurrentIndex(3)
    row.choice.activated.emit(3)
    leave()
    assert dialog.isVisible()
    assert len(asked) == 1
    answer = QMessageBox.StandardButton.Yes
    leave()
    qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))
    assert len(asked) == 2
    drop(window, file)
    dialog = shown(qtbot, window)
    leave()
    qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))
    assert len(asked) == 2


def test_a_mapping_that_was_kept_is_not_asked_for(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    drop(window, file)
    dialog = shown(qtbot, window)
    row = dialog.plan.editor._rows[0]
    row.choice.activated.emit(row.choice.currentIndex())
    assert dialog.plan.editor.is_changed
    dialog.plan.mapping_file.save(str(tmp_path / "kept.toml"))
    dialog.close()
    qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))


def test_results_become_a_new_project_beside_an_open_one(
    qtbot: QtBot, window: MainWindow, commands: WindowCommands, native: Path, project: Path
) -> None:
    window.open_project(project)
    commands.actions["window.new"].trigger()
    chooser = next(x for x in window.findChildren(QFileDialog) if x.isVisible())
    assert chooser.windowTitle() == "New project from results"
    chooser.filesSelected.emit([str(native)])
    chooser.close()
    dialog = shown(qtbot, window)
    assert dialog.plan.target.path() == native.with_name("results.review")
    assert not dialog.plan.target.existing.isVisible()
    dialog.close()


def test_a_new_project_beside_an_open_one_gets_what_its_values_propose(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    # the open project has a rubric that ships
    project = projects.make_demo(tmp_path / "demo.review", None, Silent())
    file = tmp_path / "fed.jsonl"
    given = {"metric": "Interesting", "labeler": "a", "value": 2}
    file.write_text(json.dumps({"id": "x", "input": "Hi", "response": "Hello", "labels": [given]}))
    window.open_project(project)
    drop(window, file)
    dialog = shown(qtbot, window)
    rubric = dialog.plan.rubric
    assert not any(rubric.itemText(at).startswith("Proposed") for at in range(rubric.count()))
    warning = "Not in this rubric: Interesting. Their scores and labels would be refused"
    said = [x.text() for x in dialog.plan.findChildren(QLabel) if x.isVisible()]
    assert any(x.startswith(warning) for x in said)
    dialog.plan.target.fresh.click()
    qtbot.waitUntil(lambda: rubric.currentText() == "Proposed from the values: fed")
    qtbot.waitUntil(dialog.start.isEnabled)
    said = [x.text() for x in dialog.plan.findChildren(QLabel) if x.isVisible()]
    assert not any(x.startswith(warning) for x in said)
    dialog.plan.target.existing.click()
    qtbot.waitUntil(lambda: not rubric.currentText().startswith("Proposed"))
    dialog.plan.target.fresh.click()
    qtbot.waitUntil(lambda: rubric.currentText() == "Proposed from the values: fed")
    imported(qtbot, dialog)
    with closing(Session.open(tmp_path / "fed.review", "ann")) as session:
        assert [x.name for x in session.current_rubric().metrics] == ["Interesting"]
        assert session.project.conn.execute("SELECT count(*) FROM labels").fetchone() == (1,)


SIDES = "id,question,answer,tone,tone_pred\n" + "".join(
    f"{n},Is it {n}?,It is {n}.,{n % 3 + 1},{n % 2 + 1}\n" for n in range(1, 9)
)


def test_questions_are_asked_one_at_a_time_and_can_be_taken_back(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "sides.csv"
    file.write_text(SIDES, encoding="utf-8")
    drop(window, file)
    dialog = shown(qtbot, window)
    card = dialog.plan.question
    assert card._words.text() == "Whose values does tone hold: 2, 3, 1?"
    assert not dialog.start.isEnabled()
    assert card.back.isHidden()
    # nothing is guessed by pressing on, and the window names no option of the command line
    assert not card.go_on.isEnabled()
    assert not [x for x in card.findChildren(QRadioButton) if x.isChecked()]
    assert not [x.text() for x in dialog.findChildren(QLabel) if "--" in x.text()]
    card.choose("tone=people")
    for button in (card.go_on, card.go_on, card.back, card.back):
        button.click()
    assert dialog.plan.answers == []
    looked(qtbot, dialog)
    card.choose("tone=people")
    card.go_on.click()
    qtbot.waitUntil(dialog.start.isEnabled, timeout=10_000)
    assert not card.go_on.isVisible()
    assert card.back.text() == "Change the last answer"
    card.back.click()
    looked(qtbot, dialog)
    assert card._words.text() == "Whose values does tone hold: 2, 3, 1?"
    card.choose("tone=people")
    card.go_on.click()
    qtbot.waitUntil(dialog.start.isEnabled, timeout=10_000)
    first = dialog.plan.records._previews[0]
    assert [(x.metric, x.words) for x in first.opinions] == [
        ("tone", "auto score (pred)"), ("tone", "label by human"),
    ]  # fmt: skip
    assert first.evaluation.response == "It is 1."
    imported(qtbot, dialog)
    assert "8 imported" in words(dialog)


def test_return_gives_the_chosen_answer_and_answers_keep_their_order(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "sides.csv"
    head = "id,question,answer,tone,tone_pred,rank,clarity\n"
    rows = (
        f"{n},Is it {n}?,It is {n}.,{n % 3 + 1},{n % 2 + 1},{n},{n % 4 + 1}\n" for n in range(1, 9)
    )
    file.write_text(head + "".join(rows), encoding="utf-8")
    drop(window, file)
    dialog = shown(qtbot, window)
    card, orders = dialog.plan.question, []
    while dialog.plan.is_open:
        count = len(dialog.plan.answers)
        buttons = card._group.buttons() if card._group else []
        qtbot.waitUntil(buttons[-1].isVisible)
        if card._words.text().startswith("Whose"):
            orders.append([x.text() for x in buttons])
        QTest.keyClick(buttons[0], Qt.Key.Key_Return)
        assert len(dialog.plan.answers) == count
        QTest.mouseClick(buttons[-1], Qt.MouseButton.LeftButton)
        QTest.keyClick(buttons[-1], Qt.Key.Key_Return)
        assert len(dialog.plan.answers) == count + 1
        looked(qtbot, dialog)
    assert len(orders) > 1
    assert all(order == orders[0] for order in orders)
    assert orders[0][0] == "Auto scores of a judge or scorer"


def test_return_gives_an_answer_that_is_chosen_in_a_list(qtbot: QtBot) -> None:
    card = QuestionCard()
    qtbot.addWidget(card)
    choices = tuple(Choice("x", f"metric:{name}", name) for name in "abcdefgh")
    card.ask([Question("Which metric does x belong to?", choices)], 0)
    card.show()
    card.choose("x=metric:c")
    box = card.findChild(QComboBox)
    assert box is not None
    with qtbot.waitSignal(card.answered) as answered:
        QTest.keyClick(box, Qt.Key.Key_Return)
    assert answered.args == ["x=metric:c"]


def test_return_goes_on_to_review_what_was_imported(
    qtbot: QtBot, window: MainWindow, native: Path
) -> None:
    drop(window, native)
    dialog = shown(qtbot, window)
    imported(qtbot, dialog)
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert window.session is not None
    assert window.session.project.path == native.with_name("results.review")


def test_what_a_hand_says_of_the_columns_answers_every_question(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "sides.csv"
    file.write_text(SIDES, encoding="utf-8")
    kept = tmp_path / "kept.toml"
    kept.write_text(
        '[fields]\nid = "id"\nresponse = "answer"\n[[labels]]\nmetric = "tone"\n'
        'value = "tone"\nlabeler = "ann"\n',
        encoding="utf-8",
    )
    drop(window, file)
    dialog = shown(qtbot, window)
    dialog.plan.mapping_file.use(str(kept))
    qtbot.waitUntil(dialog.start.isEnabled, timeout=10_000)
    assert dialog.plan.question.isHidden()
    imported(qtbot, dialog)
    assert "8 imported" in words(dialog)
    dialog.plan.mapping_file.use(str(tmp_path / "nowhere.toml"))
    assert "cannot be read" in error_of(dialog)


@pytest.fixture
def unfit(tmp_path: Path) -> Path:
    """Records of the open project's rubric, with scores of a metric that it does not have."""
    file = tmp_path / "more.jsonl"
    extra = [{"metric": "charm", "value": 3}]
    lines = [json.dumps(record(n, scores=extra)) for n in range(50, 53)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def evaluations(window: MainWindow) -> int:
    assert window.session is not None
    window.session.poll()
    return sum(run.evaluations for run in window.session.runs())


def test_values_that_are_refused_are_a_question_that_no_stray_key_answers(
    qtbot: QtBot, window: MainWindow, project: Path, unfit: Path
) -> None:
    window.open_project(project)
    drop(window, unfit)
    dialog = shown(qtbot, window)
    imported(qtbot, dialog)
    asked = [x.text() for x in dialog.plan_page.findChildren(QLabel) if x.isVisible()]
    assert any("charm: 3 of 3 values (100 %) would be refused" in x for x in asked)
    assert dialog.steps.currentIndex() == 0
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(dialog.focusWidget() or dialog, key)
    assert not dialog.is_running
    assert evaluations(window) == 12
    with qtbot.waitSignal(dialog.work_ended, timeout=20_000):
        dialog.refused.rest.click()
    assert "3 imported" in words(dialog)


def test_another_rubric_takes_the_question_about_refused_values_away(
    qtbot: QtBot, window: MainWindow, project: Path, unfit: Path
) -> None:
    window.open_project(project)
    drop(window, unfit)
    dialog = shown(qtbot, window)
    imported(qtbot, dialog)
    assert dialog.refused.rest.isVisible()
    dialog.plan.rubric.setCurrentIndex(dialog.plan.rubric.count() - 1)
    assert not dialog.refused.rest.isVisible()


def in_background(qtbot: QtBot, window: MainWindow, dialog: ImportDialog) -> QWidget:
    """Begin an import, label on meanwhile, and give what has the focus until it has ended."""
    with qtbot.waitSignal(dialog.work_ended, timeout=20_000):
        dialog.start.click()
        dialog.close()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        assert window.page is not None
        window.page.setFocus()
        focused = QApplication.focusWidget()
    assert focused is not None
    return focused


def test_a_question_of_an_import_in_the_background_waits_in_the_line_at_the_bottom(
    qtbot: QtBot, window: MainWindow, project: Path, unfit: Path
) -> None:
    window.open_project(project)
    drop(window, unfit)
    dialog = shown(qtbot, window)
    focused = in_background(qtbot, window, dialog)
    assert not dialog.isVisible()
    assert QApplication.activeModalWidget() is None
    assert QApplication.focusWidget() is focused
    QTest.keyClick(focused, Qt.Key.Key_Space)
    assert not dialog.is_running
    assert evaluations(window) == 12
    line = window.status._work
    assert line.isVisible()
    assert line.accessibleName() == "Import: nothing stored yet, it asks you something"
    assert not window.status._bar.isVisible()
    # another import waits until this one was seen
    drop(window, unfit)
    assert dialog.isVisible()
    assert len(window.findChildren(ImportDialog)) == 1
    assert dialog.refused.rest.isVisible()
    assert not line.isVisible()


def test_how_an_import_in_the_background_ended_stands_in_the_line_at_the_bottom(
    qtbot: QtBot, window: MainWindow, project: Path, native: Path
) -> None:
    window.open_project(project)
    drop(window, native)
    dialog = shown(qtbot, window)
    focused = in_background(qtbot, window, dialog)
    assert not dialog.isVisible()
    assert QApplication.focusWidget() is focused
    line = window.status._work
    assert line.accessibleName() == "Import ended: 5 imported, 1 row refused"
    line.click()
    assert dialog.isVisible()
    assert "5 imported" in words(dialog)
    assert not line.isVisible()
    dialog.close()
    qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))


def test_an_import_that_fails_in_the_background_does_not_come_in_front(
    qtbot: QtBot, window: MainWindow, project: Path, native: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_project(project)
    drop(window, native)
    dialog = shown(qtbot, window)

    def fail(*_: object) -> None:
        raise ProjectError("The disk is full.")

    monkeypatch.setattr(importing, "run", fail)
    in_background(qtbot, window, dialog)
    assert not dialog.isVisible()
    line = window.status._work
    assert line.accessibleName() == "Import ended: nothing was stored"
    line.click()
    assert dialog.isVisible()
    assert error_of(dialog) == "The disk is full."


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an import stand at two of five records until it is cancelled."""

    def stand(_: Path, __: ImportRequest, progress: Progress) -> None:
        progress.advance(2, 5)
        while not progress.cancelled:
            time.sleep(0.01)
        raise CancelledError("Stopped.")

    monkeypatch.setattr(importing, "run", stand)


def answering(monkeypatch: pytest.MonkeyPatch, button: QMessageBox.StandardButton) -> list[str]:
    """Answer questions, whose default is no, with a button; gives what was asked."""
    asked: list[str] = []

    def ask(_: object, __: str, question: str, ___: object, default: object) -> object:
        assert default == QMessageBox.StandardButton.No
        asked.append(question)
        return button

    monkeypatch.setattr(QMessageBox, "question", ask)
    return asked


@pytest.mark.usefixtures("endless")
def test_closing_asks_before_it_stops_an_import(
    qtbot: QtBot, window: MainWindow, native: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop(window, native)
    dialog = shown(qtbot, window)
    dialog.start.click()
    dialog.close()
    qtbot.waitUntil(lambda: "%" in window.surroundings.tasks.losses())
    asked = answering(monkeypatch, QMessageBox.StandardButton.No)
    window.close()
    assert asked == [
        "Closing stops the import of results.jsonl.gz (at 40 %); nothing half done is kept."
        "\n\nClose all the same?"
    ]
    assert window.isVisible()
    assert dialog.is_running
    answering(monkeypatch, QMessageBox.StandardButton.Yes)
    window.close()
    assert not window.isVisible()


@pytest.mark.usefixtures("endless")
def test_the_system_ends_an_import_without_a_question(
    qtbot: QtBot, window: MainWindow, native: Path
) -> None:
    drop(window, native)
    dialog = shown(qtbot, window)
    dialog.start.click()
    # also over a question that stands there already
    QTimer.singleShot(0, lambda: app.end(window))
    window.close()
    assert not window.isVisible()
    assert QApplication.activeModalWidget() is None
    assert not any(x.is_running for x in window.findChildren(Task))


def test_closing_asks_before_it_forgets_what_an_import_asks(
    qtbot: QtBot, window: MainWindow, project: Path, unfit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_project(project)
    drop(window, unfit)
    in_background(qtbot, window, shown(qtbot, window))
    asked = answering(monkeypatch, QMessageBox.StandardButton.Yes)
    window.close()
    assert asked == [
        "The import of more.jsonl has stored nothing and waits for you to look at it."
        "\n\nClose all the same?"
    ]


def test_values_beyond_a_rubrics_scales_stand_beside_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "ten.jsonl"
    rows = [record(n) for n in range(1, 5)]
    for row in rows:
        row["scores"] = [
            {"metric": "relevance", "value": 5, "scorer": "judge"},
            {"metric": "accuracy", "value": 8, "scorer": "judge"},
            # what states its own ends is brought to the rubric's
            {"metric": "safety", "value": 8, "min": 0, "max": 10, "scorer": "judge"},
        ]
    file.write_text("\n".join(json.dumps(x) for x in rows), encoding="utf-8")
    drop(window, file)
    plan = shown(qtbot, window).plan
    place = plan.rubric.findData("guest-response")
    assert plan.rubric.itemText(place) == "guest-response (not all values)"
    assert plan._missing.isHidden()
    plan.rubric.setCurrentIndex(place)
    assert plan._missing.text() == (
        "Not on this rubric's scales, in the first rows:\n"
        "accuracy: 4 of 4 values (100 %) would be refused, such as '8': 8 is not on the scale of "
        "accuracy: one of 1, 2, 3, 4, 5 expected."
    )
    plan.rubric.setCurrentIndex(0)
    assert plan._missing.isHidden()


def test_problems_stand_beside_the_column(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "odd.csv"
    file.write_text("id,answer,judge_tone,latency_ms\n1,a,3,fast\n2,b,2,7\n", encoding="utf-8")
    mapping = tmp_path / "kept.toml"
    mapping.write_text(
        '[fields]\nid = "id"\nresponse = "answer"\nlatency_ms = "latency_ms"\n', encoding="utf-8"
    )
    drop(window, file)
    dialog = shown(qtbot, window)
    dialog.plan.mapping_file.use(str(mapping))
    row = next(x for x in dialog.plan.editor._rows if x.column == "latency_ms")
    qtbot.waitUntil(lambda: bool(row.problem.text()), timeout=10_000)
    assert row.problem.text() == "'fast': latency_ms: a number is expected"


def test_a_column_of_people_and_judges_is_divided(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "both.csv"
    rows = [f"{n},Is it?,It is.,{who},{n}" for n in range(1, 6) for who in ("gpt-4o", "ann", "bo")]
    file.write_text("\n".join(["id,question,answer,annotator,tone", *rows]), encoding="utf-8")
    drop(window, file)
    dialog = shown(qtbot, window)
    card = dialog.plan.question
    # a name stays as it is spelled
    assert "Of judges: gpt-4o; of people: all others" in [
        x.text() for x in card.findChildren(QRadioButton)
    ]
    card.choose("annotator=each")
    card.go_on.click()
    looked(qtbot, dialog)
    assert card._words.text() == "Did those whom annotator names give tone: 1, 2, 3, 4?"
    card.choose("tone=people")
    card.go_on.click()
    qtbot.waitUntil(dialog.start.isEnabled, timeout=10_000)
    assert [x.words for x in dialog.plan.records._previews[0].opinions] == [
        "auto score (gpt-4o)", "label by ann", "label by bo",
    ]  # fmt: skip
