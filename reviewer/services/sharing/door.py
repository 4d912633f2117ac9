"""At a hub's door, for a window: what is missing to go in, and a password that somebody types."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from reviewer.hub import connecting
from reviewer.hub.address import Address
from reviewer.hub.connecting import Hub
from reviewer.hub.refusals import NoPasswordError, PasswordError
from reviewer.services.computer import secrets
from reviewer.services.sharing import taking_part

Found = TypeVar("Found")


class Word(NamedTuple):
    """A password that somebody typed, and whether the keyring is to keep it."""

    text: str
    keeps: bool


@dataclass(frozen=True)
class Locked:
    """A password is needed that is not known here, or another one.

    Attributes:
        keyring: Whether a keyring works here.
    """

    reason: str
    user: str
    keyring: bool


def missing() -> str:
    """Say how to get the library that sharing needs; empty where it is installed."""
    return connecting.missing()


def enter(
    address: Address, act: Callable[[Hub], Found], word: Word | None = None
) -> Found | Locked:
    """Do something at a hub, or tell that a password is needed first.

    What somebody typed is known until the window closes, so that nothing asks for it again.

    Raises:
        HubError: It cannot be reached, or refuses; the sentence says why.
    """
    try:
        with taking_part.opened(address, word.text if word else None) as hub:
            if word is not None:
                _remember(address._replace(user=address.user or hub.server), word)
            return act(hub)
    except PasswordError as error:
        user = address.user or "your role"
        reason = str(error)
        if isinstance(error, NoPasswordError):
            reason = f"{address.words} wants the password of {user}."
        return Locked(reason, user, secrets.keyring_works())


def _remember(address: Address, word: Word) -> None:
    taking_part.hold_password(address, word.text)
    if word.keeps:
        taking_part.keep_password(address, word.text)
