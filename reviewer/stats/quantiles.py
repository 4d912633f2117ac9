"""Quantiles and tails of the normal, t and Beta distributions."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Final

_STANDARD: Final = NormalDist()
_TINY: Final = 1e-300
_STIRLING: Final = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)


def normal_quantile(p: float) -> float:
    """Give the standard normal value that a share p lies below, 0 < p < 1."""
    return _STANDARD.inv_cdf(p)


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """Give the value of Student's t with df degrees of freedom that a share p lies below.

    Raises:
        ValueError: unless 0 < p < 1 and df > 0.
    """
    if not 0 < p < 1 or not df > 0:
        raise ValueError(f"A t quantile needs 0 < p < 1 and df > 0; found p {p}, df {df}.")
    if p == 0.5:
        return 0.0
    tail = min(p, 1 - p)
    # two-sided: P(|T| > t) = I(df / 2, 1 / 2) at df / (df + t²)
    odds = _beta_odds(2 * tail, df / 2, 0.5)
    size = math.sqrt(df) * math.exp(-odds / 2)
    return size if p > 0.5 else -size


def t_two_sided(t: float, df: float) -> float:
    """Give the share of Student's t with df degrees of freedom that lies as far out as t.

    Raises:
        ValueError: unless df > 0.
    """
    if not df > 0:
        raise ValueError(f"A t distribution needs df > 0; found {df}.")
    if math.isinf(t):
        return 0.0
    # the far tail on the odds' scale: df / (df + t²) itself would round to 0 or 1
    return _both_tails(math.log(df) - 2 * math.log(abs(t)), df / 2, 0.5)[0] if t else 1.0


def normal_two_sided(z: float) -> float:
    """Give the share of the standard normal distribution that lies as far out as z."""
    return math.erfc(abs(z) / math.sqrt(2))


@lru_cache(maxsize=4096)
def beta_quantile(p: float, a: float, b: float) -> float:
    """Give the value of a Beta(a, b) variable that a share p lies below.

    Raises:
        ValueError: unless 0 <= p <= 1, a > 0 and b > 0.
    """
    if not 0 <= p <= 1 or not a > 0 or not b > 0:
        raise ValueError(
            f"A Beta quantile needs 0 <= p <= 1 and a, b > 0; found p {p}, a {a}, b {b}."
        )
    if p in {0, 1}:
        return float(p)
    odds = _beta_odds(p, a, b)
    return 1 / (1 + math.exp(-odds)) if odds > -700 else math.exp(odds)


def beta_cdf(x: float, a: float, b: float) -> float:
    """Give the share of a Beta(a, b) distribution below x (regularised incomplete beta)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    lower, _ = _both_tails(math.log(x) - math.log1p(-x), a, b)
    return lower


def _beta_odds(p: float, a: float, b: float) -> float:
    """Solve for the log odds of the quantile, on the smaller of both tails."""
    low, high = -1.0, 1.0
    while _both_tails(low, a, b)[0] > p:
        low *= 2
    while _both_tails(high, a, b)[0] < p:
        high *= 2
    # far from the start the lower tail behaves like odds ** a: Newton on its logarithm converges
    for _ in range(8):
        middle = 0.5 * (low + high)
        below = _both_tails(middle, a, b)[0]
        low, high = (middle, high) if below < p else (low, middle)
    side = 0 if p <= 0.5 else 1
    target = math.log(p if side == 0 else 1 - p)
    sign = 1 if side == 0 else -1

    def step(odds: float) -> tuple[float, float]:
        tail = max(_both_tails(odds, a, b)[side], _TINY)
        slope = sign * math.exp(_log_weight(odds, a, b)) / tail
        return math.log(tail) - target, slope

    return _newton(step, low, high, sign)


