"""What is exported, in which format, of whom, and with which names and texts."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QRadioButton

from reviewer.domain.run import Scope, What
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import choice, chosen, offer, offer_names
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits.auditing import ScopeChoices
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest, LabelForm
from reviewer.services.transfer.exporting import FormatChoice

WHATS: tuple[tuple[What, str, str], ...] = (
    ("evaluations", "Evaluations", "Everything: texts, scores, labels with their history."),
    ("labels", "Labels", "One row a label, with who gave it, when, and whether blind."),
    ("disagreements", "Disagreements", "Where people and judge or people differ, largest first."),
)
LABELS: tuple[tuple[LabelForm, str], ...] = (
    ("each", "every entry"),
    ("mean", "mean of the people"),
    ("adjudicated", "decided values"),
    ("consensus", "what people say together"),
)
UNITS = {what: what for what, _, _ in WHATS}


class ChoicesCard(pieces.Card):
    """The choices, from which the request is made.

    Signals:
        changed: Something else was chosen.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card with its defaults."""
        super().__init__("Export")
        self._group = QButtonGroup(self)
        self.whats: dict[What, QRadioButton] = {}
        for name, title, explanation in WHATS:
            button = pieces.named(QRadioButton(title), title)
            button.setAccessibleDescription(explanation)
            button.toggled.connect(self._switch)
            self._group.addButton(button)
            self.whats[name] = button
            self.body.addWidget(button)
            words = pieces.text(explanation, "small", wrap=True)
            words.setIndent(theme.px(24))
            self.body.addWidget(words)
        self.form = choice("As")
        offer(self.form, "", [(x.name, x.title) for x in exporting.formats("evaluations")])
        self.labels = choice("Labels")
        for form, title in LABELS:
            self.labels.addItem(title, form)
        self.run = choice("Run")
        self.category = choice("Category")
        self.labeler = choice("Labeler")
        self.blind = pieces.named(QCheckBox("blind labels only"), "Blind labels only")
        self.masking = pieces.named(QCheckBox("mask personal data"), "Mask personal data")
        self.masking.setAccessibleDescription(
            "E-mail addresses, telephone, card and account numbers in texts; they stay in the "
            "project."
        )
        self.masking.setToolTip(self.masking.accessibleDescription())
        self.pseudonyms = pieces.named(
            QCheckBox("other names for labelers"), "Other names for labelers"
        )
        ticks = (self.blind, self.masking, self.pseudonyms)
        for tick in ticks:
            tick.toggled.connect(lambda _: self.changed.emit())
        grid = layouts.grid(down=theme.px(6), stretch={1: 1})
        combos = (self.form, self.labels, self.run, self.category, self.labeler)
        for row, combo in enumerate(combos):
            grid.addWidget(pieces.text(combo.accessibleName(), "muted"), row, 0)
            grid.addWidget(combo, row, 1)
            combo.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.body.addSpacing(theme.px(6))
        layouts.fill(self.body, grid, *ticks)
        self.whats["evaluations"].setChecked(True)
        self.fields = (*self.whats.values(), *combos, *ticks)

    @property
    def what(self) -> What:
        """Give what the rows are."""
        return next(name for name, button in self.whats.items() if button.isChecked())

    @property
    def suffix(self) -> str:
        """Give the suffix of the chosen format, empty where it is a folder."""
        return self.format.suffix

    @property
    def format(self) -> FormatChoice:
        """Give the chosen format."""
        able = exporting.formats(self.what)
        return next((x for x in able if x.name == self.form.currentData()), able[0])

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
            format=self.format.name,
            filters=None if scope == Scope() else scope,
            mask=self.masking.isChecked(),
            pseudonyms=self.pseudonyms.isChecked(),
        )

    def show_choices(self, choices: ScopeChoices) -> None:
        """Offer what the project has; what was chosen stays where it is still there."""
        offer_names(self.run, "all runs", tuple(reversed(choices.runs)))
        offer_names(self.category, "all", choices.categories)
        offer_names(self.labeler, "everybody", choices.labelers)

    def _switch(self, on: bool) -> None:  # noqa: FBT001 - Qt's signal
        if on:
            self.labels.setEnabled(self.what != "disagreements")
            offer(self.form, "", [(x.name, x.title) for x in exporting.formats(self.what)])
            self.changed.emit()
