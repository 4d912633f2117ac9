"""The script of audit packets works every main figure out again, and says where one differs."""

import ast
import json
import re
import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reviewer import paths
from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.services.labelling import entering, undo
from reviewer.services.project import record as records_that_count
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from tests.building import RUBRIC, build_project, let_see, record
from tests.services.reporting.drawn_records import Drawing
from tests.services.reporting.handed_out import (
    checked,
    contents,
    held,
    lines,
    packed,
    rewritten,
    unpacked,
)
from tests.two_versions import repeated_project

SCRIPT = paths.resources() / "packet" / "recompute.py"
AS_OF = date(2026, 11, 21)
SCOPE = Scope(as_of=AS_OF)
FEWEST = {
    None: 150, "guest-response": 150, "agent-rubric": 230, "harness": 120, "faq-bot": 280,
    "virtual-agent": 400,
}  # fmt: skip


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed")
    demo = projects.make_demo(folder / "d.review", None, Silent())
    return packed(demo, folder / "a.zip", scope=SCOPE).file


def told_numbers(told: str) -> tuple[int, int, int]:
    """How many figures were compared, differ, and were not redone."""
    found = re.search(r"([\d,]+) figures compared .* ([\d,]+) differ; ([\d,]+) were not", told)
    assert found, told
    compared, differ, skipped = (int(x.replace(",", "")) for x in found.groups())
    return compared, differ, skipped


@pytest.mark.parametrize("system", FEWEST)
def test_figures_come_out_again_and_bytes_are_the_same(tmp_path: Path, system: str | None) -> None:
    project = projects.make_demo(tmp_path / "d.review", system, Silent())
    made = packed(project, tmp_path / "a.zip", scope=SCOPE)
    again = packed(project, tmp_path / "b.zip", scope=SCOPE)
    assert made.file.read_bytes() == again.file.read_bytes()
    code, told = checked(made.file, tmp_path / "x")
    assert code == 0, told
    compared, differ, _ = told_numbers(told)
    assert differ == 0
    assert compared >= FEWEST[system]
    for run in ("a zip", "all runs"):
        if run == "all runs":
            scope = Scope(as_of=AS_OF, every_run=True)
            made = packed(project, tmp_path / "c.zip", scope=scope)
        code, told = held(SCRIPT, made.file, cwd=tmp_path)
        assert code == 0, told
    assert told_numbers(told)[0] > compared


@pytest.mark.parametrize("seed", range(24))
def test_every_rule_of_counting_is_followed(tmp_path: Path, seed: int) -> None:
    drawing = Drawing(seed)
    project = build_project(
        tmp_path / "d.review", evaluations=drawing.records(), rubric=drawing.rubric(),
        runs=("r1", "r2"),
    )  # fmt: skip
    for number in range(2):
        scope = Scope(as_of=date(2026, 11, 23), **drawing.scope())
        options = drawing.options()
        made = packed(project, tmp_path / f"{number}.zip", scope=scope, options=options)
        code, told = held(SCRIPT, made.file, cwd=tmp_path)
        assert code == 0, f"{scope} {options}\n{told}"
        assert told_numbers(told)[0] > 100


def test_repeats_count_where_the_record_says_so(tmp_path: Path) -> None:
    project = repeated_project(tmp_path / "d.review")
    with closing(Session.open(project, "lea")) as session:
        records_that_count.name(session, "judge@1", metrics=("accuracy",), with_repeats=True)
    made = packed(project, tmp_path / "a.zip", scope=SCOPE)
    told = json.loads(contents(made.file)["figures.json"])
    assert told["metrics"]["accuracy"]["auto_mean"] == pytest.approx((3 * 3 + 9 * 5) / 12)
    code, said = held(SCRIPT, made.file, cwd=tmp_path)
    assert code == 0, said


