import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.drift import Alarm, Cusum, cusum, residuals


def test_residuals_leave_the_label_itself_out() -> None:
    items = np.array([0, 0, 0, 1, 1, 2])
    labelers = np.array([0, 1, 2, 0, 1, 0])
    values = np.array([3.0, 4.0, 5.0, 2.0, 4.0, 1.0])
    found = residuals(items, labelers, values)
    assert found.rows.tolist() == [0, 1, 2, 3, 4]
    assert found.gaps == pytest.approx([-1.5, 0.0, 1.5, -2.0, 2.0])
    # around each labeler's own mean: ±.25, ±1 and 0, with 5 - 3 degrees of freedom
    assert found.sd == pytest.approx(((2 * 0.25**2 + 2 * 1.0) / 2) ** 0.5)
    assert found.sd is not None
    assert found.standardised() == pytest.approx(found.gaps / found.sd)


def test_residuals_where_there_is_nothing_to_compare() -> None:
    alone = residuals(np.array([0, 1]), np.array([0, 0]), np.array([1.0, 2.0]))
    assert (alone.rows.size, alone.sd, alone.standardised().size) == (0, None, 0)
    pair = residuals(np.array([0, 0]), np.array([0, 1]), np.array([1.0, 2.0]))
    assert (pair.gaps.tolist(), pair.sd) == ([-1, 1], None)
    same = residuals(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.ones(4))
    assert (same.sd, same.standardised().size) == (0, 0)
    with pytest.raises(ValueError, match="Every label needs"):
        residuals(np.array([0]), np.array([0, 1]), np.ones(2))


def test_an_alarm_and_when_it_began() -> None:
    # from 0.5 a step the sum passes 8 with the 17th
    quiet, shifted = [0.0] * 20, [1.0] * 17
    assert cusum([*quiet, *shifted]) == (Alarm(36, 20, "higher"),)
    assert cusum([*quiet, *[-1.0] * 17]) == (Alarm(36, 20, "lower"),)
    # exactly 8 is no alarm yet
    assert cusum([1.0] * 16) == ()
    # both sums start again after an alarm
    assert [x.at for x in cusum([1.0] * 40)] == [16, 33]
    assert cusum([]) == ()


def test_a_kept_state_goes_on_where_it_stopped() -> None:
    rng = np.random.default_rng(6)
    z = rng.normal(0.7, 1, 200)
    state, alarms = Cusum(), []
    for value in z.tolist():
        state, alarm = state.step(value)
        if alarm:
            alarms.append(alarm)
    assert tuple(alarms) == cusum(z.tolist())
    assert alarms
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            state.step(wrong)


def test_false_alarms_and_delay() -> None:
    rng = np.random.default_rng(7)
    false = np.mean([bool(cusum(rng.normal(0, 1, 400).tolist())) for _ in range(400)])
    assert false < 0.09
    delays = [cusum(rng.normal(1, 1, 100).tolist())[0].at + 1 for _ in range(300)]
    assert 11 <= np.median(delays) <= 18


@given(st.lists(st.floats(-6, 6), max_size=80), st.floats(1, 10))
def test_the_sums_by_their_definition(values: list[float], threshold: float) -> None:
    high = low = 0.0
    expected = []
    for at, z in enumerate(values):
        high, low = max(0.0, high + z - 0.5), max(0.0, low - z - 0.5)
        if max(high, low) > threshold:
            expected.append((at, "higher" if high > low else "lower"))
            high = low = 0.0
    assert [(x.at, x.direction) for x in cusum(values, threshold)] == expected
    assert all(0 <= x.since <= x.at for x in cusum(values, threshold))
