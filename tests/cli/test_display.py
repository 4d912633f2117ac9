import socket
import tempfile
from pathlib import Path

import pytest

from reviewer.cli import showing
from reviewer.domain.errors import ReviewerError


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"DISPLAY": ""},
        {"DISPLAY": "nonsense"},
        {"DISPLAY": ":987654"},
        {"QT_QPA_PLATFORM": "offscreen", "DISPLAY": "host:0"},
        {"QT_QPA_PLATFORM": "minimal"},
    ],
)
def test_no_display_is_said(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(ReviewerError, match="no display"):
        showing.require(environment)


@pytest.mark.parametrize(
    "environment",
    [{"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "vnc"}, {"DISPLAY": "far:10.0"}],
)
def test_a_display_is_taken(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    showing.require(environment)


def test_other_systems_always_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    showing.require({})


def test_a_server_that_answers_is_found() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        address = str(Path(folder) / "X0")
        assert not showing._connects(address)
        server.bind(address)
        server.listen()
        assert showing._connects(address)
