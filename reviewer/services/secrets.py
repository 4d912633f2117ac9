"""Keys of endpoints: in the system's keyring or in an environment variable, and nowhere else.

The only module that knows the keyring. A key is fetched when a call is due and handed in; it is
never stored in a project, a setting, a log or an argument.
"""

import os
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint

SERVICE: Final = "reviewer"
NO_KEYRING: Final = (
    "No keyring works here, so the key cannot be stored. On Debian and Ubuntu install "
    "gnome-keyring (`apt install gnome-keyring`) and log in to a desktop; or set the environment "
    "variable {variable} to the key before starting Reviewer."
)


def key_of(endpoint: Endpoint) -> str | None:
    """Give the key of an endpoint, None where there is none.

    The keyring comes first, then the environment variable that the endpoint names.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        stored = keyring.get_password(SERVICE, _place(endpoint))
    except (KeyringError, OSError):
        stored = None
    variable = os.environ.get(endpoint.variable or "", "").strip()
    return stored or variable or None


def store_key(endpoint: Endpoint, key: str) -> None:
    """Keep a key in the keyring.

    Raises:
        ReviewerError: The key is empty, or no keyring works here.
    """
    import keyring
    from keyring.errors import KeyringError

    if not key.strip():
        raise ReviewerError("The key is empty.")
    try:
        keyring.set_password(SERVICE, _place(endpoint), key.strip())
    except (KeyringError, OSError):
        variable = endpoint.variable or "that the endpoint names"
        # the library's error could hold what was to be stored
        raise ReviewerError(NO_KEYRING.format(variable=variable)) from None


def forget_key(endpoint: Endpoint) -> None:
    """Take a key out of the keyring; nothing happens where there is none."""
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        keyring.delete_password(SERVICE, _place(endpoint))
    except PasswordDeleteError:
        return
    except (KeyringError, OSError):
        raise ReviewerError("The keyring does not answer, so the key is still there.") from None


def keyring_works() -> bool:
    """Tell whether a keyring is there that keeps keys."""
    import keyring
    from keyring.backends.fail import Keyring as Nothing

    return not isinstance(keyring.get_keyring(), Nothing)


def _place(endpoint: Endpoint) -> str:
    # the address belongs to it, so that a project from elsewhere gets no key for its own server
    return f"{endpoint.name} at {endpoint.base_url or endpoint.kind}"
