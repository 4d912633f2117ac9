"""Test sets in their versions; a case is stored once for all versions in which it is the same."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.domain.case_set import CaseSet, Fields, SetEntry, SetVersion
from reviewer.domain.evaluation import now_text
from reviewer.store.project import Project
from reviewer.store.query import values_of

_IN = "c.since <= ?2 AND (c.until IS NULL OR c.until > ?2)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What makes the next version of a set: cases put in, by id, and ids taken out."""

    put: Mapping[str, Fields]
    gone: Sequence[str] = ()
    note: str = ""
    rubric: str | None = None


def every(conn: sqlite3.Connection) -> tuple[SetEntry, ...]:
    """Give all test sets by name, each with its versions, the newest first."""
    rows = conn.execute(
        "SELECT s.name, s.rubric, v.version, v.created_at, v.note, "
        "(SELECT count(*) FROM test_cases c WHERE c.test_set = s.id AND c.since <= v.version "
        "AND (c.until IS NULL OR c.until > v.version)) FROM test_sets s "
        "JOIN test_set_versions v ON v.test_set = s.id "
        "ORDER BY s.name COLLATE NOCASE, v.version DESC"
    )
    found: dict[str, tuple[str | None, list[SetVersion]]] = {}
    for name, rubric, version, at, note, cases in rows:
        made = SetVersion(version=version, cases=cases, created_at=at, note=note or "")
        found.setdefault(name, (rubric, []))[1].append(made)
    return tuple(
        SetEntry(name=name, rubric=rubric, versions=tuple(versions))
        for name, (rubric, versions) in found.items()
    )


def find(conn: sqlite3.Connection, name: str, version: int | None = None) -> CaseSet | None:
    """Give the cases of a set's version, None where there is no such set or version."""
    row = conn.execute(
        "SELECT s.id, s.rubric, max(v.version) FROM test_sets s "
        "JOIN test_set_versions v ON v.test_set = s.id "
        "WHERE s.name = ?1 AND (?2 IS NULL OR v.version = ?2) GROUP BY s.id",
        (name, version),
    ).fetchone()
    if row is None:
        return None
    bodies = conn.execute(
        f"SELECT c.body FROM test_cases c WHERE c.test_set = ?1 AND {_IN} ORDER BY c.position",
        (row[0], row[2]),
    )
    cases = tuple(json.loads(body) for (body,) in bodies)
    return CaseSet(name=name, version=row[2], rubric=row[1], cases=cases)


def keep(project: Project, name: str, edits: Edits) -> int:
    """Keep a set's next version, making the set where there is none, and give its number."""
    with project.write() as conn:
        key, version = _set(conn, project, name, edits)
        found = conn.execute(
            "SELECT id, position FROM test_cases WHERE test_set = ? AND until IS NULL", (key,)
        )
        places: dict[str, int] = dict(found)
        _end(conn, key, version, (*(x for x in edits.put if x in places), *edits.gone))
        last = conn.execute(
            "SELECT ifnull(max(position), 0) FROM test_cases WHERE test_set = ?", (key,)
        ).fetchone()[0]
        rows: list[tuple[Any, ...]] = []
        for id_, fields in edits.put.items():
            if id_ not in places:
                last += 1
            body = json.dumps(fields, ensure_ascii=False)
            rows.append((key, places.get(id_, last), version, id_, body))
        conn.executemany(
            "INSERT INTO test_cases(test_set, position, since, id, body) VALUES (?, ?, ?, ?, ?)",
            rows,
        )
        conn.execute(
            "INSERT INTO test_set_versions(test_set, version, created_at, note) "
            "VALUES (?, ?, ?, ?)",
            (key, version, now_text(), edits.note or None),
        )
    return version


def rename(project: Project, name: str, to: str) -> None:
    """Give a set another name."""
    with project.write() as conn:
        conn.execute(
            "UPDATE test_sets SET name = ?, seq = ? WHERE name = ?", (to, project.next_seq(), name)
        )


