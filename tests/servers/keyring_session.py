"""A real gnome-keyring on a session bus of its own, in a home of its own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = ("dbus-run-session", "gnome-keyring-daemon")
_START = """
printf '%s\\n' "$DBUS_SESSION_BUS_ADDRESS"
{unlock}
printf 'ready\\n'
cat >/dev/null
"""
_UNLOCK = "printf 'x\\n' | gnome-keyring-daemon --unlock >/dev/null 2>&1"


@dataclass(frozen=True)
class KeyringSession:
    """A session in which the keyring answers.

    Attributes:
        home: Everything that programs of the session write goes below it.
        variables: The environment of such a program.
    """

    home: Path
    variables: dict[str, str]


@contextmanager
def keyring_session(
    home: Path | None = None, *, unlocked: bool = True
) -> Iterator[KeyringSession]:
    """Start a bus with a keyring that is open, or that nobody opens; skips where there is none."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}, which packaging/environment.sh installs")
    made = home or Path(tempfile.mkdtemp(prefix="keyring-"))
    # a path of a socket has at most 107 characters
    runtime = Path(tempfile.mkdtemp(prefix="run-"))
    variables = _variables(made, runtime)
    process = subprocess.Popen(
        ["dbus-run-session", "--", "sh", "-c", _START.format(unlock=_UNLOCK if unlocked else "")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=variables,
        text=True,
    )
    try:
        address = _read(process)
        assert _read(process) == "ready"
        yield KeyringSession(made, variables | {"DBUS_SESSION_BUS_ADDRESS": address})
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
