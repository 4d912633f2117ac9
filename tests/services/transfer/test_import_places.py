"""Taking an import back costs queues their places; that is said before and after."""

from contextlib import closing
from pathlib import Path

from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import making, working
from reviewer.services.queues.plans import QueuePlan
from reviewer.services.transfer import undoing
from tests.building import build_project, record, undone
from tests.services.transfer.imports import load, write


def test_places_in_queues_that_go_with_an_import_are_told(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review")
    file = write(tmp_path / "more.jsonl", *(record(n) for n in range(50, 56)))
    number = load(path, file).imports[0]
    with closing(Session.open(path, "lea")) as session:
        for name in ("A", "B"):
            making.create(session, QueuePlan(name=name, filter_text="run:more"))
        entering.commit(session, 13, "accuracy", 5)
        places = undoing.places_to_lose(session.project, number)
        assert places == "10 places in the queues A and B"
        told = undoing.undo_import(session.project, number, keep="nothing")
        assert told.endswith(f" Lost with it: {places}; {undoing.NOT_BACK}.")
        load(path, file)
        session.poll()
        # what somebody labelled keeps its places
        assert [one.mine.total for one in working.every(session) if one.mine] == [1, 1]


def test_undo_tells_of_them_too(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review")
    load(path, write(tmp_path / "more.jsonl", record(50), record(51)), labeler="lea")
    with closing(Session.open(path, "ann")) as other:
        making.create(other, QueuePlan(name="Week 1", filter_text="run:more"))
    with closing(Session.open(path, "lea")) as session:
        assert undone(session) == (
            f"import of more.jsonl. Lost with it: 2 places in the queue Week 1; {undoing.NOT_BACK}"
        )
