"""Erase a record or a person for good, so that no byte of them stays in the file or beside it.

What is erased is overwritten, the file is written anew, and the log beside it is emptied, which
waits for whoever is reading the file.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from reviewer.domain.errors import ProjectError
from reviewer.store import connecting, packing, sweeping
from reviewer.store import rows as tables
from reviewer.store.project import Project
from reviewer.store.records import RecordReader

FORGOTTEN = "forgotten"
_OF_RECORD = (
    "evaluation_versions", "turns", "tags", "tag_changes", "attachment_uses", "scores",
    "discarded_scores", "current_labels", "labels", "marks", "states", "queue_items",
    "exclusions", "attempts", "splits", "monitor_samples",
)  # fmt: skip
"""The tables whose rows belong to one evaluation, what others refer to after what refers."""
_ENTRIES = (
    "SELECT 1 FROM json_each(body, '$.{0}') p, {0} t WHERE t.id = json_extract(p.value, '$[1]')"
)
_NAMED = (
    ("journal", "title"), ("journal", "body"), ("queues", "recipe"), ("queues", "plan"),
    ("packages", "draws"), ("evaluations", "extra"), ("labels", "extra"), ("marks", "extra"),
    ("exclusions", "extra"), ("jobs", "plan"), ("saved_filters", "expression"),
    ("monitors", "body"), ("test_cases", "body"), ("prompts", "body"), ("prompts", "note"),
)  # fmt: skip
"""Where the program itself may have written somebody's name, or people may have."""
_PLAIN = ("title", "expression", "note")
_COPIED = (("test_cases", "body"), ("prompts", "body"), ("bots", "body"), ("jobs", "plan"))
"""Where a record's texts may have been taken over: as a case, an example or a template."""
_OWN = 20
"""Characters from which on a text is taken to be of one conversation only."""
PATIENCE_S = 5.0
_TRY_MS = 100


class Erased(Struct, frozen=True):
    """What was erased: the name of a person or run and id of a record, and how much.

    Attributes:
        copies: Test cases, prompts, bots and plans that a text of the record was taken out of.
    """

    what: tuple[str, ...]
    labels: int
    comments: int
    journal: int
    copies: int = 0


@contextlib.contextmanager
def _without_traces(project: Project, patience: float) -> Iterator[None]:
    """Overwrite what is erased within, write the file anew, and leave nothing in its log.

    Others may have the file open, but not be in the midst of reading it: then the log stays.

    Args:
        project: The project.
        patience: How many seconds one waits for others to come to the end of what they read.

    Raises:
        ProjectError: Somebody else reads the file; what the sentence says tells whether anything
            is erased.
    """
    conn, name = project.conn, project.path.name
    # a stopped import may have left some of it where nobody sees it
    sweeping.sweep(project)
    conn.execute("PRAGMA secure_delete = ON")
    with project.write():
        # whoever reads holds up only the emptying of a log that is not empty
        project.next_seq()
    if not _empty_log(conn, patience):
        raise ProjectError(
            f"{name} is open elsewhere; close it there, so that nothing of what is erased stays "
            "in its log."
        )
    yield
    try:
        conn.execute("INSERT INTO search(search) VALUES ('optimize')")
        conn.execute("VACUUM")
    except sqlite3.Error as error:
        raise ProjectError(connecting.explain(error, project.path)) from error
    if not _empty_log(conn, patience):
        raise ProjectError(
            f"It is erased, but {name} is being read elsewhere: close it there and here, as its "
            "log goes with the last one who has it open."
        )


def _empty_log(conn: sqlite3.Connection, patience: float) -> bool:
    """Empty the log; False where others have not let it go for so many seconds."""
    until = time.monotonic() + patience
    # whoever waits here holds up those who write
    conn.execute(f"PRAGMA busy_timeout = {_TRY_MS}")
    try:
        while conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() >= until:
                return False
            time.sleep(_TRY_MS / 1_000)
        return True
    finally:
        conn.execute(f"PRAGMA busy_timeout = {connecting.BUSY_MS}")


def record(project: Project, key: int) -> Erased:
    """Erase an evaluation with everything that belongs to it, and every kept reply of a judge.

    Raises:
        ProjectError: Somebody else is reading the file.
    """
    with _without_traces(project, PATIENCE_S), project.write() as conn:
        return _erase_record(project, conn, key)


def at_once(project: Project, keys: Sequence[int], names: Sequence[str]) -> None:
    """Erase evaluations and people although others may have the file open.

    What is erased is overwritten; that nothing of it stays in the log beside the file is the
    matter of `clean`.
    """
    project.conn.execute("PRAGMA secure_delete = ON")
    with project.write() as conn:
        for key in keys:
            _erase_record(project, conn, key)
        for name in names:
            _erase_person(project, conn, name)


def clean(project: Project) -> bool:
    """Write the file anew and empty its log; False where somebody else is reading it."""
    try:
        with _without_traces(project, 0.0):
            return True
    except ProjectError:
        return False


