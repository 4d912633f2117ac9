"""Importing: counts, identity, conflicts, rubrics, rejections, and taking an import back."""

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError, ProjectError, RubricError, Silent
from reviewer.services.labelling import entering
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing, undoing
from reviewer.services.transfer.asking import RefusedError, UnansweredError
from reviewer.services.transfer.import_report import RejectedRow
from reviewer.services.transfer.undoing import LabelledError
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record, undone
from tests.services.transfer.imports import exported, load, rows, write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "p.review"


def test_counts_add_up(tmp_path: Path, project: Path) -> None:
    wrong = record(
        3, scores=[{"metric": "relevance", "value": 9}, {"metric": "charm", "value": 1}]
    )
    file = write(
        tmp_path / "agent v7.jsonl", record(1), record(2), wrong, {"id": 4}, "{", record(1)
    )
    report = load(project, file, rubric=RUBRIC, allow_refused=True)
    assert report.counts == {
        "read": 6, "added": 3, "updated": 0, "unchanged": 1, "conflicts": 0, "rejected": 2,
        "rejected_values": 2, "scores": 6, "labels": 0,
    }  # fmt: skip
    assert report.runs == ["agent v7"]
    assert [(row.line, row.field) for row in report.first_rejected] == [
        (3, "scores[0].value"), (3, "scores[1].metric"), (4, "input"), (5, ""),
    ]  # fmt: skip
    assert "the rubric guest has no metric 'charm'" in report.first_rejected[1].reason
    assert report.rejected_file == tmp_path / "p.rejected.jsonl"
    lines = [json.loads(x) for x in report.rejected_file.read_text("utf-8").splitlines()]
    assert list(lines[0]) == ["file", "line", "field", "value", "reason"]
    assert list(lines[0].values())[:4] == ["agent v7.jsonl", 3, "scores[0].value", 9]


def test_the_same_file_twice_adds_nothing(tmp_path: Path, project: Path) -> None:
    label = {"metric": "accuracy", "labeler": "ann", "value": 3}
    file = write(tmp_path / "r.jsonl.gz", record(1, labels=[label], tags=["a"]), record(2))
    assert load(project, file, rubric=RUBRIC).added == 2
    again = load(project, file)
    assert (again.added, again.unchanged, again.scores, again.labels) == (0, 2, 0, 0)
    assert rows(project, "SELECT count(*) FROM labels") == [(1,)]


def test_run_names(tmp_path: Path, project: Path) -> None:
    file = write(tmp_path / "a.b.jsonl.gz", record(1), record(2, run="own"))
    assert load(project, file, rubric=RUBRIC).runs == ["a.b", "own"]
    other = load(project, file, run="given")
    assert (other.runs, other.added, other.unchanged) == (["given", "own"], 1, 1)


def test_new_scores_and_labels_join_what_is_there(tmp_path: Path, project: Path) -> None:
    load(project, write(tmp_path / "r.jsonl", record(1)), rubric=RUBRIC)
    fields = record(1)
    fields["scores"] = [
        {"metric": "accuracy", "value": 1, "scorer": "judge", "at": "2026-11-20T00:00:00Z"},
        {"metric": "accuracy", "value": 5, "scorer": "judge", "at": "2026-11-19T00:00:00Z"},
    ]
    fields["labels"] = [{"metric": "accuracy", "labeler": "ann", "value": 2}]
    report = load(project, write(tmp_path / "r.jsonl", fields))
    assert (report.updated, report.scores, report.labels) == (1, 2, 1)
    latest = (
        "SELECT value FROM scores JOIN metrics ON metrics.id = metric WHERE latest AND name = "
    )
    # what a version said first counts
    first = next(x["value"] for x in record(1)["scores"] if x["metric"] == "accuracy")
    assert rows(project, latest + "'accuracy'") == [(first,)]
    assert rows(project, "SELECT value, kind FROM current_labels") == [(2, "label")]
    assert rows(project, "SELECT answered FROM states") == [(1,)]
    assert len(exported(project)[0]["scores"]) == 5


