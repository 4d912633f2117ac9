"""Nothing may be worse than in an earlier run on the same cases."""

from collections.abc import Iterator, Mapping
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.checks.check import Check, held
from reviewer.services.checks.limits import Limits
from reviewer.services.covered import covered
from reviewer.services.evaluating import comparing
from reviewer.services.evaluating.sides import Side
from reviewer.services.session import Session


def checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    """Compare the newest run in scope with the baseline, on the cases that both have.

    Raises:
        ReviewerError: There is no such run, it is the run itself, or a drop is bounded without it.
    """
    if limits.baseline is None:
        if limits.max_drop is not None:
            raise ReviewerError("--max-drop needs --baseline RUN, the run to compare with.")
        return
    covers = covered(session.project, scope)
    others = [run for run in covers.runs if run != limits.baseline]
    if not others:
        raise ReviewerError(f"There is no run to compare with the baseline {limits.baseline!r}.")
    before, after = Side(limits.baseline, scope.scorer), Side(others[-1], scope.scorer)
    found = comparing.compare(session, before, after).to_json()
    if limits.max_drop is not None:
        yield from _drops(found, covers.rubric, limits.max_drop)


def _drops(found: Mapping[str, Any], rubric: Rubric, most: float) -> Iterator[Check]:
    verdicts = found["pass"]
    if verdicts["reason"] is None:
        yield held(
            "max-drop pass_rate",
            _drop(verdicts["rate_a"], verdicts["rate_b"]),
            most,
            n=verdicts["n"],
            side="most",
            undefined="no case has a verdict in both runs",
        )
    for name, pair in found["metrics"].items():
        metric = rubric.by_name[name]
        if metric.scale == "measure" or pair["scorer_a"] is pair["scorer_b"] is None:
            continue
        drop = _drop(pair["mean_a"], pair["mean_b"])
        yield held(
            f"max-drop {name}",
            drop if metric.higher_is_better or drop is None else -drop,
            most,
            n=pair["n"],
            side="most",
            undefined="no case has a score in both runs",
        )


def _drop(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else before - after
