"""A hundredth of the trial of writers; `python -m tests.strength.writers` runs all of it."""

from pathlib import Path

from tests.strength.writers import trial


def test_everybody_gets_a_turn_and_nothing_is_lost(tmp_path: Path) -> None:
    outcome = trial(tmp_path, 1_000)
    assert len(outcome.waits) == 1_000
    assert (outcome.lost, outcome.ended, outcome.problems) == (0, [], ())
    # how long the last one of a thousand waits is the machine's other work, too
    assert outcome.wait(0.5) < 0.2
