"""What bringing a project up to date changed."""

import json

from reviewer.services.project.session import Session
from reviewer.store import from_format_1


def last_job(session: Session) -> int:
    """Give the number of the last job before the conversion, 0 in a project made since."""
    return int(session.project.setting(from_format_1.LAST_JOB, "0"))


def told(session: Session) -> list[str]:
    """Give what the conversion changed, in sentences; nothing in a project made since."""
    return [str(x) for x in json.loads(session.project.setting(from_format_1.CONVERTED, "[]"))]
