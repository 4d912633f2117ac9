"""The Reports page: reports and packets, and exports in any form, previewed and written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QStackedWidget,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.change import Change, MonitorsChanged
from reviewer.domain.errors import Progress
from reviewer.domain.wording import counted, score_words
from reviewer.gui.actions import COMMANDS, bind
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.kit.tables import RowsModel, table_view
from reviewer.gui.kit.tasks import Refresher
from reviewer.gui.page import ProjectPage, ProjectSurroundings
from reviewer.gui.places import folder_of_files
from reviewer.gui.reports.choices_card import UNITS, ChoicesCard
from reviewer.gui.reports.export_card import ExportCard
from reviewer.gui.reports.preview_card import PREVIEW, PreviewCard
from reviewer.gui.reports.recipes_card import RecipesCard
from reviewer.gui.reports.report_card import REPORT, ReportCard, ReportMaker
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import ScopeChoices
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, previewing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.exporting import Exported
from reviewer.services.transfer.previewing import Preview

LOOK, COUNT, EXPORT = "preview", "count rows", "export"
SETTLE_MS = 500
REPORTS, EXPORTS = 0, 1
"""The places of the two previews."""
_HORIZONTAL = Qt.Orientation.Horizontal
_NARROW = frozenset({"run", "id", "case", "category", "metric", "labeler", "auto", "human", "gap"})


@dataclass(frozen=True, slots=True)
class _Look:
    choices: ScopeChoices
    preview: Preview


def _look(session: Session, request: ExportRequest) -> _Look:
    return _Look(auditing.scope_choices(session), previewing.preview_unseen(session, request))


class ReportsPage(ProjectPage):
    """Choices and recipes on the left; previews, progress and the written file on the right.

    A running export is stopped when the project closes, and leaves nothing.
    """

    ends = (LOOK, COUNT, EXPORT, REPORT, PREVIEW)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the page without a preview."""
        super().__init__(surroundings)
        self._total: int | None = None
        self._refresher = Refresher(self, self.look, SETTLE_MS)
        self.choices = ChoicesCard(self.theme)
        self.report = ReportCard(self.theme)
        surroundings.choices.bring((*self.choices.fields, *self.report.fields))
        self.rows = RowsModel()
        self.table = table_view(self.rows, "Preview of the export")
        self.export_card = ExportCard(self.theme)
        self.maker = ReportMaker(surroundings, self.report, self.export_card)
        self.recipes = RecipesCard(self.theme, self.session)
        self.preview = PreviewCard(surroundings)
        self.tabs = SectionRow(("Report", "Export"))
        self.previews = QStackedWidget()
        self.count = pieces.text("", "muted")
        self.notice = pieces.text("", "small", wrap=True)
        self.empty = pieces.text("", "muted", wrap=True)
        self.start = pieces.Button("Export…", self.ask_where, kind="primary", key="Ctrl+E")
        card = pieces.Card("Preview")
        card.head.addWidget(self.count)
        for widget in (self.notice, self.empty):
            card.body.addWidget(widget)
            widget.hide()
        layouts.fill(card.body, (self.table, 1), layouts.row(1, self.start))
        self._lay_out(card)
        pieces.connect(
            (self.choices.changed, self._look_at_export),
            (self.report.changed, self._look_at_report),
            (
                self.report.recipe_requested,
                lambda: self.recipes.ask_keep(self.report.suffix, self.report.request()),
            ),
            (self.recipes.run_requested, self.maker.ask_again),
            (self.recipes.noted, self.noted),
            (self.preview.failed, self.failed),
            (self.tabs.chosen, self.previews.setCurrentIndex),
            (self.export_card.cancel_requested, self._cancel),
            (self.maker.noted, self.noted),
            (self.theme.changed, self._measure),
        )
        bind(self, COMMANDS["reports.export"], self.ask_where)
        bind(self, COMMANDS["reports.make"], self.report.report_requested.emit)
        bind(self, COMMANDS["reports.packet"], self.report.packet_requested.emit)

    def _lay_out(self, exports: QWidget) -> None:
        gap = pieces.GAP
        left = QWidget()
        layouts.column(self.report, self.recipes, self.choices, 1, on=left, margins=0, gap=gap)
        for preview in (self.preview, exports):
            self.previews.addWidget(preview)
        right = layouts.column(self.tabs, (self.previews, 1), self.export_card, gap=gap)
        layouts.row(
            (ScrolledColumn(left, "What is made"), 24),
            (right, 76),
            on=self,
            margins=gap,
            gap=gap,
        )

    @override
    def begin(self) -> None:
        """Preview report and export."""
        self.look()
        self._show_report()

    @override
    def follow(self, change: Change) -> None:
        """Preview anew, soon."""
        if not isinstance(change, MonitorsChanged):
            self._refresher.wish()
            self.preview.renew()

    @override
    def close_session(self) -> None:
        """Keep what was chosen."""
        super().close_session()
        self.surroundings.choices.keep((*self.choices.fields, *self.report.fields))

    @override
    def panes(self) -> list[QWidget]:
        """Give choices, preview and the written file."""
        return [self.report, self.recipes, self.choices, self.previews, self.export_card]

    def _look_at_export(self) -> None:
        self.tabs.choose(EXPORTS)
        self.look()

    def _look_at_report(self) -> None:
        self.tabs.choose(REPORTS)
        self._show_report()

    def _show_report(self) -> None:
        self.preview.show_request(self.report.suffix, self.report.request())

    def look(self) -> None:
        """Read the preview and count the rows, beside the window."""
        request = self.choices.request()
        self._total = None
        self._show_count()
        tasks = self.surroundings.tasks
        tasks.run(
            LOOK,
            beside(self.session, lambda own, _: _look(own, request)),
            then=self._show_preview,
            failed=self._show_failure,
        )
        tasks.run(
            COUNT,
            beside(
                self.session,
                lambda own, progress: exporting.count(own.project, request, progress),
            ),
            then=self._take_count,
        )

    def ask_where(self) -> None:
        """Ask for the file to write."""
        path, suffix = self.session.project.path, self.choices.suffix
        what = f"{path.stem}-{self.choices.what}{suffix}"
        dialog = QFileDialog(
            self,
            "Export",
            str(folder_of_files(path.parent) / what),
            f"{self.choices.format.title} (*{suffix})" if suffix else self.choices.format.title,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix=suffix.lstrip("."),
        )
        dialog.fileSelected.connect(lambda path: self.export(Path(path)))
        dialog.open()

    def export(self, to: Path) -> None:
        """Write the export to a file in the background."""
        request = self.choices.request()
        total = self._total
        self.export_card.begin(to, UNITS[request.what])
        self.start.setEnabled(False)

        def work(own: Session, progress: Progress) -> Exported:
            return exporting.export(own.project, to, request, progress)

        task = self.surroundings.tasks.run(
            EXPORT,
            beside(self.session, work),
            then=self._finish,
            failed=self.export_card.stop,
            loss=f"the export to {to.name}",
        )
        pieces.connect(
            (
                task.progressed,
                lambda done, known, _: self.export_card.advance(done, known or total),
            ),
            (
                task.cancelled,
                lambda: self.export_card.stop(
                    f"The export was stopped; {to.name} was not written."
                ),
            ),
            (task.ended, self._let_start),
        )

    def _show_preview(self, found: _Look) -> None:
        self.choices.show_choices(found.choices)
        self.report.show_choices(found.choices)
        preview = found.preview
        self.rows.show_rows(preview.columns, [shown_row(row) for row in preview.rows])
        self._measure()
        self.table.setVisible(bool(preview.rows))
        self.empty.setVisible(not preview.rows)
        self.empty.setText(
            "Nothing to show yet: all of it is hidden until you have scored it."
            if preview.left_out
            else "Nothing fits these choices."
        )
        many = counted(preview.left_out, "row is", "rows are")
        self.notice.setText(
            f"{many} left out here until you have scored them yourself; the file holds them."
        )
        self.notice.setVisible(bool(preview.left_out))
        self._show_count()

    def _show_failure(self, sentence: str) -> None:
        self.rows.show_rows((), ())
        self.table.setVisible(False)
        self.empty.setText(sentence)
        self.empty.setVisible(True)

    def _take_count(self, total: int) -> None:
        self._total = total
        self.start.setEnabled(total > 0)
        self._show_count()

    def _show_count(self) -> None:
        shown = self.rows.rowCount()
        if self._total is None:
            self.count.setText("counting…")
            return
        unit = UNITS[self.choices.what]
        first = f"the first {shown:,} of " if 0 < shown < self._total else ""
        self.count.setText(f"{first}{self._total:,} {unit}")
        self.status_changed.emit(f"{self._total:,} {unit} to export")

    def _cancel(self) -> None:
        for kind in (EXPORT, REPORT):
            self.surroundings.tasks.cancel(kind)

    def _let_start(self) -> None:
        self.start.setEnabled(True)

    def _finish(self, found: Exported) -> None:
        self.export_card.finish(found)
        beside = counted(found.files, "picture or file", "pictures and files")
        more = f" with {beside} beside it" if found.files else ""
        told = (f"Exported {counted(found.rows, 'row')} to {found.file.name}{more}.",)
        self.noted.emit(" ".join((*told, *found.sentences)))

    def _measure(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(self.theme.px(25))
        for place in range(self.rows.columnCount()):
            title = str(self.rows.headerData(place, _HORIZONTAL))
            self.table.setColumnWidth(place, self.theme.px(96 if title in _NARROW else 190))


MOST = 6
_COUNTED = {"messages": "turn", "candidates": "candidate", "sources": "source", "marks": "mark"}


def shown_row(row: Mapping[str, Any]) -> dict[str, object]:
    """Write the long values of a row so that they can be read at a glance."""
    return {name: shown_value(name, value) for name, value in row.items()}


def shown_value(name: str, value: object) -> object:
    """Write lists, scores and labels in words; everything else stays as it is."""
    if name in _COUNTED and isinstance(value, list | tuple):
        return counted(len(value), _COUNTED[name])
    if name in ("scores", "labels") and isinstance(value, list | tuple):
        return _several([_entry(entry) for entry in value if isinstance(entry, Mapping)])
    if name == "labels" and isinstance(value, Mapping):
        return _several([f"{person} {score_words(given)}" for person, given in value.items()])
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return ", ".join(value)
    if isinstance(value, float):
        return score_words(value, 3)
    return value


def _entry(entry: Mapping[str, Any]) -> str:
    said = entry.get("kind") if entry.get("value") is None else score_words(entry["value"])
    person = f" ({entry['labeler']})" if "labeler" in entry else ""
    return f"{entry.get('metric')} {said or 'failed'}{person}"


def _several(words: list[str]) -> str:
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(words[:MOST]) + more
