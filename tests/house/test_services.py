"""What every package of services says that it may import is true."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

SERVICES = Path(__file__).resolve().parents[2] / "reviewer" / "services"
PACKAGES = sorted(file.parent.name for file in SERVICES.glob("*/__init__.py"))
ROOMS = {"confined", "formats", "hub", "paths", "reports", "scoring", "stats", "store"}
# that every package may
DOMAIN = "domain"
MAY = re.compile(r"May import (.*?)(?:;|\.\s)", re.DOTALL)


def said(package: str) -> str:
    text = ast.get_docstring(ast.parse((SERVICES / package / "__init__.py").read_text("utf-8")))
    found = MAY.search(f"{text}\n")
    return found.group(1) if found else ""


@cache
def allowed(package: str) -> frozenset[str]:
    words = said(package)
    named = frozenset(re.findall(r"`(\w+)`", words))
    if not re.search(r"what (?:it|they) stands? on", " ".join(words.split())):
        return named
    return named.union(*(beneath(name) for name in named))


@cache
def beneath(package: str) -> frozenset[str]:
    named = allowed(package)
    return named.union(*(beneath(name) for name in named))


def imported(package: str) -> set[tuple[str, str]]:
    """Rooms and packages that the modules of a package import, as ("store", "")."""
    found = set()
    for file in (SERVICES / package).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                house, room, inner, *_ = [*name.split("."), "", ""]
                if house == "reviewer":
                    found.add((room, inner if room == "services" else ""))
    return found


def test_every_package_says_what_it_may_import() -> None:
    assert PACKAGES
    assert [name for name in PACKAGES if not said(name)] == []
    unknown = {name: allowed(name) - set(PACKAGES) for name in PACKAGES}
    assert {name: left for name, left in unknown.items() if left} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_said_is_what_is_done(package: str) -> None:
    done = imported(package)
    rooms = {room for room, _ in done} - {"services", DOMAIN}
    assert rooms == ROOMS & set(re.findall(r"\w+", said(package)))
    beside = {inner for room, inner in done if room == "services"} - {package}
    assert beside <= allowed(package)
    named = set(re.findall(r"`(\w+)`", said(package)))
    assert {name for name in named if name not in beside} == set()
