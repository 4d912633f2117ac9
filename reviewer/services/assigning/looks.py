"""When a validation may be judged: at few looks that were planned before the first answer.

Who looks after every answer and stops at the first verdict is wrong up to one time in four. Few
looks, each at a stricter level, keep the error that is promised (`stats.planning`).
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.project.insights_words import level_percent, listed
from reviewer.services.project.session import Session
from reviewer.stats.planning import PlannedLooks
from reviewer.store import drawing
from reviewer.store.queues import QueueRow

AFTER: Final = (20, 30, 50)
"""Answers after which a validation is looked at, and after the last one."""


def planned(total: int, drawn: int) -> PlannedLooks:
    """Plan the looks at a validation.

    Where several people answer the same evaluation, or somebody the same one twice, it is looked
    at once, in the end: until then nobody knows whose answers are missing.

    Args:
        total: Answers that the queue waits for.
        drawn: Evaluations that it drew.
    """
    last = max(drawn, 1)
    # a look just before the last would only make both stricter
    between = tuple(at for at in AFTER if 5 * at <= 4 * last) if total == drawn else ()
    return PlannedLooks((*between, last))


def answered(session: Session, queue: QueueRow, table: FigureTable) -> tuple[int, ...]:
    """Give the evaluations whose every metric is answered, in the order of their last answers."""
    drawn: Mapping[int, Mapping[str, str]] = drawing.answers_of_queue(
        session.project.conn, queue.key
    )
    labelled = [one for one in table.metrics.values() if one.metric.is_labelled]
    names = {one.metric.name for one in labelled}
    last = np.max([one.human.times for one in labelled], axis=0) if labelled else table.keys
    times = dict(zip(table.keys.tolist(), last.tolist(), strict=True))
    done = [key for key, found in drawn.items() if names <= found.keys() and key in times]
    return tuple(sorted(done, key=lambda key: (times[key], key)))


def reached(looks: PlannedLooks, n: int) -> int | None:
    """Give the last planned look that so many answers allow; None before the first."""
    return max((at for at in looks.at if at <= n), default=None)


def sentence(looks: PlannedLooks) -> str:
    """Say when a validation is looked at, and at what level."""
    each = level_percent(looks.level_each)
    if len(looks.at) == 1:
        return f"Looked at once, after {looks.at[0]:,} answers, at {each}."
    after = listed([f"{at:,}" for at in looks.at])
    return f"Looked at after {after} answers; each at {each}."
