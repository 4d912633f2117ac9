"""The prompts of a rubric's metrics, one at a time, with room to try them."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget
from typing_extensions import override

from reviewer.domain.rubric import Rubric
from reviewer.gui.judges.prompt_editor import PromptEditor
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import choice
from reviewer.gui.page import Surroundings
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.services.jobs import offered
from reviewer.services.project.session import Session

UNKEPT = "The prompt is not kept. Close again to leave it."


class PromptDialog(ProjectDialog):
    """Metric and judge to choose, and the large editor.

    Signals:
        kept: A new version was kept, as a `Prompt`.
    """

    kept = Signal(object)

    def __init__(
        self,
        surroundings: Surroundings,
        session: Session,
        rubric: Rubric,
        parent: QWidget | None = None,
    ) -> None:
        """Show the prompts of a rubric."""
        super().__init__(parent, f"Prompts of {rubric.name}")
        self._session, self._rubric = session, rubric
        self._leaving = False
        px = surroundings.theme.px
        fit(self, px(1180), px(720))
        self.which, self.judge = choice("Metric"), choice("Judge")
        for metric in rubric.labelled_metrics:
            self.which.addItem(metric.heading, metric.name)
        self.judge.addItem("no judge", "")
        for one in offered.judges(session):
            self.judge.addItem(one.title if one.package else one.judge.name, one.judge.name)
        self.judge.setCurrentIndex(1 if self.judge.count() > 1 else 0)
        self.editor = PromptEditor(surroundings, compact=False)
        self.editor.kept.connect(self.kept)
        self.said = pieces.text("", "notice", wrap=True)
        head, foot = QHBoxLayout(), QHBoxLayout()
        for words, combo in (("Metric", self.which), ("Judge", self.judge)):
            layouts.fill(head, pieces.text(words, "muted"), combo)
            combo.currentIndexChanged.connect(lambda _: self._show())
        head.addStretch(1)
        layouts.fill(foot, (self.said, 1), pieces.Button("Close", self.close, kind="primary"))
        card = pieces.Card()
        card.body.addWidget(self.editor, 1)
        layouts.column(head, (card, 1), foot, on=self, margins=px(14), gap=px(10))
        self._show()

    def choose(self, metric: str, judge: str = "") -> None:
        """Show a metric's prompt, tried with a judge."""
        self.judge.setCurrentIndex(max(self.judge.findData(judge), 0))
        self.which.setCurrentIndex(max(self.which.findData(metric), 0))

    def _show(self) -> None:
        metric = str(self.which.currentData() or "")
        if not metric:
            return
        if self.editor.is_changed and metric != self.editor.metric_name:
            with pieces.quiet(self.which):
                self.which.setCurrentIndex(self.which.findData(self.editor.metric_name))
            self.said.setText("Keep or revert the prompt first.")
            return
        self.said.setText("")
        self.editor.show_prompt(
            self._session, self._rubric, metric, judge=str(self.judge.currentData() or "")
        )

    @override
    def let_go(self) -> None:
        """Close with the project; what was not kept goes with it."""
        self.editor.forget()
        super().let_go()

    @override
    def reject(self) -> None:
        """Close on Escape as the button does."""
        self.close()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask once, inside the dialog, where what was written would be lost."""
        if self.editor.is_changed and not self._leaving:
            self._leaving = True
            self.said.setText(UNKEPT)
            event.ignore()
            return
        self.editor.forget()
        event.accept()
