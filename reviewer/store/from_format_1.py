"""Bring a project of format 1 to format 2.

Of the scores of a version the newest counted, now the first; whose scores counted was whoever
scored last, now it is a version of record. What that changes is said once, where the project tells
of its conversion.

The numbers follow from content, so that two copies of one project agree about every entry.

There whoever scored last counted. That version stays the one of record, but where it came of a job
that was stopped or took only a part: then the earliest whole one does.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from reviewer.domain import uids
from reviewer.domain.evaluation import to_micros
from reviewer.domain.wording import counted, fixed
from reviewer.store import schema, scores, versions_from_format_1
from reviewer.store.query import values_of
from reviewer.store.versions_from_format_1 import Joined

CONVERTED = "converted"
"""The setting that holds what the conversion changed, as a JSON list of sentences."""
LAST_JOB = "converted_jobs"
"""The setting that holds the number of the last job before it."""
_BEFORE = (
    "This project was made by an older version of Reviewer and was brought up to date; the file "
    "as it was lies beside it. What was done before can no longer be undone, and the scores of "
    "earlier jobs cannot be discarded job by job."
)
_RULES = (
    "The scores of one version count for a metric in a run, until a lead names another one; an "
    "evaluation's date is that of its scores, else its own."
)
_MAKES = re.compile(r"CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX|VIEW) (\w+)")


def convert(conn: sqlite3.Connection) -> None:
    """Convert a file inside the transaction that is open; whoever calls keeps a copy of it."""
    # sqlite-utils brings numpy along: only for a file that is old
    from sqlite_utils import Database

    Database(conn, execute_plugins=False).table("_sqlite_migrations").drop(ignore=True)
    convert_entries(conn)
    scored = scored_before(conn)
    joined = versions_from_format_1.convert(conn)
    _add_missing(conn)
    name_presets(conn)
    _date_evaluations(conn)
    versions_from_format_1.count_present(conn)
    changed = keep_records(conn, scored, joined)
    told = [_BEFORE, _RULES, *_joined(len(joined.gone)), *changed]
    # what is half applied goes on at the next opening, and is whole then
    conn.execute("UPDATE journal SET state = 'dropped' WHERE state IN ('done', 'undone')")
    last = conn.execute("SELECT ifnull(max(id), 0) FROM jobs").fetchone()[0]
    for setting, value in ((CONVERTED, json.dumps(told)), (LAST_JOB, str(last))):
        conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (setting, value))


def name_presets(conn: sqlite3.Connection) -> None:
    """Let the rubric whose deviations were published go on being computed so."""
    conn.execute(
        "UPDATE rubric_versions SET body = json_set(body, '$.preset', 'published') "
        "WHERE json_extract(body, '$.name') = 'virtual-agent' "
        "AND json_extract(body, '$.preset') IS NULL"
    )


def _add_missing(conn: sqlite3.Connection) -> None:
    """Make the tables and indexes that this format adds."""
    there = set(values_of(conn, "SELECT name FROM sqlite_master"))
    for statement in schema.statements():
        made = _MAKES.match(statement)
        if made and made[1] not in there:
            conn.execute(statement)


def _date_evaluations(conn: sqlite3.Connection) -> None:
    """Date evaluations by themselves before their scores."""
    conn.create_function("micros", 1, to_micros, deterministic=True)
    conn.execute(
        "UPDATE evaluations SET dated = micros(occurred_at) "
        "WHERE occurred_at IS NOT NULL AND micros(evaluated_at) IS NULL "
        "AND micros(occurred_at) IS NOT NULL"
    )


def _joined(n: int) -> list[str]:
    if not n:
        return []
    which = counted(n, "version")
    return [f"{which} differed from another one in a seed or the like only; they are one now."]


_NAME = re.compile(r"CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)")
_MADE_ANEW = ("labels", "current_labels", "marks")
_ADDED = {
    "labelers": ("uid BLOB",),
    "marks": ("uid BLOB", "restores BLOB"),
    "exclusions": ("uid BLOB",),
    "tag_changes": ("uid BLOB",),
    "saved_filters": ("sort TEXT NOT NULL DEFAULT 'file'",),
}
_INDEXES = (
    "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
)
_PLACE = "FROM {0} x JOIN evaluations e ON e.id = x.evaluation JOIN runs r ON r.id = e.run"
_KEPT = (
    "id, seq, evaluation, metric, labeler, turn, value, kind, comment, at, at_us, blind, seconds, "
    "revision, rubric_version, judge_version, selection_reason, selection_prob, aggregate, extra, "
    "import"
)
_LABELS = f"""
    INSERT INTO labels({_KEPT}, uid)
    SELECT {", ".join(f"x.{name}" for name in _KEPT.split(", "))}, entry_uid(
        'label', r.name, e.ext_id, m.name, p.name, nullif(x.turn, {schema.WHOLE}), x.at, x.kind,
        NULL, x.value, row_number() OVER (PARTITION BY x.evaluation, x.metric, x.labeler, x.turn,
            x.at, x.kind, typeof(x.value), x.value ORDER BY x.id) - 1)
    {_PLACE.format("labels_before")}
    JOIN metrics m ON m.id = x.metric JOIN labelers p ON p.id = x.labeler
    ORDER BY x.id
