"""Keys of endpoints: in the system's keyring or in an environment variable, and nowhere else.

The only module that knows the keyring. A key is fetched when a call is due and handed in; it is
never stored in a project, a setting, a log or an argument, and no program that is started inherits
it from the environment.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Endpoint
from reviewer.scoring.masking import masked, secret_variables, whole
from reviewer.services.computer.trust import VARIABLE, may_go

if sys.platform != "win32":
    import resource

SERVICE: Final = "reviewer"
PASSWORD_VARIABLE: Final = "PGPASSWORD"
LONGEST: Final = 4_000
LEAST: Final = 8
"""Characters from which something is taken for a key; masking a word would spoil texts."""
NO_KEYRING: Final = (
    "No keyring works here, so the key cannot be stored. Install gnome-keyring (Debian and "
    "Ubuntu: `apt install gnome-keyring`), or KWallet on KDE, and log in to a desktop; or set the "
    "environment variable {variable} to the key before starting Reviewer."
)
LOCKED: Final = (
    "The keyring is locked or does not answer, so the key of {name} cannot be {done}. Unlock it, "
    "or set the environment variable {variable} to the key before starting Reviewer."
)
UNCONFIRMED: Final = (
    "The project sends the key of {variable} to {address}, which nobody has confirmed on this "
    "computer. Where that is right, keep the endpoint in Judges… or with `reviewer judges PROJECT "
    "add`, or name the address in the variable {trust}."
)
_BACKENDS: Final = ("SecretService.Keyring", "kwallet.DBusKeyring", "libsecret.Keyring")
_OWN: Final = "keyring.backends."
_apart: dict[str, str] = {}
"""The variables with keys while they are kept out of the environment, by name."""
_fetched: set[str] = set()
_typed: dict[str, str] = {}
"""Passwords of logins that somebody typed, known until this process ends."""
_Place = Literal["keyring", "variable", "missing", "not needed", "locked", "unconfirmed"]


@dataclass(frozen=True, slots=True)
class KeyState:
    """Where an endpoint's key is; never the key itself.

    Attributes:
        variable: The environment variable that it comes from, or may come from.
    """

    place: _Place
    variable: str | None = None

    @property
    def is_there(self) -> bool:
        """Tell whether calls can be made."""
        return self.place in ("keyring", "variable", "not needed")

    @property
    def words(self) -> str:
        """Say it in a few words."""
        said: dict[_Place, str] = {
            "keyring": "in the keyring",
            "variable": f"from {self.variable}",
            "missing": "missing",
            "not needed": "not needed",
            "locked": "keyring locked",
            "unconfirmed": "address not confirmed",
        }
        return said[self.place]


class KeyLockedError(ReviewerError):
    """Report a keyring that is there and does not open."""


@contextlib.contextmanager
def kept_apart() -> Iterator[None]:
    """Keep the keys of the environment from whatever is started during the block.

    Viewers, editors, helpers of the system and bots by command need none; `variable` still gives
    them here, and `handed_on` to a process of this very program.
    """
    taken = secret_variables(os.environ)
    for name in taken:
        del os.environ[name]
    _apart.update(taken)
    try:
        yield
    finally:
        for name, value in taken.items():
            _apart.pop(name, None)
            os.environ.setdefault(name, value)


def variable(name: str) -> str:
    """Give what an environment variable holds, a key or not; empty where there is none."""
    return _apart.get(name) or os.environ.get(name, "")


def handed_on() -> dict[str, str]:
    """Give the environment for a process that calls models in this program's place."""
    return {**os.environ, **_apart}


def without_keys() -> dict[str, str]:
    """Give the environment for a process that needs none of the keys in it."""
    kept = secret_variables(os.environ)
    return {name: value for name, value in os.environ.items() if name not in kept}


def handed_to_hub() -> dict[str, str]:
    """Give the environment for a process that talks to a database in this program's place."""
    given = variable(PASSWORD_VARIABLE)
    return {**without_keys(), **({PASSWORD_VARIABLE: given} if given else {})}


def hidden(text: str) -> str:
    """Mask every key that this process holds, in a text that leaves it."""
    for key in _held():
        if _stands_in(text, key):
            text = masked(text, key)
    return text


