"""Where a hub is: an address as `postgresql://anna@host/database/project`, never a password."""

from typing import Final, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from reviewer.domain.errors import ReviewerError

SCHEMES: Final = ("postgresql", "postgres")
PORT: Final = 5432
LOCAL: Final = frozenset({"", "localhost", "127.0.0.1", "::1"})
VERIFIED: Final = "verify-full"
OPTIONS: Final = ("host", "sslmode", "sslrootcert", "sslcert", "sslkey")
"""What may stand behind the question mark; all else would be a way around, or a password."""
LONGEST_NAME: Final = 63
EXAMPLE: Final = "postgresql://anna@host/database/project"


class HubError(ReviewerError):
    """Report that a hub cannot be reached, read or written; the text is one plain sentence.

    Attributes:
        passing: Whether trying again later may help.
    """

    passing = False


class UnreachableError(HubError):
    """Report what may be over in a while: no line, a server that starts, a full disk."""

    passing = True


class OlderError(HubError):
    """Report that an older program made the hub's tables.

    Attributes:
        may_upgrade: Whether whoever asks leads, so that they may bring them up to date.
    """

    def __init__(self, sentence: str, *, may_upgrade: bool) -> None:
        """Say it in a sentence."""
        super().__init__(sentence)
        self.may_upgrade = may_upgrade


class BusyError(UnreachableError):
    """Report what a server refuses for now though it answers."""


class Address(NamedTuple):
    """A hub's place.

    Attributes:
        user: The person's role; empty for the system's own default.
        schema: The project within the database; empty where none is named yet.
        options: What is said of the connection beyond that, in order.
    """

    host: str
    port: int
    user: str
    database: str
    schema: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_local(self) -> bool:
        """Tell whether the database is on this computer, so that no wire is to be guarded."""
        given = dict(self.options).get("host", self.host)
        return given in LOCAL or given.startswith("/")

    @property
    def text(self) -> str:
        """Write the address."""
        who = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORT else f":{self.port}"
        path = "/".join(quote(x, safe="") for x in (self.database, self.schema) if x)
        tail = f"?{urlencode(self.options)}" if self.options else ""
        return f"postgresql://{who}{host}{port}/{path}{tail}"

    @property
    def words(self) -> str:
        """Name the place within a sentence."""
        return f"{self.database} on {dict(self.options).get('host', self.host) or 'this computer'}"


def parse(text: str) -> Address:
    """Read an address.

    Raises:
        HubError: It is none, holds a password, or asks for a line that nobody vouches for.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port or PORT
    except ValueError:
        raise HubError(f"This is no address of a hub; one looks like {EXAMPLE}.") from None
    options = parse_qsl(parts.query, keep_blank_values=True)
    if parts.password is not None or any(name == "password" for name, _ in options):
        raise HubError(
            "The address holds a password, which would stay in histories and logs. Leave it out: "
            "it is asked for, or taken from PGPASSWORD, the file .pgpass or the keyring."
        )
    path = [unquote(x) for x in parts.path.split("/")[1:] if x]
    if parts.scheme not in SCHEMES or not 1 <= len(path) <= 2 or parts.fragment:
        raise HubError(f"{text!r} is no address of a hub; one looks like {EXAMPLE}.")
    for name, _ in options:
        if name not in OPTIONS:
            raise HubError(
                f"The address says {name!r}, which a hub's address does not take; possible are "
                f"{', '.join(OPTIONS)}."
            )
    found = Address(
        parts.hostname or "", port, unquote(parts.username or ""), path[0],
        named(path[1]) if len(path) == 2 else "", tuple(options),
    )  # fmt: skip
    mode = dict(options).get("sslmode")
    if not found.is_local and mode not in (None, VERIFIED):
        raise HubError(
            f"sslmode={mode} would send answers to whoever answers as {found.host}; to other "
            f"computers only {VERIFIED} is taken. Leave sslmode out."
        )
    return found


def named(name: str) -> str:
    """Check the name of a project within a database.

    Raises:
        HubError: PostgreSQL cannot have a schema of that name, or it is one of its own.
    """
    if not name or len(name.encode()) > LONGEST_NAME or not name.isprintable():
        raise HubError(
            f"{name[:80]!r} cannot be the name of a project in a database: 1 to {LONGEST_NAME} "
            "letters are expected. Choose one with --schema."
        )
    if name.startswith("pg_") or name in ("public", "information_schema"):
        raise HubError(f"The name {name!r} belongs to PostgreSQL; choose another with --schema.")
    return name
