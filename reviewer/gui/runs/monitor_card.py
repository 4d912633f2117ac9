"""The status of a monitor: sign, word and colour, pass rate with interval, past windows."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from reviewer.domain.monitoring import window_of
from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.strip import SIGNS, StatusStrip, StripBar
from reviewer.gui.runs.words import many, percent
from reviewer.services.monitoring.spells import Spell
from reviewer.services.monitoring.status import WORDS
from reviewer.services.monitoring.view import View

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
        row = QHBoxLayout()
        row.setSpacing(theme.px(10))
        row.addWidget(self.rate)
        row.addWidget(self.status, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.interval, 1, Qt.AlignmentFlag.AlignVCenter)
        self.body.addLayout(row)
        self.body.addWidget(self.sampled)
        self.body.addWidget(self.stale)
        self.body.addWidget(self.caption)

    def show_view(self, found: View) -> None:
        """Show a monitor as it stands."""
        self.title.setText(f"Monitor of {found.monitor.rubric}")
        self._show_status(found)
        self.rate.setText(percent(found.tally.rate))
        self.interval.setText(_interval(found))
        self.sampled.setText(_sampled(found))
        self.stale.setText(" ".join(found.stale))
        self.stale.setVisible(bool(found.stale))
        self._show_strip(found)

    def show_none(self, rubric: str) -> None:
        """Say that nothing is monitored yet."""
        self.title.setText(f"Monitor of {rubric}")
        self.status.setText(f"{SIGNS['insufficient_data']} {WORDS['insufficient_data']}")
        pieces.set_property(self.status, "role", "muted")
        self.rate.setText("—")
        self.interval.setText("Nobody has looked yet: look once, or watch a folder.")
        for label in (self.sampled, self.stale, self.caption):
            label.hide()
        if self.strip is not None:
            self.strip.hide()

    def _show_status(self, found: View) -> None:
        self.status.setText(f"{SIGNS[found.status]} {found.tally.words}")
        self.status.setAccessibleName(f"Status: {found.tally.words}")
        pieces.set_property(self.status, "role", ROLES[found.status])
        tip = ""
        if found.tally.total and found.tally.status.uncertain:
            tip = "The 95 % interval of the pass rate reaches into another status."
        self.status.setToolTip(tip)

    def _show_strip(self, found: View) -> None:
        self._spells = found.strip
        if self.strip is None and found.strip:
            self.strip = StatusStrip(self._theme)
            self.strip.spot_chosen.connect(self._choose)
            self.strip.noted.connect(self.noted)
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

    def _choose(self, place: object) -> None:
        if isinstance(place, int) and place < len(self._spells):
            self.spell_chosen.emit(self._spells[place])


def _interval(found: View) -> str:
    interval = found.tally.status.interval
    if interval is None:
        return f"{found.reason[:1].upper()}{found.reason[1:]}."
    low, high = 100 * interval.low, 100 * interval.high
    return (
        f"pass, 95 % {low:.1f} to {high:.1f}, n = {found.tally.total:,}; average score "
        f"{found.tally.average or 0.0:.2f}, over {window_of(found.monitor.window).words}"
    )


def _sampled(found: View) -> str:
    settings = found.monitor
    parts = [f"{many(found.sampled, 'sample')} at {100 * settings.rate:g} %, seed {settings.seed}"]
    if found.waiting:
        parts.append(f"{found.waiting:,} without a verdict")
    if settings.judge:
        spent = f"${found.spent_usd:.4f} spent"
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
