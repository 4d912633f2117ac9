"""A line to another computer: guarded by a certificate that somebody vouches for, or none."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.hub import connecting
from reviewer.hub.address import Address, HubError, parse
from tests.servers import certificate
from tests.servers.postgres import OWNER, OWNERS_PASSWORD, Server, server

ELSEWHERE = "127.0.0.2"
"""An address of this computer that does not count as it."""


@pytest.fixture(scope="module")
def guarded() -> Iterator[Server]:
    with server() as found:
        yield found


def certify(found: Server, host: str, days: tuple[int, int] = (-1, 1)) -> Path:
    """Give the server a certificate of its own, and give the file that vouches for it."""
    found.control("stop")
    made = certificate.self_signed(found.folder / "server.pem", host, days)
    for name in ("server.crt", "server.key"):
        target = found.folder / "data" / name
        shutil.copy(made, target)
        target.chmod(0o600)
        if found.user:
            shutil.chown(target, found.user)
    found.start("-c ssl=on", f"-c listen_addresses=127.0.0.1,{ELSEWHERE}")
    return made


def place(found: Server, root: Path | None) -> Address:
    tail = f"?sslrootcert={root}" if root else ""
    return parse(f"postgresql://{OWNER}@{ELSEWHERE}:{found.port}/postgres/chats{tail}")


def test_the_right_certificate_lets_in(guarded: Server) -> None:
    root = certify(guarded, ELSEWHERE)
    with connecting.connect(place(guarded, root), OWNERS_PASSWORD) as hub, hub.reading() as work:
        assert work.one("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") is True


def test_a_certificate_that_nobody_vouches_for(guarded: Server) -> None:
    certify(guarded, ELSEWHERE)
    with pytest.raises(HubError, match="nobody whom this computer trusts vouches"):
        connecting.connect(place(guarded, None), OWNERS_PASSWORD)


def test_a_certificate_that_has_expired(guarded: Server) -> None:
    root = certify(guarded, ELSEWHERE, (-9, -2))
    with pytest.raises(HubError, match="has expired"):
        connecting.connect(place(guarded, root), OWNERS_PASSWORD)


def test_a_certificate_of_another_host(guarded: Server) -> None:
    root = certify(guarded, "127.0.0.9")
    with pytest.raises(HubError, match="is another host's"):
        connecting.connect(place(guarded, root), OWNERS_PASSWORD)


def test_no_certificate(guarded: Server) -> None:
    guarded.control("stop")
    guarded.start(f"-c listen_addresses=127.0.0.1,{ELSEWHERE}")
    with pytest.raises(HubError, match="speaks without encryption"):
        connecting.connect(place(guarded, None), OWNERS_PASSWORD)
