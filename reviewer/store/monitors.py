"""Monitors of production, their samples, and the files that were taken from watched folders."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pydantic import TypeAdapter

from reviewer.domain.evaluation import now_text, parse_time
from reviewer.domain.monitoring import Monitor
from reviewer.store import owners
from reviewer.store.exclusions import COUNTED
from reviewer.store.project import Project
from reviewer.store.query import finds, values_of
from reviewer.store.scoping import Condition

FileState = Literal["imported", "same", "failed"]
_READ = TypeAdapter(Monitor)
_COLUMNS = (
    "id, body, drawn, seen, status, watched, watcher, watcher_at, "
    "(SELECT ifnull(sum(j.cost_usd), 0) FROM monitor_jobs m JOIN jobs j ON j.id = m.job "
    "WHERE m.monitor = monitors.id)"
)
RENEW_SECONDS = 600
"""How often a watcher says anew that it watches, for windows on other computers."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A monitor as the project keeps it.

    Attributes:
        drawn: The rate, seed and runs under which evaluations up to `seen` were looked at.
        status: The status that was told last.
        watched: Since when it looks by itself, None where it does not.
        watcher: The process that does so, since the moment behind it; it may be gone.
        spent_usd: What its jobs have cost so far.
    """

    key: int
    settings: Monitor
    drawn: str = ""
    seen: int = 0
    status: str | None = None
    watched: str | None = None
    watcher: tuple[str, str] | None = None
    spent_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled evaluation.

    Attributes:
        identity: Run and id.
        dated: Microseconds since 1970 UTC of the evaluation, None without a date.
        judge: The judge whose score was wanted when it was scored, empty for none.
        scorer: Who scored, None as long as nobody has.
        tries: How often a judge was asked in vain.
        at: When it was sampled.
    """

    evaluation: int
    identity: tuple[str, str]
    dated: int | None
    score: float | None
    passed: bool | None
    judge: str | None
    scorer: str | None
    rubric_version: str | None
    tries: int
    note: str | None
    at: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a watched folder that was dealt with."""

    folder: str
    name: str
    size: int
    changed: int
    sha256: str
    state: FileState
    sentence: str | None = None
    at: str = ""


def every(project: Project) -> tuple[Kept, ...]:
    """Give the monitors by the name of their rubric."""
    rows = project.conn.execute(f"SELECT {_COLUMNS} FROM monitors ORDER BY name")
    return tuple(_kept(row) for row in rows)


def find(project: Project, rubric: str) -> Kept | None:
    """Give the monitor of a rubric, None where there is none."""
    row = project.conn.execute(
        f"SELECT {_COLUMNS} FROM monitors WHERE name = ?", (rubric,)
    ).fetchone()
    return None if row is None else _kept(row)


def keep(project: Project, settings: Monitor) -> Kept:
    """Keep a monitor's settings; what it has seen and sampled stays."""
    with project.write() as conn:
        row = conn.execute(
            "INSERT INTO monitors(name, body, seq) VALUES (?, ?, ?) "
            "ON CONFLICT(name) DO UPDATE SET body = excluded.body, seq = excluded.seq "
            f"RETURNING {_COLUMNS}",
            (settings.rubric, _READ.dump_json(settings).decode(), project.next_seq()),
        ).fetchall()[0]
    return _kept(row)


def claim(project: Project, key: int) -> bool:
    """Take a monitor for this process; tells whether nobody else has it."""
    with project.write() as conn:
        owner, since = conn.execute(
            "SELECT owner, since FROM monitors WHERE id = ?", (key,)
        ).fetchone()
        if owner and owners.alive(str(owner), str(since)):
            return False
        conn.execute(
            "UPDATE monitors SET owner = ?, since = ? WHERE id = ?",
            (owners.owner_name(), now_text(), key),
        )
    return True


def let_go(project: Project, key: int) -> None:
    """Give a monitor back."""
    with project.write() as conn:
        conn.execute("UPDATE monitors SET owner = NULL, since = NULL WHERE id = ?", (key,))


def watch(project: Project, key: int) -> None:
    """Let a monitor look by itself from now on; one that does goes on."""
    with project.write() as conn:
        conn.execute(
            "UPDATE monitors SET watched = ifnull(watched, ?) WHERE id = ?", (now_text(), key)
        )
        _note_change(project, key)


