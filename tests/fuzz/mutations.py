"""Change bytes, texts, JSON and databases at random, as files in the world go wrong."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

LONGEST = 1 << 16
TOKENS: tuple[bytes, ...] = (
    b"null", b"true", b"-0", b"NaN", b"-Infinity", b"1e999", b"9" * 40, b"9" * 5000, b'""', b"''",
    b"{}", b"[]", b"[" * 300, b'{"a":' * 300,
    b"[" * 3000, b"(" * 2000, b"\\u0000", b"\\ud800", b"\0", b"\r", b"\r\n", b"\n\n",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b'"', b"'", b"\\",
    b",", b";", b"\t", b"|",
    b"=1+1", b"../../x", b"{{ x }}", b"{% for", b"${a}", b"%s", b"<script>", "\u202e".encode(),
    "\U0001f468\u200d\U0001f469".encode(), b"1970-01-01", b"99999-99-99T99:99", b"12,5", b"N/A",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**25, -(10**25), 1e308, "", " ", "x" * 3000, "1", "tie",
    "\u0000", "\u202eabc", [], {}, [[]], [None],
    {"": None}, {"a": {"b": {"c": []}}}, [1, "a", None],
    ["x"] * 200, {"id": "a"}, {"metric": "accuracy", "value": "high"}, "2026-13-45", "assistant",
)  # fmt: skip


def deep(levels: int) -> Any:
    """Give a value nested so many levels deep."""
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def changed(seed: bytes, random: Random) -> bytes:
    """Change a file in one to four ways, and keep it within `LONGEST` bytes."""
    data = seed[:LONGEST]
    for _ in range(random.randint(1, 4)):
        data = random.choice(_WAYS)(data, random)
    return data[:LONGEST]


def _place(data: bytes, random: Random) -> int:
    return random.randint(0, len(data))


def _flip(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _without(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + random.randint(1, 60) :]


def _twice(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    part = data[at : at + random.randint(1, 400)]
    return data[:at] + part * random.randint(2, 4) + data[at:]


def _insert(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(TOKENS) + data[at:]


def _assigned(data: bytes, random: Random) -> bytes:
    """Put something else behind the sign of one line that gives a name its value."""
    lines = data.splitlines(keepends=True)
    sign = random.choice((b"=", b":", b","))
    there = [at for at, line in enumerate(lines) if sign in line]
    if not there:
        return data
    at = random.choice(there)
    lines[at] = lines[at].partition(sign)[0] + sign + b" " + random.choice(TOKENS) + b"\n"
    return b"".join(lines)


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines)


def _recoded(data: bytes, random: Random) -> bytes:
    codec = random.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig"))
    return data.decode("utf-8", "replace").encode(codec, "replace")


def _value(data: bytes, random: Random) -> bytes:
    """Change one value of JSON, of a line of it or of the whole."""
    lines = data.splitlines(keepends=True)
    for whole in (True, False):
        at = None if whole else random.randrange(max(len(lines), 1))
        part = data if at is None else lines[at] if lines else b""
        try:
            document = json.loads(part)
        except (ValueError, RecursionError):
            continue
        spoiled = json.dumps(odd(document, random)).encode("utf-8", "surrogatepass")
        if at is None:
            return spoiled
        lines[at] = spoiled + b"\n"
        return b"".join(lines)
    return data


def odd(value: Any, random: Random) -> Any:
    """Change a JSON value in one place: another kind, a key gone, renamed or added."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        what = random.random()
        if what < 0.6:
            return {**value, key: odd(value[key], random)}
        if what < 0.75:
            return {name: x for name, x in value.items() if name != key}
        if what < 0.9:
            return {(random.choice(("", "id", "a b", key * 2)) if n == key else n): x
                    for n, x in value.items()}  # fmt: skip
        return {**value, random.choice(("run", "scores", "id", "\u0000")): random.choice(ODD)}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        return [*value[:at], odd(value[at], random), *value[at + 1 :]]
    return deep(random.choice((30, 250, 900))) if random.random() < 0.05 else random.choice(ODD)


_WAYS = (
    _flip, _cut, _without, _twice, _insert, _insert, _assigned, _lines, _recoded, _value, _value,
    _value,
)  # fmt: skip


def damaged(file: Path, random: Random) -> None:
    """Damage a database in place: single bytes, whole pages, its end, or what its rows hold."""
    if random.random() < 0.6:
        _damage_rows(file, random)
        return
    data = bytearray(file.read_bytes())
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(data))
        size = random.choice((1, 16, 4096))
        data[at : at + size] = random.randbytes(len(data[at : at + size]))
    file.write_bytes(data[: random.randrange(len(data))] if random.random() < 0.1 else data)


def _damage_rows(file: Path, random: Random) -> None:
    """Put odd values into rows, take some away, or a whole table."""
    with closing(sqlite3.connect(file, isolation_level=None)) as conn:
        conn.create_function("fresh_uid", 0, lambda: "uid")
        # the names come from the file's own list of tables
        tables = [name for (name,) in conn.execute(_TABLES)]
        for _ in range(random.randint(1, 3)):
            table = random.choice(tables)
            columns = [
                row[1] for row in conn.execute("SELECT * FROM pragma_table_info(?)", (table,))
            ]
            if not columns:
                continue  # one that was just spoiled
            column, what = random.choice(columns), random.random()
            try:
                if what < 0.85:
                    (count,) = conn.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608
                    change = f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?'  # noqa: S608
                    conn.execute(change, (_stored(random), random.randint(1, max(count, 1))))
                elif what < 0.97:
                    conn.execute(f'DELETE FROM "{table}"')  # noqa: S608
                else:
                    conn.execute(f'DROP TABLE "{table}"')
            except (sqlite3.Error, OverflowError):
                continue


def _stored(random: Random) -> object:
    value = random.choice((*ODD, b"\xff\x00", b"", "{", "[1", "3" * 30))
    if isinstance(value, dict | list):
        return json.dumps(value)
    return value.encode("utf-8", "replace") if isinstance(value, str) and "\0" in value else value


_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
    "AND name NOT LIKE 'search%'"
)
