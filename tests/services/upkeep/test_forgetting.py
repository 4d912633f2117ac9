"""What is forgotten is in no byte of the file or beside it, and no figure breaks over it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import ProjectError, ReviewerError
from reviewer.services.labelling import entering
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from reviewer.services.upkeep import doctor, forgetting
from reviewer.store import case_sets, judging
from reviewer.store import forgetting as store
from reviewer.store.case_sets import Edits
from tests.building import build_project, let_see, record, undone

SECRET = "zebrafinch marmalade"
CALLED = "quetzalcoatl"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    told = record(
        2,
        id=f"id-{CALLED}",
        input=f"My name is {SECRET} " + "x" * 9000,
        messages=[{"role": "user", "content": SECRET}, {"role": "assistant", "content": SECRET}],
        meta={"note": SECRET},
        scores=[{"metric": "accuracy", "value": 2, "scorer": "judge", "reasoning": SECRET}],
        labels=[{"metric": "safety", "labeler": "Zenobia Quux", "value": 2, "comment": SECRET}],
        marks=[{"kind": "flag", "labeler": "Zenobia Quux", "note": SECRET}],
    )
    path = build_project(tmp_path / "p.review", evaluations=[record(1), told, record(3)])
    let_see(path)
    with closing(Session.open(path, "Zenobia Quux")) as session:
        entering.commit(session, 1, "accuracy", 2)
        entering.commit(session, 2, "accuracy", 4, comment=SECRET)
        entering.commit(session, 3, "accuracy", 5)
    return path


def bytes_of(project: Path) -> bytes:
    return b"".join(
        x.read_bytes() for x in sorted(project.parent.glob(f"{project.name}*")) if x.is_file()
    )


def has(project: Path, text: str) -> bool:
    everything = bytes_of(project).lower()
    return any(word.encode() in everything for word in text.lower().split())


def test_no_byte_of_a_record_stays_anywhere(project: Path) -> None:
    assert has(project, SECRET)
    with closing(Session.open(project, "ann")) as session:
        key = forgetting.find(session, f"id-{CALLED}")
        found = forgetting.forget_record(session, key)
        assert (found.labels, found.comments) == (2, 2)
        assert not has(project, SECRET)
        assert not has(project, CALLED)
    assert not has(project, SECRET)
    assert doctor.check(project).problems == ()


def test_test_cases_and_prompts_that_took_its_words_over_hold_them_no_more(project: Path) -> None:
    long = f"My name is {SECRET} " + "x" * 9000
    with closing(Session.open(project, "ann")) as session:
        case = {"id": "c", "input": long.strip(), "expected": "A greeting."}
        case_sets.keep(session.project, "greetings", Edits(put={"c": case}))
        judging.keep_prompt(
            session.project, rubric="r", metric="accuracy", text=f"Such as: {long}", text_hash="h"
        )
        found = forgetting.forget_record(session, forgetting.find(session, f"id-{CALLED}"))
        assert found.copies == 2
        assert found.sentence.endswith("taken out of 2 test cases, prompts and plans.")
        kept = case_sets.find(session.project.conn, "greetings")
        assert kept is not None
        assert kept.cases[0]["input"] == "forgotten"
        assert kept.cases[0]["expected"] == "A greeting."
    assert not has(project, SECRET)


def test_what_another_record_says_as_well_stays_in_prompts(tmp_path: Path) -> None:
    shared = "The pool is open from nine to nine, every day."
    path = build_project(
        tmp_path / "s.review", evaluations=[record(n, response=shared) for n in (1, 2)]
    )
    with closing(Session.open(path, "ann")) as session:
        judging.keep_prompt(
            session.project, rubric="r", metric="accuracy", text=shared, text_hash="h"
        )
        forgetting.forget_record(session, 1)
        (kept,) = judging.prompts(session.project.conn, "r")
    assert kept.text == shared


def test_the_rest_goes_on_as_before(project: Path) -> None:
    with closing(Session.open(project, "Zenobia Quux")) as session:
        forgetting.forget_record(session, forgetting.find(session, f"agent v7/id-{CALLED}"))
        titles = session.project.conn.execute("SELECT title, body FROM journal").fetchall()
        assert titles.count(("forgotten", "{}")) == 1
        assert undone(session) is not None
        entering.commit(session, 3, "accuracy", 1)
    with closing(Session.open(project, "ann")) as other:
        assert other.project.conn.execute("SELECT count(*) FROM evaluations").fetchone() == (2,)
        with pytest.raises(ReviewerError, match="There is no record"):
            forgetting.find(other, f"id-{CALLED}")


def test_of_a_person_the_name_and_the_words_go_and_the_labels_stay(project: Path) -> None:
    with closing(Session.open(project, "ann")) as session:
        found = forgetting.forget_person(session, "Zenobia Quux")
        labels = session.project.conn.execute(
            "SELECT count(*) FROM current_labels c JOIN labelers l ON l.id = c.labeler "
            "WHERE l.name LIKE 'forgotten %'"
        ).fetchone()
    assert labels == (4,)
    assert found.comments == 3
    assert not has(project, "zenobia quux")
    assert doctor.check(project).problems == ()
    with (
        closing(Session.open(project, "ann")) as session,
        pytest.raises(ProjectError, match="There is no labeler 'Nobody'"),
    ):
        forgetting.forget_person(session, "Nobody")


def test_backups_that_still_hold_it_are_named(project: Path) -> None:
    with closing(Session.open(project, "ann")) as session:
        made = backups.make(session.project)
        found = forgetting.forget_record(session, forgetting.find(session, f"id-{CALLED}"))
        assert found.still_in == (made.file,)


def test_nothing_is_erased_while_somebody_else_has_the_file(project: Path) -> None:
    with closing(Session.open(project, "ann")) as session:
        other = sqlite3.connect(project)
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM labels").fetchone()
        with pytest.raises(ProjectError, match="is open elsewhere; close it there"):
            forgetting.forget_record(session, forgetting.find(session, f"id-{CALLED}"))
        other.close()
        entering.commit(session, 1, "safety", 2)
    assert has(project, SECRET)


def test_others_may_have_the_file_open_and_go_on_writing(project: Path) -> None:
    with (
        closing(Session.open(project, "ann")) as session,
        closing(Session.open(project, "bob")) as other,
    ):
        other.project.conn.execute("SELECT count(*) FROM labels").fetchone()
        forgetting.forget_record(session, forgetting.find(session, f"id-{CALLED}"))
        assert not has(project, SECRET)
        entering.commit(other, 1, "safety", 2)


@pytest.mark.parametrize("is_reading", [False, True])
def test_a_file_that_others_read_is_cleaned_later_and_stays_free_meanwhile(
    project: Path, *, is_reading: bool
) -> None:
    with closing(Session.open(project, "ann")) as session, closing(sqlite3.connect(project)) as it:
        store.at_once(session.project, [forgetting.find(session, f"id-{CALLED}")], [])
        if is_reading:
            it.execute("BEGIN")
        it.execute("SELECT count(*) FROM labels").fetchone()
        assert store.clean(session.project) is not is_reading
        # a third program, which is new to the file
        with closing(Session.open(project, "bob")) as other:
            entering.commit(other, 1, "safety", 2)
        it.rollback()
        assert store.clean(session.project)
        assert not has(project, SECRET)


def test_the_command_asks_unless_told_that_it_is_meant(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["forget", str(project), "--record", f"id-{CALLED}"]
    assert main(words) == 2
    assert "Nothing was forgotten; --yes says that it is meant." in capsys.readouterr().err
    assert has(project, SECRET)
    assert main([*words, "--yes"]) == 0
    assert "was forgotten: 2 labels, 2 comments and notes" in capsys.readouterr().out
    assert not has(project, SECRET)
    assert main(["forget", str(project)]) == 2
