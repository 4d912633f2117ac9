"""What figures of agreement mean in words, and what they hide where one class dominates."""

from collections.abc import Sequence

import numpy as np

from reviewer.domain.values import Value
from reviewer.domain.wording import counted, fixed, in_percent, percent, percent_span, two
from reviewer.stats.agreement import Agreement
from reviewer.stats.figure import Figure
from reviewer.stats.pairs import Evidence
from reviewer.stats.values import LabelTable
from reviewer.stats.words import COEFFICIENTS_FROM, one_class_dominates


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
            return f"{_first(name)} gave one score only, {only}: nothing tells agreement from it."
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


def _first(words: str) -> str:
    return words[:1].upper() + words[1:]
