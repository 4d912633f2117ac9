"""What the memory gives is what a fresh reading gives, whatever was written meanwhile."""

import contextlib
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from reviewer.domain.errors import LabelError
from reviewer.domain.run import Scope
from reviewer.services.figures.column_memory import FEW, ColumnMemory
from reviewer.services.figures.figure_table import FigureTable, Loader, load
from reviewer.services.figures.request import covered
from reviewer.services.labelling import entering, undo
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from reviewer.stats.deviations import PUBLISHED
from reviewer.store import figures
from tests.building import build_project, record

METRICS = ("relevance", "accuracy", "safety")
SCOPES = (
    Scope(),
    Scope(blind_only=True),
    Scope(labelers=("ann",)),
    Scope(categories=("policies",)),
    Scope(decisions=False),
    Scope(tags=("odd",)),
    Scope(filter="labeler:ann"),
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    given = [
        {"metric": name, "labeler": who, "value": value, "blind": blind, "kind": kind}
        for name in METRICS
        for who, value, blind, kind in (
            ("ann", 2, True, "label"),
            ("bo", 4, False, "label"),
            ("lead", 5, False, "adjudication"),
        )
    ]
    records = [
        record(n, labels=given if n % 3 == 0 else [], tags=["odd"] if n % 2 else [])
        for n in range(1, 41)
    ]
    path = build_project(tmp_path / "memory.review", evaluations=records)
    with closing(Session.open(path, "chief")) as opened:
        opened.blind = False
        entering.commit(opened, 1, "safety", 3)
        yield opened


def remembered(session: Session, memory: ColumnMemory, scope: Scope) -> FigureTable:
    found = covered(session.project, scope)
    with figures.snapshot(session.project):
        return Loader(session.project, memory).load(
            scope, rubric=found.rubric, within=found.within, options=PUBLISHED
        )


def fresh(session: Session, scope: Scope) -> FigureTable:
    found = covered(session.project, scope)
    return load(
        session.project, scope, rubric=found.rubric, within=found.within, options=PUBLISHED
    )


def assert_same(one: FigureTable, other: FigureTable) -> None:
    assert one.keys.tolist() == other.keys.tolist()
    assert one.dates.tolist() == other.dates.tolist()
    for name, table in one.metrics.items():
        twin = other.metrics[name]
        np.testing.assert_array_equal(table.auto, twin.auto)
        np.testing.assert_allclose(table.human.score, twin.human.score, atol=1e-12)
        np.testing.assert_array_equal(table.human.majority, twin.human.majority)
        np.testing.assert_array_equal(table.human.count, twin.human.count)
        np.testing.assert_array_equal(table.human.all_blind, twin.human.all_blind)
        np.testing.assert_array_equal(table.human.times, twin.human.times)


def act(session: Session, chance: random.Random) -> None:
    key, metric = chance.randint(1, 40), chance.choice(METRICS)
    session.set_labeler(chance.choice(("ann", "bo", "cy")))
    match chance.randint(0, 5):
        case 0 | 1 | 2:
            entering.commit(session, key, metric, chance.randint(1, 5))
        case 3:
            with contextlib.suppress(LabelError):
                entering.withdraw(session, key, metric)
        case 4:
            undo.undo(session)
        case _:
            session.set_labeler("chief")
            bulk_acts.exclude(session, [key], "broken")


@pytest.mark.parametrize("seed", range(2))
def test_every_scope_is_true_after_every_change(session: Session, seed: int) -> None:
    chance, memory = random.Random(seed), ColumnMemory()  # noqa: S311 - a seeded walk
    for _ in range(8):
        for scope in SCOPES:
            assert_same(remembered(session, memory, scope), fresh(session, scope))
        for _ in range(chance.randint(1, 4)):
            act(session, chance)


def test_very_many_changes_are_read_anew(session: Session) -> None:
    memory = ColumnMemory()
    remembered(session, memory, Scope())
    for turn in range(FEW // 40 + 2):
        for key in range(1, 41):
            entering.commit(session, key, "safety", 1 + (key + turn) % 5)
    assert_same(remembered(session, memory, Scope()), fresh(session, Scope()))


def test_scores_and_labels_are_read_once(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = ColumnMemory()
    remembered(session, memory, Scope())
    monkeypatch.setattr(figures, "read_scores", lambda *_: pytest.fail("read twice"))
    monkeypatch.setattr(figures, "read_labels", lambda *_: pytest.fail("read twice"))
    entering.commit(session, 1, "safety", 4)
    table = remembered(session, memory, Scope(categories=("policies",)))
    assert table.keys.size


@pytest.mark.parametrize(
    ("first", "second"),
    [("2026-11-01", "2026-11-05"), ("2026-11-05", "2026-11-01"), ("2026-11-03", "2026-11-03")],
)
@pytest.mark.parametrize("mixed", [False, True])
def test_the_newest_judge_in_scope_is_found_as_by_reading(
    tmp_path: Path, first: str, second: str, mixed: bool
) -> None:
    records = []
    for number in range(1, 13):
        scores = [
            {"metric": "safety", "value": 2, "scorer": "one", "at": first},
            {"metric": "safety", "value": 4, "scorer": "two", "at": second},
        ]
        if mixed and number == 3:
            scores[1]["at"] = "2026-11-30"
        records.append(record(number, scores=scores[: 1 + (number % 3 > 0)]))
    path = build_project(tmp_path / "judges.review", evaluations=records)
    with closing(Session.open(path, "lead")) as session:
        memory = ColumnMemory()
        for category in ("amenities", "policies", "directions"):
            scope = Scope(categories=(category,))
            within = covered(session.project, scope).within
            number = figures.metric_keys(session.project)["safety"]
            table = remembered(session, memory, scope).metrics["safety"]
            used = figures.score_sets_in_use(session.project, number, within)
            assert table.score_set == used[0]
            assert len(table.other_scorers) == len(used) - 1
