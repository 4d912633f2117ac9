"""Who answers: labelers with their shares, overlap, repeats, gold, and whether it is blind."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGridLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from reviewer.domain.run import Labeler
from reviewer.gui.kit.choosing import choice
from reviewer.gui.kit.number_field import WholeField
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot
from reviewer.services.assigning.plans import MOST_OVERLAP, QueuePlan

NAME, LONGEST = 26, 300
"""Characters of a name beside the fields, and in its tooltip."""


class PeopleForm(QWidget):
    """One line a person, and beneath it how evaluations are shared out.

    Signals:
        changed: Something is planned otherwise.
    """

    changed = Signal()

    def __init__(self, theme: Theme, people: Sequence[Labeler]) -> None:
        """Offer a project's people."""
        super().__init__()
        self._theme = theme
        self.boxes: dict[str, QCheckBox] = {}
        self.weights: dict[str, QSpinBox] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._people(people))
        self.form = QFormLayout()
        self.form.setVerticalSpacing(theme.px(8))
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        column.addLayout(self.form)
        self.assignment = choice("How evaluations are shared out")
        self.assignment.addItem("in turns, equally many", "round_robin")
        self.assignment.addItem("by person, in shares", "by_person")
        self.overlap = _number(1, MOST_OVERLAP, 1, "")
        self.overlap_share = _number(0, 100, 100, " % of the evaluations")
        self.repeats = _number(0, 100, 0, " %")
        self.repeats.setToolTip("Share of own earlier evaluations that people answer once more.")
        self.gold = _number(0, 100, 0, " %")
        self.gold.setToolTip("Evaluations with known answers that are mixed in unseen.")
        self.blind = QCheckBox("Auto scores stay hidden until an evaluation is answered")
        self.blind.setChecked(True)
        self._add_rows()
        self._show_needed()

    def show_plan(self, plan: QueuePlan) -> None:
        """Show how a plan shares out."""
        blocker = QSignalBlocker(self)
        for name, box in self.boxes.items():
            box.setChecked(name in plan.labelers)
        self.overlap.setValue(plan.overlap)
        self.overlap_share.setValue(round(plan.overlap_share * 100))
        self.repeats.setValue(round(plan.repeats * 100))
        self.gold.setValue(round(plan.gold * 100))
        self.blind.setChecked(plan.blind)
        self.assignment.setCurrentIndex(self.assignment.findData(plan.assignment))
        self._show_needed()
        blocker.unblock()

    def fields(self) -> dict[str, object]:
        """Give the fields of the plan that stand here."""
        chosen = tuple(name for name, box in self.boxes.items() if box.isChecked())
        by_person = self.assignment.currentData() == "by_person"
        return {
            "labelers": chosen,
            "shares": tuple(float(self.weights[x].value()) for x in chosen) if by_person else (),
            "assignment": self.assignment.currentData(),
            "overlap": self.overlap.value(),
            "overlap_share": self.overlap_share.value() / 100,
            "repeats": self.repeats.value() / 100,
            "gold": self.gold.value() / 100,
            "blind": self.blind.isChecked(),
        }

    def _people(self, people: Sequence[Labeler]) -> QGridLayout:
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        for row, person in enumerate(people):
            shown = one_line(person.name, 60)
            box = QCheckBox(literal(f"{one_line(person.name, NAME)} · {person.role}"))
            box.setToolTip(one_line(person.name, LONGEST))
            box.setIcon(dot(self._theme, person.colour))
            box.setAccessibleName(shown)
            box.toggled.connect(self._on_change)
            weight = _number(0, 1_000, 1, "")
            weight.setAccessibleName(f"Share of {shown}")
            weight.valueChanged.connect(self._on_change)
            grid.addWidget(box, row, 0)
            grid.addWidget(weight, row, 1)
            self.boxes[person.name], self.weights[person.name] = box, weight
        return grid

    def _add_rows(self) -> None:
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Share out", self.assignment), ("People an evaluation", self.overlap),
            ("On", self.overlap_share), ("Own repeats", self.repeats),
            ("Known answers", self.gold), ("Blind", self.blind),
        )  # fmt: skip
        for title, field in rows:
            self.form.addRow(title, field)
            if not field.accessibleName():
                field.setAccessibleName(title)
        for box in (self.overlap, self.overlap_share, self.repeats, self.gold):
            box.valueChanged.connect(self._on_change)
        self.assignment.currentIndexChanged.connect(self._on_change)
        self.blind.toggled.connect(self._on_change)

    def _on_change(self) -> None:
        self._show_needed()
        self.changed.emit()

    def _show_needed(self) -> None:
        by_person = self.assignment.currentData() == "by_person"
        for weight in self.weights.values():
            weight.setVisible(by_person)
        self.form.setRowVisible(self.overlap_share, self.overlap.value() > 1)


def _number(least: int, most: int, usual: int, unit: str) -> QSpinBox:
    box = WholeField()
    box.setRange(least, most)
    box.setValue(usual)
    box.setSuffix(unit)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(5, 0, 0, 0)
    return box
