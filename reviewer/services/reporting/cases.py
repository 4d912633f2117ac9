"""The cases of a scope with the one score a metric that counts, and the targets that they meet.

Texts are read in blocks; targets and patterns come from columns, and no text is read for them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.evaluation import Evaluation, Label, Score, Value
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted
from reviewer.reports.cases import Judgement, Lagging, RunCases, ScoredCase, scored_case, share
from reviewer.reports.report import Wanted, marks_of, with_pass_mark
from reviewer.reports.targets import (
    RESULT_WORDS,
    PatternRule,
    Target,
    TargetResult,
    count_targets,
    judge_targets,
    most_failed,
    pattern_rules,
    titled,
    without,
)
from reviewer.reports.wording import figure, percent, signs, spaced
from reviewer.scoring.scorer import Case
from reviewer.services.audits import families
from reviewer.services.comparing.comparison import RunColumns, run_columns
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import HeldBack, held_now, read_scores
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, MetricTable, derived, given, under
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.request import Covered, choices, covered
from reviewer.services.figures.statistics_pass import Selected, corrected_figures, why_no_verdict
from reviewer.services.figures.statistics_stale import behind
from reviewer.services.project.figure_rules import Derivation, derivations, value_of
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.stats.clustering import NO_QUANTITY, Quantity, mean_of, share_of
from reviewer.stats.coefficients import kappa
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.overall_columns import FAIL, OPEN, PASS, Verdicts
from reviewer.stats.satisfaction import Verdict
from reviewer.store import evaluation_columns, figures, labels, reading
from reviewer.store.project import Project
from reviewer.store.scoping import Condition

BLOCK = 250


@dataclass(frozen=True, slots=True)
class ReadCases:
    """Reads cases with the one score a metric that counts in a table of columns."""

    project: Project
    table: FigureTable

    def read(self, keys: Sequence[int]) -> Iterator[ScoredCase]:
        """Read the cases of evaluations, in the order of their keys."""
        ways = derivations(self.table.rubric)
        sets = {name: _sets(one) for name, one in self.table.metrics.items()}
        for start in range(0, len(keys), BLOCK):
            block = keys[start : start + BLOCK]
            scores = reading.counted_scores(self.project.conn, block)
            for found in reading.evaluations(self.project.conn, block):
                own = [
                    x for x, score_set in scores[found.key] if _counts(sets, x, found, score_set)
                ]
                yield scored_case(found, [*own, *self._derived(found, ways)])

    def labels(self, key: int) -> tuple[Label, ...]:
        """Read people's current labels of an evaluation."""
        return tuple(entry.label for entry in labels.current(self.project.conn, key))

    def humans(self, key: int) -> dict[str, Value]:
        """Give the human scores of an evaluation, those that people gave."""
        place = int(np.searchsorted(self.table.keys, key))
        found = {}
        for name, one in self.table.metrics.items():
            value = value_of(one.metric, float(one.human.score[place]))
            if value is not None and not one.derived_human[place]:
                found[name] = value
        return found

    def _derived(self, evaluation: Evaluation, ways: Mapping[str, Derivation]) -> Iterator[Score]:
        """Give scores that follow from others, where an evaluation has none of its own."""
        place = int(np.searchsorted(self.table.keys, evaluation.key))
        for name, way in ways.items():
            metric = self.table.metrics[name]
            if metric.derived_auto[place]:
                parts = (self.table.metrics[part].metric.heading for part in way.parts)
                yield Score(
                    metric=name,
                    value=float(metric.auto[place]),
                    reasoning=f"Derived: {way.way.replace('_', ' ')} of {', '.join(parts)}.",
                )


def _sets(metric: MetricTable) -> dict[str, int]:
    """Give the score set whose scores count by run; under `""` one that counts in all of them."""
    if metric.score_set is not None:
        return {"": metric.score_set}
    return {x.run: x.version.key for x in metric.records if x.version is not None}


def _counts(
    sets: Mapping[str, Mapping[str, int]], score: Score, found: Evaluation, score_set: int
) -> bool:
    mine = sets.get(score.metric, {})
    return mine.get("", mine.get(found.run)) == score_set


