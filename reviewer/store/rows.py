"""Turn checked records into rows of every table they touch, names and entries with numbers."""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from reviewer.domain import uids
from reviewer.domain.evaluation import to_micros
from reviewer.domain.run import telling
from reviewer.domain.uids import Uid
from reviewer.store import labelers, packing, unseen
from reviewer.store.packing import dump
from reviewer.store.project import Project
from reviewer.store.schema import WHOLE

SetKey = tuple[str, str | None, str | None, str | None, str | None]
_FIND_SET = (
    "SELECT id FROM score_sets WHERE scorer = ? AND ifnull(version, '') = ifnull(?, '') "
    "AND ifnull(model, '') = ifnull(?, '') AND ifnull(prompt_hash, '') = ifnull(?, '') "
    "AND ifnull(parameters, '') = ifnull(?, '')"
)


class Names:
    """Numbers of names, looked up once; a new name is stored in a transaction of its own.

    Attributes:
        metrics: The numbers of the metrics met so far.
        plain_sets: The numbers of score sets met so far that are a scorer and version alone.
        made: Tables and numbers of what was made here, so that an import can promote people.
        spells: Whether the `uid` of an entry counts as a part of the file, to be written again.
    """

    def __init__(self, project: Project, number: int | None = None) -> None:
        """Start without knowing any name; those that an import (its number) makes stay unseen."""
        self._project = project
        self._import = number
        self.metrics: dict[str, int] = {}
        self._labelers: dict[str, int] = {}
        self.plain_sets: dict[tuple[str | None, str | None], int] = {}
        self._sets: dict[SetKey, int] = {}
        self._runs: dict[int, str] = {}
        self.made: list[tuple[str, int]] = []
        self.spells = True

    def metric(self, name: str) -> int:
        """Give the number of a metric."""
        key = self.metrics.get(name)
        if key is None:
            key = self.metrics[name] = self._named("metrics", name)
        return key

    def labeler(self, name: str) -> int:
        """Give the number of a labeler."""
        key = self._labelers.get(name)
        if key is None:
            key = self._labelers[name] = self._named("labelers", name)
        return key

    def run(self, key: int) -> str:
        """Give the name of a run."""
        name = self._runs.get(key)
        if name is None:
            row = self._project.conn.execute(
                "SELECT name FROM runs WHERE id = ?", (key,)
            ).fetchone()
            name = self._runs[key] = str(row[0]) if row else ""
        return name

    def score_set(self, score: dict[str, Any]) -> int:
        """Give the number of a score's set: scorer, version, model, prompt and parameters."""
        scorer, version = score.get("scorer"), score.get("scorer_version")
        if "model" not in score and "prompt_hash" not in score and "parameters" not in score:
            key = self.plain_sets.get((scorer, version))
            if key is None:
                key = self._set((scorer or "", version or None, None, None, None))
                self.plain_sets[scorer, version] = key
            return key
        parameters = telling(score.get("parameters"))
        return self._set(
            (
                scorer or "",
                version or None,
                score.get("model") or None,
                score.get("prompt_hash") or None,
                None if parameters is None else dump(parameters),
            )
        )

    def _set(self, identity: SetKey) -> int:
        key = self._sets.get(identity)
        if key is not None:
            return key
        with self._project.write() as conn:
            row = conn.execute(_FIND_SET, identity).fetchone()
            if row is None:
                row = conn.execute(
                    "INSERT INTO score_sets(scorer, version, model, prompt_hash, parameters) "
                    "VALUES (?, ?, ?, ?, ?) RETURNING id",
                    identity,
                ).fetchall()[0]
                self._note(conn, "score_sets", int(row[0]))
            else:
                unseen.take_over(conn, "score_sets", int(row[0]))
        self._sets[identity] = int(row[0])
        return int(row[0])

    def _named(self, table: str, name: str) -> int:
        with self._project.write() as conn:
            row = conn.execute(f"SELECT id FROM {table} WHERE name = ?", (name,)).fetchone()
            if row is None:
                made = _ADD[table](conn, name)
                self._note(conn, table, made)
                return made
            unseen.take_over(conn, table, int(row[0]))
        return int(row[0])

    def _note(self, conn: sqlite3.Connection, table: str, key: int) -> None:
        self.made.append((table, key))
        if self._import is not None:
            unseen.note(conn, self._import, table, key)


