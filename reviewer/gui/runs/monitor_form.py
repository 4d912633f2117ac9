"""The settings of a monitor; each is kept as soon as its field is left."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from reviewer.domain.monitoring import Monitor
from reviewer.gui.kit import pieces
from reviewer.gui.kit.choosing import choice, offer
from reviewer.gui.kit.number_field import NumberField
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.field_rows import FieldRows

NO_JUDGE = "none: their own scores, or scorers"
LARGEST_SEED = 2**31 - 1


class MonitorForm(QWidget):
    """Folder, rate, seed, window, thresholds, judge and cost limit.

    Signals:
        changed: Other settings are wanted (`Monitor`).
    """

    changed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        """Make the form empty."""
        super().__init__()
        self._theme = theme
        self._monitor = Monitor()
        self.folder = QLineEdit()
        self.folder.setPlaceholderText("none: what is imported")
        self.choose = pieces.Button("Choose…", self._choose, dense=True, name="Choose the folder")
        self.rate = NumberField("Sample rate in percent")
        self.rate.setDecimals(4)
        self.rate.setRange(0.0001, 100)
        self.rate.setSuffix(" %")
        self.seed = QSpinBox()
        self.seed.setRange(0, LARGEST_SEED)
        self.seed.setAlignment(self.rate.alignment())
        self.window_field = QLineEdit()
        self.window_field.setPlaceholderText("all, 200 or 7d")
        self.window_field.setToolTip("all, a number of samples such as 200, or days such as 7d")
        self.warning = NumberField("Warning below, in percent")
        self.critical = NumberField("Critical below, in percent")
        for field in (self.warning, self.critical):
            field.setRange(0, 100)
            field.setSuffix(" %")
        self.judge = choice("Judge")
        self.cost = NumberField("At most, in dollars")
        self.cost.setRange(-0.01, 1_000_000)
        self.cost.setPrefix("$ ")
        self.cost.setSpecialValueText("no limit")
        self._lay_out()
        self._connect()

    def show_monitor(self, monitor: Monitor, judges: tuple[tuple[str, str], ...]) -> None:
        """Show what holds, and offer judges by name and title."""
        self._monitor = monitor
        fields = (self.rate, self.seed, self.warning, self.critical, self.judge, self.cost)
        blockers = [QSignalBlocker(field) for field in fields]
        self.folder.setText(monitor.folder or "")
        self.rate.setValue(100 * monitor.rate)
        self.seed.setValue(min(monitor.seed, LARGEST_SEED))
        self.window_field.setText(monitor.window)
        self.warning.setValue(100 * monitor.warning)
        self.critical.setValue(100 * monitor.critical)
        gone = monitor.judge if monitor.judge not in (None, *dict(judges)) else None
        offer(self.judge, NO_JUDGE, [*judges, *([(gone, gone)] if gone else [])])
        self.judge.setCurrentIndex(max(0, self.judge.findData(monitor.judge or "")))
        limit = monitor.max_cost
        self.cost.setValue(self.cost.minimum() if limit is None else limit)
        self.cost.setEnabled(monitor.judge is not None)
        del blockers

    def wanted(self) -> Monitor:
        """Give what the fields say; what was not touched stays to the last digit."""
        now = self._monitor
        return replace(
            now,
            folder=self.folder.text().strip() or None,
            rate=_share(self.rate, now.rate),
            seed=self.seed.value() if now.seed <= LARGEST_SEED else now.seed,
            window=self.window_field.text().strip() or "all",
            warning=_share(self.warning, now.warning),
            critical=_share(self.critical, now.critical),
            judge=self.judge.currentData() or None,
            max_cost=None if self.cost.value() < 0 else self.cost.value(),
        )

    def _lay_out(self) -> None:
        rows = FieldRows(self._theme)
        rows.add("Folder", _beside(self._theme, self.folder, self.choose), self.folder)
        rows.add("Samples", _pair(self._theme, self.rate, "seed", self.seed), self.rate)
        rows.add("Window", self.window_field)
        rows.add(
            "Warning", _pair(self._theme, self.warning, "critical", self.critical), self.warning
        )
        rows.add("Judge", self.judge)
        rows.add("At most", self.cost)
        self.seed.setAccessibleName("Seed of the sample")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(rows)

    def _connect(self) -> None:
        for field in (self.folder, self.window_field):
            field.editingFinished.connect(self._tell)
        for number in (self.rate, self.warning, self.critical, self.cost):
            number.editingFinished.connect(self._tell)
        self.seed.setKeyboardTracking(False)
        self.seed.editingFinished.connect(self._tell)
        self.judge.activated.connect(lambda _: self._tell())

    def _choose(self) -> None:
        start = self.folder.text() or str(Path.home())
        found = QFileDialog.getExistingDirectory(self, "Folder to watch", start)
        if found:
            self.folder.setText(found)
            self._tell()

    def _tell(self) -> None:
        wanted = self.wanted()
        if wanted != self._monitor:
            self.changed.emit(wanted)


def _share(field: NumberField, now: float) -> float:
    # what the field rounds stays as it was kept
    shown = min(max(100 * now, field.minimum()), field.maximum())
    if abs(field.value() - shown) < 10 ** -field.decimals() * 0.51:
        return now
    return round(field.value() / 100, 8)


def _pair(theme: Theme, first: QWidget, name: str, second: QWidget) -> QWidget:
    made = _beside(theme, first, pieces.text(name, "muted"), second)
    row = made.layout()
    if isinstance(row, QHBoxLayout):
        row.setStretch(2, 1)
    return made


def _beside(theme: Theme, first: QWidget, *others: QWidget) -> QWidget:
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(theme.px(8))
    row.addWidget(first, 1)
    for other in others:
        row.addWidget(other)
    return made
