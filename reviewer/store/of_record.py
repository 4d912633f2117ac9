"""The score set of record of a metric in a run: whose scores count, and how it came to that.

The first import or job that ends whole fixes it, once. Later only a lead changes it. Entries of
the log are never changed or removed; `records` holds what stands.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.errors import ProjectError, ReviewerError
from reviewer.domain.evaluation import now_text
from reviewer.domain.run import ScorerVersion
from reviewer.domain.uids import Uid
from reviewer.store import figures
from reviewer.store.journal import Naming
from reviewer.store.project import Project
from reviewer.store.query import finds, number_of
from reviewer.store.scoping import Condition
from reviewer.store.scores import mark_run, sets_of

Place = tuple[int, int]
"""A run and the number of a metric."""
Kind = Literal["fixed", "named", "undone"]
To = Literal["done", "undone"]


class Record(Struct, frozen=True, kw_only=True):
    """Whose scores count for a metric in a run.

    Attributes:
        with_repeats: Whether what the set says again counts, too.
        entry: The number of the log's entry that says so.
        labeler: Who named it, None where an import or a job fixed it.
    """

    run: int
    metric: int
    score_set: int
    with_repeats: bool = False
    entry: int = 0
    kind: Kind = "fixed"
    labeler: str | None = None
    at: str = ""


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of the log; `score_set` is None where nothing stood any more.

    Attributes:
        seq: Its place among all changes, the same for all that one act named.
    """

    key: int
    seq: int
    run: int
    metric: int
    score_set: int | None
    with_repeats: bool
    kind: Kind
    labeler: str | None
    at: str
    before: int | None


_STANDING = """
    SELECT r.run, r.metric, r.score_set, r.with_repeats, r.entry, l.kind, p.name, l.at
    FROM records r JOIN record_log l ON l.id = r.entry LEFT JOIN labelers p ON p.id = l.labeler
"""
_LOG = """
    SELECT l.id, l.run, l.metric, l.score_set, l.with_repeats, l.kind, p.name, l.at, l.before,
        l.seq
    FROM record_log l LEFT JOIN labelers p ON p.id = l.labeler
"""


def every(conn: sqlite3.Connection) -> dict[Place, Record]:
    """Give what stands, by run and metric."""
    return {(row[0], row[1]): _record(row) for row in conn.execute(_STANDING)}


def find(conn: sqlite3.Connection, run: int, metric: int) -> Record | None:
    """Give what stands for a metric in a run."""
    row = conn.execute(f"{_STANDING} WHERE r.run = ? AND r.metric = ?", (run, metric)).fetchone()
    return None if row is None else _record(row)


def history(conn: sqlite3.Connection, run: int | None = None) -> list[Entry]:
    """Give the log, the oldest entry first."""
    rows = conn.execute(f"{_LOG} WHERE ? IS NULL OR l.run = ? ORDER BY l.id", (run, run))
    return [_entry(row) for row in rows]


def fix(project: Project, brought: Mapping[Place, Mapping[int, int]]) -> list[Place]:
    """Fix what is not fixed yet, and give where; call inside `write`.

    Args:
        project: The open project.
        brought: By run and metric how many evaluations each score set scored, in the order of the
            file; the one that scored most counts, of equals the first.
    """
    conn, fixed = project.conn, []
    for (run, metric), counts in brought.items():
        if counts and not _stands(conn, run, metric):
            chosen = max(counts, key=lambda key: counts[key])
            before = find(conn, run, metric)
            _log(
                project,
                Record(run=run, metric=metric, score_set=chosen),
                labeler=None,
                seq=project.next_seq(),
                before=None if before is None else before.entry,
            )
            fixed.append((run, metric))
    return fixed


def scored_by_job(
    conn: sqlite3.Connection, job: int, keys: Sequence[int]
) -> dict[Place, dict[int, int]]:
    """Count, as `fix` takes it, what the score sets of a job hold in the runs that it worked on.

    Args:
        conn: Of the project.
        job: The number of the job.
        keys: The evaluations that it worked on.
    """
    runs = conn.execute(
        "SELECT DISTINCT e.run FROM json_each(?) w CROSS JOIN evaluations e ON e.id = w.value",
        (json.dumps(list(keys)),),
    ).fetchall()
    return scored_in_runs(conn, job, [run for (run,) in runs])


