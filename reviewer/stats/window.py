"""The span of evaluation dates that make deviations and band."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Window:
    """Hold the first and the last day of a span, both included; no start means no lower bound."""

    start: date | None
    end: date

    def contains(self, day: date | None) -> bool:
        """Tell whether a day lies inside; an evaluation without a date lies in every window."""
        if day is None:
            return True
        return day <= self.end and (self.start is None or day >= self.start)


def months_before(day: date, months: int) -> date:
    """Go back by calendar months, to the month's last day where the day does not exist."""
    index = day.year * 12 + day.month - 1 - months
    year, month = divmod(index, 12)
    if year < 1:
        return date.min
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def window(as_of: date, *, months: int | None = 6, days: int | None = None) -> Window:
    """Give the window that ends on a day: so many days if given, else months, else without start.

    Raises:
        ValueError: for a negative length.
    """
    if (days or 0) < 0 or (months or 0) < 0:
        raise ValueError("A window cannot have a negative length.")
    if days is not None:
        return Window(as_of - min(timedelta(days=days), as_of - date.min), as_of)
    if months is not None:
        return Window(months_before(as_of, months), as_of)
    return Window(None, as_of)
