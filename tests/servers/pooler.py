"""A pooler before a database: PgBouncer, which gives every transaction another connection."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.postgres import HOST, Server


@contextmanager
def pooler(server: Server, words: Mapping[str, str], mode: str) -> Iterator[int]:
    """Start one on a free port for roles with their passwords, and give the port."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("needs PgBouncer: apt-get install pgbouncer")
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        port: int = taken.getsockname()[1]
    place = Path(tempfile.mkdtemp(prefix="pooler-", dir=server.folder))
    people = "".join(f'"{name}" "{word}"\n' for name, word in words.items())
    (place / "people").write_text(people)
    settings = [
        "[databases]", f"* = host={HOST} port={server.port}", "[pgbouncer]",
        f"listen_addr = {HOST}", f"listen_port = {port}", f"pool_mode = {mode}",
        "auth_type = scram-sha-256", f"auth_file = {place / 'people'}", "unix_socket_dir =",
        f"logfile = {place / 'log'}", f"pidfile = {place / 'pid'}", "default_pool_size = 3",
        "ignore_startup_parameters = extra_float_digits",
    ]  # fmt: skip
    (place / "settings").write_text("\n".join(settings) + "\n")
    for one in (place, *place.iterdir()):
        one.chmod(0o777)
    as_user = ("--user", server.user) if server.user else ()
    with subprocess.Popen(
        [program, *as_user, str(place / "settings")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            _wait(port, process)
            yield port
        finally:
            process.terminate()
            process.wait()


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 20
    while True:
        assert process.poll() is None, "the pooler ended"
        try:
            socket.create_connection((HOST, port), 1).close()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return
