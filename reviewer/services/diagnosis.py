"""The text that a user may send with a problem: never texts under review, labels or keys."""

import platform

from reviewer.services import logs
from reviewer.store import engine

TAIL_LINES = 40


def diagnosis(*more: str) -> str:
    """Put together versions, system and the log's last lines, for pasting into a report.

    Args:
        more: Lines of the caller, such as the version of the window system.
    """
    return "\n".join(
        [
            f"Reviewer {logs.version()}",
            f"Python {platform.python_version()}, SQLite {engine.version()}",
            platform.platform(),
            *more,
            "",
            *(logs.tail(TAIL_LINES) or ["(no log)"]),
        ]
    )
