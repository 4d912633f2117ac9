"""A PostgreSQL server of one's own, in a folder of its own, on a free port of this computer."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

HOST = "127.0.0.1"
OWNER, OWNERS_PASSWORD = "owner", "the owner's word"
_PLACES = ("/usr/lib/postgresql", "/usr/local/lib/postgresql", "/opt/homebrew/opt")


def programs() -> Path:
    """The folder of the server's programs; skips where there is none."""
    found = sorted(
        (one.parent for place in _PLACES for one in Path(place).glob("*/bin/initdb")),
        key=lambda x: x.parent.name,
    )
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).resolve().parent)
    if not found:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    return found[-1]


@dataclass
class Server:
    """A running server; its owner may create databases and roles, and is no superuser."""

    folder: Path
    port: int
    bin: Path
    user: str | None

    def address(self, database: str, user: str = OWNER, host: str = HOST) -> str:
        return f"postgresql://{user}@{host}:{self.port}/{database}"

    def connect(
        self, database: str, user: str = OWNER, password: str = OWNERS_PASSWORD
    ) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host=HOST, port=self.port, dbname=database, user=user, password=password,
            autocommit=True,
        )  # fmt: skip

    def superuser(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        return self.connect(database, "root", "of the server")

    def make_database(self, name: str, options: str = "") -> str:
        with self.superuser() as conn:
            conn.execute(f'CREATE DATABASE "{name}" OWNER {OWNER} {options}'.encode())
        return name

    def beside(self, folder: Path) -> "Server":
        """Give another one of the same programs, whose data lie in a folder already."""
        return Server(folder, _free_port(), self.bin, self.user)

    def control(self, *words: str) -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", *words)

    def start(self, *settings: str) -> None:
        given = [f"-p {self.port}", f"-k {self.folder}", "-h 127.0.0.1", "-F", *settings]
        self.control("-l", str(self.folder / "log"), "-o", " ".join(given), "start")

    def kill(self) -> None:
        """End it as `kill -9` does, with all its processes; it can be started again."""
        file = self.folder / "data" / "postmaster.pid"
        main = int(file.read_text("utf-8").split("\n")[0])
        listed = Path(f"/proc/{main}/task/{main}/children")
        parts = [int(x) for x in listed.read_text("utf-8").split()] if listed.exists() else []
        for process in (main, *parts):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until = time.monotonic() + 20
        while time.monotonic() < until and any(map(_lives, (main, *parts))):
            time.sleep(0.01)
        # where nobody collects dead processes their numbers seem to be in use
        for left in (file, self.folder / f".s.PGSQL.{self.port}.lock"):
            left.unlink(missing_ok=True)

    def run(self, program: str, *words: str) -> None:
        as_user: Sequence[str] = ("runuser", "-u", self.user, "--") if self.user else ()
        done = subprocess.run(
            [*as_user, str(self.bin / program), *words], cwd=self.folder, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        log = self.folder / "log"
        said = log.read_text("utf-8", "replace")[-2_000:] if log.exists() else ""
        assert done.returncode == 0, f"{done.stderr}\n{said}"


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        # one that nobody waited for is dead all the same
        return ") Z" not in Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False


def _ordinary_user() -> str | None:
    """Whom the server runs as: it refuses the system's administrator."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    pytest.skip("needs a user other than root to run PostgreSQL as")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def server(*settings: str) -> Iterator[Server]:
    """Start a server and stop it again; `settings` are words of its command line."""
    where, user = programs(), _ordinary_user()
    folder = Path(tempfile.mkdtemp(prefix="hub-"))
    folder.chmod(0o755)
    if user:
        shutil.chown(folder, user)
    found = Server(folder, _free_port(), where, user)
    word = folder / "word"
    word.write_text("of the server\n")
    word.chmod(0o644)
    try:
        found.run(
            "initdb", "-D", str(folder / "data"), "-U", "root", "--pwfile", str(word), "-A",
            "scram-sha-256", "-E", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip
        found.start(*settings)
        with found.superuser() as conn:
            said = OWNERS_PASSWORD.replace("'", "''")
            conn.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE PASSWORD '{said}'".encode())
        yield found
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            found.control("-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
