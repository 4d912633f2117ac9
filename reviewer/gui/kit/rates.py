"""How fast background work goes and how long it will still take."""

import time
from collections import deque

from reviewer.gui.kit.times import left

WINDOW_S = 20.0


class Rate:
    """Follows the progress of one piece of work over the last seconds."""

    def __init__(self) -> None:
        """Begin to follow."""
        self._seen: deque[tuple[float, int]] = deque()

    def see(self, done: int, now: float | None = None) -> None:
        """Take note of how much is done."""
        moment = time.monotonic() if now is None else now
        self._seen.append((moment, done))
        while len(self._seen) > 2 and moment - self._seen[0][0] > WINDOW_S:
            self._seen.popleft()

    @property
    def per_second(self) -> float | None:
        """Give the speed, None while too little was seen."""
        if len(self._seen) < 2:
            return None
        (start, before), (end, after) = self._seen[0], self._seen[-1]
        passed = end - start
        return (after - before) / passed if passed > 0.2 and after > before else None

    def seconds_left(self, total: int | None) -> float | None:
        """Give the time that the rest will take, None where unknown."""
        speed = self.per_second
        if speed is None or total is None:
            return None
        return max(0.0, (total - self._seen[-1][1]) / speed)

    def words(self, done: int, total: int | None, unit: str = "") -> str:
        """Say count, speed and time left: "412 of 1,000 · 9.3 a second · about 1 min left"."""
        named = f" {unit}" if unit else ""
        count = f"{done:,}{named}" if total is None else f"{done:,} of {total:,}{named}"
        speed = self.per_second
        pace = "" if speed is None else f"{speed:,.{1 if speed < 100 else 0}f} a second"
        return " · ".join(x for x in (count, pace, left(self.seconds_left(total))) if x)
