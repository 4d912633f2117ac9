"""Jobs, what came of each of their calls, and the replies that were paid for."""

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from reviewer.domain.errors import ProjectError
from reviewer.domain.evaluation import now_text
from reviewer.domain.judging import Attempt, Job, JobPlan, JobState, Wish
from reviewer.store import owners, schema
from reviewer.store.project import Project


@dataclass(slots=True)
class Counts:
    """What happened in a job: attempts that ended, requests sent, and what they took."""

    done: int = 0
    failed: int = 0
    calls: int = 0
    cached: int = 0
    cost_usd: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, more: "Counts") -> None:
        """Add what happened since."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(more, name))


_PLAN = TypeAdapter(JobPlan)
_COLUMNS = (
    "id, kind, title, state, total, done, failed, calls, cached, cost_usd, tokens_in, tokens_out, "
    "sentence, run, owner, created_at, started_at, finished_at"
)
_FIRST = "coalesce(json_extract(plan, '$.after'), json_extract(plan, '$.shares'), id)"
_NAMES = ("key", *_COLUMNS.split(", ")[1:])
_COUNTED = ("done", "failed", "calls", "cached", "cost_usd", "tokens_in", "tokens_out")


def add(project: Project, plan: JobPlan, total: int) -> int:
    """Store a planned job and give its number."""
    with project.write() as conn:
        row = conn.execute(
            "INSERT INTO jobs(kind, title, plan, state, total, created_at, seq) "
            "VALUES (?, ?, ?, 'waiting', ?, ?, ?) RETURNING id",
            (plan.kind, plan.title, _PLAN.dump_json(plan).decode(), total, now_text(),
             project.next_seq()),
        ).fetchall()[0]  # fmt: skip
    return int(row[0])


def every(conn: sqlite3.Connection) -> tuple[Job, ...]:
    """Give all jobs, the newest first."""
    rows = conn.execute(f"SELECT {_COLUMNS} FROM jobs ORDER BY id DESC")
    return tuple(_job(row) for row in rows)


def after(conn: sqlite3.Connection, key: int) -> tuple[Job, ...]:
    """Give the jobs that score what a bot's job answered, in their order."""
    rows = conn.execute(
        f"SELECT {_COLUMNS} FROM jobs WHERE json_extract(plan, '$.after') = ? ORDER BY id", (key,)
    )
    return tuple(_job(row) for row in rows)


def sharing(conn: sqlite3.Connection, key: int) -> tuple[Job, ...]:
    """Give the other jobs that one limit holds together with a job, in their order.

    A bot's job and those that score its answers belong together, and jobs asked for together.
    """
    rows = conn.execute(
        f"SELECT {_COLUMNS} FROM jobs WHERE id <> ?1 AND {_FIRST} = "
        f"(SELECT {_FIRST} FROM jobs WHERE id = ?1) ORDER BY id",
        (key,),
    )
    return tuple(_job(row) for row in rows)


def spent_beside(conn: sqlite3.Connection, key: int) -> float:
    """Give what the other jobs have cost that one limit holds together with a job."""
    return sum(job.cost_usd for job in sharing(conn, key))


def promised_runs(conn: sqlite3.Connection) -> set[str]:
    """Give the names of the runs that bots' jobs are to make and have not made yet."""
    rows = conn.execute(
        "SELECT json_extract(plan, '$.target_run') FROM jobs "
        "WHERE kind = 'bot' AND state NOT IN ('done', 'cancelled')"
    )
    return {name for (name,) in rows if name}


def get(conn: sqlite3.Connection, key: int) -> Job:
    """Give a job.

    Raises:
        ProjectError: There is no job of that number.
    """
    row = conn.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (key,)).fetchone()
    if row is None:
        raise ProjectError(f"The project has no job {key}.")
    return _job(row)


def plan(conn: sqlite3.Connection, key: int) -> JobPlan:
    """Give what a job is to do."""
    get(conn, key)
    return _PLAN.validate_json(
        conn.execute("SELECT plan FROM jobs WHERE id = ?", (key,)).fetchone()[0]
    )


def set_plan(project: Project, key: int, plan: JobPlan) -> None:
    """Change what a job is to do."""
    with project.write() as conn:
        conn.execute(
            "UPDATE jobs SET plan = ? WHERE id = ?", (_PLAN.dump_json(plan).decode(), key)
        )


def take(project: Project, key: int, owner: str) -> Job:
    """Let a process work on a job, and give the job as it was before.

    Raises:
        ProjectError: Another living process works on it.
    """
    with project.write() as conn:
        before = get(conn, key)
        if at_work(before):
            raise ProjectError(
                f"Job {key} is already running in another window or program; wait until it is "
                "done."
            )
        conn.execute(
            "UPDATE jobs SET state = 'running', owner = ?, sentence = NULL, wish = NULL, "
            "finished_at = NULL, started_at = ?, seq = ? WHERE id = ?",
            (owner, now_text(), project.next_seq(), key),
        )
    return before


