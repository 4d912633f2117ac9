"""Hostile text made visible, and the way back from what is shown to what was stored."""

import re
from bisect import bisect_right

from msgspec import Struct

LONG = 20_000
"""Characters of one turn that are shown before "show all"."""

_UNSEEN = re.compile(
    "\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2028\u2029"
    "\u2060-\u2069\ufeff]|[\U000e0000-\U000e007f]+"
)
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


def breakable(text: str) -> str:
    """Let lines end inside long words, by marks that have no width."""
    return _LONG_WORD.sub("\\g<0>\u200b", text)


def literal(text: str) -> str:
    """Write a text for a menu, a box or a tab, where a single & would name a key."""
    return text.replace("&", "&&")
