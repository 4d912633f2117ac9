"""Every kind of trial with its full number, and what comes of it: a row of the README's table."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.strength import killed


@dataclass
class Row:
    """What came of the trials of one kind.

    Attributes:
        trials: What was done, with its number.
        stake: What could have been lost, with its number.
        lost: How much of it was, without a word.
        told: Of how much else it is said that it was refused or is not there.
        problems: Everything that is not as it must be, in words.
    """

    trials: str
    stake: str
    lost: int
    told: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Kind:
    """A kind of trial.

    Attributes:
        title: What happens, as the table names it.
        full: How many there are of it.
        run: Takes an empty folder, a number and a seed.
    """

    title: str
    full: int
    run: Callable[[Path, int, int], Row]

    def share(self, of: float) -> int:
        """Give how many a share of all is; at least one."""
        return math.ceil(self.full * of)


def _killed(outcome: killed.Killed) -> Row:
    return Row(
        f"{outcome.kills:,} kills",
        f"{outcome.answers:,} answers",
        len(outcome.lost),
        problems=outcome.lost + outcome.problems,
    )


KINDS = {
    "window": Kind(
        "the window is killed while keys are pressed in it",
        1_000,
        lambda *given: _killed(killed.windows(*given)),
    ),
    "services": Kind(
        "a program that labels, comments, flags and undoes is killed",
        2_000,
        lambda *given: _killed(killed.services(*given)),
    ),
}
