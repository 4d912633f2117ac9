"""What people said in the scope of the Audit page, for everything that compares people."""

from reviewer.services import insights_source
from reviewer.services.auditing import Audit
from reviewer.services.insights_source import Source
from reviewer.services.live_loading import held_back
from reviewer.services.session import Session


def read(session: Session, audit: Audit) -> Source:
    """Read everybody's labels beside the page's columns; call it beside the window.

    The labeler's own answers on hidden evaluations are left out while they are blind.

    Raises:
        ReviewerError: The scope names a labeler that the project does not have any more.
    """
    held = held_back(session.project, session.labeler.name) if session.blind else None
    request = audit.request
    return insights_source.people_of(
        session.project, request.scope, audit.frame.table, held=held, level=request.level
    )
