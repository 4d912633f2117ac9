"""What is hidden of an evaluation: scores, others' answers, and what a tool put beside them.

What an open blind queue asks of somebody stays hidden also where the project is not blind.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FilterError
from reviewer.domain.filters import All
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.listing import facets, listing
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.project import reading, sight
from reviewer.services.project.session import Session, set_blind
from reviewer.services.project.sight import hidden_now
from reviewer.services.queues import bulk_acts, making, profiles
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


TOLD = "ZQX what a judge said"
OWN = {"auto_score": TOLD, "judge": {"deep": [{"why": TOLD}]}}


def foreign(number: int) -> dict[str, object]:
    """A record with fields of a tool's own at every depth."""
    call = {"id": "1", "name": "look", "arguments": {"where": "pool"}} | OWN
    part = {"type": "text", "text": "It is open."} | OWN
    said = {"role": "assistant", "content": [part], "tool_calls": [call]} | OWN
    matched = {"row": 3, "question": "Pool?", "verdict": TOLD}
    return record(
        number,
        messages=[{"role": "user", "content": "Pool?"}, said],
        sources=[{"id": "s", "text": "Open daily."} | OWN],
        feedback=[{"value": "down", "comment": TOLD}],
        meta={"score": TOLD, "matched": matched},
        **OWN,
    )


def test_of_a_hidden_record_only_the_conversation_is_seen_at_any_depth(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review", evaluations=[foreign(1)])
    with closing(Session.open(path, "lea")) as session:
        before = reading.view(session, 1)
        assert TOLD not in repr(before)
        seen = before.evaluation
        assert seen.rest == {"meta": {"matched": {"row": 3, "question": "Pool?"}}}
        call = seen.messages[1].tool_calls[0]
        assert (call.name, call.arguments) == ("look", {"where": "pool"})
        assert (seen.messages[1].text, seen.sources[0].text) == ("It is open.", "Open daily.")
        for metric in ("relevance", "accuracy", "safety"):
            entering.commit(session, 1, metric, 3)
        after = reading.again(session, before)
        assert after.evaluation == reading.view(session, 1).evaluation
        assert after.evaluation.rest["auto_score"] == TOLD
        assert after.evaluation.messages[1].tool_calls[0].rest == OWN
        assert after.evaluation.feedback is not None


def test_window_and_package_show_the_same_of_a_record(tmp_path: Path) -> None:
    fields = foreign(1) | {"run": "r", "candidates": [{"id": "a", "response": "Yes."} | OWN]}
    bare = build_project(tmp_path / "bare.review", evaluations=[sight.seen_fields(fields)],
                         runs=("r",))  # fmt: skip
    whole = build_project(tmp_path / "whole.review", evaluations=[fields], runs=("r",))
    shown = []
    for path in (bare, whole):
        with closing(Session.open(path, "lea")) as session:
            shown.append(reading.view(session, 1).evaluation)
    assert shown[0] == shown[1]


PLANS: dict[str, dict[str, Any]] = {
    "all": {},
    "some": {"sampling": Sampling.RANDOM, "n": 3},
    "rooms": {"filter_text": "category:policies OR tag:refund"},
    "low": {"filter_text": "auto:accuracy<=2"},
    "open": {"filter_text": "-category:policies labeler:lea"},
    "known": {"filter_text": "tag:go*"},
    "of low": {"filter_text": "queue:low"},
    "strata": {"sampling": Sampling.STRATIFIED, "n": 4, "stratify": "auto:accuracy"},
    "picked": {"sampling": Sampling.CHOSEN, "keys": (1, 2)},
}
PLAIN = {"all", "some", "rooms"}


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    """A blind project whose lead drew queues for bo in several ways."""
    records = [judged(n) | {"tags": ["refund", "gold"]} for n in range(1, 13)]
    path = build_project(tmp_path / "q.review", evaluations=records)
    with closing(Session.open(path, "lea")) as lead:
        for name in ("lea", "bo"):
            profiles.add(lead, name)
        profiles.change(lead, "lea", role="lead")
        for number in range(1, 13):
            entering.commit(lead, number, "safety", 3)
        for name, plan in PLANS.items():
            making.create(lead, QueuePlan(name=name, labelers=("bo",), **plan))
    return path


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("form", ["queue:{}", "-queue:{}", "category:policies OR queue:{}"])
def test_a_queue_that_was_drawn_by_scores_is_no_filter(queued: Path, name: str, form: str) -> None:
    words = form.format(f'"{name}"')
    with closing(Session.open(queued, "bo")) as session:
        if name in PLAIN:
            found(session, words)
        else:
            with pytest.raises(FilterError, match=f"the queue '{name}' tells of scores"):
                found(session, words)
        assert listing.build(session, queue=name).total, "the part itself is open"
        session.sees_all = True
        found(session, words)


def test_patterns_of_such_queues_are_refused_and_their_names_not_offered(queued: Path) -> None:
    with closing(Session.open(queued, "bo")) as session:
        for words in ("queue:l*", "queue:*", "queue:*ick*"):
            with pytest.raises(FilterError, match="tells of scores"):
                found(session, words)
        assert found(session, "queue:so*")
        facet = next(x for x in facets.facets(session) if x.field == "queue")
        offered = {x.term.value for x in facets.choices(session, All(), facet)}
        assert offered == PLAIN


def test_every_way_to_draw_is_told_apart() -> None:
    telling = {
        Sampling.DISAGREEMENT, Sampling.ACTIVE, Sampling.UNDECIDED, Sampling.RELEASE,
        Sampling.GOLD, Sampling.CHOSEN,
    }  # fmt: skip
    assert {x.value for x in Sampling} - sight.PLAIN_DRAWS == {x.value for x in telling}


def test_why_something_is_excluded_is_for_leads_until_it_is_answered(queued: Path) -> None:
    with closing(Session.open(queued, "lea")) as lead:
        bulk_acts.exclude(lead, [2], TOLD)
        lead.queue = None
        assert listing.rows(lead, [2])[0].excluded == TOLD
    with closing(Session.open(queued, "bo")) as session:
        assert [x.excluded for x in listing.rows(session, [1, 2])] == [None, ""]
