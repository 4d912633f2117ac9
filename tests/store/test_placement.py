"""Where a project lies: what is warned of."""

from pathlib import Path
from typing import NamedTuple

import pytest

from reviewer.store import placement


class Disk(NamedTuple):
    mountpoint: str
    fstype: str


def disks(monkeypatch: pytest.MonkeyPatch, *found: Disk) -> None:
    monkeypatch.setattr("psutil.disk_partitions", lambda **_: list(found))


def test_a_plain_folder_is_no_reason_to_warn(tmp_path: Path) -> None:
    assert placement.warning(tmp_path / "a.review") is None
    assert placement.writable(tmp_path / "a.review") is False


def test_a_network_share_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    disks(monkeypatch, Disk("/", "ext4"), Disk("/mnt/team", "cifs"))
    assert "network share" in str(placement.warning(Path("/mnt/team/a/b.review")))
    assert placement.warning(Path("/mnt/other/b.review")) is None


def test_the_innermost_disk_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    disks(monkeypatch, Disk("/mnt", "nfs4"), Disk("/mnt/local", "ext4"), Disk("/", "ext4"))
    assert placement.warning(Path("/mnt/local/b.review")) is None
    assert placement.warning(Path("/mnt/b.review")) is not None


@pytest.mark.parametrize("folder", ["Dropbox", "OneDrive - Company", "Google Drive", "Nextcloud"])
def test_a_synchronised_folder_is_named(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    disks(monkeypatch, Disk("/", "ext4"))
    assert folder in str(placement.warning(Path("/home") / folder / "evals" / "b.review"))


def test_writing_needs_file_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.review"
    file.touch()
    assert placement.writable(file)
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != tmp_path)
    assert not placement.writable(file)
