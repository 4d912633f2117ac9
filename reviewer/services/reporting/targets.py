"""A rubric's targets over a scope and its failure patterns, as the Runs page lists them.

They come from columns: no text is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviewer.domain.scope import Scope
from reviewer.domain.wording import counted
from reviewer.reports.cases import share
from reviewer.reports.report import marks_of
from reviewer.reports.targets import (
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
from reviewer.reports.wording import figure, percent, signs
from reviewer.services.audits.auditing import hidden_among
from reviewer.services.comparing.comparison import RunColumns, run_columns
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import HeldBack, held_now
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.request import Covered, covered
from reviewer.services.project.session import Session
from reviewer.services.reporting.cases import score_figures
from reviewer.stats.overall_columns import FAIL
from reviewer.store import figures
from reviewer.store.project import Project


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
        """Count the targets in one line: 5 met, 2 missed, 1 too few."""
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
    rate = known["pass_rate"].value if "pass_rate" in known else None
    return Performed(
        rubric=rubric.name,
        targets=judge_targets(rubric, known),
        columns=columns,
        patterns=tuple(of_columns(table, columns)),
        look=look_first(table, rate),
    )


_WORDS: Final = {"met": "✓ met", "missed": "✗ missed", "too few": "? too few"}


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
        value = _spaced(figure(target.value, target.name))
        rows.append(
            TargetRow(
                name=target.name,
                title=title,
                wanted=wanted,
                value=value,
                n=f"{target.n:,}",
                result=target.result,
                words=_WORDS[target.result],
                sentence=f"{title} {value} (n {target.n:,}); the target {wanted} is "
                f"{'not to be told: too few' if target.result == 'too few' else target.result}.",
            )
        )
    return rows


def pattern_rows(found: Performed) -> list[PatternRow]:
    """Give a line a pattern that any evaluation shows."""
    rows = []
    for pattern in found.patterns:
        n = len(pattern.keys)
        title, part = titled(pattern.rule.name), _spaced(percent(share(n, pattern.n)))
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


def _spaced(text: str) -> str:
    """Write as the window does: a space before the sign, a long dash where nothing is."""
    return text.replace("%", " %").replace("–", "—")
