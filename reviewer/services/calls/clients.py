"""What asks a judge's model: the client of its endpoint, or a function of a package."""

from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint, Judge
from reviewer.scoring.packages.scorers import FunctionClient
from reviewer.services.computer import plugins
from reviewer.services.computer.packaged import Packaged, about

_PREFIX = "package "
PROCESSES = 4
"""Calls of a package's judge at the same time, each in a process that loads the package."""


def brought(name: str) -> tuple[Judge | None, Endpoint | None]:
    """Give a judge that an installed package brings, with the endpoint that stands for it.

    Raises:
        PackageError: It cannot be loaded.
    """
    found = plugins.find("judge", name)
    if found is None:
        return None, None
    about("judge", found)
    return stand_in(name, found.package)


def stand_in(name: str, package: str) -> tuple[Judge, Endpoint]:
    """Give a package's judge without loading it, with the endpoint that stands for it."""
    # the package's version stands in for the model's, so that another one makes another judge
    place = Endpoint(
        name=f"{_PREFIX}{name}", kind="package", needs_key=False, concurrency=PROCESSES
    )
    return Judge(name=name, endpoint=place.name, model=package), place


def package_of(endpoint: Endpoint) -> str:
    """Give the package, with its version, of the judge that an endpoint stands for."""
    if endpoint.kind != "package":
        return ""
    return plugins.package_of("judge", endpoint.name.removeprefix(_PREFIX))


def client(endpoint: Endpoint, key: str | None) -> Any:  # noqa: ANN401  # of a library or a function
    """Give what asks an endpoint, to be opened with `async with`.

    Raises:
        CallError: The endpoint needs a key and there is none.
        ReviewerError: The package of a judge is not there any more, or cannot be loaded.
    """
    if endpoint.kind != "package":
        from reviewer.scoring.llm.client import Client

        return Client(endpoint, key)
    name = endpoint.name.removeprefix(_PREFIX)
    found = plugins.find("judge", name)
    if found is None:
        raise ReviewerError(f"No installed package brings the judge {name!r} any more.")
    function = Packaged("judge", found)
    return FunctionClient(found.title, function, function.close)
