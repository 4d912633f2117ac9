"""How a job ends, and what it tells while it runs."""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from reviewer.domain.job import JobState
from reviewer.domain.progress import Progress
from reviewer.store.jobs import Counts

TELL_EVERY = 0.1


class Ending(NamedTuple):
    """The state in which a job stops, and why."""

    state: JobState
    sentence: str | None = None


class Teller:
    """Pass on how far a job is, a few times a second.

    Attributes:
        counts: Of the whole job, what was done before included.
    """

    def __init__(
        self,
        progress: Progress,
        counts: Counts,
        total: int,
        heard: Callable[[Mapping[str, float]], None] = lambda _: None,
    ) -> None:
        """Start from what a job had done before; `heard` gets the counts before each report."""
        self.counts = counts
        self._heard = heard
        self._progress = progress
        self._total = total
        self._last = 0.0
        self._untold = False

    def tell(self, more: Counts, *, at_once: bool = False) -> None:
        """Add what happened, and say so where it is time."""
        self.counts.add(more)
        self._untold = True
        if at_once or time.monotonic() - self._last >= TELL_EVERY:
            self.catch_up()

    def catch_up(self) -> None:
        """Say what was not said yet, as more may be long in coming."""
        if self._untold:
            self._untold = False
            self._last = time.monotonic()
            self._heard(took(self.counts))
            self._progress.advance(
                self.counts.done + self.counts.failed, self._total, note(self.counts)
            )


def took(counts: Counts) -> dict[str, float]:
    """Give what a job took so far, by name."""
    return {"failed": counts.failed, "cached": counts.cached, "cost_usd": counts.cost_usd}


def note(counts: Counts) -> str:
    """Say in a few words what a job took so far."""
    said = [f"{counts.calls:,} calls"]
    if counts.cached:
        said.append(f"{counts.cached:,} from the cache")
    if counts.failed:
        said.append(f"{counts.failed:,} failed")
    if counts.cost_usd:
        said.append(f"${counts.cost_usd:.4f}")
    return " · ".join(said)
