"""What a judge has to reach so that it can be relied on."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a judge has to reach on a metric.

    Attributes:
        caught: Smallest share of what people fail that the judge fails too.
        reach: Smallest share of people's agreement with each other that the judge reaches.
        gap: Largest mean gap in either direction, in levels; a range counts as four of them.
    """

    caught: float = 0.8
    reach: float = 0.8
    gap: float = 0.25

    def __post_init__(self) -> None:
        """Check the limits.

        Raises:
            ValueError: with a sentence that names the limit, its value and what is allowed.
        """
        if not 0 <= self.caught <= 1:
            raise ValueError(f"Option trust_caught is {self.caught:g}; it must be from 0 to 1.")
        if not 0 <= self.reach <= 2:
            raise ValueError(f"Option trust_reach is {self.reach:g}; it must be from 0 to 2.")
        if not 0 <= self.gap < math.inf:
            raise ValueError(f"Option trust_gap is {self.gap:g}; it must be 0 or more.")
