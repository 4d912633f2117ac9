"""The text that a user may send with a problem: never texts under review, labels or keys."""

import platform
from pathlib import Path

from reviewer.services.computer import logs
from reviewer.services.computer.versions import version
from reviewer.store import connecting

TAIL_LINES = 40


def diagnosis(*more: str) -> str:
    """Put together versions, system and the log's last lines, for pasting into a report.

    Args:
        more: Lines of the caller, such as the version of the window system.
    """
    return "\n".join(
        [
            f"Reviewer {version()}",
            f"Python {platform.python_version()}, SQLite {connecting.version()}",
            platform.platform(),
            *more,
            "",
            *(logs.tail(TAIL_LINES) or ["(no log)"]),
        ]
    )


def explain(error: BaseException, project: Path | None = None) -> str:
    """Put an error that nobody expected into a sentence without quoting anything.

    Args:
        error: The error.
        project: The project in use, to name it where its file is at fault.
    """
    return connecting.trouble(error, project) or (
        f"Something unexpected happened ({type(error).__name__}); nothing saved is lost. "
        f"The log tells where: {logs.log_file()}; REVIEWER_DEBUG=1 shows all of it."
    )
