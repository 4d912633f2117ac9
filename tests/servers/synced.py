"""The process that keeps a shared project in step, as the window starts it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 30.0


class Kept:
    """A running process and what it told."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.states: list[dict[str, Any]] = []
        self._rest = b""
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)

    @property
    def last(self) -> dict[str, Any]:
        self.read()
        return self.states[-1] if self.states else {}

    def read(self) -> None:
        assert self.process.stdout is not None
        piece = self.process.stdout.read() or b""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self.states += [json.loads(line) for line in lines]

    def wait_for(
        self, what: Callable[[dict[str, Any]], bool] | str, seconds: float = WAIT_S
    ) -> dict[str, Any]:
        """Wait for a state, by what it does or by a condition, among all that was told."""
        found = (lambda x: x["doing"] == what) if isinstance(what, str) else what
        until, seen = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            self.read()
            for state in self.states[seen:]:
                seen += 1
                if found(state):
                    return state
            time.sleep(0.01)
        raise AssertionError(f"never told; last: {self.last}")

    def forget(self) -> None:
        """Let what was told so far be of the past."""
        self.read()
        self.states = self.states[-1:]

    def say(self, **wish: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(wish).encode() + b"\n")
        self.process.stdin.flush()

    def end(self, seconds: float = WAIT_S) -> dict[str, Any]:
        """Want it no more, and give what it told last."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(seconds)
        return self.last

    def peak(self) -> float:
        """Megabytes of memory that it took at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(x for x in status.splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024


@contextmanager
def kept(project: Path, password: str | None, **more: str) -> Iterator[Kept]:
    """Start the process on a project, and end it however the block ends."""
    surroundings = os.environ | more | {
        "PYTHONPATH": str(ROOT), "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }  # fmt: skip
    surroundings.pop("PGPASSWORD", None)
    if password is not None:
        surroundings["PGPASSWORD"] = password
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "reviewer.worker.sync", str(project)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings,
    ) as process:  # fmt: skip
        made = Kept(process)
        try:
            yield made
        finally:
            process.kill()