def scored_in_runs(
    conn: sqlite3.Connection, job: int, runs: Sequence[int]
) -> dict[Place, dict[int, int]]:
    """Count as `scored_by_job` does, in runs by their numbers."""
    found: dict[Place, dict[int, int]] = {}
    for metric, score_set in sets_of(conn, job).items():
        for run in runs:
            if has_scores(conn, Record(run=run, metric=metric, score_set=score_set)):
                found[run, metric] = {score_set: 1}
    return found


def name(
    project: Project,
    wanted: Record,
    *,
    labeler: int | None,
    seq: int | None = None,
    expected: int | None = None,
) -> int:
    """Let a score set count for a metric in a run, and give the log's entry; inside `write`.

    Args:
        project: The open project.
        wanted: Run, metric, score set, and whether its repeats count.
        labeler: The number of who names it.
        seq: The place of the act among all changes where it names several; else a new one.
        expected: The entry that whoever names it believes to stand, 0 for none, None for whatever
            stands.

    Raises:
        ProjectError: Somebody else named another one meanwhile.
    """
    before = find(project.conn, wanted.run, wanted.metric)
    if expected is not None and (before.entry if before else 0) != expected:
        who = (before.labeler if before else None) or "somebody else"
        raise ProjectError(f"{who} named another version meanwhile; look at it and name it again.")
    standing, place = before.entry if before else None, seq or project.next_seq()
    entry = _log(project, wanted, labeler=labeler, seq=place, before=standing)
    _mark(project.conn, before, wanted)
    return entry


def follow(project: Project, wanted: Record, uid: Uid, labeler: int | None) -> None:
    """Let count what a lead named in another copy of the project; inside `write`.

    Args:
        project: The open project.
        wanted: Run, metric and score set, and how and when that was said.
        uid: The number that the log's entry has everywhere.
        labeler: The number of who named it.
    """
    conn = project.conn
    before = find(conn, wanted.run, wanted.metric)
    known = conn.execute("SELECT id FROM record_log WHERE uid = ?", (uid,)).fetchone()
    if known is None:
        entry = _write(
            conn,
            (uid, project.next_seq(), wanted.run, wanted.metric, wanted.score_set,
             int(wanted.with_repeats), wanted.kind, labeler, wanted.at,
             before.entry if before else None),
        )  # fmt: skip
    else:
        entry = int(known[0])
    if before is None or before.entry != entry:
        _stand(conn, wanted, entry)
        _mark(conn, before, wanted)
        if known is not None:
            # the log did not grow, by which other windows know that they are to read anew
            conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")


def take_back(project: Project, entry: int, *, labeler: int | None) -> int:
    """Let count what counted before somebody named what stands; inside `write`.

    Args:
        project: The open project.
        entry: The log's entry that is to be taken back; it must stand.
        labeler: The number of who takes it back.

    Raises:
        ProjectError: Something else was named since, or nobody named it.
    """
    conn = project.conn
    undone = entry_of(conn, entry)
    standing = find(conn, undone.run, undone.metric)
    if standing is None or standing.entry != entry:
        raise ProjectError("Another version was named since; take that back first.")
    origin = origin_of(conn, undone)
    if origin.kind != "named":
        raise ProjectError("An import or a job fixed this version; name another one instead.")
    before = None if origin.before is None else origin_of(conn, entry_of(conn, origin.before))
    made = _write(
        conn,
        (uids.fresh(), project.next_seq(), undone.run, undone.metric,
         before.score_set if before else None, int(before.with_repeats) if before else 0,
         "undone", labeler, now_text(), entry),
    )  # fmt: skip
    conn.execute("DELETE FROM records WHERE run = ? AND metric = ?", (undone.run, undone.metric))
    restored = None
    if before is not None and before.score_set is not None:
        restored = Record(
            run=undone.run,
            metric=undone.metric,
            score_set=before.score_set,
            with_repeats=before.with_repeats,
        )
        _stand(conn, restored, made)
    _mark(conn, standing, restored)
    return made


