"""What is exported: which rows, in which form, of which evaluations."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QGridLayout, QRadioButton

from reviewer.domain.scope import Scope
from reviewer.gui.kit import pieces
from reviewer.gui.kit.choosing import choice, chosen, offer_names
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits.auditing import ScopeChoices
from reviewer.services.transfer.exporting import ExportRequest, LabelForm, What

WHATS: tuple[tuple[What, str, str], ...] = (
    ("evaluations", "Evaluations", "Everything: texts, scores, labels with their history."),
    ("labels", "Labels", "One row a label, with who gave it, when, and whether blind."),
    ("disagreements", "Disagreements", "Where people and judge or people differ, largest first."),
)
FORMATS = ((".jsonl", "JSON Lines"), (".csv", "CSV, safe in spreadsheets"))
LABELS: tuple[tuple[LabelForm, str], ...] = (
    ("each", "every entry"),
    ("mean", "mean of the people"),
    ("adjudicated", "decided values"),
)


class ChoicesCard(pieces.Card):
    """The choices, from which the request is made.

    Signals:
        changed: Something else was chosen.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card with its defaults."""
        super().__init__("What")
        self._group = QButtonGroup(self)
        self.whats: dict[What, QRadioButton] = {}
        for name, title, explanation in WHATS:
            button = QRadioButton(title)
            button.setAccessibleDescription(explanation)
            button.toggled.connect(self._switch)
            self._group.addButton(button)
            self.whats[name] = button
            self.body.addWidget(button)
            words = pieces.text(explanation, "small", wrap=True)
            words.setIndent(theme.px(24))
            self.body.addWidget(words)
        self.form = choice("As")
        for suffix, title in FORMATS:
            self.form.addItem(title, suffix)
        self.labels = choice("Labels")
        for form, title in LABELS:
            self.labels.addItem(title, form)
        self.run = choice("Run")
        self.category = choice("Category")
        self.labeler = choice("Labeler")
        self.blind = QCheckBox("blind labels only")
        self.blind.toggled.connect(lambda _: self.changed.emit())
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setVerticalSpacing(theme.px(6))
        for row, combo in enumerate(
            (self.form, self.labels, self.run, self.category, self.labeler)
        ):
            grid.addWidget(pieces.text(combo.accessibleName(), "muted"), row, 0)
            grid.addWidget(combo, row, 1)
            combo.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.body.addSpacing(theme.px(6))
        self.body.addLayout(grid)
        self.body.addWidget(self.blind)
        self.whats["evaluations"].setChecked(True)

    @property
    def what(self) -> What:
        """Give what the rows are."""
        return next(name for name, button in self.whats.items() if button.isChecked())

    @property
    def suffix(self) -> str:
        """Give the suffix of the chosen format."""
        return str(self.form.currentData())

    def request(self) -> ExportRequest:
        """Give what was chosen."""
        scope = Scope(
            runs=chosen(self.run),
            categories=chosen(self.category),
            labelers=chosen(self.labeler),
            blind_only=self.blind.isChecked(),
        )
        form: LabelForm = self.labels.currentData()
        return ExportRequest(
            what=self.what,
            labels="each" if self.what == "disagreements" else form,
            filters=None if scope == Scope() else scope,
        )

    def show_choices(self, choices: ScopeChoices) -> None:
        """Offer what the project has; what was chosen stays where it is still there."""
        offer_names(self.run, "all runs", tuple(reversed(choices.runs)))
        offer_names(self.category, "all", choices.categories)
        offer_names(self.labeler, "everybody", choices.labelers)

    def _switch(self, on: bool) -> None:  # noqa: FBT001 - Qt's signal
        if on:
            self.labels.setEnabled(self.what != "disagreements")
            self.changed.emit()
