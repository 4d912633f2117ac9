"""The file of an open project is moved, deleted, replaced or cut off: nothing saved is lost."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.store import copying
from reviewer.store.project import Project
from tests.building import build_project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="an open file cannot be moved there")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "a.review", evaluations=3)


@pytest.fixture
def project(path: Path) -> Iterator[Project]:
    with closing(Project.open(path)) as opened:
        opened.follows = True
        opened.set_setting("before", "kept")
        yield opened


def kept(path: Path) -> dict[str, str]:
    with closing(Project.open(path)) as opened:
        assert copying.problems(path) == []
        return {name: opened.setting(name) for name in ("before", "after") if opened.setting(name)}


BOTH = {"before": "kept", "after": "kept"}


def test_a_renamed_file_is_followed(project: Project, path: Path, tmp_path: Path) -> None:
    path.rename(tmp_path / "b.review")
    project.set_setting("after", "kept")
    assert project.path == tmp_path / "b.review"
    assert project.followed == (
        "a.review was renamed to b.review while it was open. Reviewer goes on there; everything "
        "that was answered is in it."
    )
    assert not list(tmp_path.glob("a.review*"))
    project.close()
    assert [x.name for x in tmp_path.iterdir()] == ["b.review"]
    assert kept(tmp_path / "b.review") == BOTH


def test_a_renamed_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    path = build_project(tmp_path / "one" / "a.review", evaluations=3)
    with closing(Project.open(path)) as project:
        project.follows = True
        project.set_setting("before", "kept")
        (tmp_path / "one").rename(tmp_path / "two")
        project.set_setting("after", "kept")
        assert project.path == tmp_path / "two" / "a.review"
        assert f"was moved to {project.path} while" in project.followed
    assert kept(tmp_path / "two" / "a.review") == BOTH


@pytest.mark.parametrize("trash", [False, True])
def test_of_a_deleted_file_a_copy_is_kept(
    project: Project, path: Path, tmp_path: Path, trash: bool
) -> None:
    if trash:
        (tmp_path / ".Trash-0").mkdir()
        path.rename(tmp_path / ".Trash-0" / "a.review")
    else:
        path.unlink()
    project.set_setting("after", "kept")
    assert project.path == tmp_path / "a (kept).review"
    what = "put into the trash" if trash else "deleted"
    assert project.followed == (
        f"a.review was {what} while it was open. Reviewer goes on in a (kept).review, which has "
        "everything that was answered."
    )
    project.close()
    assert not list(tmp_path.glob("a.review*"))
    assert kept(tmp_path / "a (kept).review") == BOTH


def test_another_file_in_its_place_is_left_alone(
    project: Project, path: Path, tmp_path: Path
) -> None:
    other = build_project(tmp_path / "other.review", evaluations=2)
    other.replace(path)
    theirs = path.read_bytes()
    project.set_setting("after", "kept")
    assert project.path == tmp_path / "a (kept).review"
    assert project.followed.endswith("The other file was left alone.")
    assert path.read_bytes() == theirs
    assert not path.with_name("a.review-wal").exists()
    assert kept(path) == {}
    project.close()
    assert kept(tmp_path / "a (kept).review") == BOTH


def test_a_second_copy_has_a_name_of_its_own(project: Project, tmp_path: Path) -> None:
    (tmp_path / "a (kept).review").write_text("somebody's")
    project.path.unlink()
    project.set_setting("after", "kept")
    assert project.path.name == "a (kept 2).review"
    assert (tmp_path / "a (kept).review").read_text() == "somebody's"


def test_a_file_that_is_cut_off_is_not_written_to(project: Project, path: Path) -> None:
    project.gather()
    os.truncate(path, 5000)
    with pytest.raises(ProjectError, match=r"a\.review was cut off from [\d,]+ to 5,000 bytes"):
        project.set_setting("after", "kept")
    assert project.path == path


def test_whoever_follows_nothing_refuses_and_leaves_the_renamed_file_whole(
    path: Path, tmp_path: Path
) -> None:
    project = Project.open(path)
    project.set_setting("before", "kept")
    path.rename(tmp_path / "b.review")
    with pytest.raises(ProjectError, match=r"a\.review was renamed to b\.review .* nothing was"):
        project.set_setting("after", "lost")
    project.close()
    assert [x.name for x in tmp_path.iterdir()] == ["b.review"]
    assert kept(tmp_path / "b.review") == {"before": "kept"}


def test_what_is_moved_in_the_middle_of_a_write_is_not_answered(
    project: Project, path: Path, tmp_path: Path
) -> None:
    def answer() -> None:
        with project.write() as conn:
            conn.execute("INSERT INTO settings VALUES ('after', 'lost')")
            path.rename(tmp_path / "b.review")

    with pytest.raises(ProjectError, match="was renamed to"):
        answer()
    project.set_setting("later", "kept")
    assert project.setting("after") == ""
    assert project.path == tmp_path / "b.review"


def test_beside_another_reader_of_this_program_a_copy_is_safer(
    project: Project, path: Path, tmp_path: Path
) -> None:
    with closing(Project.open(path)) as reader:
        path.rename(tmp_path / "b.review")
        project.set_setting("after", "kept")
        assert project.path == tmp_path / "a (kept).review"
        assert reader.setting("before") == "kept"
    project.close()
    assert kept(tmp_path / "a (kept).review") == BOTH
    assert kept(tmp_path / "b.review") == {"before": "kept"}


def test_a_file_that_was_tidied_up_is_no_loss(project: Project) -> None:
    project.conn.execute("CREATE TABLE filler(x)")
    project.conn.execute("INSERT INTO filler VALUES (zeroblob(1000000))")
    project.gather()
    project.set_setting("before", "kept")
    project.conn.execute("DROP TABLE filler")
    project.conn.execute("VACUUM")
    project.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    project.set_setting("after", "kept")
    assert project.followed == ""


RENAME_AND_DIE = """
import os, signal, sys
from pathlib import Path
from reviewer.store.project import Project
path = Path(sys.argv[1])
project = Project.open(path)
project.set_setting("before", "kept")
path.rename(path.with_name("b.review"))
# what was answered before anybody noticed
project.conn.execute("INSERT INTO settings VALUES ('after', 'kept')")
project.conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'seq'")
print("renamed", flush=True)
if sys.argv[2] == "die":
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdin.readline()
"""


def start(path: Path, what: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", RENAME_AND_DIE, path, what],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "renamed\n"
    return child


def test_what_a_killed_program_left_under_the_old_name_comes_home(
    path: Path, tmp_path: Path
) -> None:
    child = start(path, "die")
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    found = tmp_path / "b.review"
    without = Path(shutil.copy(found, tmp_path / "without.copy"))
    assert (tmp_path / "a.review-wal").stat().st_size
    with closing(Project.open(found)) as project:
        assert project.followed == (
            "b.review was renamed while it was open, so that its newest answers lay in "
            "a.review-wal; they are in it again."
        )
    assert kept(found) == BOTH
    assert sorted(x.name for x in tmp_path.iterdir()) == ["b.review", without.name]


def test_the_log_of_another_project_is_not_taken_in(path: Path, tmp_path: Path) -> None:
    start(path, "die").communicate()
    other = build_project(tmp_path / "c.review", evaluations=2)
    before = other.read_bytes()
    with closing(Project.open(other)) as project:
        assert project.followed == ""
    assert other.read_bytes() == before
    assert kept(tmp_path / "b.review") == BOTH


def test_the_log_of_a_program_that_still_runs_is_left_to_it(path: Path, tmp_path: Path) -> None:
    child = start(path, "wait")
    try:
        with pytest.raises(ProjectError, match="was renamed while another program has it open"):
            Project.open(tmp_path / "b.review")
    finally:
        child.kill()
        child.communicate()
    assert kept(tmp_path / "b.review") == BOTH
