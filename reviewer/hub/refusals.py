"""What the database refuses, in sentences that say what to do; no password is ever among them."""

from typing import Any, Final

from reviewer.hub.address import Address, BusyError, HubError, UnreachableError


class PasswordError(HubError):
    """Report that a password is missing or wrong."""


class NoPasswordError(PasswordError):
    """Report that a password is wanted, and none was given."""


_CONNECTING: Final = (
    ("password authentication failed", PasswordError,
     "The password of {user} is wrong at {where}."),
    ("no password supplied", NoPasswordError,
     "{where} wants a password for {user}: set PGPASSWORD, write a line into .pgpass, or run this "
     "at a terminal, where it is asked for."),
    ("empty password", PasswordError, "The password of {user} is empty; {where} wants one."),
    ("not currently accepting connections", UnreachableError,
     "{where} takes no connections just now."),
    ("database \"", HubError,
     "There is no database {database} at {host}; whoever runs the server makes it with "
     "`createdb {database}`."),
    ("role \"", HubError,
     "{where} knows nobody called {user}; ask a lead for an invitation, or check the name before "
     "the @."),
    ("pg_hba.conf", HubError,
     "{where} lets {user} not in from this computer (pg_hba.conf); whoever runs the server allows "
     "it."),
    ("is not permitted to log in", HubError,
     "The role {user} of {where} may not log in; a lead names another one."),
    ("does not match host name", HubError,
     "The certificate that answers for {host} is another host's, so nothing was sent. Check the "
     "address, or ask whoever runs the server for its right name."),
    ("certificate verify failed", HubError,
     "The certificate of {host} has expired, or nobody whom this computer trusts vouches for it, "
     "so nothing was sent. Put the company's root certificate into a file and add "
     "?sslrootcert=FILE to the address."),
    ("root certificate file", HubError,
     "The root certificate for {host} cannot be found: add ?sslrootcert=FILE to the address with "
     "a file that exists."),
    ("does not support SSL", HubError,
     "{host} speaks without encryption, so nothing was sent; whoever runs the server turns ssl "
     "on."),
    ("too many clients", UnreachableError, "{where} has no more room for connections just now."),
    ("starting up", UnreachableError, "{where} is just starting."),
    ("shutting down", UnreachableError, "{where} is just shutting down."),
    ("translate host name", UnreachableError,
     "The host {host} cannot be found; check the address, or the network."),
    ("Name or service not known", UnreachableError,
     "The host {host} cannot be found; check the address, or the network."),
    ("timeout", UnreachableError, "{where} does not answer."),
    ("Connection refused", UnreachableError, "Nobody answers at {host}, port {port}."),
    ("No such file or directory", UnreachableError,
     "No server runs on this computer, port {port}."),
)  # fmt: skip
"""What a connection's refusal says, the kind of error, and the sentence."""
_STATES: Final[dict[str, tuple[type[HubError], str]]] = {
    "25006": (BusyError,
              "{where} is a copy that can only be read; use the address of the main server."),
    "53100": (BusyError, "The disk of {where} is full; nothing of this was kept there."),
    "53300": (BusyError, "{where} has no more room for connections just now."),
    "57014": (BusyError, "{where} took too long and gave up."),
    "57P01": (UnreachableError, "{where} is just shutting down."),
    "57P02": (UnreachableError, "{where} broke down a moment ago."),
    "57P03": (UnreachableError, "{where} is just starting."),
    "3F000": (HubError,
              "There is no project {schema} in {where}; check the last word of the address."),
    "42P01": (HubError,
              "There is no project {schema} in {where}; check the last word of the address."),
    "40001": (BusyError, "Somebody else wrote the same to {where} just then."),
    "40P01": (BusyError, "Somebody else wrote the same to {where} just then."),
    "42501": (HubError, "{user} may not do that in {schema} of {where}."),
}  # fmt: skip
"""What an error's number means, and the sentence."""


NOT_THERE: Final = ("3F000", "42P01")
"""Errors of which nobody can tell whether there is nothing, or nothing for them."""
STRANGER: Final = (
    "{user} is not among the people of {schema}, or was taken out; ask a lead for an invitation. "
    "What is in your file stays."
)


def told(error: Any, address: Address) -> HubError:  # noqa: ANN401 - psycopg may be absent
    """Give the sentence for an error of the library."""
    state, text = getattr(error, "sqlstate", None), str(error)
    if state in _STATES:
        kind, words = _STATES[state]
        return kind(_filled(words, address))
    if state is None:
        for sign, kind, words in _CONNECTING:
            if sign in text:
                return kind(_filled(words, address))
        return UnreachableError(_filled("The line to {where} broke.", address))
    if state.startswith("08"):
        return UnreachableError(_filled("The line to {where} broke.", address))
    return HubError(_filled(f"{{where}} refused it (error {state}).", address))


def _filled(words: str, address: Address) -> str:
    return words.format(
        user=address.user or "you", where=address.words, host=address.host or "this computer",
        database=address.database, port=address.port, schema=address.schema or "that name",
    )  # fmt: skip