@pytest.mark.parametrize("policy", ["skip", "replace", "version"])
def test_other_content_is_a_conflict(tmp_path: Path, project: Path, policy: str) -> None:
    label = {"metric": "accuracy", "labeler": "ann", "value": 2}
    load(project, write(tmp_path / "r.jsonl", record(1, labels=[label]), record(2)), rubric=RUBRIC)
    changed = record(1, response="Zanzibar.", labels=[label], scores=[
        {"metric": "accuracy", "value": 4, "scorer": "judge", "at": "2026-11-20"}])  # fmt: skip
    report = load(project, write(tmp_path / "r.jsonl", changed), on_conflict=policy)
    kept = exported(project)[0]
    found = "SELECT count(*) FROM search WHERE search MATCH 'zanzibar'"
    revisions = rows(project, "SELECT revision FROM evaluations ORDER BY id")
    assert kept["labels"] == [label]
    if policy == "skip":
        assert (report.conflicts, report.updated) == (1, 0)
        assert "other content" in report.first_rejected[0].reason
        assert kept["response"].startswith("Answer 1")
        assert rows(project, found) == [(0,)]
        return
    assert (report.conflicts, report.updated) == (0, 1)
    assert kept["response"] == "Zanzibar."
    assert rows(project, found) == [(1,)]
    assert rows(project, "SELECT count(*) FROM search WHERE search MATCH '\"answer 1\"'") == [(0,)]
    assert revisions == [(2,), (1,)]
    # the label belongs to the text before
    assert rows(project, "SELECT revision FROM labels") == [(1,)]
    assert len(kept["scores"]) == (1 if policy == "replace" else 4)
    old = json.loads(rows(project, "SELECT body FROM evaluation_versions")[0][0])
    assert old["response"].startswith("Answer 1")


def test_a_label_that_comes_with_another_text_is_of_that_text(
    tmp_path: Path, project: Path
) -> None:
    load(project, write(tmp_path / "r.jsonl", record(1)), rubric=RUBRIC)
    label = {"metric": "accuracy", "labeler": "ann", "value": 2}
    changed = record(1, response="Zanzibar.", labels=[label])
    load(project, write(tmp_path / "r.jsonl", changed), on_conflict="version")
    assert rows(project, "SELECT revision FROM evaluations") == [(2,)]
    assert rows(project, "SELECT revision FROM labels") == [(2,)]


def test_labels_alone_find_their_evaluation(tmp_path: Path, project: Path) -> None:
    load(project, write(tmp_path / "one.jsonl", record(1), record(2)), rubric=RUBRIC)
    load(project, write(tmp_path / "two.jsonl", record(2)))
    label = {"id": "c-0001", "metric": "accuracy", "labeler": "ann", "value": 3}
    file = write(
        tmp_path / "labels.jsonl",
        label, label, label | {"value": 4, "at": "2026-11-01"}, label | {"id": "c-0002"},
        label | {"id": "c-0002", "run": "two"}, label | {"id": "nobody"},
        label | {"value": 7},
        label | {"kind": "not_applicable", "value": None, "metric": "safety"},
    )  # fmt: skip
    report = load(project, file, allow_refused=True)
    assert (report.read, report.labels, report.unchanged, report.rejected) == (8, 4, 1, 3)
    reasons = [row.reason for row in report.first_rejected]
    assert "2 runs have an evaluation" in reasons[0]
    assert "there is no evaluation 'nobody'" in reasons[1]
    assert "not on the scale" in reasons[2]
    current = "SELECT evaluation, value, kind FROM current_labels ORDER BY 1, metric"
    assert rows(project, current) == [
        (1, 4, "label"),
        (1, None, "not_applicable"),
        (3, 3, "label"),
    ]
    assert load(project, file, allow_refused=True).labels == 0


def test_records_with_one_id_in_a_file_are_united(tmp_path: Path, project: Path) -> None:
    first = record(1, scores=[{"metric": "accuracy", "value": 4, "scorer": "x"}])
    second = record(1, scores=[{"metric": "safety", "value": 5, "scorer": "x"}])
    other = record(1, response="Different.")
    report = load(project, write(tmp_path / "r.jsonl", first, second, other), rubric=RUBRIC)
    assert (report.read, report.added, report.updated, report.conflicts) == (3, 1, 1, 1)
    assert [x["metric"] for x in exported(project)[0]["scores"]] == ["accuracy", "safety"]


def test_values_that_are_none(tmp_path: Path, project: Path) -> None:
    line = (
        '{"id":"a","input":"x","scores":[{"metric":"accuracy","value":NaN},{"metric":"accuracy",'
        '"value":null},{"metric":"accuracy","value":null,"error":"time-out"},{"metric":"accuracy",'
        '"value":"4"},{"metric":"accuracy","value":3.5}],"labels":[{"metric":"accuracy",'
        '"labeler":"ann","value":3.5},{"metric":"accuracy","labeler":"bob","value":3.5,"aggregate":2}]}'
    )
    file = write(tmp_path / "r.jsonl", line)
    report = load(project, file, rubric=RUBRIC, allow_refused=True)
    assert (report.added, report.scores, report.labels, report.rejected_values) == (1, 2, 1, 4)
    assert [x["value"] for x in exported(project)[0]["scores"]] == [None, 3.5]


