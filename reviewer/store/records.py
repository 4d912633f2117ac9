"""Read whole evaluations back as records of the native format, exactly as they came."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from pydantic_core import from_json

from reviewer.domain.record import LABEL_KEYS, MARK_KEYS, RECORD_KEYS, SCORE_KEYS
from reviewer.domain.uids import Uid, text_of
from reviewer.store import exclusions, tags
from reviewer.store.labels import NO_TIME
from reviewer.store.packing import COLUMN_KEYS, COLUMN_NAMES, is_named, unpack
from reviewer.store.project import Project
from reviewer.store.schema import WHOLE
from reviewer.store.scoping import Condition

Fields = dict[str, Any]
BLOCK = 256

_COLUMNS = ", ".join(f"e.{name}" for name in COLUMN_NAMES)
_EVALUATIONS = f"SELECT e.id, e.ext_id, e.extra, e.turns, e.revision, {_COLUMNS} FROM "
_SCORES = (
    "SELECT evaluation, metric, score_set, turn, value, reasoning, at, extra, at_us, latest "
    "FROM scores "
    "WHERE evaluation {among} AND ordinal >= 0 "
    "ORDER BY evaluation, metric, score_set, turn, ordinal"
)
_TURNS = (
    "SELECT evaluation, body FROM turns WHERE evaluation {among} ORDER BY evaluation, position"
)
_LABELS = (
    "SELECT evaluation, extra, metric, labeler, value, comment, at, blind, "
    f"nullif(kind, 'label'), of, nullif(turn, {WHOLE}), seconds, rubric_version, "
    "aggregate, selection_reason, selection_prob, judge_version, uid, restores FROM labels "
    "WHERE evaluation {among} "
    f"ORDER BY evaluation, ifnull(at_us, {NO_TIME}), id"
)
_MARKS = (
    "SELECT evaluation, extra, kind, labeler, at, metric, turn, span_start, span_end, note, "
    "value, uid, restores FROM marks WHERE evaluation {among} ORDER BY evaluation, id"
)
_RANGE = "BETWEEN ? AND ?"
_LIST = "IN (SELECT value FROM json_each(?))"
_RECORD_PLACES = tuple(enumerate(COLUMN_KEYS, start=5))
_LABEL_PLACES = tuple(enumerate(LABEL_KEYS[3:-2], start=5))
_BLIND = 7
_AT, _LATEST = 8, 9
"""Places in a row of scores."""
_MARK_REST = MARK_KEYS[2:-2]
Among = tuple[str, tuple[int, int] | tuple[str]]
"""Which evaluations: an SQL condition and its parameters."""


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """A score set's part of a score, and its place in the order of exports."""

    fields: Fields
    order: tuple[str, str, str, str, str]
    in_order: bool
    """its keys stand together in the format's order"""


class Stored(NamedTuple):
    """A record as stored, with the project's number and the revision of its text.

    Attributes:
        tags: The list of tags that the record came with, where people changed it since; empty
            where it had none.
    """

    key: int
    revision: int
    fields: Fields
    tags: list[str] | None = None

    @property
    def as_it_came(self) -> Fields:
        """Give the fields with the tags that the record came with."""
        if self.tags is None:
            return self.fields
        return _with_tags(self.fields, self.tags)


