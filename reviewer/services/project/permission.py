"""Who may decide: the leads of a project, and everybody where it has none."""

from reviewer.domain.errors import LabelError
from reviewer.services.project.session import Session
from reviewer.store import labelers


def may_lead(session: Session) -> bool:
    """Tell whether the active labeler may decide, exclude and send back."""
    leads = {person.name for person in session.labelers() if person.role == "lead"}
    return session.labeler.name in leads or not labelers.is_led(session.project.conn)


def require_lead(session: Session, what: str) -> None:
    """Refuse what only a lead may do, such as "decide".

    Raises:
        LabelError: The active labeler is not a lead, and the project has one.
    """
    if may_lead(session):
        return
    leads = [person.name for person in session.labelers() if person.role == "lead"]
    verb = "leads" if len(leads) == 1 else "lead"
    raise LabelError(
        f"Only a lead can {what}; {' and '.join(leads[:3])} {verb} this project. "
        "Switch the labeler, or flag the response instead."
    )