def _erase_record(project: Project, conn: sqlite3.Connection, key: int) -> Erased:
    name, run, response = conn.execute(
        "SELECT e.ext_id, r.name, e.response FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE e.id = ?",
        (key,),
    ).fetchone()
    stored = next(iter(RecordReader(project).of_keys((key,), run)))
    conn.execute(tables.UNSEARCH, (key, *packing.search_texts(stored.fields, response)))
    journal = conn.execute(
        "UPDATE journal SET state = 'dropped', title = ?, body = '{}' WHERE instr(title, ?) "
        f"OR EXISTS ({_ENTRIES.format('labels')} AND t.evaluation = ?) "
        f"OR EXISTS ({_ENTRIES.format('marks')} AND t.evaluation = ?)",
        (FORGOTTEN, name, key, key),
    ).rowcount
    labels, comments = conn.execute(
        "SELECT count(*), count(comment) FROM labels WHERE evaluation = ?", (key,)
    ).fetchone()
    for table in _OF_RECORD:
        conn.execute(f"DELETE FROM {table} WHERE evaluation = ?", (key,))
    conn.execute("DELETE FROM evaluations WHERE id = ?", (key,))
    conn.execute(
        "DELETE FROM attachments WHERE id NOT IN (SELECT attachment FROM attachment_uses)"
    )
    # a reply stands under a key of everything that was asked, so nobody knows whose it is
    conn.execute("DELETE FROM replies")
    copies = sum(_take_out(conn, text) for text in _texts(stored.fields, response))
    _changed(project, conn)
    return Erased((run, name), labels, comments, journal, copies)


def _texts(fields: dict[str, Any], response: str | None) -> list[str]:
    """Give what was asked and answered in a record, the longest first."""
    turns = [x for x in fields.get("messages") or () if x.get("role") in ("user", "assistant")]
    said = [fields.get("input"), response, *(turn.get("content") for turn in turns)]
    found = {x.strip() for x in said if isinstance(x, str)}
    return sorted((x for x in found if len(x) >= _OWN), key=len, reverse=True)


def _take_out(conn: sqlite3.Connection, text: str) -> int:
    """Take a text out of what is kept beside the records, and count where it stood.

    One that another evaluation has as well is not this one's alone, and stays.
    """
    shared = "SELECT 1 FROM evaluations WHERE trim(input) = ?1 OR trim(response) = ?1"
    if conn.execute(shared, (text,)).fetchone() is not None:
        return 0
    count = 0
    spelled = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], text}
    for table, column in _COPIED:
        for old in spelled:
            count += conn.execute(
                f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE instr({column}, ?)",
                (old, FORGOTTEN, old),
            ).rowcount
    return count


def person(project: Project, name: str) -> Erased:
    """Erase a person's name and words; their labels stay, under a name that tells nothing.

    Raises:
        ProjectError: There is no such person, or somebody else is reading the file.
    """
    _key_of(project, name)
    with _without_traces(project, PATIENCE_S), project.write() as conn:
        return _erase_person(project, conn, name)


def _key_of(project: Project, name: str) -> int:
    found = project.conn.execute("SELECT id FROM labelers WHERE name = ?", (name,)).fetchone()
    if found is None:
        raise ProjectError(f"There is no labeler {name!r} in this project.")
    return int(found[0])


def _erase_person(project: Project, conn: sqlite3.Connection, name: str) -> Erased:
    key = _key_of(project, name)
    new = f"{FORGOTTEN} {key}"
    comments = conn.execute(
        "UPDATE labels SET comment = NULL WHERE labeler = ? AND comment IS NOT NULL", (key,)
    ).rowcount
    comments += conn.execute(
        "UPDATE marks SET note = NULL WHERE labeler = ? AND note IS NOT NULL", (key,)
    ).rowcount
    labels = conn.execute("SELECT count(*) FROM labels WHERE labeler = ?", (key,)).fetchone()[0]
    conn.execute("UPDATE labelers SET name = ?, colour = NULL WHERE id = ?", (new, key))
    journal = conn.execute(
        "SELECT count(*) FROM journal WHERE instr(title, ?)", (name,)
    ).fetchone()[0]
    for table, column in _NAMED:
        for old, other in _spellings(name, new, column):
            conn.execute(
                f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE instr({column}, ?)",
                (old, other, old),
            )
    _changed(project, conn)
    return Erased((name,), labels, comments, journal)


def _spellings(name: str, new: str, column: str) -> list[tuple[str, str]]:
    """Give how a name may be written: in JSON with its signs around it, in words without."""
    found = [(json.dumps(name), json.dumps(new))]
    found.append((json.dumps(name, ensure_ascii=False), json.dumps(new)))
    if column in _PLAIN:
        found.append((name, new))
    return found


def _changed(project: Project, conn: sqlite3.Connection) -> None:
    """Let other windows read everything anew when they open the file again."""
    project.next_seq()
    conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")


_HELD = (
    "SELECT 1 FROM labelers WHERE name = ?",
    "SELECT 1 FROM evaluations e JOIN runs r ON r.id = e.run WHERE r.name = ? AND e.ext_id = ?",
)


def holds(path: Path, *what: str) -> bool:
    """Tell whether a copy of a project still has a person (a name) or a record (run and id).

    A copy that cannot be read is taken to have them.
    """
    try:
        with contextlib.closing(connecting.connect(path, "ro")) as conn:
            return conn.execute(_HELD[len(what) - 1], what).fetchone() is not None
    except (sqlite3.Error, ProjectError):
        return True
