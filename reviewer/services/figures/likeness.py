"""Whether the scores of two runs may be held against each other: one judge, one rubric.

A difference between scores of two judges, or of one before and after its rubric changed, may be
all theirs. It is told, and it is no alarm.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.domain.rubric import Metric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.wording import listed
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.request import Covered
from reviewer.store import figures, staleness
from reviewer.store.project import Project

Kind = Literal["judge", "scorer", "prompt", "parameters", "rubric"]
"""What is otherwise about the scores of two runs."""
OTHER: Final[Mapping[Kind, str]] = {
    "judge": "another judge",
    "scorer": "another scorer",
    "prompt": "another prompt",
    "parameters": "other parameters",
    "rubric": "another rubric version",
}


@dataclass(frozen=True, slots=True)
class MadeBy:
    """Who made a metric's scores that count in a run, and for which version of the rubric."""

    version: ScorerVersion
    rubric: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Why scores of two runs are not alike.

    Attributes:
        words: What was before and is after: `another judge: deepseek-chat@v3 → vllm@2`.
    """

    kind: Kind
    words: str


def made_by(project: Project, covers: Covered, table: FigureTable) -> dict[str, MadeBy]:
    """Give who made the scores of one run, by metric; what nothing scored is left out."""
    numbers = figures.metric_keys(project)
    rubric = (covers.rubric.name, str(covers.rubric.version))
    found = {}
    for name, one in table.metrics.items():
        for record in one.records:
            if record.version is not None and record.n:
                older = staleness.made_for(
                    project,
                    covers.within,
                    metric=numbers[name],
                    score_set=record.version.key,
                    rubric=rubric,
                )
                found[name] = MadeBy(record.version, rubric[1] if older is None else older)
    return found


def parts_of(table: FigureTable) -> tuple[Metric, ...]:
    """Give the metrics that make overall and verdict."""
    names = (x.name for rule in (table.overall_rule, table.verdict_rule) for x in rule.parts)
    return tuple(table.metrics[name].metric for name in dict.fromkeys(names))


def differences(
    metrics: Iterable[Metric], before: Mapping[str, MadeBy], after: Mapping[str, MadeBy]
) -> tuple[Difference, ...]:
    """Give what is otherwise about the scores of metrics in two runs, each thing once.

    A metric that one run alone has scores of says nothing about them.
    """
    pairs = [
        (metric, before[metric.name], after[metric.name])
        for metric in metrics
        if metric.name in before and metric.name in after
    ]
    found = (_difference(metric, old, new) for metric, old, new in pairs)
    return tuple(dict.fromkeys(x for x in found if x is not None))


def unlike(
    metrics: Iterable[Metric], before: Mapping[str, MadeBy], after: Mapping[str, MadeBy]
) -> str:
    """Say why figures of metrics in two runs cannot be compared, empty where they can."""
    wanted = tuple(metrics)
    alone = [x.heading for x in wanted if (x.name in before) != (x.name in after)]
    said = [x.words for x in differences(wanted, before, after)]
    if alone and before and after:
        said.append(f"scores of {listed(alone)} on one side alone")
    return "; ".join(said)


def _difference(metric: Metric, before: MadeBy, after: MadeBy) -> Difference | None:
    old, new = before.version, after.version
    if old.key != new.key:
        kind: Kind = "scorer" if metric.scorer is not None else kind_of(old, new)
        return Difference(kind, f"{OTHER[kind]}: {old.name} → {new.name}")
    if before.rubric != after.rubric:
        return Difference("rubric", f"{OTHER['rubric']}: {before.rubric} → {after.rubric}")
    return None


def kind_of(old: ScorerVersion, new: ScorerVersion) -> Kind:
    """Tell what is otherwise about two versions of whoever judges."""
    if (old.scorer, old.model) != (new.scorer, new.model):
        return "judge"
    if (old.version, old.prompt_hash) != (new.version, new.prompt_hash):
        return "prompt"
    return "parameters"