def _add_metric(conn: sqlite3.Connection, name: str) -> int:
    return int(
        conn.execute("INSERT INTO metrics(name) VALUES (?) RETURNING id", (name,)).fetchall()[0][0]
    )


_ADD = {"metrics": _add_metric, "labelers": labelers.add}


Kind = Literal["label", "mark", "exclusion", "tag"]
_OF_MARKS = ("kind", "labeler", "at", "metric", "turn", "start", "end", "note", "value")
_OF_EXCLUSIONS = ("reason", "by", "at")


Fields = dict[str, Any]


class EntryUids:
    """Numbers the entries of one evaluation, none twice."""

    def __init__(self, run: str, name: str, taken: Iterable[Uid] = ()) -> None:
        """Begin with those that are `taken` already; an evaluation is named by run and id."""
        self._place = (run, name)
        self._taken = set(taken)

    @classmethod
    def beside(cls, run: str, name: str, known: Iterable[Fields]) -> Self:
        """Number new entries of an evaluation apart from those that it has."""
        taken = (uids.from_text(entry.get("uid") or "") for entry in known)
        return cls(run, name, [uid for uid in taken if uid is not None])

    def of_label(self, label: Fields) -> Uid:
        """Give a label's number."""
        get, kind = label.get, label.get("kind") or "label"
        says = get("comment") if kind == "comment" else get("value")
        return self._own(label) or self.following(
            "label", label["metric"], label["labeler"], get("turn"), get("at"), kind, get("of"),
            says,
        )  # fmt: skip

    def of_mark(self, mark: Fields) -> Uid:
        """Give a mark's number."""
        return self._own(mark) or self.following("mark", *(mark.get(key) for key in _OF_MARKS))

    def of_exclusion(self, excluded: Fields) -> Uid:
        """Give an exclusion's number."""
        return self.following("exclusion", *(excluded.get(key) for key in _OF_EXCLUSIONS))

    def following(self, kind: Kind, *content: object) -> Uid:
        """Give the number that follows from content; exact repeats are counted."""
        parts = [int(x) if isinstance(x, bool) else x for x in content]
        count = 0
        while (found := uids.of_content(kind, *self._place, *parts, count)) in self._taken:
            count += 1
        self._taken.add(found)
        return found

    def _own(self, entry: Fields) -> Uid | None:
        given = entry.get("uid")
        found = None if given is None else uids.from_text(given)
        if found is None or found in self._taken:
            return None
        self._taken.add(found)
        return found


def restored(entry: Fields) -> Uid | None:
    """Give the number of the entry that an entry of a file restores."""
    named = entry.get("restores")
    return None if named is None else uids.from_text(named)


Row = tuple[Any, ...]

