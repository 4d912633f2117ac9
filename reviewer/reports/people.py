"""What people's labels add to a report: agreement, adjusted and corrected figures."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.document import Fields
from reviewer.stats.clustering import Quantity
from reviewer.stats.trust import ORDER, SIGNS, State

Ends = list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleRow:
    """One metric beside people's labels, over all runs or in one of several.

    Attributes:
        run: empty over all runs.
        n: labelled responses of agreement; over all runs `n_agreement`, of which `n_table` stand
            in its table.
        n_labelled: responses with both scores, over which means, gap and band are taken.
        shown: band and adjusted score or what they still need, as documents have it.
        upper, lower: the deviations that these follow from; of one run of several there are none.
        corrected: mean, ends and reason, as documents have it.
        percent: share of labels with the judge's score.
        places: where means lie on the scale, in percent of its length, for the chart.
        coefficient: which kappa it is, by its name in the catalogue.
        auto_rate: share of the run that the judge passes.
    """

    title: str
    n: int
    n_auto: int
    n_human: int
    n_labelled: int
    auto_mean: float | None
    human_mean: float | None
    gap_mean: float | None
    upper: float | None
    lower: float | None
    shown: Fields
    corrected: Fields
    kappa: float | None
    kappa_interval: Ends | None
    kappa_reason: str
    coefficient: str = ""
    run: str = ""
    scorer: str | None = None
    n_agreement: int = 0
    n_table: int = 0
    leaning: str = ""
    percent: float | None = None
    percent_interval: Ends | None = None
    words: str = ""
    note: str | None = None
    places: Mapping[str, float | str | None] | None = None
    auto_rate: float | None = None


@dataclass(frozen=True, slots=True)
class TrustLine:
    """Whether to rely on the judge for a metric: its state, that as a sign and words, and why."""

    title: str
    state: State
    sign: str
    words: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The figures of people's labels.

    Attributes:
        metrics: those that somebody labelled.
        runs: run by run and metric by metric, where several are pooled.
        verdicts: pass and fail as documents have it, None where people gave no verdict.
        labelled: responses that have a label of the metric with the most.
        headline: whether the judge can be trusted, in its first sentences.
        trust: the same metric by metric, the worst first.
        since: the days that means and bands look back on, empty where they know no end.
    """

    metrics: tuple[PeopleRow, ...]
    runs: tuple[PeopleRow, ...]
    verdicts: Fields | None
    labelled: int
    notes: tuple[str, ...]
    level: float
    preset: str
    since: str
    headline: str
    trust: tuple[TrustLine, ...]

    def __getitem__(self, name: str) -> Fields | None:
        """Give the verdicts as templates call them: no attribute can be named `pass`."""
        if name != "pass":
            raise KeyError(name)
        return self.verdicts


def corrected_of(document: Fields) -> dict[str, Quantity]:
    """Give the corrected figures of a document of `stats` by the names that targets have."""
    found = {name: block["corrected"] for name, block in document["metrics"].items()}
    found["pass_rate"] = document["pass"]["corrected"]
    return {
        name: Quantity(one["mean"], one["n"], one["low"], one["high"])
        for name, one in found.items()
        if one["mean"] is not None
    }


def people_of(document: Fields, rubric: Rubric) -> People:
    """Take from a document of `stats` what a report tells of people's labels."""
    blocks: Mapping[str, Fields] = document["metrics"]
    verdicts = document["pass"]
    whole = [_whole(rubric.by_name[name], block) for name, block in blocks.items()]
    notes = [block["agreement"]["judge_human"].get("note") for block in blocks.values()]
    return People(
        metrics=tuple(
            row for row, block in zip(whole, blocks.values(), strict=True) if block["n_human"]
        ),
        runs=tuple(
            replace(
                _row(rubric.by_name[name], block, block),
                run=run,
                auto_rate=found["pass"]["auto_rate"],
            )
            for run, found in document.get("runs", {}).items()
            for name, block in found["metrics"].items()
        ),
        verdicts=verdicts if verdicts["n_human"] else None,
        labelled=max((block["n_human"] for block in blocks.values()), default=0),
        notes=tuple(dict.fromkeys(note for note in notes if note)),
        level=document["level"],
        preset=document["preset"],
        since=document["window"]["words"],
        headline=document["trust"]["headline"],
        trust=tuple(
            TrustLine(found["title"], state, SIGNS[state], found["words"], found["text"])
            for state in ORDER
            for name, block in blocks.items()
            if (found := block["trust"])["state"] == state and rubric.by_name[name].is_labelled
        ),
    )


def _whole(metric: Metric, block: Fields) -> PeopleRow:
    agreement = block["agreement"]["judge_human"]
    return replace(
        _row(metric, block, agreement),
        scorer=block["scorer"],
        n_agreement=agreement["n"],
        n_table=agreement["n_table"],
        leaning=block["leaning"]["sentence"],
        percent=agreement["percent"],
        percent_interval=agreement["intervals"].get("percent"),
        words=block["trust"]["words"] if metric.is_labelled else "",
        note=agreement.get("note"),
        places=_places(metric, block),
    )


def _row(metric: Metric, block: Fields, agreement: Fields) -> PeopleRow:
    kappa = metric.kind.coefficient
    return PeopleRow(
        title=metric.heading,
        n_auto=block["n_auto"],
        n_human=block["n_human"],
        n_labelled=block["n_labelled"],
        auto_mean=block["auto_mean"],
        human_mean=block["human_mean"],
        gap_mean=block["gap_mean"],
        upper=block.get("upper_deviation"),
        lower=block.get("lower_deviation"),
        shown=block["shown"],
        corrected=block["corrected"],
        n=agreement["n"],
        kappa=agreement[kappa],
        kappa_interval=agreement["intervals"].get(kappa),
        kappa_reason=agreement["undefined"].get(kappa, ""),
        coefficient=kappa,
    )


def _places(metric: Metric, block: Fields) -> Mapping[str, float | str | None] | None:
    if metric.bounds is None:
        return None
    low, high = metric.bounds
    corrected = block["corrected"]
    found = {
        "auto": block["auto_mean"],
        "human": block["human_mean"],
        "corrected": corrected["mean"],
        "low": corrected["low"],
        "high": corrected["high"],
    }
    # the ends of an interval may lie off the scale
    places = {
        name: None
        if value is None
        else round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 2)
        for name, value in found.items()
    }
    return {**places, "from": f"{low:g}", "to": f"{high:g}"}
