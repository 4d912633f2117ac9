"""What leads saw of the judge outside of labelling, so that no later label of theirs is blind."""

from collections.abc import Sequence

from reviewer.services.project import writing
from reviewer.services.project.session import Session


def note_seen(session: Session, evaluations: Sequence[int]) -> int:
    """Record that auto scores of evaluations stood before a lead; gives of how many that is new.

    It is no act of labelling: undo passes it by. In a session that hides what is to be labelled
    there is nothing to record, as nothing was shown.
    """
    if not session.sees_all or session.project.read_only:
        return 0
    with session.project.write():
        action = writing.begin(session)
        for key in evaluations:
            state = action.state(key)
            if not (state.complete or state.revealed):
                action.reveal(key, "led")
    writing.finish(action)
    return len(action.changes)
