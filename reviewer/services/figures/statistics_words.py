"""What figures of agreement mean in words, and what they hide where one class dominates."""

from collections.abc import Sequence

import numpy as np

from reviewer.domain.values import Value
from reviewer.services.project.insights_words import counted, percent, two
from reviewer.stats.agreement import Agreement
from reviewer.stats.pairs import Evidence
from reviewer.stats.values import LabelTable
from reviewer.stats.words import one_class_dominates, word_of

CHANCE_CORRECTED = (
    "kappa", "kappa_linear", "kappa_quadratic", "fleiss", "ac1", "ac2", "alpha_nominal",
    "alpha_ordinal", "alpha_interval",
)  # fmt: skip
"""The coefficients that the bands of Landis and Koch are used for."""


def wording(found: Agreement, name: str) -> str:
    """Word a coefficient by the lower end of its interval; nothing below 30 pairs."""
    if found.wordless is not None:
        return ""
    if name in ("ac1", "ac2") and "kappa" in found.undefined and found.percent == 1:
        # everyone gave the same score: there is no chance to correct for
        return ""
    exact = name == "alpha_interval" or not found.n_table
    n = found.n if exact else found.n_table
    return word_of(name, getattr(found, name), found.intervals.get(name), n)


def wordings(found: Agreement) -> dict[str, str]:
    """Word every coefficient that is corrected for chance, by name."""
    made = {name: wording(found, name) for name in CHANCE_CORRECTED}
    return {name: word for name, word in made.items() if word}


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
    table = evidence.table
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if found.kappa is None or not rows.any():
        return None
    for name, sums in zip(who, (rows, columns), strict=True):
        if np.count_nonzero(sums) == 1:
            only = values[int(sums.argmax())]
            return f"{_first(name)} gave one score only, {only}: nothing tells agreement from it."
    if not one_class_dominates(found.percent, found.kappa):
        return None
    most = int(rows.argmax())
    same, rest = table[most, most] / table[most].sum(), np.delete(table, most, axis=0)
    others = float(np.trace(table) - table[most, most]) / float(rest.sum())
    return (
        f"One class dominates: {percent(found.percent or 0.0)} are the same, yet kappa is "
        f"{two(found.kappa)}. Where {who[0]} gave {values[most]} (n = {_size(rows[most])}) "
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
    return f"{number:,.0f}" if round(number, 9).is_integer() else f"{number:,.1f}"


def joined(*notes: str | None) -> str | None:
    """Join notes to one text, None where there is none."""
    return " ".join(note for note in notes if note) or None


def _first(words: str) -> str:
    return words[:1].upper() + words[1:]
