"""Replies that were paid for, under a key of everything that decided them."""

import sqlite3
from dataclasses import dataclass

from reviewer.domain.values import now_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply as it came, with what it took."""

    text: str
    trace: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None


def find(conn: sqlite3.Connection, key: str) -> Reply | None:
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


def keep(conn: sqlite3.Connection, key: str, reply: Reply) -> None:
    """Keep a reply; call inside `Project.write`."""
    conn.execute(
        "INSERT OR REPLACE INTO replies(key, reply, trace, tokens_in, tokens_out, cost_usd, "
        "latency_ms, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (key, reply.text, reply.trace, reply.tokens_in, reply.tokens_out, reply.cost_usd,
         reply.latency_ms, now_text()),
    )  # fmt: skip


def forget(conn: sqlite3.Connection) -> int:
    """Forget every reply and give their number; call inside `Project.write`."""
    return int(conn.execute("DELETE FROM replies").rowcount)


def forget_like(conn: sqlite3.Connection, start: str) -> None:
    """Forget the replies whose keys start so; call inside `Project.write`."""
    conn.execute("DELETE FROM replies WHERE substr(key, 1, ?) = ?", (len(start), start))
