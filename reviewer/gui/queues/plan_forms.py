"""The fields of a plan: which evaluations a queue draws, and who answers how many of them."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from reviewer.domain.run import Labeler
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import WholeField, choice
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot
from reviewer.services.queues.plans import MOST_OVERLAP, NEEDS_N, QueuePlan, Sampling

WAYS: tuple[tuple[Sampling, str], ...] = (
    (Sampling.RANDOM, "At random"),
    (Sampling.STRATIFIED, "At random within strata"),
    (Sampling.ALL, "All of them"),
    (Sampling.NEWEST, "The newest"),
    (Sampling.RECENT, "At random of the last days"),
    (Sampling.ACTIVE, "Most informative next"),
    (Sampling.DISAGREEMENT, "Another judge or run disagrees"),
    (Sampling.UNDECIDED, "The judge is undecided"),
    (Sampling.RELEASE, "Last check before release"),
    (Sampling.GOLD, "Known answers only"),
    (Sampling.CHOSEN, "Chosen by hand"),
)
USUAL = 50
USUAL_OF = {Sampling.NEWEST: 10, Sampling.RECENT: 10}
"""How many a way begins with, where that is not the usual number."""
SHOWN_FOR: dict[str, frozenset[Sampling]] = {
    "n": NEEDS_N | {Sampling.DISAGREEMENT, Sampling.UNDECIDED},
    "days": frozenset({Sampling.RECENT}),
    "stratify": frozenset({Sampling.STRATIFIED}),
    "allocation": frozenset({Sampling.STRATIFIED}),
    "other": frozenset({Sampling.DISAGREEMENT}),
    "measured": frozenset({Sampling.ACTIVE, Sampling.DISAGREEMENT, Sampling.UNDECIDED}),
    "filter_text": frozenset(Sampling) - {Sampling.GOLD, Sampling.CHOSEN, Sampling.RELEASE},
}
RUN = "run\n"
"""What stands before the name of a run among the others to disagree with."""


class DrawForm(QWidget):
    """The fields of the draw; only those that the chosen way needs are shown.

    Signals:
        changed: Something is planned otherwise.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the form empty; `offer` says what the project has."""
        super().__init__()
        self._keys: tuple[int, ...] = ()
        self._before = Sampling.RANDOM
        self.form = QFormLayout(
            self, verticalSpacing=theme.px(8), rowWrapPolicy=QFormLayout.RowWrapPolicy.WrapLongRows
        )
        self.form.setContentsMargins(0, 0, 0, 0)
        self.filter_text = QLineEdit(
            placeholderText="all evaluations, or a filter: category:policies …"
        )
        self.sampling = choice("How evaluations are drawn")
        for way, title in WAYS:
            self.sampling.addItem(title, way)
        self.n = _number(10_000, USUAL)
        self.days = _number(3_650, 10)
        self.days.setSuffix(" days")
        self.stratify = choice("Strata")
        self.allocation = choice("Share of each stratum")
        self.allocation.addItem("in proportion", "proportional")
        self.allocation.addItem("equally many", "equal")
        self.other = choice("Other judge or run")
        self.measured = choice("Metric")
        self.seed = _number(999_999, 0)
        self.seed.setMinimum(0)
        self._add_rows()
        self._show_needed()

    def offer(
        self, metrics: Sequence[tuple[str, str]], judges: Sequence[str], runs: Sequence[str]
    ) -> None:
        """Offer a project's metrics (name and title), judges and runs."""
        for combo in (self.stratify, self.other, self.measured):
            combo.clear()
        self.stratify.addItem("category", "category")
        self.stratify.addItem("run", "run")
        self.measured.addItem("all, or the neediest", None)
        for name, title in metrics:
            self.stratify.addItem(f"auto score of {title}", f"auto:{name}")
            self.measured.addItem(title, name)
        for judge in judges:
            self.other.addItem(f"judge {judge}", judge)
        for run in runs:
            self.other.addItem(f"run {run}", RUN + run)

    def show_plan(self, plan: QueuePlan) -> None:
        """Show a plan's draw."""
        self._keys = plan.keys
        blocker = QSignalBlocker(self)
        self.filter_text.setText(plan.filter_text)
        self.sampling.setCurrentIndex(max(self.sampling.findData(plan.sampling), 0))
        self._before = self.way
        if plan.n is not None:
            self.n.setValue(plan.n)
        self.days.setValue(plan.days)
        self.seed.setValue(plan.seed)
        other = f"{RUN if plan.other_is_run else ''}{plan.other or ''}"
        for combo, wanted in (
            (self.stratify, plan.stratify),
            (self.allocation, plan.allocation),
            (self.other, other),
            (self.measured, plan.metric),
        ):
            combo.setCurrentIndex(max(combo.findData(wanted), 0))
        self._show_needed()
        blocker.unblock()

    def fields(self) -> dict[str, object]:
        """Give the fields of the plan that stand here."""
        way = self.way
        other = str(self.other.currentData() or "")
        needs_n = way in SHOWN_FOR["n"]
        return {
            "filter_text": self.filter_text.text().strip()
            if self._is_needed("filter_text")
            else "",
            "sampling": way,
            "n": self.n.value() if needs_n else None,
            "days": self.days.value(),
            "stratify": self.stratify.currentData() or "category",
            "allocation": self.allocation.currentData(),
            "other": other.removeprefix(RUN) or None,
            "other_is_run": other.startswith(RUN),
            "metric": self.measured.currentData() if self._is_needed("measured") else None,
            "seed": self.seed.value(),
            "keys": self._keys,
        }

    @property
    def way(self) -> Sampling:
        """Give the way of drawing in force."""
        return Sampling(self.sampling.currentData())

    def _add_rows(self) -> None:
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Draw", self.sampling), ("From", self.filter_text), ("How many", self.n),
            ("Of the last", self.days), ("Strata", self.stratify), ("Share", self.allocation),
            ("Compare with", self.other), ("Metric", self.measured), ("Seed", self.seed),
        )  # fmt: skip
        for title, field in rows:
            self.form.addRow(title, field)
            if not field.accessibleName():
                field.setAccessibleName(title)
            if isinstance(field, QComboBox):
                field.currentIndexChanged.connect(self._on_change)
            elif isinstance(field, QSpinBox):
                field.valueChanged.connect(self._on_change)
        self.filter_text.textChanged.connect(self._on_change)

    def _on_change(self) -> None:
        if self.way is not self._before:
            # a number that somebody chose stays under another way
            if self.n.value() == USUAL_OF.get(self._before, USUAL):
                self.n.setValue(USUAL_OF.get(self.way, USUAL))
            self._before = self.way
        self._show_needed()
        self.changed.emit()

    def _is_needed(self, name: str) -> bool:
        return self.way in SHOWN_FOR[name]

    def _show_needed(self) -> None:
        for name in SHOWN_FOR:
            self.form.setRowVisible(getattr(self, name), self._is_needed(name))


