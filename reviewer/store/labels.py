"""The append-only history of labels, the entries that stand, and what was answered unseen.

A person's label and decision are two streams. Of each the current entry is the one with the latest
time; entries without a time are the earliest, and of equal times the one that arrived later
counts. So that the newest press always wins, even on a computer whose clock went back, a live
entry never gets a time before that of the entry it follows. What an undo brought back takes, among
everybody's entries and among the rounds of a repeat, the place of the entry that it restores.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.evaluation import Label, now_text, to_micros
from reviewer.domain.uids import Uid
from reviewer.store.packing import entry_extra
from reviewer.store.project import Project
from reviewer.store.schema import WHOLE

NO_TIME = -(2**62)
"""What a missing time counts as when entries are ordered: before every other."""

CLAIMS = "claims"
"""The key under which a label's claims stand in a record."""


def restored_by(entry: str) -> str:
    """Give the condition that `labels r` is what an entry restores, by the entry's name in SQL."""
    return (
        f"r.evaluation = {entry}.evaluation AND r.metric = {entry}.metric "
        f"AND r.labeler = {entry}.labeler AND r.turn = {entry}.turn AND r.uid = {entry}.restores "
        f"AND (r.kind = 'adjudication') = ({entry}.kind = 'adjudication')"
    )


_READ = f"""
    SELECT l.evaluation, m.name, p.name, l.value, l.kind, l.comment, l.at, l.blind, l.turn,
        l.seconds, l.rubric_version, l.judge_version, l.selection_reason, l.selection_prob,
        l.aggregate, l.of, l.restores, l.seq, l.id, l.metric, l.labeler, l.at_us, l.extra, l.uid,
        l.revision, CASE WHEN l.restores IS NULL THEN l.seq
            ELSE ifnull((SELECT r.seq FROM labels r WHERE {restored_by("l")}), l.seq) END
    FROM {{source}} JOIN metrics m ON m.id = l.metric JOIN labelers p ON p.id = l.labeler
    WHERE {{where}} ORDER BY {{order}}
"""
_FIELDS = (
    "evaluation", "metric", "labeler", "value", "kind", "comment", "at", "blind", "turn",
    "seconds", "rubric_version", "judge_version", "selection_reason", "selection_prob",
    "aggregate", "of", "restores", "seq",
)  # fmt: skip
_CURRENT = "current_labels c JOIN labels l ON l.id IN (c.label, c.comment)"
_IN_PLACE = f"ifnull(c.at_us, {NO_TIME}), c.place, c.decided, l.id"


class Entry(Struct, frozen=True):
    """A row of the history: the label and the numbers that the file knows it by.

    Attributes:
        revision: The revision of the text that it was given to.
        first: The number in the order of changes at which it, or the entry whose place it takes,
            was given first; that says to which round of a repeat it belongs.
    """

    key: int
    label: Label
    metric: int
    labeler: int
    at_us: int | None
    uid: Uid = b""
    revision: int = 1
    first: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Give what entries of one labeler and thing are ordered by; the greatest is current."""
        return (NO_TIME if self.at_us is None else self.at_us, self.key)

    @property
    def decides(self) -> bool:
        """Tell whether it belongs to the stream of decisions."""
        return self.label.kind == "adjudication"


class Standing(NamedTuple):
    """What one labeler's entries on one thing come to.

    Attributes:
        label: The current label, also where it is not applicable or withdrawn.
        decision: The current decision.
        said: The entry whose comment counts: the latest of the label's and the comments.
    """

    label: Entry | None = None
    decision: Entry | None = None
    said: Entry | None = None

    @property
    def comment(self) -> str | None:
        """Give the comment beside the label."""
        return self.said.label.comment if self.said else None

    def of_round(self, since: int) -> "Standing":
        """Leave out the label and the comment of rounds up to a number of the order of changes."""
        label = self.label if self.label and self.label.first > since else None
        return Standing(
            label, self.decision, self.said if self.said and self.said.first > since else label
        )


def _entry(row: tuple[Any, ...]) -> Entry:
    fields = dict(zip(_FIELDS, row, strict=False))
    fields["turn"] = None if row[8] == WHOLE else row[8]
    fields["blind"] = None if row[7] is None else bool(row[7])
    if row[22] is not None:
        fields["claims"] = json.loads(row[22]).get(CLAIMS)
    return Entry(
        key=row[18],
        label=Label(**fields),
        metric=row[19],
        labeler=row[20],
        at_us=row[21],
        uid=row[23],
        revision=row[24],
        first=row[25],
    )


def _select(
    conn: sqlite3.Connection, where: str, parameters: Iterable[object], **parts: str
) -> list[Entry]:
    query = _READ.format(
        source=parts.get("source", "labels l"), where=where, order=parts.get("order", "l.id")
    )
    return [_entry(row) for row in conn.execute(query, tuple(parameters))]


def metric_key(conn: sqlite3.Connection, name: str) -> int:
    """Give the key of a metric's name, made where absent; call inside `Project.write`."""
    row = conn.execute("SELECT id FROM metrics WHERE name = ?", (name,)).fetchone()
    if row is None:
        row = conn.execute(
            "INSERT INTO metrics(name) VALUES (?) RETURNING id", (name,)
        ).fetchall()[0]
    return int(row[0])


