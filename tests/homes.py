"""A home of one's own: away from the screen, the folders and the keyring of whoever runs tests."""

import os
import tempfile
from pathlib import Path

_FOLDERS = {
    "HOME": "",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_RUNTIME_DIR": "runtime",
    "XDG_STATE_HOME": "state",
}


def leave() -> Path:
    """Let this process and those that it starts live in a new folder, and give it."""
    home = Path(tempfile.mkdtemp(prefix="reviewer-tests-"))
    for variable, name in _FOLDERS.items():
        (home / name).mkdir(mode=0o700, exist_ok=True)
        os.environ[variable] = str(home / name)
    os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return home
