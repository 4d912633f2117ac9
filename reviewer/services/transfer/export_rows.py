"""What of a record goes into an export: which scores and labels, and labels in which form."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from reviewer.domain.entries import current_labels, decisions
from reviewer.domain.scope import Scope

Fields = dict[str, Any]
Shape = Callable[[Fields], None]
MEAN = "mean"


def shaping(scope: Scope | None, form: str) -> Shape | None:
    """Give what changes a record in place before it is written, None where nothing does."""
    steps: list[Shape] = []
    if scope is not None:
        steps += _narrowing(scope)
    if form == "mean":
        steps.append(_to_means)
    elif form == "adjudicated":
        steps.append(_to_decisions)
    if not steps:
        return None

    def shape(fields: Fields) -> None:
        for step in steps:
            step(fields)

    return shape


def _narrowing(scope: Scope) -> list[Shape]:
    steps: list[Shape] = []
    if scope.metrics:
        metrics = frozenset(scope.metrics)
        steps.append(_keep("scores", lambda score: score["metric"] in metrics))
        steps.append(_keep("labels", lambda label: label["metric"] in metrics))
    if scope.scorer:
        scorer = scope.scorer
        steps.append(_keep("scores", lambda score: scorer in _scorer_names(score)))
    if scope.labelers:
        people = frozenset(scope.labelers)
        steps.append(_keep("labels", lambda label: label["labeler"] in people
                           and label.get("kind") != "adjudication"))  # fmt: skip
    if scope.blind_only:
        steps.append(_keep("labels", lambda label: label.get("blind") is True))
    return steps


def _scorer_names(score: Fields) -> tuple[str, str]:
    name = score.get("scorer") or ""
    return name, f"{name}@{score.get('scorer_version') or ''}"


def _keep(name: str, wanted: Callable[[Fields], bool]) -> Shape:
    def step(fields: Fields) -> None:
        if fields.get(name):
            _put(fields, name, [entry for entry in fields[name] if wanted(entry)])

    return step


def _put(fields: Fields, name: str, entries: list[Fields]) -> None:
    if entries:
        fields[name] = entries
    else:
        fields.pop(name, None)


def _to_means(fields: Fields) -> None:
    groups: dict[tuple[Any, ...], list[Fields]] = {}
    for label in current_labels(fields.get("labels") or ()).values():
        if label.get("kind", "label") != "label":
            continue
        groups.setdefault((label["metric"], label.get("turn")), []).append(label)
    means = [_mean(labels) for labels in groups.values()]
    _put(fields, "labels", [mean for mean in means if mean is not None])


def _mean(labels: list[Fields]) -> Fields | None:
    values = [label["value"] for label in labels]
    if any(isinstance(value, str) for value in values):
        ranked = Counter(values).most_common(2)
        if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
            return None
        value: Any = ranked[0][0]
    else:
        value = sum(values) / len(values)
    mean: Fields = {"metric": labels[0]["metric"], "labeler": MEAN, "value": value}
    if "turn" in labels[0]:
        mean["turn"] = labels[0]["turn"]
    return mean | {"aggregate": len(values)}


def _to_decisions(fields: Fields) -> None:
    _put(fields, "labels", list(decisions(fields.get("labels") or ()).values()))