def read(conn: sqlite3.Connection, key: int) -> Entry | None:
    """Give one entry of the history, None where it left with the import that brought it."""
    found = _select(conn, "l.id = ?", (key,))
    return found[0] if found else None


def history(conn: sqlite3.Connection, evaluation: int) -> list[Entry]:
    """Give every entry of an evaluation, oldest first."""
    return _select(
        conn,
        "l.evaluation = ?",
        (evaluation,),
        order=f"ifnull(l.at_us, {NO_TIME}), l.id",
    )


def since(conn: sqlite3.Connection, seq: int, limit: int) -> list[Entry]:
    """Give at most `limit` entries after a number of the order of changes, in that order."""
    return _select(conn, "l.seq > ?", (seq,), order=f"l.seq LIMIT {int(limit)}")


def before(conn: sqlite3.Connection, entry: Entry) -> Entry | None:
    """Give what was current when an entry arrived, of the same labeler, thing and stream."""
    kinds = {"adjudication": "= 'adjudication'", "comment": "<> 'adjudication'"}
    track = kinds.get(entry.label.kind, "NOT IN ('adjudication', 'comment')")
    return _newest_before(conn, entry, track)


def said_before(conn: sqlite3.Connection, entry: Entry) -> Entry | None:
    """Give the entry whose comment counted when another of the same person and thing arrived."""
    return _newest_before(conn, entry, "<> 'adjudication'")


def _newest_before(conn: sqlite3.Connection, entry: Entry, kinds: str) -> Entry | None:
    found = _select(
        conn,
        "l.evaluation = ? AND l.metric = ? AND l.labeler = ? AND l.turn = ? AND l.id < ? "
        f"AND l.kind {kinds}",
        (
            entry.label.evaluation,
            entry.metric,
            entry.labeler,
            _turn(entry.label),
            entry.key,
        ),
        order=f"ifnull(l.at_us, {NO_TIME}) DESC, l.id DESC LIMIT 1",
    )
    return found[0] if found else None


def origin(conn: sqlite3.Connection, entry: Entry) -> Entry:
    """Give the entry whose place an entry takes: the one that it restores, else itself."""
    if entry.label.restores is None:
        return entry
    found = _select(
        conn,
        "l.evaluation = ? AND l.metric = ? AND l.labeler = ? AND l.turn = ? AND l.uid = ?",
        (
            entry.label.evaluation,
            entry.metric,
            entry.labeler,
            _turn(entry.label),
            entry.label.restores,
        ),
    )
    return next((x for x in found if x.decides == entry.decides), entry)


def current(
    conn: sqlite3.Connection, evaluation: int, *, me: int = 0, since: int = 0
) -> list[Entry]:
    """Give everybody's current entries of an evaluation with their comments, withdrawn ones too.

    They come in the order of their places, so that of several decisions the last one counts. Of
    `me`, entries of rounds up to `since` are left out.
    """
    entries = [
        x
        for x in _select(conn, "c.evaluation = ?", (evaluation,), source=_CURRENT, order=_IN_PLACE)
        if x.labeler != me or x.first > since
    ]
    comments = {_thing(x): x.label.comment for x in entries if x.label.kind == "comment"}
    labelled = {_thing(x) for x in entries if x.label.kind not in ("adjudication", "comment")}
    return [
        x if x.decides else replace(x, label=_commented(x, comments))
        for x in entries
        if x.label.kind != "comment" or _thing(x) not in labelled
    ]


def _commented(entry: Entry, comments: dict[tuple[int, int, int], str | None]) -> Label:
    own = entry.label
    return replace(own, comment=comments.get(_thing(entry), own.comment))


def _thing(entry: Entry) -> tuple[int, int, int]:
    return entry.metric, entry.labeler, _turn(entry.label)


def standing(conn: sqlite3.Connection, evaluation: int, *, metric: int, labeler: int) -> Standing:
    """Give what a labeler's entries on a metric of the whole evaluation come to."""
    entries = _select(
        conn,
        "c.evaluation = ? AND c.metric = ? AND c.labeler = ? AND c.turn = -1",
        (evaluation, metric, labeler),
        source=_CURRENT,
    )
    label = next((x for x in entries if x.label.kind not in ("adjudication", "comment")), None)
    comment = next((x for x in entries if x.label.kind == "comment"), label)
    return Standing(label, next((x for x in entries if x.decides), None), comment)


