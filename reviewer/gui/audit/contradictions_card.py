"""Lists of responses on which families of metrics contradict each other."""

from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from reviewer.gui.audit.words import DASH
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.number_field import NumberField
from reviewer.gui.kit.text import number
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits.family_rules import Found, Threshold
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.project.insights_words import percent


class RuleRow(QWidget):
    """One rule: what it means, its thresholds, and how many responses it finds.

    Signals:
        opened: Its responses are to be listed.
        moved: One of its thresholds has another value.
    """

    opened = Signal()
    moved = Signal(object, float)

    def __init__(self, theme: Theme, found: Found, figures: FigureMenu) -> None:
        """Make the row of what a rule found."""
        super().__init__()
        self.found = found
        self.fields: list[QDoubleSpinBox] = []
        self.cuts: list[QLabel] = []
        self.open_button = pieces.Button("", self.opened.emit, dense=True)
        self.meaning = pieces.text(found.rule.meaning, "small", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(2), 0, theme.px(2))
        column.setSpacing(theme.px(4))
        head = QHBoxLayout()
        self.title = pieces.text(found.rule.title, "strong")
        head.addWidget(self.title)
        self.count = pieces.ElidedText("", "muted")
        self.count.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.count, 1)
        head.addWidget(self.open_button)
        column.addLayout(head)
        column.addWidget(self.meaning)
        flow = pieces.FlowLayout(spacing=8)
        for threshold in found.thresholds:
            flow.addWidget(self._field(threshold))
        column.addLayout(flow)
        figures.serve(self.count, self.figure)
        self.show_found(found)

    def show_found(self, found: Found) -> None:
        """Show what the rule finds now."""
        self.found = found
        many = int(found.keys.size)
        self.open_button.setText("Open")
        self.open_button.setAccessibleName(f"Open {found.rule.title}")
        self.open_button.setEnabled(many > 0)
        self.count.setText(_count(found))
        fields = zip(self.fields, self.cuts, found.thresholds, strict=True)
        for field, cut, threshold in fields:
            blocker = QSignalBlocker(field)
            field.setValue(threshold.value)
            blocker.unblock()
            cut.setText(f"= {_measured(threshold)}" if threshold.cut is not None else "")
            cut.setVisible(threshold.cut is not None)

    def figure(self) -> Figure:
        """Give the rule's share as somebody takes it away."""
        found = self.found
        conditions = " and ".join(map(_condition, found.thresholds))
        return Figure(
            title=found.rule.title,
            sentence=f"{found.rule.title} ({conditions}): {_count(found)}.",
            steps=partial(_steps, found),
            keys=lambda: found.keys,
            heading=found.rule.title,
        )

    def _field(self, threshold: Threshold) -> QWidget:
        field = NumberField(f"{threshold.words} threshold, {self.found.rule.title}")
        field.setRange(threshold.low, threshold.high)
        span = threshold.high - threshold.low
        field.setSingleStep(1.0 if span > 1 else 0.1)
        if threshold.cut is not None or threshold.high == 100.0:
            field.setPrefix("p")
        cut = pieces.text("", "muted")
        self.fields.append(field)
        self.cuts.append(cut)
        place = len(self.fields) - 1
        field.valueChanged.connect(
            lambda value: self.moved.emit(self.found.thresholds[place], value)
        )
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(pieces.ElidedText(threshold.words, "muted"))
        row.addWidget(field)
        row.addWidget(cut)
        return made


def _count(found: Found) -> str:
    if found.reason is not None or found.share is None:
        return f"{DASH}  {found.reason}"
    words = f"{found.keys.size:,} of {found.n:,} · {percent(found.share)}"
    if found.interval is not None:
        low, high = 100 * found.interval.low, 100 * found.interval.high
        words += f" ({low:.0f} – {high:.0f})"
    return words


def _condition(threshold: Threshold) -> str:
    if threshold.cut is None:
        return f"{threshold.words} {number(threshold.value)}"
    return f"{threshold.words} p{number(threshold.value)} = {_measured(threshold)}"


def _steps(found: Found) -> tuple[Step, ...]:
    if found.reason is not None:
        return (Step(found.rule.title, f"{found.reason}."),)
    return (
        Step("Holds where", " and ".join(map(_condition, found.thresholds))),
        Step("Share", f"{found.keys.size:,} ÷ {found.n:,} = {found.share or 0:.4f}"),
    )


def _measured(threshold: Threshold) -> str:
    return f"{number(threshold.cut, 1)} {threshold.unit}".rstrip()


class ContradictionsCard(pieces.Card):
    """The rules with their thresholds; what stands in the fields is kept in the project.

    Signals:
        responses_requested: The responses that a rule finds, by keys and heading.
        moved: A threshold has another value.
        reset_requested: All thresholds are to be the framework's again.
    """

    responses_requested = Signal(object, str)
    moved = Signal(object, float)
    reset_requested = Signal()

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card without rules."""
        super().__init__("Where families contradict each other")
        self._theme = theme
        self._figures = figures
        self.rows: list[RuleRow] = []
        self.back = pieces.Button("Default thresholds", self.reset_requested.emit, kind="link")
        self.head.addWidget(self.back)

    def show_found(self, found: tuple[Found, ...]) -> None:
        """Show what every rule finds."""
        if not self.rows:
            self._make(found)
        for row, one in zip(self.rows, found, strict=True):
            row.show_found(one)
        changed = any(x.value != x.default for one in found for x in one.thresholds)
        self.back.setVisible(changed)

    def forget(self) -> None:
        """Let go of the rules: another rubric has other scales."""
        self.rows = []
        while self.body.count() > 1:
            item = self.body.takeAt(1)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _make(self, found: tuple[Found, ...]) -> None:
        for place, one in enumerate(found):
            if place:
                self.body.addWidget(pieces.line())
            row = RuleRow(self._theme, one, self._figures)
            row.moved.connect(self.moved)
            row.opened.connect(partial(self._open, row))
            self.body.addWidget(row)
            self.rows.append(row)

    def _open(self, row: RuleRow) -> None:
        self.responses_requested.emit(row.found.keys, row.found.rule.title)
