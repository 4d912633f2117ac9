"""The journal of actions, from which undo and redo work over restarts.

A labeler's actions that are undone lie above those that are done; a new action drops them. An
action on very many evaluations is journalled first and applied in steps, `doing` or `undoing`
until the last one; whoever opens the file after a crash goes on where it stopped.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from reviewer.domain.evaluation import now_text

State = Literal["done", "undone", "dropped", "doing", "undoing"]
Keys = tuple[int, ...]


class Tagging(Struct, frozen=True):
    """A tag that evaluations got (`present`) or lost; all of them changed by it.

    Attributes:
        first: Those of them where nobody had given or taken the tag before.
        back: Whether it is taken back, so that nobody has changed it there after all.
    """

    tag: str
    keys: Keys
    present: bool = True
    first: Keys = ()
    back: bool = False


class Excluding(Struct, frozen=True):
    """An exclusion that evaluations got (`present`) or lost; all of them changed by it.

    Attributes:
        labeler: Who excluded them, by the project's number; None where that is unknown.
        at: When they were excluded.
        number: The import that brought the exclusion, None where it was made here.
    """

    reason: str
    labeler: int | None
    at: str | None
    keys: Keys
    present: bool = True
    extra: str | None = None
    number: int | None = None


class Discarding(Struct, frozen=True):
    """The scores of a job that were taken back (`present`) or are there again.

    Attributes:
        job: The number of the job.
        keys: The evaluations that it scored.
    """

    job: int
    keys: Keys
    present: bool = True


Bulk = Tagging | Excluding | Discarding


class Naming(Struct, frozen=True):
    """The version of record that somebody named; `of_record` takes it back and names it again.

    Attributes:
        entry: The entry of the log that came of it last.
    """

    run: int
    metric: int
    score_set: int
    with_repeats: bool
    entry: int


class Queueing(Struct, frozen=True):
    """What was done to a queue; `queue_acts` takes it back and does it again.

    Attributes:
        act: What was done.
        seq: The queue's number in the order of changes, which no other queue ever has.
        before: Its name before it was renamed.
        after: Its name after that.
        kept: The queue with everything in it, while the project does not have it.
    """

    act: Literal["made", "deleted", "renamed"]
    seq: int
    before: str = ""
    after: str = ""
    kept: str | None = None


class Begun(NamedTuple):
    """A repeat that began with an action.

    Attributes:
        since: The number in the order of changes after which answers belong to it; no other
            repeat has it.
        before: That of the round before it, 0 for the first.
    """

    since: int
    before: int


class Body(Struct, frozen=True):
    """What an action changed: pairs of rows before (None: nothing) and after, in order.

    Attributes:
        labels: Rows of the label history: labels, decisions and comments.
        marks: Rows of the mark history.
        number: The number of an import.
        bulk: Tags, exclusions and discarded scores, in order.
        queue: What was done to a queue.
        named: Versions of record that were named.
        begun: Repeats whose turn came with it.
    """

    labels: tuple[tuple[int | None, int], ...] = ()
    marks: tuple[tuple[int | None, int], ...] = ()
    number: int | None = None
    bulk: tuple[Bulk, ...] = ()
    queue: Queueing | None = None
    named: tuple[Naming, ...] = ()
    begun: tuple[Begun, ...] = ()


class Action(Struct, frozen=True):
    """A journalled action."""

    key: int
    kind: str
    title: str
    body: Body = field(default_factory=Body)
    seq: int = 0
    state: State = "done"


def add(
    conn: sqlite3.Connection,
    *,
    labeler: int,
    seq: int,
    kind: str,
    title: str,
    body: Body,
) -> int:
    """Journal an action of a labeler; call inside `Project.write`, with what it changed."""
    conn.execute(
        "UPDATE journal SET state = 'dropped' WHERE labeler = ? AND state = 'undone'", (labeler,)
    )
    row = conn.execute(
        "INSERT INTO journal(seq, labeler, at, kind, title, body) VALUES (?, ?, ?, ?, ?, ?) "
        "RETURNING id",
        (seq, labeler, now_text(), kind, title, _written(body)),
    ).fetchall()[0]
    return int(row[0])


def top(
    conn: sqlite3.Connection, labeler: int, state: State, *, beyond: Action | None = None
) -> Action | None:
    """Give what a labeler would undo next ("done") or redo next ("undone").

    `beyond` is an action that is passed over: what comes after it is given.
    """
    order, sign = ("DESC", "<") if state == "done" else ("ASC", ">")
    further, values = ("", ()) if beyond is None else (f"AND id {sign} ?", (beyond.key,))
    found = conn.execute(
        "SELECT id, kind, title, body, seq, state FROM journal WHERE labeler = ? AND state = ? "
        f"{further} ORDER BY id {order} LIMIT 1",
        (labeler, state, *values),
    ).fetchone()
    return _action(found) if found else None


_THEMSELVES = (
    "SELECT 1 FROM json_each(?) w CROSS JOIN evaluations e ON e.id = w.value "
    "WHERE e.hidden = 0 LIMIT 1"
)
_OF = {
    table: f"SELECT 1 FROM json_each(?) w CROSS JOIN {table} t ON t.id = w.value "
    "CROSS JOIN evaluations e ON e.id = t.evaluation WHERE e.hidden = 0 LIMIT 1"
    for table in ("labels", "marks")
}


def is_there(conn: sqlite3.Connection, body: Body) -> bool:
    """Tell whether the project still has any evaluation that an action changed.

    An action that is not about evaluations is there as well.
    """
    asked = [(_OF[name], [after for _, after in getattr(body, name)]) for name in _OF]
    asked += [(_THEMSELVES, list(part.keys)) for part in body.bulk]
    asked = [(query, keys) for query, keys in asked if keys]
    return not asked or any(
        conn.execute(query, (json.dumps(keys),)).fetchone() for query, keys in asked
    )


def unfinished(conn: sqlite3.Connection) -> list[Action]:
    """Give the actions that are half applied, the oldest first."""
    rows = conn.execute(
        "SELECT id, kind, title, body, seq, state FROM journal "
        "WHERE state IN ('doing', 'undoing') ORDER BY id"
    )
    return [_action(row) for row in rows]


def state_of(conn: sqlite3.Connection, key: int) -> State | None:
    """Give how far an action is, None where the journal has forgotten it."""
    row = conn.execute("SELECT state FROM journal WHERE id = ?", (key,)).fetchone()
    state: State | None = row[0] if row else None
    return state


def settle(conn: sqlite3.Connection, action: Action, state: State) -> None:
    """Record that an action is undone or done again; call inside `Project.write`."""
    conn.execute("UPDATE journal SET state = ? WHERE id = ?", (state, action.key))


def rewrite(conn: sqlite3.Connection, action: Action, body: Body) -> None:
    """Record what an action needs from now on; call inside `Project.write`."""
    conn.execute("UPDATE journal SET body = ? WHERE id = ?", (_written(body), action.key))


_IMPORT = "kind = 'import' AND json_extract(body, '$.number') = ?"


def begin_with(conn: sqlite3.Connection, number: int, begun: Sequence[Begun]) -> None:
    """Record the repeats that began with an import; call inside `Project.write`."""
    conn.execute(
        f"UPDATE journal SET body = json_set(body, '$.begun', json(?)) WHERE {_IMPORT}",
        (json.dumps(begun), number),
    )


def begun_with(conn: sqlite3.Connection, number: int) -> list[Begun]:
    """Give the repeats that began with an import, the last one first."""
    rows = conn.execute(
        f"SELECT json_extract(body, '$.begun') FROM journal WHERE {_IMPORT}", (number,)
    )
    found = [Begun(*one) for (some,) in rows for one in json.loads(some or "[]")]
    return found[::-1]


def drop_import(conn: sqlite3.Connection, number: int) -> None:
    """Forget the entry of an import that was taken back by its number; inside `Project.write`."""
    conn.execute(f"UPDATE journal SET state = 'dropped' WHERE {_IMPORT}", (number,))


def _written(body: Body) -> str:
    parts: dict[str, object] = {
        "labels": body.labels,
        "marks": body.marks,
        "number": body.number,
        "bulk": [_packed(part) for part in body.bulk],
        "queue": None if body.queue is None else asdict(body.queue),
        "named": [asdict(part) for part in body.named],
        "begun": body.begun,
    }
    return json.dumps({name: value for name, value in parts.items() if value})


def _packed(part: Bulk) -> dict[str, object]:
    fields: dict[str, object] = {"keys": _ranges(part.keys), "present": int(part.present)}
    if isinstance(part, Tagging):
        return fields | {"tag": part.tag, "first": _ranges(part.first)}
    if isinstance(part, Discarding):
        return fields | {"job": part.job}
    return fields | {
        "reason": part.reason, "labeler": part.labeler, "at": part.at, "extra": part.extra,
        "number": part.number,
    }  # fmt: skip


def _action(row: tuple[Any, ...]) -> Action:
    body = json.loads(row[3])
    return Action(
        key=row[0],
        kind=row[1],
        title=row[2],
        body=Body(
            labels=tuple((before, after) for before, after in body.get("labels", ())),
            marks=tuple((before, after) for before, after in body.get("marks", ())),
            number=body.get("number"),
            bulk=tuple(_unpacked(part) for part in body.get("bulk", ())),
            queue=Queueing(**body["queue"]) if "queue" in body else None,
            named=tuple(Naming(**part) for part in body.get("named", ())),
            begun=tuple(Begun(*one) for one in body.get("begun", ())),
        ),
        seq=row[4],
        state=row[5],
    )


def _unpacked(fields: dict[str, Any]) -> Bulk:
    keys, present = _from_ranges(fields.pop("keys")), bool(fields.pop("present"))
    if "tag" in fields:
        return Tagging(fields["tag"], keys, present, _from_ranges(fields.get("first", [])))
    if "job" in fields:
        return Discarding(fields["job"], keys, present)
    return Excluding(**fields, keys=keys, present=present)


def _ranges(keys: Keys) -> list[int]:
    """Write ascending keys as a list of first key, length, first key, length."""
    found: list[int] = []
    for key in keys:
        if found and found[-2] + found[-1] == key:
            found[-1] += 1
        else:
            found += [key, 1]
    return found


def _from_ranges(found: list[int]) -> Keys:
    pairs = zip(found[::2], found[1::2], strict=True)
    return tuple(key for first, count in pairs for key in range(first, first + count))


def inverse(part: Bulk) -> Bulk:
    """Give the change that takes a change of many evaluations back."""
    other = replace(part, present=not part.present)
    return replace(other, back=not other.back) if isinstance(other, Tagging) else other
