"""The tags of evaluations, and how they differ from what the records brought."""

import sqlite3
from bisect import bisect, bisect_left
from collections.abc import Iterable, Sequence

from reviewer.store.journal import Tagging
from reviewer.store.query import values_of

_LISTED = "(SELECT id FROM evaluations WHERE id IN (SELECT value FROM json_each(?)))"
Changes = dict[int, dict[str, bool]]
"""By evaluation: the tags it got (True) or lost (False) since it came."""


def lacking(conn: sqlite3.Connection, tag: str, keys: Sequence[int]) -> list[int]:
    """Give those of some evaluations that lack a tag, ascending."""
    return values_of(
        conn,
        "SELECT id FROM visible_evaluations WHERE id IN (SELECT value FROM json_each(?)) "
        "AND id NOT IN (SELECT evaluation FROM tags WHERE tag = ?) ORDER BY id",
        (_listed(keys), tag),
    )


def having(conn: sqlite3.Connection, tag: str, keys: Sequence[int]) -> list[int]:
    """Give those of some evaluations that have a tag, ascending."""
    return values_of(
        conn,
        "SELECT id FROM visible_evaluations WHERE id IN (SELECT value FROM json_each(?)) "
        "AND id IN (SELECT evaluation FROM tags WHERE tag = ?) ORDER BY id",
        (_listed(keys), tag),
    )


def unchanged(conn: sqlite3.Connection, tag: str, keys: Sequence[int]) -> list[int]:
    """Give those of some evaluations where nobody gave or took a tag yet, in their order."""
    rows = conn.execute(
        "SELECT evaluation FROM tag_changes WHERE tag = ? "
        "AND evaluation IN (SELECT value FROM json_each(?))",
        (tag, _listed(keys)),
    )
    known = {key for (key,) in rows}
    return [key for key in keys if key not in known]


def every(conn: sqlite3.Connection) -> list[tuple[str, int]]:
    """Give every tag with the number of evaluations that have it, by name."""
    return list(
        conn.execute(
            "SELECT t.tag, count(*) FROM tags t JOIN visible_evaluations v ON v.id = t.evaluation "
            "GROUP BY t.tag ORDER BY t.tag COLLATE NOCASE, t.tag"
        )
    )


def of(conn: sqlite3.Connection, keys: Sequence[int]) -> set[str]:
    """Give the tags that any of some evaluations has."""
    return set(
        values_of(
            conn,
            "SELECT DISTINCT tag FROM tags WHERE evaluation IN (SELECT value FROM json_each(?))",
            (_listed(keys),),
        )
    )


def apply(conn: sqlite3.Connection, part: Tagging, keys: Sequence[int]) -> None:
    """Give or take a tag; call inside `Project.write`. Doing it twice changes nothing more.

    The keys are some of the part's, from one to another.
    """
    listed = _listed(keys)
    if part.present:
        conn.execute(
            f"INSERT OR IGNORE INTO tags(tag, evaluation) SELECT ?, id FROM {_LISTED}",
            (part.tag, listed),
        )
    else:
        conn.execute(
            "DELETE FROM tags WHERE tag = ? AND evaluation IN (SELECT value FROM json_each(?))",
            (part.tag, listed),
        )
    conn.execute(
        "INSERT OR REPLACE INTO tag_changes(evaluation, tag, present, uid) "
        f"SELECT id, ?, ?, fresh_uid() FROM {_LISTED}",
        (part.tag, int(part.present), listed),
    )
    if part.back and part.first:
        unchanged = part.first[bisect_left(part.first, keys[0]) : bisect(part.first, keys[-1])]
        conn.execute(
            "DELETE FROM tag_changes WHERE tag = ? "
            "AND evaluation IN (SELECT value FROM json_each(?))",
            (part.tag, _listed(unchanged)),
        )


def apply_again(conn: sqlite3.Connection, evaluation: int) -> None:
    """Change the tags that a new record brought as those before it were changed."""
    for tag, present in changes(conn, "= ?", (evaluation,)).get(evaluation, {}).items():
        apply(conn, Tagging(tag, (evaluation,), present), (evaluation,))


def changes(conn: sqlite3.Connection, among: str, values: Iterable[object]) -> Changes:
    """Give how the tags of some evaluations (an SQL condition) differ from their records'."""
    found: Changes = {}
    for key, tag, present in conn.execute(
        f"SELECT evaluation, tag, present FROM tag_changes WHERE evaluation {among}",
        tuple(values),
    ):
        found.setdefault(key, {})[tag] = bool(present)
    return found


def changed(tags: Sequence[str], since: dict[str, bool]) -> list[str]:
    """Give a record's list of tags as it is now: what is left in its order, then what came."""
    left = [tag for tag in tags if since.get(tag, True)]
    return left + sorted(tag for tag, present in since.items() if present and tag not in tags)


def _listed(keys: Sequence[int]) -> str:
    return "[" + ",".join(map(str, keys)) + "]"
