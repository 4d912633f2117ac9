"""Times and durations as people read them, and how long background work will still take."""

import time
from collections import deque
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QDateTime, QLocale

from reviewer.domain.evaluation import parse_time
from reviewer.domain.wording import fixed


def clock(moment: datetime, style: str = "system") -> str:
    """Give the time of day with seconds; `style` is the setting `time_format`."""
    local = moment.astimezone()
    if style == "12h":
        return local.strftime("%I:%M:%S ").lstrip("0") + ("am" if local.hour < 12 else "pm")
    return local.strftime("%H:%M:%S")


def stamp(text: str | None, style: str = "system") -> str:
    """Give date and time of an ISO 8601 text; an unreadable one as it came, none as a dash."""
    if not text:
        return "—"
    try:
        local = parse_time(text).astimezone()
    except ValueError:
        return text
    if style == "iso" or QLocale().language() == QLocale.Language.C:
        return local.strftime("%Y-%m-%d %H:%M")
    if style == "12h":
        half = "am" if local.hour < 12 else "pm"
        return local.strftime("%Y-%m-%d %I:%M ") + half
    moment = QDateTime.fromSecsSinceEpoch(int(local.timestamp()))
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)


def ago(text: str, now: datetime | None = None) -> str:
    """Say how long ago something was, such as "10 min ago" or "yesterday"."""
    try:
        moment = parse_time(text)
    except ValueError:
        return ""
    present = now or datetime.now(UTC)
    days = (present.astimezone().date() - moment.astimezone().date()).days
    if days <= 0:
        return _within_a_day(present - moment)
    if days == 1:
        return "yesterday"
    if days < 7:
        return f"{days} days ago"
    if days < 14:
        return "last week"
    return f"{days // 7} weeks ago" if days < 60 else moment.astimezone().strftime("%Y-%m-%d")


def _within_a_day(passed: timedelta) -> str:
    minutes = int(passed.total_seconds() // 60)
    if minutes < 1:
        return "just now"
    return f"{minutes} min ago" if minutes < 60 else f"{minutes // 60} h ago"


def left(seconds: float | None) -> str:
    """Say how long something will take, such as "about 21 min left"; nothing where unknown."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {fixed(seconds / 3600, 1)} h left"


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
        pace = "" if speed is None else f"{fixed(speed, 1 if speed < 100 else 0)} a second"
        return " · ".join(x for x in (count, pace, left(self.seconds_left(total))) if x)
