"""Where a project lies: what is warned of."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from reviewer.store import connecting


class Disk(NamedTuple):
    mountpoint: str
    fstype: str


@pytest.fixture(params=["linux", "elsewhere"])
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def disks(system: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Mount disks, as Linux lists them or as the library tells of other systems."""

    def mount(*found: Disk) -> None:
        table = tmp_path / "mounts"
        if system == "linux":
            written = [(x.mountpoint.replace(" ", "\\040"), x.fstype) for x in found]
            table.write_text("".join(f"dev {at} {kind} rw 0 0\n" for at, kind in written))
        monkeypatch.setattr(connecting, "MOUNTS", table)
        monkeypatch.setattr("psutil.disk_partitions", lambda **_: list(found))

    return mount


def test_a_plain_folder_is_no_reason_to_warn(tmp_path: Path) -> None:
    assert connecting.warning(tmp_path / "a.review") is None
    assert connecting.writable(tmp_path / "a.review") is False


def test_a_network_share_is_named(disks: Callable[..., None]) -> None:
    disks(Disk("/", "ext4"), Disk("/mnt/our team", "cifs"))
    assert "network share" in str(connecting.warning(Path("/mnt/our team/a/b.review")))
    assert connecting.warning(Path("/mnt/other/b.review")) is None


def test_the_innermost_disk_counts(disks: Callable[..., None]) -> None:
    disks(Disk("/mnt", "nfs4"), Disk("/mnt/local", "ext4"), Disk("/", "ext4"))
    assert connecting.warning(Path("/mnt/local/b.review")) is None
    assert connecting.warning(Path("/mnt/b.review")) is not None


@pytest.mark.parametrize("folder", ["Dropbox", "OneDrive - Company", "Google Drive", "Nextcloud"])
def test_a_synchronised_folder_is_named(disks: Callable[..., None], folder: str) -> None:
    disks(Disk("/", "ext4"))
    assert folder in str(connecting.warning(Path("/home") / folder / "evals" / "b.review"))


def test_writing_needs_file_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.review"
    file.touch()
    assert connecting.writable(file)
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != tmp_path)
    assert not connecting.writable(file)


def test_a_line_that_names_no_file_system_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text("automount /mnt\n\ndev /mnt cifs rw 0 0\n")
    monkeypatch.setattr(connecting, "MOUNTS", table)
    assert "network share" in str(connecting.warning(Path("/mnt/b.review")))
