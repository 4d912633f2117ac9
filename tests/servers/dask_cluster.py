"""A real Dask scheduler with workers, each a process of its own on a free port of this machine."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

STARTS = 60.0
"""Seconds in which a process has to be there."""


@dataclass
class DaskCluster:
    """The running processes.

    Attributes:
        address: As `--workers` takes it.
        logs: What the processes wrote, a file each.
    """

    folder: Path
    environment: Mapping[str, str]
    stack: ExitStack
    protocol: str
    place: str = ""
    scheduler: "subprocess.Popen[bytes] | None" = None
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def address(self) -> str:
        scheme = "dask+tls" if self.protocol == "tls" else "dask"
        return f"{scheme}://{self.place}"

    @property
    def logs(self) -> str:
        return "".join(x.read_text() for x in sorted(self.folder.glob("*.log")))

    def start_worker(self, python: str = sys.executable) -> "subprocess.Popen[bytes]":
        """Start one more, which does one thing at a time, and wait until it is known."""
        number = len(self.workers)
        words = [
            "distributed.cli.dask_worker",
            f"{self.protocol}://{self.place}",
            "--nthreads",
            "1",
        ]
        words += ["--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        words += ["--local-directory", str(self.folder / f"w{number}")]
        self.workers.append(self.start(f"worker-{number}", python, *words))
        log = self.folder / f"worker-{number}.log"
        _until(lambda: "Registered to" in log.read_text())
        return self.workers[-1]

    def start(self, name: str, python: str, *words: str) -> "subprocess.Popen[bytes]":
        log = self.stack.enter_context((self.folder / f"{name}.log").open("wb"))
        process = subprocess.Popen(
            [python, "-m", *words],
            stdout=log,
            stderr=log,
            env=dict(self.environment),
            start_new_session=True,
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process


@contextmanager
def dask_cluster(
    folder: Path,
    workers: int = 3,
    environment: Mapping[str, str] | None = None,
    protocol: str = "tcp",
) -> Iterator[DaskCluster]:
    """Start a scheduler and workers, and end what is left of them."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        made = DaskCluster(folder, {**os.environ, **(environment or {})}, stack, protocol)
        words = ["--port", "0", "--host", "127.0.0.1", "--no-dashboard"]
        words += ["--scheduler-file", str(file), "--protocol", protocol]
        made.scheduler = made.start(
            "scheduler", sys.executable, "distributed.cli.dask_scheduler", *words
        )
        made.place = _place(file)
        for _ in range(workers):
            made.start_worker()
        yield made


def _place(file: Path) -> str:
    told: dict[str, str] = {}

    def is_written() -> bool:
        with suppress(OSError, ValueError):
            told.update(json.loads(file.read_text()))
        return bool(told)

    _until(is_written)
    return told["address"].partition("://")[2]


def _until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + STARTS
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError(f"A process is not there after {STARTS:g} s.")
        time.sleep(0.02)
