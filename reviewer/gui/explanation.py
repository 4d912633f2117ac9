"""The panel "how is this calculated?": each figure's formula with its numbers."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from reviewer.gui.figure_options import FigureOptions
from reviewer.gui.kit.fitting import fit
from reviewer.gui.kit.pieces import Button, text
from reviewer.gui.kit.theme import Theme
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.services.explaining.explanations_words import Step

WIDTH, HEIGHT = 600, 620


class ExplanationDialog(ProjectDialog):
    """A window beside the work: labelling goes on while it is open."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make an empty panel."""
        super().__init__(parent)
        self._theme = theme
        self.setModal(False)
        self.setWindowTitle("How is this calculated?")
        fit(self, theme.px(WIDTH), theme.px(HEIGHT))
        self.heading = text("", "heading")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setAccessibleName("Explanation")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(20), theme.px(16), theme.px(20), theme.px(16))
        column.addWidget(self.heading)
        column.addWidget(self._area, 1)
        self.options: FigureOptions | None = None
        column.addWidget(Button("Close", self.close), 0, Qt.AlignmentFlag.AlignTrailing)

    def offer_options(self, presets: tuple[str, ...]) -> FigureOptions:
        """Let preset and options be chosen below the steps."""
        if self.options is None:
            self.options = FigureOptions(self._theme, presets)
            layout = self.layout()
            if isinstance(layout, QVBoxLayout):
                layout.insertWidget(2, self.options)
        return self.options

    def show_steps(self, title: str, steps: Sequence[Step]) -> None:
        """Show the steps of a metric's figures."""
        self.heading.setText(title)
        content = QWidget()
        content.setProperty("kind", "scrolled")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, self._theme.px(8), 0)
        column.setSpacing(self._theme.px(2))
        for step in steps:
            if step.title:
                column.addWidget(text(step.title, "strong"))
            lines = [(step.formula, ""), (step.text, "muted")]
            shown = [text(words, role, wrap=True) for words, role in lines if words]
            for line in shown:
                line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                column.addWidget(line)
            shown[-1].setContentsMargins(0, 0, 0, self._theme.px(8))
        column.addStretch(1)
        self._area.setWidget(content)
