"""Ask for the name of a queue of selected responses, and who answers them."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFrame,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from reviewer.domain.run import Labeler
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.page import ProjectDialog

TALLEST = 240


class AssignDialog(ProjectDialog):
    """A name, and a box for each person."""

    def __init__(
        self, people: Sequence[Labeler], ticked: Collection[str], many: str, parent: QWidget
    ) -> None:
        """Offer people, some of them ticked; `many` says how many responses are meant."""
        super().__init__(parent, "Make a queue of them", once=False)
        self.setMinimumWidth(380)
        self.name = pieces.named(QLineEdit(), "Name of the queue")
        self.everybody = QCheckBox("Everybody")
        self.boxes: dict[str, QCheckBox] = {}
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.make = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.make.setText("Make the queue")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layouts.column(
            pieces.text(f"Name of the queue ({many})", "small"),
            self.name,
            pieces.text("Who answers them, each in equal parts", "small"),
            self.everybody,
            self._people(people, ticked),
            buttons,
            on=self,
            gap=8,
        )
        self.name.textChanged.connect(self._show_state)
        self.everybody.clicked.connect(lambda _: self._tick_all())
        self._show_state()
        self.name.setFocus()

    @property
    def answer(self) -> tuple[str, tuple[str, ...]]:
        """Give the name and who is ticked."""
        people = tuple(name for name, box in self.boxes.items() if box.isChecked())
        return self.name.text().strip(), people

    def _people(self, people: Sequence[Labeler], ticked: Collection[str]) -> QScrollArea:
        inner = QWidget()
        column = layouts.column(on=inner, margins=0)
        for person in people:
            shown = one_line(person.name, 40)
            box = pieces.named(QCheckBox(literal(f"{shown} · {person.role}")), shown)
            box.setChecked(person.name in ticked)
            box.toggled.connect(self._show_state)
            column.addWidget(box)
            self.boxes[person.name] = box
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inner)
        area.setFixedHeight(min(inner.sizeHint().height() + 4, TALLEST))
        return area

    def _tick_all(self) -> None:
        wanted = self.everybody.isChecked()
        for box in self.boxes.values():
            box.setChecked(wanted)

    def _show_state(self) -> None:
        name, people = self.answer
        self.make.setEnabled(bool(name and people))
        self.everybody.setChecked(len(people) == len(self.boxes))
