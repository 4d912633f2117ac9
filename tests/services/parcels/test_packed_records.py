"""Whose scores count in a work package: whose count where it is from, and merging changes none."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.project import record
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import new_scores
from tests.services.parcels.sending import label, merged, pack

PACKED = range(4)


def said(metric: str, value: int, scorer: str = "judge", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": scorer, "scorer_version": "1", **more}


def evaluation(number: int, run: str) -> dict[str, Any]:
    """Most are scored by the judge; those that are packed mostly by its other model."""
    scores = [said("relevance", 2)] if number > 2 else []
    if number in PACKED:
        scores += [said("relevance", 5, model="other"), said("accuracy", 4, model="other")]
        scores += [said("accuracy", 2, model="other", at="2026-11-02", parameters={"seed": 2})]
    if number > 0:
        scores += [said("accuracy", 3)]
    return {"id": f"c-{number}", "run": run, "response": f"Answer {number}.", "scores": scores}


def load(path: Path, *records: dict[str, Any], policy: str = "skip") -> None:
    file = path.with_name("records.jsonl")
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    request = ImportRequest((file,), rubric="guest-response", on_conflict=policy)  # type: ignore[arg-type]
    importing.run(path, request, Silent())


@pytest.fixture
def lead(tmp_path: Path) -> Path:
    """Two runs: what counts was fixed, named with repeats, or is nothing yet."""
    path = tmp_path / "lead.review"
    load(path, *(evaluation(number, run) for run in ("one", "two") for number in range(9)))
    # another text that was scored twice, and of the same time another value
    replaced = evaluation(1, "one") | {"response": "Other answer."}
    replaced["scores"] = [said("accuracy", x, model="other", at=f"2026-11-0{x}") for x in (3, 1)]
    load(path, replaced, policy="version")
    load(path, evaluation(2, "one") | {"scores": [said("accuracy", 1, model="other")]},
         policy="replace")  # fmt: skip
    session = Session.open(path, "Lead")
    profiles.change(session, "Lead", role="lead")
    profiles.add(session, "Ann")
    record.name(session, "judge@1 model=other", runs=["one"], metrics=["accuracy"],
                with_repeats=True)  # fmt: skip
    _stopped_job(session)
    found = session.project.conn.execute(
        "SELECT e.id FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE e.ext_id < 'c-4' ORDER BY r.id, e.id"
    )
    keys = tuple(key for (key,) in found)
    making.create(
        session, QueuePlan(name="First", sampling=Sampling.CHOSEN, keys=keys, labelers=("Ann",))
    )
    session.close()
    return path


def _stopped_job(session: Session) -> None:
    """Leave scores as a job does that is stopped before its end."""
    project = session.project
    with project.write() as conn:
        conn.execute(
            "INSERT INTO jobs(id, kind, title, plan, state, created_at, seq) "
            "VALUES (1, 'scorer', 'stopped', '{}', 'cancelled', '2026-11-20', 1)"
        )
    book = new_scores.ScoreBook(project, 1)
    safety = book.names.metric("safety")
    score_set = book.open(safety, {"scorer": "rule"}, "1")
    with project.write() as conn:
        rows = [(key, safety, score_set, 1, "so", None, None) for key in (1, 2, 3)]
        new_scores.add_changed(conn, rows, 1)
    book.close()


def standing(path: Path) -> set[tuple[Any, ...]]:
    session = Session.open(path)
    found = {
        (x.run, x.metric, x.version and (x.version.plain, x.version.model), x.with_repeats, x.by)
        for x in record.standing(session, ["all"])
    }
    session.close()
    return found


def counting(path: Path) -> dict[tuple[Any, ...], Any]:
    """The values of record of what is packed, with their times."""
    session = Session.open(path)
    rows = session.project.conn.execute(
        "SELECT u.name, e.ext_id, m.name, s.value, s.at FROM records r "
        "JOIN runs u ON u.id = r.run JOIN metrics m ON m.id = r.metric "
        "JOIN evaluations e ON e.run = r.run JOIN scores s ON s.evaluation = e.id "
        "AND s.metric = r.metric AND s.score_set = r.score_set AND s.latest = 1 AND s.turn = -1 "
        "WHERE e.ext_id < 'c-4'"
    ).fetchall()
    session.close()
    found = {row[:3]: row[3:] for row in rows}
    assert len(found) == len(rows)
    return found


def test_a_package_has_its_projects_versions_of_record(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review", blind=False).file
    here = standing(lead)
    assert here == {
        ("one", "relevance", ("judge@1", None), False, None),
        ("two", "relevance", ("judge@1", None), False, None),
        ("one", "accuracy", ("judge@1", "other"), True, "Lead"),
        ("two", "accuracy", ("judge@1", None), False, None),
        ("one", "safety", None, False, None),
    }
    assert standing(package) == here
    counts = counting(lead)
    assert counting(package) == counts
    # of repeats the mean, but of the text and the value that stand now
    assert counts["one", "c-0", "accuracy"] == (3.0, "2026-11-02")
    assert counts["one", "c-1", "accuracy"] == (2.0, "2026-11-03")
    assert counts["two", "c-1", "accuracy"] == (3, None)


def test_the_history_says_who_named_it(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Lead")
    record.name(session, "judge@1 model=other", runs=["two"], metrics=["accuracy"])
    record.take_back(session, runs=["two"])
    at_home = {(x.run, x.metric): x for x in record.history(session) if x.run == "one"}
    session.close()
    package = Session.open(pack(lead, tmp_path / "ann.review", blind=False).file)
    found = {(x.run, x.metric): x for x in record.history(package)}
    assert found["one", "accuracy"] == at_home["one", "accuracy"]
    # what came back is told as it was at first
    assert (found["two", "accuracy"].kind, found["two", "accuracy"].by) == ("fixed", None)
    package.close()


def test_a_blind_package_has_no_version_of_record(lead: Path, tmp_path: Path) -> None:
    session = Session.open(pack(lead, tmp_path / "ann.review").file)
    assert record.history(session) == ()
    session.close()


@pytest.mark.parametrize("blind", [True, False])
def test_a_package_that_comes_back_changes_no_record(
    lead: Path, tmp_path: Path, *, blind: bool
) -> None:
    package = pack(lead, tmp_path / "ann.review", blind=blind).file
    label(package, 5, "c-0", "c-1", metric="accuracy")
    session = Session.open(lead, "Lead")
    record.name(session, "rule", runs=["one"], metrics=["safety"])
    before = record.history(session)
    session.close()
    here, counts = standing(lead), counting(lead)
    assert merged(lead, package).labels == 2
    assert (standing(lead), counting(lead)) == (here, counts)
    session = Session.open(lead, "Lead")
    assert record.history(session) == before
    session.close()
