"""Which queue a labeler worked on last, kept in the project so that the next day begins there."""

import json
from collections.abc import Sequence

from reviewer.domain.errors import ReviewerError
from reviewer.domain.filter_tree import quote
from reviewer.services.listing.listing import QueueOrder, rows
from reviewer.services.project.session import Session


def last_queue(session: Session) -> tuple[str, QueueOrder] | None:
    """Give filter and order of the labeler's last queue, None where there is none."""
    try:
        kept = json.loads(session.project.setting(_name(session)) or "null")
        return str(kept["filter"]), QueueOrder(kept["order"])
    except (ValueError, TypeError, KeyError):
        return None


def last_given(session: Session) -> str | None:
    """Give the name of the queue for people that the labeler worked on, None after a filter."""
    try:
        return str(json.loads(session.project.setting(_name(session)) or "null")["given"])
    except (ValueError, TypeError, KeyError):
        return None


def keep_queue(
    session: Session, filter_text: str, order: QueueOrder, given: str | None = None
) -> None:
    """Remember the labeler's queue; a project that cannot be written forgets it silently.

    `given` is the name of a queue for people; filter and order are what they come back to.
    """
    if last_queue(session) == (filter_text, order) and last_given(session) == given:
        return
    fields = {"filter": filter_text, "order": order.value}
    if given is not None:
        fields["given"] = given
    kept = json.dumps(fields, ensure_ascii=False)
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


def some_filter(session: Session, keys: Sequence[int]) -> str:
    """Write the filter for a few evaluations."""
    return " OR ".join(
        f"({run_filter(row.run)} id:{quote(row.id)})" for row in rows(session, keys)
    )


def run_filter(run: str) -> str:
    """Write the filter for one run."""
    quoted = run.replace("\\", "\\\\").replace('"', '\\"')
    return f'run:"{quoted}"'


def _name(session: Session) -> str:
    return f"queue of {session.labeler.name}"
