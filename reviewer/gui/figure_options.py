"""The preset and the options that a project's figures are computed by, to look at and change."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from reviewer.gui.kit.choosing import choice
from reviewer.gui.kit.pieces import Button, text
from reviewer.gui.kit.theme import Theme

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
        self.options = QLineEdit()
        self.options.setPlaceholderText(EXAMPLE)
        self.options.setAccessibleName("Options that differ from the preset")
        self.options.setToolTip(TIP)
        self.apply = Button("Apply", self._tell)
        self.problem = text("", "alert", wrap=True)
        self.problem.hide()
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(text("Preset", "muted"))
        row.addWidget(self.preset)
        row.addWidget(self.options, 1)
        row.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.problem)
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
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _tell(self) -> None:
        self.changed.emit(self.preset.currentData(), self.options.text())
