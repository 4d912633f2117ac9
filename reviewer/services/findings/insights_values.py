"""What the numbers say, as values: one result a topic, each with a plain sentence.

A topic that cannot be worked out has its `reason` in words, and its sentence says the same.
"""

from dataclasses import dataclass
from datetime import date

from reviewer.services.figures.statistics_blocks import GoldenBlock
from reviewer.stats.calibration import Calibration, Conformal, FlipRate, Repeatability
from reviewer.stats.drift import Direction, SystemChange
from reviewer.stats.paired import Shift
from reviewer.stats.paired_shares import McNemar
from reviewer.stats.planning import LabelPlan
from reviewer.stats.segments import SliceVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Hold what all topics have.

    Attributes:
        sentence: What the figures say, or why there are none.
        reason: Why there are none, None where there are.
    """

    sentence: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsNeeded(Topic):
    """How many more random labels a wanted precision takes.

    Attributes:
        plan: For the traffic that these evaluations came from.
        only_these: For exactly these evaluations.
        n: Labels that count already.
        half_width: Half of the corrected figure's interval now, None without an interval.
        drawn: Whether the labels there are were drawn, so that they count at all.
    """

    plan: LabelPlan | None = None
    only_these: LabelPlan | None = None
    n: int = 0
    half_width: float | None = None
    drawn: bool = True


@dataclass(frozen=True, slots=True)
class LevelMean:
    """What people give on average where the judge gives one level, with its t interval if any."""

    level: float
    n: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated(Topic):
    """What people give where the judge gives so much; any part may be missing.

    Attributes:
        levels: What is labelled, lowest level of the judge first; there from the first label.
        on_levels: Whether the steps are levels of the scale, and not parts of a range.
    """

    on_levels: bool = False
    levels: tuple[LevelMean, ...] = ()
    table: Calibration | None = None
    ranges: tuple[Conformal, ...] = ()


Keys = tuple[int, ...]
"""Evaluations behind a figure, those that matter most first."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """How one scorer version, or one person, repeats itself; `who` names it.

    Attributes:
        keys: Evaluations on which the repeats differ.
    """

    who: str
    flips: FlipRate
    spread: Repeatability | None
    keys: Keys = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfConsistency(Topic):
    """Judge and people on what they judged more than once.

    Attributes:
        judges: The version that the figures use first.
        people: Those who labelled something twice without sight of the auto score.
        ceiling: The largest correlation that such reliabilities allow.
    """

    judges: tuple[Repeated, ...] = ()
    people: tuple[Repeated, ...] = ()
    ceiling: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChange(Topic):
    """What changed since the run before, and how much of that is the judge.

    Attributes:
        before, after: Names of the runs.
        before_scorer, after_scorer: Who scored them.
        paired: Change on the cases that both runs have.
        anchors: Change on the answers that are the same to the byte.
        change: The split into judge and system; None without a headline.
        verdicts: Comparison of pass and fail on the cases that both runs have.
        verdicts_reason: Why there is none.
        moved: Shared cases whose score changed, as evaluations of the later run.
        judge_moved: Of these, the answers that are the same to the byte.
        flipped: Shared cases that pass in one of the runs only.
    """

    before: str = ""
    after: str = ""
    before_scorer: str | None = None
    after_scorer: str | None = None
    paired: Shift | None = None
    anchors: Shift | None = None
    change: SystemChange | None = None
    verdicts: McNemar | None = None
    verdicts_reason: str | None = None
    moved: Keys = ()
    judge_moved: Keys = ()
    flipped: Keys = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassChange(Topic):
    """How verdicts by the rubric's pass rule changed since the run before, case by case.

    Attributes:
        verdicts: The comparison on the cases with a verdict in both runs.
        flipped: Cases that pass in one of the runs only, as evaluations of the later run.
    """

    before: str = ""
    after: str = ""
    verdicts: McNemar | None = None
    flipped: Keys = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FromGolden(Topic):
    """What a separate golden set says of the pass rate."""

    golden: GoldenBlock | None = None


@dataclass(frozen=True, slots=True)
class Drifted:
    """How one labeler stands to the others.

    Attributes:
        labeler: The person.
        n: Their labels with others beside them.
        gap: Mean distance from the others over all of these.
        direction: Where the last alarm says they moved to, None without an alarm.
        since: The day on which that begins; None if unknown or without an alarm.
        since_label: The number of the label, from 1, at which it begins.
        shift: Mean distance from the others since then.
        alarms: How often the sums raised a hint.
        keys: The evaluations labelled since then, all of theirs without an alarm.
    """

    labeler: str
    n: int
    gap: float
    direction: Direction | None = None
    since: date | None = None
    since_label: int | None = None
    shift: float | None = None
    alarms: int = 0
    keys: Keys = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelerDrift(Topic):
    """Who moves away from the others; people with an alarm first."""

    people: tuple[Drifted, ...] = ()


@dataclass(frozen=True, slots=True)
class WithConsensus:
    """How often one labeler's labels are the consensus.

    Attributes:
        n: Labels on evaluations with two labels or more and a settled consensus.
        majority: Share equal to the majority.
        weighed: Share equal to the consensus that weighs people, None where it is not allowed.
        accuracy: What the weighing takes their accuracy to be.
        keys: Evaluations on which they differ from the majority.
        compared: The evaluations of all `n` labels, those that differ first.
    """

    labeler: str
    n: int
    majority: float | None
    weighed: float | None = None
    accuracy: float | None = None
    keys: Keys = ()
    compared: Keys = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consented(Topic):
    """What people agree on together.

    Attributes:
        shared: Evaluations with two labels or more.
        n_tied: Of those, without a majority and not decided yet.
        n_changed: Of those, where weighing people settles on something else than the majority.
        not_weighed: Why people are not weighed, None where they are.
        tied: The evaluations of `n_tied`.
    """

    people: tuple[WithConsensus, ...] = ()
    shared: int = 0
    n_tied: int = 0
    n_changed: int | None = None
    not_weighed: str | None = None
    tied: Keys = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """One category against the rest.

    Attributes:
        category: None for evaluations without one.
        n: Evaluations with auto and human score.
        gap: Mean gap with its interval, None where too few or unordered.
        gap_verdict: What may be said of it.
        failed: Evaluations that people failed.
        caught: Share of those that the judge failed too.
        catch_verdict: What may be said of that; None without a pass mark.
    """

    category: str | None
    n: int
    gap: float | None
    low: float | None
    high: float | None
    gap_verdict: SliceVerdict
    failed: int = 0
    caught: float | None = None
    catch_verdict: SliceVerdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliced(Topic):
    """The categories, the worst gap first, those too small last."""

    slices: tuple[Slice, ...] = ()
    catch_reason: str | None = None


@dataclass(frozen=True, slots=True)
class MetricInsights:
    """Every topic of one metric, and what is said of the pass rate beside them."""

    metric: str
    labels: LabelsNeeded
    pass_labels: LabelsNeeded
    calibration: Calibrated
    consistency: SelfConsistency
    change: RunChange
    drift: LabelerDrift
    consensus: Consented
    slices: Sliced
    pass_change: PassChange = PassChange(sentence="")
    golden: FromGolden = FromGolden(sentence="")
    bounds: tuple[float, float] | None = None