def test_what_an_undo_brought_back_stands_where_it_stood(tmp_path: Path) -> None:
    project = build_project(tmp_path / "d.review", evaluations=3)
    let_see(project)
    for who, values in (("lea", (5, 1)), ("bo", (2,))):
        with closing(Session.open(project, who)) as session:
            for value in values:
                entering.commit(session, 1, "safety", value)
    with closing(Session.open(project, "lea")) as session:
        undo.undo(session)
    options = (("label_combine", "latest"),)
    made = packed(project, tmp_path / "a.zip", scope=SCOPE, options=options)
    labels = lines(contents(made.file)["labels.jsonl"])
    assert any("restores" in x for x in labels)
    told = json.loads(contents(made.file)["figures.json"])
    assert told["metrics"]["safety"]["human_mean"] == 2
    code, said = held(SCRIPT, made.file, cwd=tmp_path)
    assert code == 0, said


@pytest.mark.parametrize(("preset", "band"), [("published", 1.0), ("recommended", 0.8)])
def test_one_sided_bands_are_those_of_the_preset(tmp_path: Path, preset: str, band: float) -> None:
    rows = [record(number) for number in range(1, 51)]
    for number, row in enumerate(rows):
        judged = {"metric": "safety", "value": 3, "scorer": "judge"}
        given = {"metric": "safety", "labeler": "ann", "value": 4 if number < 40 else 3}
        row |= {"scores": [judged], "labels": [given], "evaluated_at": "2026-11-02T12:00:00Z"}
    project = build_project(tmp_path / "d.review", evaluations=rows)
    made = packed(project, tmp_path / "a.zip", scope=SCOPE, preset=preset)
    told = json.loads(contents(made.file)["figures.json"])
    assert told["metrics"]["safety"]["error_band"] == pytest.approx(band)
    code, said = held(SCRIPT, made.file, cwd=tmp_path)
    assert code == 0, said


def test_a_verdict_that_nobody_labelled_stands_for_nothing(tmp_path: Path) -> None:
    drawn = {"labeler": "ann", "value": 4, "selection_reason": "stratum"}
    rows = [record(number) for number in range(1, 25)]
    for row in rows:
        if all(x["value"] >= 3 for x in row["scores"]):
            row["labels"] = [{"metric": x.name, **drawn} for x in RUBRIC.metrics]
    project = build_project(tmp_path / "d.review", evaluations=rows)
    made = packed(project, tmp_path / "a.zip")
    told = json.loads(contents(made.file)["figures.json"])["pass"]
    assert (told["n"] > 0, told["specificity"], told["npv"]) == (True, None, 1)
    code, said = held(SCRIPT, made.file, cwd=tmp_path)
    assert code == 0, said


def test_a_consensus_is_said_to_be_left_out(handed: Path, tmp_path: Path) -> None:
    project = handed.with_name("d.review")
    options = (("label_combine", "consensus"),)
    made = packed(project, tmp_path / "a.zip", scope=SCOPE, options=options)
    code, told = held(SCRIPT, made.file, cwd=tmp_path)
    assert code == 0, told
    assert "not redone: a consensus weighs people" in told
    assert told_numbers(told)[2] > 10


def with_label(file: Path, **changed: Any) -> bytes:
    """The labels of a packet with one of safety that counts changed."""
    labels = lines(contents(file)["labels.jsonl"])
    mine = next(x for x in labels if x["metric"] == "safety" and x["value"] == 5)
    mine |= changed
    return b"".join(json.dumps(x).encode() + b"\n" for x in labels)


def test_a_changed_label_is_told(handed: Path, tmp_path: Path) -> None:
    changed = {"labels.jsonl": with_label(handed, value=1)}
    code, told = held(SCRIPT, rewritten(handed, changed), cwd=tmp_path)
    assert code == 1, told
    assert re.search(r"^safety +human_mean .* DIFFERENT$", told, re.M)
    assert "relevance" in told
    assert not re.search(r"^relevance.* DIFFERENT$", told, re.M)
    code, told = held(SCRIPT, rewritten(handed, changed, honest=False), cwd=tmp_path)
    assert code == 2
    assert "labels.jsonl is not the file that manifest.json names" in told


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("metrics", "safety", "auto_mean"), 4.9),
        (("metrics", "safety", "gap_mean"), None),
        (("metrics", "safety", "agreement", "judge_human", "kappa_quadratic"), 0.9),
        (("metrics", "safety", "confusion", "table"), [[1.0]]),
        (("metrics", "safety", "corrected", "mean"), 4.0),
        (("metrics", "safety", "corrected", "mean"), None),
        (("metrics", "safety", "corrected", "method"), "ppi"),
        (("satisfaction", "adjusted_mean"), 4.0),
        (("pass", "catch_rate"), 1.0),
        (("pass", "auto_rate"), "0.94"),
        (("pass", "corrected", "mean"), 0.95),
    ],
)
def test_a_changed_figure_is_told(
    handed: Path, tmp_path: Path, place: tuple[str, ...], value: object
) -> None:
    figures = json.loads(contents(handed)["figures.json"])
    block = figures
    for name in place[:-1]:
        block = block[name]
    assert block[place[-1]] != value
    block[place[-1]] = value
    made = rewritten(handed, {"figures.json": json.dumps(figures).encode()})
    code, told = held(SCRIPT, made, cwd=tmp_path)
    assert code == 1, told
    assert 1 <= told_numbers(told)[1] <= 3


