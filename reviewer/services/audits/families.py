"""Families of models and of metrics: which belongs where, and where they contradict each other.

    gpt = OpenAI
    claude = Anthropic

Each line is the beginning of a word of the name, and the family; the first that fits counts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.cases import Contradiction
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.family_rules import Found, find, kept
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import covered
from reviewer.services.project.session import Session
from reviewer.stats.clustering import clustered_mean
from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.store.project import Project

NO_SCORE: Final = "no evaluation has a score of {}"
HIGH_END: Final = 95.0
MOST_RUNS: Final = 4
"""Runs that stand apart beneath each row; more would hide the families."""


@dataclass(frozen=True, slots=True)
class MetricFigures:
    """One metric of a family: its auto scores, and people's where they label it.

    Attributes:
        median, high_end: The middle and the 95th percentile, for measures.
    """

    name: str
    title: str
    unit: str
    n: int
    mean: float | None
    low: float | None
    high: float | None
    median: float | None
    high_end: float | None
    n_human: int
    human_mean: float | None
    gap_mean: float | None
    is_measure: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """A row of figures.

    Attributes:
        n: Evaluations with a score of any of the family's scaled metrics.
        level: The mean of those, each brought to 0 to 1 with 1 best, None without any.
    """

    name: str
    metrics: tuple[MetricFigures, ...]
    n: int
    level: float | None
    low: float | None
    high: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Two metrics of the same evaluations; those still hidden from the labeler are left out."""

    keys: Ints
    x: Floats
    y: Floats
    hidden: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RunFamilies:
    """The families of one run: each bot stands in a run of its own."""

    run: str
    families: tuple[Family, ...]
    keys: Ints

    def own(self, keys: Sequence[int] | Ints) -> Ints:
        """Give those of some evaluations that belong to the run."""
        return np.asarray(keys)[np.isin(keys, self.keys)]


@dataclass(frozen=True, slots=True)
class FamilyTable:
    """Everything about the families of a scope.

    Attributes:
        runs: The same run by run, where the scope has several.
    """

    families: tuple[Family, ...]
    found: tuple[Found, ...]
    runs: tuple[RunFamilies, ...] = ()


def has_families(rubric: Rubric) -> bool:
    """Tell whether any metric names a family."""
    return any(metric.family for metric in rubric.metrics)


def read(session: Session, audit: Audit) -> FamilyTable:
    """Compute the families' figures and lists with the project's thresholds."""
    found = find(audit.frame.table, kept(session.project), audit.request.level)
    return FamilyTable(rows(audit), found, tuple(_by_run(session, audit)))


def _by_run(session: Session, audit: Audit) -> Iterator[RunFamilies]:
    """Compute the families of each run, where the scope has a few."""
    project, scope = session.project, audit.request.scope
    every = memory_of(session).look(project).evaluations(scope, covered(project, scope).within)
    names = dict(zip(session.run_keys(), session.run_names(), strict=True))
    if 1 < len(every.runs) <= MOST_RUNS:
        for run, keys in sorted(every.runs.items()):
            among = np.isin(audit.frame.table.keys, keys)
            yield RunFamilies(names[run], rows(audit, among), keys)


def contradictions(project: Project, table: FigureTable) -> tuple[Contradiction, ...]:
    """Give the same lists for a report, none where no metric names a family."""
    if not has_families(table.rubric):
        return ()
    return tuple(
        Contradiction(
            title=one.rule.title,
            meaning=one.rule.meaning,
            low=one.rule.named("at_most", "below"),
            high=one.rule.named("at_least", "above"),
            n=one.n,
            keys=frozenset(one.keys.tolist()),
        )
        for one in find(table, kept(project))
    )


def rows(audit: Audit, among: Flags | None = None) -> tuple[Family, ...]:
    """Compute a row a family, in the rubric's order; metrics without one are left out.

    `among` tells which evaluations count, all of them where it is left out.
    """
    table, level = audit.frame.table, audit.request.level
    some = np.ones(table.keys.size, dtype=np.bool_) if among is None else among
    named: dict[str, list[MetricTable]] = {}
    for metric in audit.rubric.metrics:
        if metric.family:
            named.setdefault(metric.family, []).append(table.metrics[metric.name])
    return tuple(_family(name, metrics, table, level, some) for name, metrics in named.items())


def judged(audit: Audit, names: Sequence[str]) -> Ints:
    """Give the evaluations with an auto score of any of some metrics."""
    table = audit.frame.table
    found = [table.metrics[name].has_auto for name in names]
    return np.asarray(table.keys[np.logical_or.reduce(found)]) if found else table.keys[:0]


def labelled(audit: Audit, name: str) -> Ints:
    """Give the evaluations with an auto and a human score of a metric."""
    one = audit.frame.table.metrics[name]
    return np.asarray(audit.frame.table.keys[one.both & np.isfinite(one.human.score)])


def _family(
    name: str, metrics: Sequence[MetricTable], table: FigureTable, level: float, among: Flags
) -> Family:
    shown = tuple(_figures(one, table.clusters, level, among) for one in metrics)
    scaled = [units(one.metric, one.auto) for one in metrics if one.metric.bounds]
    if not scaled:
        return Family(name, shown, 0, None, None, None, "its metrics have no common scale")
    columns = np.stack(scaled)
    known = np.isfinite(columns) & among
    counts = known.sum(axis=0)
    there = counts > 0
    means = np.where(known, columns, 0.0).sum(axis=0)[there] / counts[there]
    mean, low, high = _mean(means, table.clusters, there, level)
    low, high = _within(low, high, (0.0, 1.0))
    reason = None if means.size else "no evaluation has a score of it"
    return Family(name, shown, int(means.size), mean, low, high, reason)


