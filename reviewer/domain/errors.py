"""How acts report and end: progress, the wish to stop, and errors, each a sentence."""

from typing import Final, Protocol

LONGEST: Final = 1_000
"""Characters of a line that is told."""
_END: Final = 200


def readable(text: str) -> str:
    """Leave out the middle of lines that nobody would read, as names in files make them."""
    return "\n".join(
        line if len(line) <= LONGEST else f"{line[: LONGEST - _END - 3]} … {line[-_END:]}"
        for line in text.split("\n")
    )


class ReviewerError(Exception):
    """Report something the user can act on; the text is one plain sentence.

    The command line prints it and exits with 2, the window shows it in the error bar.
    """

    def __str__(self) -> str:
        """Give the sentence, in lines that can be read."""
        return readable(super().__str__())


def refusal(error: OSError) -> str:
    """Give what the system says stands in the way, to be read within a sentence."""
    return (error.strerror or str(error)).lower()


class ProjectError(ReviewerError):
    """Report that a project file cannot be opened, read or written."""


class UnwritableError(ProjectError):
    """Report that a project takes nothing just now; what was to be written may be tried again."""


class FormatError(ReviewerError):
    """Report that a file as a whole cannot be read; single rows become `RejectedRow`."""


class RubricError(ReviewerError):
    """Report that a rubric's text breaks a rule, naming the field."""


class LabelError(ReviewerError):
    """Report that a label cannot be given, such as a value off the metric's scale."""


class FilterError(ReviewerError):
    """Report a filter expression that cannot be understood.

    Attributes:
        at: Where in its text, counted from 0; None where it is about the whole.
    """

    at: int | None = None


class QueueError(ReviewerError):
    """Report that a queue cannot be planned, made or worked on as asked."""


class CancelledError(ReviewerError):
    """Report that the user stopped a long operation; nothing half is left behind."""


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


def heed(
    progress: Progress | None, sentence: str = "Nobody waits for these figures any more."
) -> None:
    """Stop where nobody waits for what is being done; None never stops.

    Raises:
        CancelledError: Nobody does any more.
    """
    if progress is not None and progress.cancelled:
        raise CancelledError(sentence)
