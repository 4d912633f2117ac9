"""What stands where an error band or an adjusted score is shown.

Labels too few for a band make none: "— 28 of 30" stands in its place, and in the place of every
score that it would adjust. The JSON keeps the plain numbers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from reviewer.stats.deviations import DeviationOptions, Gate, composite_band
from reviewer.stats.reasons import NO_PAIR, NO_SCORE

DASH: Final = "—"
OFF: Final = "off the scale"
END: Final = "end of the scale"
HELD: Final = "held on the scale"
NO_LABEL: Final = "nobody has labelled this"
Mark = Literal["", "off the scale", "end of the scale", "held on the scale"]
Bounds = tuple[float, float]
_NOTES = {
    OFF: "Auto score and band lie off the scale.",
    END: "Auto score and band lie off the scale; shown is its end.",
    HELD: "Each score with the band was held on the scale before the mean was taken.",
}
_OVER = {
    "one_side": "on one side",
    "both_sides": "on both sides",
    "apart": "that differ from the judge",
    "labelled": "in all",
}


class Band(NamedTuple):
    """What labels add to an auto score, and what is still missing for it."""

    value: float
    gate: Gate | None


@dataclass(frozen=True, slots=True)
class BandOrScore:
    """A number, or how many labels there are of how many, or why there is nothing.

    Attributes:
        value: None where the band's labels are too few, or there are none.
        gate: What the band still needs.
        mark: Whether the value lies off the scale, is its end instead, or is the mean of scores
            that were each held on it.
        reason: Why there is no value, as a sentence without its stop; empty where there is one.
    """

    value: float | None = None
    gate: Gate | None = None
    mark: Mark = ""
    reason: str = ""

    def words(self, written: Callable[[float | None], str]) -> str:
        """Write it: the number, "— 28 of 30", or a dash."""
        if self.value is not None:
            return written(self.value)
        return DASH if self.gate is None else f"{DASH} {self.gate.n:,} of {self.gate.limit:,}"

    def marked(self, written: Callable[[float | None], str]) -> str:
        """Write it as `words` does, with its mark behind it."""
        return self.words(written) + (f" ({self.mark})" if self.mark else "")

    @property
    def note(self) -> str:
        """Say what to know of it, as a sentence; nothing where the number is all."""
        if self.mark:
            return _NOTES[self.mark]
        return f"{self.reason[:1].upper()}{self.reason[1:]}." if self.reason else ""

    def to_json(self) -> dict[str, Any]:
        """Give what a screen shows; the keys are there where they say something."""
        found: dict[str, Any] = {"value": self.value}
        if self.gate is not None and self.value is None:
            found |= {"n": self.gate.n, "of": self.gate.limit}
        return found | {
            name: text for name, text in {"mark": self.mark, "reason": self.reason}.items() if text
        }


def of_metrics(weights: Sequence[float], bands: Sequence[Band]) -> Band | None:
    """Combine the metrics' bands by weight; None where the weights add up to nothing.

    It needs labels where every one of them does.
    """
    value = composite_band(weights, [band.value for band in bands])
    if value is None:
        return None
    gates = [band.gate for band in bands if band.gate is not None]
    lacking = len(gates) == len(bands)
    return Band(value, min(gates, key=lambda gate: gate.limit - gate.n) if lacking else None)


def shown_band(band: Band, *, n_labelled: int, n_human: int) -> BandOrScore:
    """Show an error band.

    Args:
        band: what labels add to an auto score.
        n_labelled: evaluations with both scores inside the window.
        n_human: evaluations with a human score, whatever their date.
    """
    if not n_labelled:
        return BandOrScore(reason=NO_PAIR if n_human else NO_LABEL)
    if band.gate is not None:
        gate = band.gate
        needs = f"{gate.limit:,} labelled responses {_OVER[gate.over]}"
        return BandOrScore(gate=gate, reason=f"an error band needs {needs}; there are {gate.n:,}")
    return BandOrScore(band.value)


def shown_adjusted(
    auto: float | None,
    band: BandOrScore,
    *,
    bounds: Bounds | None,
    options: DeviationOptions,
    held: float | None = None,
) -> BandOrScore:
    """Show an auto score with a band added.

    Args:
        auto: the score, or the mean of scores.
        band: as `shown_band` gives it; where it has no value there is no adjusted score.
        bounds: the ends of the scale, None where it has none.
        options: `clip` says whether a value off the scale is stopped at its end.
        held: the mean of scores that were each stopped at the ends before, for `clip=hard`.
    """
    if auto is None:
        return BandOrScore(reason=NO_SCORE)
    if band.value is None:
        return BandOrScore(gate=band.gate, reason=band.reason)
    value = auto + band.value
    low, high = bounds or (-math.inf, math.inf)
    inside = min(max(value, low), high)
    if options.clip == "hard" and held is not None:
        return BandOrScore(held, mark="" if round(held, 9) == round(value, 9) else HELD)
    if round(inside, 9) == round(value, 9):
        return BandOrScore(value)
    return (
        BandOrScore(value, mark=OFF) if options.clip == "none" else BandOrScore(inside, mark=END)
    )
