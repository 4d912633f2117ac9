"""The parts of which a document of figures is made, as values and as JSON objects."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from reviewer.domain.evaluation import Value
from reviewer.domain.wording import listed
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.statistics_words import Leaning
from reviewer.stats.agreement import Agreement
from reviewer.stats.alternative import AltTest
from reviewer.stats.ceiling import Reach
from reviewer.stats.deviations import Deviations
from reviewer.stats.intervals import Interval
from reviewer.stats.passfail import NO_FAIL_IN_SET, NO_PASS_IN_SET, GoldenSet, PassFail
from reviewer.stats.trust import Name as FigureName
from reviewer.stats.trust import Trust


@dataclass(frozen=True, slots=True)
class GapBlock:
    """The figures from `n_auto` to `adjusted_mean` of a metric or of the overall.

    Attributes:
        n_auto: Evaluations with an auto score, whatever their date.
        n_human: Evaluations with a human score, whatever their date.
        n_blind: Of those with both inside the window, those whose counted labels are all blind.
        n_chosen: Those with both inside the window that are left out, since somebody chose them.
        auto_mean: Over `n_auto`; the human mean and `deviations` over those inside the window.
        band: What is added to an auto score; that of `deviations` unless made from the metrics'.
        adjusted_mean: Auto mean plus band, never clipped, whatever the options.
        capped: Whether a screen shows the end of the scale instead.
        shown_band: What stands where the band is shown.
        shown_adjusted: The same of the adjusted mean.
        ordered: False for categories, where no value is higher than another.
        coverage_mean: Mean labelled share of the weight, of the overall only.
        intervals: Of `auto_mean`, `human_mean` and `gap_mean`, each from 10 values on.
        undefined: The reason of every figure that is None.
    """

    n_auto: int
    n_human: int
    n_blind: int
    auto_mean: float | None
    human_mean: float | None
    deviations: Deviations
    band: float
    adjusted_mean: float | None
    shown_band: BandOrScore
    shown_adjusted: BandOrScore
    capped: bool = False
    ordered: bool = True
    coverage_mean: float | None = None
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    n_chosen: int = 0
    undefined: Mapping[str, str] = field(default_factory=dict)


MEANS: Final = {
    "auto_mean": "auto mean",
    "human_mean": "human mean",
    "gap_mean": "mean gap",
    "upper_deviation": "upper deviation",
    "lower_deviation": "lower deviation",
    "band": "error band",
    "adjusted_mean": "adjusted mean",
}
"""How a sentence calls the figures of a block, by name."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A mean or pass rate of all evaluations, estimated from few labels and many auto scores.

    Attributes:
        method: `none`, `census`, `human_only`, `ppi`, `ppi++`, `stratified` or `post_stratified`.
        n: Evaluations whose labels were used.
        n_excluded: Labelled evaluations that were not, since nobody knows how they were chosen.
        reason: Why there is no estimate, or no interval.
        because: Why this method, in words for the screen; also where there is no estimate.
        note: What to know before relying on it.
    """

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = "none"
    n: int = 0
    n_excluded: int = 0
    target: str = "future"
    reason: str | None = None
    because: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenBlock:
    """The pass rate that follows from the judge's errors on a separate golden set.

    Attributes:
        name: The run, or `tag:` and the tag.
        counts: The judge's hits and misses on the golden set.
        judged: Evaluations with a verdict that are no part of it, and those of them it passed.
        corrected: The estimate for these, None inside where nothing follows.
        sentence: What it says, or why it says nothing.
    """

    name: str
    corrected: Correction
    counts: GoldenSet = field(
        default_factory=lambda: GoldenSet(fails=0, caught=0, passes=0, kept=0)
    )
    judged: int = 0
    judged_pass: int = 0
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each human value (rows) met each auto value (columns), in shares of evaluations.

    Every label of an evaluation has its part of it, so that numbers need not be whole.
    """

    values: tuple[Value, ...] = ()
    table: tuple[tuple[float, ...], ...] = ()

    def share(self, row: int, column: int) -> float | None:
        """Give the part of a row that a cell makes, None in an empty row."""
        whole = sum(self.table[row])
        return self.table[row][column] / whole if whole else None


@dataclass(frozen=True, slots=True)
class WithoutDecisions:
    """Agreement as it would be without the decisions made where judge and people differ.

    Attributes:
        n: How many such decisions count otherwise.
    """

    n: int
    found: Agreement


