"""Runs, rubrics and whole evaluations: rows to values."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from reviewer.domain.evaluation import (
    Candidate,
    Evaluation,
    JsonValue,
    Part,
    Score,
    Source,
    ToolCall,
    Turn,
)
from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_keys import rubric_of
from reviewer.domain.run import Run
from reviewer.store import tags
from reviewer.store.exclusions import COUNTED
from reviewer.store.query import finds, number_of, values_of
from reviewer.store.schema import MADE, WHOLE
from reviewer.store.unseen import shown_runs


def rubrics(conn: sqlite3.Connection) -> dict[int, Rubric]:
    """Give the newest version of every rubric by its key."""
    rows = conn.execute(
        "SELECT rubric, body FROM rubric_versions v WHERE seq = "
        "(SELECT max(seq) FROM rubric_versions WHERE rubric = v.rubric)"
    )
    return {key: rubric_of(json.loads(body)) for key, body in rows}


def run_rubrics(conn: sqlite3.Connection) -> dict[int, int]:
    """Give the key of each run's rubric by the key of the run, in the order of import."""
    return dict(conn.execute(f"SELECT id, rubric FROM runs WHERE {shown_runs()} ORDER BY id"))


def place(conn: sqlite3.Connection, evaluation: int) -> tuple[int, str, int] | None:
    """Give the run, id and revision of a visible evaluation, None where there is none."""
    row = conn.execute(
        "SELECT run, ext_id, revision FROM visible_evaluations WHERE id = ?", (evaluation,)
    ).fetchone()
    return (int(row[0]), str(row[1]), int(row[2])) if row else None


def find(conn: sqlite3.Connection, text: str, run: str | None = None) -> int | None:
    """Find a visible evaluation by id, within a run or in the newest run that has it."""
    row = conn.execute(
        "SELECT v.id FROM runs r JOIN visible_evaluations v ON v.run = r.id "
        "WHERE v.ext_id = ? AND (? IS NULL OR r.name = ?) ORDER BY r.id DESC LIMIT 1",
        (text, run, run),
    ).fetchone()
    return int(row[0]) if row else None


def run_names(conn: sqlite3.Connection) -> tuple[str, ...]:
    """Give the names of the runs, in the order of import."""
    return tuple(values_of(conn, f"SELECT name FROM runs WHERE {shown_runs()} ORDER BY id"))


def runs(conn: sqlite3.Connection) -> tuple[Run, ...]:
    """Give the runs with their counts, in the order of import."""
    # a cross join begins with the few that were excluded or labelled
    counted = dict(
        conn.execute(
            f"SELECT e.run, count(*) FROM visible_evaluations e WHERE {COUNTED} GROUP BY e.run"
        )
    )
    excluded = dict(
        conn.execute(
            "SELECT e.run, count(*) FROM exclusions x "
            "CROSS JOIN visible_evaluations e ON e.id = x.evaluation GROUP BY e.run"
        )
    )
    labelled = dict(
        conn.execute(
            "SELECT e.run, count(*) FROM (SELECT DISTINCT evaluation FROM current_labels "
            "WHERE kind IN ('label', 'adjudication')) c CROSS JOIN visible_evaluations e "
            f"ON e.id = c.evaluation WHERE {COUNTED} GROUP BY e.run"
        )
    )
    rows = conn.execute(
        "SELECT r.id, r.name, b.name, r.imported_at, r.source FROM runs r "
        f"JOIN rubrics b ON b.id = r.rubric WHERE {shown_runs('r')} ORDER BY r.id"
    )
    return tuple(
        Run(
            key=key,
            name=name,
            rubric=rubric,
            evaluations=counted.get(key, 0),
            labelled=labelled.get(key, 0),
            imported_at=imported_at,
            excluded=excluded.get(key, 0),
            source=source,
        )
        for key, name, rubric, imported_at, source in rows
    )