def unwatch(project: Project, key: int) -> None:
    """Let a monitor look by itself no longer."""
    with project.write() as conn:
        conn.execute(
            "UPDATE monitors SET watched = NULL, watcher = NULL, watcher_at = NULL WHERE id = ?",
            (key,),
        )
        _note_change(project, key)


def take_watch(project: Project, kept: Kept) -> bool:
    """Look by itself with this process; tells whether no other living process does."""
    mine = owners.owner_name()
    if kept.watcher is not None:
        owner, at = kept.watcher
        age = (datetime.now(UTC) - parse_time(at)).total_seconds()
        if owner == mine and 0 <= age < RENEW_SECONDS:
            return True
        if owner != mine and owners.alive(owner, at):
            return False
    with project.write() as conn:
        # whoever was faster has it
        taken = conn.execute(
            "UPDATE monitors SET watcher = ?, watcher_at = ? WHERE id = ? AND watcher IS ?",
            (mine, now_text(), kept.key, kept.watcher and kept.watcher[0]),
        ).rowcount
        if taken and (kept.watcher is None or kept.watcher[0] != mine):
            _note_change(project, kept.key)
    return taken > 0


def leave_watch(project: Project) -> None:
    """Let another process look with what this one watched."""
    mine = owners.owner_name()
    if any(kept.watcher is not None and kept.watcher[0] == mine for kept in every(project)):
        with project.write() as conn:
            conn.execute(
                "UPDATE monitors SET watcher = NULL, watcher_at = NULL, seq = ? WHERE watcher = ?",
                (project.next_seq(), mine),
            )


def candidates(
    project: Project, runs: Sequence[str], after: int
) -> tuple[int, Iterator[tuple[int, str, str]]]:
    """Give how far the project goes, and key, run and id of evaluations of runs after a key."""
    last = project.conn.execute("SELECT value FROM counters WHERE name = 'visible'").fetchone()[0]
    rows = project.conn.execute(
        "SELECT e.id, r.name, e.ext_id FROM visible_evaluations e JOIN runs r ON r.id = e.run "
        "WHERE r.name IN (SELECT value FROM json_each(?)) AND e.id > ? AND e.id <= ? "
        f"AND {COUNTED} ORDER BY e.id",
        (json.dumps(runs), after, last),
    )
    return int(last), ((int(key), str(run), str(name)) for key, run, name in rows)


def note_looked(
    project: Project, key: int, sampled: Sequence[int], *, seen: int, drawn: str
) -> int:
    """Keep new samples and how far was looked in one transaction, and count the new ones."""
    at = now_text()
    with project.write() as conn:
        before = conn.total_changes
        conn.executemany(
            "INSERT OR IGNORE INTO monitor_samples(monitor, evaluation, at) VALUES (?, ?, ?)",
            ((key, evaluation, at) for evaluation in sampled),
        )
        new = conn.total_changes - before
        conn.execute("UPDATE monitors SET seen = ?, drawn = ? WHERE id = ?", (seen, drawn, key))
        if new:
            _note_change(project, key)
    return new


def samples(project: Project, key: int) -> list[Sample]:
    """Give a monitor's samples in the order of their arrival, without excluded evaluations."""
    rows = project.conn.execute(
        "SELECT s.evaluation, r.name, e.ext_id, e.dated, s.score, s.passed, s.judge, s.scorer, "
        "s.rubric_version, s.tries, s.note, s.at FROM monitor_samples s "
        "JOIN visible_evaluations e ON e.id = s.evaluation JOIN runs r ON r.id = e.run "
        f"WHERE s.monitor = ? AND {COUNTED} ORDER BY s.evaluation",
        (key,),
    )
    return [
        Sample(
            evaluation, (run, name), dated, score, None if passed is None else bool(passed), *rest
        )
        for evaluation, run, name, dated, score, passed, *rest in rows
    ]


def any_open(project: Project, key: int, judge: str) -> bool:
    """Tell whether a monitor has samples without a score, or without one by the wanted judge."""
    return finds(
        project.conn,
        "SELECT 1 FROM monitor_samples WHERE monitor = ?1 AND (scorer IS NULL "
        "OR (?2 <> '' AND judge IS NOT ?2)) LIMIT 1",
        (key, judge),
    )


def among(keys: Sequence[int]) -> Condition:
    """Give the condition that an evaluation is one of these."""
    listed = "[" + ",".join(map(str, keys)) + "]"
    return Condition("e.id IN (SELECT value FROM json_each(?))", (listed,))