@dataclass(frozen=True, slots=True)
class TrustBlock:
    """What a metric's labels say of its judge.

    Attributes:
        labelled: Evaluations with an auto score and labels that count.
        scored: Those with an auto score that are among these, or that nobody labelled.
        reached: People's agreement with each other and with the judge, None where nobody labelled.
        alternative: The alternative annotator test.
        left_out: Names of the labelers that it leaves out.
    """

    trust: Trust
    labelled: int
    reached: Reach | None
    alternative: AltTest
    left_out: tuple[str, ...] = ()
    scored: int = 0

    def left(self, name: FigureName) -> int:
        """Count the responses that people can still label for a figure."""
        used = self.trust[name].n if name == "reach" else self.labelled
        return max(self.scored - used, 0)

    def within(self, name: FigureName) -> float | None:
        """Estimate how near a figure would be known once people have labelled all that is left.

        None where even then there would be no interval.
        """
        one, left = self.trust[name], self.left(name)
        more = left * (one.n + 0.5) / (self.labelled + 1) if name == "caught" else left
        return one.within(self.trust.level, one.n + more)

    def wanted(self, name: FigureName) -> float | None:
        """Estimate how many more responses people have to label until a figure tells.

        0 where it does; None where that cannot be estimated. Fails come at the rate at
        which people found them, half a fail more than they found; agreement among people needs
        two labels on each response.
        """
        more = self.trust[name].wanted(self.trust.level)
        if more and name == "caught":
            return more * (self.labelled + 1) / (self.trust[name].n + 0.5)
        return more


@dataclass(frozen=True, slots=True)
class MetricBlock:
    """All figures of one metric.

    Attributes:
        leaning: Whether the judge scores too high or too low.
        coefficient: The one that suits the scale, by its name in the catalogue.
        undecided: The agreement without decisions that move it, where there are any.
        n_derived: Auto scores that follow from those of other metrics.
        is_overall: Whether it is the overall under another name.
        is_labelled: Whether people are asked for it.
    """

    name: str
    title: str
    scorer: str | None
    other_scorers: tuple[str, ...]
    gaps: GapBlock
    corrected: Correction
    judge_human: Agreement
    human_human: Agreement
    confusion: Confusion
    leaning: Leaning
    trust: TrustBlock
    coefficient: str = "kappa_quadratic"
    undecided: WithoutDecisions | None = None
    n_derived: int = 0
    is_overall: bool = False
    is_labelled: bool = True


@dataclass(frozen=True, slots=True)
class Cells:
    """How often which verdict of people met which of the judge."""

    both_fail: int = 0
    missed: int = 0
    alarmed: int = 0
    both_pass: int = 0

    @property
    def human_fails(self) -> int:
        """Count what people fail."""
        return self.both_fail + self.missed

    @property
    def human_passes(self) -> int:
        """Count what people pass."""
        return self.alarmed + self.both_pass

    @property
    def n(self) -> int:
        """Count all."""
        return self.human_fails + self.human_passes


@dataclass(frozen=True, slots=True)
class PassBlock:
    """Pass and fail by the rubric's rule, on the judge's side and on people's.

    Attributes:
        n_chosen: Verdicts of both that are left out, since somebody chose them.
        note: How the labels were weighted, where they were chosen by the judge's scores.
        golden: What a separate golden set says, where one was named.
    """

    n_auto: int
    n_human: int
    auto_rate: float | None
    human_rate: float | None
    figures: PassFail
    corrected: Correction
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None
    golden: GoldenBlock | None = None
    n_chosen: int = 0


@dataclass(frozen=True, slots=True)
class RunMetric:
    """The main figures of one metric in one of several runs."""

    scorer: str | None
    gaps: GapBlock
    corrected: Correction
    judge_human: Agreement


@dataclass(frozen=True, slots=True)
class RunBlock:
    """The main figures of one of several runs that are pooled."""

    name: str
    metrics: Mapping[str, RunMetric]
    passing: PassBlock


