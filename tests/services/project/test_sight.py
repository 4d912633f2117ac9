"""What an open blind queue asks of somebody stays hidden also where the project is not blind."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.run import Scope
from reviewer.services.audits import auditing
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.project import reading
from reviewer.services.project.session import Session, set_blind
from reviewer.services.project.sight import hidden_now
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from tests.building import build_project, record

SCOPE = Scope()


def judged(number: int) -> dict[str, object]:
    score = {"metric": "accuracy", "value": 1 + number % 5, "scorer": "judge"}
    label = {"metric": "accuracy", "labeler": "cy", "value": 3}
    return record(number, scores=[score], labels=[label])


@pytest.fixture
def labeler(tmp_path: Path) -> Iterator[Session]:
    """Twelve evaluations in sight, of which a blind queue asks bo for five."""
    path = build_project(tmp_path / "p.review", evaluations=[judged(n) for n in range(1, 13)])
    with closing(Session.open(path, "lea")) as lead:
        for name in ("lea", "bo"):
            profiles.add(lead, name)
        profiles.change(lead, "lea", role="lead")
        set_blind(lead, blind=False)
        plan = QueuePlan(name="Q", sampling=Sampling.RANDOM, n=5, labelers=("bo",))
        making.create(lead, plan)
    with closing(Session.open(path, "bo")) as session:
        yield session


def found(session: Session, words: str, order: QueueOrder = QueueOrder.FILE) -> set[int]:
    return set(listing.build(session, filter_text=words, order=order).ids)


def test_no_filter_and_no_order_tells_of_it(labeler: Session) -> None:
    asked = set(labeler.sealed)
    assert len(asked) == 5
    assert not labeler.blind
    everything = found(labeler, "")
    assert len(everything) == 12
    for words in (
        "auto:accuracy>=1",
        "-auto:accuracy>3",
        "auto:accuracy>3 OR state:open",
        "human:accuracy=3",
        "|gap|>=0",
        "-gap>9",
    ):
        assert found(labeler, words).isdisjoint(asked), words
    assert found(labeler, "-auto:accuracy>9") == everything - asked
    ordered = listing.build(labeler, order=QueueOrder.GAP).ids
    assert list(ordered)[-5:] == sorted(asked), "what is hidden comes last, in the file's order"
    one = min(asked)
    for metric in labeler.rubric_of(one).labelled_metrics:
        entering.commit(labeler, one, metric.name, 3)
    assert one in found(labeler, "-auto:accuracy>9")


def test_an_answer_on_it_moves_no_figure_before_all_are_given(labeler: Session) -> None:
    one = min(labeler.sealed)

    def shown() -> tuple[object, ...]:
        tallies = load_tallies(labeler.project.path, SCOPE, hidden_now(labeler))
        live = LiveFigures(labeler, tallies)
        figures = live.metric("accuracy")
        live.close()
        assert figures is not None
        audit = auditing.compute(labeler, StatsRequest())
        return figures.n_labelled, figures.human_mean, audit.pairs["accuracy"].human.tolist()

    before = shown()
    live = LiveFigures(labeler, load_tallies(labeler.project.path, SCOPE, hidden_now(labeler)))
    told = live.metric("accuracy")
    entering.commit(labeler, one, "accuracy", 5)
    assert reading.view(labeler, one).hidden
    after = live.metric("accuracy")
    assert told is not None
    assert after is not None
    assert (after.human_mean, after.held_back) == (told.human_mean, 1)
    live.close()
    assert shown() == before
