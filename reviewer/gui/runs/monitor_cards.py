"""A monitor: its status with past windows, and its settings, each kept as its field is left."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.monitoring import EVERY_RUN, Monitor, window_of
from reviewer.domain.wording import fixed, listed
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Amount, Choice, Own, Text
from reviewer.gui.kit.number_field import NumberField, WholeField, offer
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.strip import SIGNS, StatusStrip, StripBar
from reviewer.gui.runs.launch_form import RowForm, beside
from reviewer.gui.runs.words import many, percent
from reviewer.services.monitoring.view import Spell, View

NO_JUDGE = "none: their own scores, or scorers"
PRODUCTION, EVERY = "production: all but runs of test cases", "every run, also of test cases"
BETWEEN = "\x1f"
"""Between the names of several runs, which are one choice."""
LARGEST_SEED = 2**31 - 1
Field = QLineEdit | QAbstractSpinBox | QComboBox
Kept = TypeVar("Kept")


class MonitorForm(RowForm):
    """Folder, rate, seed, window, thresholds, judge and cost limit.

    Signals:
        changed: Other settings are wanted (`Monitor`).
    """

    changed = Signal(object)
    pairs: ClassVar = {"rate": "seed", "warning": "critical"}
    folder = Text("Folder", "none: what is imported")
    rate = Amount("Samples", name="Sample rate in percent", lowest=0.0001, decimals=4, unit=" %")
    seed = Own[QSpinBox]("seed", name="Seed of the sample")
    runs = Choice(
        "Runs",
        tip="Runs made by a bot here, or of cases of a test set alone, are of "
        "test cases; production is all others.",
    )
    window_field = Text(
        "Window", "all, 200 or 7d",
        tip="all, a number of samples such as 200, or days such as 7d",
    )  # fmt: skip
    warning = Amount("Warning", name="Warning below, in percent", unit=" %")
    critical = Amount("critical", name="Critical below, in percent", unit=" %")
    judge = Choice("Judge")
    cost = Amount("At most", name="At most, in dollars", lowest=-0.01, highest=1_000_000,
                  prefix="$ ", special="no limit")  # fmt: skip

    def __init__(self, theme: Theme) -> None:
        """Make the form empty."""
        self._monitor = Monitor()
        self._shown: dict[Field, str] = {}
        self.choose = pieces.Button("Choose…", self._choose, dense=True, name="Choose the folder")
        seed = WholeField()
        seed.setMaximum(LARGEST_SEED)
        seed.setKeyboardTracking(False)
        super().__init__(theme, seed=seed)
        seed.setAlignment(self.rate.alignment())
        for field in (self.folder, self.window_field):
            field.editingFinished.connect(self._tell)
        for number in (self.rate, self.seed, self.warning, self.critical, self.cost):
            number.editingFinished.connect(self._tell)
        for chosen in (self.judge, self.runs):
            chosen.activated.connect(lambda _: self._tell())

    @override
    def hold(self, key: str) -> QWidget:
        """Lay what goes with a field behind it."""
        gap, field = self.theme.px(8), self.widgets[key]
        if key == "folder":
            return beside(field, self.choose, gap=gap)
        second = self.pairs.get(key)
        if second is None:
            return field
        made = QWidget()
        name = pieces.text(self.fields()[second].title, "muted")
        layouts.row((field, 1), name, (self.widgets[second], 1), on=made, margins=0, gap=gap)
        return made

    @override
    def follow(self, key: str, *_: object) -> None:
        """Wait until the field is left."""

    def show_monitor(
        self,
        monitor: Monitor,
        judges: tuple[tuple[str, str], ...],
        runs: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Show what holds, and offer judges and runs with titles; what is being typed stays."""
        other = monitor.rubric != self._monitor.rubric
        self._monitor = monitor
        limit = self.cost.minimum() if monitor.max_cost is None else monitor.max_cost
        shows: dict[QLineEdit | QAbstractSpinBox, Callable[[], None]] = {
            self.folder: partial(self.folder.setText, monitor.folder or ""),
            self.window_field: partial(self.window_field.setText, monitor.window),
            self.rate: partial(self.rate.setValue, 100 * monitor.rate),
            self.seed: partial(self.seed.setValue, min(monitor.seed, LARGEST_SEED)),
            self.warning: partial(self.warning.setValue, 100 * monitor.warning),
            self.critical: partial(self.critical.setValue, 100 * monitor.critical),
            self.cost: partial(self.cost.setValue, limit),
        }
        for field, show in shows.items():
            if other or not (field.hasFocus() and self._is_edited(field)):
                with pieces.quiet(field):
                    show()
                self._shown[field] = field.text()
        self.cost.setEnabled(monitor.judge is not None)
        named = [(x, x) for x in (monitor.judge,) if x and x not in dict(judges)]
        self._offer(self.judge, NO_JUDGE, [*judges, *named], monitor.judge, anew=other)
        every = [(BETWEEN.join(EVERY_RUN), EVERY), *runs]
        chosen = BETWEEN.join(monitor.runs)
        named = [(x, listed(monitor.runs)) for x in (chosen,) if x and x not in dict(every)]
        self._offer(self.runs, PRODUCTION, [*every, *named], chosen, anew=other)

    def _offer(
        self,
        field: QComboBox,
        everything: str,
        entries: Sequence[tuple[str, str]],
        chosen: str | None,
        *,
        anew: bool,
    ) -> None:
        if anew or not field.view().isVisible():
            offer(field, everything, entries)
            with pieces.quiet(field):
                field.setCurrentIndex(max(0, field.findData(chosen or None)))
            self._shown[field] = _text(field)

    def wanted(self) -> Monitor:
        """Give what the fields say; what was not touched stays to the last digit."""
        now, said = self._monitor, self._said
        return replace(
            now,
            folder=said(self.folder, now.folder, lambda: self.folder.text().strip() or None),
            rate=said(self.rate, now.rate, partial(_share, self.rate)),
            seed=said(self.seed, now.seed, self.seed.value),
            window=said(
                self.window_field, now.window, lambda: self.window_field.text().strip() or "all"
            ),
            runs=said(self.runs, now.runs, partial(_runs, self.runs)),
            warning=said(self.warning, now.warning, partial(_share, self.warning)),
            critical=said(self.critical, now.critical, partial(_share, self.critical)),
            judge=said(self.judge, now.judge, lambda: self.judge.currentData() or None),
            max_cost=said(
                self.cost,
                now.max_cost,
                lambda: None if self.cost.value() < 0 else self.cost.value(),
            ),
        )

    def pending(self) -> Monitor | None:
        """Give what was typed and is not kept yet; None where nothing was."""
        wanted = self.wanted()
        return None if wanted == self._monitor else wanted

    def accept(self, monitor: Monitor) -> None:
        """Take what was kept as what the fields say."""
        self._monitor = monitor
        self._shown = {field: _text(field) for field in self._shown}

    def _is_edited(self, field: Field) -> bool:
        return self._shown.get(field) != _text(field)

    def _said(self, field: Field, kept: Kept, read: Callable[[], Kept]) -> Kept:
        """Read a field that was edited; of another one, what is kept holds."""
        if not self._is_edited(field):
            return kept
        if isinstance(field, QAbstractSpinBox):
            field.interpretText()
        return read()

    def _choose(self) -> None:
        start = self.folder.text() or str(Path.home())
        found = QFileDialog.getExistingDirectory(self, "Folder to watch", start)
        if found:
            self.folder.setText(found)
            self._tell()

    def _tell(self) -> None:
        wanted = self.pending()
        if wanted is not None:
            self.changed.emit(wanted)


