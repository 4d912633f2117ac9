"""A monitor of production: what it samples, what scores the samples, and when it warns."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.domain.errors import ReviewerError

SAMPLE_RATE: Final = 0.01
WARNING, CRITICAL = 0.85, 0.70
DEFAULT_RUBRIC: Final = "agent-rubric"
EVERY_RUN: Final = ("all",)
"""The runs of a monitor that takes those of test cases, too."""
_WINDOW: Final = re.compile(r"([1-9]\d{0,8})(d?)")
LONGEST_DAYS: Final = 36_500
DIED: Final = (
    "The process that scores the monitor's samples ended unexpectedly; it is started again soon, "
    "and what was paid for is kept."
)


@dataclass(frozen=True, slots=True)
class Window:
    """The samples that a status is about: all, the newest so many, or those of so many days.

    Attributes:
        size: Samples or days; None means all.
    """

    kind: Literal["all", "samples", "days"] = "all"
    size: int | None = None

    def __str__(self) -> str:
        """Write it as `all`, `200` or `7d`."""
        return "all" if self.size is None else f"{self.size}{'d' if self.kind == 'days' else ''}"

    @property
    def words(self) -> str:
        """Say it in words."""
        if self.size is None:
            return "all samples"
        if self.kind == "days":
            return "the last day" if self.size == 1 else f"the last {self.size:,} days"
        return "the newest sample" if self.size == 1 else f"the newest {self.size:,} samples"


def window_of(text: str) -> Window:
    """Read `all`, a number of samples such as `200`, or a number of days such as `7d`.

    Raises:
        ReviewerError: It is none of these.
    """
    if text.strip().lower() == "all":
        return Window()
    match = _WINDOW.fullmatch(text.strip().lower())
    if match is None or (match[2] and int(match[1]) > LONGEST_DAYS):
        raise ReviewerError(
            f"The window is {text!r}; all, a number of samples such as 200, or of days such as "
            "7d is expected."
        )
    return Window("days" if match[2] else "samples", int(match[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """The settings of a monitor; a rubric has one.

    Attributes:
        folder: The watched folder, None where records come by `reviewer import`.
        rate: Share of the records that is sampled.
        seed: Decides, with a record's run and id, whether it is sampled.
        window: As `window_of` reads it.
        runs: Which runs are production: those that are named, `EVERY_RUN`, or, where none is, all
            that do not answer test cases.
        warning, critical: Pass rates below which the status is so.
        judge: Who scores the samples; None takes the scores that records bring, and the rubric's
            scorers where they bring none.
        max_cost: Dollars that the judge may cost this monitor in all; None is no limit.
    """

    rubric: str = DEFAULT_RUBRIC
    folder: str | None = None
    rate: float = SAMPLE_RATE
    seed: int = 0
    window: str = "all"
    runs: tuple[str, ...] = ()
    warning: float = WARNING
    critical: float = CRITICAL
    judge: str | None = None
    max_cost: float | None = None

    def check(self) -> None:
        """Hold the settings to what makes sense.

        Raises:
            ReviewerError: A setting does not; the sentence says which and what would.
        """
        window_of(self.window)
        if not 0 < self.rate <= 1:
            raise ReviewerError(
                f"The sample rate is {self.rate:g}; a share above 0 and up to 1 is expected, "
                "such as 0.01."
            )
        if not 0 <= self.seed < 2**63:
            raise ReviewerError(f"The seed is {self.seed}; a whole number from 0 is expected.")
        if not 0 <= self.critical <= self.warning <= 1:
            raise ReviewerError(
                f"The thresholds are {self.warning:g} for a warning and {self.critical:g} for "
                "critical; pass rates from 0 to 1 are expected, critical at most the warning."
            )
        if self.max_cost is not None and self.max_cost < 0:
            raise ReviewerError(f"The cost limit is {self.max_cost:g}; 0 or more is expected.")
