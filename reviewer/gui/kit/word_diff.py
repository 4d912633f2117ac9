"""Two texts compared word by word, and the comparison as markup."""

import difflib
import itertools
import re
from html import escape
from typing import TypeVar

from reviewer.gui.kit.theme import Colours

Part = TypeVar("Part")
_WORDS = re.compile(r"\s+|[^\s]+")
DIFF_LIMIT = 4_000
"""Words a side beyond which a word diff is no help and too slow."""
ALIKE, IN_ORDER = 0.5, 0.25
"""Least share of the shorter text's words, and of its pairs of words, that the other one has."""


def compared(expected: str, response: str, colours: Colours) -> str | None:
    """Give two texts as one rich text that shows what differs, None where they are too long."""
    if max(len(expected), len(response)) > DIFF_LIMIT * 6:
        return None
    return diff_markup(word_diff(expected, response), colours)


def are_alike(expected: str, response: str) -> bool:
    """Tell whether two texts share enough to be compared: an instruction is no answer.

    Some words are in every text; what says the same has some of them side by side as well.
    """
    words = [re.findall(r"\w+", text.lower()) for text in (expected, response)]
    pairs = [set(itertools.pairwise(x)) for x in words]
    return _share(*map(set, words)) >= ALIKE and _share(*pairs) >= IN_ORDER


def _share(some: set[Part], others: set[Part]) -> float:
    """Give how much of the smaller set is in the other one."""
    return len(some & others) / (min(len(some), len(others)) or 1)


def word_diff(expected: str, response: str) -> list[tuple[str, str]]:
    """Compare two texts word by word: pairs of `same`, `removed` or `added` and the words."""
    old, new = _WORDS.findall(expected), _WORDS.findall(response)
    pieces: list[tuple[str, str]] = []
    for how, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if how == "equal":
            pieces.append(("same", "".join(new[c:d])))
            continue
        if b > a:
            pieces.append(("removed", "".join(old[a:b])))
        if d > c:
            pieces.append(("added", "".join(new[c:d])))
    return pieces


def diff_markup(pieces: list[tuple[str, str]], colours: Colours) -> str:
    """Write a comparison as rich text: removed words struck out, added ones underlined."""
    wraps = {
        "same": "{}",
        "removed": f'<s style="background:{colours.removed}">{{}}</s>',
        "added": f'<u style="background:{colours.added}">{{}}</u>',
    }
    found = ""
    for (before, earlier), (how, words) in itertools.pairwise([("same", " "), *pieces]):
        stuck = before == "removed" and how == "added" and not earlier[-1:].isspace()
        found += " " * stuck + wraps[how].format(escape(words).replace("\n", "<br>"))
    return found
