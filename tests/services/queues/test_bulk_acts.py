"""Tags and exclusions of many evaluations: one undoable action, in no figure, never lost."""

import contextlib
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.change import Change, EvaluationsChanged
from reviewer.domain.errors import LabelError, Silent
from reviewer.domain.run import Scope
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.queues import bulk_acts
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import exporting, importing, undoing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.store import bulk, exclusions, journal
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, next_redo, next_undo, record, redone, undone

METRICS = [metric.name for metric in RUBRIC.metrics]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    records = [
        record(n, tags=["first", "vip"], labels=_labels(n) if n % 2 else []) for n in range(1, 41)
    ]
    path = build_project(tmp_path / "many.review", evaluations=records)
    with closing(Session.open(path, "ann")) as opened:
        yield opened


def _labels(number: int) -> list[dict[str, Any]]:
    return [
        {"metric": name, "labeler": "bo", "value": (number * 7) % 5 + 1, "kind": "label",
         "at": "2026-11-02T10:00:00Z", "blind": True}
        for name in METRICS
    ]  # fmt: skip


def found(session: Session, words: str) -> list[int]:
    return list(listing.build(session, filter_text=words).ids)


def test_a_tag_is_one_action_that_undo_takes_back_whole(session: Session) -> None:
    heard: list[Change] = []
    session.subscribe(heard.append)
    done = bulk_acts.tag(session, range(1, 31), " second  look ")
    assert (done.changed, done.unchanged) == (30, 0)
    assert done.title == "Tag second look on 30 responses"
    assert heard == [EvaluationsChanged(done.title)]
    assert found(session, 'tag:"second look"') == list(range(1, 31))
    assert bulk_acts.tag(session, range(25, 36), "second look").changed == 5
    assert undone(session) == "Tag second look on 5 responses"
    assert found(session, 'tag:"second look"') == list(range(1, 31))
    assert undone(session) == done.title
    assert found(session, 'tag:"second look"') == []
    assert redone(session) == done.title
    assert found(session, 'tag:"second look"') == list(range(1, 31))
    assert bulk_acts.every_tag(session) == [("first", 40), ("second look", 30), ("vip", 40)]


def test_undo_says_which_responses_it_was_about(session: Session) -> None:
    bulk_acts.exclude(session, [7], "load test")
    bulk_acts.tag(session, [5, 3], "odd")
    taken = undo.undo(session)
    assert taken is not None
    assert (taken.evaluation, taken.among) == (None, (3, 5))
    taken = undo.undo(session)
    assert taken is not None
    assert (taken.evaluation, taken.metric, taken.among) == (7, "", (7,))


def test_nothing_to_change_journals_nothing(session: Session) -> None:
    assert bulk_acts.tag(session, [1, 2], "first").changed == 0
    assert bulk_acts.untag(session, [1, 2], "absent").changed == 0
    assert bulk_acts.include(session, [1, 2]).changed == 0
    assert next_undo(session) is None


def test_a_tag_of_the_record_comes_off_and_back_in_its_place(
    session: Session, tmp_path: Path
) -> None:
    bulk_acts.untag(session, [3], "first")
    bulk_acts.tag(session, [3], "later")
    exported = _exported(session, tmp_path / "now.jsonl")
    assert exported["c-0003"]["tags"] == ["vip", "later"]
    assert exported["c-0004"]["tags"] == ["first", "vip"]
    undo.undo(session)
    undo.undo(session)
    assert _exported(session, tmp_path / "then.jsonl")["c-0003"]["tags"] == ["first", "vip"]
    for tag in ("first", "vip"):
        bulk_acts.untag(session, [3], tag)
    assert "tags" not in _exported(session, tmp_path / "none.jsonl")["c-0003"]


def _exported(session: Session, to: Path) -> dict[str, dict[str, Any]]:
    exporting.export(session.project, to, ExportRequest(), Silent())
    return {line["id"]: line for line in map(json.loads, to.read_text("utf-8").splitlines())}