def test_a_hair_more_than_nine_digits_is_told(handed: Path, tmp_path: Path) -> None:
    for by, expected in ((1e-8, 1), (1e-11, 0)):
        figures = json.loads(contents(handed)["figures.json"])
        figures["metrics"]["safety"]["auto_mean"] += by
        made = rewritten(handed, {"figures.json": json.dumps(figures).encode()})
        code, told = held(SCRIPT, made, cwd=tmp_path)
        assert code == expected, told


def test_damaged_files_are_told(handed: Path, tmp_path: Path) -> None:
    whole = handed.read_bytes()
    damaged = tmp_path / "d.zip"
    with zipfile.ZipFile(handed) as files:
        start = files.getinfo("records.jsonl").header_offset
    flipped = bytearray(whole)
    flipped[start + 2000] ^= 0xFF
    for content in (whole[:-200], whole[:5000], b"", b"no zip", bytes(flipped)):
        damaged.write_bytes(content)
        code, told = held(SCRIPT, damaged, cwd=tmp_path)
        assert (code, told.startswith("The packet is damaged: ")) == (2, True), told
        assert "Traceback" not in told
    code, told = held(SCRIPT, tmp_path / "nowhere.zip", cwd=tmp_path)
    assert code == 2, told


@pytest.mark.parametrize("name", ["labels.jsonl", "options.json", "judges.json", "manifest.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": 1}\n'])
def test_files_of_another_form_are_told(
    handed: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    made = rewritten(handed, {name: content}, honest=name != "manifest.json")
    code, told = held(SCRIPT, made, cwd=tmp_path)
    # without any label the figures differ
    assert code == (1 if (name, content) == ("labels.jsonl", b"") else 2), told
    assert "Traceback" not in told


def test_other_files_than_those_named_are_told(handed: Path, tmp_path: Path) -> None:
    made = rewritten(handed, {"more.txt": b"more"})
    code, told = held(SCRIPT, made, cwd=tmp_path)
    assert (code, "holds other files than manifest.json names" in told) == (2, True), told
    folder = unpacked(handed, tmp_path / "x")
    (folder / "labels.jsonl").unlink()
    code, told = held("recompute.py", cwd=folder)
    assert (code, "labels.jsonl cannot be read" in told) == (2, True), told


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "..\\b"])
def test_a_manifest_leads_nowhere_else(handed: Path, tmp_path: Path, name: str) -> None:
    folder = unpacked(handed, tmp_path / "x")
    (tmp_path / "secret").write_text("secret")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"].append({"name": name, "bytes": 6, "sha256": ""})
    (folder / "manifest.json").write_text(json.dumps(manifest))
    code, told = held("recompute.py", cwd=folder)
    assert (code, "names a file outside of the packet" in told) == (2, True), told


def test_it_needs_nothing_but_an_old_python() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 9))
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {x.name.split(".")[0] for x in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add((node.module or "").split(".")[0])
    assert named == {
        "__future__", "collections", "contextlib", "datetime", "hashlib", "io", "json", "math",
        "pathlib", "re", "statistics", "sys", "typing", "zipfile", "zlib",
    }  # fmt: skip
    assert "importlib" not in text
    # what came later than 3.9 and is no syntax
    assert not re.search(r"strict=|slots=|datetime\.UTC|import UTC|pairwise|bisect.*key=", text)
