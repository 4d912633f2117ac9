"""What of a record goes into an export: which scores and labels, and labels in which form."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from reviewer.domain.entries import current_labels, decisions
from reviewer.domain.run import Scope
from reviewer.stats.values import combine_labels, majority

Fields = dict[str, Any]
Shape = Callable[[Fields], None]
Wanted = Callable[[Fields], bool]
MEAN: Final = "mean"
CONSENSUS: Final = "consensus"


def shaping(scope: Scope | None, form: str, is_meant: Wanted | None = None) -> Shape | None:
    """Give what changes a record in place before it is written, None where nothing does.

    Args:
        scope: Which evaluations, and of whose scores and labels.
        form: In which form labels are written.
        is_meant: Tells the scores that the scope's scorer gave.
    """
    steps: list[Shape] = []
    if scope is not None:
        steps += _narrowing(scope, is_meant)
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


def _narrowing(scope: Scope, is_meant: Wanted | None) -> list[Shape]:
    steps: list[Shape] = []
    if scope.metrics:
        metrics = frozenset(scope.metrics)
        steps += [
            _keep("scores", lambda score: score["metric"] in metrics),
            _keep("labels", lambda label: label["metric"] in metrics),
        ]
    if is_meant is not None:
        steps.append(_keep("scores", is_meant))
    if scope.labelers:
        people = frozenset(scope.labelers)
        steps.append(_keep("labels", lambda label: label["labeler"] in people
                           and label.get("kind") != "adjudication"))  # fmt: skip
    if scope.blind_only:
        steps.append(_keep("labels", lambda label: label.get("blind") is True))
    return steps


def _keep(name: str, wanted: Wanted) -> Shape:
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
        if label.get("kind", "label") == "label":
            groups.setdefault((label["metric"], label.get("turn")), []).append(label)
    means = [_mean(labels) for labels in groups.values()]
    _put(fields, "labels", [mean for mean in means if mean is not None])


def _mean(labels: list[Fields]) -> Fields | None:
    values = [label["value"] for label in labels]
    names = any(isinstance(value, str) for value in values)
    value: Any = majority(values) if names else combine_labels(values, MEAN)
    if value is None:
        return None
    mean: Fields = {"metric": labels[0]["metric"], "labeler": MEAN, "value": value}
    if "turn" in labels[0]:
        mean["turn"] = labels[0]["turn"]
    return mean | {"aggregate": len(values)}


def _to_decisions(fields: Fields) -> None:
    _put(fields, "labels", list(decisions(fields.get("labels") or ()).values()))


def keeping_fields(names: Collection[str]) -> Shape:
    """Give what leaves nothing of a record but some keys, and where it belongs."""
    kept = {"id", "run", *names}

    def step(fields: Fields) -> None:
        for name in fields.keys() - kept:
            del fields[name]

    return step


def to_consensus(rows: Iterable[Fields]) -> Shape:
    """Give what puts in the place of labels what people say together."""
    said: dict[tuple[str, str], list[Fields]] = {}
    for row in rows:
        if row["value"] is not None:
            said.setdefault((row["run"], row["id"]), []).append(
                {
                    "metric": row["metric"],
                    "labeler": CONSENSUS,
                    "value": row["value"],
                    "aggregate": row["n"],
                }
            )

    def step(fields: Fields) -> None:
        _put(fields, "labels", said.get((fields["run"], fields["id"]), []))

    return step
