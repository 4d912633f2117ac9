"""Scores of a project of format 1: which version counts now, and what is said of it.

`tests/projects` holds one as an older program made it: imports with seeds that differ, requests'
ids, repeats, errors and turns; judges' jobs that were stopped, limited, gone on with and whole,
over one run and two; parameters that were tried; a text that was replaced and an import that was
taken back; and what that program exported of it.
"""

import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError, Silent
from reviewer.domain.evaluation import to_micros
from reviewer.services.project import record
from reviewer.services.project.session import Session, conversion_told, last_job_before
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import checking
from reviewer.store.project import Project
from tests.dumping import dump

GIVEN = Path(__file__).resolve().parents[1] / "projects"
_LAST_COUNTED = """
    SELECT r.name, m.name, b.scorer, count(*), avg(s.value),
        max(ifnull(julianday(s.at), 0)), b.status = 'running', s.score_set
    FROM scores s JOIN visible_evaluations e ON e.id = s.evaluation JOIN runs r ON r.id = e.run
    JOIN metrics m ON m.id = s.metric JOIN score_sets b ON b.id = s.score_set
    WHERE s.latest = 1 AND s.turn = -1 GROUP BY r.name, m.name, s.score_set
    ORDER BY 7 DESC, 6, 8
"""
"""As the older program chose: of each metric and run the last row counts."""
_OF_RECORD = """
    SELECT u.name, m.name, b.scorer, count(*), avg(s.value) FROM records r
    JOIN runs u ON u.id = r.run JOIN metrics m ON m.id = r.metric
    JOIN score_sets b ON b.id = r.score_set JOIN visible_evaluations e ON e.run = r.run
    JOIN scores s ON s.evaluation = e.id AND s.metric = r.metric AND s.score_set = r.score_set
        AND s.latest = 1 AND s.turn = -1 GROUP BY 1, 2
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file as the older program left it."""
    made = tmp_path / "old.review"
    with closing(sqlite3.connect(made)) as conn:
        script = (GIVEN / "format-1-scores.sql.gz").read_bytes()
        conn.executescript(gzip.decompress(script).decode())
    return made


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as conn:
        return conn.execute(query).fetchall()


def test_the_version_that_stood_counts_unless_it_is_not_whole(path: Path) -> None:
    with closing(Session.open(path)) as session:
        found = {(x.run, x.metric): x for x in record.standing(session, ["all"])}
    names = {place: x.version.name if x.version else None for place, x in found.items()}
    assert names == {
        ("seeds", "tone"): "judge@1 temperature=0",
        ("seeds", "accuracy"): "judge@1",
        # a cancelled job, and one of the first two, scored last
        ("cancelled", "tone"): "judge@1",
        ("cancelled", "accuracy"): "judge@1",
        ("limited", "tone"): "judge@1",
        # nothing but a job that was stopped; nothing but one that took three, to its end
        ("stopped", "tone"): None,
        ("only limited", "tone"): "careful@1",
        ("third", "tone"): "second@1",
        ("resumed", "tone"): "careful@1",
        # one job cancelled in the second run, when it had scored all of the first
        ("both 1", "tone"): "careful@1",
        ("both 2", "tone"): "judge@1",
        ("repeats", "tone"): "careful@1",
        # an import of fewer that was newer
        ("few", "tone"): "judge@2",
        ("undated", "tone"): "judge@1",
        ("tried", "quality"): "response_quality@1 normalize_numbers=true",
        ("kept", "quality"): "response_quality@1 normalize_numbers=false",
        ("odd", "tone"): "judge@1",
        ("odd", "kind"): "sorter top_p=1",
    }
    assert {(x.by, x.with_repeats) for x in found.values()} == {(None, False)}


