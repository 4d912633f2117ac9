"""What a database refuses is a sentence that says what to do."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reviewer.hub import connecting, making
from reviewer.hub.address import Address, HubError, UnreachableError, parse
from reviewer.hub.connecting import VERSION
from reviewer.hub.refusals import PasswordError
from tests.hub.worlds import World, make_world, number
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server

ME = (number("Lead"), "Lead")


def place(server: Server, database: str, user: str = OWNER) -> Address:
    return parse(f"postgresql://{user}@{HOST}:{server.port}/{database}/chats")


@contextmanager
def refused(kind: type[HubError], sentence: str) -> Iterator[None]:
    with pytest.raises(kind) as found:
        yield
    said = str(found.value)
    assert sentence in said
    assert "Traceback" not in said
    assert OWNERS_PASSWORD not in said
    assert found.value.__cause__ is None
    assert found.value.__suppress_context__ or found.value.__context__ is None


def test_a_wrong_password(postgres: Server) -> None:
    with refused(PasswordError, "The password of owner is wrong at postgres on 127.0.0.1."):
        connecting.connect(place(postgres, "postgres"), "guessed")


def test_no_password(postgres: Server) -> None:
    with refused(PasswordError, "wants a password for owner: set PGPASSWORD"):
        connecting.connect(place(postgres, "postgres"))


def test_no_such_database(postgres: Server) -> None:
    with refused(HubError, "There is no database nowhere at 127.0.0.1"):
        connecting.connect(place(postgres, "nowhere"), OWNERS_PASSWORD)


def test_nobody_answers() -> None:
    with refused(UnreachableError, "Nobody answers at 127.0.0.1, port 1."):
        connecting.connect(parse(f"postgresql://anna@{HOST}:1/team/chats"))


def test_a_line_that_hangs_half_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "_CONNECT_S", 2)
    with socket.create_server((HOST, 0)) as silent:
        port = silent.getsockname()[1]
        with refused(UnreachableError, "does not answer"):
            connecting.connect(parse(f"postgresql://anna@{HOST}:{port}/team/chats"))


def test_no_such_project(postgres: Server) -> None:
    name = postgres.make_database("empty")
    with (
        connecting.connect(place(postgres, name), OWNERS_PASSWORD) as hub,
        refused(HubError, "There is no project chats in empty"),
    ):
        making.state(hub)


def test_no_right_to_make_one(postgres: Server) -> None:
    name = postgres.make_database("strict")
    with postgres.superuser(name) as conn:
        conn.execute("CREATE ROLE guest LOGIN PASSWORD 'a guest word'")
    with (
        connecting.connect(place(postgres, name, "guest"), "a guest word") as hub,
        refused(HubError, "guest may not make schemas and roles in strict"),
    ):
        making.make(hub, number("project"), "chats", ME)


def test_one_is_there_already(postgres: Server) -> None:
    with (
        make_world(postgres, "twice").hub() as hub,
        refused(HubError, "has a project chats already"),
    ):
        making.make(hub, number("another"), "chats", ME)


def test_a_copy_that_can_only_be_read(postgres: Server) -> None:
    name = postgres.make_database("copied")
    with postgres.superuser(name) as conn:
        conn.execute("ALTER ROLE owner IN DATABASE copied SET default_transaction_read_only = on")
    with (
        connecting.connect(place(postgres, name), OWNERS_PASSWORD) as hub,
        refused(HubError, "is a copy that can only be read"),
    ):
        making.make(hub, number("project"), "chats", ME)


def test_a_server_that_is_too_old(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "OLDEST", 990_000)
    with refused(HubError, "is PostgreSQL 15; a hub needs 99 or newer"):
        connecting.connect(place(postgres, "postgres"), OWNERS_PASSWORD)


def test_a_database_that_is_not_of_unicode(postgres: Server) -> None:
    name = postgres.make_database("latin", "ENCODING 'LATIN1' TEMPLATE template0")
    with refused(HubError, "keeps texts as LATIN1"):
        connecting.connect(place(postgres, name), OWNERS_PASSWORD)


def test_a_hub_of_a_newer_program(postgres: Server) -> None:
    world = make_world(postgres, "newer")
    with world.hub() as hub:
        with hub.writing() as work:
            work.do("UPDATE hub SET version = 99")
        with refused(HubError, "by a newer version of Reviewer"):
            making.state(hub)


def older_world(server: Server, name: str, version: int = 1) -> World:
    """A hub as an older version made it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "VERSION", version)
        server.make_database(name)
        address = parse(f"postgresql://{OWNER}@{HOST}:{server.port}/{name}/chats")
        world = World(server, address, {OWNER: OWNERS_PASSWORD})
        with world.hub() as hub:
            making.make(hub, number("project"), "chats", ME)
            for who, role in (("anna", "labeler"), ("lena", "lead")):
                account = f"{who}_{name}"
                word = making.invite(hub, (number(who), who), account, role)  # type: ignore[arg-type]
                world.passwords[account] = word or ""
    return world


