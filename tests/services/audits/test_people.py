"""Everything on people at once, on projects that lack something."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import CancelledError, ReviewerError, Silent
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing, budget, people, plan, probes
from reviewer.services.audits.people import PeopleFigures
from reviewer.services.audits.plan import Wishes
from reviewer.services.audits.segment_values import TextFacts
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.findings.insights_values import Topic
from reviewer.services.project.session import Session
from tests.services.audits.comparing import label, one, opened, score


def figures(session: Session, scope: Scope | None = None) -> PeopleFigures:
    audit = auditing.compute(session, StatsRequest(scope=scope or Scope()))
    return people.figures(session, audit, "accuracy")


NOTHING: list[list[dict[str, Any]]] = [
    [one(1, 4, [])],
    [one(1, 4, [label(3)])],
    [one(n, 4, [label(3)]) for n in range(1, 15)],
    [one(n, 4, [label(3), label(3, "bo")]) for n in range(1, 15)],
    [one(n, 4, [label(n % 5 + 1, "ann" if n % 2 else "bo")]) for n in range(1, 15)],
    [one(n, 4, [label(n % 5 + 1), label(2, "bo")], scores=[]) for n in range(1, 15)],
    [one(n, 4, [label(3, metric="gone"), label(2, "bo", metric="gone")]) for n in range(1, 15)],
    [one(n, 4, [], scores=[score(3, "gone")]) for n in range(1, 15)],
]


@pytest.mark.parametrize("records", NOTHING)
def test_every_topic_is_a_sentence_whatever_is_missing(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    with opened(tmp_path, records) as session:
        audit = auditing.compute(session, StatsRequest())
        found = people.figures(session, audit, "accuracy")
        made = plan.figures(session, audit, "accuracy", Wishes())
        probed = probes.probe(session, audit.frame, "accuracy", facts=TextFacts())
    topics: tuple[Topic, ...] = (
        found.ceiling,
        found.anchoring,
        found.consensus,
        found.drift,
        found.gold,
    )
    topics = (*topics, made.passing, *probed.probes)
    sentences = [topic.sentence for topic in topics]
    sentences += [one.sentence for one in made.budgets]
    sentences.append(probed.sentence)
    sentences.append(made.order.sentence if made.order else made.reason or "")
    for sentence in sentences:
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence[0] == "±"
        assert "nan" not in sentence.lower().split()
        assert "None" not in sentence.split()


def test_own_hidden_answers_count_nowhere(tmp_path: Path) -> None:
    records = [one(n, 4, [label(4), label(3, "bo")]) for n in range(1, 12)]
    with opened(tmp_path, records, who="ann", blind=True) as session:
        found = figures(session)
        assert list(found.labelled) == ["bo"]
        assert found.ceiling.reason is not None


def test_figures_of_a_person_who_is_gone_are_refused(tmp_path: Path) -> None:
    with (
        opened(tmp_path, [one(1, 4, [label(4)])]) as session,
        pytest.raises(ReviewerError, match="no labeler 'nobody'"),
    ):
        figures(session, Scope(labelers=("nobody",)))


class _Gone(Silent):
    cancelled = True


def test_nobody_waiting_ends_the_reading(tmp_path: Path) -> None:
    with opened(tmp_path, [one(n, 4, [label(4)]) for n in range(1, 5)]) as session:
        audit = auditing.compute(session, StatsRequest())
        with pytest.raises(CancelledError):
            people.figures(session, audit, "accuracy", _Gone())
        with pytest.raises(CancelledError):
            plan.figures(session, audit, "accuracy", Wishes(), _Gone())
        with pytest.raises(CancelledError):
            probes.probe(session, audit.frame, "accuracy", facts=TextFacts(), progress=_Gone())


def test_a_wide_scale_begins_with_a_wider_wish() -> None:
    wide = Metric(name="share", scale="range", min=0, max=100)
    assert budget.usual_half_width(wide) == 2.5
    assert budget.usual_half_width(Metric(name="p", scale="range", min=0, max=1)) == 0.1