EVALUATIONS = (
    f"INSERT INTO evaluations(id, run, ext_id, {', '.join(packing.COLUMN_NAMES)}, title, dated, "
    f"extra, turns, import) VALUES ({', '.join('?' * (len(packing.COLUMN_NAMES) + 8))})"
)
SCORES = (
    "INSERT INTO scores(evaluation, metric, score_set, turn, ordinal, value, reasoning, at, "
    "extra, latest, import, at_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
LABELS = (
    "INSERT INTO labels(seq, evaluation, metric, labeler, turn, value, kind, comment, at, at_us, "
    "blind, seconds, rubric_version, judge_version, selection_reason, selection_prob, aggregate, "
    f"extra, import, revision, uid, of, restores) VALUES ({', '.join('?' * 23)})"
)
MARKS = (
    "INSERT INTO marks(seq, evaluation, kind, labeler, at, metric, turn, span_start, span_end, "
    f"note, value, extra, import, uid, restores) VALUES ({', '.join('?' * 15)})"
)
UIDS = {"labels": (-3, -1), "marks": (-2, -1), "exclusions": (-1,)}
"""Where the rows of these tables have numbers of entries."""
TURNS = "INSERT INTO turns(evaluation, position, role, body) VALUES (?, ?, ?, ?)"
EXCLUSIONS = (
    "INSERT OR IGNORE INTO exclusions(seq, evaluation, reason, labeler, at, extra, import, uid) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
TAGS = "INSERT OR IGNORE INTO tags(tag, evaluation) VALUES (?, ?)"
SEARCH = "INSERT INTO search(rowid, input, response, conversation) VALUES (?, ?, ?, ?)"
UNSEARCH = (
    "INSERT INTO search(search, rowid, input, response, conversation) "
    "VALUES ('delete', ?, ?, ?, ?)"
)


@dataclass(slots=True)
class Rows:
    """Rows by table, ready for `executemany`; those of people still lack their seq."""

    evaluations: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    turns: list[Row] = field(default_factory=list)
    tags: list[Row] = field(default_factory=list)
    search: list[Row] = field(default_factory=list)
    labels: list[Row] = field(default_factory=list)
    marks: list[Row] = field(default_factory=list)
    exclusions: list[Row] = field(default_factory=list)
    files: list[tuple[int, str, str, bytes]] = field(default_factory=list)
    """evaluation, path, sha256, content"""
    labelled: set[int] = field(default_factory=set)


def add_record(rows: Rows, names: Names, fields: Fields, place: tuple[int, int, int]) -> None:
    """Add a new evaluation with everything that belongs to it.

    Args:
        rows: Where the rows go.
        names: Numbers of metrics, labelers and score sets.
        fields: The checked record.
        place: The numbers of the evaluation, its run and the import.
    """
    key, run, number = place
    get = fields.get
    messages = get("messages")
    filled: list[str] = []
    values = [get(name) for name in packing.COLUMN_KEYS]
    if messages:
        if "response" not in fields:
            values[_RESPONSE] = packing.last_answer(messages)
            if values[_RESPONSE] is not None:
                filled.append("response")
        rows.turns.extend(
            (key, position, turn["role"], packing.dump(turn))
            for position, turn in enumerate(messages)
        )
    scores = get("scores")
    rows.evaluations.append(
        (
            key, run, fields["id"], *values, packing.title(fields), dated(fields),
            packing.record_extra(fields, filled), len(messages) if messages else 0, number,
        )
    )  # fmt: skip
    rows.search.append((key, *packing.search_texts(fields, values[_RESPONSE])))
    if scores:
        rows.scores.extend(score_rows(names, scores, key, number))
    if get("tags"):
        rows.tags.extend((tag, key) for tag in fields["tags"])
    if get("excluded") or get("labels") or get("marks"):
        numbers = EntryUids(names.run(run), fields["id"])
        if get("excluded"):
            uid = numbers.of_exclusion(fields["excluded"])
            rows.exclusions.append(exclusion_row(names, fields["excluded"], (key, number), uid))
        add_people(rows, names, fields, (key, number, 1), numbers)


_RESPONSE = packing.COLUMN_KEYS.index("response")


def add_people(
    rows: Rows,
    names: Names,
    fields: Fields,
    place: tuple[int, int | None, int],
    numbers: EntryUids,
) -> None:
    """Add a record's labels and marks.

    Args:
        rows: Where the rows go.
        names: Numbers of metrics and labelers.
        fields: `labels` and `marks`, checked.
        place: The numbers of the evaluation and the import, and the evaluation's revision.
        numbers: What every entry is numbered by.
    """
    key, number, revision = place
    if not (fields.get("labels") or fields.get("marks")):
        return
    rows.labelled.add(key)
    for label in fields.get("labels") or ():
        get = label.get
        at = get("at")
        rows.labels.append(
            (
                key, names.metric(label["metric"]), names.labeler(label["labeler"]),
                _turn(label), get("value"), get("kind") or "label", get("comment"), at,
                to_micros(at), get("blind"), get("seconds"), get("rubric_version"),
                get("judge_version"), get("selection_reason"), get("selection_prob"),
                get("aggregate"), packing.entry_extra("label", _spelt(names, label)), number,
                revision, numbers.of_label(label), get("of"), restored(label),
            )
        )  # fmt: skip
    for mark in fields.get("marks") or ():
        get = mark.get
        metric = get("metric")
        rows.marks.append(
            (
                key, mark["kind"], names.labeler(mark["labeler"]), get("at"),
                None if metric is None else names.metric(metric), get("turn"), get("start"),
                get("end"), get("note"), get("value"),
                packing.entry_extra("mark", _spelt(names, mark)), number, numbers.of_mark(mark),
                restored(mark),
            )
        )  # fmt: skip


def _spelt(names: Names, entry: Fields) -> Fields:
    """Give what an entry of a file says, its `uid` only where that belongs to it."""
    if names.spells or "uid" not in entry:
        return entry
    return {key: value for key, value in entry.items() if key != "uid"}


def exclusion_row(names: Names, excluded: Fields, place: tuple[int, int], uid: Uid) -> Row:
    """Give the row of an exclusion, checked, without its seq; place: evaluation and import."""
    by, (key, number) = excluded.get("by"), place
    return (
        key, excluded["reason"], None if by is None else names.labeler(by), excluded.get("at"),
        packing.entry_extra("exclusion", excluded), number, uid,
    )  # fmt: skip


def _turn(entry: Fields) -> int:
    turn = entry.get("turn")
    return WHOLE if turn is None else int(turn)


def score_rows(names: Names, scores: list[Fields], key: int, number: int | None) -> list[Row]:
    """Give the rows of an evaluation's scores, the one that counts of each group marked."""
    made: list[Row] = []
    seen: set[tuple[int, int, int]] = set()
    for score in scores:
        get = score.get
        value, scorer = get("value"), get("scorer")
        metric = names.metrics.get(score["metric"]) or names.metric(score["metric"])
        if score.keys() <= _PLAIN and scorer and value.__class__ in _NUMBERS:
            # nearly every score of nearly every file
            known = names.plain_sets.get((scorer, None)) or names.score_set(score)
            turn, extra, latest = WHOLE, None, 1
            if None in score.values():
                extra = packing.entry_extra("score", score)
        else:
            known, turn = names.score_set(score), _turn(score)
            extra = packing.entry_extra("score", score)
            latest = 0 if value is None or get("error") else 1
        group = (metric, known, turn)
        ordinal = 0
        if group in seen:
            ordinal = sum(row[1:4] == group for row in made)
        else:
            seen.add(group)
        if ordinal and latest:
            # what the same version says again is a repeat
            latest = not any(row[_LATEST] for row in made if row[1:4] == group)
        at = get("at")
        made.append(
            (key, metric, known, turn, ordinal, value, get("reasoning"), at, extra, int(latest),
             number, to_micros(at))
        )  # fmt: skip
    return made


def count_scored(
    counts: dict[tuple[int, int], dict[int, int]], scores: Iterable[Row], runs: Mapping[int, int]
) -> None:
    """Count by run and metric how many evaluations each score set scored, as they come.

    Args:
        counts: Where they are added.
        scores: Rows of scores.
        runs: The run of each of their evaluations.
    """
    for row in scores:
        if row[3] == WHOLE and row[_LATEST]:
            mine = counts.setdefault((runs[row[0]], row[1]), {})
            mine[row[2]] = mine.get(row[2], 0) + 1


_NUMBERS = frozenset({int, float})
_PLAIN = frozenset({"metric", "value", "reasoning", "scorer", "at"})


_LATEST = 9


def dated(fields: Fields) -> int | None:
    """Give an evaluation's date: `evaluated_at`, else `occurred_at`, else its newest score's."""
    for name in ("evaluated_at", "occurred_at"):
        micros = to_micros(fields.get(name))
        if micros is not None:
            return micros
    times = [to_micros(score.get("at")) for score in fields.get("scores") or ()]
    return max((time for time in times if time is not None), default=None)


def add_file(rows: Rows, key: int, path: str, content: bytes) -> None:
    """Add a file that a turn refers to by its path."""
    rows.files.append((key, path, hashlib.sha256(content).hexdigest(), content))
