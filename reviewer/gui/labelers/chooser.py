"""Who are you? Asked in a bar where several people share a project and nobody was chosen here."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from reviewer.domain.run import Labeler
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot

SHOWN = 6


class LabelerChooser(pieces.Panel):
    """One button a person, and a field for somebody new; it is gone once somebody was chosen.

    Signals:
        chosen: Who labels here from now on, by name.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, people: Sequence[Labeler]) -> None:
        """Ask among a project's people."""
        super().__init__("bottom")
        self.setAccessibleName("Who are you?")
        row = pieces.FlowLayout(self, spacing=theme.px(8))
        row.setContentsMargins(*[theme.px(10)] * 4)
        row.addWidget(pieces.text("Who are you? Labels are stored under a name.", "strong"))
        self.buttons: list[pieces.Button] = []
        for person in people[:SHOWN]:
            button = pieces.Button(
                f"{one_line(person.name, 30)} · {person.role}",
                partial(self._choose, person.name),
                dense=True,
                name=f"I am {person.name}, {person.role}",
            )
            button.setIcon(dot(theme, person.colour))
            row.addWidget(button)
            self.buttons.append(button)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Somebody else: name, then Return")
        self.field.setAccessibleName("My name")
        self.field.setFixedWidth(theme.px(230))
        self.field.returnPressed.connect(lambda: self._choose(self.field.text().strip()))
        row.addWidget(self.field)

    def _choose(self, name: str) -> None:
        if name:
            self.chosen.emit(name)
