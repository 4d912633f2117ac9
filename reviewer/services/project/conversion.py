"""What bringing a project up to date changed."""

import contextlib
import json

from reviewer.domain.errors import ProjectError
from reviewer.services.project.session import Session
from reviewer.store import from_format_1

SHOWN = "converted_shown"
"""The setting that says that a window showed what the conversion changed."""


def last_job(session: Session) -> int:
    """Give the number of the last job before the conversion, 0 in a project made since."""
    return int(session.project.setting(from_format_1.LAST_JOB, "0"))


def told(session: Session) -> list[str]:
    """Give what the conversion changed, in sentences; nothing in a project made since."""
    return [str(x) for x in json.loads(session.project.setting(from_format_1.CONVERTED, "[]"))]


def untold(session: Session) -> list[str]:
    """Give what nobody was shown yet in a window of this project."""
    return [] if session.project.setting(SHOWN) else told(session)


def keep_shown(session: Session) -> None:
    """Keep that it was shown; a project that cannot be written shows it again."""
    # a full disk is said where somebody works, not here
    with contextlib.suppress(ProjectError):
        session.project.set_setting(SHOWN, "1")
