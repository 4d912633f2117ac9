"""Times as people read them, in the chosen format and the machine's time zone."""

from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QDateTime, QLocale

from reviewer.domain.values import parse_time


def clock(moment: datetime, style: str = "system") -> str:
    """Give the time of day with seconds; `style` is the setting `time_format`."""
    local = moment.astimezone()
    if style == "12h":
        return local.strftime("%I:%M:%S ").lstrip("0") + ("am" if local.hour < 12 else "pm")
    return local.strftime("%H:%M:%S")


def stamp(text: str | None, style: str = "system") -> str:
    """Give date and time of an ISO 8601 text; an unreadable one as it came, none as a dash."""
    if not text:
        return "—"
    try:
        local = parse_time(text).astimezone()
    except ValueError:
        return text
    if style == "iso" or QLocale().language() == QLocale.Language.C:
        return local.strftime("%Y-%m-%d %H:%M")
    if style == "12h":
        half = "am" if local.hour < 12 else "pm"
        return local.strftime("%Y-%m-%d %I:%M ") + half
    moment = QDateTime.fromSecsSinceEpoch(int(local.timestamp()))
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)


def ago(text: str, now: datetime | None = None) -> str:
    """Say how long ago something was, such as "10 min ago" or "yesterday"."""
    try:
        moment = parse_time(text)
    except ValueError:
        return ""
    present = now or datetime.now(UTC)
    days = (present.astimezone().date() - moment.astimezone().date()).days
    if days <= 0:
        return _within_a_day(present - moment)
    if days == 1:
        return "yesterday"
    if days < 7:
        return f"{days} days ago"
    if days < 14:
        return "last week"
    return f"{days // 7} weeks ago" if days < 60 else moment.astimezone().strftime("%Y-%m-%d")


def _within_a_day(passed: timedelta) -> str:
    minutes = int(passed.total_seconds() // 60)
    if minutes < 1:
        return "just now"
    return f"{minutes} min ago" if minutes < 60 else f"{minutes // 60} h ago"


def left(seconds: float | None) -> str:
    """Say how long something will take, such as "about 21 min left"; nothing where unknown."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"
