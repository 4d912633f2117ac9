"""Whether to rely on a judge, in the sentences that window, report and gate share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.domain.wording import (
    brief,
    counted,
    gap_words,
    in_percent,
    level_percent,
    listed,
    percent,
    percent_span,
    short,
    signed,
    two,
    upper_first,
)
from reviewer.services.figures.statistics_blocks import MetricBlock, TrustBlock
from reviewer.stats.alternative import AltTest
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.trust import ORDER, Finding, Name, State

WORDS: Final[Mapping[State, str]] = {
    "rely": "rely on it",
    "do_not_rely": "do not rely on it",
    "cannot_be_said": "cannot be said yet",
}
NAMES: Final = {
    "caught": "fails caught",
    "reach": "share of people's agreement",
    "gap": "mean gap",
}
_PLACES: Final = {"inside": "inside", "outside": "outside", "open": "not settled"}
SUBJECTS: Final = {
    "caught": "what it catches",
    "reach": "how it agrees",
    "gap": "how far it is off",
}
MOST_WANTED: Final = 2000
"""Labels above which no number is given: nobody gives so many to settle one limit."""
NOTHING: Final = "Nobody has labelled anything here yet."
APART: Final = "No response here has both people's labels and a judge's score."


def worst_first(blocks: Sequence[MetricBlock]) -> list[MetricBlock]:
    """Sort metrics by what their labels say; of one state the rubric's order stays."""
    return sorted(blocks, key=lambda one: ORDER.index(one.trust.trust.state))


def headline(blocks: Sequence[MetricBlock]) -> str:
    """Answer over all metrics in one to three short sentences, the worst first."""
    if not any(one.trust.labelled for one in blocks):
        return APART if any(one.gaps.n_human for one in blocks) else NOTHING
    named: dict[State, list[str]] = {}
    for one in blocks:
        named.setdefault(one.trust.trust.state, []).append(one.title)
    every = len(named) == 1 and len(blocks) > 2
    first, *others = [state for state in ORDER if state in named]
    titles = {
        state: ("any metric" if state == "cannot_be_said" else f"all {len(blocks)} metrics")
        if every
        else listed(found)
        for state, found in named.items()
    }
    said = [_FIRST[first].format(titles[first])]
    return " ".join(said + [_NEXT[state].format(titles[state]) for state in others])


