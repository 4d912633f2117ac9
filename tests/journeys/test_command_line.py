"""Whole journeys through the command line, as a script or a person would make them."""

import json
import math
from pathlib import Path

import pytest
import tomli_w

from tests.journeys.shell import RESOURCES, Document, Shell, example_rubric, lines
from tests.strength import killed_imports

PRESETS = ("published", "recommended")


@pytest.fixture
def vectors(shared_data: Path) -> Path:
    """The sets with known figures beside the real results."""
    return shared_data.parent / "spec" / "vectors"


COUNTS = ("read", "added", "updated", "unchanged", "conflicts", "rejected", "rejected_values",
          "scores", "labels")  # fmt: skip


def counts(document: Document) -> dict[str, int]:
    return {name: document[name] for name in COUNTS if document[name]}


# every kind of row that cannot be taken, or not whole, beside some that can
SCORES = [
    {"metric": "accuracy", "value": 4, "scorer": "j"},
    {"metric": "accuracy", "value": 9, "scorer": "k"},
    {"metric": "mood", "value": 4},
]
LABELS = [
    {"metric": "accuracy", "labeler": "ann", "value": 4.5},
    {"metric": "accuracy", "labeler": "ann", "value": 5},
]
EVERY_KIND = (
    lines(
        {"id": "a", "input": "q", "response": "r", "scores": SCORES, "labels": LABELS},
        {"id": "b", "input": "q", "latency_ms": "fast", "response": "r"},
        {"id": "c"},
        {"input": "q", "response": "r"},
    )
    + '[1, 2]\n{"id": "d", "input": "cut\n'
    + lines(
        {"id": "a", "input": "q", "response": "other"},
        {"id": "a", "metric": "accuracy", "labeler": "bob", "value": 3},
        {"id": "zz", "metric": "accuracy", "labeler": "bob", "value": 3},
        {"id": 7, "input": "q", "scores": [{"metric": "accuracy", "value": math.nan}]},
    )
)


def test_counts_add_up_on_a_file_with_every_kind_of_row(shell: Shell) -> None:
    Path("odd.jsonl").write_text(EVERY_KIND, encoding="utf-8")
    done = shell.document(
        "import", "p.review", "odd.jsonl", "--allow-refused", "--rubric", "guest-response"
    )
    assert counts(done) == {
        "read": 10, "added": 3, "updated": 1, "conflicts": 1, "rejected": 5, "rejected_values": 5,
        "scores": 1, "labels": 2,
    }  # fmt: skip
    rejected = [json.loads(x) for x in Path(done["rejected_file"]).read_text("utf-8").splitlines()]
    places = {(row["line"], row["field"]) for row in rejected}
    assert places == {
        (1, "scores[1].value"), (1, "scores[2].metric"), (1, "labels[0].value"),
        (2, "latency_ms"), (3, "input"), (4, "id"), (5, ""), (6, ""), (7, "id"), (9, "id"),
        (10, "scores[0].value"),
    }  # fmt: skip
    assert all(row["reason"] for row in rejected)
    again = shell.document("import", "p.review", "odd.jsonl", "--allow-refused")
    assert counts(again) | {"updated": 0} == {
        "read": 10, "unchanged": 4, "conflicts": 1, "rejected": 5, "rejected_values": 5,
        "updated": 0,
    }  # fmt: skip


def test_strict_stores_nothing_and_says_1(shell: Shell) -> None:
    Path("odd.jsonl").write_text(EVERY_KIND, encoding="utf-8")
    rubric = ("--rubric", "guest-response")
    done = shell.document("import", "p.review", "odd.jsonl", "--strict", *rubric, code=1)
    assert (done["stored"], done["imports"]) == (False, [])
    Path("good.jsonl").write_text(lines({"id": "a", "input": "q", "response": "r"}), "utf-8")
    done = shell.document("import", "p.review", "good.jsonl", "--strict", *rubric)
    assert counts(done) == {"read": 1, "added": 1}


