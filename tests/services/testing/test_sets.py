"""Test sets of a project: added from files, edited, each change a version."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.services.upkeep import projects

LINES = (
    '{"id": "a", "input": "When?", "expected": "At 3.", "tags": ["plain", "time"]}\n'
    '{"id": "b", "input": "Where?", "category": "directions", "complexity": "hard"}\n'
    '{"id": "c", "input": "Who?", "tags": ["time"]}\n'
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    opened = Session.open(path)
    for name in [entry.name for entry in sets.every(opened)]:
        sets.forget(opened, name)
    yield opened
    opened.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "house rules.jsonl"
    made.write_text(LINES)
    return made


def versions(session: Session, name: str = "house rules") -> list[tuple[int, int, str]]:
    (entry,) = [x for x in sets.every(session) if x.name == name]
    return [(x.version, x.cases, x.note) for x in entry.versions]


def test_adding_twice_changes_nothing(session: Session, file: Path) -> None:
    first = sets.add_file(session, file)
    assert (first.name, first.version, first.added) == ("house rules", 1, 3)
    again = sets.add_file(session, file)
    assert (again.version, again.added, again.changed, again.unchanged) == (1, 0, 0, 3)
    assert versions(session) == [(1, 3, "house rules.jsonl")]
    assert sets.every(session)[0].rubric == "guest-response"


def test_a_rubric_can_be_named_later(session: Session, file: Path) -> None:
    sets.add_file(session, file)
    sets.add_file(session, file, rubric="faq-bot")
    assert sets.every(session)[0].rubric == "faq-bot"
    sets.add_file(session, file)
    assert sets.every(session)[0].rubric == "faq-bot"
    assert versions(session) == [(1, 3, "house rules.jsonl")]


def test_a_change_is_a_new_version_and_the_old_one_stays(session: Session, file: Path) -> None:
    sets.add_file(session, file)
    file.write_text('{"id": "d", "input": "Why?"}\n{"id": "b", "input": "Where to?"}\n')
    told = sets.add_file(session, file)
    assert (told.version, told.added, told.changed, told.unchanged) == (2, 1, 1, 0)
    now, before = sets.get(session), sets.get(session, "house rules", 1)
    assert [x["id"] for x in now.cases] == ["a", "b", "c", "d"]
    assert [x["input"] for x in now.cases] == ["When?", "Where to?", "Who?", "Why?"]
    assert [x["input"] for x in before.cases] == ["When?", "Where?", "Who?"]
    assert sets.restore(session, "house rules", 1) == 3
    assert sets.get(session).cases == before.cases
    assert versions(session)[0] == (3, 3, "as v1")


def test_bad_rows_are_kept_out_and_good_ones_kept(session: Session, file: Path) -> None:
    file.write_text(LINES + '{"id": "a", "input": "Another?"}\nnonsense\n{"id": "e"}\n')
    told = sets.add_file(session, file)
    assert (told.added, told.rejected_rows) == (3, 3)
    assert [(x.line, x.field, x.value) for x in told.rejected] == [
        (4, "id", "a"), (5, "", "nonsense"), (6, "input", None),
    ]  # fmt: skip
    assert "line 1 has another case of this id" in told.rejected[0].sentence
    assert "3 added" in told.sentence
    assert not sets.add_file(session, file, name="strict", strict=True).stored
    assert [x.name for x in sets.every(session)] == ["house rules"]


def test_cases_on_one_line_are_counted(session: Session, file: Path) -> None:
    cases = [{"id": "a", "input": "One?"}, {"id": "a", "input": "Two?"}, {"id": "e"}]
    file = file.with_name("cases.json")
    file.write_text(json.dumps(cases), encoding="utf-8")
    told = sets.add_file(session, file)
    assert [x.place for x in told.rejected] == ["record 2 (line 1)", "record 3 (line 1)"]
    assert "record 1 (line 1) has another case of this id" in told.rejected[0].sentence


def test_a_file_without_a_usable_case(session: Session, file: Path) -> None:
    file.write_text("{nonsense\n")
    with pytest.raises(ReviewerError, match=r"no usable case\. house rules\.jsonl, line 1"):
        sets.add_file(session, file)
    assert sets.every(session) == ()


def test_cases_one_by_one(session: Session, file: Path) -> None:
    sets.add_file(session, file)
    assert sets.put_case(session, "house rules", {"input": "How far?"}) == 2
    assert sets.put_case(session, "house rules", {"id": "how-far", "input": "How far?"}) == 2
    new = {"id": "far", "input": "How far is it?"}
    assert sets.put_case(session, "house rules", new, instead_of="how-far") == 3
    assert [x["id"] for x in sets.get(session).cases] == ["a", "b", "c", "far"]
    assert sets.remove_cases(session, "house rules", ["a", "b"]) == 4
    assert [x["id"] for x in sets.get(session).cases] == ["c", "far"]
    assert versions(session)[0] == (4, 2, "2 cases removed")
    with pytest.raises(ReviewerError, match="has a case c already"):
        sets.put_case(session, "house rules", {"id": "c", "input": "x"}, instead_of="far")
    with pytest.raises(ReviewerError, match="nothing to look at"):
        sets.put_case(session, "house rules", {"id": "x"})
    with pytest.raises(ReviewerError, match="no case 'zz'"):
        sets.remove_cases(session, "house rules", ["zz"])


def test_names(session: Session, file: Path) -> None:
    with pytest.raises(ReviewerError, match="Name the test set of this project; add one first"):
        sets.get(session)
    sets.add_file(session, file)
    sets.add_file(session, file, name="other")
    with pytest.raises(ReviewerError, match="it has: house rules, other"):
        sets.get(session)
    with pytest.raises(ReviewerError, match="no test set 'x'; it has: house rules, other"):
        sets.get(session, "x")
    with pytest.raises(ReviewerError, match="has no version 9"):
        sets.get(session, "other", 9)
    with pytest.raises(ReviewerError, match="There is a test set other already"):
        sets.rename(session, "house rules", "other")
    assert sets.rename(session, "other", " new  name ") == "new name"
    sets.forget(session, "new name")
    assert [x.name for x in sets.every(session)] == ["house rules"]


def test_the_cases_of_a_run(session: Session) -> None:
    run = session.run_names()[0]
    told = sets.from_run(session, run, "from a run")
    made = sets.get(session, "from a run")
    assert told.added == len(made.cases) == 24
    assert all("response" not in x and "scores" not in x for x in made.cases)
    assert made.cases[0]["id"] == "check-in"
    with pytest.raises(ReviewerError, match="There is no run 'x'"):
        sets.from_run(session, "x")


def test_what_fits_a_filter(session: Session, file: Path) -> None:
    sets.add_file(session, file)
    found = sets.get(session).cases
    assert sets.ids(sets.matching(found, tags=["time"])) == ("a", "c")
    assert sets.ids(sets.matching(found, tags=["time", "plain"])) == ("a",)
    assert sets.ids(sets.matching(found, where=[("complexity", "medium")])) == ("a", "c")
    assert sets.ids(sets.matching(found, where=[("complexity", "hard")])) == ("b",)
    assert sets.ids(sets.matching(found, where=[("tags", "plain")])) == ("a",)
    nested = [{"id": "n", "input": "x", "meta": {"a": [1, 2], "b": True}}]
    assert sets.matching(nested, where=[("meta.a", "2"), ("meta.b", "true")]) == nested
    assert sets.tag_index(found) == {"plain": ("a",), "time": ("a", "c")}
    spread = sets.spread(found)
    assert spread.complexity == {"medium": 2, "hard": 1}
    assert spread.category == {"none": 2, "directions": 1}
    assert spread.tags == {"time": 2, "plain": 1}
