"""Texts and times as people read them; hostile text made visible, and the way back to it."""

import re
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from PySide6.QtCore import QDateTime, QLocale

from reviewer.domain.evaluation import parse_time
from reviewer.domain.wording import fixed

LONG = 20_000
"""Characters of one turn that are shown before "show all"."""

_UNSEEN = re.compile(
    "\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2028\u2029"
    "\u2060-\u2069\ufeff]|[\U000e0000-\U000e007f]+"
)
SHARED = 5
"""Letters that names share at least before any are cut."""
_SEEK = 4_000
_LONG_WORD = re.compile(r"\S{24}(?=\S)")


class Shown(Struct, frozen=True):
    """A text as it is shown, with invisible characters spelt out.

    `anchors` are pairs of offsets (shown, stored) from which both run on in step.
    """

    text: str
    anchors: tuple[tuple[int, int], ...] = ((0, 0),)

    def to_stored(self, offset: int) -> int:
        """Give the offset in the stored text of an offset in the shown one."""
        shown, stored = self.anchors[bisect_right(self.anchors, (offset, 1 << 62)) - 1]
        return stored + offset - shown

    def to_shown(self, offset: int) -> int:
        """Give the offset in the shown text of an offset in the stored one."""
        places = [stored for _, stored in self.anchors]
        shown, stored = self.anchors[bisect_right(places, offset) - 1]
        return shown + offset - stored


def visible(text: str) -> Shown:
    """Spell out control, direction and other invisible characters, so that nothing hides."""
    if not _UNSEEN.search(text):
        return Shown(text)
    pieces: list[str] = []
    anchors = [(0, 0)]
    length = last = 0
    for match in _UNSEEN.finditer(text):
        pieces += (text[last : match.start()], token := _spelt(match[0]))
        length += match.start() - last + len(token)
        last = match.end()
        anchors.append((length, last))
    pieces.append(text[last:])
    return Shown("".join(pieces), tuple(anchors))


def _spelt(found: str) -> str:
    if found == "\r\n":
        return "\n"
    if ord(found[0]) >= 0xE0000:
        hidden = "".join(chr(ord(x) - 0xE0000) for x in found if 0xE0020 <= ord(x) < 0xE007F)
        return f"⟦hidden text: {hidden}⟧"
    return f"⟦U+{ord(found):04X}⟧"


def align(rendered: str, shown: str) -> list[int]:
    """Find for every rendered character its offset in the text it was rendered from.

    Markdown only leaves characters out, so the rendered text runs through the source in order.
    The list has one entry more, for the end.
    """
    places: list[int] = []
    at = 0
    for char in rendered:
        found = at
        if char.isspace() or char == "\u2029":
            while found < len(shown) and not shown[found].isspace():
                found = _next_space(shown, at)
                break
        else:
            found = shown.find(char, at, at + _SEEK)
        if 0 <= found < len(shown):
            places.append(found)
            at = found + 1
        else:
            places.append(min(at, len(shown)))
    places.append(min(at, len(shown)))
    return places


def _next_space(shown: str, at: int) -> int:
    for place in range(at, min(at + 80, len(shown))):
        if shown[place].isspace():
            return place
    return -1


def one_line(text: str, limit: int = 160) -> str:
    """Give the start of a text in one line."""
    line = " ".join(visible(text[: limit * 4]).text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def name_line(name: str, limit: int) -> str:
    """Give a name in one line; one too long loses its middle, as names differ at their ends."""
    start, end = name[: limit * 4], name[limit * 4 :][-limit * 4 :]
    line = " ".join(visible(start + end).text.split())
    if len(line) <= limit:
        return line
    tail = (limit - 1) // 2
    return f"{line[: limit - 1 - tail]}…{line[-tail:]}"


def without_shared(names: Sequence[str]) -> dict[str, str]:
    """Give short names that still differ: what those of one beginning share there is cut.

    What is cut ends where a word or number does: of 2026-11-04 v6 and 2026-11-18 v7 stay …04 v6
    and …18 v7.
    """
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(name[:SHARED], []).append(name)
    short = {}
    for group in alike.values():
        first, last = min(group), max(group)
        n = next((k for k, x in enumerate(first) if last[k : k + 1] != x), len(first))
        start = first[:n] if len(group) > 1 else ""
        end = max((start.rfind(x) for x in " -_/:"), default=-1) + 1
        for name in group:
            short[name] = f"…{name[end:]}" if end >= SHARED and name[end:] else name
    return {name: short[name] for name in names}


def breakable(text: str) -> str:
    """Let lines end inside long words, by marks that have no width."""
    return _LONG_WORD.sub("\\g<0>\u200b", text)


def literal(text: str) -> str:
    """Write a text for a menu, a box or a tab, where a single & would name a key."""
    return text.replace("&", "&&")


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
