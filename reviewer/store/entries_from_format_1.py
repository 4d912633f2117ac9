"""Give the entries of a project of format 1 their numbers, and labels and decisions two streams.

The numbers follow from content, so that two copies of one project agree about every entry.
"""

import re
import sqlite3

from reviewer.domain import uids
from reviewer.store import schema

_NAME = re.compile(r"CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)")
_MADE_ANEW = ("labels", "current_labels")
_ADDED = {
    "labelers": ("uid BLOB",),
    "marks": ("uid BLOB", "restores BLOB"),
    "exclusions": ("uid BLOB",),
    "tag_changes": ("uid BLOB",),
}
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


def convert(conn: sqlite3.Connection) -> None:
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
    conn.execute("ALTER TABLE labels RENAME TO labels_before")
    for index in ("labels_by_evaluation", "labels_by_seq"):
        conn.execute(f"DROP INDEX {index}")
    for statement in schema.statements():
        made = _NAME.match(statement)
        if made and made[1].startswith(_MADE_ANEW):
            conn.execute(statement)
    conn.execute(_LABELS)
    conn.execute(_CURRENT)
    conn.execute("DROP TABLE labels_before")
    conn.execute("DROP TABLE temp.current_labels_before")


def _project_id(conn: sqlite3.Connection) -> str:
    """Name a project by what is oldest in it, which its copies have in common."""
    oldest = [conn.execute(query).fetchone() for query in _OLDEST]
    if not any(oldest):
        return uids.text_of(uids.fresh())
    return uids.text_of(uids.of_content("project", *oldest))
