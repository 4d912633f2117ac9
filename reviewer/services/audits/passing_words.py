"""What the figures of pass and fail say in sentences, and their formulas with the numbers."""

from dataclasses import dataclass
from typing import Final, Literal

from reviewer.services.audits.passing import PassAudit
from reviewer.services.explaining.explanations_words import ONE_LOOK, Step
from reviewer.services.figures.statistics_blocks import Cells, PassBlock
from reviewer.services.project.insights_words import percent, upper_first
from reviewer.stats.slices import SHOWN_FROM

Name = Literal[
    "catch_rate", "specificity", "precision", "auto_rate", "human_rate", "corrected_rate"
]
EQUAL = 1e-9
TITLES: Final[dict[Name, str]] = {
    "catch_rate": "Fails caught",
    "specificity": "Passes passed",
    "precision": "Fails confirmed",
    "auto_rate": "Judge passes",
    "human_rate": "People pass",
    "corrected_rate": "Corrected pass rate",
}
MEANINGS: Final[dict[Name, str]] = {
    "catch_rate": "Catch rate (sensitivity): how much of what people fail the judge fails too.",
    "specificity": "Specificity: how much of what people pass the judge passes too.",
    "precision": "Precision: how much of what the judge fails people fail too.",
    "auto_rate": "Of everything that the judge gave a verdict on.",
    "human_rate": "Of everything that people gave a verdict on, however it was chosen.",
    "corrected_rate": "What people would pass of everything, by labels and the judge's verdicts.",
}
_SAID: Final[dict[Name, str]] = {
    "catch_rate": "of what people fail, the judge fails {share}",
    "specificity": "of what people pass, the judge passes {share}",
    "precision": "of what the judge fails, people fail {share}",
    "auto_rate": "the judge passes {share}",
    "human_rate": "people pass {share}",
    "corrected_rate": "people would pass {share} of everything",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """One rate as it is shown; `hits` of `n` where it is a plain share."""

    name: Name
    value: float | None
    low: float | None
    high: float | None
    hits: int | None
    n: int
    reason: str | None


def rate(block: PassBlock, cells: Cells, name: Name) -> Rate:
    """Take one rate out of a block."""
    if name == "corrected_rate":
        found = block.corrected
        return Rate(name, found.mean, found.low, found.high, None, found.n, found.reason)
    interval = block.intervals.get(name)
    hits, n = _counts(block, cells, name)
    value = getattr(block if name in ("auto_rate", "human_rate") else block.figures, name)
    # where evaluations count by the chance of their drawing a rate is no share of them
    is_share = value is None or not n or abs(value - (hits or 0) / n) < EQUAL
    return Rate(
        name=name,
        value=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        hits=hits if is_share else None,
        n=n,
        reason=block.undefined.get(name),
    )


def _counts(block: PassBlock, cells: Cells, name: Name) -> tuple[int | None, int]:
    match name:
        case "catch_rate":
            return cells.both_fail, cells.human_fails
        case "specificity":
            return cells.both_pass, cells.human_passes
        case "precision":
            return cells.both_fail, cells.both_fail + cells.alarmed
        case "auto_rate":
            return round((block.auto_rate or 0) * block.n_auto), block.n_auto
        case _:
            return round((block.human_rate or 0) * block.n_human), block.n_human


def sentence(found: PassAudit, one: Rate, level: float, category: str = "") -> str:
    """Say one rate in a sentence that stands alone."""
    about = f"{found.title}, {category}" if category else found.title
    if one.value is None:
        counted = f"; n = {one.n:,}" if one.n else ""
        why = one.reason or "not defined"
        return f"{about}: no {TITLES[one.name].lower()} ({why}{counted})."
    said = _SAID[one.name].format(share=percent(one.value))
    counted = f"n = {one.n:,}" if one.hits is None else f"{one.hits:,} of {one.n:,}"
    few = too_few(one) if category else ""
    if few:
        return f"{about}: {TITLES[one.name].lower()} cannot be told from {few}."
    between = ""
    if one.low is not None and one.high is not None:
        between = f"; {percent(level)} interval {percent(one.low)} to {percent(one.high)}"
    return f"{about}: {said} ({counted}{between})."


def counted(one: Rate) -> str:
    """Say how many evaluations stand behind a rate."""
    return f"{one.n:,}" if one.hits is None else f"{one.hits:,} of {one.n:,}"


def too_few(one: Rate) -> str:
    """Say that a category's rate has too few evaluations, nothing where there are enough."""
    if one.n >= SHOWN_FROM:
        return ""
    said = f"n = {one.n:,}" if one.hits is None else counted(one)
    return f"{said}: fewer than {SHOWN_FROM}"


def steps_of_category(one: Rate, block: PassBlock, cells: Cells) -> tuple[Step, ...]:
    """Give a category's rate with its numbers, or how few they are."""
    few = too_few(one)
    if one.value is None or not few:
        return steps(one, block, cells)
    return (Step("What it is", MEANINGS[one.name]), Step(TITLES[one.name], upper_first(few)))


def steps(one: Rate, block: PassBlock, cells: Cells) -> tuple[Step, ...]:
    """Give a rate's formula with the numbers filled in."""
    title = TITLES[one.name]
    if one.value is None:
        return (Step(title, upper_first(one.reason or "it is not defined")),)
    if one.name == "corrected_rate":
        return _corrected(one, block, cells)
    meaning = Step("What it is", MEANINGS[one.name])
    if one.hits is None:
        return (meaning, Step(title, f"{percent(one.value)}. {block.note or ''}".rstrip()))
    counted = f"{one.hits:,} ÷ {one.n:,} = {one.value:.4f}"
    made = [meaning, Step(title, f"{_FORMULAS[one.name]} = {counted}")]
    if one.low is not None and one.high is not None:
        interval = block.intervals[one.name]
        hows = {"wilson": "Wilson", "wilson by conversation": "Wilson, by conversation"}
        how = hows.get(interval.method, "whole conversations")
        made.append(Step("Interval", f"{one.low:.4f} to {one.high:.4f} ({how}). {ONE_LOOK}"))
    return tuple(made)


_FORMULAS: Final[dict[Name, str]] = {
    "catch_rate": "both fail ÷ people fail",
    "specificity": "both pass ÷ people pass",
    "precision": "both fail ÷ judge fails",
    "auto_rate": "judge passes ÷ all judged",
    "human_rate": "people pass ÷ all with people's verdict",
    "corrected_rate": "",
}


def _corrected(one: Rate, block: PassBlock, cells: Cells) -> tuple[Step, ...]:
    found = block.corrected
    made = [Step("What it is", MEANINGS[one.name])]
    passed, failed = cells.both_pass + cells.missed, cells.both_fail + cells.alarmed
    share = block.auto_rate or 0.0
    by_verdict = share * (cells.both_pass / passed if passed else 0.5) + (1 - share) * (
        cells.alarmed / failed if failed else 0.5
    )
    if found.method == "post_stratified" and abs(by_verdict - (one.value or 0)) < 1e-9:
        made.append(
            Step(
                TITLES[one.name],
                "judge's pass share × people's passes among them + judge's fail share × people's "
                f"passes among them = {share:.4f} × {_part(cells.both_pass, passed)} + "
                f"{1 - share:.4f} × {_part(cells.alarmed, failed)} = {one.value:.4f}",
            )
        )
    else:
        made.append(Step(TITLES[one.name], f"{one.value:.4f} from {one.n:,} labels."))
    if found.because:
        made.append(Step("Why so", upper_first(found.because)))
    if one.low is not None and one.high is not None:
        made.append(Step("Interval", f"{one.low:.4f} to {one.high:.4f}. {ONE_LOOK}"))
    return tuple(made)


def _part(hits: int, n: int) -> str:
    return f"{hits:,}/{n:,}" if n else "½ (no label there)"