def read(project: Project, wanted: Wanted) -> RunCases:
    """Read the cases of a scope.

    Raises:
        ReviewerError: The scope names something that is not there, or the mark does not fit.
    """
    return read_both(project, wanted)[0]


def read_both(project: Project, wanted: Wanted) -> tuple[RunCases, ReadCases]:
    """Read the cases of a scope; from the second part single ones are read again, by key.

    Raises:
        ReviewerError: The scope names something that is not there, or the mark does not fit.
    """
    scope, only = wanted.scope, wanted.only
    with figures.snapshot(project):
        covers = covered(project, scope)
        rubric = with_pass_mark(covers.rubric, wanted.passing)
        table = with_sets(
            project,
            figure_table.load(
                project,
                scope,
                rubric=covers.rubric,
                within=covers.within,
                options=_options(project, wanted, rubric),
            ),
            wanted.sets or {},
        )
        columns = {
            name: _scores(name, one.auto)
            for name, one in table.metrics.items()
            if one.metric.is_numeric
        }
        every = _cases(project, covers.within, columns)
        cases = tuple(x for x in every if only is None or x.case.key in only)
        lagging = behind(project, covers, table.metrics.values())
    keys = tuple(case.case.key for case in cases)
    marked, whole = under(table, rubric, table.options), ReadCases(project, table)
    found = RunCases(
        rubric=rubric,
        runs=covers.runs,
        left_out=covers.left_out,
        keys=keys,
        cases=cases,
        scorers={name: one.scorer for name, one in table.metrics.items()},
        judged=tuple(judged(marked, keys)),
        figures=score_figures(marked, keys),
        whole=whole,
        lagging=tuple(Lagging(x.what, x.reason, x.n, x.text) for x in lagging),
        contradictions=families.contradictions(project, table),
    )
    return found, whole


def _options(project: Project, wanted: Wanted, rubric: Rubric) -> DeviationOptions:
    if wanted.preset is None and not wanted.options:
        return kept_options(project, rubric)
    chosen = choices(project, wanted.scope, rubric, preset=wanted.preset, options=wanted.options)
    return chosen.options


def with_sets(project: Project, table: FigureTable, sets: Mapping[str, int]) -> FigureTable:
    """Let score sets count that do not by themselves."""
    numbers = figures.metric_keys(project)
    versions = {x.key: x.name for x in figures.scorer_versions(project)}
    own = given(table)
    found = dict(own.metrics)
    for name, chosen in sets.items():
        one = found.get(name)
        if one is not None and one.score_set != chosen:
            auto = read_scores(project, one.metric, numbers[name], chosen).at(table.keys)
            found[name] = replace(one, auto=auto, score_set=chosen, scorer=versions[chosen])
    return derived(replace(own, metrics=found))


def _scores(metric: str, values: Floats) -> list[Score | None]:
    """Make scores of numbers; evaluations with the same number share one."""
    distinct, places = np.unique(values, return_inverse=True)
    made = [None if x != x else Score(metric=metric, value=x) for x in distinct.tolist()]  # noqa: PLR0124
    return [made[place] for place in places.tolist()]


def _cases(
    project: Project, within: Condition, columns: Mapping[str, list[Score | None]]
) -> Iterator[ScoredCase]:
    for place, (key, ident, run, case, category, *how) in enumerate(
        evaluation_columns.read_operating_named(project, within)
    ):
        latency, cost, cache, matched, substituted = how
        yield ScoredCase(
            Case(
                key=key,
                id=ident,
                run=run,
                case=case,
                category=category,
                latency_ms=_number(latency),
                cost_usd=_number(cost),
                cache=cache if isinstance(cache, str) else None,
                template_matched=_truth(matched),
                direct_substitution=_truth(substituted),
            ),
            {name: score for name, scores in columns.items() if (score := scores[place])},
        )


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) else None


def _truth(value: object) -> bool | None:
    return bool(value) if value in (0, 1) else None


def judged(table: FigureTable, keys: Sequence[int]) -> list[Judgement]:
    """Give the judge's overall and verdict of evaluations of a table."""
    places = np.searchsorted(table.keys, np.array(keys, dtype=np.int64))
    overall, verdicts = table.auto_overall()[places].tolist(), table.auto_verdicts()[places]
    return [
        (None if math.isnan(value) else value, _NAMES[code])
        for value, code in zip(overall, verdicts.tolist(), strict=True)
    ]


