"""Audit packets: what is in them, the same bytes twice, and nothing that must stay here."""

import hashlib
import json
import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import CancelledError, LabelError, ProjectError, ReviewerError, Silent
from reviewer.domain.judging import Endpoint
from reviewer.domain.run import Scope
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.services.reporting import packet
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import projects
from reviewer.store import judging
from tests.building import RUBRIC, build_project, record
from tests.journeys.planted_key import KEY, places
from tests.services.reporting.handed_out import checked, contents, lines, packed
from tests.two_versions import RUN, versions_project

AS_OF = date(2026, 11, 21)
SCOPE = Scope(as_of=AS_OF)
FIXED = {
    "README.txt", "figures.json", "judges.json", "labels.jsonl", "manifest.json", "options.json",
    "recompute.py", "records.jsonl", "rubric.json", "rubric.toml",
}  # fmt: skip


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("packet") / "d.review", None, Silent())


def label(value: Any, **more: Any) -> dict[str, Any]:
    return {"metric": "safety", "labeler": "ann", "value": value, "blind": True} | more


def test_files_are_those_of_the_scope(demo: Path, tmp_path: Path) -> None:
    made = packed(demo, tmp_path / "a.zip", scope=SCOPE)
    files = contents(made.file)
    assert {x for x in files if not x.startswith("prompts/")} == FIXED
    records, labels = lines(files["records.jsonl"]), lines(files["labels.jsonl"])
    assert (len(records), len(labels)) == (made.evaluations, made.labels)
    assert (made.bytes, made.sha256) == (
        made.file.stat().st_size,
        hashlib.sha256(made.file.read_bytes()).hexdigest(),
    )
    with closing(Session.open(demo)) as session:
        request = StatsRequest(scope=SCOPE)
        document = statistics.compute(session.project, request).to_json()
        document = json.loads(json.dumps(document))
        runs = Scope(runs=tuple(document["filters"]["covers"]))
        exported = tmp_path / "e.jsonl"
        exporting.export(session.project, exported, ExportRequest(filters=runs), Silent())
        rubric = session.rubric(document["rubric"])
    whole = lines(exported.read_bytes())
    history = [{"run": x["run"], "id": x["id"], **y} for x in whole for y in x.pop("labels", ())]
    assert records == whole
    assert labels == history
    assert {x.get("kind") for x in labels} >= {None, "adjudication"}
    del document["project"]
    assert json.loads(files["figures.json"]) == document
    assert rubrics.from_toml(files["rubric.toml"].decode()) == rubric
    options = json.loads(files["options.json"])
    assert options["as_of"] == "2026-11-21"
    assert options["options"] == document["options"]


def test_judges_have_their_prompts_and_the_record(demo: Path, tmp_path: Path) -> None:
    files = contents(packed(demo, tmp_path / "a.zip", scope=SCOPE).file)
    judges = json.loads(files["judges.json"])
    by_name = {x["name"]: x for x in judges["versions"] if x["prompt_hash"]}
    assert by_name
    shown = [x for x in judges["versions"] if x["prompt"]]
    assert shown
    for one in shown:
        digest = hashlib.sha256(files[one["prompt"]]).hexdigest()
        assert digest.startswith(one["prompt_hash"])
    for entry in judges["record"]:
        assert judges["versions"][entry["version"]]["scorer"] == "deepseek-chat"
        assert judges["versions"][entry["version"]]["version"] == "v3"
    # what scored and does not count is there, too
    assert {x["version"] for x in judges["versions"]} == {"v3", "v4"}


def test_a_packet_can_be_imported(demo: Path, tmp_path: Path) -> None:
    files = contents(packed(demo, tmp_path / "a.zip", scope=SCOPE).file)
    for name in ("records.jsonl", "labels.jsonl", "rubric.toml"):
        (tmp_path / name).write_bytes(files[name])
    again = tmp_path / "again.review"
    sources = (tmp_path / "records.jsonl", tmp_path / "labels.jsonl")
    importing.run(again, ImportRequest(sources, rubric=tmp_path / "rubric.toml"), Silent())
    found = json.loads(
        contents(packed(again, tmp_path / "b.zip", scope=SCOPE).file)["figures.json"]
    )
    told = json.loads(files["figures.json"])
    assert found["metrics"]["safety"]["human_mean"] == told["metrics"]["safety"]["human_mean"]
    assert found["pass"]["corrected"] == told["pass"]["corrected"]


