"""Every rate is told once: its words, and the cells that its formula counts."""

from reviewer.stats.passfail import pass_fail
from reviewer.stats.rates import COUNTED, OF_VERDICTS, RATES, SHOWN, cells_of, look_words

CELLS = (9.0, 6.0, 3.0, 82.0)


def test_a_rate_that_the_window_shows_is_told_in_full() -> None:
    for name in SHOWN:
        entry = RATES[name]
        assert "{share}" in entry.said
        assert entry.meaning.endswith(".")
        assert entry.counted
        assert entry.heading
        assert entry.formula or entry.of == "labels"


def test_a_rate_is_the_share_of_its_cells() -> None:
    found = pass_fail([CELLS[:2], CELLS[2:]])
    for one in COUNTED:
        hits, whole = (sum(CELLS[x] for x in cells_of(look)) for look in (one.hits, one.whole))
        assert found[one.name] == hits / whole
        assert set(cells_of(one.hits)) < set(cells_of(one.whole))


def test_what_to_look_at_is_named_by_both_verdicts() -> None:
    assert look_words("fail", "pass") == "people fail · judge pass"
    assert look_words(None, "fail") == RATES["auto_rate"].heading == "judge fail"
    assert RATES["corrected_rate"].heading == RATES["corrected_rate"].counted


def test_the_document_lists_every_figure_of_verdicts() -> None:
    assert tuple(pass_fail([CELLS[:2], CELLS[2:]]).values) == (
        "catch_rate", "specificity", "precision", "npv", "f1", "balanced_accuracy", "mcc",
    )  # fmt: skip
    assert set(OF_VERDICTS) == set(pass_fail([CELLS[:2], CELLS[2:]]).values)
