"""The dialog in which a rubric is edited, compared by version, exchanged as a file, and kept."""

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QSplitter,
    QTabWidget,
    QTextEdit,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.change import RubricChanged
from reviewer.domain.errors import ReviewerError, refusal
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import counted
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.theme import Theme
from reviewer.gui.kit.word_diff import diff_markup, word_diff
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.gui.places import keep_sharing
from reviewer.gui.rubric.draft import Draft, new_metric
from reviewer.gui.rubric.keys_table import KeyColumn, KeysTable, Verbs
from reviewer.gui.rubric.metric_form import TOOLS, MetricForm, OverallForm, new_tool
from reviewer.gui.rubric.ready_button import ReadyButton
from reviewer.gui.todo_dialog import TodoDialog
from reviewer.services.project import key_notice, rubrics
from reviewer.services.project.session import Session

METRICS = (
    KeyColumn("title", "Metric"),
    KeyColumn("scale", "Scale", 70, fixed=True),
    KeyColumn("weight", "Weight", 56, number=True),
    KeyColumn("pass_at", "Pass at", 62, number=True, optional=True),
    KeyColumn("family", "Family", 64, optional=True),
)
READ_ONLY = "The project is read-only here: you can look, but keep no new version."


class RubricEditor(ProjectDialog):
    """A rubric's metrics, overall rules, tools and versions.

    Signals:
        kept: A new version was kept, with the rubric.
    """

    kept = Signal(object)

    def __init__(
        self,
        surroundings: Surroundings,
        session: Session,
        rubric: Rubric,
        parent: QWidget | None = None,
    ) -> None:
        """Make the dialog on a rubric of the project."""
        super().__init__(parent, f"Rubric {rubric.name}")
        self._theme = theme = surroundings.theme
        self._settings = surroundings.settings
        self._session = session
        self.draft = Draft(rubric)
        self._leaving = False
        fit(self, theme.px(1080), theme.px(680))
        self.metrics = KeysTable(theme, METRICS, Verbs("metric", new_metric))
        self.ready = ReadyButton(lambda: self.draft.names)
        self.form = MetricForm(theme)
        self.overall = OverallForm(theme)
        self.tools = KeysTable(theme, TOOLS, Verbs("tool", new_tool))
        self.versions = VersionsView(theme)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setCornerWidget(self.ready)
        self.problem = pieces.text("", "alert", wrap=True, name="What has to be mended")
        self.save = pieces.Button("Keep", self.keep, kind="primary")
        self._title = pieces.text("", "title")
        self.leave = LeaveBar()
        self.leave.discard_requested.connect(self._discard)
        layouts.column(
            self._head(), (self.tabs, 1), self.leave, self._foot(),
            on=self, margins=theme.px(16), gap=theme.px(10),
        )  # fmt: skip
        self._add_tabs()
        pieces.connect(
            (self.metrics.row_chosen, self._show_metric),
            (self.metrics.edited, self._take_table),
            (self.ready.ticked, self._tick),
            (self.form.edited, self.metrics.model.refresh),
            (self.form.edited, self._check),
            (self.overall.edited, self._check),
            (self.tools.edited, self._check),
            (self.versions.return_requested, self.go_back_to),
            (self.tabs.currentChanged, lambda _: self._show_versions()),
        )
        self._show_draft()
        self.metrics.view.setFocus()

    def keep(self) -> None:
        """Keep what was edited as a new version of the project's rubric."""
        with telling(self._say):
            made = self.draft.rubric()
            key_notice.point_out(self._session, rubrics.to_toml(made), "The rubric")
            rubric = rubrics.save_version(self._session.project, made)
            self.draft = Draft(rubric)
            self._session.publish(RubricChanged(rubric.name))
            self._show_draft()
            self.kept.emit(rubric)

    def go_back_to(self, version: Rubric) -> None:
        """Take metrics and rules from an older version, to be kept as the newest one."""
        self.draft.replace(version)
        self._show_draft()

    def import_toml(self, path: str) -> None:
        """Take metrics and rules from a rubric file; name and version stay."""
        with telling(self._say):
            self.draft.replace(rubrics.load(Path(path)))
            self._show_draft()

    def export_toml(self, path: str) -> None:
        """Write what is being edited to a rubric file."""
        try:
            text = rubrics.to_toml(self.draft.rubric())
            Path(path).write_text(text, encoding="utf-8")
        except ReviewerError as error:
            self._say(str(error))
        except OSError as error:
            reason = refusal(error)
            self._say(f"The rubric could not be written to {path}: {reason}.")

    def _head(self) -> QHBoxLayout:
        row = layouts.row(self._title, 1)
        name = self.draft.kept.name
        for title, ask in (
            ("To-do list…", self.show_todo),
            ("Import TOML…", lambda: ask_import(self, self.import_toml)),
            ("Export TOML…", lambda: ask_export(self, name, self.export_toml)),
        ):
            row.addWidget(pieces.Button(title, ask, dense=True))
        return row

    def show_todo(self) -> None:
        """Show what leads found unclear in the rubric."""
        dialog = TodoDialog(self._session, self)
        dialog.failed.connect(self._say)
        dialog.show()

    def _foot(self) -> QHBoxLayout:
        return layouts.row((self.problem, 1), pieces.Button("Close", self.close), self.save)

    def _add_tabs(self) -> None:
        split = QSplitter()
        for part in (self.metrics, self.form):
            card = pieces.Card(margin=10)
            card.body.addWidget(part)
            split.addWidget(card)
        split.setSizes([self._theme.px(450), self._theme.px(590)])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(self._theme.px(12))
        split.setStyleSheet("QSplitter::handle { background: transparent; }")
        keep_sharing(split, self._settings, "rubric")
        for widget, title in (
            (split, "Metrics"),
            (self.overall, "Overall and grades"),
            (self.tools, "Tools"),
            (self.versions, "Versions"),
        ):
            widget.setContentsMargins(0, self._theme.px(8), 0, 0)
            self.tabs.addTab(widget, title)

    def _tick(self, metric: Metric, on: bool) -> None:  # noqa: FBT001 - as the signal has it
        self.draft.tick(metric, on=on)
        self.metrics.show_rows(self.draft.metrics, len(self.draft.metrics) - 1)
        self._take_table()

    def _show_draft(self) -> None:
        kept = self.draft.kept
        self._title.setText(f"{kept.name} · version {kept.version}")
        self.leave.hide()
        self.metrics.show_rows(self.draft.metrics, max(self.metrics.place, 0))
        self.overall.show_draft(self.draft)
        self.tools.show_rows(self.draft.rows("tools"))
        self._show_metric(self.metrics.place)
        self._show_versions()
        self._check()

    def _show_metric(self, place: int) -> None:
        self.form.setEnabled(place >= 0)
        if 0 <= place < len(self.draft.metrics):
            self.form.show_metric(self.draft.metrics[place])

    def _take_table(self) -> None:
        self._show_metric(self.metrics.place)
        self._check()

    def _check(self) -> None:
        changed = self.draft.is_changed()
        problem = self.form.parameters_problem or self.draft.problem()
        writable = not self._session.project.read_only
        self._say(problem or ("" if writable else READ_ONLY) or self.draft.consequence())
        pieces.set_property(self.problem, "role", "alert" if problem else "muted")
        self.save.setEnabled(changed and not problem and writable)
        self.save.setText("Keep as a new version" if changed else "Nothing to keep")

    def _say(self, sentence: str) -> None:
        self.problem.setText(sentence)
        pieces.set_property(self.problem, "role", "alert")

    def _show_versions(self) -> None:
        if self.tabs.currentWidget() is not self.versions:
            return
        kept = rubrics.versions(self._session.project, self.draft.kept.name)
        draft = None
        if self.draft.is_changed() and not self.draft.problem():
            draft = self.draft.rubric()
        self.versions.show_versions(kept, draft)

    def _discard(self) -> None:
        self._leaving = True
        self.close()

    @override
    def reject(self) -> None:
        """Close on Escape as the button does."""
        self.close()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask once, inside the dialog, where changes would be lost."""
        if self.draft.is_changed() and not self._leaving:
            self.leave.show()
            event.ignore()
            return
        event.accept()


TOML = "Rubrics (*.toml);;All files (*)"


def ask_import(parent: QWidget, then: Callable[[str], object]) -> None:
    """Ask for a rubric file to read."""
    dialog = QFileDialog(
        parent, "Import a rubric", "", TOML, fileMode=QFileDialog.FileMode.ExistingFile
    )
    dialog.fileSelected.connect(then)
    dialog.open()


def ask_export(parent: QWidget, name: str, then: Callable[[str], object]) -> None:
    """Ask for a rubric file to write; `name` is proposed."""
    dialog = QFileDialog(
        parent,
        "Export the rubric",
        f"{name}.toml",
        TOML,
        acceptMode=QFileDialog.AcceptMode.AcceptSave,
        defaultSuffix="toml",
    )
    dialog.fileSelected.connect(then)
    dialog.open()


class LeaveBar(pieces.Card):
    """Says that changes are not kept, where someone is about to lose them.

    Signals:
        discard_requested: The changes may go.
    """

    discard_requested = Signal()

    def __init__(self) -> None:
        """Make the bar, hidden."""
        super().__init__(margin=8)
        self.setAccessibleName("Changes that are not kept")
        self.discard = pieces.Button("Discard them", self.discard_requested.emit, dense=True)
        self.body.addLayout(
            layouts.row(
                pieces.text("Your changes are not kept yet.", "human"),
                1,
                self.discard,
                pieces.Button("Go on editing", self.hide, dense=True),
            )
        )
        self.hide()


AROUND = 2
"""Unchanged lines shown before and after a change."""

Piece = tuple[str, str]


def compare(old: str, new: str) -> list[list[Piece]]:
    """Give each place where two texts differ, with the lines around it, compared by words."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    places = []
    for group in matcher.get_grouped_opcodes(AROUND):
        pieces_of_place: list[Piece] = []
        for how, a, b, c, d in group:
            if how == "equal":
                pieces_of_place.append(("same", "".join(after[c:d])))
            else:
                pieces_of_place += word_diff("".join(before[a:b]), "".join(after[c:d]))
        places.append(pieces_of_place)
    return places


