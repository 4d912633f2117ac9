"""Signs of a secret in what is about to be stored in a project, where none may stand."""

import re
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from reviewer.domain.errors import ReviewerError

_SECRET: Final = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|apikey|key|token|secret|password|passwd|pwd|cookie|credentials?|"
    r"authorization|auth|signature|sig)$",
    re.IGNORECASE,
)
_LOOKS: Final = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|github_pat|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}"
    r"|\b(?:Bearer|Basic)\s+(?!\{\{)[^\s{]{6,}"
)


def is_secret(name: str) -> bool:
    """Tell whether something of this name is likely to be a key, token or password."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return _SECRET.search(spaced) is not None


def looks_secret(text: str) -> bool:
    """Tell whether a text looks like it holds a key."""
    return _LOOKS.search(text) is not None


def check_address(url: str) -> None:
    """Keep passwords and keys out of addresses: those are stored in the project.

    Raises:
        ReviewerError: There is one in it, or it is no address at all.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ReviewerError(f"{url!r} is no address.") from None
    if parts.username or parts.password:
        raise ReviewerError(
            "The address holds a name or password; it would stand in the project. Leave it out "
            "and store the key."
        )
    named = next((name for name, _ in parse_qsl(parts.query) if is_secret(name)), None)
    if named is not None:
        raise ReviewerError(
            f"The address holds {named!r}; it would stand in the project. Leave it out and store "
            "the key."
        )