def obstacle(conn: sqlite3.Connection, part: Naming) -> str | None:
    """Say why a naming has to stay as it is, None where it can be taken back or done again."""
    if conn.execute("SELECT 1 FROM runs WHERE id = ?", (part.run,)).fetchone() is None:
        return "the run is gone"
    standing = find(conn, part.run, part.metric)
    if (standing.entry if standing else _newest_of(conn, part)) != part.entry:
        return "another version was named since"
    return None


def apply(project: Project, part: Naming, to: To, *, labeler: int | None, seq: int) -> Naming:
    """Take back a naming or name again; inside `write`; gives what the journal has to know."""
    if to == "undone":
        return replace(part, entry=take_back(project, part.entry, labeler=labeler))
    wanted = Record(
        run=part.run,
        metric=part.metric,
        score_set=part.score_set,
        with_repeats=part.with_repeats,
    )
    return replace(part, entry=name(project, wanted, labeler=labeler, seq=seq))


def _newest_of(conn: sqlite3.Connection, part: Naming) -> int:
    return number_of(
        conn,
        "SELECT ifnull(max(id), 0) FROM record_log WHERE run = ? AND metric = ?",
        (part.run, part.metric),
    )


def named_last(
    conn: sqlite3.Connection, runs: Collection[int], metrics: Collection[int]
) -> list[Record]:
    """Give what stands because the newest act there named it; empty where nobody named any."""
    found = [
        (x, origin_of(conn, entry_of(conn, x.entry)))
        for x in every(conn).values()
        if x.run in runs and x.metric in metrics
    ]
    last = max((origin.seq for _, origin in found if origin.kind == "named"), default=0)
    return [x for x, origin in found if origin.seq == last and origin.kind == "named"]


def entry_of(conn: sqlite3.Connection, key: int) -> Entry:
    """Give an entry of the log."""
    return _entry(conn.execute(f"{_LOG} WHERE l.id = ?", (key,)).fetchone())


def origin_of(conn: sqlite3.Connection, entry: Entry) -> Entry:
    """Give the entry that first said what an entry brought back."""
    while entry.kind == "undone" and entry.before is not None:
        taken = origin_of(conn, entry_of(conn, entry.before))
        if taken.before is None:
            break
        entry = entry_of(conn, taken.before)
    return entry


def _stands(conn: sqlite3.Connection, run: int, metric: int) -> bool:
    """Tell whether a record stands; one that nobody named falls with the last of its scores."""
    found = find(conn, run, metric)
    return found is not None and (found.kind != "fixed" or has_scores(conn, found))


def of_job(conn: sqlite3.Connection, job: int) -> list[Record]:
    """Give the records that name a score set into which a job scored."""
    sets = sets_of(conn, job)
    return [x for x in every(conn).values() if sets.get(x.metric) == x.score_set]


def has_scores(conn: sqlite3.Connection, record: Record) -> bool:
    """Tell whether a record's score set has a score in its run."""
    return finds(
        conn,
        "SELECT 1 FROM scores s JOIN visible_evaluations v ON v.id = s.evaluation "
        "WHERE s.metric = ? AND s.score_set = ? AND s.latest = 1 AND s.turn = -1 AND v.run = ? "
        "LIMIT 1",
        (record.metric, record.score_set, record.run),
    )


def _log(
    project: Project, record: Record, *, labeler: int | None, seq: int, before: int | None
) -> int:
    kind: Kind = "fixed" if labeler is None else "named"
    uid = _uid(project.conn, record) if kind == "fixed" and before is None else uids.fresh()
    entry = _write(
        project.conn,
        (uid, seq, record.run, record.metric, record.score_set,
         int(record.with_repeats), kind, labeler, now_text(), before),
    )  # fmt: skip
    _stand(project.conn, record, entry)
    return entry


def _write(conn: sqlite3.Connection, row: tuple[Any, ...]) -> int:
    made = conn.execute(
        "INSERT INTO record_log(uid, seq, run, metric, score_set, with_repeats, kind, labeler, "
        "at, before) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        row,
    ).fetchall()[0]
    return int(made[0])


