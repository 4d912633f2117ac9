"""Pass and fail by the rubric's rule: rates, the judge as a classifier, the corrected rate.

A golden set named for a scope says what the judge's known errors make of its other verdicts:

golden = read_golden(project, "tag:gold", table)
golden_block(table, golden).corrected
"""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.domain.wording import percent
from reviewer.scoring.overall import part_of
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import HeldBack, conversations
from reviewer.services.figures.figure_table import FigureTable, MetricTable, with_metrics
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.figures.request import Choices, covered
from reviewer.services.figures.selection import Selection
from reviewer.services.figures.statistics_blocks import Cells, Correction, GoldenBlock, PassBlock
from reviewer.services.figures.statistics_corrected import (
    Verdicts,
    Ways,
    best_ways,
    metric_correction,
    pass_correction,
)
from reviewer.services.figures.statistics_words import (
    BY_CHANCE,
    BY_VERDICT,
    joined,
    selection_note,
)
from reviewer.services.project.figure_rules import verdict_rule
from reviewer.stats.clustering import share_interval
from reviewer.stats.deviations import PUBLISHED
from reviewer.stats.intervals import (
    BY_LEVEL,
    INTERVALS_FROM,
    Chances,
    Interval,
    IntervalPolicy,
    Weights,
    weights_of,
)
from reviewer.stats.overall_columns import FAIL, OPEN, PASS, verdict_columns
from reviewer.stats.passfail import (
    GoldenSet,
    PassFail,
    by_conversation,
    drawn_pass_fail,
    rogan_gladen,
    verdict_evidence,
)
from reviewer.stats.rates import OF_VERDICTS
from reviewer.stats.reasons import NO_MARK, NO_RULE
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import SelectionRule
from reviewer.store import figures
from reviewer.store.project import Project

NO_AUTO = "no evaluation has every auto score that the verdict needs"
NO_HUMAN = "no evaluation has every label that the verdict needs"


@dataclass(frozen=True, slots=True)
class PassingShare:
    """How many evaluations have a verdict, and how many of them pass."""

    n: int
    passed: int

    @property
    def rate(self) -> float | None:
        """Give the pass rate, None where nothing has a verdict."""
        return self.passed / self.n if self.n else None


def passing_share(verdicts: Verdicts) -> PassingShare:
    """Count what passes among the evaluations that have a verdict."""
    return PassingShare(
        int(np.count_nonzero(verdicts != OPEN)), int(np.count_nonzero(verdicts == PASS))
    )


def pass_block(table: FigureTable, policy: IntervalPolicy, selection: SelectionRule) -> PassBlock:
    """Work out the figures of pass and fail over every evaluation in scope."""
    why = why_no_verdict(table)
    if why:
        return no_verdicts(why)
    ways = best_ways(
        [table.metrics[part.name].human for part in table.verdict_rule.parts], table.clusters
    )
    auto, human = table.auto_verdicts(), table.human_verdicts()
    return block_of(auto, human, ways, policy, Selected(table.selection, selection))


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """How evaluations were chosen, and which of them are asked for."""

    found: Selection
    rule: SelectionRule

    def at(self, rows: Ints | Flags) -> "Selected":
        """Give some of the evaluations."""
        return Selected(self.found.at(rows), self.rule)

    def counted(self, auto: Verdicts, human: Verdicts) -> Flags:
        """Tell which evaluations count in what judge and people say of the same ones."""
        return np.asarray((auto != OPEN) & (human != OPEN) & ~self.found.left_out(self.rule))


def metric_pass_fail(
    whole: FigureTable, table: MetricTable, made_by: Choices
) -> tuple[PassFail | None, int]:
    """Hold the judge to people by one metric's pass mark, and count what people fail by it.

    None without a mark.
    """
    metric = table.metric
    if metric.pass_at is None or not metric.is_numeric:
        return None, 0
    rule = OverallRule(parts=(part_of(metric),), passing="every")
    auto, human = (
        verdict_columns({metric.name: x}, rule) for x in (table.auto, table.human.score)
    )
    selected = Selected(whole.selection, made_by.options.selection)
    counted = selected.counted(auto, human)
    mine = selected.at(counted)
    found = _classified(auto, human, whole.clusters, (counted, mine), made_by.policy)
    return found, int((human[counted] == FAIL).sum())


def corrected_figures(table: FigureTable, level: float = 0.95) -> dict[str, Correction]:
    """Give what people's labels make of the figures that the rubric has targets for."""
    targets = table.rubric.targets
    found = {
        name: metric_correction(table.metrics[name], level, table.clusters)
        for name in targets
        if name in table.metrics
    }
    if "pass_rate" in targets and why_no_verdict(table) is None:
        parts = [table.metrics[part.name].human for part in table.verdict_rule.parts]
        verdicts = (table.auto_verdicts(), table.human_verdicts())
        found["pass_rate"] = pass_correction(*verdicts, best_ways(parts, table.clusters), level)
    return {name: one for name, one in found.items() if one.mean is not None}