def live_time(earlier: Iterable[Entry | None]) -> str:
    """Give the time of a live entry: now, never before earlier ones."""
    text = now_text()
    micros = to_micros(text) or 0
    for entry in earlier:
        if entry and entry.at_us is not None and entry.at_us > micros and entry.label.at:
            text, micros = entry.label.at, entry.at_us
    return text


_COLUMNS = (
    "seq, evaluation, metric, labeler, turn, value, kind, comment, at, at_us, blind, seconds, "
    "revision, rubric_version, judge_version, selection_reason, selection_prob, aggregate, extra, "
    "uid, of, restores"
)
_APPEND = f"INSERT INTO labels({_COLUMNS}) VALUES ({', '.join('?' * 22)}) RETURNING id"
_KEEP = """
    INSERT OR REPLACE INTO current_labels
        (evaluation, metric, labeler, turn, decided, label, value, kind, blind, aggregate, at_us,
        place, comment)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_KEEP_COMMENT = """
    INSERT INTO current_labels
        (evaluation, metric, labeler, turn, decided, label, kind, at_us, place, comment)
    VALUES (?1, ?2, ?3, ?4, 0, ?5, 'comment', ?6, ?5, ?5)
    ON CONFLICT DO UPDATE SET comment = excluded.comment,
        label = iif(kind = 'comment', excluded.label, label),
        place = iif(kind = 'comment', excluded.place, place),
        at_us = iif(kind = 'comment', excluded.at_us, at_us)
"""
_DROP_DECISION = """
    DELETE FROM current_labels
    WHERE evaluation = ? AND metric = ? AND labeler = ? AND turn = ? AND decided = 1
"""


def append(
    conn: sqlite3.Connection,
    label: Label,
    *,
    metric: int,
    labeler: int,
    revision: int,
    restored: Entry | None = None,
) -> Entry:
    """Add a live entry to the history and make it current; call inside `Project.write`.

    With `restored`, as `origin` gives it, it takes the place of that entry.
    """
    if restored is not None:
        label = replace(label, restores=restored.uid)
    uid, turn, at_us = uids.fresh(), _turn(label), to_micros(label.at)
    blind = None if label.blind is None else int(label.blind)
    key = conn.execute(
        _APPEND,
        (
            label.seq, label.evaluation, metric, labeler, turn, label.value, label.kind,
            label.comment, label.at, at_us, blind, label.seconds, revision, label.rubric_version,
            label.judge_version, label.selection_reason, label.selection_prob, label.aggregate,
            _extra(label), uid, label.of, label.restores,
        ),
    ).fetchall()[0][0]  # fmt: skip
    entry = Entry(
        key=int(key), label=label, metric=metric, labeler=labeler, at_us=at_us, uid=uid,
        revision=revision, first=restored.first if restored else label.seq,
    )  # fmt: skip
    _keep(conn, entry, restored or entry)
    return entry


def _keep(conn: sqlite3.Connection, entry: Entry, place: Entry) -> None:
    """Make a new entry current, in the place of another one."""
    label = entry.label
    thing = (label.evaluation, entry.metric, entry.labeler, _turn(label))
    if label.kind == "comment":
        conn.execute(_KEEP_COMMENT, (*thing, entry.key, entry.at_us))
        return
    if entry.decides and label.value is None:
        conn.execute(_DROP_DECISION, thing)
        return
    blind = None if label.blind is None else int(label.blind)
    conn.execute(
        _KEEP,
        (*thing, int(entry.decides), entry.key, label.value, label.kind, blind, label.aggregate,
         place.at_us, place.key, entry.key),
    )  # fmt: skip
    if label.kind == "withdrawn" and label.of is None:
        conn.execute(_DROP_DECISION, thing)


def _extra(label: Label) -> str | None:
    """Pack what has no column as an import would, so that an export gives it again."""
    if label.claims is None:
        return None
    return entry_extra("label", {"judge_version": label.judge_version, CLAIMS: label.claims})


def _turn(label: Label) -> int:
    return WHOLE if label.turn is None else label.turn


def outdate(project: Project, imports: Sequence[int], evaluations: Sequence[int]) -> None:
    """Mark the labels that imports brought to evaluations as given beside another text."""
    if imports and evaluations:
        with project.write() as conn:
            conn.executemany(
                "UPDATE labels SET revision = 0 WHERE evaluation = ? AND import = ?",
                [(evaluation, number) for evaluation in evaluations for number in imports],
            )


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
