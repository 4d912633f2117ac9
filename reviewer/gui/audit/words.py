"""How figures are written on the Audit page: never alone, never looking surer than they are."""

from collections.abc import Mapping

from reviewer.domain.wording import DASH, gap_words, in_percent, short, upper_first
from reviewer.gui.kit.grid import Cell
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.statistics_blocks import Correction, GapBlock
from reviewer.stats.agreement import Agreement
from reviewer.stats.figure import COEFFICIENTS_FROM, WORDS_FROM


def ends(low: float | None, high: float | None) -> str:
    """Write an interval."""
    return "" if low is None or high is None else f"{short(low)} – {short(high)}"


def figure(value: float | None, undefined: Mapping[str, str], name: str, role: str = "") -> Cell:
    """Make a cell of a mean; undefined is a dash with its reason."""
    if value is None:
        return Cell(DASH, "muted", tip=undefined.get(name, "It is not defined here."))
    return Cell(short(value), role)


def labelled(gaps: GapBlock) -> Cell:
    """Make the cell that says how many are labelled inside the window."""
    n = gaps.deviations.n_labelled
    tip = f"{gaps.n_auto:,} with an auto score, {gaps.n_human:,} with a human score, {n:,} with "
    return Cell(f"{n:,}", tip=tip + f"both inside the window, {gaps.n_blind:,} of them blind.")


def band(gaps: GapBlock) -> Cell:
    """Make the cell of the error band with what it comes from."""
    found, shown = gaps.deviations, gaps.shown_band
    if shown.value is None and shown.gate is None:
        return Cell(DASH, "muted", tip=shown.note)
    tip = (
        f"Upper deviation {short(found.upper)}, lower deviation {short(found.lower)}; people "
        f"scored higher {found.n_higher:,} times, lower {found.n_lower:,} times, the same "
        f"{found.n_equal:,} times."
    )
    if shown.value is None:
        return Cell(DASH, "muted", tip=f"{shown.note} {tip}", below=gate(shown))
    return Cell(gap_words(shown.value), tip=tip)


def deviation(gaps: GapBlock, value: float | None, name: str) -> Cell:
    """Make the cell of the upper or the lower deviation, with the gaps on its side."""
    found = gaps.deviations
    side, n = ("higher", found.n_higher) if name == "upper" else ("lower", found.n_lower)
    told = f"People scored {side} {n:,} times."
    if value is None:
        why = gaps.undefined.get(f"{name}_deviation", "")
        return Cell(DASH, "muted", tip=f"{upper_first(why)}. {told}" if why else told)
    return Cell(gap_words(value), tip=told, below=f"{n:,} {side}")


def adjusted(shown: BandOrScore) -> Cell:
    """Make the cell of an adjusted mean; without a band there is none."""
    if shown.value is None:
        return Cell(DASH, "muted", tip=shown.note, below=gate(shown))
    return Cell(short(shown.value), "adjusted", tip=shown.note, below=shown.mark)


def gate(shown: BandOrScore) -> str:
    """Say how many labels a band has of how many, nothing where that is not what is missing."""
    return f"{shown.gate.n:,} of {shown.gate.limit:,}" if shown.gate is not None else ""


def corrected(found: Correction) -> Cell:
    """Make the cell of the corrected mean with its interval."""
    if found.mean is None:
        why = found.reason or "There is no corrected mean here."
        return Cell(DASH, "muted", tip=upper_first(why))
    tip = f"From {found.n:,} labelled evaluations, method {found.method}"
    tip += f"; {found.n_excluded:,} left out." if found.n_excluded else "."
    if found.low is None:
        tip += f" No interval: {found.reason}."
        return Cell(short(found.mean), "adjusted", tip=tip, below="no interval")
    return Cell(short(found.mean), "adjusted", tip=tip, below=ends(found.low, found.high))


def kappa(found: Agreement, name: str) -> Cell:
    """Make the cell of a coefficient with its interval; too few pairs give no number."""
    value = found[name]
    if found.n_table < COEFFICIENTS_FROM:
        tip = f"{found.n_table} of the {COEFFICIENTS_FROM} pairs that a coefficient needs."
        return Cell(DASH, "muted", tip=found.undefined.get(name, tip))
    if value is None:
        return Cell(DASH, "muted", tip=found.undefined.get(name, ""))
    interval = found.intervals.get(name)
    tip = f"{counted(found):,} pairs"
    if left_out(found):
        tip += f", {left_out(found)} left out"
    if interval is not None:
        tip += f"; 95 % {ends(interval.low, interval.high)}"
    elif name in found.without_interval:
        tip += f"; no interval: {found.without_interval[name]}"
    below = "" if interval is None else ends(interval.low, interval.high)
    told = "; ".join(part for part in (tip, convention(found, name), found.note) if part)
    return Cell(short(value), tip=told, below=below)


def thin(found: Agreement) -> str:
    """Say how many labels are missing, nothing where there are enough."""
    n = counted(found)
    return "" if n >= WORDS_FROM else f"{n} of {WORDS_FROM} labels"


def counted(found: Agreement) -> int:
    """Count the pairs behind a judgement; a scale without levels has exact pairs only."""
    return found.n_table or found.n


def missing(found: Agreement) -> str:
    """Say that labels are too few, nothing where there are enough."""
    n = counted(found)
    return f"not enough labels: {n} of {WORDS_FROM}" if n < WORDS_FROM else ""


def convention(found: Agreement, name: str) -> str:
    """Give the usual word for a coefficient with its source, which stands in no sentence.

    The bands were made for plain kappa; quadratic kappa reads higher for the same data.
    """
    word = found.figure(name).word
    return missing(found) or (f"{word} in the words of Landis and Koch (1977)" if word else "")


def left_out(found: Agreement) -> str:
    """Say how many labelled responses the table of judge and people leaves out, and why."""
    n = found.n - counted(found)
    if not n:
        return ""
    return f"{n:,} between levels" if found.n_off_level else f"{n:,} without a majority"


def shares(found: Agreement) -> str:
    """Say how many pairs there are and how often both say the same."""
    parts, these = [f"{found.n:,} labelled"], ""
    if left_out(found):
        parts = [f"{found.n:,} labelled, {left_out(found).replace(' ', ' of them ', 1)}"]
        these = f"of the other {found.n_table:,}, "
    same, near = found["percent"], found["within_one"]
    if same is not None:
        parts.append(f"{these}{in_percent(same)} the same")
    if near is not None:
        parts.append(f"{in_percent(near)} within 1")
    if found.weighted:
        parts.append("weighted by the chances they were drawn with")
    if found.n_chosen:
        parts.append(f"{found.n_chosen:,} left out, as somebody chose them")
    if found.n_unknown:
        parts.append(f"how {_of_all(found.n_unknown, found.n)} chosen is unknown")
    return " · ".join(parts)


def _of_all(n: int, whole: int) -> str:
    return "they were" if n == whole else f"{n:,} of them were"


def correction_sentence(found: Correction) -> str:
    """Say the corrected mean with its interval, or why there is none."""
    if found.mean is None:
        return f"No corrected mean: {found.reason}." if found.reason else ""
    if found.low is None:
        return (
            f"Corrected mean {short(found.mean)}, no interval: {found.reason} (n = {found.n:,})."
        )
    interval = ends(found.low, found.high)
    return f"Corrected mean {short(found.mean)}, 95 % {interval} (n = {found.n:,})."