"""
_CURRENT = """
    INSERT INTO current_labels SELECT *, label, label FROM current_labels_before
"""
_MARKS = f"""
    UPDATE marks SET uid = found.uid FROM (
        SELECT x.id, entry_uid('mark', r.name, e.ext_id, x.kind, p.name, x.at, m.name, x.turn,
            x.span_start, x.span_end, x.note, x.value, row_number() OVER (
                PARTITION BY x.evaluation, x.kind, x.labeler, x.at, x.metric, x.turn, x.span_start,
                    x.span_end, x.note, typeof(x.value), x.value ORDER BY x.id) - 1) AS uid
        {_PLACE.format("marks")}
        JOIN labelers p ON p.id = x.labeler LEFT JOIN metrics m ON m.id = x.metric) found
    WHERE found.id = marks.id
"""
_EXCLUSIONS = f"""
    UPDATE exclusions SET uid = found.uid FROM (
        SELECT x.evaluation, entry_uid('exclusion', r.name, e.ext_id, x.reason, p.name, x.at, 0)
            AS uid
        {_PLACE.format("exclusions")} LEFT JOIN labelers p ON p.id = x.labeler) found
    WHERE found.evaluation = exclusions.evaluation
"""
_TAGS = f"""
    UPDATE tag_changes SET uid = found.uid FROM (
        SELECT x.evaluation, x.tag, entry_uid('tag', r.name, e.ext_id, x.tag, x.present, 0) AS uid
        {_PLACE.format("tag_changes")}) found
    WHERE found.evaluation = tag_changes.evaluation AND found.tag = tag_changes.tag
"""
_LABELERS = "UPDATE labelers SET uid = entry_uid('labeler', name, 0)"
_OLDEST = (
    "SELECT r.name, v.version, v.created_at FROM rubric_versions v "
    "JOIN rubrics r ON r.id = v.rubric ORDER BY v.id LIMIT 1",
    "SELECT source, started_at FROM imports ORDER BY id LIMIT 1",
)


def convert_entries(conn: sqlite3.Connection) -> None:
    """Convert labels, marks, exclusions, tags and people inside the transaction that is open."""
    conn.create_function("entry_uid", -1, uids.of_content, deterministic=True)
    for table, columns in _ADDED.items():
        for column in columns:
            conn.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    _make_anew(conn)
    for statement in (_LABELERS, _MARKS, _EXCLUSIONS, _TAGS):
        conn.execute(statement)
    named = (schema.PROJECT_ID, _project_id(conn))
    conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", named)
    conn.create_function("entry_uid", -1, None)


def _make_anew(conn: sqlite3.Connection) -> None:
    """Make the tables anew that a column cannot be added to, in which nothing may be missing."""
    conn.execute("CREATE TEMP TABLE current_labels_before AS SELECT * FROM current_labels")
    conn.execute("DROP TABLE current_labels")
    for table in ("labels", "marks"):
        conn.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
        for row in conn.execute(_INDEXES, (f"{table}_before",)).fetchall():
            conn.execute(f"DROP INDEX {row[0]}")
    for statement in schema.statements():
        made = _NAME.match(statement)
        if made and made[1].startswith(_MADE_ANEW):
            conn.execute(statement)
    conn.execute(_LABELS)
    conn.execute(_CURRENT)
    conn.execute("INSERT INTO marks SELECT * FROM marks_before")
    conn.execute("DROP TABLE labels_before")
    conn.execute("DROP TABLE marks_before")
    conn.execute("DROP TABLE temp.current_labels_before")


def _project_id(conn: sqlite3.Connection) -> str:
    """Name a project by what is oldest in it, which its copies have in common."""
    oldest = [conn.execute(query).fetchone() for query in _OLDEST]
    if not any(oldest):
        return uids.text_of(uids.fresh())
    return uids.text_of(uids.of_content("project", *oldest))


Place = tuple[int, int]
"""A run and the number of a metric."""
Sets = dict[Place, list["Scored"]]
"""How score sets scored each metric in each run."""
_MOST_TOLD = 20
_SCORED = """
    SELECT e.run, s.metric, s.score_set, count(*), max(ifnull(julianday(s.at), 0)),
        min(ifnull(CASE WHEN s.import IS NULL THEN s.at ELSE i.started_at END, '')),
        avg(CASE WHEN typeof(s.value) <> 'text' THEN s.value END), max(s.import IS NOT NULL),
        max(b.status = 'running')
    FROM scores s JOIN visible_evaluations e ON e.id = s.evaluation
    JOIN score_sets b ON b.id = s.score_set LEFT JOIN imports i ON i.id = s.import
    WHERE s.latest = 1 AND s.turn = -1 GROUP BY 1, 2, 3