_COLUMNS = (
    "key", "id", "run", "case", "category", "complexity", "input", "response", "expected", "error",
    "model", "latency_ms", "cost_usd", "tokens_in", "tokens_out", "occurred_at", "evaluated_at",
    "revision",
)  # fmt: skip
_EVALUATION = """
    SELECT v.id, v.ext_id, r.name, v.case_id, v.category, v.complexity, v.input, v.response,
        v.expected, v.error, v.model, v.latency_ms, v.cost_usd, v.tokens_in, v.tokens_out,
        v.occurred_at, v.evaluated_at, v.revision, v.extra
    FROM evaluations v NOT INDEXED JOIN runs r ON r.id = v.run
    WHERE v.hidden = 0 AND v.id <= (SELECT value FROM counters WHERE name = 'visible') AND v.id
"""
# as `visible_evaluations`, through which SQLite would walk all of them for every few
_APART = ("scores", "labels", "marks", "excluded")
_LISTS = ("tags", "expected_keywords", "expected_tools", "tools_used")


def evaluation(conn: sqlite3.Connection, key: int) -> Evaluation | None:
    """Read an evaluation with turns and sources, but without scores; None where there is none."""
    return next(iter(evaluations(conn, (key,))), None)


def evaluations(conn: sqlite3.Connection, keys: Sequence[int]) -> list[Evaluation]:
    """Read up to some hundred evaluations as `evaluation` does, those that are there, by key."""
    among = f"IN ({', '.join('?' * len(keys))})"
    turns: dict[int, list[Turn]] = {}
    for key, body in conn.execute(
        f"SELECT evaluation, body FROM turns WHERE evaluation {among} "
        "ORDER BY evaluation, position",
        keys,
    ):
        turns.setdefault(key, []).append(turn(json.loads(body)))
    rows = conn.execute(f"{_EVALUATION} {among} ORDER BY v.id", keys)
    since = tags.changes(conn, among, keys)
    return [_evaluation(row, tuple(turns.get(row[0], ())), since.get(row[0], {})) for row in rows]


def _evaluation(
    row: tuple[Any, ...], turns: tuple[Turn, ...], since: dict[str, bool]
) -> Evaluation:
    extra: dict[str, Any] = json.loads(row[18]) if row[18] else {}
    return _made(dict(zip(_COLUMNS, row, strict=False)), extra, turns, since)


def of_record(record: dict[str, Any]) -> Evaluation:
    """Make an evaluation that lies in no project of a checked record, without its scores."""
    extra = {name: x for name, x in record.items() if x is not None and name not in _APART}
    turns = tuple(turn(x) for x in extra.pop("messages", ()))
    fields = {name: extra.pop(name) for name in _COLUMNS[1:-1] if name in extra}
    return _made({"run": "", **fields, "key": 0}, extra, turns)


def _made(
    fields: dict[str, Any],
    extra: dict[str, Any],
    turns: tuple[Turn, ...],
    since: dict[str, bool] | None = None,
) -> Evaluation:
    for name in _LISTS:
        fields[name] = tuple(extra.pop(name, ()) or ())
    if since:
        fields["tags"] = tuple(tags.changed(fields["tags"], since))
    candidates, sources = extra.pop("candidates", None), extra.pop("sources", None)
    return Evaluation(
        **fields,
        messages=turns,
        candidates=tuple(candidate(x) for x in candidates or ()),
        sources=tuple(source(x) for x in sources or ()),
        context=extra.pop("context", None),
        feedback=extra.pop("feedback", None),
        rest=_rest(extra),
    )


def _rest(extra: dict[str, Any]) -> dict[str, JsonValue]:
    return {name: value for name, value in extra.items() if not name.startswith("$")}


_SCORES = """
    SELECT m.name, s.value, s.reasoning, s.at, s.turn, s.extra, s.latest, s.score_set, s.metric,
        b.scorer, b.version, b.model, b.prompt_hash, b.parameters, s.ordinal
    FROM scores s JOIN metrics m ON m.id = s.metric JOIN score_sets b ON b.id = s.score_set
    WHERE s.evaluation = ? ORDER BY s.metric, s.score_set, s.turn, s.ordinal
"""

_COUNTED = """
    SELECT s.evaluation, m.name, s.value, s.reasoning, s.at, s.turn, s.extra, s.latest,
        s.score_set, s.metric, b.scorer, b.version, b.model, b.prompt_hash, b.parameters, s.ordinal
    FROM scores s JOIN metrics m ON m.id = s.metric JOIN score_sets b ON b.id = s.score_set
    WHERE s.latest = 1 AND s.turn = -1
"""