def test_a_hub_of_an_older_program_waits_for_a_lead(postgres: Server) -> None:
    world = older_world(postgres, "older")
    with world.hub("anna_older") as hub:
        with refused(
            HubError, "a lead (Lead, lena) brings it up to date. Until then all stays in your file"
        ):
            making.state(hub)
        with refused(HubError, "Only a lead of chats brings it up to date"):
            making.upgrade(hub)
    with world.hub("lena_older") as hub:
        with refused(HubError, "share --upgrade` brings it up to date"):
            making.state(hub)
        with refused(HubError, "belong to owner, who brings them up to date"):
            making.upgrade(hub)
    with world.hub() as hub:
        assert making.upgrade(hub) == 1
        assert making.upgrade(hub) == making.state(hub).version == VERSION
    with world.hub("anna_older") as hub:
        assert making.state(hub).version == VERSION


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_hub_that_was_brought_up_to_date_is_as_one_that_was_made_now(
    postgres: Server, version: int
) -> None:
    def shape(world: World) -> list[tuple[object, ...]]:
        with world.hub() as hub, hub.reading() as work:
            return work.rows(
                "SELECT c.relname, a.attname, a.attstattarget, c.relrowsecurity, "
                "regexp_replace(a.attacl::text, '[0-9a-f]{8}', '', 'g') "
                "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
                "WHERE c.relnamespace = 'chats'::regnamespace AND a.attnum > 0 "
                "ORDER BY 1, 2"
            )

    old = older_world(postgres, f"raised_{version}", version)
    with old.hub() as hub:
        making.upgrade(hub)
    assert shape(old) == shape(make_world(postgres, f"fresh_{version}"))


def test_a_library_that_is_missing(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with refused(HubError, "pip install 'reviewer[hub]'"):
        connecting.connect(place(postgres, "postgres"), OWNERS_PASSWORD)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no address"),
        ("work", "is no address"),
        ("postgresql://host", "is no address"),
        ("postgresql://host/a/b/c", "is no address"),
        ("postgresql://host:many/team", "no address"),
        ("postgresql://anna:word@host/team", "holds a password"),
        ("postgresql://anna@host/team?password=word", "holds a password"),
        ("postgresql://anna@host/team?options=-crole", "does not take"),
        ("postgresql://anna@host/team?sslmode=prefer", "only verify-full"),
        ("postgresql://anna@host/team/pg_toast", "belongs to PostgreSQL"),
    ],
)
def test_an_address_that_is_none(text: str, sentence: str) -> None:
    with refused(HubError, sentence):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://anna@host/team/chats",
        "postgresql://host:6000/team",
        "postgresql://a%40b@host/team/My%20chats",
        "postgresql://anna@[::1]/team/chats",
        "postgresql://anna@/team/chats?host=%2Fvar%2Frun",
        "postgresql://anna@host/team/chats?sslrootcert=%2Froot.pem",
    ],
)
def test_an_address_is_written_as_it_is_read(text: str) -> None:
    assert parse(text).text == text
    assert parse(parse(text).text) == parse(text)


def test_a_name_with_all_sorts_of_signs(postgres: Server) -> None:
    world = make_world(postgres, "signs", """Anna's "best" chats""")
    with world.hub("anna_signs") as hub, hub.reading() as work:
        assert work.one("SELECT count(*) FROM evaluations") == 4


def test_a_role_that_may_be_anybodys(postgres: Server) -> None:
    world, carl = make_world(postgres, "anybody"), (number("Carl"), "Carl")
    with postgres.superuser() as conn:
        conn.execute("CREATE ROLE other LOGIN")
    with world.hub() as hub:
        with refused(HubError, "knows a role other already, of whomever"):
            making.invite(hub, carl, "other", "labeler")
        assert making.invite(hub, carl, "other", "labeler", named=True) is None
        with refused(HubError, "belongs to Anna already"):
            making.invite(hub, carl, "anna_anybody", "labeler", named=True)
