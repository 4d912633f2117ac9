"""Which way a judge leans: too high, too low, neither, or not to be said yet.

No difference found is no proof of none: "neither" is said only where the whole interval of the
bias is too near to 0 to matter.
"""

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import in_percent, signed, two, upper_first
from reviewer.stats.agreement import Agreement
from reviewer.stats.intervals import Interval
from reviewer.stats.words import WORDS_FROM

State = Literal["unlabelled", "too_few", "unordered", "too_high", "too_low", "neither", "open"]
MATTERS: Final = 0.25
"""The bias from which on it matters, in levels; of a range in quarters of it."""
QUARTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Leaning:
    """Which way a judge leans on a metric, in words that its labels support.

    Attributes:
        limit: The bias that would matter, None on a scale without ends.
        n: The labelled evaluations of the bias that it speaks of, None where it speaks of none.
        before, figure, after: The sentence around what is printed in bold; `figure` may be empty.
    """

    state: State
    limit: float | None
    before: str
    figure: str = ""
    after: str = ""
    n: int | None = None

    @property
    def sentence(self) -> str:
        """Give the whole sentence."""
        return upper_first(" ".join(filter(None, (self.before, self.figure, self.after))))

    def to_json(self) -> dict[str, Any]:
        """Give the state and the sentence, and limit and n where there are any."""
        found: dict[str, Any] = {"state": self.state, "sentence": self.sentence}
        more = {"limit": self.limit, "n": self.n}
        return found | {name: value for name, value in more.items() if value is not None}


def leaning(metric: Metric, found: Agreement) -> Leaning:
    """Say which way a judge leans, by its bias against people."""
    title, limit, bias = metric.heading, bias_that_matters(metric), found["bias"]
    if not found.n:
        return Leaning("unlabelled", limit, f"Nobody has labelled {title} in this scope yet.")
    if found.n < WORDS_FROM:
        missing = f"Not enough labels for a verdict on {title}: {found.n} of {WORDS_FROM}."
        return Leaning("too_few", limit, missing)
    if not metric.is_numeric or bias is None:
        same_in = found["percent"]
        share = "—" if same_in is None else in_percent(same_in)
        same = f"Judge and people give the same {title} in"
        return Leaning("unordered", limit, same, share, "of the cases.")
    interval = found.intervals.get("bias")
    if interval is None or interval.low <= 0 <= interval.high:
        return replace(_undecided(title, limit, interval), n=found.n)
    side = "too high" if bias < 0 else "too low"
    state: State = "too_high" if bias < 0 else "too_low"
    figure = f"{two(abs(bias))} {side}"
    return Leaning(state, limit, f"The judge scores {title}", figure, n=found.n)


def _undecided(title: str, limit: float | None, interval: Interval | None) -> Leaning:
    before = f"Whether the judge scores {title} too high or too low"
    open_still = "cannot be said yet"
    if interval is None:
        return Leaning("open", limit, before, open_still)
    if limit is not None and max(-interval.low, interval.high) <= limit + 1e-9:
        before = f"On average the judge scores {title}"
        return Leaning("neither", limit, before, "neither too high nor too low")
    after = f"– its bias lies between {signed(interval.low)} and {signed(interval.high)}"
    if limit is not None:
        after += f", and ±{two(limit)} would matter"
    return Leaning("open", limit, before, open_still, f"{after}.")


def bias_that_matters(metric: Metric) -> float | None:
    """Give the bias from which on it matters: a quarter of a level, or of a quarter of a range.

    Passes and fails are a range from 0 to 1, as 25 points of a rate matter in any case.
    """
    if metric.bounds is None:
        return None
    low, high = metric.bounds
    steps = len(metric.levels) - 1 if metric.kind.steps_from_levels else QUARTERS
    return MATTERS * (high - low) / max(steps, 1)