def beyond_samples(project: Project, within: Condition) -> list[int]:
    """Give the evaluations of runs that are sampled which no sample holds, in their order."""
    return values_of(
        project.conn,
        f"SELECT e.id FROM visible_evaluations e WHERE {within.sql} AND e.run IN "
        "(SELECT x.run FROM monitor_samples s JOIN evaluations x ON x.id = s.evaluation) "
        "AND e.id NOT IN (SELECT evaluation FROM monitor_samples) ORDER BY e.id",
        within.parameters,
    )


def settle(project: Project, key: int, found: Iterable[Sample], *, job: int | None = None) -> None:
    """Keep what scoring gave to samples, and that a job's outcome is in it."""
    with project.write() as conn:
        conn.execute("UPDATE monitor_jobs SET taken = 1 WHERE job = ?", (job,))
        _note_change(project, key)
        conn.executemany(
            "UPDATE monitor_samples SET score = ?, passed = ?, judge = ?, scorer = ?, "
            "rubric_version = ?, tries = ?, note = ? WHERE monitor = ? AND evaluation = ?",
            (
                (x.score, x.passed, x.judge, x.scorer, x.rubric_version, x.tries, x.note, key,
                 x.evaluation)
                for x in found
            ),
        )  # fmt: skip


def note_job(project: Project, key: int, job: int) -> None:
    """Keep that a job works for a monitor; what it costs counts as the monitor's."""
    with project.write() as conn:
        conn.execute("INSERT INTO monitor_jobs(job, monitor) VALUES (?, ?)", (job, key))


def open_job(project: Project, key: int) -> int | None:
    """Give the newest job whose outcome a monitor has not taken over, None where there is none."""
    row = project.conn.execute(
        "SELECT max(job) FROM monitor_jobs WHERE monitor = ? AND NOT taken", (key,)
    ).fetchone()
    return None if row[0] is None else int(row[0])


def last_job(project: Project, key: int) -> int | None:
    """Give the newest job of a monitor, None where it had none."""
    row = project.conn.execute(
        "SELECT max(job) FROM monitor_jobs WHERE monitor = ?", (key,)
    ).fetchone()
    return None if row[0] is None else int(row[0])


def change_status(project: Project, key: int, status: str) -> str | None:
    """Keep a status, and give the one before where it differs."""
    with project.write() as conn:
        row = conn.execute("SELECT status FROM monitors WHERE id = ?", (key,)).fetchone()
        before = None if row is None else row[0]
        if before == status:
            return None
        conn.execute("UPDATE monitors SET status = ? WHERE id = ?", (status, key))
        _note_change(project, key)
    return before if before is None else str(before)


def files(project: Project, folder: str) -> dict[str, FileRow]:
    """Give what became of a folder's files, by name."""
    rows = project.conn.execute(
        "SELECT folder, name, size, changed, sha256, state, sentence, at FROM monitor_files "
        "WHERE folder = ?",
        (folder,),
    )
    return {row[1]: FileRow(*row) for row in rows}


def file_with(project: Project, sha256: str) -> FileRow | None:
    """Give a file with the same content that was imported, None where there is none."""
    row = project.conn.execute(
        "SELECT folder, name, size, changed, sha256, state, sentence, at FROM monitor_files "
        "WHERE sha256 = ? AND state = 'imported' LIMIT 1",
        (sha256,),
    ).fetchone()
    return None if row is None else FileRow(*row)


def keep_file(project: Project, row: FileRow) -> None:
    """Keep what became of a file."""
    with project.write() as conn:
        conn.execute(
            "INSERT OR REPLACE INTO monitor_files(folder, name, size, changed, sha256, state, "
            "sentence, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (row.folder, row.name, row.size, row.changed, row.sha256, row.state, row.sentence,
             row.at or now_text()),
        )  # fmt: skip


def _note_change(project: Project, key: int) -> None:
    """Let other windows see, inside `write`, that a monitor is another."""
    project.conn.execute("UPDATE monitors SET seq = ? WHERE id = ?", (project.next_seq(), key))


def _kept(row: tuple[object, ...]) -> Kept:
    key, body, drawn, seen, status, watched, watcher, watcher_at, spent = row
    return Kept(
        key=int(str(key)),
        settings=_READ.validate_json(str(body)),
        drawn=str(drawn),
        seen=int(str(seen)),
        status=None if status is None else str(status),
        watched=None if watched is None else str(watched),
        watcher=None if watcher is None else (str(watcher), str(watcher_at)),
        spent_usd=float(str(spent)),
    )
