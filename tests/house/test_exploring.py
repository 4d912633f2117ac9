"""Generated examples: the same every time in CI, new and more of them while exploring."""

from pathlib import Path

from hypothesis import settings

from tests.conftest import EXPLORE, TIMES

SCRIPT = Path(__file__).parents[2] / "packaging" / "test.sh"


def test_generated_examples_are_the_same_every_time() -> None:
    assert settings.get_profile("house").derandomize
    explore = settings.get_profile(EXPLORE)
    assert not explore.derandomize
    assert explore.max_examples == TIMES * settings.get_profile("house").max_examples
    assert "--explore) profile=explore" in SCRIPT.read_text()
