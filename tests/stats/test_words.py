import pytest

from reviewer.stats.figure import at_least, one_class_dominates, reliability, strength


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.01, "poor"),
        (0, "slight"),
        (0.2, "slight"),
        (0.2000001, "fair"),
        (0.4, "fair"),
        (0.6, "moderate"),
        (0.8, "substantial"),
        (0.81, "almost perfect"),
        (1, "almost perfect"),
    ],
)
def test_bands_include_their_upper_end(value: float, word: str) -> None:
    assert strength(value) == word


def test_alpha_has_its_own_marks() -> None:
    assert reliability(0.8) == "reliable"
    assert reliability(0.7999) == "tentative"
    assert reliability(0.667) == "tentative"
    assert reliability(0.6669) == "not reliable"


def test_paradox() -> None:
    assert one_class_dominates(0.9, -0.0526)
    assert one_class_dominates(0.8, 0.3999)
    assert not one_class_dominates(0.8, 0.4)
    assert not one_class_dominates(0.79, 0.1)
    assert not one_class_dominates(None, 0.1)
    assert not one_class_dominates(0.9, None)


@pytest.mark.parametrize(
    ("low", "words"),
    [(-0.05, "may be poor"), (0.01, "at least slight"), (0.7, "at least substantial")],
)
def test_the_lower_end_is_worded_as_such(low: float, words: str) -> None:
    assert at_least(low) == words