def score_by(project: Project, name: str, rubric: str) -> None:
    """Name the rubric by which runs of a set are scored from now on."""
    with project.write() as conn:
        conn.execute(
            "UPDATE test_sets SET rubric = ?, seq = ? WHERE name = ? AND rubric IS NOT ?",
            (rubric, project.next_seq(), name, rubric),
        )


def forget(project: Project, name: str) -> bool:
    """Forget a set with all its versions; tells whether there was one."""
    with project.write() as conn:
        row = conn.execute("SELECT id FROM test_sets WHERE name = ?", (name,)).fetchone()
        if row is None:
            return False
        for table, column in (
            ("test_cases", "test_set"),
            ("test_set_versions", "test_set"),
            ("test_sets", "id"),
        ):
            conn.execute(f"DELETE FROM {table} WHERE {column} = ?", row)
    return True


def runs_with(conn: sqlite3.Connection, cases: Iterable[str]) -> list[tuple[int, str, int]]:
    """Find the visible evaluations of cases as (run's number, case, evaluation), by evaluation."""
    return conn.execute(
        "SELECT e.run, coalesce(e.case_id, e.ext_id), e.id FROM visible_evaluations e "
        "WHERE e.case_id IN (SELECT value FROM json_each(?1)) OR (e.case_id IS NULL "
        "AND e.ext_id IN (SELECT value FROM json_each(?1))) ORDER BY e.id",
        (json.dumps(list(cases)),),
    ).fetchall()


def runs_of_tests(conn: sqlite3.Connection) -> frozenset[str]:
    """Give the names of runs of test cases: made by a bot here, or of a test set's cases alone."""
    return frozenset(
        values_of(
            conn,
            "SELECT r.name FROM runs r WHERE EXISTS "
            "(SELECT 1 FROM jobs j WHERE j.run = r.id AND j.kind = 'bot') "
            "OR (EXISTS (SELECT 1 FROM test_cases) "
            "AND EXISTS (SELECT 1 FROM visible_evaluations e WHERE e.run = r.id) "
            "AND NOT EXISTS (SELECT 1 FROM visible_evaluations e WHERE e.run = r.id "
            "AND coalesce(e.case_id, e.ext_id) NOT IN (SELECT id FROM test_cases)))",
            (),
        )
    )


def cases_of_run(conn: sqlite3.Connection, run: int) -> list[str]:
    """Give the cases of a run's visible evaluations, in the order of their arrival."""
    return values_of(
        conn,
        "SELECT coalesce(case_id, ext_id) FROM visible_evaluations WHERE run = ? ORDER BY id",
        (run,),
    )


def responses(conn: sqlite3.Connection, keys: Iterable[int]) -> dict[int, str]:
    """Give the responses of evaluations that have one."""
    return dict(
        conn.execute(
            "SELECT id, response FROM evaluations WHERE response IS NOT NULL "
            "AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
    )


def with_error(conn: sqlite3.Connection, keys: Iterable[int]) -> set[int]:
    """Give those of the evaluations that have an error instead of a response."""
    return set(
        values_of(
            conn,
            "SELECT id FROM evaluations WHERE ifnull(error, '') <> '' AND response IS NULL "
            "AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
    )


def _set(conn: sqlite3.Connection, project: Project, name: str, edits: Edits) -> tuple[int, int]:
    """Give the number of a set, made where absent, and that of its next version."""
    conn.execute(
        "INSERT INTO test_sets(name, rubric, seq) VALUES (?, ?, ?) ON CONFLICT(name) DO UPDATE "
        "SET seq = excluded.seq, rubric = ifnull(excluded.rubric, rubric)",
        (name, edits.rubric, project.next_seq()),
    )
    row = conn.execute(
        "SELECT s.id, ifnull(max(v.version), 0) + 1 FROM test_sets s "
        "LEFT JOIN test_set_versions v ON v.test_set = s.id WHERE s.name = ?",
        (name,),
    ).fetchone()
    return int(row[0]), int(row[1])


def _end(conn: sqlite3.Connection, key: int, version: int, ids: Sequence[str]) -> None:
    conn.executemany(
        "UPDATE test_cases SET until = ? WHERE test_set = ? AND id = ? AND until IS NULL",
        [(version, key, id_) for id_ in ids],
    )
