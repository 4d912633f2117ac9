"""Endpoints, judges, bots, prompts and prices of a project."""

import json
import sqlite3
from typing import TypeVar

from pydantic import TypeAdapter

from reviewer.domain.evaluation import now_text
from reviewer.domain.judging import Bot, Endpoint, Judge, Price, Prompt
from reviewer.store.project import Project

Kept = TypeVar("Kept", Endpoint, Judge, Bot)
_TABLES: dict[type, str] = {Endpoint: "endpoints", Judge: "judges", Bot: "bots"}
_VERSIONS = "judge versions of {}"
_PROMPT = "rubric, metric, version, hash, body, note, created_at"


def every(conn: sqlite3.Connection, kind: type[Kept]) -> tuple[Kept, ...]:
    """Give all endpoints, judges or bots, by name."""
    read = TypeAdapter(kind).validate_json
    rows = conn.execute(f"SELECT body FROM {_TABLES[kind]} ORDER BY name COLLATE NOCASE")
    return tuple(read(body) for (body,) in rows)


def find(conn: sqlite3.Connection, kind: type[Kept], name: str) -> Kept | None:
    """Give the endpoint, judge or bot of a name, None where there is none."""
    row = conn.execute(f"SELECT body FROM {_TABLES[kind]} WHERE name = ?", (name,)).fetchone()
    return TypeAdapter(kind).validate_json(row[0]) if row else None


def keep(project: Project, thing: Endpoint | Judge | Bot) -> None:
    """Keep an endpoint, judge or bot, replacing an older one of that name."""
    kind = type(thing)
    body = TypeAdapter(kind).dump_json(thing).decode()
    kinds = (thing.kind,) if isinstance(thing, Endpoint) else ()
    columns = "name, body, seq" + (", kind" if kinds else "")
    with project.write() as conn:
        conn.execute(
            f"INSERT INTO {_TABLES[kind]}({columns}) VALUES (?, ?, ?{', ?' if kinds else ''}) "
            "ON CONFLICT(name) DO UPDATE SET body = excluded.body, seq = excluded.seq",
            (thing.name, body, project.next_seq(), *kinds),
        )


def forget(project: Project, kind: type[Kept], name: str) -> bool:
    """Forget an endpoint, judge or bot; tells whether there was one."""
    with project.write() as conn:
        gone = conn.execute(f"DELETE FROM {_TABLES[kind]} WHERE name = ?", (name,)).rowcount
    return gone > 0


def prompts(
    conn: sqlite3.Connection, rubric: str, metric: str | None = None
) -> tuple[Prompt, ...]:
    """Give the versions of a rubric's prompts, the newest of each metric first."""
    rows = conn.execute(
        f"SELECT {_PROMPT} FROM prompts WHERE rubric = ?1 AND (?2 IS NULL OR metric = ?2) "
        "ORDER BY metric, version DESC",
        (rubric, metric),
    )
    return tuple(
        Prompt(rubric=r, metric=m, version=v, hash=h, text=text, note=note or "", created_at=at)
        for r, m, v, h, text, note, at in rows
    )


def keep_prompt(
    project: Project, *, rubric: str, metric: str, text: str, text_hash: str, note: str = ""
) -> Prompt:
    """Keep a text as a prompt's newest version, or give the version that has this text."""
    with project.write() as conn:
        conn.execute(
            f"INSERT OR IGNORE INTO prompts({_PROMPT}, seq) "
            "SELECT ?1, ?2, ifnull(max(version), 0) + 1, ?3, ?4, ?5, ?6, ?7 FROM prompts "
            "WHERE rubric = ?1 AND metric = ?2",
            (rubric, metric, text_hash, text, note, now_text(), project.next_seq()),
        )
    return next(x for x in prompts(project.conn, rubric, metric) if x.hash == text_hash)


def version_of(project: Project, judge: str, form: str) -> int:
    """Give the number that a form of a judge has, or would have if it were kept now."""
    return _numbered(project, judge, form)[1]


def keep_version(project: Project, judge: str, form: str) -> int:
    """Number a form of a judge where it has no number yet: 1 for the first, and so on."""
    with project.write() as conn:
        known, number = _numbered(project, judge, form)
        if number > len(known):
            conn.execute(
                "INSERT OR REPLACE INTO settings VALUES (?, ?)",
                (_VERSIONS.format(judge), json.dumps([*known, form])),
            )
    return number


def _numbered(project: Project, judge: str, form: str) -> tuple[list[str], int]:
    known: list[str] = json.loads(project.setting(_VERSIONS.format(judge), "[]"))
    return known, (known.index(form) if form in known else len(known)) + 1


def prices(conn: sqlite3.Connection) -> tuple[Price, ...]:
    """Give the project's own prices."""
    rows = conn.execute(
        "SELECT model, input_per_million, output_per_million, note FROM prices ORDER BY model"
    )
    return tuple(
        Price(model=model, input_per_million=i, output_per_million=o, note=note or "")
        for model, i, o, note in rows
    )


def keep_price(project: Project, price: Price) -> None:
    """Keep the price of a model."""
    with project.write() as conn:
        conn.execute(
            "INSERT OR REPLACE INTO prices(model, input_per_million, output_per_million, note) "
            "VALUES (?, ?, ?, ?)",
            (price.model, price.input_per_million, price.output_per_million, price.note or None),
        )


def prompt_numbers(conn: sqlite3.Connection) -> dict[str, int]:
    """Give the version number of every prompt that the project keeps, by hash."""
    return dict(conn.execute("SELECT hash, version FROM prompts"))
