"""What a labeler has done today, told to nobody else."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from reviewer.domain.evaluation import to_micros
from reviewer.services.project.session import Session
from reviewer.store import listing


def answered_today(session: Session, now: datetime | None = None) -> int:
    """Count the responses that the labeler answered since midnight in the project's time zone."""
    zone = ZoneInfo(session.project.setting("time_zone", "UTC"))
    moment = (now or datetime.now(UTC)).astimezone(zone)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
    since = to_micros(midnight.isoformat()) or 0
    return listing.answered_since(session.project, session.labeler.key, since)
