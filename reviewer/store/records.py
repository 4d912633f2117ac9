"""Read whole evaluations back as records of the native format, exactly as they came."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from sqlite3 import Connection
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

from reviewer.domain.record import LABEL_KEYS, MARK_KEYS, RECORD_KEYS, SCORE_KEYS
from reviewer.domain.uids import Uid, from_text, text_of
from reviewer.store import exclusions, tags
from reviewer.store.labels import NO_TIME
from reviewer.store.packing import COLUMN_KEYS, COLUMN_NAMES, is_named, unpack
from reviewer.store.project import Project
from reviewer.store.schema import WHOLE
from reviewer.store.scoping import Condition

Fields = dict[str, Any]
BLOCK = 256

_EVALUATIONS = ("e.id", "e.ext_id", "e.extra", "e.turns", "e.revision")
_OF_SCORES = (
    "FROM scores WHERE evaluation {among} AND ordinal >= 0 "
    "ORDER BY evaluation, metric, score_set, turn, ordinal"
)
_SCORES = f"SELECT evaluation, metric, score_set, turn, value, reasoning, at, extra {_OF_SCORES}"
_MOMENTS = f"SELECT evaluation, metric, score_set, turn, at_us, latest {_OF_SCORES}"
_TURNS = (
    "SELECT evaluation, body FROM turns WHERE evaluation {among} ORDER BY evaluation, position"
)
_LABELS = ("evaluation", "extra", "uid", "restores", "metric", "labeler", "value",
           f"ifnull(at_us, {NO_TIME})", "id")  # fmt: skip
_IN_ORDER = itemgetter(0, 7, 8)
_MARKS = (
    "SELECT evaluation, extra, uid, restores, kind, labeler, at, metric, turn, span_start, "
    "span_end, note, value FROM marks WHERE {among} ORDER BY evaluation, id"
)
_RANGE = "BETWEEN ? AND ?"
_LIST = "IN (SELECT value FROM json_each(?))"
_ALIKE = f"evaluation {_LIST} AND (at IS NULL OR at {_LIST} OR hex(uid) {_LIST})"
_LABEL_COLUMNS = {key: key for key in LABEL_KEYS[3:-2]} | {
    "kind": "nullif(kind, 'label')",
    "turn": f"nullif(turn, {WHOLE})",
}
_LACKS_ONE = itemgetter(-1)
_AT, _LATEST = 4, 5
"""Places in a row of moments."""
_MARK_REST = MARK_KEYS[2:-2]
Among = tuple[str, tuple[int, int] | tuple[str]]
"""Which evaluations: an SQL condition and its parameters."""
Row = tuple[Any, ...]
Places = Sequence[tuple[int, str]]
"""Where in a row the columns are that may be empty, and which."""


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


class _Optional:
    """The columns of a table that may be empty: all are read at first, then what held anything.

    To read an empty one takes as long as to read a full one; the others are asked for together.
    """

    def __init__(self, always: Sequence[str], columns: dict[str, str]) -> None:
        """Take the columns that stand before them in a row, and these by key, all in SQL."""
        self._always, self._columns = always, columns
        self._held: set[str] = set()
        self._ask(columns)

    def _ask(self, keys: Collection[str]) -> None:
        asked = [key for key in self._columns if key in keys]
        rest = [sql for key, sql in self._columns.items() if key not in keys]
        columns = [
            *self._always,
            *map(self._columns.__getitem__, asked),
            f"coalesce({', '.join(('NULL', 'NULL', *rest))}) IS NOT NULL",
        ]
        self._query = f"SELECT {', '.join(columns)} FROM "
        self._places = tuple(enumerate(asked, start=len(self._always)))

    def rows(
        self, conn: Connection, source: str, values: Sequence[object]
    ) -> tuple[list[Row], Places]:
        """Read what follows FROM, and give the places of those columns that are in its rows."""
        rows = conn.execute(self._query + source, values).fetchall()
        if any(map(_LACKS_ONE, rows)):
            self._ask(self._columns)
            rows = conn.execute(self._query + source, values).fetchall()
        places = self._places
        if rows and len(places) > len(self._held):
            columns = list(zip(*rows, strict=True))
            self._held |= {key for at, key in places if columns[at].count(None) < len(rows)}
            self._ask(self._held)
        return rows, places


class RecordReader:
    """Read evaluations block by block; names and score sets are looked up once."""

    def __init__(
        self, project: Project, *, uids: bool = False, keys: Collection[str] | None = None
    ) -> None:
        """Look up the names of the project.

        Args:
            project: The project.
            uids: Whether every label and mark says its `uid`, not only where something names it.
            keys: What is wanted of a record; other keys with a column or a table of their own are
                not read. None for all.
        """
        self._conn = project.conn
        self._uids = uids
        self._keys = frozenset(RECORD_KEYS if keys is None else keys)
        columns = zip(COLUMN_KEYS, COLUMN_NAMES, strict=True)
        wanted = {key: f"e.{name}" for key, name in columns if key in self._keys}
        self._evaluations = _Optional(_EVALUATIONS, wanted)
        self._of_labels = _Optional(_LABELS, _LABEL_COLUMNS)
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
        source = (
            f"visible_evaluations e WHERE e.run = ? AND e.id > ?{also} ORDER BY e.id LIMIT {BLOCK}"
        )
        values = within.parameters if within else ()
        last = 0
        while True:
            block, places = self._evaluations.rows(self._conn, source, (run[0], last, *values))
            if not block:
                return
            last = block[-1][0]
            yield from self._records(block, places, run[1], ranks)

    def of_keys(
        self, keys: Iterable[int], run: str, ranks: dict[str, int] | None = None
    ) -> Iterator[Stored]:
        """Read evaluations of one run by number, also those that are not visible yet."""
        source = f"evaluations e WHERE e.id {_LIST} ORDER BY e.id"
        block, places = self._evaluations.rows(self._conn, source, (_listed(keys),))
        yield from self._records(block, places, run, ranks or {})

    def labels_of(self, keys: Iterable[int]) -> dict[int, tuple[int, list[Fields]]]:
        """Give revision and labels of evaluations by number, without their texts."""
        listed = (_listed(keys),)
        labels = self._labels(f"evaluation {_LIST}", listed)
        return {
            key: (revision, labels.get(key, []))
            for key, revision in self._conn.execute(
                f"SELECT id, revision FROM evaluations WHERE id {_LIST}", listed
            )
        }

    def changed_at(self, numbers: Iterable[int]) -> dict[tuple[int, str], Fields]:
        """Give the labels and marks of some numbers of the order of changes, by key and `uid`."""
        among = f"seq {_LIST}", (_listed(numbers),)
        return {
            (key, entry["uid"]): entry
            for table in (self._labels(*among), self._marks(*among))
            for key, entries in table.items()
            for entry in entries
        }

    def alike(self, keys: Iterable[int], given: Iterable[Fields]) -> dict[int, dict[str, Any]]:
        """Give labels and marks of evaluations that may be among those given, by key and table.

        Those are of the same `uid` or of the same time; an evaluation may have many more.
        """
        wanted = list(given)
        times = to_json([x["at"] for x in wanted if "at" in x]).decode()
        uids = (from_text(x["uid"]) for x in wanted if "uid" in x)
        numbers = to_json([uid.hex().upper() for uid in uids if uid is not None]).decode()
        among = _ALIKE, (_listed(keys), times, numbers)
        labels, marks = self._labels(*among), self._marks(*among)
        return {
            key: {"labels": labels.get(key, []), "marks": marks.get(key, [])}
            for key in {*labels, *marks}
        }

    def _records(
        self, block: Sequence[Row], places: Places, run: str, ranks: dict[str, int]
    ) -> Iterator[Stored]:
        keys = _among([row[0] for row in block])
        tables: dict[str, Callable[[], dict[int, Any]]] = {
            "scores": lambda: self._scores(keys, ranks),
            "labels": lambda: self._labels(f"evaluation {keys[0]}", keys[1]),
            "marks": lambda: self._marks(f"evaluation {keys[0]}", keys[1]),
            "messages": lambda: self._turns(keys) if any(row[3] for row in block) else {},
            "excluded": lambda: exclusions.records(self._conn, *keys),
        }
        parts = {
            name: found
            for name, read in tables.items()
            if name in self._keys and (found := read())
        }
        changes = tags.changes(self._conn, *keys)
        for row in block:
            key = row[0]
            fields: Fields = {"id": row[1], "run": run}
            for place, name in places:
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
        astray: set[int] = set()
        sets, names, places = self.score_sets, self.metrics, self._places(ranks)
        current = last = -1
        rows = self._conn.execute(_SCORES.format(among=among[0]), among[1])
        for key, metric, score_set, turn, value, reasoning, at, extra in rows:
            if key != current:
                current, last = key, -1
                entries = found[key] = []
            place = places[metric]
            if place <= last:
                astray.add(key)
            last = place
            origin = sets[score_set]
            # made at once, which is faster than adding what most scores have
            fields: Fields = (
                {"metric": names[metric], "value": value, **origin.fields}
                if reasoning is None
                else {"metric": names[metric], "value": value, "reasoning": reasoning,
                      **origin.fields}
            )  # fmt: skip
            if at is not None:
                fields["at"] = at
            if turn != WHOLE:
                fields["turn"] = turn
            if extra is not None or not origin.in_order:
                fields = unpack(fields, extra, SCORE_KEYS)
            entries.append(fields)
        if astray:
            self._sort(found, astray, places)
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
        astray: Iterable[int],
        places: dict[int, int],
    ) -> None:
        """Sort scores that did not come in order: by metric, scorer and time, else as they came.

        No other value of a version comes before the one that counts: of a file, the first does.
        """
        among = _LIST, (_listed(sorted(astray)),)
        several = self._conn.execute(_MOMENTS.format(among=among[0]), among[1]).fetchall()
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

    def _labels(self, among: str, values: Sequence[object]) -> dict[int, list[Fields]]:
        found: dict[int, list[Fields]] = defaultdict(list)
        rows, places = self._of_labels.rows(self._conn, f"labels WHERE {among}", values)
        # it takes half the time that SQLite needs for it
        rows.sort(key=_IN_ORDER)
        metrics, labelers, named = self.metrics, self.labelers, _restored(rows)
        for row in rows:
            fields: Fields = {
                "metric": metrics[row[4]], "labeler": labelers[row[5]], "value": row[6],
            }  # fmt: skip
            for place, name in places:
                value = row[place]
                if value is not None:
                    fields[name] = bool(value) if name == "blind" else value
            if named or self._uids or row[1] is not None:
                self._name(fields, row, named)
            found[row[0]].append(fields if row[1] is None else unpack(fields, row[1], LABEL_KEYS))
        return found

    def _marks(self, among: str, values: Sequence[object]) -> dict[int, list[Fields]]:
        found: dict[int, list[Fields]] = defaultdict(list)
        rows = self._conn.execute(_MARKS.format(among=among), values).fetchall()
        named = _restored(rows)
        for row in rows:
            found[row[0]].append(self._mark(row, named))
        return found

    def _name(self, fields: Fields, row: Row, named: frozenset[Uid]) -> None:
        """Say an entry's number where something needs it, and which entry it restores."""
        uid, restores = row[2:4]
        if self._uids or uid in named or is_named(row[1]):
            fields["uid"] = text_of(uid)
        if restores is not None:
            fields["restores"] = text_of(restores)

    def _mark(self, row: Row, named: frozenset[Uid]) -> Fields:
        fields: Fields = {"kind": row[4], "labeler": self.labelers[row[5]]}
        for name, value in zip(_MARK_REST, row[6:], strict=True):
            if value is not None:
                fields[name] = value
        if row[7] is not None:
            fields["metric"] = self.metrics[row[7]]
        self._name(fields, row, named)
        return fields if row[1] is None else unpack(fields, row[1], MARK_KEYS)


def _restored(rows: Sequence[Row]) -> frozenset[Uid]:
    return frozenset([row[3] for row in rows if row[3] is not None])


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