@dataclass(frozen=True, slots=True)
class LabelerPair:
    """The agreement of two people on one metric; `bias` is the second minus the first."""

    a: str
    b: str
    metric: str
    n: int
    figures: Mapping[str, float | None]
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Staleness:
    """What in the document mixes or lags behind, how much of it, and a sentence that says so.

    Attributes:
        title: The heading of the metric, where the sentence is about one.
        alike: The sentence as others have it that differ in metric and number alone: `COUNT` and
            `TITLES` stand where these do. Empty where no other can.
    """

    what: str
    reason: str
    n: int
    text: str
    title: str = ""
    alike: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give the entry of the document."""
        return {"what": self.what, "reason": self.reason, "n": self.n, "text": self.text}


COUNT, TITLES = "\0count", "\0titles"


def told_once(found: Iterable[Staleness]) -> tuple[str, ...]:
    """Say what lags behind, one sentence for all metrics of which the same is to be said."""
    alike: dict[str, list[Staleness]] = {}
    for one in found:
        alike.setdefault(one.alike or one.text, []).append(one)
    return tuple(
        mine[0].text
        if len(mine) == 1
        else words.replace(COUNT, f"{sum(x.n for x in mine):,}").replace(
            TITLES, listed(list(dict.fromkeys(x.title for x in mine)))
        )
        for words, mine in alike.items()
    )


@dataclass(frozen=True, slots=True)
class Group:
    """One group's correlation of auto and human scores.

    Attributes:
        n: Evaluations with both, over which the means and the correlation are taken.
        used: False where one side is constant or there are too few pairs: no part of the mean.
    """

    value: str | None
    n: int
    n_auto: int
    n_human: int
    auto_mean: float | None
    human_mean: float | None
    pearson: float | None
    spearman: float | None
    kendall_b: float | None
    used: bool
    undefined: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BetweenGroups:
    """The correlation of the groups' auto means with their human means; n groups have both."""

    n: int
    pearson: float | None
    spearman: float | None
    kendall_b: float | None
    undefined: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GroupedMetric:
    """One metric by group, the plain mean over the used groups, and the groups' means compared."""

    n_used: int
    n_skipped: int
    mean: Mapping[str, float | None]
    undefined: Mapping[str, str]
    between: BetweenGroups
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Every listed metric by the groups of one field."""

    field: str
    metrics: Mapping[str, GroupedMetric]


Json = dict[str, Any]


def corrected_json(found: Correction) -> Json:
    """Give a corrected estimate; `reason` stands there where something is missing."""
    made: Json = {
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "n": found.n,
        "n_excluded": found.n_excluded,
        "target": found.target,
    }
    notes = {"reason": found.reason, "because": found.because, "note": found.note}
    return made | {name: text for name, text in notes.items() if text}


def intervals_json(found: Mapping[str, Interval]) -> Json:
    """Give intervals as pairs of numbers."""
    return {name: [interval.low, interval.high] for name, interval in found.items()}


def golden_json(block: GoldenBlock) -> Json:
    """Give what a golden set says of the pass rate."""
    found = block.counts
    rates = {"catch_rate": found.catch_rate, "specificity": found.keep_rate}
    reasons = {"catch_rate": NO_FAIL_IN_SET, "specificity": NO_PASS_IN_SET}
    return {
        "set": block.name,
        "n": found.fails + found.passes,
        "n_failed": found.fails,
        "n_caught": found.caught,
        "n_passed": found.passes,
        "n_kept": found.kept,
        **rates,
        "n_auto": block.judged,
        "n_auto_passed": block.judged_pass,
        "corrected": corrected_json(block.corrected),
        "sentence": block.sentence,
        "undefined": {name: reasons[name] for name, rate in rates.items() if rate is None},
    }


def pair_json(pair: LabelerPair) -> Json:
    """Give one pair of people on one metric."""
    return {
        "a": pair.a,
        "b": pair.b,
        "metric": pair.metric,
        "n": pair.n,
        **pair.figures,
        "intervals": intervals_json(pair.intervals),
        "undefined": dict(pair.undefined),
    }


def groups_json(table: GroupTable) -> Json:
    """Give correlation by group: every group, the mean over the used ones, the means compared."""
    return {
        "field": table.field,
        "metrics": {
            name: {
                "n_used": found.n_used,
                "n_skipped": found.n_skipped,
                "mean": dict(found.mean),
                "undefined": dict(found.undefined),
                "between": asdict(found.between),
                "groups": [asdict(x) for x in found.groups],
            }
            for name, found in table.metrics.items()
        },
    }
