from pathlib import Path

import pytest

from reviewer.domain.run import Scope
from reviewer.services.audits import gold
from reviewer.services.audits.gold import LEADS_ONLY, NO_GOLD, NOBODY, Gold
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from tests.services.audits.comparing import label, one, opened, source_of


def found_in(session: Session, scope: Scope | None = None) -> Gold:
    return gold.gold(session, source_of(session, scope), "accuracy")


def decided(value: float) -> dict[str, object]:
    return label(value, "lead", kind="adjudication", at="2026-11-12T10:00:00Z")


RECORDS = [
    *(
        one(
            n,
            3,
            [
                label(4 if n > 2 else 2),
                label(4, "bo"),
                label(5, "ann", metric="safety"),
                label(1, "lead"),
                decided(4),
                decided(5) | {"metric": "safety"},
            ],
            tags=["gold"],
        )
        for n in range(1, 11)
    ),
    one(11, 3, [label(1), decided(4)], tags=["other"]),
    one(12, 3, [label(1)], tags=["gold"]),
]


def test_labels_are_held_to_the_decisions(tmp_path: Path) -> None:
    with opened(tmp_path, RECORDS) as session:
        found = found_in(session)
        assert found.evaluations == 10
        # the lead who decided is nobody's measure
        assert [(x.labeler, x.n, x.hits) for x in found.people] == [("ann", 10, 8), ("bo", 10, 10)]
        ann = found.people[0]
        assert ann.keys.tolist()[:2] == [1, 2]
        assert ann.interval is not None
        assert ann.interval.low == pytest.approx(0.490, abs=0.001)
        assert found.overall["ann"].n == 20
        assert found.overall["ann"].hits == 18
        assert found.sentence == (
            "On 10 gold responses people hit the known answer: ann 80 % of 10 and bo 100 % of 10."
        )
        assert gold.told(ann) == (
            "ann hits the known answer of gold responses in 8 of 10 labels "
            "(80 %, 95 % 49 % to 94 %)."
        )
        assert gold.steps(ann)[0].text.startswith("hits / labels = 8 / 10 = 80 %")


def test_a_scope_of_one_person_keeps_the_known_answers(tmp_path: Path) -> None:
    with opened(tmp_path, RECORDS) as session:
        found = found_in(session, Scope(labelers=("bo",)))
        assert [x.labeler for x in found.people] == ["bo"]


def test_nothing_hidden_counts_for_who_has_not_finished(tmp_path: Path) -> None:
    """A labeler must not learn from a rate that an answer of theirs is measured."""
    with opened(tmp_path, RECORDS, who="ann", blind=True) as session:
        assert [x.labeler for x in found_in(session).people] == ["bo"]
        profiles.change(session, "bo", role="lead")
        found = found_in(session)
        assert found.reason == LEADS_ONLY
        assert not found.people
        assert not found.overall
        session.set_labeler("bo")
        assert [x.labeler for x in found_in(session).people] == ["ann"]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with opened(tmp_path, RECORDS[10:]) as session:
        assert found_in(session).reason == NO_GOLD
    (tmp_path / "two").mkdir()
    with opened(tmp_path / "two", [one(1, 3, [decided(4)], tags=["gold"])]) as session:
        assert found_in(session).reason == NOBODY
