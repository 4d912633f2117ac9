"""A connection to a hub: checked before anything is sent, every error a sentence.

Names of tables mean the hub's own within `Hub.writing` and `Hub.reading` and nothing outside, so
that a pooler may give every transaction another connection.
"""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

from reviewer.hub import refusals
from reviewer.hub.address import LONGEST_NAME, VERIFIED, Address, HubError

OLDEST: Final = 130_000
"""The oldest server, as it numbers itself, that knows whole transaction numbers."""
VERSION: Final = 5
"""The version of a hub's tables; each has a script that makes it of the one before."""
MISSING: Final = (
    "Sharing a project needs a library that is not installed here: pip install 'reviewer[hub]'."
)
_CONNECT_S: Final = 10
_SILENT_MS: Final = 20_000
"""How long a line may be silent before it counts as broken."""


class Hub:
    """An open connection; use it as a context manager.

    Attributes:
        in_part: Whether names of tables mean the views of what a labeler may read.
    """

    def __init__(self, address: Address, conn: Any) -> None:  # noqa: ANN401 - loaded late
        """Wrap a connection that `connect` made."""
        self.address = address
        self.in_part = False
        self._conn = conn

    def __enter__(self) -> Self:
        """Give the hub itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._conn.close()

    @property
    def server(self) -> str:
        """Give the login that the server knows."""
        return str(self._conn.info.user)

    @contextlib.contextmanager
    def writing(self) -> Iterator["Work"]:
        """Do something in one transaction, whole or not at all.

        Raises:
            HubError: The database refused it, or the line broke.
        """
        with self._transaction(()) as work:
            yield work

    @contextlib.contextmanager
    def reading(self) -> Iterator["Work"]:
        """Read all within the block as it stood at one moment.

        Raises:
            HubError: The database refused it, or the line broke.
        """
        with self._transaction(
            ("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",)
        ) as x:
            yield x

    @contextlib.contextmanager
    def _transaction(self, first: Sequence[str]) -> Iterator["Work"]:
        import psycopg
        from psycopg import sql

        try:
            with self._conn.transaction():
                for statement in first:
                    self._conn.execute(statement.encode())
                schema = self.address.schema
                if schema:
                    names = (seen_of(schema), schema) if self.in_part else (schema,)
                    path = sql.SQL(", ").join(map(sql.Identifier, (*names, "pg_temp")))
                    self._conn.execute(sql.SQL("SET LOCAL search_path TO {}").format(path))
                work = Work(self._conn, schema)
                try:
                    yield work
                finally:
                    work.close()
        except psycopg.Error as error:
            # what the library says may name what was sent
            raise self._told(error) from None

    def _told(self, error: Any) -> HubError:  # noqa: ANN401 - loaded late
        """Tell a project that is not there from one whose door is closed, which look the same."""
        found = refusals.told(error, self.address)
        if getattr(error, "sqlstate", None) in refusals.NOT_THERE and not self._conn.closed:
            query = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
            if self._conn.execute(query, (self.address.schema,)).fetchone():
                return HubError(
                    refusals.STRANGER.format(schema=self.address.schema, user=self.server)
                )
        return found

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            # what the library says may name what was sent
            raise self._told(error) from None

    @property
    def number(self) -> int:
        """Give the number of the open line, for whoever waits for several things at once."""
        return int(self._conn.fileno())

    def listen(self) -> bool:
        """Ask to be woken when somebody sends something; tells whether that will happen.

        Raises:
            HubError: The database refused it, or the line broke.
        """
        from reviewer.hub import lines

        with self._explained():
            return lines.listen(self._conn, channel_of(self.address))

    def woken(self) -> bool:
        """Tell whether somebody else sent something since one asked last; waits for nothing.

        Raises:
            HubError: The line broke.
        """
        from reviewer.hub import lines

        with self._explained():
            return lines.woken(self._conn)

    def scrambled(self, password: str, user: str) -> str:
        """Give what a server keeps of a password, so that no log of it ever has the password."""
        given = self._conn.pgconn.encrypt_password(
            password.encode(), user.encode(), b"scram-sha-256"
        )
        return str(given.decode())


class Work:
    """A transaction at work.

    Attributes:
        tables: What stands before the name of a table itself, whatever views there are.
    """

    def __init__(self, conn: Any, schema: str) -> None:  # noqa: ANN401 - loaded late
        """Wrap a connection within a transaction."""
        self._conn = conn
        self._streams: list[Any] = []
        self.tables = f"{quoted(schema)}." if schema else ""

    def close(self) -> None:
        """Close what was read by and by, as also an error may leave it half read."""
        import psycopg

        for cursor in self._streams:
            try:
                cursor.close()
            except psycopg.Error:
                # it cannot be closed on a line that broke, but goes with its connection
                self._conn.close()
                cursor.close()
        self._streams.clear()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a query and give all its rows."""
        return list(self._conn.execute(query.encode(), values or None).fetchall())

    def one(self, query: str, *values: object) -> Any:  # noqa: ANN401 - a column is anything
        """Run a query and give the first column of its first row, None where there is none."""
        found = self._conn.execute(query.encode(), values or None).fetchone()
        return None if found is None else found[0]

    def do(self, statement: str, *values: object) -> int:
        """Run a statement, or several without values, and give how many rows it touched."""
        return int(self._conn.execute(statement.encode(), values or None).rowcount)

    def stream(self, query: str, values: Sequence[object], size: int) -> Iterator[list[Any]]:
        """Run a query and give its rows by and by, at most `size` at once."""
        self.close()
        cursor = self._conn.cursor(name="pulled")
        self._streams.append(cursor)
        cursor.itersize = size
        cursor.execute(query.encode(), values)
        while rows := cursor.fetchmany(size):
            yield rows


