"""A key that is stored and used, and the search of everything that was written for it."""

import base64
import json
import sqlite3
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.servers.model_server import Answer
from tests.servers.session_bus import SessionBus

KEY = "sk-planted/ZQX+0123456789=abcdefghij"
"""With signs that URL-encoding and base64 change."""
ROOT = Path(__file__).resolve().parents[2]


def forms() -> dict[str, bytes]:
    """Give what the key may look like: plain, encoded for addresses, and in base64 anywhere."""
    found = {"plain": KEY.encode(), "URL": quote(KEY, safe="").encode()}
    found["URL path"] = quote(KEY).encode()
    found["reversed"] = KEY[::-1].encode()
    found["UTF-16"] = KEY.encode("utf-16-le")
    found["hexadecimal"] = KEY.encode().hex().encode()
    for shift in range(3):
        raw = base64.b64encode(b"\0" * shift + KEY.encode())
        # the first and the last characters depend on what stands around
        found[f"base64 +{shift}"] = raw[4:-4]
        found[f"base64 for addresses +{shift}"] = raw[4:-4].translate(
            bytes.maketrans(b"+/", b"-_")
        )
    return found


def places(content: bytes) -> list[str]:
    """Tell in which forms the key stands in some bytes."""
    return [name for name, form in forms().items() if form in content]


def leaks(folder: Path) -> list[str]:
    """Name every file below a folder that holds the key, also packed or in a column."""
    found = []
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            for part, content in contents(file):
                found += [f"{file.relative_to(folder)}{part}: {how}" for how in places(content)]
    return found


def contents(file: Path) -> Iterator[tuple[str, bytes]]:
    """Give the bytes of a file, and those packed in it: of an archive, of a table's columns."""
    raw = file.read_bytes()
    yield "", raw
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as inside:
            for name in inside.namelist():
                yield f" {name}", inside.read(name)
    if raw.startswith(b"SQLite format 3\0"):
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as conn:
            tables = [
                x for (x,) in conn.execute("SELECT name FROM sqlite_master WHERE type='table'")
            ]
            for table in tables:
                for row in conn.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - a test's own
                    yield f" {table}", b"\n".join(_unpacked(x) for x in row)
        conn.close()


def _unpacked(value: object) -> bytes:
    if not isinstance(value, bytes):
        return str(value).encode(errors="replace")
    try:
        return value + zlib.decompress(value)
    except zlib.error:
        return value


class Program:
    """Starts the program in a session with a keyring, and keeps what it prints below the home."""

    def __init__(self, session: SessionBus) -> None:
        """Begin with nothing printed."""
        self.folder = session.home
        self.variables = session.variables | {"PYTHONPATH": str(ROOT), "REVIEWER_DEBUG": "1"}
        self.number = 0

    def start(
        self, *words: object, module: str = "reviewer", **variables: str
    ) -> "subprocess.Popen[bytes]":
        """Start it; standard output and error go to files."""
        self.number += 1
        name = self.folder / f"printed-{self.number:02}"
        with (
            name.with_suffix(".out").open("wb") as out,
            name.with_suffix(".err").open("wb") as err,
        ):
            return subprocess.Popen(
                [sys.executable, "-m", module, *map(str, words)],
                stdout=out,
                stderr=err,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                env=self.variables | variables,
            )

    def run(self, *commands: Sequence[object], **variables: str) -> str:
        """Run commands in one process, and give what they printed with their exit codes."""
        words = [json.dumps([str(word) for word in command]) for command in commands]
        return self.finish(
            self.start(*words, module="tests.journeys.commands_process", **variables)
        )

    def finish(self, process: "subprocess.Popen[bytes]", code: int = 0) -> str:
        """Wait for the process that was started last and give what it printed."""
        ended = process.wait(timeout=300)
        out, err = (self.folder / f"printed-{self.number:02}.{end}" for end in ("out", "err"))
        said = out.read_text(errors="replace") + err.read_text(errors="replace")
        assert ended == code, said
        return said


def echoing(number: int, body: dict[str, Any]) -> Answer:
    """Answer as the model's name says, always with the key in it, as a careless server does."""
    said = f"You sent Bearer {KEY}, in an address {quote(KEY, safe='')}, "
    said += base64.b64encode(f"user:{KEY}".encode()).decode()
    bad = {
        "refuses": Answer(f"{'x' * 260} {said}", status=400),
        "unauthorized": Answer(said, status=401),
        "redirects": Answer(status=302, headers={"Location": f"http://127.0.0.1:9/?key={KEY}"}),
        "html": Answer(raw=f"<html>{said}</html>".encode()),
        "words": Answer(f"Four of five. {said}"),
        "slow": Answer(delay=20.0),
    }
    if body.get("model") in bad:
        return bad[body["model"]]
    if body.get("model") == "breaks-once" and number % 2 == 0:
        return Answer(said, status=500)
    # the reader of the JSON would turn this into the key
    spelled = "".join(f"\\u{ord(x):04x}" for x in KEY)
    reply = json.dumps({"score": 4, "reasoning": f"{said} SPELLED", "examples": [said]})
    return Answer(reply.replace("SPELLED", spelled), thinking=said)