def test_strict_stores_nothing(tmp_path: Path, project: Path) -> None:
    good = write(tmp_path / "good.jsonl", record(1))
    poor = write(tmp_path / "poor.jsonl", record(2), "{")
    report = load(project, good, poor, rubric=RUBRIC, strict=True)
    assert (report.stored, report.rejected) == (False, 1)
    assert not project.exists()
    load(project, good, rubric=RUBRIC)
    report = load(project, poor, strict=True)
    assert (report.stored, report.imports) == (False, [])
    assert len(exported(project)) == 1


def test_a_dry_run_counts_and_stores_nothing(tmp_path: Path, project: Path) -> None:
    file = write(tmp_path / "r.jsonl", record(1), record(1), "{")
    report = load(project, file, rubric=RUBRIC, dry_run=True)
    assert (report.added, report.unchanged, report.rejected, report.stored) == (1, 1, 1, False)
    assert not project.exists()
    load(project, file, rubric=RUBRIC)
    before = project.read_bytes()
    assert load(project, file, dry_run=True).unchanged == 2
    assert project.read_bytes() == before


def test_nothing_importable_is_an_error(tmp_path: Path, project: Path) -> None:
    with pytest.raises(FormatError, match=r"Nothing in r.jsonl can be imported.*line 1"):
        load(project, write(tmp_path / "r.jsonl", {"id": "a"}), rubric=RUBRIC, format="native")
    assert not project.exists()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.jsonl", b"", "is empty"),
        ("blank.jsonl", b"\n  \n", "is empty"),
        ("picture.jsonl", b"\x89PNG\r\n\x1a\n" + bytes(200), "PNG|picture|image"),
        ("nulls.jsonl", bytes(3000), "empty|binary"),
        ("cut.jsonl.gz", gzip.compress(b'{"id":"a","input":"x"}\n' * 9000)[:150], "cut off"),
        ("gone.jsonl", None, "does not exist"),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, project: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=words):
        load(project, tmp_path / name)
    assert not project.exists()


def test_a_proposed_rubric_follows_the_values(tmp_path: Path, project: Path) -> None:
    values: dict[str, list[Any]] = {
        "stars": [1, 4, 5.0], "ten": [2, 9], "zero": [0, 3], "share": [0.25, 1],
        "percent": [12, 80.5],
        "verdict": ["good", "bad"], "yes": [True, False], "far": [-3, 250],
    }  # fmt: skip
    records = [
        {"id": str(number), "input": "x", "scores": [
            {"metric": name, "value": some[number]} for name, some in values.items()
            if number < len(some)]}
        for number in range(3)
    ]  # fmt: skip
    report = load(project, write(tmp_path / "r.jsonl", *records))
    assert report.rejected_values == 0
    assert "The rubric r was proposed" in report.sentences[0]
    with Project.open(project) as opened:
        rubric = rubrics.current(opened, "r")
    scales = {metric.name: metric.describe_scale() for metric in rubric.metrics}
    assert scales == {
        "stars": "one of 1, 2, 3, 4, 5", "ten": "one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
        "zero": "one of 0, 1, 2, 3", "share": "a number from 0 to 1",
        "percent": "a number from 0 to 100", "verdict": "one of bad, good", "yes": "0 or 1",
        "far": "a number from -3 to 250",
    }  # fmt: skip


def test_thousands_of_metrics_are_not_all_named(tmp_path: Path, project: Path) -> None:
    scores = [{"metric": f"m{number}", "value": 3} for number in range(3000)]
    wide = {"id": "1", "input": "x", "scores": scores}
    report = load(project, write(tmp_path / "r.jsonl", wide))
    assert report.sentences[0].endswith("m19: one of 1, 2, 3, 4, 5; and 2,980 more metrics.")
    odd = {"id": "2", "input": "x", "scores": [{"metric": "none", "value": 3}]}
    file = write(tmp_path / "odd.jsonl", odd)
    refused = load(project, file, allow_refused=True).first_rejected[0]
    assert refused.reason.endswith("m18, m19 and 2,980 more")


