"""The conditions of a rubric's targets and advice: "> 4.0", ">= 0.6 and <= 0.8", "cost > 1"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from reviewer.domain.errors import RubricError

_BOUND: Final = re.compile(r"\s*(>=|<=|==|=|>|<)\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*")
_CONDITION: Final = re.compile(r"^\s*(\w+)\s*(>=|<=|==|=|>|<)\s*(\S+)\s*$")


@dataclass(frozen=True, slots=True)
class Bound:
    """One comparison with a number, made on 9 decimals."""

    sign: str
    limit: float

    def holds(self, value: float) -> bool:
        """Tell whether a value keeps to it."""
        exact, limit = round(value, 9), round(self.limit, 9)
        match self.sign:
            case ">=":
                return exact >= limit
            case "<=":
                return exact <= limit
            case ">":
                return exact > limit
            case "<":
                return exact < limit
            case _:
                return exact == limit


def bounds_of(name: str, target: JsonValue) -> tuple[Bound, ...]:
    """Read a target; a bare number is the least that is wanted.

    Raises:
        RubricError: where it is neither a number nor comparisons joined by "and".
    """
    if isinstance(target, int | float) and not isinstance(target, bool):
        return (Bound(">=", float(target)),)
    parts = re.split(r"\band\b", target) if isinstance(target, str) else [""]
    found = [_BOUND.fullmatch(part) for part in parts]
    if not all(found):
        raise RubricError(
            f'[targets] {name}: {target!r} was found, a comparison like ">= 0.8" or '
            '">= 0.6 and <= 0.8" is expected'
        )
    return tuple(Bound(match[1], float(match[2])) for match in found if match)


@dataclass(frozen=True, slots=True)
class Condition:
    """A figure of a case and the bound from which advice is due."""

    name: str
    bound: Bound


def condition_of(text: str, marks: Mapping[str, float]) -> Condition | None:
    """Read an advice's `when`; None for a plain name such as repeats_differ.

    Args:
        text: a name, a comparison sign, and a number or `pass_at`.
        marks: the pass marks by metric that `pass_at` stands for.
    """
    match = _CONDITION.match(text)
    if match is None:
        return None
    name, sign, limit = match.groups()
    if limit == "pass_at":
        return Condition(name, Bound(sign, marks[name])) if name in marks else None
    try:
        return Condition(name, Bound(sign, float(limit)))
    except ValueError:
        return None
