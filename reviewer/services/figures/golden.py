"""A golden set named for a scope: what the judge's known errors say about its other verdicts.

golden = read(project, "tag:gold", table)
golden_block(table, golden).corrected
"""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.domain.wording import percent
from reviewer.services.figures import figure_table
from reviewer.services.figures.another_rubric import with_metrics
from reviewer.services.figures.column_memory import conversations
from reviewer.services.figures.covered import covered
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.people_columns import HeldBack
from reviewer.services.figures.statistics_blocks import Correction, GoldenBlock
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.passfail import GoldenSet, by_conversation, rogan_gladen
from reviewer.store import figures
from reviewer.store.project import Project

TAG = "tag:"
DEFAULT = "tag:gold"
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


def read(
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
            reason = _another_judge(wanted, there)
    own = with_metrics(gold, metrics)
    every, places = np.unique(np.concatenate([gold.keys, table.keys]), return_inverse=True)
    numbers = conversations(project, every)
    return Golden(name, own, reason, None if numbers is None else numbers[places])


def _scope(project: Project, name: str, table: FigureTable) -> Scope:
    if not name.startswith(TAG):
        return Scope(runs=(name,))
    if not name.removeprefix(TAG):
        raise ReviewerError(f"--golden {name!r}: a run, or tag: and a tag, is expected.")
    places = figures.run_places(project)
    rubrics = {run: covered(project, Scope(runs=(run,))).rubric.name for _, run, _ in places}
    mine = tuple(run for run, rubric in rubrics.items() if rubric == table.rubric.name)
    return Scope(runs=mine, tags=(name.removeprefix(TAG),))


def _by(scope: Scope, scorer: str | None) -> Scope:
    return Scope(runs=scope.runs, tags=scope.tags, scorer=scorer, only_scorer=True)


def _another_judge(here: MetricTable, there: MetricTable) -> str:
    return (
        f"the golden set was judged by {there.scorer}, these evaluations by "
        f"{here.scorer or 'nobody'} ({here.metric.heading})"
    )


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
