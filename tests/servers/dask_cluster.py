"""A real Dask scheduler with workers, each a process of its own on a free port of this machine."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

STARTS = 60.0
"""Seconds in which a scheduler has to be there."""


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
    place: str = ""
    scheduler: "subprocess.Popen[bytes] | None" = None
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"dask://{self.place}"

    @property
    def logs(self) -> str:
        return "".join(x.read_text() for x in sorted(self.folder.glob("*.log")))

    def start_worker(self, python: str = sys.executable) -> "subprocess.Popen[bytes]":
        """Start one more, which does one thing at a time."""
        number = len(self.workers)
        words = ["distributed.cli.dask_worker", f"tcp://{self.place}", "--nthreads", "1"]
        words += ["--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        words += ["--local-directory", str(self.folder / f"w{number}")]
        self.workers.append(self.start(f"worker-{number}", python, *words))
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
    folder: Path, workers: int = 3, environment: Mapping[str, str] | None = None
) -> Iterator[DaskCluster]:
    """Start a scheduler and workers, and end what is left of them."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        made = DaskCluster(folder, {**os.environ, **(environment or {})}, stack)
        words = ["--port", "0", "--host", "127.0.0.1", "--no-dashboard"]
        words += ["--scheduler-file", str(file)]
        made.scheduler = made.start(
            "scheduler", sys.executable, "distributed.cli.dask_scheduler", *words
        )
        made.place = _place(file)
        for _ in range(workers):
            made.start_worker()
        yield made


def _place(file: Path) -> str:
    until = time.monotonic() + STARTS
    while time.monotonic() < until:
        try:
            return str(json.loads(file.read_text())["address"]).removeprefix("tcp://")
        except (OSError, ValueError):
            time.sleep(0.02)
    raise TimeoutError(f"There is no scheduler after {STARTS:g} s.")
