"""What a disk may hold after a loss of power, and that a program that does not ask it loses."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.strength import disk, power

pytestmark = pytest.mark.skipif(disk.compiler() is None, reason="there is no C compiler `cc`")
ROOT = Path(__file__).resolve().parents[2]
TRIES = 60
WORK = """
import os, sys
from pathlib import Path
from tests.strength.disk import Recorder

folder = Path(sys.argv[1])
recorder = Recorder()
recorder.begin(folder, Path(sys.argv[2]))
{work}
recorder.note("done")
"""
OLD, NEW = b"o" * 2048, b"n" * 2048


def states(tmp_path: Path, work: str) -> Counter[tuple[tuple[str, bytes], ...]]:
    """Do something in a folder that holds the file `a`, and lose the power afterwards."""
    folder, log = tmp_path / "disk", tmp_path / "log"
    folder.mkdir()
    (folder / "a").write_bytes(OLD)
    there = disk.Disk(folder)
    subprocess.run(
        [sys.executable, "-c", WORK.format(work=work), folder, log],
        cwd=ROOT,
        env=os.environ | {"LD_PRELOAD": str(disk.compiled(tmp_path))},
        check=True,
    )
    for record in disk.records(log):
        there.do(record)
    assert record.content == b"done"
    found: Counter[tuple[tuple[str, bytes], ...]] = Counter()
    for seed in range(TRIES):
        there.lose_power(Random(seed))  # noqa: S311 - the same again
        found[tuple((x.name, x.read_bytes()) for x in sorted(folder.iterdir()))] += 1
    return found


def test_what_was_synced_is_there(tmp_path: Path) -> None:
    work = f"fd = os.open(folder / 'a', os.O_RDWR); os.pwrite(fd, {NEW!r}, 0); os.fsync(fd)"
    assert set(states(tmp_path, work)) == {(("a", NEW),)}


def test_what_was_not_synced_is_there_or_not_or_torn_between_sectors(tmp_path: Path) -> None:
    found = states(tmp_path, f"(folder / 'a').open('r+b').write({NEW!r})")
    contents = [content for ((_, content),) in found]
    assert {OLD, NEW} < set(contents)
    sectors = {content[at : at + 512] for content in contents for at in range(0, 2048, 512)}
    assert sectors == {OLD[:512], NEW[:512]}


@pytest.mark.parametrize("synced", [False, True])
def test_a_new_name_is_certain_once_its_folder_is_synced(tmp_path: Path, synced: bool) -> None:
    work = f"fd = os.open(folder / 'b', os.O_CREAT | os.O_RDWR); os.write(fd, {NEW!r})\n"
    work += "os.fsync(fd); os.replace(folder / 'b', folder / 'a')\n"
    work += "os.fsync(os.open(folder, os.O_RDONLY))\n" if synced else ""
    found = set(states(tmp_path, work))
    whole = (("a", NEW),)
    assert (
        found == {whole} if synced else found == {whole, (("a", OLD),), (("a", OLD), ("b", NEW))}
    )


def test_what_goes_from_file_to_file_and_what_is_removed_is_recorded(tmp_path: Path) -> None:
    work = "import shutil; shutil.copyfile(folder / 'a', folder / 'c'); os.remove(folder / 'a')\n"
    work += "os.fsync(os.open(folder / 'c', os.O_RDWR)); os.fsync(os.open(folder, os.O_RDONLY))"
    assert set(states(tmp_path, work)) == {(("c", OLD),)}


def test_whoever_does_not_wait_for_the_disk_loses_answers(tmp_path: Path) -> None:
    assert power.trial(tmp_path, 10, 1, careless=True).lost
