"""Keep tests away from the screen, the folders and the keyring of whoever runs them."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

_HOME = Path(tempfile.mkdtemp(prefix="reviewer-tests-"))
_FOLDERS = {
    "HOME": "",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_RUNTIME_DIR": "runtime",
    "XDG_STATE_HOME": "state",
}

for _variable, _name in _FOLDERS.items():
    (_HOME / _name).mkdir(mode=0o700, exist_ok=True)
    os.environ[_variable] = str(_HOME / _name)
os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# a slow machine is no failure
settings.register_profile("house", deadline=None)
settings.load_profile("house")


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real evaluation results beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real results in ../shared/data, which are not beside this checkout")
    return folder
