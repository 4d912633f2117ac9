"""The overall gap of some evaluations, for the rows of a list."""

from collections.abc import Sequence

from msgspec import Struct

from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.project.figure_rules import overall_rule
from reviewer.services.project.session import Session
from reviewer.stats.satisfaction import OverallRule, overall
from reviewer.store import figures, gaps


class Gathered(Struct, frozen=True):
    """The scores that overall gaps are worked out from.

    Attributes:
        runs: The runs of the labelled evaluations, by key.
        human: By evaluation and metric.
        auto: By evaluation, metric and score set.
    """

    runs: dict[int, int]
    human: dict[tuple[int, int], float]
    auto: dict[tuple[int, int, int], float]


def gather(session: Session, wanted: Sequence[int] | None) -> Gathered:
    """Read the scores of the labelled evaluations among all or the `wanted` ones."""
    project = session.project
    human = gaps.human_scores(project, wanted)
    labelled = sorted({evaluation for evaluation, _ in human})
    if not labelled:
        return Gathered({}, {}, {})
    auto = gaps.auto_scores(project, None if wanted is None else labelled)
    return Gathered(
        runs=gaps.runs_of(project, labelled),
        human=human,
        auto={(key, metric, score_set): value for key, metric, score_set, value in auto},
    )


def sources(session: Session, run: int) -> tuple[OverallRule, dict[str, tuple[int, int]]]:
    """Give the rule of a run's overall, and metric and score set in numbers by metric name."""
    rule = overall_rule(session.rubric_of_run(run), kept_options(session.project))
    known = figures.metric_keys(session.project)
    found = {}
    for part in rule.parts:
        chosen = session.chosen(run, part.name)
        found[part.name] = (known.get(part.name, 0), chosen.key if chosen else 0)
    return rule, found


def gaps_of(session: Session, wanted: Sequence[int]) -> dict[int, float]:
    """Give the overall gap, human minus auto, of the `wanted` evaluations that have one."""
    scores = gather(session, wanted)
    rules = {run: sources(session, run) for run in set(scores.runs.values())}
    found: dict[int, float] = {}
    for key, run in scores.runs.items():
        rule, places = rules[run]
        auto = {name: scores.auto.get((key, *place)) for name, place in places.items()}
        human = {name: scores.human.get((key, place[0])) for name, place in places.items()}
        gap = overall(auto, human, rule).gap if rule.parts else None
        if gap is not None:
            found[key] = gap
    return found