def _newton(
    step: Callable[[float], tuple[float, float]], low: float, high: float, sign: int
) -> float:
    at = 0.5 * (low + high)
    for _ in range(100):
        error, slope = step(at)
        if sign * error < 0:
            low = at
        else:
            high = at
        ahead = at - error / slope if slope else low
        if not low <= ahead <= high:
            ahead = 0.5 * (low + high)
        if abs(ahead - at) <= 1e-15 * max(1.0, abs(at)):
            return ahead
        at = ahead
    return at


def _both_tails(odds: float, a: float, b: float) -> tuple[float, float]:
    """Give both tails of Beta(a, b) at log odds, each without cancellation."""
    x = 1 / (1 + math.exp(-odds)) if odds > -700 else math.exp(odds)
    y = 1 / (1 + math.exp(odds)) if odds < 700 else math.exp(-odds)
    weight = math.exp(_log_weight(odds, a, b))
    excess = a * y - b * x
    if excess >= 0:
        lower = weight * _fraction(a, b, (x, y), excess)
        return lower, 1 - lower
    upper = weight * _fraction(b, a, (y, x), -excess)
    return 1 - upper, upper


def _fraction(a: float, b: float, at: tuple[float, float], excess: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function.

    Didonato and Morris 1992, equation 9, in x, 1 - x and a - (a + b) x, so that nothing cancels
    where x lies near an end.
    """
    x, y = at
    c, c1 = 1 + excess, 1 + 1 / a
    p, s = 1.0, a + 1
    above, below = (0.0, 1.0), (1.0, c / c1)
    result = c1 / c
    for n in range(1, 100_000):
        share, w = n / a, n * (b - n) * x
        e = a / s
        alpha = p * (p + b / a) * e * e * w * x
        beta = n + w / s + (1 + share) / (c1 + 2 * share) * (c + n * (1 + y))
        p, s = 1 + share, s + 2
        above = above[1], alpha * above[0] + beta * above[1]
        below = below[1], alpha * below[0] + beta * below[1]
        before, result = result, above[1] / below[1]
        if abs(result - before) <= 3e-16 * result:
            break
        above = above[0] / below[1], result
        below = below[0] / below[1], 1.0
    return result


def _log_weight(odds: float, a: float, b: float) -> float:
    """Give log(x^a (1 - x)^b / B(a, b)) at log odds."""
    log_x = -math.log1p(math.exp(-odds)) if odds > -700 else odds
    log_y = -math.log1p(math.exp(odds)) if odds < 700 else -odds
    if min(a, b) < 10:
        return a * log_x + b * log_y - _log_beta(a, b)
    # both large: a sum of two big opposite numbers would lose digits, deviations do not
    x, y = math.exp(log_x), math.exp(log_y)
    shift = a * y - b * x
    spread = a * _excess(-shift / a) + b * _excess(shift / b)
    correction = _stirling(a) + _stirling(b) - _stirling(a + b)
    return 0.5 * math.log(a / (a + b) * b / (2 * math.pi)) - spread - correction


def _excess(e: float) -> float:
    """Give e - log(1 + e), accurate near 0."""
    if e <= -1:
        return math.inf
    if abs(e) > 0.1:
        return e - math.log1p(e)
    total, power = 0.0, -e
    for k in range(2, 30):
        power *= -e
        total += power / k
    return total


def _log_beta(a: float, b: float) -> float:
    small, large = min(a, b), max(a, b)
    if large < 10:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    # log Γ(large) - log Γ(small + large) by Stirling's series: the two are huge and nearly equal
    ratio = (
        small
        - small * math.log(large)
        - (small + large - 0.5) * math.log1p(small / large)
        + _stirling(large)
        - _stirling(small + large)
    )
    return math.lgamma(small) + ratio


def _stirling(z: float) -> float:
    """Give log Γ(z) - ((z - 1/2) log z - z + log(2π) / 2) for z >= 10."""
    inverse = 1 / (z * z)
    total, power = 0.0, 1 / z
    for coefficient in _STIRLING:
        total += coefficient * power
        power *= inverse
    return total
