"""Export, import into a new project, export again: the same bytes, whatever the records hold."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.services.project import rubrics
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from reviewer.services.upkeep import projects
from reviewer.store.project import Project

RUBRIC = Rubric(
    name="everything",
    metrics=(
        Metric(name="grade", levels=tuple(Level(value=value) for value in (1, 2, 3, 4, 5))),
        Metric(name="share", scale="range", min=0, max=1),
        Metric(name="yes", scale="binary"),
        Metric(name="kind", scale="categorical", values=("a", "b", "tie")),
        Metric(name="length", scale="measure", unit="characters"),
    ),
)

# every example makes three files, so making a failing one small would take minutes
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
NUMBERS = st.one_of(
    st.integers(-(2**63) + 1, 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
)
TIMES = st.sampled_from(
    ["2026-11-01", "2026-11-01T10:00:00", "2026-11-01T10:00:00Z",
     "2026-11-01T10:00:00.123456+02:00", "2025-02-28T23:59:59-11:00"]
)  # fmt: skip
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)
STRAYS = st.dictionaries(
    st.sampled_from(["$", "remark", "x", "ünknown", "zz top"]), JSON, max_size=2
)


def objects(
    needed: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with unknown keys at any place, and null for any optional key."""
    known = st.fixed_dictionaries(
        needed, optional={key: st.one_of(st.none(), value) for key, value in optional.items()}
    )
    return st.tuples(known, STRAYS, st.randoms(use_true_random=False)).map(_shuffled)


def _shuffled(parts: tuple[dict[str, Any], dict[str, Any], Any]) -> dict[str, Any]:
    known, strays, random = parts
    items = [*known.items(), *((key, value) for key, value in strays.items() if key not in known)]
    random.shuffle(items)
    return dict(items)


GIVEN: st.SearchStrategy[tuple[str, Any]] = st.one_of(
    st.tuples(st.just("grade"), st.sampled_from([1, 2.0, 4.0, 5])),
    st.tuples(st.just("share"), st.floats(0, 1)),
    st.tuples(st.just("yes"), st.sampled_from([True, False, 0, 1, 1.0])),
    st.tuples(st.just("kind"), st.sampled_from(["a", "b", "tie"])),
)
SCORED = st.one_of(GIVEN, st.tuples(st.just("length"), NUMBERS))


UIDS = st.one_of(
    st.uuids().map(str), st.integers(1, 3).map(lambda n: f"0190e5b2-7c1a-7b3e-8d2f-{n:012}")
)


def _with_value(parts: tuple[dict[str, Any], tuple[str, Any]]) -> dict[str, Any]:
    entry, (metric, value) = parts
    return {key: {"metric": metric, "value": value}.get(key, old) for key, old in entry.items()}


