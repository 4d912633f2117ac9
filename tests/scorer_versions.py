"""The scorer versions that scores of records belong to, as a project finds them."""

import json
from collections.abc import Iterable
from typing import Any

from reviewer.domain.run import ScorerVersion, telling, told_apart

Identity = tuple[str | None, ...]


def identity(score: dict[str, Any]) -> Identity:
    """Everything that makes the version of a score."""
    kept = telling(score.get("parameters"))
    return (
        score.get("scorer") or "",
        score.get("scorer_version") or None,
        score.get("model") or None,
        score.get("prompt_hash") or None,
        None if kept is None else json.dumps(kept, ensure_ascii=False),
    )


def counts(score: dict[str, Any]) -> bool:
    """Whether a score may be the one of its evaluation that counts."""
    return score["value"] is not None and score.get("turn") is None and not score.get("error")


def versions(scores: Iterable[dict[str, Any]]) -> dict[Identity, ScorerVersion]:
    """The versions of scores, told apart where they scored one metric."""
    made: dict[Identity, ScorerVersion] = {}
    scored: dict[int, frozenset[Any]] = {}
    for score in scores:
        whose = identity(score)
        names = ("scorer", "version", "model", "prompt_hash", "parameters")
        one = made.setdefault(
            whose,
            # mypy: an identity holds what its names say
            ScorerVersion(key=len(made), **dict(zip(names, whose, strict=True))),  # type: ignore[arg-type]
        )
        metrics = {score["metric"]} if counts(score) else set[Any]()
        scored[one.key] = scored.get(one.key, frozenset()) | metrics
    return dict(zip(made, told_apart([*made.values()], scored.__getitem__), strict=True))
