"""Calendar days in the project's time zone, never the machine's."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.stats.deviations import Window, window
from reviewer.store.figures import UNDATED
from reviewer.store.project import Project

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)


def zone_name(project: Project) -> str:
    """Give the name of the project's time zone."""
    return project.setting("time_zone", "UTC")


def zone_of(name: str) -> tzinfo:
    """Give a time zone by its name.

    Raises:
        ReviewerError: The machine knows no such zone.
    """
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ReviewerError(
            f"The project's time zone {name!r} is not known here; set one such as UTC or "
            "Europe/Berlin."
        ) from error


def today(zone: tzinfo) -> date:
    """Give the present day in a time zone."""
    return datetime.now(zone).date()


def day_of(micros: int, zone: tzinfo) -> date | None:
    """Give the day of a moment in microseconds since 1970 UTC; None for `UNDATED`."""
    if micros == UNDATED:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=micros)).astimezone(zone).date()
    except OverflowError:
        return None


def asked_window(project: Project, scope: Scope) -> tuple[Window, tzinfo] | None:
    """Give the window that a scope puts on every figure, and its time zone; None without one.

    Raises:
        ReviewerError: The machine does not know the project's time zone.
    """
    months = scope.window_months
    if months is None or months is UNSET:
        return None
    zone = zone_of(zone_name(project))
    return window(scope.as_of or today(zone), months=months), zone


def inside(dates: NDArray[np.int64], span: Window, zone: tzinfo) -> NDArray[np.bool_]:
    """Tell which moments lie on the days of a window; those without a date lie in every one."""
    first, after = ends(span, zone)
    found = dates < after
    if first is not None:
        found &= dates >= first
    return np.asarray(found | (dates == UNDATED))


def ends(span: Window, zone: tzinfo) -> tuple[int | None, int]:
    """Give the first moment of a window, None for no bound, and the first after it."""
    first = None if span.start is None else _start(span.start, zone)
    return first, _start(span.end, zone, days=1)


def _start(day: date, zone: tzinfo, days: int = 0) -> int:
    if day >= date.max - days * _DAY:
        return 2**62
    if day <= date.min + _DAY:
        return UNDATED + 1
    return (datetime.combine(day + days * _DAY, time(), zone) - _EPOCH) // _MICROSECOND