"""
_STOOD = "CREATE TEMP TABLE stood(run INTEGER, metric INTEGER, score_set INTEGER)"
_VALUES = """
    CREATE TEMP TABLE stood_values AS SELECT t.run, s.metric, s.evaluation, s.value
    FROM temp.stood t JOIN visible_evaluations e ON e.run = t.run JOIN scores s
    ON s.evaluation = e.id AND s.metric = t.metric AND s.score_set = t.score_set
    AND s.latest = 1 AND s.turn = -1
    WHERE t.score_set IN (SELECT score_set FROM scores WHERE ordinal > 0 UNION
        SELECT id FROM (SELECT id, count(*) OVER (PARTITION BY scorer, version, model,
            prompt_hash) AS n FROM score_sets) WHERE n > 1)
"""
_CHANGED = """
    SELECT r.run, r.metric, sum(s.value IS NOT v.value) AS changed, count(*)
    FROM temp.stood_values v JOIN records r ON r.run = v.run AND r.metric = v.metric
    JOIN scores s ON s.evaluation = v.evaluation AND s.metric = r.metric
        AND s.score_set = r.score_set AND s.latest = 1 AND s.turn = -1
    GROUP BY 1, 2 HAVING changed > 0
"""
_ENDED = "CREATE TEMP TABLE ended(scorer TEXT, version TEXT, metric TEXT, began TEXT, ended TEXT)"
_OF_ENDED = """
    SELECT DISTINCT e.run, s.metric, s.score_set
    FROM temp.ended j JOIN metrics m ON m.name = j.metric JOIN score_sets b
        ON b.scorer = j.scorer AND (j.version IS NULL OR j.version IS b.version)
    JOIN scores s ON s.metric = m.id AND s.score_set = b.id AND s.import IS NULL AND s.turn = -1
        AND s.at BETWEEN j.began AND j.ended
    JOIN visible_evaluations e ON e.id = s.evaluation
"""
_TO_SCORE = """
    SELECT run, count(*) FROM visible_evaluations
    WHERE id NOT IN (SELECT evaluation FROM exclusions) GROUP BY run