def test_what_changed_is_said_once_with_both_values(path: Path) -> None:
    with closing(Session.open(path)) as session:
        _, _, *told = conversion_told(session)
        assert last_job_before(session) == 14
    assert told == [
        "12 versions differed from another one in a seed or the like only; they are one now.",
        *(
            f"tone of {run}: careful@1 on 2 (mean {mean}) stood for it and came of a job that was "
            "stopped or partial; judge@1 on 6 (mean 3.00) counts now."
            for run, mean in (("cancelled", "1.00"), ("limited", "1.00"))
        ),
        "tone of stopped: careful@1 on 3 (mean 1.00) came of a job that was stopped, so nothing "
        "counts until a job ends or a lead names a version.",
        "tone of both 2: careful@1 on 2 (mean 2.00) stood for it and came of a job that was "
        "stopped or partial; judge@1 on 6 (mean 3.00) counts now.",
        "quality of tried: response_quality@1 normalize_numbers=false on 2 (mean 0.00) stood for "
        "it and came of a job that was stopped or partial; response_quality@1 "
        "normalize_numbers=true on 6 (mean 1.00) counts now.",
        "Where a version gave an evaluation several values, the first counts now, no longer the "
        "newest: that changes tone of seeds (2 of 2).",
    ]


def test_every_other_figure_stays_as_it_was(path: Path) -> None:
    before = {row[:2]: row[2:5] for row in rows(path, _LAST_COUNTED)}
    with Project.open(path) as project:
        after = {row[:2]: row[2:] for row in project.conn.execute(_OF_RECORD)}
    changed = {place for place in before if before[place] != after.get(place)}
    assert changed == {
        *((run, "tone") for run in ("cancelled", "limited", "stopped", "both 2", "seeds")),
        ("tried", "quality"),
        # one of six seeds stood there, with one value
        ("odd", "kind"),
    }
    assert after["seeds", "tone"] == ("judge", 6, 2)
    assert after["odd", "kind"] == ("sorter", 6, 0)


def test_seeds_make_no_versions_and_stay_with_their_scores(path: Path, tmp_path: Path) -> None:
    older = _records(gzip.decompress((GIVEN / "format-1-scores.jsonl.gz").read_bytes()))
    with Project.open(path) as project:
        exporting.export(project, tmp_path / "out.jsonl", ExportRequest(), Silent())
        sets = project.conn.execute(
            "SELECT scorer, parameters FROM score_sets WHERE scorer IN ('judge', 'sorter') "
            "ORDER BY id"
        ).fetchall()
        looks = project.conn.execute("SELECT score_set, stamp FROM held_out_looks").fetchall()
    assert sets == [
        ("judge", '{"temperature":0}'), ("judge", None), ("judge", None), ("sorter", None),
        ("sorter", '{"top_p":1}'), ("judge", None),
    ]  # fmt: skip
    # two looks at one state of one version are one
    assert looks == [(1, "a"), (1, "b")]
    exported = (tmp_path / "out.jsonl").read_bytes()
    assert _records(exported) == older
    # and they are known again
    report = importing.run(path, ImportRequest((tmp_path / "out.jsonl",)), Silent())
    assert (report.unchanged, report.scores) == (report.read, 0)


def _records(content: bytes) -> list[dict[str, Any]]:
    """Read records; scores of one time stand in any order."""
    found = []
    for line in content.splitlines():
        fields = json.loads(line)
        told = [json.dumps(score) for score in fields.get("scores", ())]
        found.append(fields | {"scores": sorted(told)})
    return found


def test_the_first_value_of_a_version_counts_of_the_present_text(path: Path) -> None:
    with Project.open(path) as project:
        found = project.conn.execute(
            "SELECT r.name, e.ext_id, s.value FROM scores s JOIN metrics m ON m.id = s.metric "
            "JOIN visible_evaluations e ON e.id = s.evaluation JOIN runs r ON r.id = e.run "
            "JOIN records c ON c.run = r.id AND c.metric = m.id AND c.score_set = s.score_set "
            "WHERE s.latest = 1 AND s.turn = -1 AND m.name = 'tone' AND r.name IN ('odd', 'seeds')"
        ).fetchall()
    values = {row[:2]: row[2] for row in found}
    # errors do not count, and the text of the first was replaced
    assert [values["odd", f"c-{n}"] for n in range(6)] == [1, 4, 4, 4, 4, 4]
    assert [values["seeds", f"c-{n}"] for n in range(6)] == [2, 2, 2, 2, 2, 2]


def test_times_are_kept_as_numbers(path: Path) -> None:
    with Project.open(path) as project:
        scored = project.conn.execute("SELECT at, at_us FROM scores").fetchall()
        assert all(at_us == to_micros(at) for at, at_us in scored)
        dated = project.conn.execute(
            "SELECT occurred_at, evaluated_at, dated FROM evaluations"
        ).fetchall()
    assert all(date == to_micros(judged or chat) for chat, judged, date in dated)


