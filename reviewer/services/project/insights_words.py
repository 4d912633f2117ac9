"""How figures are written in sentences."""

from collections.abc import Sequence


def two(value: float) -> str:
    """Write a figure with two decimals and a true minus."""
    return f"{round(value, 2) + 0.0:,.2f}".replace("-", "−")


def signed(value: float) -> str:
    """Write a difference with its sign; nothing before zero."""
    rounded = round(value, 2) + 0.0
    return f"+{two(value)}" if rounded > 0 else two(value)


def plain(value: float) -> str:
    """Write a level without needless decimals."""
    return f"{value:,.3f}".rstrip("0").rstrip(".").replace("-", "−")


def level_percent(level: float) -> str:
    """Write the level of an interval, with as many decimals as tell what it leaves open."""
    for digits in range(4):
        text = f"{100 * level:.{digits}f}"
        if abs(float(text) - 100 * level) <= 0.05 * min(100 * (1 - level), 1.0):
            return f"{text} %"
    return f"{100 * level:.4f} %"


def percent(share: float) -> str:
    """Write a share in whole percents; nearly all and nearly none are not rounded away."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "over 99 %"
    return "under 1 %" if whole == 0 and share > 0 else f"{whole} %"


def decimals(amount: float) -> int:
    """Give the decimals that an amount of money takes: two digits that say something, at least.

    Cents are the least, as in `$1.50`; `$0.000040` has six.
    """
    exponent = int(f"{amount:.1e}".partition("e")[2])
    return max(2, 1 - exponent) if amount else 2


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
