"""How numbers are written, and put into a sentence.

The only place that knows decimals, signs and units: a figure looks the same everywhere. The
minus is a true one, what is missing is a dash, and nothing is rounded to a zero with a sign.
"""

from collections.abc import Sequence

DASH = "—"
FINE = 10
"""Shared counts below this are written with two decimals."""
SURE, UNDER = 0.001, "under 0.001"
"""What p values are not told apart below, and how a sentence says so."""


def fixed(value: float | None, digits: int = 2) -> str:
    """Write a figure with so many decimals."""
    if value is None:
        return DASH
    # a negative zero has no sign
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def two(value: float) -> str:
    """Write a figure with two decimals."""
    return fixed(value)


def signed(value: float, digits: int = 2) -> str:
    """Write a difference with its sign; nothing before zero."""
    text = fixed(value, digits)
    return f"+{text}" if round(value, digits) > 0 else text


def short(value: float | None) -> str:
    """Write a figure with two decimals, a large one with fewer."""
    size = abs(value or 0.0)
    return fixed(value, 2 if size < 100 else 1 if size < 1000 else 0)


def trimmed(value: float, digits: int) -> str:
    """Write a figure with at most so many decimals."""
    text = fixed(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain(value: float) -> str:
    """Write a level without needless decimals."""
    return trimmed(value, 3)


def numeral(value: float | None) -> str:
    """Write a number of a formula, with up to four decimals."""
    return DASH if value is None else trimmed(value, 4)


def amount(count: float) -> str:
    """Write how many there are; what several labels share need not be whole."""
    return trimmed(round(count, 2 if count < FINE else 1), 2)


def p_words(p: float | None, least: str = "< 0.001") -> str:
    """Write a p value; `least` stands for those below a thousandth."""
    return least if p is not None and p < SURE else fixed(p, 3)


def score_words(value: float | bool | str | None, digits: int = 2) -> str:  # noqa: FBT001 - a value
    """Write a score: whole numbers bare, others rounded, categories by their name."""
    if value is None or isinstance(value, str):
        return DASH if value is None else value
    if float(value).is_integer():
        return f"{int(value)}".replace("-", "−")
    return trimmed(value, digits).replace(",", "")


def gap_words(value: float | None, digits: int = 2) -> str:
    """Write a gap with its sign, as scores are written."""
    if value is None:
        return DASH
    words = score_words(round(value, digits), digits)
    return f"+{words}" if round(value, digits) > 0 else words


def brief(value: float, digits: int = 4) -> str:
    """Write a number with so many digits that say something."""
    return as_typed(value, digits).replace("-", "−")


def as_typed(value: float, digits: int = 6) -> str:
    """Write a number as a command takes it, its minus a hyphen."""
    return f"{value:.{digits}g}"


def in_percent(value: float | None, digits: int = 1) -> str:
    """Write a share in percent with so many decimals."""
    return DASH if value is None else f"{fixed(100 * value, digits)} %"


def percent_span(low: float, high: float, digits: int = 0) -> str:
    """Write the ends of a share's interval."""
    return f"{fixed(100 * low, digits)} – {in_percent(high, digits)}"


def percent(value: float) -> str:
    """Write a share in whole percents; nearly all and nearly none are not rounded away."""
    whole = round(100 * value)
    if whole == 100 and value < 1:
        return "over 99 %"
    return "under 1 %" if whole == 0 and value > 0 else f"{whole} %"


def points(share: float) -> str:
    """Write a difference of shares in whole points."""
    rounded = round(100 * share) + 0
    return (f"+{rounded}" if rounded > 0 else f"{rounded}").replace("-", "−")


def level_percent(level: float) -> str:
    """Write the level of an interval, with as many decimals as tell what it leaves open."""
    for digits in range(4):
        text = f"{100 * level:.{digits}f}"
        if abs(float(text) - 100 * level) <= 0.05 * min(100 * (1 - level), 1.0):
            return f"{text} %"
    return f"{100 * level:.4f} %"


def decimals(value: float) -> int:
    """Give the decimals that an amount of money takes: two digits that say something, at least.

    Cents are the least, as in `$1.50`; `$0.000040` has six.
    """
    exponent = int(f"{value:.1e}".partition("e")[2])
    return max(2, 1 - exponent) if value else 2


def counted(n: int, one: str, many: str = "") -> str:
    """Write a number with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Join parts as in speech."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def upper_first(words: str) -> str:
    """Begin a sentence with a capital letter and end it with a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")