def _figures(one: MetricTable, clusters: Ints | None, level: float, among: Flags) -> MetricFigures:
    metric, there = one.metric, one.has_auto & among
    numeric = metric.is_numeric
    autos = one.auto[there] if numeric else np.zeros(0)
    mean, low, high = _mean(autos, clusters, there, level) if numeric else (None, None, None)
    low, high = _within(low, high, metric.bounds)
    both = one.both & np.isfinite(one.human.score) & among
    human = one.human.score[both] if numeric else np.zeros(0)
    reason = None
    if not numeric:
        reason = "its values are categories"
    elif not autos.size:
        reason = NO_SCORE.format(metric.heading)
    return MetricFigures(
        name=metric.name,
        title=metric.heading,
        unit=metric.unit or "",
        n=int(there.sum()),
        mean=mean,
        low=low,
        high=high,
        median=float(np.median(autos)) if autos.size else None,
        high_end=float(np.percentile(autos, HIGH_END)) if autos.size else None,
        n_human=int(both.sum()),
        human_mean=float(human.mean()) if human.size else None,
        gap_mean=float((human - one.auto[both]).mean()) if human.size else None,
        is_measure=not metric.kind.is_answered,
        reason=reason,
    )


def _within(
    low: float | None, high: float | None, bounds: tuple[float, float] | None
) -> tuple[float | None, float | None]:
    """Cut an interval off where no score can be."""
    if low is None or high is None or bounds is None:
        return low, high
    return max(low, bounds[0]), min(high, bounds[1])


def _mean(
    values: Floats, clusters: Ints | None, there: Flags, level: float
) -> tuple[float | None, float | None, float | None]:
    if not values.size:
        return None, None, None
    named = np.arange(values.size) if clusters is None else clusters[there]
    found = clustered_mean(values, named.tolist(), level)
    if found.n < INTERVALS_FROM:
        return found.mean, None, None
    return found.mean, found.low, found.high


def units(metric: Metric, values: Floats) -> Floats:
    """Bring scores to 0 to 1 with 1 best; the metric has bounds."""
    low, high = metric.bounds or (0.0, 1.0)
    scaled = (values - low) / (high - low)
    return np.asarray(scaled if metric.higher_is_better else 1 - scaled)


def points(audit: Audit, x: str, y: str) -> Points:
    """Give the evaluations with auto scores of both metrics that the labeler may see."""
    table = audit.frame.table
    one, other = table.metrics[x].auto, table.metrics[y].auto
    both = np.isfinite(one) & np.isfinite(other)
    shown = both & audit.seen
    return Points(
        table.keys[shown], one[shown], other[shown], hidden=int((both & ~audit.seen).sum())
    )


SETTING: Final = "model_families"
LONGEST: Final = 500
"""Lines that a table may have."""
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Families:
    """Beginnings of words, in lower case, with the family of each."""

    rows: tuple[tuple[str, str], ...]

    def of(self, name: str | None) -> str | None:
        """Give the family of a model's name, None where no line fits."""
        words = _WORD.findall((name or "").lower())
        for beginning, family in self.rows:
            if any(word.startswith(beginning) for word in words):
                return family
        return None

    def text(self) -> str:
        """Write the table as it is edited."""
        return "\n".join(f"{beginning} = {family}" for beginning, family in self.rows)


def _listed(rows: Iterable[tuple[str, str]]) -> Families:
    return Families(tuple((word, family) for words, family in rows for word in words.split()))


DEFAULT: Final = _listed(
    (
        ("gpt chatgpt davinci o1 o3 o4 codex openai", "OpenAI"),
        ("claude anthropic", "Anthropic"),
        ("gemini gemma palm bard", "Google"),
        ("llama codellama", "Meta"),
        ("mistral mixtral ministral magistral codestral pixtral", "Mistral"),
        ("command aya cohere", "Cohere"),
        ("deepseek", "DeepSeek"),
        ("qwen qwq tongyi", "Alibaba"),
        ("grok", "xAI"),
        ("phi wizardlm", "Microsoft"),
        ("nova titan", "Amazon"),
        ("jamba jurassic", "AI21"),
        ("glm chatglm", "Zhipu"),
        ("kimi moonshot", "Moonshot"),
        ("granite", "IBM"),
        ("nemotron", "NVIDIA"),
        ("ernie", "Baidu"),
        ("hunyuan", "Tencent"),
        ("doubao", "ByteDance"),
        ("falcon", "TII"),
        ("olmo tulu", "Ai2"),
        ("yi", "01.AI"),
    )
)


def parse_families(text: str) -> Families:
    """Read a table; empty lines and lines that begin with # do not count.

    Raises:
        ReviewerError: A line is no `beginning = family`; the sentence names it.
    """
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        beginning, sign, family = (part.strip() for part in words.partition("="))
        if not sign or not family or not _WORD.fullmatch(beginning.lower()):
            raise ReviewerError(
                f"Line {number} of the model families is {words!r}; expected the beginning of a "
                "word, an equals sign and a family, such as gpt = OpenAI."
            )
        rows.append((beginning.lower(), family))
    if len(rows) > LONGEST:
        raise ReviewerError(
            f"The table of model families has {len(rows):,} lines; it may have {LONGEST}."
        )
    return Families(tuple(rows))


def read_families(project: Project) -> Families:
    """Give the project's table, the usual one where it has none of its own."""
    text = project.setting(SETTING)
    return parse_families(text) if text.strip() else DEFAULT


def save_families(project: Project, text: str) -> Families:
    """Keep a table for the project; an empty one brings the usual table back.

    Raises:
        ReviewerError: A line is malformed, or the project cannot be written.
    """
    found = parse_families(text)
    project.set_setting(SETTING, "" if found == DEFAULT else found.text())
    return found if found.rows else DEFAULT
