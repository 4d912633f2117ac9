"""A session bus of its own, in a home of its own, with what is started on it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

BUS = "dbus-run-session"
_START = """
printf '%s\\n' "$DBUS_SESSION_BUS_ADDRESS"
{first}
printf 'ready\\n'
cat >/dev/null
"""


@dataclass(frozen=True)
class SessionBus:
    """A session of somebody's.

    Attributes:
        home: Everything that programs of the session write goes below it.
        variables: The environment of such a program.
    """

    home: Path
    variables: dict[str, str]


def need(*programs: str) -> None:
    """Skip a test where programs are missing."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}, which packaging/environment.sh installs")


@contextmanager
def session_bus(
    first: str = ":", home: Path | None = None, needed: Sequence[str] = ()
) -> Iterator[SessionBus]:
    """Start a bus and a shell command on it; skips where one of the `needed` programs is missing.

    Args:
        first: What runs on the bus before anything else.
        home: The home to use; a fresh one where None.
        needed: Programs without which nothing is tested.
    """
    need(BUS, *needed)
    made = home or Path(tempfile.mkdtemp(prefix="session-"))
    # a path of a socket has at most 107 characters
    runtime = Path(tempfile.mkdtemp(prefix="run-"))
    variables = _variables(made, runtime)
    process = subprocess.Popen(
        [BUS, "--", "sh", "-c", _START.format(first=first)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=variables,
        text=True,
    )
    try:
        address = _read(process)
        assert _read(process) == "ready"
        yield SessionBus(made, variables | {"DBUS_SESSION_BUS_ADDRESS": address})
    finally:
        process.communicate(timeout=60)
        shutil.rmtree(runtime, ignore_errors=True)
        if home is None:
            shutil.rmtree(made, ignore_errors=True)


def _read(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _variables(home: Path, runtime: Path) -> dict[str, str]:
    folders = {"CACHE": ".cache", "CONFIG": ".config", "DATA": ".local/share", "STATE": ".local"}
    left_out = ("DBUS_SESSION_BUS_ADDRESS", "PYTHON_KEYRING_BACKEND", "DISPLAY", "WAYLAND_DISPLAY")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    places = {f"XDG_{name}_HOME": str(home / folder) for name, folder in folders.items()}
    return kept | places | {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime)}
