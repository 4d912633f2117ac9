"""The real program on a screen without a monitor, as a screen reader is told of it over D-Bus."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jeepney import DBusAddress, MessageType, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from tests.servers.session_bus import SessionBus, session_bus

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
"""What starts the accessibility bus when it is asked for; in Debian's at-spi2-core."""
_KIND = "org.a11y.atspi.Accessible"
_STATES = {4: "checked", 11: "focusable", 12: "focused", 23: "selected", 25: "showing"}
"""Numbers of atspi-constants.h."""
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Told:
    """What a screen reader is told of one object.

    Attributes:
        owner: Whose object it is, on the bus.
        path: Where it is found there.
        role: What it is, in the interface's own words.
        name: What it is called.
        about: Its description.
        value: What stands in it, where it holds text or a number.
        states: Those of its states that are looked at here.
    """

    owner: str
    path: str
    role: str
    name: str
    about: str
    value: str
    states: frozenset[str]


class ScreenReader:
    """Asks the program, as a screen reader does."""

    def __init__(self, bus: DBusConnection) -> None:
        self._bus = bus

    def everything(self) -> list[Told]:
        """Read all objects of all programs, whether they show or not."""
        return list(self._read(hidden=True))

    def shown(self) -> list[Told]:
        """Read what shows."""
        return list(self._read(hidden=False))

    def wait_for(self, holds: Callable[[list[Told]], object]) -> list[Told]:
        """Wait until something holds for what shows, and give that."""
        until = time.monotonic() + _PATIENCE_S
        shown: list[Told] = []
        while time.monotonic() < until:
            # what goes away while it is read is no answer
            with suppress(LookupError):
                shown = self.shown()
                if holds(shown):
                    return shown
            time.sleep(0.2)
        raise AssertionError([(x.role, x.name, sorted(x.states)) for x in shown])

    def press(self, role: str, name: str) -> None:
        """Do the first that one can do with what shows, which is to press it."""
        shown = self.wait_for(lambda shown: any((x.role, x.name) == (role, name) for x in shown))
        [one] = [x for x in shown if (x.role, x.name) == (role, name)]
        self._ask(one.owner, one.path, "org.a11y.atspi.Action", "DoAction", "i", (0,))

    def _read(self, *, hidden: bool) -> Iterator[Told]:
        root = "/org/a11y/atspi/accessible/root"
        [programs] = self._ask("org.a11y.atspi.Registry", root, _KIND, "GetChildren")
        for owner, path in programs:
            for child, place in self._children(owner, path):
                yield from self._below(child, place, hidden=hidden)

    def _below(self, owner: str, path: str, *, hidden: bool) -> Iterator[Told]:
        told = self._told(owner, path)
        if hidden or "showing" in told.states:
            yield told
            for child, place in self._children(owner, path):
                yield from self._below(child, place, hidden=hidden)

    def _children(self, owner: str, path: str) -> list[tuple[str, str]]:
        [children] = self._ask(owner, path, _KIND, "GetChildren")
        return [(child, place) for child, place in children if not place.endswith("/null")]

    def _told(self, owner: str, path: str) -> Told:
        [words] = self._ask(owner, path, _KIND, "GetState")
        bits = sum(word << 32 * place for place, word in enumerate(words))
        [kinds] = self._ask(owner, path, _KIND, "GetInterfaces")
        value = ""
        if "org.a11y.atspi.Text" in kinds:
            [value] = self._ask(owner, path, "org.a11y.atspi.Text", "GetText", "ii", (0, -1))
        elif "org.a11y.atspi.Value" in kinds:
            value = str(self._property(owner, path, "org.a11y.atspi.Value", "CurrentValue"))
        return Told(
            owner,
            path,
            role=self._ask(owner, path, _KIND, "GetRoleName")[0],
            name=self._property(owner, path, _KIND, "Name"),
            about=self._property(owner, path, _KIND, "Description"),
            value=value,
            states=frozenset(x for bit, x in _STATES.items() if bits >> bit & 1),
        )

    def _property(self, owner: str, path: str, kind: str, name: str) -> Any:
        return self._ask(
            owner, path, "org.freedesktop.DBus.Properties", "Get", "ss", (kind, name)
        )[0][1]

    def _ask(
        self,
        owner: str,
        path: str,
        kind: str,
        method: str,
        signature: str | None = None,
        body: Sequence[Any] = (),
    ) -> Any:
        return ask(self._bus, DBusAddress(path, owner, kind), method, signature, tuple(body))


def ask(
    bus: DBusConnection,
    where: DBusAddress,
    method: str,
    signature: str | None = None,
    body: tuple[Any, ...] = (),
) -> Any:
    """Call a method over D-Bus and give what it answers."""
    answer = bus.send_and_get_reply(
        new_method_call(where, method, signature, body), timeout=_PATIENCE_S
    )
    if answer.header.message_type is MessageType.error:
        raise LookupError(f"{method} of {where.object_path}: {answer.body}")
    return answer.body


@contextmanager
def read_aloud(*arguments: str, home: Path) -> Iterator[ScreenReader]:
    """Start the program with arguments, and give what reads it; skips where nothing could."""
    with session_bus(needed=["Xvfb", LAUNCHER], home=home) as session, _screen() as display:
        address = session.variables["DBUS_SESSION_BUS_ADDRESS"]
        with open_dbus_connection(address) as desktop:
            where = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            [place] = ask(desktop, where, "GetAddress")
        with open_dbus_connection(place) as bus, _program(session, display, arguments):
            reader = ScreenReader(bus)
            reader.wait_for(lambda shown: any(x.role == "page tab" for x in shown))
            yield reader


@contextmanager
def _screen() -> Iterator[str]:
    """Start a screen that nobody sees, on the first number that is free."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1000x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(writing)
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        try:
            yield f":{number}"
        finally:
            process.terminate()


@contextmanager
def _program(
    session: SessionBus, display: str, arguments: Sequence[str]
) -> Iterator["subprocess.Popen[bytes]"]:
    variables = {name: x for name, x in session.variables.items() if name != "QT_QPA_PLATFORM"}
    wanted = {"DISPLAY": display, "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "reviewer", *arguments], cwd=ROOT, env=variables | wanted
    ) as process:
        try:
            yield process
            assert process.poll() is None, "it ended by itself"
        finally:
            process.terminate()