def test_rubrics_by_name_file_and_run(tmp_path: Path, project: Path) -> None:
    file = write(tmp_path / "r.jsonl", record(1))
    with pytest.raises(RubricError, match="There is no rubric 'nope'; there are"):
        load(project, file, rubric="nope")
    assert not project.exists()
    assert load(project, file, rubric="guest-response").rubric == "guest-response"
    with pytest.raises(RubricError, match="a run has one rubric"):
        load(project, file, rubric="agent-rubric")
    own = tmp_path / "own.toml"
    own.write_text(rubrics.to_toml(RUBRIC), encoding="utf-8")
    report = load(project, file, rubric=str(own), run="second")
    assert (report.rubric, report.added) == ("guest", 1)


def test_how_labels_were_chosen_can_be_said(tmp_path: Path, project: Path) -> None:
    label = {"metric": "accuracy", "labeler": "ann", "value": 2}
    other = label | {"labeler": "bob", "selection_reason": "active"}
    load(project, write(tmp_path / "r.jsonl", record(1, labels=[label, other])), rubric=RUBRIC,
         selection="random")  # fmt: skip
    assert rows(project, "SELECT selection_reason FROM labels ORDER BY id") == [
        ("random",), ("active",),
    ]  # fmt: skip


PNG = b"\x89PNG\r\n\x1a\n"


def test_pictures_come_from_the_folder_of_the_file_only(tmp_path: Path, project: Path) -> None:
    folder = tmp_path / "in"
    (folder / "img").mkdir(parents=True)
    (folder / "img" / "a.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    paths = ["img/a.png", "../secret.png", str(tmp_path / "secret.png"), "https://x.test/a.png",
             "gone.png", "img"]  # fmt: skip
    parts = [{"type": "image", "path": path} for path in paths]
    fields = {"id": "a", "messages": [{"role": "user", "content": parts}],
              "scores": [{"metric": "accuracy", "value": 3}]}  # fmt: skip
    report = load(project, write(folder / "r.jsonl", fields), rubric=RUBRIC)
    assert rows(project, "SELECT path, content FROM attachment_uses u JOIN attachments a "
                "ON a.id = u.attachment") == [("img/a.png", PNG)]  # fmt: skip
    reasons = [row.reason for row in report.first_rejected]
    assert ["outside" in x for x in reasons] == [True, True, False, False, False]
    assert "never loaded" in reasons[2]
    assert "no such file" in reasons[3]
    assert report.sentences[-1] == (
        "r.jsonl brings along 1 picture or document of its folder (0.00 MB)."
    )
    # the turn keeps what it said
    assert exported(project)[0]["messages"][0]["content"] == parts


