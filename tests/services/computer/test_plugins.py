from pathlib import Path

import pytest

from reviewer.services.computer import plugins
from reviewer.services.computer.plugins import PackageError


def installed(site: Path, package: str, entries: str) -> None:
    metadata = site / f"{package}-0.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text(entries)


def test_nothing_is_brought_where_nothing_is_installed() -> None:
    assert plugins.names("judge") == ()
    assert plugins.find("scorer", "magic") is None


def test_names_come_without_loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "one", "[reviewer.bots]\nb = absent_module:x\na = json:loads\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert plugins.names("bot") == ("a", "b")
    found = plugins.find("bot", "a")
    assert found is not None
    assert (found.package, found.version) == ("one 0.1", "0.1")
    assert plugins.load("bot", found)("1") == 1
    absent = plugins.find("bot", "b")
    assert absent is not None
    with pytest.raises(PackageError, match=r"'b' of the package one 0\.1 cannot be loaded"):
        plugins.load("bot", absent)


def test_two_packages_of_one_name_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("one", "two"):
        installed(tmp_path, package, "[reviewer.readers]\nr = json:loads\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert plugins.names("reader") == ("r",)
    with pytest.raises(PackageError, match=r"one 0\.1 and two 0\.1 both bring a reader 'r'"):
        plugins.find("reader", "r")
