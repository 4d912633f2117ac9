"""Keep tests away from the screen, the folders and the keyring of whoever runs them."""

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import homes
from tests.servers.postgres import Server, server

_HOME = homes.leave()

EXPLORE = "explore"
TIMES = 10
"""How many times as many examples are tried while exploring."""
# hypothesis has other defaults where CI is set, so that each of these says what it means;
# a slow machine is no failure; the same examples every time, so that what fails is what changed
settings.register_profile("house", deadline=None, derandomize=True)
settings.register_profile(
    EXPLORE, deadline=None, derandomize=False, max_examples=100 * TIMES, print_blob=True
)
settings.load_profile("house")


GARBAGE = 100_000
"""New objects from which garbage is searched for, between two tests alone."""


def pytest_collection_finish() -> None:
    # in the middle of Qt's work on a tree of widgets a search would destroy parts of it
    gc.disable()
    gc.freeze()


def pytest_runtest_logfinish() -> None:
    if gc.get_count()[0] > GARBAGE:
        gc.collect()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked as long, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long") is not None:
                item.add_marker(pytest.mark.skip(reason="long: packaging/test.sh --long runs it"))
    if config.getoption("--hypothesis-profile", None) != EXPLORE:
        return
    for item in items:
        for owner, name in places_of_settings(item):
            fewer = getattr(owner, name, None)
            if isinstance(fewer, settings) and fewer.max_examples < 100 * TIMES:
                setattr(owner, name, settings(fewer, max_examples=fewer.max_examples * TIMES))


def places_of_settings(item: pytest.Item) -> list[tuple[object, str]]:
    """Where a test keeps how many examples it tries: on the function, or on a machine's class."""
    function = getattr(item, "obj", None)
    return [
        (getattr(function, "__func__", function), "_hypothesis_internal_use_settings"),
        (getattr(item, "cls", None), "settings"),
    ]


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real evaluation results beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real results in ../shared/data, which are not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A database server for hubs; skips where PostgreSQL is not installed."""
    with server() as found:
        yield found