def scores(conn: sqlite3.Connection, key: int) -> list[tuple[Score, int, bool]]:
    """Read every score of an evaluation with its score set and whether it counts for that set."""
    return [
        (_score(row), int(row[7]), bool(row[6]))
        for row in conn.execute(_SCORES, (key,)).fetchall()
    ]


def has_scores(conn: sqlite3.Connection, key: int) -> bool:
    """Tell whether an evaluation has any score."""
    return finds(conn, "SELECT 1 FROM scores WHERE evaluation = ? LIMIT 1", (key,))


def counted_scores(
    conn: sqlite3.Connection, keys: Sequence[int]
) -> dict[int, list[tuple[Score, int]]]:
    """Read the scores that count for their sets, with these, of up to some hundred evaluations."""
    found: dict[int, list[tuple[Score, int]]] = {key: [] for key in keys}
    for evaluation, *row in conn.execute(
        f"{_COUNTED} AND s.evaluation IN ({', '.join('?' * len(keys))}) ORDER BY s.metric", keys
    ):
        found[evaluation].append((_score(tuple(row)), int(row[7])))
    return found


def _score(row: tuple[Any, ...]) -> Score:
    extra: dict[str, Any] = json.loads(row[5]) if row[5] else {}
    return Score(
        metric=row[0],
        value=row[1],
        reasoning=row[2],
        scorer=row[9],
        scorer_version=row[10],
        error=extra.get("error"),
        at=row[3],
        turn=None if row[4] == WHOLE else row[4],
        examples=tuple(extra.get("examples") or ()),
        confidence=number(extra.get("confidence")),
        model=row[11] or extra.get("model"),
        raw=extra.get("raw"),
        trace=extra.get("trace"),
        prompt_hash=row[12],
        parameters=_object(extra.get("parameters") or (json.loads(row[13]) if row[13] else None)),
        cost_usd=number(extra.get("cost_usd")),
        latency_ms=number(extra.get("latency_ms")),
        tokens_in=number(extra.get("tokens_in")),
        tokens_out=number(extra.get("tokens_out")),
        meta=_object(extra.get("meta")),
        made_of=row[14] == MADE,
    )


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def count_attachments(conn: sqlite3.Connection) -> int:
    """Count the files that came with records."""
    return number_of(conn, "SELECT count(*) FROM attachments")


def attachment(conn: sqlite3.Connection, key: int, path: str) -> bytes | None:
    """Give the content of a file that an evaluation refers to, None where the project lacks it."""
    row = conn.execute(
        "SELECT a.content FROM attachment_uses u JOIN attachments a ON a.id = u.attachment "
        "WHERE u.evaluation = ? AND u.path = ?",
        (key, path),
    ).fetchone()
    return bytes(row[0]) if row else None


Keys = dict[str, Any]
_PART = frozenset({"type", "text", "name", "data", "path"})
_CALL = frozenset({"id", "name", "arguments"})
_TURN = frozenset({"role", "content", "at", "name", "tool_calls", "tool_call_id"})
_CANDIDATE = frozenset({"id", "response", "messages", "model"})
_SOURCE = frozenset({"id", "title", "text", "relevance"})


def turn(keys: Keys) -> Turn:
    """Give a turn; null stands for a key that is absent."""
    fields = _known({name: value for name, value in keys.items() if value is not None}, _TURN)
    content = fields.get("content")
    if isinstance(content, list):
        fields["content"] = tuple(Part(**_known(part, _PART)) for part in content)
    calls = fields.get("tool_calls") or ()
    fields["tool_calls"] = tuple(ToolCall(**_known(call, _CALL)) for call in calls)
    return Turn(**fields)


def candidate(keys: Keys) -> Candidate:
    """Give one of the answers that are compared."""
    fields = _known(keys, _CANDIDATE)
    fields["messages"] = tuple(turn(item) for item in fields.get("messages") or ())
    return Candidate(**fields)


def source(keys: Keys) -> Source:
    """Give a retrieved document."""
    fields = _known(keys, _SOURCE)
    return Source(**fields | {"relevance": number(fields.get("relevance"))})


def number(value: float | None) -> float | None:
    """Give a number that JSON may have written without a point."""
    return None if value is None else float(value)


def _known(keys: Keys, names: frozenset[str]) -> Keys:
    fields = {name: value for name, value in keys.items() if name in names}
    return fields | {"rest": {name: value for name, value in keys.items() if name not in names}}