def _stand(conn: sqlite3.Connection, record: Record, entry: int) -> None:
    conn.execute(
        "INSERT OR REPLACE INTO records(run, metric, score_set, with_repeats, entry) "
        "VALUES (?, ?, ?, ?, ?)",
        (record.run, record.metric, record.score_set, int(record.with_repeats), entry),
    )


def _mark(conn: sqlite3.Connection, before: Record | None, after: Record | None) -> None:
    """Mark anew what counts of repeats where that changed."""
    for one, other in ((before, after), (after, before)):
        if one is None:
            continue
        same = other is not None and other.score_set == one.score_set
        if one.with_repeats and not (same and other is not None and other.with_repeats):
            mark_run(conn, one.run, one.metric, one.score_set)


def _uid(conn: sqlite3.Connection, record: Record) -> bytes:
    """Name what an import fixed by what it fixed, so that copies of a project agree."""
    words = conn.execute(
        "SELECT r.name, m.name, b.scorer, b.version, b.model, b.prompt_hash, b.parameters "
        "FROM runs r, metrics m, score_sets b WHERE r.id = ? AND m.id = ? AND b.id = ?",
        (record.run, record.metric, record.score_set),
    ).fetchone()
    found = uids.of_content("record", *words)
    taken = conn.execute("SELECT 1 FROM record_log WHERE uid = ?", (found,)).fetchone()
    return uids.fresh() if taken else found


def _record(row: tuple[Any, ...]) -> Record:
    return Record(
        run=row[0],
        metric=row[1],
        score_set=row[2],
        with_repeats=bool(row[3]),
        entry=row[4],
        kind=row[5],
        labeler=row[6],
        at=row[7],
    )


def _entry(row: tuple[Any, ...]) -> Entry:
    return Entry(
        key=row[0],
        run=row[1],
        metric=row[2],
        score_set=row[3],
        with_repeats=bool(row[4]),
        kind=row[5],
        labeler=row[6],
        at=row[7],
        before=row[8],
        seq=row[9],
    )


def chosen_score_set(
    project: Project, run: int, metric: str, scorer: str | None = None
) -> ScorerVersion | None:
    """Give the score set that counts for a metric in a run, None where none does.

    It is the one of record, or the one that `scorer` names, if that scored the metric in the run.

    Raises:
        ReviewerError: `scorer` names several versions, and that of record is not among them.
    """
    key = figures.metric_keys(project).get(metric)
    if key is None:
        return None
    versions = {version.key: version for version in figures.scorer_versions(project)}
    record = find(project.conn, run, key)
    standing = None if record is None else record.score_set
    if scorer is None:
        return None if standing is None else versions[standing]
    used = figures.score_sets_in_use(project, key, Condition("e.run = ?", (run,)))
    found = meant(fitting(scorer, used, versions=versions), versions=versions, standing=standing)
    return None if found is None else versions[found]


def fitting(
    scorer: str, used: Sequence[int], *, versions: Mapping[int, ScorerVersion]
) -> list[int]:
    """Give which of the score sets in use a name means: those of that full name, else all.

    Args:
        scorer: NAME, NAME@VERSION or the full name.
        used: The score sets that scored a metric in scope.
        versions: Every score set.
    """
    exact = [x for x in used if versions[x].name == scorer]
    return exact or [x for x in used if versions[x].is_called(scorer)]


def meant(
    named: Sequence[int], *, versions: Mapping[int, ScorerVersion], standing: int | None
) -> int | None:
    """Give the score set that counts where a name means some, the one that stands if none.

    Args:
        named: The score sets that the name means.
        versions: Every score set.
        standing: The one of record, None where there is none.

    Raises:
        ReviewerError: There are several, and the one of record is not among them.
    """
    if not named or standing in named:
        return standing
    if len(named) > 1:
        there = ", ".join(versions[x].name for x in named)
        raise ReviewerError(
            f"{versions[named[0]].scorer} has several versions there: {there}. Name one in full."
        )
    return named[0]
