"""The last figures are given again only while nothing that they depend on has changed."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.run import Scope
from reviewer.services.audits.auditing import audit_of, prepare
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from tests.building import build_project, record


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    labels = [{"metric": "accuracy", "labeler": "bo", "value": 2, "blind": True}]
    path = build_project(
        tmp_path / "kept.review", evaluations=[record(n, labels=labels) for n in range(1, 13)]
    )
    with closing(Session.open(path, "lead")) as opened:
        opened.blind = False
        entering.commit(opened, 1, "accuracy", 2)
        yield opened


def blind(session: Session) -> None:
    session.blind = True


def zone(session: Session) -> None:
    session.project.set_setting("time_zone", "Asia/Tokyo")


def label(session: Session) -> None:
    entering.commit(session, 2, "accuracy", 5)


def exclude(session: Session) -> None:
    bulk_acts.exclude(session, [3], "broken")


def somebody_else(session: Session) -> None:
    session.set_labeler("bo")


@pytest.mark.parametrize("change", [blind, zone, label, exclude, somebody_else])
def test_any_change_computes_anew(session: Session, change: Callable[[Session], None]) -> None:
    first = audit_of(session, StatsRequest())
    assert audit_of(session, StatsRequest()) is first
    change(session)
    assert audit_of(session, StatsRequest()) is not first


def test_another_scope_is_another_audit(session: Session) -> None:
    first = audit_of(session, StatsRequest())
    other = audit_of(session, StatsRequest(scope=Scope(categories=("policies",))))
    assert other.evaluations < first.evaluations


def test_narrowing_and_widening_again_computes_nothing(session: Session) -> None:
    whole, narrow = StatsRequest(), StatsRequest(scope=Scope(categories=("policies",)))
    first, second = audit_of(session, whole), audit_of(session, narrow)
    assert audit_of(session, whole) is first
    assert audit_of(session, narrow) is second
    label(session)
    assert audit_of(session, narrow) is not second
    assert audit_of(session, whole) is not first


def test_few_scopes_are_remembered(session: Session) -> None:
    first = audit_of(session, StatsRequest())
    for name in ("policies", "none", "nothing", "nobody"):
        audit_of(session, StatsRequest(scope=Scope(categories=(name,))))
    assert audit_of(session, StatsRequest()) is not first


def test_what_was_prepared_is_what_the_page_asks_for(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(session)
    monkeypatch.setattr("reviewer.services.audits.auditing.compute", None)
    audit_of(session, StatsRequest(scope=Scope(viewer="lead")))


def test_large_scopes_are_not_all_remembered(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, narrow = StatsRequest(), StatsRequest(scope=Scope(categories=("policies",)))
    first, second = audit_of(session, whole), audit_of(session, narrow)
    monkeypatch.setattr("reviewer.services.audits.auditing.CELLS", 0)
    # the newest stays, however large
    other = audit_of(session, StatsRequest(scope=Scope(blind_only=True)))
    assert audit_of(session, StatsRequest(scope=Scope(blind_only=True))) is other
    assert audit_of(session, narrow) is not second
    assert audit_of(session, whole) is not first