def test_nothing_importable_is_2_and_leaves_no_project(shell: Shell) -> None:
    Path("bad.jsonl").write_text('{"id": "c"}\n[1]\n', encoding="utf-8")
    Path("empty.jsonl").write_bytes(b"")
    for file in ("bad.jsonl", "empty.jsonl", "missing.jsonl"):
        assert shell.run("import", "p.review", file, "--rubric", "harness") == 2
        assert shell.out == ""
        assert file in shell.err
        assert "Traceback" not in shell.err
    assert not Path("p.review").exists()


def test_a_dry_run_counts_and_stores_nothing(shell: Shell) -> None:
    file = RESOURCES / "examples" / "harness.jsonl"
    dry = shell.document(
        "import", "p.review", file, "--rubric", example_rubric("harness"), "--dry-run"
    )
    assert not Path("p.review").exists()
    done = shell.document("import", "p.review", file, "--rubric", example_rubric("harness"))
    assert counts(dry) == counts(done)
    again = shell.document("import", "p.review", file)
    assert counts(again) == {"read": 50, "unchanged": 50}


def test_an_import_is_taken_back(shell: Shell) -> None:
    file = RESOURCES / "examples" / "harness.jsonl"
    done = shell.document("import", "p.review", file, "--rubric", example_rubric("harness"))
    undone = shell.document("import", "p.review", "--undo", str(done["imports"][0]))
    assert undone["undone"] == done["imports"][0]
    assert "50 evaluations" in shell.err
    assert killed_imports.counts(Path("p.review"))["evaluations"] == 0
    assert shell.run("import", "p.review", "--undo", str(done["imports"][0])) == 2
    again = shell.document("import", "p.review", file)
    assert again["added"] == 50


def test_people_read_counts_and_what_was_rejected(shell: Shell) -> None:
    Path("odd.jsonl").write_text(EVERY_KIND, encoding="utf-8")
    assert shell.run("import", "p.review", "odd.jsonl", "--rubric", "guest-response") == 2
    assert "accuracy: 3 of 6 values (50 %) would be refused" in shell.err
    taken = ("--rubric", "guest-response", "--allow-refused")
    assert shell.run("import", "p.review", "odd.jsonl", *taken) == 0
    shown = dict(line.rsplit(maxsplit=1) for line in shell.out.splitlines()[: len(COUNTS)])
    assert shown["read"] == "10"
    assert shown["rejected values"] == "5"
    assert "odd.jsonl, line 1, scores[1].value: 9 is not on the scale of accuracy" in shell.err
    assert "p.rejected.jsonl" in shell.err


def _rubric_of_set(entry: Document) -> str:
    low, high = entry["scale"]
    metrics = [
        {
            "name": name,
            "weight": weight,
            "scale": "ordinal",
            "levels": [{"value": value} for value in range(low, high + 1)],
        }
        for name, weight in entry["weights"].items()
    ]
    return tomli_w.dumps({"name": "set", "version": 1, "metrics": metrics})


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_figures_of_the_known_sets_come_out_exactly(
    shell: Shell, vectors: Path, number: int, preset: str
) -> None:
    entry = json.loads((vectors / "sets.json").read_text("utf-8"))[number]
    Path("set.toml").write_text(_rubric_of_set(entry), encoding="utf-8")
    file = vectors / entry["file"]
    assert shell.run("import", "p.review", file, "--rubric", "set.toml", "--strict") == 0
    found = shell.document("stats", "p.review", "--preset", preset, "--as-of", entry["as_of"])
    expected = entry["expect"][preset]
    for name, figures in expected["metrics"].items():
        shown = {key: found["metrics"][name][key] for key in figures}
        assert shown == pytest.approx(figures, abs=1e-9), name
    shown = {key: found["satisfaction"][key] for key in expected["satisfaction"]}
    assert shown == pytest.approx(expected["satisfaction"], abs=1e-9)