SCORES = st.tuples(
    objects(
        {"metric": st.none(), "value": st.none()},
        {
            "reasoning": TEXTS, "examples": st.lists(TEXTS, max_size=2), "scorer": TEXTS,
            "scorer_version": TEXTS, "error": TEXTS, "at": TIMES, "raw": TEXTS, "trace": TEXTS,
            "passed": st.booleans(), "confidence": st.floats(0, 1), "turn": st.integers(0, 3),
            "model": TEXTS, "prompt_hash": TEXTS, "parameters": OBJECTS, "cost_usd": NUMBERS,
            "latency_ms": NUMBERS, "tokens_in": NUMBERS, "tokens_out": NUMBERS, "meta": OBJECTS,
        },
    ),
    SCORED,
).map(_with_value)  # fmt: skip
LABELS = st.tuples(
    objects(
        {"metric": st.none(), "labeler": NAMES, "value": st.none()},
        {
            "comment": TEXTS, "at": TIMES, "blind": st.booleans(),
            "kind": st.sampled_from(["label", "adjudication"]), "turn": st.integers(0, 3),
            "seconds": NUMBERS, "rubric_version": TEXTS, "aggregate": st.integers(2, 5),
            "selection_reason": st.sampled_from(["random", "browse"]),
            "selection_prob": st.sampled_from([0, 0.5, 1, 1.0]), "judge_version": TEXTS,
            "uid": UIDS, "restores": UIDS,
        },
    ),
    GIVEN,
).map(_with_value)  # fmt: skip
WITHOUT_VALUE = st.tuples(
    objects(
        {
            "metric": st.none(), "labeler": NAMES, "value": st.none(),
            "kind": st.sampled_from(["withdrawn", "not_applicable", "adjudication", "comment"]),
        },
        {"comment": TEXTS, "at": TIMES, "blind": st.booleans(), "of": st.just("label"),
         "turn": st.integers(0, 3), "uid": UIDS, "restores": UIDS},
    ),
    GIVEN.map(lambda given: (given[0], None)),
).map(_with_value)  # fmt: skip
MARKS = objects(
    {
        "kind": st.sampled_from(["skip", "flag", "highlight", "cause", "question", "reveal"]),
        "labeler": NAMES,
    },
    {
        "at": TIMES, "metric": st.sampled_from(["grade", "share"]), "turn": st.integers(0, 3),
        "start": st.integers(0, 9), "end": st.integers(0, 9), "note": TEXTS,
        "value": st.one_of(st.booleans(), NUMBERS, TEXTS), "uid": UIDS, "restores": UIDS,
    },
)  # fmt: skip
EXCLUSIONS = objects({"reason": NAMES}, {"by": NAMES, "at": TIMES})
PARTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "reasoning", "file"])},
    optional={"text": TEXTS, "name": TEXTS, "data": st.just("aGk="), "other": JSON},
)
CALLS = st.fixed_dictionaries({"name": NAMES}, optional={"id": TEXTS, "arguments": JSON})
TURNS = objects(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool"]),
        "content": st.one_of(st.none(), TEXTS, st.lists(PARTS, max_size=2)),
    },
    {"at": TIMES, "name": TEXTS, "tool_calls": st.lists(CALLS, max_size=2), "tool_call_id": TEXTS},
)
SOURCES = st.fixed_dictionaries(
    {"id": TEXTS}, optional={"title": TEXTS, "text": TEXTS, "relevance": st.floats(0, 3)}
)


def _numbered_once(record: dict[str, Any]) -> dict[str, Any]:
    """Let no two entries of a record have one number."""
    met = set[str]()
    for entry in (*(record.get("labels") or ()), *(record.get("marks") or ())):
        if entry.get("uid") in met:
            del entry["uid"]
        elif entry.get("uid") is not None:
            met.add(entry["uid"])
    return record


RECORDS = objects(
    {"id": st.none(), "input": TEXTS.filter(bool)},
    {
        "run": st.sampled_from(["one", "two"]), "case": TEXTS, "category": TEXTS,
        "complexity": TEXTS, "tags": st.lists(TEXTS, max_size=3),
        "messages": st.lists(TURNS, max_size=3), "response": TEXTS,
        "candidates": st.lists(
            st.fixed_dictionaries({"id": NAMES, "response": TEXTS}), max_size=2,
            unique_by=lambda candidate: candidate["id"],
        ),
        "expected": TEXTS, "expected_keywords": st.lists(TEXTS, max_size=2),
        "expected_tools": st.lists(TEXTS, max_size=2), "tools_used": st.lists(TEXTS, max_size=2),
        "context": st.one_of(TEXTS, OBJECTS), "error": TEXTS, "latency_ms": NUMBERS,
        "cost_usd": NUMBERS, "tokens_in": NUMBERS, "tokens_out": NUMBERS, "model": TEXTS,
        "occurred_at": TIMES, "evaluated_at": TIMES, "scores": st.lists(SCORES, max_size=4),
        "labels": st.lists(st.one_of(LABELS, WITHOUT_VALUE), max_size=4),
        "sources": st.lists(SOURCES, max_size=2),
        "expected_sources": st.lists(TEXTS, max_size=2),
        "feedback": st.lists(
            st.fixed_dictionaries({"value": st.sampled_from(["up", 4])}), max_size=2
        ),
        "template_matched": st.booleans(), "direct_substitution": st.booleans(),
        "cache": st.sampled_from(["warm", "cold"]), "cluster": TEXTS,
        "marks": st.lists(MARKS, max_size=3), "meta": OBJECTS,
        "excluded": EXCLUSIONS,
    },
).map(_numbered_once)  # fmt: skip


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    path.write_text("".join(lines), encoding="utf-8", newline="")
    return path


def load(project: Path, file: Path, format_name: str | None = "native") -> ImportReport:
    request = ImportRequest((file,), rubric=RUBRIC, format=format_name)
    return importing.run(project, request, Silent())


def export(project: Path, to: Path) -> bytes:
    with Project.open(project) as opened:
        exporting.export(opened, to, ExportRequest(), Silent())
    return to.read_bytes()


