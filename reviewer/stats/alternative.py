"""May a judge take a labeler's place? The alternative annotator test.

Calderon, Reichart and Dror 2025 (ACL, 2025.acl-long.782). Each labeler is left out in turn: where
the judge agrees with the others at least as well, it wins. A labeler is beaten where the judge
wins often enough even when a person's work is worth epsilon more; p values of all labelers
are taken together (Benjamini and Yekutieli 2001).
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats
from reviewer.stats.quantiles import t_two_sided

Ints = NDArray[np.int64]
Score = Literal["accuracy", "neg_rmse"]
SMALLEST: Final = 30
"""Responses shared with another labeler and the judge, below which a labeler is left out."""
Q: Final = 0.05
PASSES_FROM: Final = 0.5
DECIMALS: Final = 9
TOO_FEW: Final = (
    f"fewer than two labelers have {SMALLEST} responses that the judge scored and another labeler "
    "labelled"
)
TWO_ONLY: Final = "only two labelers remain; three are wanted"


@dataclass(frozen=True, slots=True, eq=False)
class Singles:
    """Single labels: of which response, whose, what; each of shape (m,)."""

    places: Ints
    labelers: Ints
    values: Floats

    def at(self, rows: NDArray[np.bool_]) -> "Singles":
        """Give some of them."""
        return Singles(self.places[rows], self.labelers[rows], self.values[rows])


@dataclass(frozen=True, slots=True)
class Held:
    """One labeler held beside the judge.

    Attributes:
        labeler: Their number.
        n: Responses that somebody else labelled too.
        won: Share of them on which the judge agrees with the others at least as well.
        p: Of the judge not being at least as good by epsilon.
        beaten: Whether p is small enough among those of all labelers.
    """

    labeler: int
    n: int
    won: float
    p: float
    beaten: bool = False


@dataclass(frozen=True, slots=True)
class AltTest:
    """Say how many labelers a judge represents the others better than.

    Attributes:
        omega: Share of the labelers that the judge beats; None with a reason.
        rho: Mean share of responses on which the judge is at least as good; None likewise.
        held: The labelers that remain, by number.
        left_out: Numbers of those with too few responses.
    """

    epsilon: float
    score: Score
    omega: float | None = None
    rho: float | None = None
    held: tuple[Held, ...] = ()
    left_out: tuple[int, ...] = ()
    reason: str | None = None
    q: float = Q

    @property
    def passed(self) -> bool | None:
        """Tell whether the judge beats half of the labelers or more."""
        return None if self.omega is None else self.omega >= PASSES_FROM

    @property
    def note(self) -> str | None:
        """Say what to know before relying on it."""
        return TWO_ONLY if self.omega is not None and len(self.held) == 2 else None


def alt_test(labels: Singles, judge: Floats, *, score: Score, epsilon: float) -> AltTest:
    """Hold a judge beside each labeler in turn.

    Args:
        labels: of the labelers, one each on a response.
        judge: shape (n,), the judge's score of each response, NaN without one.
        score: how a value agrees with the others' labels: the share of equal ones, or minus the
            root mean square difference.
        epsilon: how much more a person's label costs than the judge's, 0 to 1.
    """
    counts = np.bincount(labels.places, minlength=judge.size)
    kept = labels.at((counts[labels.places] > 1) & np.isfinite(judge[labels.places]))
    compare = _alike if score == "accuracy" else _distance
    own, machine = compare(kept.places, kept.values, judge)
    wins, losses = machine >= own, own >= machine
    held, left_out = [], []
    for labeler in np.unique(labels.labelers).tolist():
        rows = kept.labelers == labeler
        n = int(rows.sum())
        if n < SMALLEST:
            left_out.append(labeler)
            continue
        apart = losses[rows].astype(np.float64) - wins[rows]
        held.append(Held(labeler, n, float(wins[rows].mean()), _below(apart, epsilon)))
    if len(held) < 2:
        return AltTest(epsilon, score, left_out=tuple(left_out), reason=TOO_FEW)
    beaten = _rejected(np.array([one.p for one in held]))
    held = [
        Held(one.labeler, one.n, one.won, one.p, lost)
        for one, lost in zip(held, beaten.tolist(), strict=True)
    ]
    return AltTest(
        epsilon,
        score,
        omega=sum(one.beaten for one in held) / len(held),
        # the order of people, another one in every file, must not tell in the last digit
        rho=math.fsum(one.won for one in held) / len(held),
        held=tuple(held),
        left_out=tuple(left_out),
    )


def _alike(places: Ints, values: Floats, judge: Floats) -> tuple[Floats, Floats]:
    """Give how many of the others' labels equal each label, and the judge's score beside it.

    All shares of one response have the same divisor, so that counts compare as they do.
    """
    size = values.size
    known, codes = np.unique(
        np.round(np.concatenate([values, judge[places]]), DECIMALS), return_inverse=True
    )
    mine, machine = codes[:size], codes[size:]
    cells, counts = np.unique(places * known.size + mine, return_counts=True)
    asked = places * known.size + machine
    at = np.minimum(np.searchsorted(cells, asked), max(cells.size - 1, 0))
    there = np.where(cells[at] == asked, counts[at], 0) if size else counts
    equal = counts[np.searchsorted(cells, places * known.size + mine)] - 1
    return equal.astype(np.float64), (there - (mine == machine)).astype(np.float64)


def _distance(places: Ints, values: Floats, judge: Floats) -> tuple[Floats, Floats]:
    """Give minus the mean square distance of each label, and of the judge, from the others'.

    The root keeps the order, so that it is not drawn.
    """
    middle = np.bincount(places, values) / np.maximum(np.bincount(places), 1)
    # around the middle, where sums of squares lose nothing
    own, machine = values - middle[places], judge[places] - middle[places]
    total = np.bincount(places, own)[places] - own
    squares = np.bincount(places, own**2)[places] - own**2
    others = np.bincount(places)[places] - 1

    def of(value: Floats) -> Floats:
        found: Floats = np.round((2 * value * total - squares) / others - value**2, DECIMALS)
        return found

    return of(own), of(machine)


def _below(apart: Floats, epsilon: float) -> float:
    """Test whether a mean lies below epsilon: one-sided t."""
    mean, n = float(apart.mean()), apart.size
    if np.ptp(apart) == 0:
        return 0.0 if mean < epsilon else 1.0
    t = (mean - epsilon) / (float(apart.std(ddof=1)) / math.sqrt(n))
    tail = t_two_sided(t, n - 1) / 2
    return tail if t < 0 else 1 - tail


def _rejected(p: Floats) -> NDArray[np.bool_]:
    """Tell which p values are small among all, however they depend on each other."""
    m = p.size
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, m + 1)
    small = np.flatnonzero(p[order] <= ranks * Q / (m * (1 / ranks).sum()))
    found = np.zeros(m, dtype=np.bool_)
    if small.size:
        found[order[: small[-1] + 1]] = True
    return found