def _text(field: Field) -> str:
    return str(field.currentData()) if isinstance(field, QComboBox) else field.text()


def _runs(field: QComboBox) -> tuple[str, ...]:
    return tuple(str(field.currentData() or "").split(BETWEEN)) if field.currentData() else ()


def _share(field: NumberField) -> float:
    return round(field.value() / 100, 8)


ROLES = {
    "healthy": "adjusted",
    "warning": "human",
    "critical": "alert",
    "insufficient_data": "muted",
}
"""The colour of a status; its word and sign stand beside it."""


class MonitorCard(pieces.Card):
    """What the status is and how sure; the strip of past windows comes with the first figures.

    Signals:
        spell_chosen: A past window was chosen (`Spell`).
        noted: A passing line.
    """

    spell_chosen = Signal(object)
    noted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card empty."""
        super().__init__("Monitor")
        self._theme = theme
        self._spells: tuple[Spell, ...] = ()
        self.status = pieces.pill("")
        self.rate = pieces.text("—", "figure")
        self.rate.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.interval = pieces.text("", wrap=True)
        self.sampled = pieces.text("", "muted", wrap=True)
        self.stale = pieces.text("", "notice", wrap=True)
        self.strip: StatusStrip | None = None
        self.caption = pieces.text("", "tiny", wrap=True)
        layouts.fill(
            self.body,
            layouts.row(
                self.rate,
                (self.status, 0, Qt.AlignmentFlag.AlignVCenter),
                (self.interval, 1, Qt.AlignmentFlag.AlignVCenter),
                gap=theme.px(10),
            ),
            self.sampled,
            self.stale,
            self.caption,
        )

    def show_view(self, found: View) -> None:
        """Show a monitor as it stands."""
        self.title.setText(f"Monitor of {found.monitor.rubric}")
        pieces.write(
            self.status,
            f"{SIGNS[found.status]} {found.tally.words}",
            name=f"Status: {found.tally.words}",
        )
        pieces.set_property(self.status, "role", ROLES[found.status])
        tip = ""
        if found.tally.total and found.tally.status.uncertain:
            tip = "The 95 % interval of the pass rate reaches into another status."
        self.status.setToolTip(tip)
        self.rate.setText(percent(found.tally.rate))
        self.interval.setText(_interval(found))
        self.sampled.setText(_sampled(found))
        pieces.say(self.stale, " ".join(found.stale))
        self._spells = found.strip
        if self.strip is None and found.strip:
            self.strip = StatusStrip(self._theme)
            pieces.connect(
                (self.strip.spot_chosen, self._choose),
                (self.strip.noted, self.noted),
            )
            self.body.insertWidget(self.body.indexOf(self.caption), self.strip)
        if self.strip is not None:
            settings = found.monitor
            self.strip.setVisible(bool(found.strip))
            self.strip.show_bars(
                [_bar(place, spell) for place, spell in enumerate(found.strip)],
                warning=settings.warning,
                critical=settings.critical,
            )
        self.caption.setVisible(bool(found.strip))
        self.caption.setText(_caption(found))
        self.sampled.show()

    def show_none(self, rubric: str) -> None:
        """Say that nothing is monitored yet."""
        self.title.setText(f"Monitor of {rubric}")
        self.status.setText(f"{SIGNS['insufficient_data']} insufficient data")
        pieces.set_property(self.status, "role", "muted")
        self.rate.setText("—")
        self.interval.setText("Nobody has looked yet: look once, or watch a folder.")
        pieces.show(self.sampled, self.stale, self.caption, shown=False)
        if self.strip is not None:
            self.strip.hide()

    def _choose(self, place: object) -> None:
        if isinstance(place, int) and place < len(self._spells):
            self.spell_chosen.emit(self._spells[place])


def _interval(found: View) -> str:
    interval = found.tally.status.interval
    if interval is None:
        return f"{found.reason[:1].upper()}{found.reason[1:]}."
    low, high = 100 * interval.low, 100 * interval.high
    return (
        f"pass, 95 % {fixed(low, 1)} to {fixed(high, 1)}, n = {found.tally.total:,}; average "
        f"score {fixed(found.tally.average or 0.0)}, over {window_of(found.monitor.window).words}"
    )


def _sampled(found: View) -> str:
    settings = found.monitor
    parts = [f"{many(found.sampled, 'sample')} at {100 * settings.rate:g} %, seed {settings.seed}"]
    if found.runs.words:
        parts.append(found.runs.words)
    if found.waiting:
        parts.append(f"{found.waiting:,} without a verdict")
    if settings.judge:
        spent = f"${fixed(found.spent_usd, 4)} spent"
        limit = "" if settings.max_cost is None else f" of at most ${settings.max_cost:g}"
        parts.append(f"judge {settings.judge}, {spent}{limit}")
    return " · ".join(parts)


def _caption(found: View) -> str:
    settings = found.monitor
    return (
        f"Past windows: warning below {100 * settings.warning:g} %, critical below "
        f"{100 * settings.critical:g} %. Pale with “?”: uncertain."
    )


def _bar(place: int, spell: Spell) -> StripBar:
    tally = spell.tally
    return StripBar(
        title=_end_of(spell.name),
        rate=tally.rate,
        n=tally.total,
        status=tally.status.status,
        uncertain=tally.status.uncertain,
        words=f"{spell.name}\n{tally.words}\n{tally.sentence}",
        key=place,
    )


def _end_of(name: str) -> str:
    """Name a past window in little room: its last day without the year, or its last sample."""
    last = name.rsplit(" ", maxsplit=1)[-1]
    return last[5:] if last[4:5] == "-" else last
