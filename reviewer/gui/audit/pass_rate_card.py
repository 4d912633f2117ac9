"""How much passes: as the judge says, as people say, and corrected for all."""

from reviewer.domain.wording import DASH, in_percent, percent_span
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.services.figures.statistics_blocks import PassBlock
from reviewer.stats.rates import RATES, RateName

_ROWS: tuple[tuple[RateName, str, str], ...] = (
    ("auto_rate", "judge", "auto"),
    ("human_rate", "people", "human"),
    ("corrected_rate", "corrected", "adjusted"),
)


class PassRateCard(pieces.Card):
    """Three rates over the whole rubric, each with n and interval."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty card."""
        super().__init__("Pass rate")
        grid = layouts.grid(across=theme.px(12), down=theme.px(4), stretch={0: 1})
        self.lines = {}
        for row, (name, title, role) in enumerate(_ROWS):
            parts = (
                pieces.ElidedText(title, role),
                pieces.text("", role),
                pieces.text("", "small"),
            )
            parts[1].setToolTip(RATES[name].meaning)
            for column, part in enumerate(parts):
                grid.addWidget(part, row, column)
            self.lines[name] = parts
        self.why = pieces.text("", "muted", wrap=True)
        self.body.addLayout(grid)
        layouts.fill(self.body, self.why)

    def show_rates(self, found: PassBlock) -> None:
        """Show the rates of a scope, or why there are none."""
        corrected = found.corrected
        ends = found.intervals
        rates: dict[RateName, tuple[float | None, str, str]] = {
            "auto_rate": (found.auto_rate, f"judge, {found.n_auto:,}", ""),
            "human_rate": (
                found.human_rate,
                f"people, {found.n_human:,}",
                percent_span(ends["human_rate"].low, ends["human_rate"].high)
                if "human_rate" in ends
                else "",
            ),
            "corrected_rate": (
                corrected.mean,
                "corrected",
                percent_span(corrected.low, corrected.high)
                if corrected.low is not None and corrected.high is not None
                else "",
            ),
        }
        there = found.auto_rate is not None or found.human_rate is not None
        for name, (value, title, around) in rates.items():
            words, share, span = self.lines[name]
            words.setText(title)
            share.setText(DASH if value is None else in_percent(value, 0))
            span.setText(around)
            pieces.show(words, share, span, shown=there)
        why = corrected.reason if corrected.mean is None else None
        if not there:
            why = found.undefined.get("auto_rate")
        pieces.say(self.why, "" if why is None else f"{why[:1].upper()}{why[1:]}.")