def held_in(text: str) -> str:
    """Give the key of this process that stands in a text, empty where there is none."""
    return next((key for key in _held() if _stands_in(text, key)), "")


def _stands_in(text: str, key: str) -> bool:
    # masking makes half characters whole, too, which is no sign of a key
    return masked(text, key) != whole(text)


def hidden_bytes(line: bytes) -> bytes:
    """Mask them in a piece of a file in UTF-8; it costs nothing where no key is held."""
    return hidden(line.decode()).encode() if _held() else line


def hidden_in(row: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Mask them in every text of a row; it is the same row where no key is held."""
    return {hidden(name): _cleared(value) for name, value in row.items()} if _held() else row


def _cleared(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return hidden(value)
    if isinstance(value, dict):
        return hidden_in(value)
    return [_cleared(inner) for inner in value] if isinstance(value, list) else value


def _held() -> set[str]:
    if not (_apart or _fetched):
        return set()
    return {key for key in (*_apart.values(), *_fetched) if len(key) >= LEAST}


def key_of(endpoint: Endpoint) -> str | None:
    """Give the key of an endpoint, None where there is none.

    The keyring comes first, then the environment variable that the endpoint names.

    Raises:
        KeyLockedError: The endpoint needs a key and the keyring that may hold it is locked.
        ReviewerError: The variable holds what no key can be, or nobody here has confirmed that
            its key may go to the address.
    """
    from_variable = _from_variable(endpoint)
    try:
        stored = _stored(endpoint)
    except KeyLockedError:
        if endpoint.needs_key and not from_variable:
            raise
        stored = None
    return _fetch(stored) if stored is not None else from_environment(endpoint)


def from_environment(endpoint: Endpoint) -> str | None:
    """Give the key that the variable of an endpoint holds, None where there is none.

    Raises:
        ReviewerError: It holds what no key can be, or nobody here has confirmed that it may go to
            the address.
    """
    found = _from_variable(endpoint)
    if not found:
        return None
    if not may_go(endpoint):
        raise ReviewerError(unconfirmed(endpoint))
    _check(found, f"The variable {endpoint.variable}")
    return _fetch(found)


def _fetch(key: str) -> str:
    """Remember a key, so that it is masked in what leaves this process."""
    _leave_no_dump()
    _fetched.add(key)
    return key


def state(endpoint: Endpoint) -> KeyState:
    """Tell where the key of an endpoint is."""
    locked = False
    try:
        if _stored(endpoint):
            return KeyState("keyring", endpoint.variable)
    except KeyLockedError:
        locked = True
    if _from_variable(endpoint):
        return KeyState("variable" if may_go(endpoint) else "unconfirmed", endpoint.variable)
    if not endpoint.needs_key:
        return KeyState("not needed", endpoint.variable)
    return KeyState("locked" if locked else "missing", endpoint.variable)


def store_key(endpoint: Endpoint, key: str) -> None:
    """Keep a key in the keyring.

    Raises:
        ReviewerError: The text can be no key, or no keyring works here.
    """
    import keyring
    from keyring.errors import KeyringError

    key = key.strip()
    _check(key, "The key")
    if not keyring_works():
        raise ReviewerError(NO_KEYRING.format(variable=_variable(endpoint)))
    try:
        keyring.set_password(SERVICE, _place(endpoint), key)
        kept = keyring.get_password(SERVICE, _place(endpoint))
    except (KeyringError, OSError):
        # the library's error could hold what was to be stored
        raise KeyLockedError(_locked(endpoint, "stored")) from None
    if kept != key:
        raise ReviewerError(NO_KEYRING.format(variable=_variable(endpoint)))


def forget_key(endpoint: Endpoint) -> None:
    """Take a key out of the keyring; nothing happens where there is none.

    Raises:
        KeyLockedError: The keyring does not answer.
    """
    import keyring
    from keyring.errors import KeyringError, NoKeyringError, PasswordDeleteError

    _name_backend()
    try:
        keyring.delete_password(SERVICE, _place(endpoint))
    except (PasswordDeleteError, NoKeyringError):
        return
    except (KeyringError, OSError):
        raise KeyLockedError("The keyring does not answer, so the key is still there.") from None


def password_of(login: str) -> str | None:
    """Give the password of a login at a database; None where the database's library may know.

    `PGPASSWORD` comes first, as it does for every other program of that database.
    """
    given = variable(PASSWORD_VARIABLE) or _typed.get(login, "")
    if not given:
        import keyring
        from keyring.errors import KeyringError

        _name_backend()
        # the library's own file of passwords is still to be asked
        with contextlib.suppress(KeyringError, OSError):
            given = keyring.get_password(SERVICE, f"database {login}") or ""
    if given:
        _leave_no_dump()
        _fetched.add(given)
    return given or None


def hold_password(login: str, password: str) -> None:
    """Know the password of a login until this process ends, and write it nowhere."""
    _leave_no_dump()
    _fetched.add(password)
    _typed[login] = password


def held_password(login: str) -> str:
    """Give a password that is known until this process ends; empty where none is."""
    return _typed.get(login, "")


def keep_password(login: str, password: str) -> None:
    """Keep the password of a login at a database, where a keyring works here."""
    import keyring
    from keyring.errors import KeyringError

    if keyring_works():
        with contextlib.suppress(KeyringError, OSError):
            keyring.set_password(SERVICE, f"database {login}", password)


def keyring_works() -> bool:
    """Tell whether a keyring is there that keeps keys."""
    import keyring
    from keyring.backends.fail import Keyring as Nothing
    from keyring.backends.null import Keyring as Forgetful

    _name_backend()
    return not isinstance(keyring.get_keyring(), Nothing | Forgetful)


def without_keyring(endpoint: Endpoint) -> str:
    """Say what to do where no keyring works."""
    return NO_KEYRING.format(variable=_variable(endpoint))


def unconfirmed(endpoint: Endpoint) -> str:
    """Say that a project from elsewhere names an address for a key of this computer."""
    return UNCONFIRMED.format(
        variable=endpoint.variable, address=endpoint.base_url, trust=VARIABLE
    )


@cache
def _name_backend() -> None:
    """Name the keyring of this system: to try all of them starts compilers in search of a Mac's.

    What a person configured or installed is left to the library.
    """
    import importlib.metadata

    from keyring import core

    found = importlib.metadata.entry_points(group="keyring.backends")
    brought = any(not x.value.startswith(_OWN) for x in found)
    configured = os.environ.get("PYTHON_KEYRING_BACKEND") or core.load_config()
    if not sys.platform.startswith("linux") or brought or configured:
        return
    working = []
    for name in (*_BACKENDS, "fail.Keyring"):
        # whatever a backend's libraries raise where they do not work
        with contextlib.suppress(Exception):
            working.append(core.load_keyring(_OWN + name))
    core.set_keyring(max(working, key=lambda one: one.priority))


def _stored(endpoint: Endpoint) -> str | None:
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    _name_backend()
    try:
        return keyring.get_password(SERVICE, _place(endpoint)) or None
    except NoKeyringError:
        return None
    except (KeyringError, OSError):
        raise KeyLockedError(_locked(endpoint, "read")) from None


def _from_variable(endpoint: Endpoint) -> str:
    return variable(endpoint.variable or "").strip()


def _check(key: str, what: str) -> None:
    if not key:
        raise ReviewerError(f"{what} is empty.")
    if not key.isascii() or not key.isprintable() or " " in key or len(key) > LONGEST:
        raise ReviewerError(
            f"{what} holds characters that no key has; one word of letters, digits and signs is "
            "expected."
        )


def _leave_no_dump() -> None:
    """Let a crash write no image of the memory, in which the key would stand."""
    if sys.platform != "win32":
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def _locked(endpoint: Endpoint, done: str) -> str:
    return LOCKED.format(name=endpoint.name, done=done, variable=_variable(endpoint))


def _variable(endpoint: Endpoint) -> str:
    return endpoint.variable or "that the endpoint names"


def _place(endpoint: Endpoint) -> str:
    # the address belongs to it, so that a project from elsewhere gets no key for its own server
    return f"{endpoint.name} at {endpoint.base_url or endpoint.kind}"
