"""Keys in a real keyring, in a locked one, in none, and in the environment."""

import gc
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import SecretService, fail, null

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint
from reviewer.services.computer import logs, secrets
from reviewer.services.computer.secrets import KeyLockedError
from tests.servers.keyring_session import keyring_session

KEY = "sk-planted-0123456789"
NEAR = Endpoint(name="near", base_url="http://127.0.0.1:9/v1", variable="NEAR_KEY")

# the library leaves closing its connections to the collector
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(autouse=True)
def backend() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def use(made: Callable[[], KeyringBackend]) -> None:
    keyring.set_keyring(made())


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with keyring_session() as session:
        for name, value in session.variables.items():
            monkeypatch.setenv(name, value)
        use(SecretService.Keyring)
        yield session.home


@pytest.mark.usefixtures("real")
def test_a_real_keyring_keeps_reads_and_forgets() -> None:
    assert secrets.keyring_works()
    assert secrets.state(NEAR).words == "missing"
    assert secrets.key_of(NEAR) is None
    secrets.store_key(NEAR, f"  {KEY}\n")
    assert secrets.key_of(NEAR) == KEY
    assert secrets.state(NEAR).words == "in the keyring"
    other = Endpoint(name="near", base_url="http://elsewhere.example/v1")
    assert secrets.key_of(other) is None, "another address must not get the key"
    secrets.forget_key(NEAR)
    secrets.forget_key(NEAR)
    assert secrets.key_of(NEAR) is None


@pytest.mark.usefixtures("real")
def test_the_keyring_comes_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEAR_KEY", "from-the-variable")
    assert secrets.state(NEAR).words == "from NEAR_KEY"
    assert secrets.key_of(NEAR) == "from-the-variable"
    secrets.store_key(NEAR, KEY)
    assert secrets.key_of(NEAR) == KEY
    # workers of a cluster have their environment alone
    assert secrets.from_environment(NEAR) == "from-the-variable"


def test_a_locked_keyring_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with keyring_session(tmp_path) as session:
        for name, value in session.variables.items():
            monkeypatch.setenv(name, value)
        use(SecretService.Keyring)
        secrets.store_key(NEAR, KEY)
    with keyring_session(tmp_path, unlocked=False) as session:
        for name, value in session.variables.items():
            monkeypatch.setenv(name, value)
        use(SecretService.Keyring)
        assert secrets.state(NEAR).words == "keyring locked"
        with pytest.raises(KeyLockedError, match="is locked or does not answer") as caught:
            secrets.key_of(NEAR)
        assert "set the environment variable NEAR_KEY" in str(caught.value)
        with pytest.raises(KeyLockedError, match="cannot be stored"):
            secrets.store_key(NEAR, "sk-another-0123456789")
        with pytest.raises(KeyLockedError, match="is still there"):
            secrets.forget_key(NEAR)
        monkeypatch.setenv("NEAR_KEY", KEY)
        assert secrets.key_of(NEAR) == KEY


