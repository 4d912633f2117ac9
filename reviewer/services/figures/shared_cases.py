"""Which cases two runs share, and which of these belong together.

There is one rule wherever runs are compared: of a case that a run answers several times the first
answer belongs to the first of the other run, the second to the second, and so on.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.services.figures.human_columns import Ints
from reviewer.stats.clustering import joined_clusters


@dataclass(frozen=True, slots=True, eq=False)
class SharedCases:
    """The cases that are on both sides: positions in the columns of the one and of the other.

    Attributes:
        only_before, only_after: Cases that are on one side only.
        clusters: What shared cases belong together, as a conversation of either side or as one
            case answered several times; None where each is its own.
    """

    before: Ints
    after: Ints
    only_before: int = 0
    only_after: int = 0
    clusters: Ints | None = None

    @property
    def n(self) -> int:
        """Count the shared cases."""
        return int(self.before.size)


def same_cases(n: int, clusters: Ints | None = None) -> SharedCases:
    """Give the shared cases of two sides that are the same evaluations."""
    every = np.arange(n, dtype=np.int64)
    return SharedCases(every, every, clusters=clusters)


def shared_cases(
    before: Sequence[str],
    after: Sequence[str],
    clusters: tuple[Ints | None, Ints | None] = (None, None),
) -> SharedCases:
    """Find the shared cases, in the order of the later side.

    Args:
        before: Each evaluation's case.
        after: The same of the later side.
        clusters: The conversations of both sides, in the same orders; None where none is shared.
    """
    rows, others, alone = _matched(numbered(before), numbered(after))
    columns = [
        codes[places]
        for codes, places in ((clusters[0], rows), (clusters[1], others))
        if codes is not None
    ]
    if len(set(after)) < len(after):
        cases = np.unique(np.array(after, dtype=np.str_), return_inverse=True)[1].ravel()
        columns.append(cases[others])
    return SharedCases(rows, others, *alone, clusters=joined_clusters(columns))


def numbered(names: Sequence[str]) -> Sequence[str]:
    """Tell repeated cases apart by how often each came before: `7`, then `7 (2)`."""
    known = set(names)
    if len(known) == len(names):
        return names
    seen: Counter[str] = Counter()
    made: list[str] = []
    for name in names:
        seen[name] += 1
        own, again = name, seen[name]
        while again > 1 and own in known:
            own = f"{name} ({again})"
            again += 1
        known.add(own)
        made.append(own)
    return made


def _matched(before: Sequence[str], after: Sequence[str]) -> tuple[Ints, Ints, tuple[int, int]]:
    if before == after:
        every = np.arange(len(after), dtype=np.int64)
        return every, every, (0, 0)
    places = dict(zip(before, range(len(before)), strict=True))
    left = np.array([places.get(case, -1) for case in after], dtype=np.int64)
    right = np.flatnonzero(left >= 0)
    n = int(right.size)
    return left[right], right, (len(places) - n, len(after) - n)