"""


class Scored(NamedTuple):
    """How a score set scored a metric in a run.

    Attributes:
        newest: When it did last.
        first: When its first score came, by a job or in a file.
        running: Whether a job that fills it did not come to its end.
    """

    score_set: int
    n: int
    newest: float
    first: str
    mean: float | None
    imported: bool
    running: bool


def scored_before(conn: sqlite3.Connection) -> Sets:
    """Give what scored each metric in each run; call it before anything is changed."""
    found = _scored(conn)
    conn.execute(_STOOD)
    rows = [(*place, _stood(sets).score_set) for place, sets in found.items()]
    conn.executemany("INSERT INTO temp.stood VALUES (?, ?, ?)", rows)
    conn.execute(_VALUES)
    return found


def _scored(conn: sqlite3.Connection) -> Sets:
    found: Sets = {}
    for run, metric, *rest in conn.execute(_SCORED):
        found.setdefault((run, metric), []).append(Scored(*rest))
    return found


def _stood(sets: Iterable[Scored]) -> Scored:
    """Give the set that stood as the auto score."""
    return max(sets, key=lambda x: (not x.running, x.newest, x.score_set))


def keep_records(conn: sqlite3.Connection, before: Sets, joined: Joined) -> list[str]:
    """Let a version count for each metric and run, and say what that changes.

    Args:
        conn: Inside the transaction of the conversion.
        before: What scored before anything was changed.
        joined: What became of the sets since.
    """
    told: dict[Place, str] = {}
    words, whole = _Words(conn), _whole(conn)
    after = before if joined.is_same else _scored(conn)
    for place, sets in after.items():
        there = _stood(before[place])
        number = joined.gone.get(there.score_set, there.score_set)
        mine = next(x for x in sets if x.score_set == number)
        ended = [x for x in sets if x.imported or whole(place, x)]
        most = max((x.n for x in ended), default=0)
        fit = [x for x in ended if x.imported or x.n == most]
        counts = mine if mine in fit else min(fit, key=_age, default=None)
        if counts is not None:
            _record(conn, place, counts.score_set)
        if counts is not mine:
            told[place] = words.instead(place, there._replace(score_set=number), counts)
    changed = [
        f"{words.place((run, metric))} ({n:,} of {of:,})"
        for run, metric, n, of in conn.execute(_CHANGED)
        if (run, metric) not in told
    ]
    for table in ("stood", "stood_values"):
        conn.execute(f"DROP TABLE temp.{table}")
    found = _few(list(told.values()), "{:,} more records changed so.")
    if changed:
        listed = ", ".join(_few(changed, "and {:,} more"))
        found.append(
            "Where a version gave an evaluation several values, the first counts now, no longer "
            f"the newest: that changes {listed}."
        )
    return found


def _few(words: list[str], more: str) -> list[str]:
    """Leave some of many, and say how many others there are."""
    if len(words) <= _MOST_TOLD:
        return words
    return [*words[:_MOST_TOLD], more.format(len(words) - _MOST_TOLD)]


def _age(scored: Scored) -> tuple[str, int]:
    return scored.first, scored.score_set


def _whole(conn: sqlite3.Connection) -> Callable[[Place, Scored], bool]:
    """Give what tells whether a set came to the end of a job, or scored all there is in a run."""
    conn.execute(_ENDED)
    conn.executemany("INSERT INTO temp.ended VALUES (?, ?, ?, ?, ?)", _ended(conn))
    ended = set(conn.execute(_OF_ENDED))
    to_score = dict(conn.execute(_TO_SCORE))
    conn.execute("DROP TABLE temp.ended")
    return lambda place, x: (*place, x.score_set) in ended or x.n >= to_score.get(place[0], 0)


def _ended(conn: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Give scorer, version, metric and times of the jobs that ended whole."""
    for text, began, ended in conn.execute(
        "SELECT plan, created_at, finished_at FROM jobs WHERE state = 'done' AND kind <> 'bot'"
    ).fetchall():
        plan = json.loads(text)
        judge = plan.get("judge")
        for metric in plan.get("metrics") or ():
            scorer = judge["name"] if judge else (plan.get("scorers") or {}).get(metric)
            yield scorer, plan.get("judge_version") if judge else None, metric, began, ended


def _record(conn: sqlite3.Connection, place: Place, score_set: int) -> None:
    seq = conn.execute(
        "UPDATE counters SET value = value + 1 WHERE name = 'seq' RETURNING value"
    ).fetchall()[0][0]
    names = conn.execute(
        "SELECT r.name, m.name FROM runs r, metrics m WHERE r.id = ? AND m.id = ?", place
    ).fetchone()
    entry = conn.execute(
        "INSERT INTO record_log(uid, seq, run, metric, score_set, kind, at) "
        "VALUES (?, ?, ?, ?, ?, 'fixed', strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) RETURNING id",
        (uids.of_content("record", *names, score_set), seq, *place, score_set),
    ).fetchall()[0][0]
    conn.execute(
        "INSERT INTO records(run, metric, score_set, entry) VALUES (?, ?, ?, ?)",
        (*place, score_set, entry),
    )


class _Words:
    """Puts what changes into words."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._runs = dict(conn.execute("SELECT id, name FROM runs"))
        self._metrics = dict(conn.execute("SELECT id, name FROM metrics"))
        self._versions = {x.key: x.name for x in scores.every_version(conn)}

    def place(self, place: Place) -> str:
        run, metric = place
        return f"{self._metrics[metric]} of {self._runs[run]}"

    def instead(self, place: Place, stood: Scored, counts: Scored | None) -> str:
        before = f"{self.place(place)}: {self._said(stood)}"
        if counts is None:
            return (
                f"{before} came of a job that was stopped, so nothing counts until a job ends or "
                "a lead names a version."
            )
        return (
            f"{before} stood for it and came of a job that was stopped or partial; "
            f"{self._said(counts)} counts now."
        )

    def _said(self, scored: Scored) -> str:
        mean = "" if scored.mean is None else f" (mean {fixed(scored.mean)})"
        return f"{self._versions[scored.score_set]} on {scored.n:,}{mean}"
