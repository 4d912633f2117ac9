"""`reviewer hub PROJECT sync --watch`: a console that says how a shared project stands."""

import getpass
import json
import select
import sys
import time
from datetime import datetime

from reviewer.cli import console
from reviewer.cli.console import Reporter, clean, out, say, stoppable
from reviewer.services.project.session import Session
from reviewer.services.sharing import keeping, states
from reviewer.services.sharing.keeping import Password
from reviewer.services.sharing.states import SyncState


class Silence:
    """Shows nothing: states are told as they come."""

    def show(self, done: int, total: int | None, note: str) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Show nothing more."""


class Terminal:
    """What whoever sits before the console wants."""

    def __init__(self, reporter: Reporter) -> None:
        """Go on until the reporter is cancelled."""
        self._reporter = reporter

    @property
    def ended(self) -> bool:
        """Tell whether Ctrl-C was pressed."""
        return self._reporter.cancelled

    def wait(self, seconds: float, line: int | None = None) -> bool:
        """Wait for the hub; nobody at a console asks for a try before its time."""
        if line is None:
            time.sleep(seconds)
        else:
            select.select([line], [], [], seconds)
        return False

    def password(self, user: str) -> Password | None:
        """Ask at the terminal; a program gets a sentence instead."""
        if not sys.stdin.isatty():
            return None
        return Password(getpass.getpass(f"Password of {clean(user or 'your role')}: "), keep=True)


class Teller:
    """Writes states, each once."""

    def __init__(self, *, as_json: bool) -> None:
        """Make it; nothing is told yet."""
        self._as_json, self._last, self._said = as_json, "", ""

    def tell(self, state: SyncState) -> None:
        """Write a state where it says something new."""
        if self._as_json:
            document = {"schema": console.VERSION, **state.to_document()}
            out(json.dumps(document, ensure_ascii=False))
        elif state.words != self._last:
            out(f"{datetime.now().astimezone():%H:%M:%S} {state.words}")
        self._last = state.words
        for sentence in (state.reason, *state.told, states.POLLS if state.polls else ""):
            if sentence and sentence not in self._said:
                self._said += sentence
                say(sentence)
        sys.stdout.flush()


def watch(session: Session, *, as_json: bool) -> None:
    """Keep a project in step until somebody stops it, and say what waits then.

    Raises:
        ReviewerError: It cannot go on.
    """
    path, teller = session.project.path, Teller(as_json=as_json)
    with stoppable(Silence()) as reporter:
        last = keeping.keep(path, Terminal(reporter), teller.tell)
    waits = states.parting(last, path.name)
    if waits:
        say(waits)
