"""The rubric editor through its real widgets: edit, check, keep, compare, import, export."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.change import Change, RubricChanged
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.window import MainWindow
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session


@pytest.fixture
def session(project: Path) -> Iterator[Session]:
    with closing(Session.open(project, "ann")) as opened:
        yield opened


@pytest.fixture
def editor(qtbot: QtBot, session: Session, window: MainWindow) -> RubricEditor:
    made = RubricEditor(window.surroundings, session, session.current_rubric())
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    made.show()
    return made


def type_over(editor: RubricEditor, field: str, words: str) -> None:
    line = editor.form.fields[field]
    line.selectAll()
    QTest.keyClicks(line, words) if words else line.clear()


def test_nothing_changed_is_nothing_to_keep(editor: RubricEditor) -> None:
    assert not editor.save.isEnabled()
    assert editor.save.text() == "Nothing to keep"


def test_a_change_is_kept_as_a_new_version_and_published(
    editor: RubricEditor, session: Session
) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    type_over(editor, "weight", "2")
    assert editor.save.isEnabled()
    QTest.mouseClick(editor.save, Qt.MouseButton.LeftButton)
    assert told == [RubricChanged("guest")]
    kept = rubrics.versions(session.project, "guest")
    assert [str(rubric.version) for rubric in kept] == ["2", "1"]
    assert kept[0].metrics[0].weight == 2
    assert session.current_rubric() == kept[0]
    assert not editor.save.isEnabled()


def test_what_is_wrong_is_said_at_once_and_cannot_be_kept(editor: RubricEditor) -> None:
    type_over(editor, "pass_at", "77")
    assert "lies outside its scale" in editor.problem.text()
    assert not editor.save.isEnabled()
    type_over(editor, "pass_at", "4")
    assert editor.problem.text() == ""
    assert editor.save.isEnabled()


def test_another_row_shows_another_metric(editor: RubricEditor) -> None:
    editor.metrics.choose(1)
    assert editor.form.fields["name"].text() == "accuracy"
    assert len(editor.form.levels.model.rows) == 5


def test_a_removed_metric_is_announced(editor: RubricEditor) -> None:
    editor.metrics.choose(2)
    QTest.mouseClick(editor.metrics.remove_button, Qt.MouseButton.LeftButton)
    assert "Labels of Safety stay in the project" in editor.problem.text()
    assert editor.save.isEnabled()


def test_a_changed_scale_is_announced(editor: RubricEditor) -> None:
    editor.form.levels.choose(0)
    QTest.mouseClick(editor.form.levels.remove_button, Qt.MouseButton.LeftButton)
    assert "The scale of Relevance changes" in editor.problem.text()


def test_a_range_gets_its_ends(editor: RubricEditor) -> None:
    editor.form.scale.setCurrentIndex(editor.form.scale.findData("range"))
    assert editor.form.fields["min"].isVisible()
    metric = editor.draft.metrics[0]
    assert (metric["min"], metric["max"]) == (0, 1)


def test_parameters_are_lines_of_toml(editor: RubricEditor) -> None:
    editor.form.parameters.setPlainText("threshold = 0.8\nwords = [1, 2]")
    assert editor.draft.rubric().metrics[0].parameters == {"threshold": 0.8, "words": [1, 2]}
    editor.form.parameters.setPlainText("threshold =")
    assert "are no TOML" in editor.problem.text()
    assert not editor.save.isEnabled()


def test_pass_rule_and_grades_are_edited(editor: RubricEditor) -> None:
    editor.overall.pass_rule.setCurrentIndex(editor.overall.pass_rule.findData("overall"))
    assert "needs pass_at" in editor.problem.text()
    QTest.keyClicks(editor.overall.pass_at, "3.5")
    assert editor.overall.preset.currentData() == "recommended"
    editor.overall.preset.setCurrentIndex(editor.overall.preset.findData("published"))
    QTest.mouseClick(editor.overall.grades.add_button, Qt.MouseButton.LeftButton)
    editor.overall.grades.model.setData(editor.overall.grades.model.index(0, 1), "Fine")
    made = editor.draft.rubric()
    assert (made.pass_rule, made.pass_at, made.grades[0].grade) == ("overall", 3.5, "Fine")
    assert made.preset == "published"


def test_a_rubric_goes_out_and_comes_back(editor: RubricEditor, tmp_path: Path) -> None:
    file = tmp_path / "out.toml"
    editor.export_toml(str(file))
    assert rubrics.load(file) == editor.draft.kept
    editor.import_toml(str(_harness(tmp_path)))
    assert [x["name"] for x in editor.draft.metrics] == [
        metric.name for metric in rubrics.shipped()["harness"].metrics
    ]
    assert editor.draft.kept.name == "guest"


def _harness(folder: Path) -> Path:
    file = folder / "harness.toml"
    file.write_text(rubrics.to_toml(rubrics.shipped()["harness"]), encoding="utf-8")
    return file


def test_a_bad_file_is_said_and_changes_nothing(editor: RubricEditor, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("name = ", encoding="utf-8")
    editor.import_toml(str(file))
    assert "bad.toml is no TOML" in editor.problem.text()
    assert not editor.draft.is_changed()


def test_versions_show_what_is_being_edited(editor: RubricEditor) -> None:
    type_over(editor, "weight", "7")
    editor.tabs.setCurrentWidget(editor.versions)
    assert editor.versions.newer.currentText() == "what you are editing"
    assert editor.versions.older.currentText() == "version 1"
    assert "weight = 7" in editor.versions.text.toPlainText()


def test_a_former_version_is_gone_back_to(editor: RubricEditor, session: Session) -> None:
    editor.tabs.setCurrentWidget(editor.versions)
    assert not editor.versions.back.isEnabled()
    type_over(editor, "weight", "7")
    editor.keep()
    assert editor.versions.back.text() == "Go back to version 1"
    QTest.mouseClick(editor.versions.back, Qt.MouseButton.LeftButton)
    assert editor.save.text() == "Keep as a new version"
    editor.keep()
    newest, second, first = rubrics.versions(session.project, "guest")
    assert second.metrics[0].weight == 7
    assert newest == replace(first, version=newest.version)
    assert session.current_rubric() == newest


def test_closing_asks_once_before_changes_are_lost(editor: RubricEditor) -> None:
    type_over(editor, "weight", "3")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible()
    assert editor.leave.isVisible()
    QTest.mouseClick(editor.leave.discard, Qt.MouseButton.LeftButton)
    assert not editor.isVisible()


def test_every_field_has_a_name_for_screen_readers(editor: RubricEditor) -> None:
    for field in [*editor.form.fields.values(), editor.form.scale, editor.overall.pass_at]:
        assert field.accessibleName()


def test_metrics_of_scorers_are_ticked(editor: RubricEditor) -> None:
    before = [row["name"] for row in editor.draft.metrics]
    acts = {act.text(): act for act in editor.ready.menu_now().actions()}
    assert not acts["NDCG at k"].isChecked()
    acts["NDCG at k"].trigger()
    assert [row["name"] for row in editor.draft.metrics] == [*before, "retrieval_ndcg"]
    assert editor.form.fields["scorer"].text() == "retrieval_ndcg"
    assert editor.form.parameters.toPlainText() == 'k = 5\ngain = "linear"'
    # the form says what the scorer can be told, each with an example
    assert "k = 5 \u2013 How many of the first ranks count" in editor.form.options.text()
    assert editor.save.isEnabled()
    again = {act.text(): act for act in editor.ready.menu_now().actions()}
    assert again["NDCG at k"].isChecked()
    again["NDCG at k"].trigger()
    assert [row["name"] for row in editor.draft.metrics] == before
    assert not editor.save.isEnabled()