@pytest.mark.parametrize("backend_made", [fail.Keyring, null.Keyring])
def test_without_a_keyring_the_package_is_named(
    backend_made: type[KeyringBackend], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(backend_made)
    monkeypatch.delenv("NEAR_KEY", raising=False)
    assert not secrets.keyring_works()
    assert secrets.key_of(NEAR) is None
    with pytest.raises(ReviewerError, match="Install gnome-keyring") as caught:
        secrets.store_key(NEAR, KEY)
    said = str(caught.value)
    assert "KWallet" in said
    assert "set the environment variable NEAR_KEY" in said
    assert said == secrets.without_keyring(NEAR)
    assert KEY not in said
    secrets.forget_key(NEAR)
    monkeypatch.setenv("NEAR_KEY", KEY)
    assert secrets.key_of(NEAR) == KEY


@pytest.mark.parametrize("key", ["", "  ", "two words", "sk-ключ", "sk-\x00", "x" * 5000])
def test_what_is_no_key_is_refused(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(fail.Keyring)
    with pytest.raises(ReviewerError) as caught:
        secrets.store_key(NEAR, key)
    assert "is empty" in str(caught.value) or "no key has" in str(caught.value)
    assert not key.strip() or key not in str(caught.value)
    if "\x00" not in key:
        monkeypatch.setitem(os.environ, "NEAR_KEY", key)
        if key.strip():
            with pytest.raises(ReviewerError, match="The variable NEAR_KEY holds"):
                secrets.key_of(NEAR)


def test_a_server_without_keys_needs_none() -> None:
    use(fail.Keyring)
    local = Endpoint(name="ollama", base_url="http://127.0.0.1:11434/v1", needs_key=False)
    assert secrets.state(local).is_there
    assert secrets.state(local).words == "not needed"


COMPILERS = ("gcc", "cc", "ld", "objdump", "clang")
LOOK = """
from reviewer.domain.judging import Endpoint
from reviewer.services.computer import secrets
with secrets.kept_apart():
    place = Endpoint(name="n", base_url="http://127.0.0.1:9/v1", variable="NEAR_KEY")
    print(secrets.keyring_works(), secrets.state(place).words, secrets.key_of(place))
"""


def run(source: str, folder: Path, **variables: str) -> str:
    """Run a program with compilers that write down that they were called, and with what."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    for name in COMPILERS:
        tool = tools / name
        tool.write_text(f"#!/bin/sh\n{{ echo {name} $*; env; }} >> {folder}/called\nexit 1\n")
        tool.chmod(0o755)
    kept = {x: y for x, y in os.environ.items() if x != "PYTHON_KEYRING_BACKEND"}
    ended = subprocess.run(
        [sys.executable, "-c", source], check=True, capture_output=True, text=True,
        env=kept | {"PATH": str(tools), "HOME": str(folder)} | variables,
    )  # fmt: skip
    return ended.stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="as Linux searches libraries")
def test_no_compiler_is_called_to_find_a_keyring(tmp_path: Path) -> None:
    assert run(LOOK, tmp_path, NEAR_KEY=KEY) == f"False from NEAR_KEY {KEY}"
    assert not (tmp_path / "called").exists()


def test_a_keyring_that_somebody_configured_is_used(tmp_path: Path) -> None:
    source = (
        "import keyring; from reviewer.services.computer import secrets;"
        "secrets.keyring_works(); print(type(keyring.get_keyring()).__module__)"
    )
    null = "keyring.backends.null"
    assert run(source, tmp_path, PYTHON_KEYRING_BACKEND=f"{null}.Keyring") == null
    config = tmp_path / "config" / "python_keyring"
    config.mkdir(parents=True)
    (config / "keyringrc.cfg").write_text(f"[backend]\ndefault-keyring={null}.Keyring\n")
    assert run(source, tmp_path, XDG_CONFIG_HOME=str(tmp_path / "config")) == null


def test_what_is_started_inherits_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"NEAR_KEY": KEY, "HF_TOKEN": "hf-1", "DB_PASSWORD": "correct-horse"}
    held["ODD"] = f"sk-{'x' * 20}"
    for name, value in held.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LANGUAGE", "en")
    with secrets.kept_apart():
        seen = subprocess.run(
            [sys.executable, "-c", "import os; print(dict(os.environ))"],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        assert not [name for name, value in held.items() if name in seen or value in seen]
        assert "'LANGUAGE': 'en'" in seen
        assert {name: secrets.variable(name) for name in held} == held
        assert held.items() <= secrets.handed_on().items()
        assert secrets.hidden(f"to {KEY} and on") == "to … and on"
        with secrets.kept_apart():
            assert secrets.variable("NEAR_KEY") == KEY
        assert secrets.variable("NEAR_KEY") == KEY
        assert "NEAR_KEY" not in os.environ
    assert {name: os.environ[name] for name in held} == held


def test_half_a_character_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-half-of-nothing")
    with secrets.kept_apart():
        assert secrets.held_in("half \ud800") == ""
        assert secrets.hidden("half \ud800") == "half \ud800"
        assert secrets.held_in("sk-half-of-nothing, half \ud800") == "sk-half-of-nothing"
        assert secrets.hidden_in({"a": ["sk-half-of-nothing", 1, {"b": None}]}) == {
            "a": ["…", 1, {"b": None}]
        }


def test_the_log_holds_no_key_that_a_library_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("NEAR_KEY", KEY)
    with logs.kept(), secrets.kept_apart():
        logging.getLogger("reviewer.gui.app").info("Qt: cannot open http://x/?k=%s", KEY)
        logging.getLogger("reviewer").info("again: %s", KEY.replace("s", "%73"))
        said = logs.log_file().read_text()
    assert KEY not in said
    assert "?k=…" in said
    assert "again: …" in said