def no_verdicts(why: str) -> PassBlock:
    """Give a block without any figure, and why there is none."""
    undefined: dict[str, str] = dict.fromkeys(("auto_rate", "human_rate", *OF_VERDICTS), why)
    return PassBlock(
        n_auto=0,
        n_human=0,
        auto_rate=None,
        human_rate=None,
        figures=PassFail(n=0),
        corrected=Correction(reason=why),
        undefined=undefined,
    )


def block_of(
    auto: Verdicts, human: Verdicts, ways: Ways, policy: IntervalPolicy, selected: Selected
) -> PassBlock:
    """Work out the figures of verdicts in columns of one length, the judge's and people's."""
    judged, labelled = auto != OPEN, human != OPEN
    shares = {"auto_rate": passing_share(auto), "human_rate": passing_share(human)}
    counted = selected.counted(auto, human)
    mine = selected.at(counted)
    figures = _classified(auto, human, ways.clusters, (counted, mine), policy)
    passed = {"auto_rate": auto[judged] == PASS, "human_rate": human[labelled] == PASS}
    places = {
        name: None if ways.clusters is None else ways.clusters[x]
        for name, x in (("auto_rate", judged), ("human_rate", labelled))
    }
    gone = {
        name: NO_AUTO if name == "auto_rate" else NO_HUMAN
        for name, share in shares.items()
        if share.rate is None
    }
    n_left = int((judged & labelled).sum() - counted.sum())
    return PassBlock(
        n_auto=shares["auto_rate"].n,
        n_human=shares["human_rate"].n,
        auto_rate=shares["auto_rate"].rate,
        human_rate=shares["human_rate"].rate,
        figures=figures,
        corrected=pass_correction(auto, human, ways, policy.level),
        intervals=_intervals(figures, passed, places, policy.level),
        undefined=gone | dict(figures.undefined),
        n_chosen=n_left,
        note=joined(
            selection_note(mine.found, n_left, mine.rule), _weights_note(auto[counted], auto, mine)
        ),
    )


def _weights(chances: Chances | None, counted: Verdicts, auto: Verdicts) -> Weights | None:
    """Give what each of the counted verdicts weighs; `auto` are all of the judge's."""
    if chances is None:
        return None
    judged = np.bincount(auto[auto != OPEN] == PASS, minlength=2).astype(np.float64)
    return weights_of(chances, (counted == PASS).astype(np.intp), judged)


def _weights_note(counted: Verdicts, auto: Verdicts, mine: Selected) -> str | None:
    chances = mine.found.chances(mine.rule)
    if chances is None or _weights(chances, counted, auto) is None:
        return None
    return BY_VERDICT if (chances.worth == BY_LEVEL).all() else BY_CHANCE


def _classified(
    auto: Verdicts,
    human: Verdicts,
    clusters: Ints | None,
    counted: tuple[Flags, Selected],
    policy: IntervalPolicy,
) -> PassFail:
    """Work out the judge as a classifier, with weights and conversations where there are any."""
    rows, mine = counted
    chances = mine.found.chances(mine.rule)
    evidence = verdict_evidence(
        (auto[rows] == PASS).astype(np.intp),
        (human[rows] == PASS).astype(np.intp),
        _weights(chances, auto[rows], auto),
        None if clusters is None else clusters[rows],
    )
    of_judge = (int((auto == FAIL).sum()), int((auto == PASS).sum()))
    of_strata = chances is not None and chances.of_strata
    return drawn_pass_fail(evidence, of_judge, policy, of_strata=of_strata)


def count_cells(auto: Verdicts, human: Verdicts, counted: Flags) -> tuple[Cells, Ints]:
    """Count which verdict of people met which of the judge, and give the cell of each evaluation.

    The cells of those that are `counted`, in their order, are numbered as `Cells` names them.
    """
    cells = 2 * (human[counted] == PASS) + (auto[counted] == PASS).astype(np.intp)
    return Cells(*np.bincount(cells, minlength=4).tolist()), cells


def why_no_verdict(table: FigureTable) -> str | None:
    """Say why a table's rubric gives no verdict, None where it does."""
    return why_no_verdict_of(table.rubric)


def why_no_verdict_of(rubric: Rubric) -> str | None:
    """Say why a rubric gives no verdict, None where it does."""
    # no option changes which metrics have a mark
    rule = verdict_rule(rubric, PUBLISHED)
    if rule.passing == "none":
        return NO_RULE
    if not rule.parts or (
        rule.passing == "every" and all(part.pass_at is None for part in rule.parts)
    ):
        return NO_MARK
    return None


def _intervals(
    figures: PassFail, passed: dict[str, Flags], clusters: dict[str, Ints | None], level: float
) -> dict[str, Interval]:
    found = dict(figures.intervals)
    for name, verdicts in passed.items():
        interval = share_interval(verdicts, clusters[name], level)
        if interval and verdicts.size >= INTERVALS_FROM:
            found[name] = interval
    return found