_FIRST: Final[Mapping[State, str]] = {
    "do_not_rely": "Do not rely on this judge for {}.",
    "cannot_be_said": "It cannot be said yet whether to rely on this judge for {}.",
    "rely": "Rely on this judge for {}.",
}
_NEXT: Final[Mapping[State, str]] = {
    "do_not_rely": _FIRST["do_not_rely"],
    "cannot_be_said": "For {} it cannot be said yet.",
    "rely": "Rely on it for {}.",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one metric.

    Attributes:
        state: As it is decided.
        words: The state in words.
        sentences: One for each figure that there is, the decisive ones first.
        next: What would settle it, nothing where it is settled.
    """

    state: State
    words: str
    sentences: tuple[str, ...]
    next: str = ""

    @property
    def text(self) -> str:
        """Give all of it."""
        return " ".join(filter(None, (*self.sentences, self.next)))


def told(block: MetricBlock) -> Told:
    """Say what a metric's labels say of its judge."""
    found = block.trust
    state = found.trust.state
    places = ("outside", "open", "inside", "absent")
    if state == "cannot_be_said":
        places = ("open", "inside", "absent", "outside")
    ranked = sorted(found.trust.findings, key=lambda one: places.index(one.place))
    said = [words for one in ranked if (words := _sentence(one, found))]
    nothing = APART if block.gaps.n_human else NOTHING
    return Told(state, WORDS[state], tuple(said) or (nothing,), _next(found))


def sentence(block: MetricBlock) -> str:
    """Say all of a metric in one line that stands alone."""
    found = told(block)
    return f"{block.title}: {found.words}. {found.text}"


def _sentence(one: Finding, block: TrustBlock) -> str:
    if one.name == "caught":
        return _of_caught(one, block)
    return _of_reach(one, block) if one.name == "reach" else _of_gap(one)


def _of_caught(one: Finding, block: TrustBlock) -> str:
    if not block.labelled or not one.exists:
        return ""
    if one.value is None:
        return f"People failed none of {counted(block.labelled, 'response')}."
    if one.low is None or one.high is None:
        caught = round(one.value * one.n)
        return f"People failed only {counted(one.n, 'response')}; it caught {caught} of them."
    if one.place == "inside":
        around = percent_span(one.low, one.high)
        return f"It catches {percent(one.value)} of what people fail ({around})."
    around = percent_span(1 - one.high, 1 - one.low)
    return f"It misses {percent(1 - one.value)} of what people fail ({around})."


def _of_reach(one: Finding, block: TrustBlock) -> str:
    reached = block.reached
    if not one.exists or reached is None or reached.people is None or reached.judge is None:
        return ""
    sign = FIGURES[reached.name].title
    both = f"people agree with each other at {sign} {two(reached.people)}, the judge with them at"
    said = f"{both} {two(reached.judge)} (n {reached.n:,})"
    if one.value is None:
        return f"{upper_first(said)[:-1]}: {one.why}."
    if one.low is None or one.high is None:
        return f"{upper_first(said)[:-1]}: {one.why}." if one.why else upper_first(said)
    around = percent_span(one.low, one.high)
    return upper_first(f"{said}: {percent(max(one.value, 0))} of theirs ({around})")


def _of_gap(one: Finding) -> str:
    if one.value is None:
        return ""
    if one.low is None or one.high is None:
        return f"Its mean gap is {signed(one.value)} on {counted(one.n, 'response')}."
    if one.place == "inside":
        return f"Its mean gap {signed(one.value)} lies inside ±{brief(one.limit)}."
    if one.low <= 0 <= one.high:
        around = f"{signed(one.low)} to {signed(one.high)}"
        return f"Its mean gap is {signed(one.value)} ({around}), and ±{brief(one.limit)} matters."
    # people's score minus the judge's
    side = "too high" if one.value < 0 else "too low"
    low, high = sorted((abs(one.low), abs(one.high)))
    return f"It scores {two(abs(one.value))} {side} ({two(low)} – {two(high)})."


def _next(block: TrustBlock) -> str:
    if block.trust.state != "cannot_be_said" or not block.labelled:
        return ""
    wanted = {one.name: block.wanted(one.name) for one in block.trust.findings}
    short = shortage(block)
    if short is not None:
        return upper_first(short.words)
    if None in wanted.values():
        return "More responses labelled by two people each come first."
    most = max(more or 0 for more in wanted.values())
    if most > MOST_WANTED:
        slow = listed([SUBJECTS[x] for x, more in wanted.items() if (more or 0) > MOST_WANTED])
        return f"More than {MOST_WANTED:,} labels would be wanted to tell {slow}."
    if wanted["reach"] == most:
        more = counted(round(most), "more response")
        return f"About {more}, labelled by two people each, would tell."
    return f"About {counted(round(most), 'more label')}, drawn by chance, would tell."


@dataclass(frozen=True, slots=True)
class Shortage:
    """Too few responses are left to settle a metric.

    Attributes:
        left: How many people can still label.
        people: How many have to label each.
        words: What all of them would tell.
    """

    left: int
    people: int
    words: str


def shortage(block: TrustBlock) -> Shortage | None:
    """Tell what all responses that are left would tell, where that settles nothing."""
    short = [one.name for one in block.trust.findings if _is_short(one.name, block)]
    if not short or not block.scored:
        return None
    left = max(block.left(name) for name in short)
    people = 2 if "reach" in short else 1
    each = " by two people each" if people == 2 else ""
    there = (
        f"only {counted(left, 'more response')} here can be labelled{each}"
        if left
        else f"all responses here are labelled{each}"
    )
    known = ", and ".join(_known(name, block, left) for name in short)
    return Shortage(left, people, f"{there}: {known}; more runs are needed")


def _is_short(name: Name, block: TrustBlock) -> bool:
    """Tell whether there are too few responses for a figure to tell, were it to stay."""
    more, left = block.wanted(name), block.left(name)
    return not left if more is None else more > left


def _known(name: Name, block: TrustBlock, left: int) -> str:
    width = block.within(name)
    if width is None:
        return f"too little to tell {SUBJECTS[name]}"
    near = two(width) if name == "gap" else percent(width)
    known = "would be" if left else "is"
    return f"{SUBJECTS[name]} {known} known to about ±{near}, too wide to tell"


def reasons(block: TrustBlock) -> tuple[str, ...]:
    """Name each figure with its value, interval and limit, and where it lies."""
    made = []
    for one in block.trust.findings:
        name = NAMES[one.name]
        if one.place == "absent":
            made.append(f"{name}: left out, {one.why}")
            continue
        limit = f"±{brief(one.limit)}" if one.name == "gap" else f"at least {brief(one.limit)}"
        value = "no figure" if one.value is None else brief(one.value)
        around = ""
        if one.low is not None and one.high is not None:
            around = f" ({level_percent(block.trust.level)} {brief(one.low)} to {brief(one.high)})"
        why = f", {one.why}" if one.why else ""
        made.append(
            f"{name} {value}{around}, n = {one.n:,}{why}; limit {limit}: {_PLACES[one.place]}"
        )
    return tuple(made)


def may_replace(blocks: Sequence[MetricBlock]) -> str:
    """Say whether the judge may take a labeler's place, metrics of one answer together."""
    named: dict[str, list[str]] = {}
    for one in blocks:
        named.setdefault(_represents(one.trust.alternative), []).append(one.title)
    return " ".join(f"{listed(titles)}: {words}." for words, titles in named.items())


def _represents(found: AltTest) -> str:
    if found.omega is None:
        return f"{found.reason}"
    beaten, every = sum(one.beaten for one in found.held), len(found.held)
    note = f" ({found.note})" if found.note else ""
    if not beaten:
        return f"the judge represents the others worse than each of {every} labelers does{note}"
    do = "does" if beaten == 1 else "do"
    who = f"{beaten} of {every}" if beaten < every else f"all {every}"
    return f"the judge represents the others better than {who} labelers {do}{note}"


def without_decisions(block: MetricBlock) -> str:
    """Say the figures without decisions made where both differ, nothing where there are none."""
    if block.undecided is None:
        return ""
    name = block.coefficient
    title = FIGURES[name].sign
    found = block.undecided.found
    same, value, bias = found["percent"], found[name], found["bias"]
    parts = [] if same is None else [f"{in_percent(same)} the same"]
    if value is not None:
        parts.append(f"{title} {short(value)}")
    if bias is not None and block.gaps.ordered:
        parts.append(f"mean gap {gap_words(bias)}")
    decisions = counted(block.undecided.n, "decision")
    return f"Without {decisions} made where judge and people differ: {', '.join(parts)}."
