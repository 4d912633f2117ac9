"""What is said of figures: what they mean and hide, which labels count, how a judge leans.

Of agreement it is said which labelled evaluations count and what each weighs. No difference found
is no proof of none: "neither too high nor too low" is said only where the whole interval of the
bias is too near to 0 to matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import (
    counted,
    fixed,
    in_percent,
    percent,
    percent_span,
    signed,
    two,
    upper_first,
)
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.selection import Selection
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.stats.agreement import Agreement
from reviewer.stats.figure import COEFFICIENTS_FROM, WORDS_FROM, Figure, one_class_dominates
from reviewer.stats.intervals import BY_LEVEL, Interval, Weights, weights_of
from reviewer.stats.pairs import Evidence, places
from reviewer.stats.values import LabelTable, SelectionRule


def written(figure: Figure) -> str:
    """Write a figure: a share in percent, any other with two decimals."""
    if figure.value is None:
        return "—"
    return in_percent(figure.value) if figure.is_share else two(figure.value)


def ends(figure: Figure) -> str:
    """Write the interval of a figure, nothing where there is none."""
    one = figure.interval
    if one is None:
        return ""
    if figure.is_share:
        return percent_span(one.low, one.high)
    return f"{two(one.low)} – {two(one.high)}"


def too_few(figure: Figure) -> str:
    """Say how many pairs a figure needs, nothing where there are enough."""
    if figure.n >= COEFFICIENTS_FROM:
        return ""
    return f"{figure.n} of the {COEFFICIENTS_FROM} pairs that a coefficient needs."


def skew_note(
    found: Agreement,
    evidence: Evidence,
    values: Sequence[Value],
    who: tuple[str, str] = ("people", "the judge"),
) -> str | None:
    """Say what a coefficient hides where one class dominates or one side says one thing only.

    Args:
        found: The agreement of both.
        evidence: What it was computed from.
        values: The declared values, as the rubric writes them.
        who: Whose labels make the rows of the table, and whose the columns.
    """
    table, kappa, alike = evidence.table, found["kappa"], found["percent"]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if kappa is None or not rows.any():
        return None
    for name, sums in zip(who, (rows, columns), strict=True):
        if np.count_nonzero(sums) == 1:
            only = values[int(sums.argmax())]
            whoever = f"{name[:1].upper()}{name[1:]}"
            return f"{whoever} gave one score only, {only}: nothing tells agreement from it."
    if not one_class_dominates(alike, kappa):
        return None
    most = int(rows.argmax())
    same, rest = table[most, most] / table[most].sum(), np.delete(table, most, axis=0)
    others = float(np.trace(table) - table[most, most]) / float(rest.sum())
    return (
        f"One class dominates: {percent(alike or 0.0)} are the same, yet kappa is "
        f"{two(kappa)}. Where {who[0]} gave {values[most]} (n = {_size(rows[most])}) "
        f"{who[1]} gave the same in {percent(float(same))}, elsewhere "
        f"(n = {_size(rows.sum() - rows[most])}) in {percent(others)}."
    )


def left_out_words(found: Agreement, label_table: LabelTable) -> list[str]:
    """Say what the table of judge and people leaves out."""
    made = []
    if found.n_no_majority and label_table == "majority":
        made.append(f"Left out, without a majority label: {found.n_no_majority:,}.")
    if found.n_off_level:
        made.append(f"Between levels, so in no table: {counted(found.n_off_level, 'label')}.")
    return made


def _size(number: float) -> str:
    """Write how many evaluations stand behind a figure; shared ones need not be whole."""
    return fixed(number, 0) if round(number, 9).is_integer() else fixed(number, 1)


def joined(*notes: str | None) -> str | None:
    """Join notes to one text, None where there is none."""
    return " ".join(note for note in notes if note) or None


State = Literal["unlabelled", "too_few", "unordered", "too_high", "too_low", "neither", "open"]
QUARTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Leaning:
    """Which way a judge leans on a metric, in words that its labels support.

    Attributes:
        limit: The bias that would matter, None on a scale without ends.
        n: The labelled evaluations of the bias that it speaks of, None where it speaks of none.
        before, figure, after: The sentence around what is printed in bold; `figure` may be empty.
    """

    state: State
    limit: float | None
    before: str
    figure: str = ""
    after: str = ""
    n: int | None = None

    @property
    def sentence(self) -> str:
        """Give the whole sentence."""
        return upper_first(" ".join(filter(None, (self.before, self.figure, self.after))))

    def to_json(self) -> dict[str, Any]:
        """Give the state and the sentence, and limit and n where there are any."""
        found: dict[str, Any] = {"state": self.state, "sentence": self.sentence}
        more = {"limit": self.limit, "n": self.n}
        return found | {name: value for name, value in more.items() if value is not None}


def leaning(metric: Metric, found: Agreement, matters: float, labelled: int) -> Leaning:
    """Say which way a judge leans, by its bias against people.

    Args:
        metric: Whose scores they are.
        found: Agreement of judge and people.
        matters: From which bias on it matters, in levels.
        labelled: How many responses people labelled, with a score of the judge or without.
    """
    title, limit, bias = metric.heading, bias_that_matters(metric, matters), found["bias"]
    if not found.n:
        unlabelled = f"Nobody has labelled {title} in this scope yet."
        if labelled:
            unlabelled = (
                f"No response in this scope has both labels and a judge's score of {title}."
            )
        if not metric.is_labelled:
            unlabelled = f"{title} is computed; people are not asked for it."
        return Leaning("unlabelled", limit, unlabelled)
    if found.n < WORDS_FROM:
        missing = f"Not enough labels for a verdict on {title}: {found.n} of {WORDS_FROM}."
        return Leaning("too_few", limit, missing)
    if not metric.is_numeric or bias is None:
        same_in = found["percent"]
        share = "—" if same_in is None else in_percent(same_in)
        same = f"Judge and people give the same {title} in"
        return Leaning("unordered", limit, same, share, "of the cases.")
    interval = found.intervals.get("bias")
    if interval is None or interval.low <= 0 <= interval.high:
        return replace(_undecided(title, limit, interval), n=found.n)
    side = "too high" if bias < 0 else "too low"
    state: State = "too_high" if bias < 0 else "too_low"
    figure = f"{two(abs(bias))} {side}"
    return Leaning(state, limit, f"The judge scores {title}", figure, n=found.n)


def _undecided(title: str, limit: float | None, interval: Interval | None) -> Leaning:
    before = f"Whether the judge scores {title} too high or too low"
    open_still = "cannot be said yet"
    if interval is None:
        return Leaning("open", limit, before, open_still)
    if limit is not None and max(-interval.low, interval.high) <= limit + 1e-9:
        before = f"On average the judge scores {title}"
        return Leaning("neither", limit, before, "neither too high nor too low")
    after = f"– its bias lies between {signed(interval.low)} and {signed(interval.high)}"
    if limit is not None:
        after += f", and ±{two(limit)} would matter"
    return Leaning("open", limit, before, open_still, f"{after}.")


def bias_that_matters(metric: Metric, levels: float) -> float | None:
    """Give the bias from which on it matters, of levels or of quarters of a range.

    Passes and fails are a range from 0 to 1, as 25 points of a rate matter in any case.
    """
    if metric.bounds is None:
        return None
    low, high = metric.bounds
    steps = len(metric.levels) - 1 if metric.kind.steps_from_levels else QUARTERS
    return levels * (high - low) / max(steps, 1)


BY_LEVELS = (
    "Labels were chosen by the judge's scores: each score counts by its share among all that the "
    "judge gave."
)
BY_VERDICT = (
    "Labels were chosen by the judge's scores: each verdict counts by its share among all judged."
)
BY_CHANCE = (
    "Evaluations were drawn with different chances: each counts 1 over the chance it was drawn "
    "with."
)
NO_LEVELS = (
    "Labels were chosen by the judge's scores, which have no levels here: the figures are not "
    "weighted and may differ from those of all evaluations."
)
WORDLESS = "evaluations that somebody chose count beside those that chance drew"
MIXED = (
    "Evaluations that somebody chose count beside those that chance drew, and not all have a "
    "probability: all count 1, and nothing is put in words."
)


def counted_rows(whole: FigureTable, table: MetricTable, selection: SelectionRule) -> Ints:
    """Give the evaluations with auto score and labels that count, whatever their date."""
    return np.flatnonzero(table.both & ~whole.selection.left_out(selection))


def weights_at(
    whole: FigureTable, table: MetricTable, rows: Ints, selection: SelectionRule
) -> Weights | None:
    """Give what each of some evaluations counts on a metric; None where all count 1."""
    chances = whole.selection.at(rows).chances(selection)
    if chances is None:
        return None
    scale = scale_of(table.metric)
    if scale is None:
        return weights_of(chances, None, None)
    judged = judged_levels(table.metric, table.auto) if (chances.worth == BY_LEVEL).any() else None
    return weights_of(chances, places(table.auto[rows], scale)[0], judged)


def judged_levels(metric: Metric, auto: Floats) -> Floats | None:
    """Count all auto scores by their nearest level; None for a scale without levels."""
    scale = scale_of(metric)
    if scale is None:
        return None
    place, _ = places(auto[np.isfinite(auto)], scale)
    return np.bincount(place, minlength=len(scale.values)).astype(np.float64)


def chosen_notes(
    whole: FigureTable, table: MetricTable, selection: SelectionRule
) -> list[str | None]:
    """Say how the labelled evaluations of a metric were chosen, and what that makes of them."""
    rows = counted_rows(whole, table, selection)
    n_left = int(np.count_nonzero(table.both)) - rows.size
    return [
        selection_note(whole.selection.at(rows), n_left, selection),
        weights_note(whole, table, rows, selection),
    ]


def selection_note(found: Selection, n_left: int, selection: SelectionRule) -> str | None:
    """Say how labelled evaluations were chosen, where that is not by chance.

    Args:
        found: Those that count.
        n_left: How many are left out.
        selection: Which are asked for.
    """
    if n_left:
        return left_out_note(n_left)
    if found.is_mixed(selection):
        return MIXED
    chosen = int(found.chosen.sum())
    return none_drawn_note(chosen) if chosen and not found.has_drawn else None


def left_out_note(n: int) -> str:
    """Say how many evaluations do not count, since somebody chose them."""
    how = "by browsing, by searching or where opinions differ"
    return f"Left out, as somebody chose them {how}: {n:,}."


def none_drawn_note(n: int) -> str:
    """Say that evaluations count which somebody chose, as chance drew none."""
    said = counted(n, "labelled evaluation was", "labelled evaluations were")
    return (
        f"No evaluation was drawn by chance: {said} chosen by browsing, by searching or where "
        "opinions differ, so that the figures may not hold for the others."
    )


def weights_note(
    whole: FigureTable, table: MetricTable, rows: Ints, selection: SelectionRule
) -> str | None:
    """Say how the labels of a metric were weighted, None where they count alike."""
    chances = whole.selection.at(rows).chances(selection)
    if chances is None:
        return None
    metric, by_level = table.metric, chances.worth == BY_LEVEL
    scale, judged = scale_of(metric), judged_levels(metric, table.auto)
    if by_level.any() and scale is None:
        return NO_LEVELS
    said: str | None = BY_LEVELS if by_level.all() else BY_CHANCE
    if weights_at(whole, table, rows, selection) is None:
        said = None
    if scale is None or judged is None or not chances.of_strata:
        return said
    labelled = np.bincount(places(table.auto[rows], scale)[0], minlength=judged.size)
    bare = np.flatnonzero((labelled == 0) & (judged > 0)).tolist()
    named = ", ".join(str(scale_values(metric)[at]) for at in bare)
    return joined(said, f"Nothing is known yet where the judge gave {named}." if named else None)