class RecordReader:
    """Read evaluations block by block; names and score sets are looked up once."""

    def __init__(self, project: Project, *, uids: bool = False) -> None:
        """Look up the names of the project.

        With `uids` every label and mark says its `uid`, not only where something names it.
        """
        self._conn = project.conn
        self._uids = uids
        self.refresh_names()

    def refresh_names(self) -> None:
        """Look up the names of the project again, after some were added."""
        self.metrics: dict[int, str] = dict(self._conn.execute("SELECT id, name FROM metrics"))
        self.labelers: dict[int, str] = dict(self._conn.execute("SELECT id, name FROM labelers"))
        self.score_sets = {
            row[0]: _score_set(row[1:])
            for row in self._conn.execute(
                "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets"
            )
        }

    def of_run(
        self, run: tuple[int, str], ranks: dict[str, int], within: Condition | None = None
    ) -> Iterator[Stored]:
        """Read a run's visible evaluations in the order of their arrival.

        Args:
            run: The run's number and name.
            ranks: The place of each metric in the rubric.
            within: A further condition on `e`.
        """
        also = f" AND {within.sql}" if within else ""
        query = (
            f"{_EVALUATIONS}visible_evaluations e WHERE e.run = ? AND e.id > ?{also} "
            f"ORDER BY e.id LIMIT {BLOCK}"
        )
        last = 0
        while True:
            block = self._conn.execute(
                query, (run[0], last, *(within.parameters if within else ()))
            ).fetchall()
            if not block:
                return
            last = block[-1][0]
            yield from self._records(block, run[1], ranks)

    def of_keys(
        self, keys: Iterable[int], run: str, ranks: dict[str, int] | None = None
    ) -> Iterator[Stored]:
        """Read evaluations of one run by number, also those that are not visible yet."""
        query = (
            f"{_EVALUATIONS}evaluations e "
            "WHERE e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id"
        )
        yield from self._records(
            self._conn.execute(query, (_listed(keys),)).fetchall(), run, ranks or {}
        )

    def labels_of(self, keys: Iterable[int]) -> dict[int, tuple[int, list[Fields]]]:
        """Give revision and labels of evaluations by number, without their texts."""
        listed = (_listed(keys),)
        labels = self._labels((_LIST, listed))
        return {
            key: (revision, labels.get(key, []))
            for key, revision in self._conn.execute(
                f"SELECT id, revision FROM evaluations WHERE id {_LIST}", listed
            )
        }

    def _records(
        self, block: Sequence[tuple[Any, ...]], run: str, ranks: dict[str, int]
    ) -> Iterator[Stored]:
        keys = _among([row[0] for row in block])
        parts: dict[str, dict[int, Any]] = {
            "scores": self._scores(keys, ranks),
            "labels": self._labels(keys),
            "marks": self._marks(keys),
            "messages": self._turns(keys) if any(row[3] for row in block) else {},
            "excluded": exclusions.records(self._conn, *keys),
        }
        parts = {name: found for name, found in parts.items() if found}
        used = _used(block, _RECORD_PLACES)
        changes = tags.changes(self._conn, *keys)
        for row in block:
            key = row[0]
            fields: Fields = {"id": row[1], "run": run}
            for place, name in used:
                value = row[place]
                if value is not None:
                    fields[name] = value
            for name, found in parts.items():
                if key in found:
                    fields[name] = found[key]
            if row[2] is not None or row[3]:
                fields = unpack(fields, row[2], RECORD_KEYS)
            stored = Stored(key, row[4], fields)
            yield _retagged(stored, changes[key]) if key in changes else stored

    def _turns(self, among: Among) -> dict[int, list[Any]]:
        turns: dict[int, list[Any]] = defaultdict(list)
        for key, body in self._conn.execute(_TURNS.format(among=among[0]), among[1]):
            turns[key].append(from_json(body))
        return turns

    def _scores(self, among: Among, ranks: dict[str, int]) -> dict[int, list[Fields]]:
        found: dict[int, list[Fields]] = {}
        sets, names = self.score_sets, self.metrics
        current = -1
        rows = self._conn.execute(_SCORES.format(among=among[0]), among[1]).fetchall()
        for key, metric, score_set, turn, value, reasoning, at, extra, _, _ in rows:
            if key != current:
                current = key
                entries = found[key] = []
            origin = sets[score_set]
            fields: Fields = {"metric": names[metric], "value": value}
            if reasoning is not None:
                fields["reasoning"] = reasoning
            fields |= origin.fields
            if at is not None:
                fields["at"] = at
            if turn != WHOLE:
                fields["turn"] = turn
            if extra is not None or not origin.in_order:
                fields = unpack(fields, extra, SCORE_KEYS)
            entries.append(fields)
        self._sort(found, rows, self._places(ranks))
        return found

    def _places(self, ranks: dict[str, int]) -> dict[int, int]:
        """Give the place of every metric in the order of exports: the rubric's, then by name."""
        last = len(ranks)
        ordered = sorted(
            self.metrics, key=lambda key: (ranks.get(self.metrics[key], last), self.metrics[key])
        )
        return {key: place for place, key in enumerate(ordered)}

    def _sort(
        self,
        found: dict[int, list[Fields]],
        rows: Sequence[tuple[Any, ...]],
        places: dict[int, int],
    ) -> None:
        """Sort scores by metric, scorer and time; equal ones stay as they arrived.

        No other value of a version comes before the one that counts: of a file, the first does.
        """
        # rows come by metric number, which nearly always is the order wanted
        astray = {
            row[0]
            for before, row in pairwise(rows)
            if row[0] == before[0] and places[row[1]] <= places[before[1]]
        }
        several = [row for row in rows if row[0] in astray] if astray else []
        counting = {row[:4]: _moment(row[_AT]) for row in several if row[_LATEST]}
        keys: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        passed: set[tuple[Any, ...]] = set()
        for row in several:
            own, group = keys[row[0]], row[:4]
            moment, is_late = _moment(row[_AT]), False
            if row[_LATEST]:
                passed.add(group)
            elif group in counting and not found[row[0]][len(own)].get("error"):
                first = counting[group]
                is_late = moment < first or (moment == first and group not in passed)
                moment = max(moment, first)
            order = self.score_sets[row[2]].order
            own.append((places[row[1]], order[0], moment, order, row[3], is_late))
        for key, own in keys.items():
            entries = found[key]
            found[key] = [entries[at] for at in sorted(range(len(own)), key=own.__getitem__)]

    def _labels(self, among: Among) -> dict[int, list[Fields]]:
        found: dict[int, list[Fields]] = defaultdict(list)
        rows = self._conn.execute(_LABELS.format(among=among[0]), among[1]).fetchall()
        used = _used(rows, _LABEL_PLACES)
        metrics, labelers, named = self.metrics, self.labelers, _restored(rows)
        for row in rows:
            fields: Fields = {
                "metric": metrics[row[2]], "labeler": labelers[row[3]], "value": row[4],
            }  # fmt: skip
            for place, name in used:
                value = row[place]
                if value is not None:
                    fields[name] = bool(value) if place == _BLIND else value
            self._name(fields, row, named)
            found[row[0]].append(fields if row[1] is None else unpack(fields, row[1], LABEL_KEYS))
        return found

    def _marks(self, among: Among) -> dict[int, list[Fields]]:
        found: dict[int, list[Fields]] = defaultdict(list)
        rows = self._conn.execute(_MARKS.format(among=among[0]), among[1]).fetchall()
        named = _restored(rows)
        for row in rows:
            found[row[0]].append(self._mark(row, named))
        return found

    def _name(self, fields: Fields, row: tuple[Any, ...], named: frozenset[Uid]) -> None:
        """Say an entry's number where something needs it, and which entry it restores."""
        *_, uid, restores = row
        if self._uids or uid in named or is_named(row[1]):
            fields["uid"] = text_of(uid)
        if restores is not None:
            fields["restores"] = text_of(restores)

    def _mark(self, row: tuple[Any, ...], named: frozenset[Uid]) -> Fields:
        fields: Fields = {"kind": row[2], "labeler": self.labelers[row[3]]}
        for name, value in zip(_MARK_REST, row[4:-2], strict=True):
            if value is not None:
                fields[name] = value
        if row[5] is not None:
            fields["metric"] = self.metrics[row[5]]
        self._name(fields, row, named)
        return fields if row[1] is None else unpack(fields, row[1], MARK_KEYS)