def test_a_replaced_record_brings_its_pictures(tmp_path: Path, project: Path) -> None:
    def turns(*paths: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": [{"type": "image", "path": x} for x in paths]}]

    for folder, content in (("one", PNG + b"1"), ("two", PNG + b"2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.png").write_bytes(content)
    (tmp_path / "two" / "b.png").write_bytes(PNG)
    score = {"metric": "accuracy", "value": 3}
    before = {"id": "a", "run": "r", "messages": turns("a.png"), "scores": [score]}
    after = {**before, "messages": turns("a.png", "b.png")}
    load(project, write(tmp_path / "one" / "r.jsonl", before), rubric=RUBRIC)
    load(project, write(tmp_path / "two" / "r.jsonl", after), on_conflict="replace")
    assert rows(project, "SELECT path, content FROM attachment_uses u JOIN attachments a "
                "ON a.id = u.attachment ORDER BY path") == [
        ("a.png", PNG + b"2"), ("b.png", PNG)]  # fmt: skip


def test_an_import_is_taken_back(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review")
    before = exported(path)
    label = {"metric": "accuracy", "labeler": "ann", "value": 2}
    joined = record(1, run="agent v7", labels=[label], scores=[
        {"metric": "accuracy", "value": 1, "scorer": "judge", "at": "2026-11-20"}])  # fmt: skip
    file = write(tmp_path / "more.jsonl", joined, record(50, labels=[label]), record(51))
    report = load(path, file, labeler="ann")
    assert (report.added, report.updated) == (2, 1)
    with closing(Session.open(path, "ann")) as session:
        assert undone(session) == "import of more.jsonl"
    assert exported(path) == before
    importing.tidy(path, Silent())
    assert rows(path, "SELECT name FROM runs") == [("agent v7",)]
    assert rows(path, "SELECT count(*) FROM current_labels") == [(0,)]
    with Project.open(path) as opened, pytest.raises(ProjectError, match="undone already"):
        undoing.undo_import(opened, report.imports[0])
    assert load(path, file).added == 2


def test_what_people_labelled_since_may_stay(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review")
    file = write(tmp_path / "more.jsonl", record(50), record(51))
    number = load(path, file).imports[0]
    with closing(Session.open(path, "ann")) as session:
        key = session.project.conn.execute("SELECT max(id) FROM evaluations").fetchone()[0]
        entering.commit(session, key, "accuracy", 5)
        with pytest.raises(LabelledError, match="1 label or mark was given since on 1 evalua"):
            undoing.undo_import(session.project, number)
        told = undoing.undo_import(session.project, number, keep="labelled")
        assert told == (
            "Took back the import of more.jsonl: 1 evaluation. "
            "1 evaluation that people labelled since stays."
        )
    there = [one["id"] for one in exported(path)]
    assert there[-1] == "c-0051"
    assert "c-0050" not in there
    assert (load(path, file).added, len(exported(path))) == (1, len(there) + 1)


def test_an_import_whose_values_are_refused_stores_nothing(tmp_path: Path, project: Path) -> None:
    values = [1, 2, 9, *([3] * 17)]
    file = write(
        tmp_path / "r.jsonl",
        *[record(n, scores=[{"metric": "accuracy", "value": x}]) for n, x in enumerate(values)],
    )
    # one of twenty is the most that passes unasked
    assert load(project, file, rubric=RUBRIC).rejected_values == 1
    worse = write(tmp_path / "w.jsonl", *file.read_text("utf-8").splitlines()[:19])
    with pytest.raises(RefusedError, match=r"accuracy: 1 of 19 values \(5 %\) would be refused"):
        load(tmp_path / "q.review", worse, rubric=RUBRIC)
    assert not (tmp_path / "q.review").exists()
    dry = load(tmp_path / "q.review", worse, rubric=RUBRIC, dry_run=True)
    assert any("--allow-refused" in sentence for sentence in dry.sentences)
    taken = load(tmp_path / "q.review", worse, rubric=RUBRIC, allow_refused=True)
    assert (taken.scores, taken.rejected_values) == (18, 1)


def test_a_dry_run_writes_nothing_anywhere(tmp_path: Path, project: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,answer,judge_tone\n1,a,3\n2,b,4\n", encoding="utf-8")
    load(project, write(tmp_path / "r.jsonl", record(1)), rubric=RUBRIC)
    other = write(tmp_path / "o.jsonl", record(1, run="r", input="other"), "{")
    before = sorted(tmp_path.iterdir())
    report = load(project, other, dry_run=True)
    assert (report.conflicts, report.rejected, report.rejected_file) == (1, 1, None)
    assert [row.field for row in report.first_conflicts] == ["id"]
    load(tmp_path / "new.review", table, dry_run=True)
    assert sorted(tmp_path.iterdir()) == before


def test_a_proposed_rubric_is_not_called_after_a_file_that_says_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "results.jsonl", record(1))
    assert load(tmp_path / "hotel.review", file).rubric == "hotel"
    named = write(tmp_path / "pool bot.jsonl", record(1))
    assert load(tmp_path / "other.review", named).rubric == "pool bot"


def test_records_of_a_list_are_counted_where_lines_say_little(
    tmp_path: Path, project: Path
) -> None:
    file = tmp_path / "list.json"
    file.write_text(json.dumps([record(1), {"id": "empty"}]), encoding="utf-8")
    report = load(project, file, rubric=RUBRIC)
    assert report.first_rejected[0].sentence.startswith("list.json, record 2 (line 1), input: ")
    assert report.rejected_file is not None
    assert json.loads(report.rejected_file.read_text(encoding="utf-8"))["record"] == 2
    looked = importing.inspect([file], project=project).files[0].rejected
    assert [x.place for x in looked] == ["record 2 (line 1)"]


def test_a_record_far_down_one_line_is_counted_as_people_write_it() -> None:
    assert RejectedRow("a.json", 1, "", None, "no", 3201).place == "record 3,201 (line 1)"
    assert RejectedRow("a.jsonl", 3201, "", None, "no").place == "line 3,201"


def test_the_range_of_a_scale_has_room_for_means_of_people(tmp_path: Path, project: Path) -> None:
    label = {"metric": "tone", "labeler": "people", "value": 5.5, "aggregate": 3}
    score = {"metric": "tone", "value": 1}
    report = load(project, write(tmp_path / "r.jsonl", record(1, scores=[score], labels=[label])))
    assert (report.rejected_values, report.labels) == (0, 1)


def test_labels_given_after_an_import_survive_taking_it_back(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review")
    file = write(tmp_path / "more.jsonl", record(50), record(51))
    report = load(path, file)
    with closing(Session.open(path, "ann")) as session:
        key = session.project.conn.execute("SELECT max(id) FROM evaluations").fetchone()[0]
        entering.commit(session, key, "accuracy", 5)
        told = undoing.undo_import(session.project, report.imports[0], keep="nothing")
        assert "1 label or mark given since stays" in told
    assert len(exported(path)) == 12
    again = load(path, file)
    assert (again.added, again.unchanged) == (1, 1)
    back = {fields["id"]: fields for fields in exported(path)}
    assert back["c-0051"]["labels"][0]["value"] == 5


def test_looking_first_stores_nothing(tmp_path: Path, project: Path) -> None:
    file = write(tmp_path / "r.jsonl", record(1), "{", record(2))
    plan = importing.inspect([file], project=project)
    assert plan.files[0].format == "native"
    assert [row["id"] for row in plan.files[0].rows] == ["c-0001", "c-0002"]
    assert plan.files[0].rows[0]["score:accuracy@judge"] == 3
    assert plan.files[0].rejected[0].line == 2
    assert plan.proposed
    assert plan.fitting == ("guest-response",)
    assert not project.exists()
    assert importing.run(project, plan.request(), Silent()).added == 2


@pytest.mark.parametrize(
    ("metrics", "named"),
    [(("accuracy",), False), (("accuracy", "relevance", "safety"), True)],
)
def test_a_shipped_rubric_is_named_only_where_it_has_the_same_metrics(
    tmp_path: Path, project: Path, metrics: tuple[str, ...], *, named: bool
) -> None:
    scores = [{"metric": name, "value": 4, "scorer": "judge"} for name in metrics]
    report = load(project, write(tmp_path / "r.jsonl", record(1) | {"scores": scores}))
    assert any("guest-response has the same" in said for said in report.sentences) == named


def test_a_table_with_open_questions_gets_a_mapping_to_correct(
    tmp_path: Path, project: Path
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\nlong text one two three,4\nlong text two three,5\n", encoding="utf-8")
    with pytest.raises(UnansweredError, match="Which column holds the question") as raised:
        load(project, file)
    assert list(tmp_path.iterdir()) == [file]
    assert f"reviewer import {project} {file} --answer a=response" in str(raised.value)
    mapping = tmp_path / "own.toml"
    with pytest.raises(UnansweredError):
        load(project, file, write_mapping=mapping)
    text = mapping.read_text("utf-8")
    with pytest.raises(FormatError, match="exists already and is not overwritten"):
        load(project, file, write_mapping=mapping)
    assert (mapping.read_text("utf-8"), project.exists()) == (text, False)
    assert load(project, file, answers=("a=response", "b=people")).labels == 2


def test_a_clear_table_is_imported_and_its_mapping_kept(tmp_path: Path, project: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "id,question,answer,judge_accuracy\n1,What is it?,A pool bar by the sea.,4\n"
        "2,Where is it?,Next to the sauna house.,5\n",
        encoding="utf-8",
    )
    report = load(project, file)
    assert (report.added, report.scores) == (2, 2)
    assert "was read with this mapping" in report.sentences[0]
    kept = tmp_path / "p.t.csv.mapping.toml"
    assert kept.is_file()
    # what somebody corrected stays, and is offered
    kept.write_text("# mine\n", "utf-8")
    again = load(project, file)
    assert kept.read_text("utf-8") == "# mine\n"
    assert f"--mapping {kept} uses it" in again.sentences[0]


def test_where_no_row_can_be_used_the_rows_are_told_and_not_the_rubric(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    head = {"version": 2, "status": "success", "eval": {"task": "buses", "model": "m"}}
    file.write_text(json.dumps(head | {"samples": [{"id": 1}, {"id": 2}]}), "utf-8")
    with pytest.raises(FormatError, match=r"Nothing in bad\.json can be imported\. First: bad"):
        importing.run(tmp_path / "new.review", importing.ImportRequest((file,)), Silent())
    plan = importing.inspect([file])
    assert len(plan.files[0].rejected) == 2
    assert plan.sentences == ()
