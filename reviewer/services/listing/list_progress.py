"""How far a labeler is with a queue: counted once, then moved by what was written since."""

import itertools
from array import array
from collections.abc import Sequence

from msgspec import Struct

from reviewer.services.project.session import Session
from reviewer.store import listing
from reviewer.store.states import EMPTY, State, of_labeler, read

MANY = 500
"""More evaluations than this are counted anew rather than one by one."""
BREAK_SECONDS = 600
"""A longer pause between two evaluations is a break and tells nothing about the pace."""


class Counts(Struct):
    """Evaluations of a queue by state; flagged ones are counted beside."""

    done: int = 0
    partial: int = 0
    skipped: int = 0
    flagged: int = 0

    def add(self, state: State, sign: int) -> None:
        """Count a state in (1) or out (-1)."""
        if state.complete:
            self.done += sign
        elif state.skipped:
            self.skipped += sign
        elif state.answered:
            self.partial += sign
        if state.flagged:
            self.flagged += sign


class Counter:
    """The counts of one labeler and queue; reads what changed since it was last asked."""

    def __init__(self, ids: "array[int]") -> None:
        """Take the queue's keys; nothing is counted yet."""
        self._ids = ids
        self._members: frozenset[int] = frozenset()
        self._states: dict[int, State] = {}
        self._counts = Counts()
        self._seen: tuple[int, int] | None = None

    def counts(self, session: Session) -> Counts:
        """Give the present counts."""
        now = listing.numbers(session.project)
        if self._seen == now:
            return self._counts
        changed = None
        if self._seen is not None and self._seen[1] == now[1]:
            changed = listing.changed_since(session.project, self._seen[0], MANY)
        if changed is None:
            self._count(session)
        else:
            for key in self._members.intersection(changed):
                self._move(key, read(session.project.conn, session.labeler.key, key))
        self._seen = now
        return self._counts

    def _count(self, session: Session) -> None:
        if self._seen is None:
            self._members = frozenset(self._ids)
        states = of_labeler(session.project.conn, session.labeler.key)
        self._states, self._counts = {}, Counts()
        for key in self._members.intersection(states):
            self._move(key, states[key])

    def _move(self, key: int, state: State) -> None:
        self._counts.add(self._states.get(key, EMPTY), -1)
        self._counts.add(state, 1)
        self._states[key] = state


def seconds_each(entries: Sequence[tuple[int, int]]) -> float | None:
    """Give the median seconds an evaluation takes, from (evaluation, microseconds), newest first.

    None until three are known; breaks are left out.
    """
    starts: list[int] = []
    last = None
    for evaluation, at in reversed(entries):
        if evaluation != last:
            starts.append(at)
        last = evaluation
    spans = [(after - before) / 1e6 for before, after in itertools.pairwise(starts)]
    counted = sorted(span for span in spans if 0 < span <= BREAK_SECONDS)
    half = len(counted) // 2
    return (counted[half] + counted[~half]) / 2 if len(counted) >= 3 else None
