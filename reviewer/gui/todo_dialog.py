"""What the rubric leaves unclear: the cases that leads collected, ticked off one by one."""

from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog
from reviewer.services.adjudicating import decisions
from reviewer.services.adjudicating.decisions import TodoItem
from reviewer.services.project.session import Session

NOTHING = (
    "Nothing is collected yet. On Audit, give a disagreement the cause “rubric unclear” and note "
    "what the rubric does not say; it is listed here by metric and level."
)


class TodoDialog(ProjectDialog):
    """The list, with a tick for what is dealt with.

    Signals:
        open_requested: An evaluation is to be shown, by its key.
        failed: An expected error, as a sentence.
        noted: A passing line.
    """

    open_requested = Signal(int)
    failed = Signal(str)
    noted = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        """Show a project's list."""
        super().__init__(parent, "Rubric to-do", once=False)
        fit(self, 640, 520)
        self._session = session
        self._items: tuple[TodoItem, ...] = ()
        self.boxes: dict[tuple[int, str], QCheckBox] = {}
        self.count = pieces.text("", "strong")
        holder = pieces.dressed(QWidget(), kind="scrolled")
        self._lines = QVBoxLayout(holder)
        area = pieces.named(
            QScrollArea(widgetResizable=True), "Cases that the rubric does not settle"
        )
        area.setWidget(holder)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.copy = pieces.Button("Copy as Markdown", self._copy, dense=True)
        self.export = pieces.Button("Export…", self._export, dense=True)
        layouts.column(
            self.count,
            (area, 1),
            layouts.row(
                self.copy, self.export, 1, pieces.Button("Close", self.close, kind="primary")
            ),
            on=self,
        )
        self.refresh()

    def refresh(self) -> None:
        """Read the list again."""
        self._items = decisions.rubric_todo(self._session)
        left = sum(1 for item in self._items if not item.done)
        self.count.setText(f"{left:,} open, {len(self._items) - left:,} dealt with")
        pieces.enable(self.copy, self.export, able=bool(self._items))
        self.boxes = {}
        pieces.clear(self._lines)
        if not self._items:
            self._lines.addWidget(pieces.text(NOTHING, "muted", wrap=True))
        for done, items in groupby(self._items, key=lambda item: item.done):
            if done:
                layouts.fill(self._lines, pieces.line(), pieces.text("Dealt with", "small"))
            for (heading, level), some in groupby(items, key=lambda x: (x.heading, x.level)):
                self._lines.addWidget(
                    pieces.text(f"{heading} · {level}" if level else heading, "heading")
                )
                for item in some:
                    self._add(item)
        self._lines.addStretch(1)

    def _add(self, item: TodoItem) -> None:
        box = pieces.named(QCheckBox(), f"Dealt with: {one_line(item.id, 60)}")
        box.setChecked(item.done)
        box.toggled.connect(lambda done: self._tick(item, done=done))
        self.boxes[item.evaluation, item.metric] = box
        row = layouts.row(box)
        words = layouts.column(
            pieces.ElidedText(f"{one_line(item.id, 40)}  {one_line(item.title)}"), gap=0
        )
        if item.note:
            words.addWidget(pieces.text(one_line(item.note, 500), "muted", wrap=True))
        name = f"Open {one_line(item.id, 40)}"
        layouts.fill(
            row,
            (words, 1),
            pieces.Button("Open", lambda: self._open(item), kind="link", name=name),
        )
        self._lines.addLayout(row)

    def _open(self, item: TodoItem) -> None:
        self.open_requested.emit(item.evaluation)
        self.close()

    def _tick(self, item: TodoItem, *, done: bool) -> None:
        with telling(self.failed.emit):
            decisions.set_done(self._session, item, done=done)
        self.refresh()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(decisions.to_markdown(self._items))
        self.noted.emit("The rubric to-do list is on the clipboard as Markdown.")

    def _export(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Export the rubric to-do list", "rubric-todo.md", "Markdown (*.md)"
        )
        if path:
            with telling(self.failed.emit):
                self.noted.emit(decisions.export(self._items, path))