def test_the_manifest_names_every_other_file(demo: Path, tmp_path: Path) -> None:
    files = contents(packed(demo, tmp_path / "a.zip", scope=SCOPE).file)
    manifest = json.loads(files.pop("manifest.json"))
    assert {x["name"]: (x["bytes"], x["sha256"]) for x in manifest["files"]} == {
        name: (len(content), hashlib.sha256(content).hexdigest())
        for name, content in files.items()
    }
    assert manifest["packet"] == 1
    assert manifest["program"].startswith("Reviewer ")


def test_excluded_evaluations_are_there_and_count_nowhere(tmp_path: Path) -> None:
    rows = [record(n, labels=[label(4)]) for n in range(1, 13)]
    rows[0]["excluded"] = {"reason": "a test", "by": "lea"}
    made = packed(build_project(tmp_path / "a.review", evaluations=rows), tmp_path / "a.zip")
    assert (made.evaluations, made.excluded) == (12, 1)
    files = contents(made.file)
    assert lines(files["records.jsonl"])[0]["excluded"]["reason"] == "a test"
    assert json.loads(files["figures.json"])["metrics"]["safety"]["n_auto"] == 11
    code, told = checked(made.file, tmp_path / "x")
    assert code == 0, told


def test_a_scope_narrows_records_too(tmp_path: Path) -> None:
    rows = [record(n, labels=[label(4)]) for n in range(1, 31)]
    rows[2]["excluded"] = {"reason": "of this category"}
    rows[3]["excluded"] = {"reason": "of another"}
    project = build_project(tmp_path / "a.review", evaluations=rows)
    made = packed(project, tmp_path / "a.zip", scope=Scope(categories=("amenities",)))
    records = lines(contents(made.file)["records.jsonl"])
    assert {x["category"] for x in records} == {"amenities"}
    assert (made.evaluations, made.excluded) == (10, 1)


def test_another_version_can_be_asked_for(tmp_path: Path) -> None:
    project = versions_project(tmp_path / "a.review")
    made = packed(project, tmp_path / "a.zip", scope=Scope(scorer="judge@2", runs=(RUN,)))
    told = json.loads(contents(made.file)["figures.json"])
    assert told["metrics"]["accuracy"]["auto_mean"] == 2
    code, said = checked(made.file, tmp_path / "x")
    assert code == 0, said


def test_where_the_project_lies_is_not_told(demo: Path, tmp_path: Path) -> None:
    made = packed(demo, tmp_path / "a.zip", scope=SCOPE)
    for name, content in contents(made.file).items():
        assert str(demo.parent).encode() not in content, name
    assert b"d.review" not in b"".join(contents(made.file).values())


@pytest.mark.parametrize("where", ["variable", "parameter"])
def test_a_key_is_in_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    rows = [record(n, labels=[label(4, comment=f"Why {KEY}?")]) for n in range(1, 13)]
    rows[0]["scores"][0]["raw"] = f"You sent Bearer {KEY}"
    if where == "parameter":
        for row in rows[:6]:
            for one in row["scores"]:
                one["parameters"] = {"headers": {"X-Api-Key": KEY}, "temperature": 0}
    project = build_project(tmp_path / "a.review", evaluations=rows)
    if where == "variable":
        address = "http://127.0.0.1:9/v1"
        monkeypatch.setenv("NEAR_KEY", KEY)
        monkeypatch.setenv("REVIEWER_TRUST", address)
        near = Endpoint(name="near", kind="openai", base_url=address, variable="NEAR_KEY")
        with closing(Session.open(project)) as session:
            judging.keep(session.project, near)
    made = packed(project, tmp_path / "a.zip")
    files = contents(made.file)
    assert {name: places(content) for name, content in files.items() if places(content)} == {}
    assert "Why …?" in files["labels.jsonl"].decode()
    # what is said of files is said of them as they are
    code, told = checked(made.file, tmp_path / "x")
    assert code == 0, told