def at_work(job: Job) -> bool:
    """Tell whether another living process works on a job."""
    return bool(job.owner and owners.alive(job.owner, job.started_at or job.created_at))


def taken_before(conn: sqlite3.Connection, key: int) -> tuple[Job, ...]:
    """Give the jobs that another process took up before a running job, and still works on."""
    rows = conn.execute(
        f"SELECT {_COLUMNS} FROM jobs WHERE state = 'running' AND seq < "
        "(SELECT seq FROM jobs WHERE id = ?) ORDER BY seq",
        (key,),
    )
    return tuple(job for job in map(_job, rows) if at_work(job))


def settle(project: Project, key: int, state: JobState, sentence: str | None = None) -> Job:
    """Say how a job ended or stopped, and give it as it is then."""
    with project.write() as conn:
        conn.execute(
            "UPDATE jobs SET state = ?, sentence = ?, owner = NULL, wish = NULL, finished_at = ?, "
            "seq = ? "
            "WHERE id = ?",
            (state, sentence, now_text(), project.next_seq(), key),
        )
        return get(conn, key)


def wish(project: Project, key: int, what: Wish) -> None:
    """Ask whoever works on a job to pause or cancel it."""
    with project.write() as conn:
        conn.execute("UPDATE jobs SET wish = ? WHERE id = ? AND state = 'running'", (what, key))


def wished(conn: sqlite3.Connection, key: int) -> Wish | None:
    """Give what somebody asked of a job that is running."""
    row = conn.execute("SELECT wish FROM jobs WHERE id = ?", (key,)).fetchone()
    return row[0] if row else None


def set_run(conn: sqlite3.Connection, key: int, run: str, source: str) -> None:
    """Say which run a job made, by its name, and what made it; call inside `Project.write`."""
    conn.execute("UPDATE runs SET source = ? WHERE name = ?", (source, run))
    conn.execute(
        "UPDATE jobs SET run = (SELECT id FROM runs WHERE name = ?) WHERE id = ?", (run, key)
    )


def count(conn: sqlite3.Connection, key: int, more: Counts) -> None:
    """Add what happened since to a job's counts; call inside `Project.write`."""
    conn.execute(
        f"UPDATE jobs SET {', '.join(f'{name} = {name} + ?' for name in _COUNTED)} WHERE id = ?",
        (*(getattr(more, name) for name in _COUNTED), key),
    )


def restart(conn: sqlite3.Connection, key: int) -> None:
    """Set a job's counts to nothing and forget its attempts; call inside `Project.write`."""
    conn.execute(f"UPDATE jobs SET {', '.join(f'{x} = 0' for x in _COUNTED)} WHERE id = ?", (key,))
    conn.execute("DELETE FROM attempts WHERE job = ?", (key,))


def keep(conn: sqlite3.Connection, key: int, attempts: Iterable[tuple[Attempt, int]]) -> None:
    """Keep attempts with the numbers of their metrics; call inside `Project.write`."""
    conn.executemany(
        "INSERT OR REPLACE INTO attempts(job, evaluation, metric, repeat, state, kind, sentence, "
        "raw, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (key, x.evaluation, metric, x.repeat, x.state, x.kind, x.sentence, x.raw, x.at)
            for x, metric in attempts
        ],
    )


def forget_failures(project: Project, key: int) -> int:
    """Make failed attempts open again and give their number."""
    with project.write() as conn:
        gone = conn.execute(
            "DELETE FROM attempts WHERE job = ? AND state = 'failed'", (key,)
        ).rowcount
        conn.execute(
            "UPDATE jobs SET failed = failed - ?, plan = json_set(plan, '$.reopened', "
            "ifnull(json_extract(plan, '$.reopened'), 0) + 1), "
            "state = CASE WHEN state = 'done' AND ? THEN 'waiting' ELSE state END WHERE id = ?",
            (gone, gone, key),
        )
    return int(gone)


def settled(conn: sqlite3.Connection, key: int) -> set[tuple[int, int, int]]:
    """Give evaluation, number of the metric and repeat of every attempt of a job."""
    return set(
        conn.execute("SELECT evaluation, metric, repeat FROM attempts WHERE job = ?", (key,))
    )


def failures(conn: sqlite3.Connection, key: int, *, first: int = 1_000) -> tuple[Attempt, ...]:
    """Give the failed and excluded attempts of a job, by evaluation."""
    rows = conn.execute(
        "SELECT a.evaluation, m.name, a.repeat, a.state, a.kind, a.sentence, a.raw, a.at "
        "FROM attempts a LEFT JOIN metrics m ON m.id = a.metric "
        "WHERE a.job = ? AND a.state <> 'done' ORDER BY a.evaluation, a.metric, a.repeat LIMIT ?",
        (key, first),
    )
    names = ("evaluation", "metric", "repeat", "state", "kind", "sentence", "raw", "at")
    return tuple(Attempt(**dict(zip(names, row, strict=True))) for row in rows)


