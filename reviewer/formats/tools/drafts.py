"""What readers of other tools' files do alike while they make a record of ours."""

import math
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Final

from reviewer.domain.rubric import Metric
from reviewer.formats.incoming import BadRow, Incoming, Record
from reviewer.formats.paths import NUMBERS, as_text

Json = Any
"""Whatever JSON can say."""
Fields = dict[str, Json]
MOST = 1e300
NO_VALUE = "no value was given"


def kept(fields: Fields) -> Fields:
    """Leave out what says nothing: null and whatever is empty."""
    return {key: x for key, x in fields.items() if x or isinstance(x, NUMBERS)}


def named(*parts: object) -> str:
    """Name a run by what is known of it, such as task, model and time."""
    return " ".join(str(part) for part in parts if isinstance(part, str | int) and part != "")


def moment(time: Json) -> str:
    """Write a time as runs are named: to the second and without its zone."""
    return time[:19].replace("T", " ") if isinstance(time, str) else ""


def fields_of(value: Json) -> Fields:
    """Give an object, an empty one where something else stands."""
    return value if isinstance(value, dict) else {}


def entries_of(value: Json) -> list[Json]:
    """Give a list, an empty one where something else stands."""
    return value if isinstance(value, list) else []


def text_of(value: Json) -> str | None:
    """Give a value as a text; null and what is empty are none."""
    if value.__class__ is str:
        return value or None
    return None if value is None or value in ([], {}) else as_text(value)


def number_of(value: Json) -> float | None:
    """Give a finite number, None where there is none."""
    is_number = isinstance(value, NUMBERS) and not isinstance(value, bool)
    return value if is_number and abs(value) <= MOST and not math.isnan(value) else None


def made(make: Callable[[Json, int], Incoming], row: Json, line: int) -> Incoming:
    """Make a record of a row, which must be an object and not nested without end."""
    if not isinstance(row, dict):
        return BadRow(line, "", None, "an object is expected")
    try:
        return make(row, line)
    except RecursionError:
        return BadRow(line, "", None, "its values are nested too deeply to be read")


def milliseconds(seconds: Json) -> float | None:
    """Give seconds in milliseconds, without the noise of the multiplication."""
    number = number_of(seconds)
    return None if number is None else round(number * 1000, 6)


def scored(metric: str, value: Json, **known: Json) -> Fields:
    """Make an auto score; one without a value says so as its error."""
    score: Fields = {"metric": metric, "value": value} | kept(known)
    if isinstance(value, float) and not math.isfinite(value):
        score["value"] = None
    if score["value"] is None:
        score.setdefault("error", NO_VALUE)
    return score


def spread(name: str, value: Json) -> list[tuple[str, Json]]:
    """Give a metric a name for each value where it has several, in an object or a list."""
    if isinstance(value, dict):
        return [pair for key, x in value.items() for pair in spread(f"{name}.{key}", x)]
    if isinstance(value, list):
        return [pair for n, x in enumerate(value, 1) for pair in spread(f"{name}.{n}", x)]
    return [(name, value)]


LOOKED_AT: Final = 200
"""Records at the beginning that tell the scales."""


def unit_scales(items: Iterable[Incoming]) -> list[Metric]:
    """Give the metrics whose first scores all lie from 0 to 1, which is then their scale.

    For tools whose scores do so where nothing else is said: a few full marks are no 1 of 5.
    """
    lowest_highest: dict[str, tuple[float, float]] = {}
    for item in islice(items, LOOKED_AT):
        for score in item.fields.get("scores") or () if isinstance(item, Record) else ():
            value = score.get("value")
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = lowest_highest.get(score["metric"], (value, value))
                lowest_highest[score["metric"]] = min(low, value), max(high, value)
    return [
        Metric(name=name, scale="range", min=0.0, max=1.0)
        for name, (low, high) in lowest_highest.items()
        if low >= 0 and high <= 1
    ]
