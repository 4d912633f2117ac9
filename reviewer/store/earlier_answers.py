"""What people answered unseen, before they saw the auto score and answered anew."""

import sqlite3
from collections.abc import Sequence

from reviewer.store.labels import NO_TIME

_AT_ONCE = 500


def unseen(
    conn: sqlite3.Connection, metric: str, evaluations: Sequence[int]
) -> dict[tuple[int, int], object]:
    """Give each labeler's newest answer given unseen, by evaluation and labeler.

    None where what they did last while unseen was to take it back.
    """
    found: dict[tuple[int, int], object] = {}
    for start in range(0, len(evaluations), _AT_ONCE):
        some = evaluations[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = conn.execute(
            "SELECT evaluation, labeler, iif(kind = 'label', value, NULL) FROM labels "
            "WHERE turn = -1 AND kind NOT IN ('adjudication', 'comment') AND blind = 1 "
            "AND metric = (SELECT id FROM metrics WHERE name = ?) "
            f"AND evaluation IN ({marks}) ORDER BY ifnull(at_us, {NO_TIME}), id",
            (metric, *some),
        )
        found.update({(key, labeler): value for key, labeler, value in rows})
    return found
