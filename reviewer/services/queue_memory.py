"""Which queue a labeler worked on last, kept in the project so that the next day begins there."""

import json

from reviewer.domain.errors import ReviewerError
from reviewer.services.queues import QueueOrder
from reviewer.services.session import Session


def last_queue(session: Session) -> tuple[str, QueueOrder] | None:
    """Give filter and order of the labeler's last queue, None where there is none."""
    try:
        kept = json.loads(session.project.setting(_name(session)) or "null")
        return str(kept["filter"]), QueueOrder(kept["order"])
    except (ValueError, TypeError, KeyError):
        return None


def keep_queue(session: Session, filter_text: str, order: QueueOrder) -> None:
    """Remember the labeler's queue; a project that cannot be written forgets it silently."""
    if last_queue(session) == (filter_text, order):
        return
    kept = json.dumps({"filter": filter_text, "order": order.value}, ensure_ascii=False)
    try:
        session.project.set_setting(_name(session), kept)
    except ReviewerError:
        return


def first_queue(session: Session) -> tuple[str, QueueOrder]:
    """Give the queue to begin with: the last one, else the newest run."""
    kept = last_queue(session)
    if kept is not None:
        return kept
    runs = session.run_names()
    return (run_filter(runs[-1]) if len(runs) > 1 else "", QueueOrder.FILE)


def run_filter(run: str) -> str:
    """Write the filter for one run."""
    quoted = run.replace("\\", "\\\\").replace('"', '\\"')
    return f'run:"{quoted}"'


def _name(session: Session) -> str:
    return f"queue of {session.labeler.name}"