def quoted(name: str) -> str:
    """Write a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def seen_of(schema: str) -> str:
    """Give the name of the schema with the views of what a labeler may read of a project."""
    mark = f" seen {hashlib.blake2b(schema.encode(), digest_size=4).hexdigest()}"
    return schema.encode()[: LONGEST_NAME - len(mark)].decode(errors="ignore") + mark


def channel_of(address: Address) -> str:
    """Give the name under which a hub wakes who waits."""
    return "reviewer_" + hashlib.blake2b(address.schema.encode(), digest_size=8).hexdigest()


def missing() -> str:
    """Say how to get the library where it is not installed; empty where it is."""
    try:
        import psycopg  # noqa: F401 - only whether it is there
    except ImportError:
        return MISSING
    return ""


def connect(address: Address, password: str | None = None) -> Hub:
    """Connect to the database of an address.

    Raises:
        HubError: The library is missing, the server is too old or not of Unicode, or it lets
            nobody in; the sentence says why.
    """
    try:
        import psycopg
        from psycopg.conninfo import make_conninfo

        from reviewer.hub.lines import Line
    except ImportError:
        raise HubError(MISSING) from None
    options = dict(address.options)
    if not address.is_local:
        options["sslmode"] = VERIFIED
        options.setdefault("sslrootcert", "system")
    host = options.pop("host", address.host)
    named = {"user": address.user, "password": password, "host": host}
    known = {name: value for name, value in named.items() if value}
    place = make_conninfo(
        "", **known, **options, port=address.port, dbname=address.database,
        connect_timeout=_CONNECT_S, tcp_user_timeout=_SILENT_MS, keepalives_idle=10,
        keepalives_interval=5, keepalives_count=2, application_name="reviewer",
    )  # fmt: skip
    try:
        # a pooler may give every transaction another connection, which knows no prepared plans
        conn = Line.connect(place, autocommit=True, prepare_threshold=None)
    except psycopg.Error as error:
        raise refusals.told(error, address) from None
    except UnicodeError:
        raise HubError(f"{address.host!r} is no name of a host.") from None
    try:
        _check(conn, address)
    except BaseException:
        conn.close()
        raise
    return Hub(address, conn)


def _check(conn: Any, address: Address) -> None:  # noqa: ANN401 - loaded late
    number = conn.info.server_version
    if number < OLDEST:
        raise HubError(
            f"{address.words} is PostgreSQL {number // 10_000}; a hub needs "
            f"{OLDEST // 10_000} or newer."
        )
    kept = conn.info.parameter_status("server_encoding")
    if kept != "UTF8":
        raise HubError(
            f"{address.words} keeps texts as {kept}, which cannot hold every text; a hub needs a "
            f"database of UTF8: `createdb -E UTF8 -T template0 {address.database}`."
        )
