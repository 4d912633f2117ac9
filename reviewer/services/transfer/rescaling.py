"""Scores and labels that state the ends of their own scale, brought to the rubric's."""

from collections import Counter
from typing import Any, Final

from reviewer.domain.evaluation import as_written
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import brief, counted
from reviewer.formats.incoming import Fields

THREE: Final = frozenset({1.0, 2.0, 3.0})
FIVE: Final = (1.0, 5.0)
ENOUGH: Final = 20
"""Scores from which on it is remarkable that none lies above 3 of 5."""
Ends = tuple[float, float]


class Rescaling:
    """Bring values to the scale of their metric, and remember which scales were met."""

    def __init__(self, rubric: Rubric) -> None:
        """Bring to the scales of a rubric."""
        self._metrics = rubric.by_name
        self._brought: Counter[tuple[Ends, Ends]] = Counter()
        self._seen: Counter[float] = Counter()

    def record(self, fields: Fields) -> None:
        """Move the values of a record's scores and labels that state `min` and `max`.

        What was stated stands in the entry's `meta`, so that nothing is moved twice.
        """
        for name in ("scores", "labels"):
            for entry in fields.get(name) or ():
                metric = self._metrics.get(entry["metric"])
                if metric is None or not _is_number(entry.get("value")):
                    continue
                if "max" in entry and "min" in entry:
                    self._move(entry, metric)
                elif name == "scores" and metric.bounds == FIVE:
                    self._seen[entry["value"]] += 1

    def _move(self, entry: Fields, metric: Metric) -> None:
        low, high = entry["min"], entry["max"]
        if not (_is_number(low) and _is_number(high) and low < high) or metric.bounds is None:
            return
        if not low <= entry["value"] <= high or (low, high) == metric.bounds:
            return
        start, end = metric.bounds
        stated = {"value": entry["value"], "min": entry.pop("min"), "max": entry.pop("max")}
        moved = start + (entry["value"] - low) * (end - start) / (high - low)
        entry["value"] = as_written(moved)
        known = entry.get("meta")
        entry["meta"] = {**(known if isinstance(known, dict) else {}), "stated": stated}
        self._brought[(low, high), (start, end)] += 1

    @property
    def sentences(self) -> list[str]:
        """Say what was brought from which scale to which, or what looks like another scale."""
        said = [
            f"{counted(count, 'value')} from {_ends(was)} {'was' if count == 1 else 'were'} "
            f"brought to {_ends(now)}, as stated beside {'it' if count == 1 else 'them'}."
            for (was, now), count in self._brought.items()
        ]
        if not said and self._seen.total() >= ENOUGH and self._seen.keys() == THREE:
            said.append(
                f"All {self._seen.total():,} scores are 1, 2 or 3, where the rubric has 1 to 5. "
                'If their scale has three points, state it: "min": 1, "max": 3 beside each, or '
                "scale = { from = [1, 3], to = [1, 5] } in a mapping brings them to five."
            )
        return said


def _ends(ends: Ends) -> str:
    return f"{brief(ends[0])}–{brief(ends[1])}"


def _is_number(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, int | float) and not isinstance(value, bool)
