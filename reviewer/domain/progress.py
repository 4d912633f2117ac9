"""How long operations report and how they are stopped."""

from typing import Protocol

from reviewer.domain.errors import CancelledError


class Progress(Protocol):
    """What a long operation tells its caller; window and command line each bring their own."""

    @property
    def cancelled(self) -> bool:
        """Tell whether the user asked to stop."""
        ...

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Report the work done so far, in the unit of `total` (None where unknown)."""
        ...


class Silent:
    """Report nothing and never cancel."""

    cancelled = False

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Take the report and drop it."""


def heed(progress: Progress | None) -> None:
    """Stop where nobody waits for what is being worked out; None never stops.

    Raises:
        CancelledError: Nobody does any more.
    """
    if progress is not None and progress.cancelled:
        raise CancelledError("Nobody waits for these figures any more.")