def test_hostile_names_are_texts_and_no_places(tmp_path: Path) -> None:
    evil = "../../evil\n/../\x1b[31m\u202e"
    rows = [
        record(
            n,
            id=f"{evil}{n}",
            run=evil if n > 2 else "b",
            category=evil,
            labels=[label(4, labeler=evil)],
        )
        for n in range(1, 13)
    ]
    for row in rows:
        for one in row["scores"]:
            one |= {"scorer": evil, "scorer_version": "/etc/x", "prompt_hash": "../../evil"}
    project = build_project(tmp_path / "a.review", evaluations=rows, runs=("b", evil))
    with closing(Session.open(project)) as session:
        judging.keep_prompt(
            session.project, rubric=RUBRIC.name, metric="safety", text="Judge.",
            text_hash="../../evil",
        )  # fmt: skip
    made = packed(project, tmp_path / "a.zip", scope=Scope(every_run=True))
    assert set(contents(made.file)) == FIXED | {"prompts/prompt-1.txt"}
    before = {x.name for x in tmp_path.iterdir()}
    code, told = checked(made.file, tmp_path / "x")
    assert code == 0, told
    assert "evil" in told
    assert not {"\x1b", "\u202e"} & set(told)
    assert {x.name for x in tmp_path.iterdir()} == before | {"x"}


def test_only_leads_get_one(tmp_path: Path) -> None:
    project = build_project(tmp_path / "a.review")
    with closing(Session.open(project, "lea")) as session:
        profiles.add(session, "bo")
    with closing(Session.open(project, "bo")) as session:
        assert session.blind
        with pytest.raises(LabelError, match="lea leads this project"):
            packet.make(session, tmp_path / "a.zip", StatsRequest(), Silent())
    assert not (tmp_path / "a.zip").exists()


def test_what_is_there_stays(demo: Path, tmp_path: Path) -> None:
    to = tmp_path / "a.zip"
    to.write_text("mine")
    with pytest.raises(ProjectError, match="exists already; choose another name"):
        packed(demo, to)
    assert to.read_text() == "mine"


def test_wrong_requests_are_told(demo: Path, tmp_path: Path) -> None:
    with pytest.raises(ReviewerError, match=r"a.txt should end in \.zip"):
        packed(demo, tmp_path / "a.txt")
    with pytest.raises(ReviewerError, match=r"holds every metric of the rubric.*safety was named"):
        packed(demo, tmp_path / "a.zip", scope=Scope(metrics=("safety",)))
    with pytest.raises(ProjectError, match="does not exist; make it first"):
        packed(demo, tmp_path / "no" / "a.zip")
    with pytest.raises(ReviewerError, match="There is no run 'x'"):
        packed(demo, tmp_path / "a.zip", scope=Scope(runs=("x",)))
    assert list(tmp_path.iterdir()) == []


class Stopping(Silent):
    """Asks to stop once some records are written."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def advance(self, done: int, total: int | None, note: str = "") -> None:  # noqa: ARG002
        self.notes.append(note)
        self.cancelled = note == "records" and done >= packet.ROWS


def test_stopping_leaves_nothing(tmp_path: Path) -> None:
    project = build_project(tmp_path / "a.review", evaluations=3 * packet.ROWS)
    progress = Stopping()
    with (
        closing(Session.open(project)) as session,
        pytest.raises(CancelledError, match=r"a.zip was not written"),
    ):
        packet.make(session, tmp_path / "a.zip", StatsRequest(), progress)
    assert progress.notes.count("records") == 1
    assert [x for x in tmp_path.iterdir() if "zip" in x.name] == []


def test_the_zip_knows_no_clock_and_no_machine(demo: Path, tmp_path: Path) -> None:
    made = packed(demo, tmp_path / "a.zip", scope=SCOPE)
    with zipfile.ZipFile(made.file) as files:
        for entry in files.infolist():
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert (entry.create_system, entry.external_attr) == (3, 0o100644 << 16)
