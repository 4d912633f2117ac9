"""The project file: made, opened, refused, written whole or not at all."""

import errno
import os
import shutil
import sqlite3
import stat
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain import uids
from reviewer.domain.errors import ProjectError, UnwritableError
from reviewer.store import connecting, figures, schema
from reviewer.store.connecting import explain
from reviewer.store.project import Project
from tests.building import build_project
from tests.dumping import dump


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "small.review", evaluations=3)


def test_a_new_project_is_safe_and_alone(tmp_path: Path) -> None:
    file = tmp_path / "new.review"
    with Project.create(file) as project:
        settings = {
            name: project.conn.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "user_version")
        }
        assert settings == {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "user_version": schema.FORMAT,
        }
    assert [x.name for x in tmp_path.iterdir()] == ["new.review"]


def test_every_new_project_has_a_number_of_its_own(tmp_path: Path) -> None:
    names = []
    for name in ("one", "two"):
        with Project.create(tmp_path / f"{name}.review") as project:
            names.append(project.setting(schema.PROJECT_ID))
    assert all(uids.from_text(name) for name in names)
    assert names[0] != names[1]


def test_after_closing_the_one_file_holds_everything(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        project.set_setting("time_zone", "Europe/Berlin")
    copy = Path(shutil.copy(path, tmp_path / "copy.review"))
    with Project.open(copy) as project:
        assert project.setting("time_zone") == "Europe/Berlin"


def test_an_existing_file_is_not_made_anew(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ProjectError, match="exists already"):
        Project.create(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("rolls_back", [False, True])
def test_a_file_that_a_lost_power_left_empty_is_made_a_project(
    tmp_path: Path, rolls_back: bool
) -> None:
    file = tmp_path / "p.review"
    file.touch()
    if rolls_back:
        with closing(sqlite3.connect(file, isolation_level=None)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            conn.execute("PRAGMA cache_size = 1")
            conn.execute("CREATE TABLE things AS SELECT randomblob(100000)")
            left = {x: x.read_bytes() for x in tmp_path.iterdir()}
        for path, content in left.items():
            path.write_bytes(content)
        assert file.stat().st_size > 0
    Project.create(file).close()
    Project.open(file).close()


def test_a_missing_file_and_a_missing_folder_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="There is no project file"):
        Project.open(tmp_path / "none.review")
    with pytest.raises(ProjectError, match="does not exist"):
        Project.create(tmp_path / "none" / "new.review")


@pytest.mark.parametrize(
    "content", [b"", b"hello", b'{"id": "a"}\n' * 400, bytes(range(256)) * 40]
)
def test_a_file_that_is_no_project_is_refused_untouched(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "foreign.review"
    file.write_bytes(content)
    with pytest.raises(ProjectError):
        Project.open(file)
    assert file.read_bytes() == content


def test_another_sqlite_file_is_refused_untouched(tmp_path: Path) -> None:
    file = tmp_path / "other.review"
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("CREATE TABLE things(name)")
        conn.commit()
    before = file.read_bytes()
    with pytest.raises(ProjectError, match="no Reviewer project"):
        Project.open(file)
    assert file.read_bytes() == before


def test_a_newer_versions_file_is_refused_untouched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {schema.FORMAT + 1}")
        conn.commit()
    before = path.read_bytes()
    with pytest.raises(ProjectError, match="newer version of Reviewer"):
        Project.open(path)
    assert path.read_bytes() == before


def put_and_fail(project: Project, failure: str) -> None:
    with project.write() as conn:
        conn.execute("INSERT INTO settings VALUES ('a', 'b')")
        if failure == "a mistake":
            raise KeyError(failure)
        conn.execute("INSERT INTO nowhere VALUES (1)")


def test_a_write_that_fails_leaves_nothing(path: Path) -> None:
    with Project.open(path) as project:
        with pytest.raises(KeyError):
            put_and_fail(project, "a mistake")
        with pytest.raises(ProjectError):
            put_and_fail(project, "an error of SQLite")
        assert project.setting("a", "none") == "none"
        project.set_setting("a", "c")
        assert project.setting("a") == "c"


def test_a_write_inside_what_is_read_at_one_moment_is_a_mistake(path: Path) -> None:
    with Project.open(path) as project:
        with figures.snapshot(project), pytest.raises(RuntimeError, match="such as a snapshot's"):
            project.set_setting("a", "b")
        assert project.setting("a", "none") == "none"
        project.set_setting("a", "c")


def test_a_rehearsal_leaves_nothing_and_holds_nobody_up_before_it_writes(path: Path) -> None:
    before = dump(path)
    with Project.open(path) as one, Project.open(path) as other:
        with one.rehearsal():
            assert one.setting("a", "none") == "none"
            other.set_setting("b", "from another")
            one.set_setting("a", "1")
            with figures.snapshot(one):
                one.set_setting("b", "2")
            assert (one.setting("a"), one.setting("b")) == ("1", "2")
            with pytest.raises(ProjectError):
                put_and_fail(one, "an error of SQLite")
        assert (one.setting("a", "none"), one.setting("b")) == ("none", "from another")
        one.set_setting("a", "kept")
        assert other.setting("a") == "kept"
    after = dump(path)
    assert after.pop("settings") != before.pop("settings")
    assert after == before


def test_numbers_of_the_order_of_changes_never_repeat(path: Path) -> None:
    with Project.open(path) as one, Project.open(path) as other:
        found: list[int] = []
        for project, count in ((one, 1), (other, 3), (one, 2)):
            with project.write():
                first = project.next_seq(count)
                found.extend(range(first, first + count))
        assert found == list(range(found[0], found[0] + 6))


def test_a_second_writer_waits_and_then_says_who_holds_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "BUSY_MS", 50)
    with Project.open(path) as one, Project.open(path) as other:
        with one.write(), pytest.raises(ProjectError, match="Another program holds the file"):
            other.set_setting("a", "b")
        other.set_setting("a", "b")


def test_a_second_writer_gets_its_turn_when_the_first_is_done(path: Path) -> None:
    begun, came = threading.Event(), []

    def write_late() -> None:
        with Project.open(path) as other:
            begun.set()
            other.set_setting("a", "late")
            came.append(other.setting("a"))

    late = threading.Thread(target=write_late)
    with Project.open(path) as one:
        with one.write() as conn:
            late.start()
            assert begun.wait(10)
            conn.execute("INSERT INTO settings VALUES ('a', 'early')")
            assert not came
        late.join(10)
        assert came == ["late"]
        assert one.setting("a") == "late"
        assert one.conn.execute("PRAGMA busy_timeout").fetchone()[0] == connecting.BUSY_MS


def test_who_writes_again_and_again_lets_others_in_between(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # so long that two writes fall into it on any machine
    monkeypatch.setattr(connecting, "GAP_S", 60.0)
    rests: list[float] = []
    monkeypatch.setattr(time, "sleep", rests.append)
    with Project.open(path) as one, Project.open(path) as other:
        one.set_setting("a", "1")
        one.set_setting("a", "2")
        rests.clear()
        one.set_setting("a", "3")
        assert rests == []
        other.set_setting("a", "4")
        one.set_setting("a", "5")
        assert len(rests) == 1
        assert 50 < rests[0] <= 60


def test_a_transaction_that_gives_way_is_done_again_after_who_waited(path: Path) -> None:
    found: list[str] = []

    def write_late() -> None:
        with Project.open(path) as other:
            other.set_setting("a", "late")

    late = threading.Thread(target=write_late)

    def act(conn: sqlite3.Connection) -> None:
        found.append(one.setting("a", "nothing"))
        conn.execute("INSERT OR REPLACE INTO settings VALUES ('b', ?)", (found[-1],))
        if len(found) == 1:
            late.start()
            # it is broken off, or the test never ends
            conn.execute("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
                         "SELECT max(x) FROM n")  # fmt: skip

    with Project.open(path) as one:
        one.write_giving_way(act)
        late.join(10)
        assert found == ["nothing", "late"]
        assert one.setting("b") == "late"
        assert one.written == 1


def test_a_transaction_gives_way_once_and_not_again_a_moment_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "AGAIN_S", 60.0)
    bell, looks = path.with_name(f"{path.name}-shm"), [0, 0]

    def act(conn: sqlite3.Connection) -> None:
        looks[0] += 1
        os.utime(bell, ns=(looks[0], looks[0]))
        conn.execute("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 99999) "
                     "SELECT max(x) FROM n")  # fmt: skip
        looks[1] += 1

    with Project.open(path) as project:
        project.write_giving_way(act)
        assert looks == [2, 1]
        project.write_giving_way(act)
        assert looks == [3, 2]


def test_a_mistake_in_a_transaction_that_gives_way_is_told(path: Path) -> None:
    with Project.open(path) as project:
        with pytest.raises(ProjectError, match="no such table"):
            project.write_giving_way(lambda conn: conn.execute("INSERT INTO nowhere VALUES (1)"))
        project.set_setting("a", "b")


def test_what_may_be_written_later_is_told_from_what_is_damaged(path: Path) -> None:
    with Project.open(path) as one, Project.open(path) as other:
        other.patience = 0.0
        with one.write(), pytest.raises(UnwritableError):
            other.set_setting("a", "b")
        assert other.written == 0
        other.set_setting("a", "b")
        assert other.written == 1
        damage = sqlite3.DatabaseError("database disk image is malformed")
        assert not isinstance(connecting.unwritten(damage, path), UnwritableError)


def test_a_full_disk_is_a_sentence_and_what_was_saved_stays(path: Path) -> None:
    with Project.open(path) as project:
        project.set_setting("kept", "yes")
        pages = project.conn.execute("PRAGMA page_count").fetchone()[0]
        project.conn.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ProjectError, match="disk is full"):
            project.set_setting("big", "x" * 200_000)
        assert project.setting("kept") == "yes"
    with Project.open(path) as project:
        assert project.setting("kept") == "yes"
        assert project.setting("big", "no") == "no"


def test_a_file_that_cannot_be_written_can_be_looked_at(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.chmod(stat.S_IRUSR)
    if os.geteuid() == 0:
        # root may write everywhere, so only the question is answered as for others
        monkeypatch.setattr("reviewer.store.connecting.writable", lambda _: False)
    with Project.open(path) as project:
        assert project.read_only
        assert "read-only" in (project.warning or "")
        assert project.conn.execute("SELECT count(*) FROM visible_evaluations").fetchone()[0] == 3
        with pytest.raises(ProjectError, match="nothing can be saved"):
            project.set_setting("a", "b")


def test_a_damaged_file_is_a_sentence(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:4096] = os.urandom(3996)
    path.write_bytes(content)
    with pytest.raises(ProjectError, match=r"damaged|could not be read"):
        Project.open(path)


def test_on_a_network_share_no_write_ahead_log_is_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.store.connecting.warning", lambda _: "It lies on a share.")
    with Project.open(path) as project:
        assert project.conn.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert project.warning == "It lies on a share."
        project.set_setting("a", "b")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("database is locked", "Another program"),
        ("disk I/O error", "check the disk"),
        ("unable to open database file", "cannot be opened"),
        (os.strerror(errno.EIO), "could not be read or written"),
    ],
)
def test_errors_of_the_library_become_sentences(tmp_path: Path, text: str, part: str) -> None:
    assert part in explain(sqlite3.OperationalError(text), tmp_path / "a.review")


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.review"
    path.touch()
    with pytest.raises(
        ProjectError, match=r"empty\.review is empty, so it is no Reviewer project"
    ):
        Project.open(path)
    assert path.read_bytes() == b""