GOLDEN_TAG = "tag:"
DEFAULT_GOLDEN = "tag:gold"
"""The golden set that nobody has to name."""
BECAUSE = (
    "labels of a separate golden set: the judge is taken to err here as it does there, on the "
    "same share of passes and of fails"
)


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """The evaluations of a golden set.

    Attributes:
        name: As it was named: a run, or `tag:` and a tag.
        reason: Why its judge cannot be compared, None where it can.
        conversations: The number of each evaluation's conversation, the golden set's first and
            then the scope's, None where no two share one.
    """

    name: str
    table: FigureTable
    reason: str | None = None
    conversations: Ints | None = None


def read_golden(
    project: Project,
    name: str,
    table: FigureTable,
    *,
    held: HeldBack | None = None,
) -> Golden:
    """Read a golden set of the rubric and the judge of a table.

    Raises:
        ReviewerError: There is no such run, or it has another rubric.
    """
    scope = _scope(project, name, table)
    found = covered(project, scope)
    if found.rubric.name != table.rubric.name:
        raise ReviewerError(
            f"--golden {name!r}: it has the rubric {found.rubric.name}, the evaluations in scope "
            f"have {table.rubric.name}."
        )

    def load(scorer: str | None) -> FigureTable:
        within = covered(project, _by(scope, scorer)).within
        return figure_table.load(
            project,
            _by(scope, scorer),
            rubric=found.rubric,
            within=within,
            options=table.options,
            held=held,
        )

    gold = load(None)
    metrics, reason = dict[str, MetricTable](), None
    for part in table.verdict_rule.parts:
        wanted, there = table.metrics[part.name], gold.metrics[part.name]
        if wanted.scorer is not None and wanted.scorer in there.other_scorers:
            metrics[part.name] = load(wanted.scorer).metrics[part.name]
        elif wanted.scorer != there.scorer and there.has_auto.any():
            reason = (
                f"the golden set was judged by {there.scorer}, these evaluations by "
                f"{wanted.scorer or 'nobody'} ({wanted.metric.heading})"
            )
    own = with_metrics(gold, metrics)
    every, places = np.unique(np.concatenate([gold.keys, table.keys]), return_inverse=True)
    numbers = conversations(project, every)
    return Golden(name, own, reason, None if numbers is None else numbers[places])


def _scope(project: Project, name: str, table: FigureTable) -> Scope:
    if not name.startswith(GOLDEN_TAG):
        return Scope(runs=(name,))
    if not name.removeprefix(GOLDEN_TAG):
        raise ReviewerError(f"--golden {name!r}: a run, or tag: and a tag, is expected.")
    places = figures.run_places(project)
    rubrics = {run: covered(project, Scope(runs=(run,))).rubric.name for _, run, _ in places}
    mine = tuple(run for run, rubric in rubrics.items() if rubric == table.rubric.name)
    return Scope(runs=mine, tags=(name.removeprefix(GOLDEN_TAG),))


def _by(scope: Scope, scorer: str | None) -> Scope:
    return Scope(runs=scope.runs, tags=scope.tags, scorer=scorer, only_scorer=True)


def golden_block(table: FigureTable, golden: Golden, level: float = 0.95) -> GoldenBlock:
    """Estimate the pass rate of all evaluations that are no part of the golden set."""
    why = why_no_verdict(table) or golden.reason
    if why is not None:
        return GoldenBlock(name=golden.name, corrected=Correction(reason=why, because=why))
    auto, human = golden.table.auto_verdicts(), golden.table.human_verdicts()
    known = (human != OPEN) & (auto != OPEN)
    judged = table.auto_verdicts()
    others = (judged != OPEN) & ~np.isin(table.keys, golden.table.keys)
    found = GoldenSet(
        fails=int((known & (human == FAIL)).sum()),
        caught=int((known & (human == FAIL) & (auto == FAIL)).sum()),
        passes=int((known & (human == PASS)).sum()),
        kept=int((known & (human == PASS) & (auto == PASS)).sum()),
    )
    n_pass, n = int((judged[others] == PASS).sum()), int(others.sum())
    made = rogan_gladen(found, judged_pass=n_pass, judged=n, level=level)
    if golden.conversations is not None:
        outside = np.full(judged.size, OPEN, dtype=np.int8)
        used = np.concatenate([known, others])
        made = by_conversation(
            made,
            np.concatenate([auto, judged])[used],
            np.concatenate([human, outside])[used],
            golden.conversations[used],
        )
    corrected = Correction(
        mean=made.value,
        low=made.low,
        high=made.high,
        method=made.method,
        n=made.n,
        reason=made.reason,
        because=BECAUSE,
        note=made.note,
    )
    return GoldenBlock(
        name=golden.name,
        counts=found,
        judged=n,
        judged_pass=n_pass,
        corrected=corrected,
        sentence=_sentence(found, corrected),
    )


def _sentence(found: GoldenSet, corrected: Correction) -> str:
    caught = found.catch_rate
    if corrected.mean is None or caught is None:
        why = corrected.reason or "there is no estimate"
        return f"{why[:1].upper()}{why[1:]}."
    ends = ""
    if corrected.low is not None and corrected.high is not None:
        ends = f" ({percent(corrected.low)} to {percent(corrected.high)})"
    return (
        f"On the golden set the judge catches {percent(caught)} of {found.fails:,} failures; "
        f"allowing for that, the pass rate is about {percent(corrected.mean)}{ends}."
    )
