"""What looks ahead sees the halves as they will be, writes nothing and holds nobody up."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.judging import Bot, Endpoint, Judge, Selection
from reviewer.domain.run import Scope
from reviewer.services.aligning import splitting
from reviewer.services.aligning.examples import suggest
from reviewer.services.bots import bots
from reviewer.services.calls import selecting
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.request import covered
from reviewer.services.jobs import estimating, launching, planning
from reviewer.services.jobs.launching import Wish
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.stats.deviations import PUBLISHED
from reviewer.store import judging, splits
from tests.dumping import dump

DEV = Wish(kind="judge", selection=Selection(part="dev"), judge="careful", metrics=("accuracy",))


@pytest.fixture
def session(session: Session) -> Session:
    """With a judge, which is never asked."""
    judging.keep(session.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    return session


@pytest.fixture
def other(project: Path) -> Iterator[Session]:
    """Somebody else who has the project open."""
    with closing(Session.open(project, "Ann")) as opened:
        yield opened


@pytest.mark.parametrize("divided_before", [False, True])
def test_what_is_foreseen_is_what_will_be(
    session: Session, project: Path, *, divided_before: bool
) -> None:
    if divided_before:
        splitting.ensure(session, 4)
        for key in range(1, 60, 2):
            entering.commit(session, key, "accuracy", key % 5 + 1)
    before, known = dump(project), splits.parts(session.project.conn)
    with splitting.foreseen(session):
        sizes = splitting.ensure(session)
        parts = splits.parts(session.project.conn)
        dev = list(selecting.selected(session, Selection(part="dev")))
        assert splitting.ensure(session).added == 0
    assert dump(project) == before
    assert splits.parts(session.project.conn) == known
    assert sizes.added == len(parts) - len(known) > 0
    real = splitting.ensure(session)
    assert (real.seed, real.dev, real.held_out) == (sizes.seed, sizes.dev, sizes.held_out)
    assert splits.parts(session.project.conn) == parts
    assert list(selecting.selected(session, Selection(part="dev"))) == dev


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"prompts": {"accuracy": "[user]\nIs this right? {{ response }}"}},
        {"kind": "bot", "bot": "echo", "then": "careful"},
        {"kind": "scorer", "scorers": {"accuracy": "user_feedback"}},
        {"examples": 3},
    ],
)
def test_a_forecast_waits_for_nobody_who_writes(
    session: Session, other: Session, project: Path, changed: dict[str, Any]
) -> None:
    bots.keep(session, Bot(name="echo", kind="command", settings={"words": ["cat"]}))
    if "examples" in changed:
        with splitting.foreseen(session):
            cases = suggest(session, "accuracy", most=changed["examples"])
        changed = {"examples": {"accuracy": tuple(x.key for x in cases)}}
    wish = replace(DEV, **changed)
    before = dump(project)
    with other.project.write():
        told = estimating.forecast(session, wish)
    assert told.evaluations > 0
    assert not told.problem
    assert dump(project) == before


def test_nobody_waits_for_what_looks_ahead(session: Session, other: Session) -> None:
    with splitting.foreseen(session):
        plan = launching.plan(session, DEV)
        shown = planning.with_suggested(session, plan, 3)
        other.project.conn.execute("PRAGMA busy_timeout = 0")
        entering.commit(other, 1, "safety", 3)
        # that label was foreseen by nobody, and is now
        assert splitting.ensure(session).added == 1
        assert splits.parts_of(session.project.conn, [1])[1] in splitting.PARTS
    assert len(shown.examples["accuracy"]) == 3
    assert not splits.parts_of(session.project.conn, [1])


def test_a_label_that_came_since_is_foreseen_too(session: Session, other: Session) -> None:
    found = []
    for key in (1, 3):
        with splitting.foreseen(session):
            found.append(splitting.ensure(session).added)
        entering.commit(other, key, "safety", 3)
    with splitting.foreseen(session):
        parts = splitting.ensure(session).added
    assert [*found, parts] == [found[0], found[0] + 1, found[0] + 2]


def halves(session: Session) -> tuple[int, int]:
    """Count the first half as a queue lists it, and as figures remember it."""
    scope = Scope(filter="part:dev", window_months=None)
    found = covered(session.project, scope)
    loader = Loader(session.project, memory_of(session))
    table = loader.load(scope, rubric=found.rubric, within=found.within, options=PUBLISHED)
    return len(listing.build(session, filter_text="part:dev").ids), table.keys.size


def test_what_was_foreseen_is_remembered_by_nobody(session: Session) -> None:
    assert halves(session) == (0, 0)
    with splitting.foreseen(session):
        dev = splitting.ensure(session).dev
        assert halves(session) == (dev, dev)
    assert halves(session) == (0, 0)


def test_a_project_that_is_only_read_keeps_the_parts_it_has(session: Session) -> None:
    session.project.read_only = True
    with splitting.foreseen(session):
        assert splitting.ensure(session).added == 0
    assert splits.parts(session.project.conn) == {}