_NAMES: Final[dict[int, Verdict]] = {PASS: "pass", FAIL: "fail", OPEN: "incomplete"}


def score_figures(table: FigureTable, keys: Sequence[int] | None = None) -> dict[str, Quantity]:
    """Give the figures of scores and verdicts, over all evaluations of a table or over some."""
    inside = np.ones(table.keys.size, dtype=np.bool_)
    if keys is not None:
        inside = np.isin(table.keys, np.array(keys, dtype=np.int64))
    clusters = None if table.clusters is None else table.clusters[inside]
    columns = {name: one.auto[inside] for name, one in table.metrics.items()}
    columns["overall"] = table.auto_overall()[inside]
    found = {name: mean_of(values, clusters) for name, values in columns.items()}
    if why_no_verdict(table) is not None:
        return found | {"percent": NO_QUANTITY, "kappa": NO_QUANTITY}
    auto, human = table.auto_verdicts(), table.human_verdicts()
    both = Selected(table.selection, table.options.selection).counted(auto, human)[inside]
    auto, human, n = auto[inside], human[inside], int(np.count_nonzero(both))
    return found | {
        "pass_rate": share_of(auto == PASS, auto != OPEN, clusters),
        "percent": share_of(auto == human, both, clusters),
        "kappa": Quantity(_kappa(auto[both], human[both]) if n else None, n),
    }


def _kappa(auto: Verdicts, human: Verdicts) -> float | None:
    counts = np.array(
        [[float(((human == x) & (auto == y)).sum()) for y in (FAIL, PASS)] for x in (FAIL, PASS)]
    )
    value = float(kappa(counts[None], np.array([[0.0, 1.0], [1.0, 0.0]])).value[0])
    return value if np.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class KeyedPattern:
    """One pattern.

    Attributes:
        n: Evaluations that carry the figure.
        keys: Those that show the pattern.
        hidden: Those of `keys` whose scores the active labeler may not see yet.
    """

    rule: PatternRule
    n: int
    keys: tuple[int, ...]
    hidden: frozenset[int] = frozenset()


def of_columns(table: FigureTable, columns: RunColumns) -> Iterator[KeyedPattern]:
    """Look for low scores, high latency and high cost, in the order of the report."""
    for rule in pattern_rules(table.rubric, marks_of(table.rubric)):
        if rule.judged:
            values = table.metrics[rule.figure].auto
        else:
            values = columns.latency if rule.figure == "latency_ms" else columns.cost
        yield KeyedPattern(rule, *rule.showing(table.keys.tolist(), values.tolist()))


def look_first(table: FigureTable, pass_rate: float | None) -> str:
    """Say where to look where the pass rate is low; empty where it is not."""
    rubric, failed = table.rubric, table.auto_verdicts() == FAIL

    def below(name: str, mark: float) -> int:
        return int((table.metrics[name].auto[failed] < mark - 1e-9).sum())

    most = most_failed(pass_rate, rubric, marks_of(rubric), below)
    if most is None:
        return ""
    metric, n, text = most
    title = rubric.by_name[metric].heading
    return f"{title} fails most: in {n:,} of {int(failed.sum()):,} fails. {text}".strip()


@dataclass(frozen=True, slots=True)
class Performed:
    """How a scope stands: its rubric's targets, and how its responses came about, in columns.

    Attributes:
        look: Where to look first, empty unless the pass rate is low.
    """

    rubric: str
    targets: tuple[Target, ...]
    columns: RunColumns
    patterns: tuple[KeyedPattern, ...] = ()
    look: str = ""

    @property
    def counted(self) -> str:
        """Count the targets in one line: 5 reached, 2 missed, 1 cannot be said."""
        return count_targets(self.targets)


def of_run(session: Session, run: str) -> Performed:
    """Hold a run to its rubric's targets, as the active labeler may see it.

    Raises:
        ReviewerError: There is no such run, or a target is no comparison.
    """
    found = of_scope(session.project, Scope(runs=(run,)), held_now(session))
    judged = {key for pattern in found.patterns if pattern.rule.judged for key in pattern.keys}
    hidden = hidden_among(session, judged)
    return replace(
        found,
        patterns=tuple(
            replace(x, hidden=hidden.intersection(x.keys)) if x.rule.judged else x
            for x in found.patterns
        ),
    )