def _number(most: int, usual: int) -> QSpinBox:
    box = WholeField()
    box.setRange(1, most)
    box.setValue(usual)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(5, 0, 0, 0)
    return box


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
        self.form = QFormLayout(
            verticalSpacing=theme.px(8), rowWrapPolicy=QFormLayout.RowWrapPolicy.WrapLongRows
        )
        layouts.column(self._people(people), self.form, on=self, margins=0)
        self.assignment = choice("How evaluations are shared out")
        self.assignment.addItem("in turns, equally many", "round_robin")
        self.assignment.addItem("by person, in shares", "by_person")
        self.overlap = _people_number(1, MOST_OVERLAP, 1, "")
        self.overlap_share = _people_number(0, 100, 100, " % of the evaluations")
        self.repeats = _people_number(0, 100, 0, " %")
        self.repeats.setToolTip("Share of own earlier evaluations that people answer once more.")
        self.gold = _people_number(0, 100, 0, " %")
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
        grid = layouts.grid(stretch={0: 1})
        for row, person in enumerate(people):
            shown = one_line(person.name, 60)
            box = pieces.named(
                QCheckBox(literal(f"{one_line(person.name, NAME)} · {person.role}")),
                shown,
                tip=one_line(person.name, LONGEST),
            )
            box.setIcon(dot(self._theme, person.colour))
            box.toggled.connect(self._on_change)
            weight = pieces.named(_people_number(0, 1_000, 1, ""), f"Share of {shown}")
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


def _people_number(least: int, most: int, usual: int, unit: str) -> QSpinBox:
    box = WholeField()
    box.setRange(least, most)
    box.setValue(usual)
    box.setSuffix(unit)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(5, 0, 0, 0)
    return box
