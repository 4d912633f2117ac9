"""Importing one file into a project that holds some of its rows already."""

import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from reviewer.services.transfer import import_files, importing
from reviewer.services.transfer.importing import ImportRequest
from tests.building import build_project, record
from tests.services.transfer.imports import exported, load, rows, write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.review", evaluations=[record(7)])


def test_labels_alone_and_bad_rows_keep_their_order(tmp_path: Path, project: Path) -> None:
    found = [{"id": "c-0007", "metric": "accuracy", "labeler": f"p{n}", "value": 3}
             for n in range(600)]  # fmt: skip
    absent = [{**label, "id": "nowhere"} for label in found[:5]]
    report = load(project, write(tmp_path / "l.jsonl", *found[:550], *absent, 5, *found[540:]))
    assert (report.read, report.updated, report.unchanged, report.rejected) == (616, 600, 10, 6)
    assert [row.line for row in report.first_rejected] == [551, 552, 553, 554, 555, 556]
    assert rows(project, "SELECT count(*) FROM current_labels") == [(600,)]


@pytest.mark.parametrize("policy", ["skip", "replace", "version"])
def test_the_same_score_with_another_value_is_not_passed_over(
    tmp_path: Path, project: Path, policy: str
) -> None:
    fields = record(1, run="one")
    load(project, write(tmp_path / "a.jsonl", fields))
    before = fields["scores"][0]["value"]
    changed = json.loads(json.dumps(fields))
    after = changed["scores"][0]["value"] = before - 1 if before > 1 else 2
    file = write(tmp_path / "b.jsonl", changed)
    report = load(project, file, on_conflict=policy)
    values = [
        score["value"]
        for one in exported(project)
        if one["run"] == "one"
        for score in one["scores"]
        if score["metric"] == fields["scores"][0]["metric"]
    ]
    if policy == "skip":
        assert (report.conflicts, report.rejected_values, report.scores) == (1, 0, 0)
        assert report.first_rejected[0].field == "scores[0].value"
        assert "another value" in report.first_rejected[0].reason
        assert values == [before]
        return
    assert (report.updated, report.rejected_values, report.scores) == (1, 0, 1)
    # what counts comes first, so that it counts wherever the export is imported
    assert values == [after, before]
    newest = dict(
        rows(
            project,
            "SELECT m.name, s.value FROM scores s JOIN metrics m ON m.id = s.metric "
            "JOIN evaluations e ON e.id = s.evaluation JOIN runs r ON r.id = e.run "
            "WHERE s.latest = 1 AND r.name = 'one'",
        )
    )
    assert newest[fields["scores"][0]["metric"]] == after
    again = load(project, file, on_conflict=policy)
    assert (again.unchanged, again.scores) == (1, 0)


def test_scores_by_other_parameters_are_other_versions_and_no_conflict(
    tmp_path: Path, project: Path
) -> None:
    plain = {"metric": "accuracy", "scorer": "judge", "scorer_version": "2", "value": 4}
    trial = plain | {"value": 2, "parameters": {"temperature": 1, "seed": 3}}
    load(project, write(tmp_path / "a.jsonl", record(1, run="one", scores=[plain])))
    file = write(tmp_path / "b.jsonl", record(1, run="one", scores=[trial]))
    report = load(project, file)
    assert (report.updated, report.scores, report.rejected_values) == (1, 1, 0)
    assert next(x["scores"] for x in exported(project) if x["run"] == "one") == [plain, trial]
    # with another seed it is the same version: it says something else of the same time
    other = trial | {"value": 5, "parameters": {"seed": 4, "temperature": 1.0}}
    report = load(project, write(tmp_path / "c.jsonl", record(1, run="one", scores=[other])))
    assert (report.conflicts, report.scores, report.rejected_values) == (1, 0, 0)
    again = load(project, file)
    assert (again.unchanged, again.scores, again.rejected_values) == (1, 0, 0)


class Heard:
    """Keeps what an import says of itself, and never stops it."""

    cancelled = False

    def __init__(self) -> None:
        self.lines: list[tuple[int, int | None, str]] = []

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        self.lines.append((done, total, note))


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Heard:
    """What an import of 400 rows says, which looks at the clock every so many seconds."""
    ticks = count(0, request.param)
    monkeypatch.setattr(import_files, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    rows = (record(n, response=f"{n} " * 500) for n in range(400))
    file = write(tmp_path / "many.jsonl", *rows)
    heard = Heard()
    importing.run(tmp_path / "made.review", ImportRequest((file,), rubric="guest-response"), heard)
    return heard


@pytest.mark.parametrize(("told", "unit"), [(2, "s"), (600, "min")], indirect=["told"])
def test_an_import_says_how_fast_it_goes_and_how_long_it_yet_takes(told: Heard, unit: str) -> None:
    step, second = (2, 1) if unit == "s" else (600, 60)
    lines = [line for line in told.lines if line[2].startswith("32 rows")]
    ((done, total, note),) = lines
    assert total is not None
    # the third look at the clock since the start
    left = 3 * step * (total / done - 1) / second
    assert 0 < done < total
    assert note == f"32 rows, {32 / (3 * step):,.0f} a second, {left:.0f} {unit} left"


@pytest.mark.parametrize("told", [0.001], indirect=True)
def test_an_import_that_has_just_begun_says_only_how_far_it_is(told: Heard) -> None:
    notes = [note for _, _, note in told.lines]
    assert "1 row" in notes
    assert not any("a second" in note for note in notes)