def of_scope(project: Project, scope: Scope, held: HeldBack | None = None) -> Performed:
    """Hold a scope to its rubric's targets, without the answers that are held back.

    Raises:
        ReviewerError: The scope names something that is not there, or a target is no comparison.
    """
    with figures.snapshot(project):
        found = covered(project, scope)
        table = figure_table.load(
            project,
            scope,
            rubric=found.rubric,
            within=found.within,
            options=kept_options(project, found.rubric),
            held=held,
        )
        return of_table(project, found, table)


def of_table(project: Project, found: Covered, table: FigureTable) -> Performed:
    """Hold columns that were read already to their rubric's targets.

    Raises:
        ReviewerError: A target is no comparison.
    """
    columns = run_columns(project, found)
    known = columns.operations.figures() | score_figures(table)
    rubric = table.rubric
    return Performed(
        rubric=rubric.name,
        targets=judge_targets(
            rubric,
            known,
            {
                name: Quantity(one.mean, one.n, one.low, one.high)
                for name, one in corrected_figures(table).items()
            },
        ),
        columns=columns,
        patterns=tuple(of_columns(table, columns)),
        look=look_first(table, known["pass_rate"].value if "pass_rate" in known else None),
    )


@dataclass(frozen=True, slots=True)
class TargetRow:
    """One target as a line.

    Attributes:
        sentence: It stands alone, with n.
    """

    name: str
    title: str
    wanted: str
    value: str
    n: str
    corrected: str
    ends: str
    result: TargetResult
    words: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PatternRow:
    """One failure pattern as a line.

    Attributes:
        keys: The evaluations that show it, as far as their scores may be seen.
        hidden: How many more show it.
        sentence: It stands alone, with n.
    """

    title: str
    count: str
    share: str
    advice: str
    keys: Sequence[int]
    hidden: int
    sentence: str


def target_rows(found: Performed) -> list[TargetRow]:
    """Give a line a target, in the rubric's order."""
    rows = []
    for target in found.targets:
        title, wanted = target.title, signs(target.target)
        value = spaced(figure(target.value, target.name))
        corrected = target.corrected
        better = "" if corrected is None else spaced(figure(corrected.value, target.name))
        ends = "" if corrected is None else _ends(corrected, target.name)
        beside = f", corrected {better} ({ends})" if better else ""
        why = f": {target.reason}" if target.reason else ""
        rows.append(
            TargetRow(
                name=target.name,
                title=title,
                wanted=wanted,
                value=value,
                n=f"{target.n:,}",
                corrected=better,
                ends=ends,
                result=target.result,
                words=RESULT_WORDS[target.result],
                sentence=f"{title} {value} (n {target.n:,}){beside}; the target {wanted} "
                f"{_SAID[target.result]}{why}.",
            )
        )
    return rows


_SAID: Final = {
    "reached": "is reached",
    "missed": "is missed",
    "cannot be said": "cannot be said",
}


def _ends(found: Quantity, name: str) -> str:
    low, high = (spaced(figure(end, name)) for end in (found.low, found.high))
    return f"{low.removesuffix(' %')} – {high}"


def pattern_rows(found: Performed) -> list[PatternRow]:
    """Give a line a pattern that any evaluation shows."""
    rows = []
    for pattern in found.patterns:
        n = len(pattern.keys)
        title, part = titled(pattern.rule.name), spaced(percent(share(n, pattern.n)))
        if n:
            rows.append(
                PatternRow(
                    title=title,
                    count=f"{n:,} of {pattern.n:,}",
                    share=part,
                    advice=without(pattern.rule.advice, title),
                    keys=tuple(key for key in pattern.keys if key not in pattern.hidden),
                    hidden=len(pattern.hidden),
                    sentence=f"{title.capitalize()} ({pattern.rule.bound.words}) in {n:,} of "
                    f"{counted(pattern.n, 'response')}, {part}.",
                )
            )
    return rows
