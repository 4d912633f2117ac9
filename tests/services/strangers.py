"""A package of somebody else, laid out as an installer does."""

import sys
from pathlib import Path

import pytest

NAME = "strangers 1.2"


def install(site: Path, monkeypatch: pytest.MonkeyPatch, code: str, entries: str) -> None:
    """Lay the package `strangers` out below a folder that is on the path from now on."""
    metadata = site / "strangers-1.2.dist-info"
    metadata.mkdir(parents=True)
    (site / "strangers.py").write_text(code, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(entries, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "strangers", raising=False)