def test_excluded_responses_are_listed_with_their_reason(session: Session) -> None:
    done = bulk_acts.exclude(session, [2, 3, 5], "load  test")
    assert done.title == "Exclude 3 responses"
    assert found(session, "state:excluded") == [2, 3, 5]
    assert len(found(session, "-state:excluded")) == 37
    assert [row.excluded for row in listing.rows(session, [2, 4])] == ["load test", None]
    kept = exclusions.of(session.project.conn, [1, 2, 3])
    assert set(kept) == {2, 3}
    assert (kept[2].reason, kept[2].labeler) == ("load test", "ann")
    assert bulk_acts.exclude(session, [3, 4], "another reason").changed == 1
    assert exclusions.of(session.project.conn, [3])[3].reason == "load test"
    assert bulk_acts.include(session, range(1, 41)).changed == 4
    assert not found(session, "state:excluded")
    undo.undo(session)
    assert {x.reason for x in exclusions.of(session.project.conn, [2, 3, 4, 5]).values()} == {
        "load test", "another reason",
    }  # fmt: skip


def test_figures_are_those_of_a_project_without_the_excluded(
    session: Session, tmp_path: Path
) -> None:
    gone = [1, 5, 6, 19, 40]
    bulk_acts.exclude(session, gone, "bot traffic")
    rest = [
        record(n, tags=["first", "vip"], labels=_labels(n) if n % 2 else [])
        for n in range(1, 41)
        if n not in gone
    ]
    with closing(Session.open(build_project(tmp_path / "less.review", evaluations=rest))) as less:
        only = (Scope(blind_only=True), Scope(labelers=("bo",)), Scope(tags=("vip",)))
        for scope in (Scope(), *only):
            request = StatsRequest(scope=scope)
            given = [
                statistics.compute(x.project, request, None, Silent()) for x in (session, less)
            ]
            assert _plain(given[0].to_json()) == _plain(given[1].to_json())
        rows = [
            [
                {k: v for k, v in row.items() if k != "key"}
                for row in exporting.preview(x.project, ExportRequest(what="disagreements")).rows
            ]
            for x in (session, less)
        ]
        assert rows[0] == rows[1]


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    # when an import fixed whose scores count differs between the two projects
    records = [{k: v for k, v in x.items() if k != "at"} for x in document["record"]]
    kept = {name: value for name, value in document.items() if name not in ("project", "file")}
    return kept | {"record": records}


def test_live_figures_leave_excluded_responses_out(session: Session) -> None:
    def live() -> LiveFigures:
        return LiveFigures(
            session, load_tallies(session.project.path, Scope(), Hidden("ann", blind=True))
        )

    first = live()
    before = first.metric("accuracy")
    bulk_acts.exclude(session, [1], "bot traffic")
    assert not first.ready
    after = live().metric("accuracy")
    assert before is not None
    assert after is not None
    assert after.deviations.n_labelled == before.deviations.n_labelled - 1
    undo.undo(session)
    assert live().metric("accuracy") == before


def test_only_a_lead_excludes_or_chooses_gold(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 3)
    session.set_labeler("zoe")
    acts: tuple[Callable[[], object], ...] = (
        lambda: bulk_acts.exclude(session, [1], "why"),
        lambda: bulk_acts.include(session, [1]),
        lambda: bulk_acts.tag(session, [1], "gold"),
    )
    for act in acts:
        with pytest.raises(LabelError, match=r"Only a lead can .*; ann leads this project\."):
            act()
    assert bulk_acts.tag(session, [1], "odd").changed == 1
    session.set_labeler("ann")
    assert bulk_acts.tag(session, [1], "gold").changed == 1


@pytest.mark.parametrize("words", ["", "   ", "\ud800"])
def test_empty_and_broken_words_are_refused(session: Session, words: str) -> None:
    for act in (bulk_acts.tag, bulk_acts.untag, bulk_acts.exclude):
        with pytest.raises(LabelError, match="cannot be kept"):
            act(session, [1], words)