def failure_counts(conn: sqlite3.Connection, key: int) -> dict[str, int]:
    """Give how many attempts failed, by kind, the most frequent first."""
    return dict(
        conn.execute(
            "SELECT ifnull(kind, 'other'), count(*) FROM attempts "
            "WHERE job = ? AND state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
            (key,),
        )
    )


def failure_kinds(conn: sqlite3.Connection, key: int) -> list[tuple[str, int, str, int]]:
    """Give each kind of failed attempts with their number and what the first says."""
    return conn.execute(
        "SELECT ifnull(kind, 'other'), count(*), ifnull(sentence, ''), min(evaluation) "
        "FROM attempts WHERE job = ? AND state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
        (key,),
    ).fetchall()


def last_failed(conn: sqlite3.Connection, keys: Sequence[int]) -> set[int]:
    """Give those of the evaluations whose last attempt, of any job, failed."""
    wanted = set(keys)
    rows = conn.execute(
        "SELECT evaluation, metric, state, max(at) FROM attempts GROUP BY evaluation, metric"
    )
    return {row[0] for row in rows if row[2] == "failed" and row[0] in wanted}


def _job(row: tuple[object, ...]) -> Job:
    made = Job(**dict(zip(_NAMES, row, strict=True)))  # type: ignore[arg-type]
    return replace(made, cost_usd=float(made.cost_usd))


def problems_of(conn: sqlite3.Connection, evaluation: int) -> dict[str, str]:
    """Say by metric why an evaluation was not judged, where its newest attempt failed or was left.

    What the newest job scored has no problem.
    """
    rows = conn.execute(
        "SELECT m.name, a.state, a.sentence FROM jobs j JOIN attempts a ON a.job = j.id "
        "AND a.evaluation = ? JOIN metrics m ON m.id = a.metric ORDER BY j.id, a.repeat",
        (evaluation,),
    )
    newest = {name: "" if state == "done" else sentence or "" for name, state, sentence in rows}
    return {name: sentence for name, sentence in newest.items() if sentence}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply as it came, with what it took."""

    text: str
    trace: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None


def find_reply(conn: sqlite3.Connection, key: str) -> Reply | None:
    """Give the reply of a key, None where nothing was paid for yet."""
    row = conn.execute(
        "SELECT reply, trace, tokens_in, tokens_out, cost_usd, latency_ms FROM replies "
        "WHERE key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    names = ("text", "trace", "tokens_in", "tokens_out", "cost_usd", "latency_ms")
    return Reply(**dict(zip(names, row, strict=True)))


def keep_reply(conn: sqlite3.Connection, key: str, reply: Reply) -> None:
    """Keep a reply; call inside `Project.write`."""
    conn.execute(
        "INSERT OR REPLACE INTO replies(key, reply, trace, tokens_in, tokens_out, cost_usd, "
        "latency_ms, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (key, reply.text, reply.trace, reply.tokens_in, reply.tokens_out, reply.cost_usd,
         reply.latency_ms, now_text()),
    )  # fmt: skip


_UNREAD = "unread "


def find_unread(conn: sqlite3.Connection, key: str) -> Reply | None:
    """Give the reply of a key that came and was not read before everything ended."""
    return find_reply(conn, _UNREAD + key)


def keep_unread(project: Project, key: str, reply: Reply) -> None:
    """Keep a reply as it came, on disk when this returns."""
    with project.write() as conn:
        keep_reply(conn, _UNREAD + key, reply)


def forget_unread(conn: sqlite3.Connection, key: str) -> None:
    """Forget a reply that was read; call inside `Project.write`."""
    conn.execute("DELETE FROM replies WHERE key = ?", (_UNREAD + key,))


def series(project: Project, key: int) -> str:
    """Name what a job asks, unlike any other job of any copy of any project.

    It stays the same over pauses and crashes, until what failed is to be asked once more.
    """
    row = project.conn.execute(
        "SELECT created_at, ifnull(json_extract(plan, '$.reopened'), 0) FROM jobs WHERE id = ?",
        (key,),
    ).fetchone()
    said = (project.setting(schema.PROJECT_ID), key, *row)
    return hashlib.sha256(repr(said).encode()).hexdigest()


def forget_replies_like(conn: sqlite3.Connection, start: str) -> None:
    """Forget the replies whose keys start so; call inside `Project.write`."""
    conn.execute("DELETE FROM replies WHERE substr(key, 1, ?) = ?", (len(start), start))