def _restored(rows: Sequence[tuple[Any, ...]]) -> frozenset[Uid]:
    return frozenset(row[-1] for row in rows if row[-1] is not None)


def _retagged(stored: Stored, since: dict[str, bool]) -> Stored:
    came_with = stored.fields.get("tags") or []
    now = tags.changed(came_with, since)
    if now == came_with:
        return stored
    return stored._replace(fields=_with_tags(stored.fields, now), tags=came_with)


def _with_tags(fields: Fields, now: list[str]) -> Fields:
    """Put other tags into a record, at the place of the key."""
    if "tags" in fields or not now:
        changed = {key: now if key == "tags" else value for key, value in fields.items()}
        if not now:
            changed.pop("tags", None)
        return changed
    before = frozenset(RECORD_KEYS[: RECORD_KEYS.index("tags")])
    last = max(place for place, key in enumerate(fields) if key in before)
    pairs = list(fields.items())
    return dict([*pairs[: last + 1], ("tags", now), *pairs[last + 1 :]])


def _used(
    rows: Sequence[tuple[Any, ...]], places: Iterable[tuple[int, str]]
) -> list[tuple[int, str]]:
    """Give the places that hold anything in any of the rows; most are empty everywhere."""
    columns = list(zip(*rows, strict=True))
    return [] if not rows else [x for x in places if columns[x[0]].count(None) < len(rows)]


def _among(keys: Sequence[int]) -> Among:
    """Name evaluations, given in ascending order, in the way that SQLite finds fastest."""
    if keys and keys[-1] - keys[0] + 1 == len(keys):
        return _RANGE, (keys[0], keys[-1])
    return _LIST, (_listed(keys),)


def _listed(keys: Iterable[int]) -> str:
    return "[" + ",".join(map(str, keys)) + "]"


def _score_set(row: tuple[Any, ...]) -> ScoreSet:
    scorer, version, model, prompt_hash, parameters = row
    named = {"scorer": scorer or None, "scorer_version": version, "model": model,
             "prompt_hash": prompt_hash,
             "parameters": None if parameters is None else from_json(parameters)}  # fmt: skip
    fields = {name: value for name, value in named.items() if value is not None}
    return ScoreSet(
        fields,
        (scorer or "", version or "", model or "", prompt_hash or "", parameters or ""),
        in_order=fields.keys() <= {"scorer", "scorer_version"},
    )


def _moment(micros: int | None) -> int:
    return NO_TIME if micros is None else micros
