"""Keep a shared project in step with its hub, beside the window that started this.

`python -m reviewer.worker.sync PROJECT`. Lines on standard output are states as JSON, the last one
how it ended. Lines on standard input are wishes: `{"again": true}` tries the hub at once, and
`{"password": "...", "keep": true}` answers where a password is needed. With the end of the input
nobody wants it any more: what can be sent within five seconds is sent.
"""

import json
import logging
import os
import select
import sys
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ReviewerError
from reviewer.services.computer import logs, secrets
from reviewer.services.sharing import keeping, states
from reviewer.services.sharing.keeping import Password
from reviewer.services.sharing.states import SyncState

_LOG: Final = logging.getLogger(__name__)
DONE, WRONG = 0, 2
BEHIND: Final = 5
"""How far the process stands back behind whoever labels, and still before jobs."""
_PIECE: Final = 65_536
_LONG_S: Final = 3_600.0


class Wishes:
    """What whoever started this writes on standard input."""

    def __init__(self, number: int) -> None:
        """Listen to the open file of a number."""
        self.ended = False
        self._number, self._rest = number, b""
        self._password: Password | None = None

    def wait(self, seconds: float, line: int | None = None) -> bool:
        """Wait for a wish or the hub, and tell whether it is to be tried at once."""
        watched = [x for x in (None if self.ended else self._number, line) if x is not None]
        if self._number in select.select(watched, [], [], seconds)[0]:
            return self._take(os.read(self._number, _PIECE))
        return False

    def password(self, user: str) -> Password | None:  # noqa: ARG002 - the state has said whose
        """Wait until somebody writes a password, None where they end this instead."""
        self._password = None
        while self._password is None and not self.ended:
            self.wait(_LONG_S)
        return self._password

    def _take(self, piece: bytes) -> bool:
        self.ended = self.ended or not piece
        *lines, self._rest = (self._rest + piece).split(b"\n")
        wishes = [_read(line) for line in lines]
        for wish in wishes:
            if isinstance(wish.get("password"), str):
                self._password = Password(wish["password"], wish.get("keep") is True)
        return any(wish.get("again") is True for wish in wishes)


def _read(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Speaker:
    """Tells states on standard output.

    Attributes:
        last: The last one.
    """

    def __init__(self) -> None:
        """Make it; nothing is told yet."""
        self.last: SyncState | None = None

    def tell(self, state: SyncState) -> None:
        """Write a state on a line."""
        self.last = state
        sys.stdout.write(state.to_json() + "\n")
        sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Keep the project in step that the word names, and give the exit code."""
    speaker = Speaker()
    if len(arguments) != 1:
        speaker.tell(states.refused("The process needs a project."))
        return WRONG
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    with logs.kept(), secrets.kept_apart():
        try:
            speaker.tell(
                keeping.keep(Path(arguments[0]), Wishes(sys.stdin.fileno()), speaker.tell)
            )
        except ReviewerError as error:
            speaker.tell(states.refused(str(error), speaker.last))
            return WRONG
        except Exception:
            _LOG.exception("unexpected error in keeping a project in step")
            raise
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