def test_the_file_is_whole_and_made_as_a_new_one(path: Path, tmp_path: Path) -> None:
    before = dump(path)
    with Project.open(path) as project, Project.create(tmp_path / "new.review") as new:
        assert project.conn.execute("PRAGMA foreign_key_check").fetchall() == []
        assert project.conn.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert project.conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert checking.problems(project) == []
        assert _made(project) == _made(new)
        kept = project.older_copy
    assert kept == tmp_path / "old.review.format-1.bak"
    assert dump(kept) == before


def _made(project: Project) -> dict[tuple[str, str], str]:
    found = project.conn.execute("SELECT type, name, ifnull(sql, '') FROM sqlite_master")
    return {(kind, name): " ".join(sql.split()) for kind, name, sql in found}


_OPENING = """
import sys, time
from pathlib import Path
from reviewer.store import connecting, from_format_1
from reviewer.store.project import Project
copying = sys.argv[3] == "copying"
module, name = (connecting, "copy") if copying else (from_format_1, "keep_records")
act = getattr(module, name)
def slowly(*given):
    print("begun", flush=True)
    time.sleep(float(sys.argv[2]))
    return act(*given)
setattr(module, name, slowly)
with Project.open(Path(sys.argv[1])) as project:
    print(project.older_copy, flush=True)
"""


def opening(path: Path, seconds: float, amid: str = "conversion") -> subprocess.Popen[str]:
    """Open a file in another process that waits so long amid the conversion or before copying."""
    return subprocess.Popen(
        [sys.executable, "-c", _OPENING, str(path), str(seconds), amid],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_killed_conversion_leaves_the_file_as_it_was(path: Path) -> None:
    before = dump(path)
    with opening(path, 600) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGKILL)
    assert dump(path) == before
    assert rows(path, "PRAGMA user_version") == [(1,)]
    with Project.open(path) as project:
        assert project.conn.execute("SELECT count(*) FROM records").fetchone() == (17,)
        # the copy of before may be the only good one
        assert project.older_copy == path.with_name("old.review.format-1-2.bak")
    with Project.open(path) as project:
        assert project.older_copy is None


@pytest.mark.parametrize("amid", ["conversion", "copying"])
def test_two_windows_at_once_convert_it_once(path: Path, amid: str) -> None:
    before = dump(path)
    with opening(path, 2, amid) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "begun\n"
        with opening(path, 0) as second:
            told = [first.communicate()[0], second.communicate()[0]]
    assert (first.returncode, second.returncode) == (0, 0)
    assert told == [f"{path}.format-1.bak\n", "None\n"]
    assert sorted(x.name for x in path.parent.glob("*.bak")) == ["old.review.format-1.bak"]
    assert dump(path.with_name("old.review.format-1.bak")) == before
    assert rows(path, "SELECT count(*) FROM records") == [(17,)]


def test_a_file_that_cannot_be_written_is_a_sentence(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    monkeypatch.setattr("reviewer.store.connecting.writable", lambda _: False)
    with pytest.raises(ProjectError, match="has to be brought up to date, but it is read-only"):
        Project.open(path)
    assert path.read_bytes() == before
    assert [x.name for x in path.parent.iterdir()] == ["old.review"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda conn: conn.execute("UPDATE jobs SET plan = json_remove(plan, '$.metrics')"),
        lambda conn: conn.execute("DELETE FROM attempts") and conn.execute("DELETE FROM jobs"),
    ],
)
def test_scores_of_jobs_that_nobody_knows_are_held_to_what_they_scored(
    path: Path, spoil: Callable[[sqlite3.Connection], object]
) -> None:
    with closing(sqlite3.connect(path)) as conn:
        spoil(conn)
        conn.commit()
    with closing(Session.open(path)) as session:
        found = {
            x.run: x.version.name if x.version else None
            for x in record.standing(session, ["all"])
            if x.metric == "tone"
        }
    assert (found["third"], found["resumed"], found["repeats"]) == (
        "second@1", "careful@1", "careful@1",
    )  # fmt: skip
    assert (found["cancelled"], found["only limited"]) == ("judge@1", None)
