"""One line of `reviewer check`: a figure, its limit, and whether it holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Side = Literal["least", "most"]


@dataclass(frozen=True, slots=True)
class Check:
    """Hold one figure against its limit.

    Attributes:
        name: What was checked, such as `min-pass-rate` or `min-agreement accuracy kappa`.
        value: The figure; a word for a status; None where it is undefined.
        limit: What it is held to.
        n: How many evaluations, labels or cases are behind the value.
        ok: Whether it holds; an undefined value never does.
        reason: Why it does not hold or is undefined; None where it holds.
    """

    name: str
    value: float | int | str | None
    limit: float | int | str
    n: int
    ok: bool
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the entry of the document; the reason only where there is one."""
        found: dict[str, Any] = {
            "name": self.name,
            "value": self.value,
            "limit": self.limit,
            "n": self.n,
            "ok": self.ok,
        }
        return found | ({"reason": self.reason} if self.reason else {})


def held(
    name: str,
    value: float | None,
    limit: float,
    *,
    n: int,
    side: Side = "least",
    undefined: str | None = None,
) -> Check:
    """Hold a number to the least or the most that is allowed, compared on 9 decimals.

    Args:
        name: what is checked.
        value: the figure; None fails.
        limit: the least or the most; a value equal to it holds.
        n: how much is behind the value.
        side: whether the limit is the least or the most.
        undefined: why there is no value.
    """
    if value is None:
        return Check(name, None, limit, n, ok=False, reason=undefined or "it is undefined")
    exact, bound = round(value, 9), round(limit, 9)
    ok = exact >= bound if side == "least" else exact <= bound
    word = "below the least" if side == "least" else "above the most"
    reason = None if ok else f"{value:.6g} is {word} that is allowed, {limit:g}"
    return Check(name, value, limit, n, ok=ok, reason=reason)


def document(checks: Iterable[Check]) -> dict[str, Any]:
    """Give the document of `reviewer check --json`, without its schema."""
    made = list(checks)
    return {"ok": all(check.ok for check in made), "checks": [check.to_json() for check in made]}
