"""What figures of agreement mean in words, and what they hide where one class dominates."""

from collections.abc import Sequence

import numpy as np

from reviewer.domain.values import Value
from reviewer.services.project.insights_words import percent, two
from reviewer.stats.agreement import Agreement
from reviewer.stats.levels import weighted
from reviewer.stats.pairs import Evidence
from reviewer.stats.words import WORDS_FROM, at_least, one_class_dominates, reliability

CHANCE_CORRECTED = (
    "kappa", "kappa_linear", "kappa_quadratic", "fleiss", "ac1", "ac2", "alpha_nominal",
    "alpha_ordinal", "alpha_interval",
)  # fmt: skip
"""The coefficients that the bands of Landis and Koch are used for."""


def wording(found: Agreement, name: str) -> str:
    """Word a coefficient by the lower end of its interval; nothing below 30 pairs."""
    value, interval = getattr(found, name), found.intervals.get(name)
    exact = name == "alpha_interval" or not found.n_table
    if (found.n if exact else found.n_table) < WORDS_FROM or value is None or interval is None:
        return ""
    if name in ("ac1", "ac2") and "kappa" in found.undefined and found.percent == 1:
        # everyone gave the same score: there is no chance to correct for
        return ""
    said = at_least(interval.low)
    return f"{said}, {reliability(interval.low)}" if name.startswith("alpha") else said


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
    rows, columns = evidence.table.sum(axis=1), evidence.table.sum(axis=0)
    if found.kappa is None or not rows.any():
        return None
    for name, sums in zip(who, (rows, columns), strict=True):
        if np.count_nonzero(sums) == 1:
            only = values[int(sums.argmax())]
            return f"{_first(name)} gave one score only, {only}: nothing tells agreement from it."
    if not one_class_dominates(found.percent, found.kappa):
        return None
    table, most = weighted(evidence).table, int(rows.argmax())
    same, rest = table[most, most] / table[most].sum(), np.delete(table, most, axis=0)
    others = float(np.trace(table) - table[most, most]) / float(rest.sum())
    return (
        f"One class dominates: {percent(found.percent or 0.0)} are the same, yet kappa is "
        f"{two(found.kappa)}. Where {who[0]} gave {values[most]} (n = {int(rows[most]):,}) "
        f"{who[1]} gave the same in {percent(float(same))}, elsewhere "
        f"(n = {int(rows.sum() - rows[most]):,}) in {percent(others)}."
    )


def joined(*notes: str | None) -> str | None:
    """Join notes to one text, None where there is none."""
    return " ".join(note for note in notes if note) or None


def _first(words: str) -> str:
    return words[:1].upper() + words[1:]