class VersionsView(QWidget):
    """Two versions to choose, the draft among them, and their differences.

    Signals:
        return_requested: To go on from a kept version, with its rubric.
    """

    return_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        """Make the view without versions."""
        super().__init__()
        self._theme = theme
        self._versions: tuple[tuple[str, Rubric], ...] = ()
        self.older, self.newer = ChoiceBox(), ChoiceBox()
        self.older.setAccessibleName("Compare this version")
        self.newer.setAccessibleName("with this version")
        self.text = pieces.dressed(
            pieces.named(QTextEdit(readOnly=True, tabChangesFocus=True), "Differences"),
            role="mono",
        )
        self._count = pieces.text("", "small")
        self.back = pieces.Button(
            "Go back",
            lambda: self.return_requested.emit(self._versions[self.older.currentIndex()][1]),
            dense=True,
        )
        layouts.column(
            layouts.row(
                pieces.text("From", "muted"),
                self.older,
                pieces.text("to", "muted"),
                self.newer,
                self._count,
                1,
                self.back,
            ),
            (self.text, 1),
            on=self,
            margins=(0, theme.px(10), 0, 0),
        )
        for combo in (self.older, self.newer):
            combo.currentIndexChanged.connect(lambda _: self._compare())
        theme.changed.connect(self._compare)

    def show_versions(self, kept: Sequence[Rubric], draft: Rubric | None) -> None:
        """Offer the kept versions, newest first, and before them the draft where it is sound."""
        named = [(f"version {rubric.version}", rubric) for rubric in kept]
        if draft is not None:
            named.insert(0, ("what you are editing", draft))
        self._versions = tuple(named)
        blockers = [QSignalBlocker(self.older), QSignalBlocker(self.newer)]
        for combo, place in ((self.newer, 0), (self.older, min(1, len(named) - 1))):
            combo.clear()
            combo.addItems([name for name, _ in named])
            combo.setCurrentIndex(place)
        for blocker in blockers:
            blocker.unblock()
        self._compare()

    def _compare(self) -> None:
        places = self.older.currentIndex(), self.newer.currentIndex()
        if min(places) < 0 or max(places) >= len(self._versions):
            return
        name, older = self._versions[places[0]]
        former = older is not self._versions[0][1]
        self.back.setText(f"Go back to {name}" if former else "Go back")
        self.back.setEnabled(former)
        old, new = (rubrics.to_toml(self._versions[place][1]) for place in places)
        found = compare(old, new)
        many = counted(len(found), "place differs", "places differ")
        self._count.setText(many if found else "")
        colours = self._theme.colours
        gap = f'<p style="color:{colours.muted}">⋯</p>'
        markup = gap.join(diff_markup(one, colours) for one in found)
        shown = markup or f'<span style="color:{colours.muted}">Nothing differs.</span>'
        self.text.setHtml(f'<div style="white-space: pre-wrap">{shown}</div>')