def test_a_large_action_goes_in_steps_and_a_crash_is_made_good(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "STEP", 7)
    keys = range(1, 31)
    for act, words in (
        (lambda: bulk_acts.tag(session, keys, "big"), "tag:big"),
        (lambda: undo.undo(session), "tag:big"),
        (lambda: bulk_acts.exclude(session, keys, "big"), "state:excluded"),
        (lambda: undo.undo(session), "state:excluded"),
    ):
        before = found(session, words)
        _crash_after(session, 4, act)
        assert journal.unfinished(session.project.conn)
        assert found(session, words) not in ([], list(keys))
        with closing(Session.open(session.project.path, "ann")) as later:
            assert not journal.unfinished(later.project.conn)
            assert sorted(found(later, words)) == ([] if before else list(keys))
        assert next_undo(session) != next_redo(session)


def _crash_after(session: Session, steps: int, act: Callable[[], object]) -> None:
    """Fail at the transaction after so many steps, as if the power went."""
    real, left = session.project.write, steps

    @contextlib.contextmanager
    def write() -> Iterator[Any]:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        with real() as conn:
            yield conn

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.project, "write", write)
        with pytest.raises(KeyboardInterrupt):
            act()


def test_tags_and_exclusions_come_back_byte_for_byte(session: Session, tmp_path: Path) -> None:
    bulk_acts.tag(session, [1, 2, 3], "later")
    bulk_acts.untag(session, [2], "vip")
    bulk_acts.exclude(session, [4, 5], "load test")
    for name in ("export.jsonl", "export.csv"):
        file, again = tmp_path / name, tmp_path / f"again-{name}"
        exporting.export(session.project, file, ExportRequest(), Silent())
        copy = tmp_path / f"{file.suffix[1:]}.review"
        importing.run(copy, importing.ImportRequest((file,), rubric=RUBRIC), Silent())
        with Project.open(copy) as opened:
            exporting.export(opened, again, ExportRequest(), Silent())
        assert again.read_bytes() == file.read_bytes()
        with closing(Session.open(copy, "ann")) as opened_again:
            assert found(opened_again, "state:excluded") == [4, 5]
            assert found(opened_again, "tag:later") == [1, 2, 3]


def test_an_import_of_the_same_records_changes_neither_tags_nor_exclusions(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "first.jsonl"
    exporting.export(session.project, file, ExportRequest(), Silent())
    bulk_acts.tag(session, [1], "later")
    bulk_acts.exclude(session, [2], "load test")
    changed = tmp_path / "changed.jsonl"
    exporting.export(session.project, changed, ExportRequest(), Silent())
    for one in (file, changed):
        request = importing.ImportRequest((one,), rubric="guest")
        report = importing.run(session.project, request, Silent())
        assert (report.updated, report.unchanged, report.conflicts) == (0, 40, 0)
    assert found(session, "tag:later") == [1]


def test_an_exclusion_that_an_import_brought_goes_with_it(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "first.jsonl"
    exporting.export(session.project, file, ExportRequest(), Silent())
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    lines[6]["excluded"] = {"reason": "duplicate", "by": "kim", "at": "2026-11-05T08:00:00Z"}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    request = importing.ImportRequest((file,), rubric="guest")
    report = importing.run(session.project, request, Silent())
    assert report.updated == 1
    assert exclusions.of(session.project.conn, [7])[7].labeler == "kim"
    undoing.undo_import(session.project, report.imports[0])
    assert not found(session, "state:excluded")


@pytest.mark.parametrize(
    ("excluded", "field"),
    [
        ({"by": "kim"}, "excluded.reason"),
        ({"reason": ""}, "excluded.reason"),
        ({"reason": [3]}, "excluded.reason"),
        ("yes", "excluded"),
        ({"reason": "x", "by": ""}, "excluded.by"),
        ({"reason": "x", "at": "yesterday"}, "excluded.at"),
    ],
)
def test_an_exclusion_without_a_usable_reason_is_reported(
    tmp_path: Path, excluded: object, field: str
) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(json.dumps({"id": "a", "input": "q", "excluded": excluded}) + "\n", "utf-8")
    path = tmp_path / "odd.review"
    report = importing.run(path, importing.ImportRequest((file,), rubric=RUBRIC), Silent())
    assert [row.field for row in report.first_rejected] == [field]
    with closing(Session.open(path, "ann")) as session:
        kept = isinstance(excluded, dict) and excluded.get("reason") == "x"
        assert len(found(session, "state:excluded")) == int(kept)