@given(st.lists(RECORDS, min_size=1, max_size=3))
@settings(max_examples=60, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_export_import_export_gives_the_same_bytes(
    tmp_path_factory: Any, records: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("round")
    for number, record in enumerate(records):
        record["id"] = f"e-{number}"
    report = load(folder / "first.review", write(folder / "source.jsonl", records))
    assert report.added == len(records)
    assert report.first_rejected == []
    exported = export(folder / "first.review", folder / "first.jsonl")
    again = load(folder / "second.review", folder / "first.jsonl")
    assert again.first_rejected == []
    assert (again.scores, again.labels) == (report.scores, report.labels)
    assert export(folder / "second.review", folder / "second.jsonl") == exported


@given(st.lists(RECORDS, min_size=1, max_size=3))
@settings(max_examples=60, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_csv_export_import_export_gives_the_same_bytes(
    tmp_path_factory: Any, records: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("table")
    for number, record in enumerate(records):
        record["id"] = f"e-{number}"
    report = load(folder / "first.review", write(folder / "source.jsonl", records))
    assert report.first_rejected == []
    exported = export(folder / "first.review", folder / "first.csv")
    again = load(folder / "second.review", folder / "first.csv", None)
    assert again.first_rejected == []
    assert (again.scores, again.labels) == (report.scores, report.labels)
    assert export(folder / "second.review", folder / "second.csv") == exported


@pytest.mark.parametrize(
    "nothing", ["case", "error", "scores", "labels", "marks", "messages", "tags", "meta", "odd"]
)
def test_a_null_survives_a_csv(tmp_path: Path, nothing: str) -> None:
    source = write(tmp_path / "source.jsonl", [{"id": "a", "input": "hi", nothing: None}])
    load(tmp_path / "first.review", source)
    exported = export(tmp_path / "first.review", tmp_path / "first.csv")
    load(tmp_path / "second.review", tmp_path / "first.csv", None)
    assert export(tmp_path / "second.review", tmp_path / "second.csv") == exported
    lines = export(tmp_path / "second.review", tmp_path / "second.jsonl")
    assert json.loads(lines) == {"id": "a", "run": "source", "input": "hi", nothing: None}


@given(st.lists(RECORDS, min_size=1, max_size=3))
@settings(max_examples=40, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_nothing_that_came_is_missing(
    tmp_path_factory: Any, records: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("lost")
    for number, record in enumerate(records):
        record["id"] = f"e-{number}"
    load(folder / "first.review", write(folder / "source.jsonl", records))
    lines = export(folder / "first.review", folder / "first.jsonl").splitlines()
    back = {record["id"]: record for record in map(json.loads, lines)}
    for record in records:
        run = record.pop("run", None) or "source"
        assert _bagged(back[record["id"]]) == _bagged({"run": run, **record})


def _bagged(record: dict[str, Any]) -> dict[str, Any]:
    """Leave the order of entries aside, which exports settle, and keep everything else exact."""
    bags = {
        name: sorted(json.dumps(entry, sort_keys=True) for entry in record[name])
        for name in ("scores", "labels", "marks")
        if record.get(name)
    }
    return {name: json.dumps(value, sort_keys=True) for name, value in record.items()} | {
        name: json.dumps(bag) for name, bag in bags.items()
    }


def test_examples_and_demo_come_back(tmp_path: Path) -> None:
    for system in projects.SYSTEMS:
        made = projects.make_demo(tmp_path / f"{system}.review", system, Silent())
        exported = export(made, tmp_path / f"{system}.jsonl")
        again = tmp_path / f"{system} again.review"
        rubric = tmp_path / f"{system}.toml"
        rubric.write_text(rubrics.to_toml(projects.example_rubric(system)), encoding="utf-8")
        importing.run(
            again, ImportRequest((tmp_path / f"{system}.jsonl",), rubric=rubric), Silent()
        )
        assert export(again, tmp_path / f"{system}-2.jsonl") == exported


def test_importing_an_export_again_adds_nothing(tmp_path: Path) -> None:
    made = projects.make_demo(tmp_path / "demo.review", "harness", Silent())
    export(made, tmp_path / "out.jsonl")
    report = importing.run(made, ImportRequest((tmp_path / "out.jsonl",)), Silent())
    assert (report.added, report.updated, report.conflicts) == (0, 0, 0)
    assert report.unchanged == report.read == 50
    assert (report.scores, report.labels) == (0, 0)
