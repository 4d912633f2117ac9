"""Read whole evaluations back as records of the native format, exactly as they came."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from pydantic_core import from_json

from reviewer.domain.record import LABEL_KEYS, MARK_KEYS, RECORD_KEYS, SCORE_KEYS
from reviewer.domain.values import to_micros
from reviewer.store.packing import COLUMN_KEYS, COLUMN_NAMES, unpack
from reviewer.store.project import Project
from reviewer.store.rows import NO_TIME
from reviewer.store.schema import WHOLE
from reviewer.store.scoping import Condition

Fields = dict[str, Any]
BLOCK = 256

_COLUMNS = ", ".join(f"e.{name}" for name in COLUMN_NAMES)
_EVALUATIONS = f"SELECT e.id, e.ext_id, e.extra, e.turns, e.revision, {_COLUMNS} FROM "
_WITHIN = " WHERE evaluation IN (SELECT value FROM json_each(?)) "
_SCORES = (
    "SELECT evaluation, metric, score_set, turn, value, reasoning, at, extra FROM scores"
    f"{_WITHIN}ORDER BY evaluation, metric, score_set, turn, ordinal"
)
_LABELS = (
    "SELECT evaluation, metric, labeler, value, comment, at, blind, kind, turn, seconds, "
    "rubric_version, aggregate, selection_reason, selection_prob, judge_version, extra FROM labels"
    f"{_WITHIN}ORDER BY evaluation, ifnull(at_us, {NO_TIME}), id"
)
_MARKS = (
    "SELECT evaluation, kind, labeler, at, metric, turn, span_start, span_end, note, value, extra "
    f"FROM marks{_WITHIN}ORDER BY evaluation, id"
)
_LABEL_NAMES = ("value", "comment", "at", "blind", "kind", "turn", "seconds", "rubric_version",
                "aggregate", "selection_reason", "selection_prob", "judge_version")  # fmt: skip
_MARK_NAMES = ("at", "metric", "turn", "start", "end", "note", "value")


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """A score set's part of a score, and its place in the order of exports."""

    fields: Fields
    order: tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as stored, with the project's number and the revision of its text."""

    key: int
    revision: int
    fields: Fields


class RecordReader:
    """Read evaluations block by block; names and score sets are looked up once."""

    def __init__(self, project: Project) -> None:
        """Look up the names of the project."""
        self._conn = project.conn
        self.refresh_names()

    def refresh_names(self) -> None:
        """Look up the names of the project again, after some were added."""
        self.metrics: dict[int, str] = dict(self._conn.execute("SELECT id, name FROM metrics"))
        self.labelers: dict[int, str] = dict(self._conn.execute("SELECT id, name FROM labelers"))
        self.score_sets = {row[0]: _score_set(row[1:]) for row in self._conn.execute(
            "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets")}  # fmt: skip

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
            values = (run[0], last, *(within.parameters if within else ()))
            block = self._conn.execute(query, values).fetchall()
            if not block:
                return
            last = block[-1][0]
            yield from self._records(block, run[1], ranks)

    def of_keys(
        self, keys: Iterable[int], run: str, ranks: dict[str, int] | None = None
    ) -> Iterator[Stored]:
        """Read evaluations of one run by number, also those that are not visible yet."""
        query = (
            f"{_EVALUATIONS}evaluations e WHERE e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id"
        )
        block = self._conn.execute(query, (_listed(keys),)).fetchall()
        yield from self._records(block, run, ranks or {})

    def _records(
        self, block: Sequence[tuple[Any, ...]], run: str, ranks: dict[str, int]
    ) -> Iterator[Stored]:
        keys = _listed(row[0] for row in block)
        scores = self._scores(keys, ranks)
        labels = self._entries(keys, _LABELS, self._label)
        marks = self._entries(keys, _MARKS, self._mark)
        turns: dict[int, list[Any]] = defaultdict(list)
        if any(row[3] for row in block):
            for key, body in self._conn.execute(
                f"SELECT evaluation, body FROM turns{_WITHIN}ORDER BY evaluation, position", (keys,)
            ):
                turns[key].append(from_json(body))
        for row in block:
            key = row[0]
            fields: Fields = {"id": row[1], "run": run}
            for name, value in zip(COLUMN_KEYS, row[5:], strict=True):
                if value is not None:
                    fields[name] = value
            if key in scores:
                fields["scores"] = scores[key]
            if key in labels:
                fields["labels"] = labels[key]
            if key in marks:
                fields["marks"] = marks[key]
            if key in turns:
                fields["messages"] = turns[key]
            yield Stored(key, row[4], unpack(fields, row[2], RECORD_KEYS))

    def _scores(self, keys: str, ranks: dict[str, int]) -> dict[int, list[Fields]]:
        found: dict[int, list[tuple[tuple[Any, ...], Fields]]] = defaultdict(list)
        last = len(ranks)
        metrics, sets = self.metrics, self.score_sets
        for key, metric, score_set, turn, value, reasoning, at, extra in self._conn.execute(
            _SCORES, (keys,)
        ):
            name, origin = metrics[metric], sets[score_set]
            fields: Fields = {"metric": name, "value": value}
            if reasoning is not None:
                fields["reasoning"] = reasoning
            fields.update(origin.fields)
            if at is not None:
                fields["at"] = at
            if turn != WHOLE:
                fields["turn"] = turn
            if extra is not None or len(origin.fields) > 1 or at is not None:
                fields = unpack(fields, extra, SCORE_KEYS)
            place = (ranks.get(name, last), name, origin.order[0],
                     (to_micros(at) if at else None) or NO_TIME, origin.order, turn)  # fmt: skip
            found[key].append((place, fields))
        return {
            key: [fields for _, fields in sorted(scores, key=itemgetter(0))]
            for key, scores in found.items()
        }

    def _entries(self, keys: str, query: str, build: Any) -> dict[int, list[Fields]]:
        found: dict[int, list[Fields]] = defaultdict(list)
        for row in self._conn.execute(query, (keys,)):
            found[row[0]].append(build(row))
        return found

    def _label(self, row: tuple[Any, ...]) -> Fields:
        fields: Fields = {"metric": self.metrics[row[1]], "labeler": self.labelers[row[2]]}
        for name, value in zip(_LABEL_NAMES, row[3:15], strict=True):
            if value is not None:
                fields[name] = value
        fields.setdefault("value", None)
        if row[6] is not None:
            fields["blind"] = bool(row[6])
        if row[8] == WHOLE:
            del fields["turn"]
        if row[7] == "label":
            del fields["kind"]
        return unpack(fields, row[15], LABEL_KEYS)

    def _mark(self, row: tuple[Any, ...]) -> Fields:
        fields: Fields = {"kind": row[1], "labeler": self.labelers[row[2]]}
        for name, value in zip(_MARK_NAMES, row[3:10], strict=True):
            if value is not None:
                fields[name] = value
        if row[4] is not None:
            fields["metric"] = self.metrics[row[4]]
        return unpack(fields, row[10], MARK_KEYS)


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
    )
