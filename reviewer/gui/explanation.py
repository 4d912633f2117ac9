"""The panel "how is this calculated?": each formula with its numbers, the preset and options."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QScrollArea, QVBoxLayout, QWidget

from reviewer.gui.kit import layouts
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.pieces import Button, dressed, named, say, text
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.services.explaining.explanations_words import Step

EXAMPLE = "options that differ, such as min_records=50, clip=display"
TIP = (
    "The options of the preset, each as NAME=VALUE, divided by commas. They hold for everybody "
    "who opens this project: on the Review page, the Audit page and in reviewer stats."
)


class FigureOptions(QWidget):
    """One line: preset, options, apply; a sentence below where an option does not fit.

    An empty preset stands for that of the rubric.

    Signals:
        changed: Figures are to be computed so, by preset and options as written.
    """

    changed = Signal(str, str)

    def __init__(self, theme: Theme, presets: tuple[str, ...]) -> None:
        """Make the line for presets to choose from."""
        super().__init__()
        self.preset = choice("Preset")
        for name in presets:
            self.preset.addItem(name, name)
        self.options = named(
            QLineEdit(placeholderText=EXAMPLE), "Options that differ from the preset", tip=TIP
        )
        self.apply = Button("Apply", self._tell)
        self.problem = text("", "alert", wrap=True, hidden=True)
        layouts.column(
            layouts.row(
                text("Preset", "muted"),
                self.preset,
                (self.options, 1),
                self.apply,
                gap=theme.px(8),
            ),
            self.problem,
            on=self,
            margins=0,
        )
        self.preset.currentIndexChanged.connect(lambda _: self._tell())
        self.options.returnPressed.connect(self._tell)

    def show_options(self, preset: str, options: str, of_rubric: str = "") -> None:
        """Show what holds now; the preset of a rubric is offered by name."""
        with QSignalBlocker(self.preset):
            if of_rubric:
                if self.preset.findData("") < 0:
                    self.preset.insertItem(0, "", "")
                self.preset.setItemText(0, f"as the rubric: {of_rubric}")
            self.preset.setCurrentIndex(self.preset.findData(preset))
        self.options.setText(options)
        self.show_problem("")

    def show_problem(self, sentence: str) -> None:
        """Say why the options cannot be taken, nothing where they can."""
        say(self.problem, sentence)

    def _tell(self) -> None:
        self.changed.emit(self.preset.currentData(), self.options.text())


WIDTH, HEIGHT = 600, 620


class ExplanationDialog(ProjectDialog):
    """A window beside the work: labelling goes on while it is open."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make an empty panel."""
        super().__init__(parent, "How is this calculated?", once=False)
        self._theme = theme
        self.setModal(False)
        fit(self, theme.px(WIDTH), theme.px(HEIGHT))
        self.heading = text("", "heading")
        self._area = named(QScrollArea(widgetResizable=True), "Explanation")
        self.options: FigureOptions | None = None
        layouts.column(
            self.heading,
            (self._area, 1),
            (Button("Close", self.close), 0, Qt.AlignmentFlag.AlignTrailing),
            on=self,
            margins=(theme.px(20), theme.px(16), theme.px(20), theme.px(16)),
        )

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
        content = dressed(QWidget(), kind="scrolled")
        column = layouts.column(
            on=content, margins=(0, 0, self._theme.px(8), 0), gap=self._theme.px(2)
        )
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
