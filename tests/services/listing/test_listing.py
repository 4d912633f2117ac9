"""Queues: what filters find, in which order, what rows show, how progress counts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import FilterError
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.listing.listing import QueueOrder, QueueRow, SavedView
from reviewer.services.project.session import Session
from tests.building import RUBRIC, build_project, record

METRICS = [metric.name for metric in RUBRIC.metrics]


def label(metric: str, labeler: str, value: int | None, **more: Any) -> dict[str, Any]:
    return {"metric": metric, "labeler": labeler, "value": value} | more


def score(metric: str, value: float | str, scorer: str = "judge", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": scorer} | more


RECORDS = (
    record(
        1, tags=["vip", "x"], complexity="high", model="v7", cost_usd=0.02,
        labels=[
            label("accuracy", "ann", 5, comment="fine"), label("accuracy", "bo", 2),
            label("safety", "ann", None, kind="not_applicable"),
        ],
    ),
    record(
        2, category="amenities", tags=["x"], error="Timeout after 30 s",
        labels=[
            label("accuracy", "bo", 1),
            label("accuracy", "lea", 5, kind="adjudication", at="2026-11-02"),
        ],
    ),
    record(
        3, category=None, input='Is "late" check-out 100% free?', response="Ja, für 50 €",
        marks=[{"kind": "highlight", "labeler": "bo", "start": 1, "end": 2}],
    ),
    record(
        4, case="shared", run="other", input=None, response=None, evaluated_at=None,
        scores=[score("accuracy", 4, "judge"), score("accuracy", 1.5, "judge@2")],
        messages=[
            {"role": "user", "content": [{"type": "image", "path": "a.png"}]},
            {"role": "assistant", "content": None,
             "tool_calls": [{"name": "lookup", "arguments": {"room": "zyzzyva"}}]},
            {"role": "tool", "content": "found"},
        ],
    ),
    record(5, case="shared", run="other", scores=[score("accuracy", 3), score("safety", 3)]),
)  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path = build_project(
        tmp_path_factory.mktemp("queues") / "a.review",
        evaluations=[dict(fields) for fields in RECORDS],
        runs=("agent v7", "other"),
    )
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        yield session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "small.review"), "ann")) as session:
        yield session


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [1, 2, 3, 4, 5]),
        ("category:amenities", [2]),
        ("category:p*", [1, 4]),
        ('category:"p*"', []),
        ("-category:amenities", [1, 3, 4, 5]),
        ("category!=amenities", [1, 3, 4, 5]),
        ("run:other", [4, 5]),
        ('run:"agent v7"', [1, 2, 3]),
        ("run:agent*", [1, 2, 3]),
        ("tag:x -tag:vip", [2]),
        ("id:c-0003", [3]),
        ("id:*-0003 OR id:c-0001", [1, 3]),
        ("case:shared", [4, 5]),
        ("case:c-0001", [1]),
        ("model:v7 complexity:high", [1]),
        ("error:timeout", [2]),
        ("has:error", [2]),
        ("-has:error", [1, 3, 4, 5]),
        ("has:comment", [1]),
        ("has:highlight", [3]),
        ("has:tools", [4]),
        ("has:image", [4]),
        ("latency>=300", [3, 4, 5]),
        ("latency!=300", [1, 2, 4, 5]),
        ("cost>0.01", [1]),
        ("cost<9", [1]),
        ("turns>2", [4]),
        ("date=2026-11-03", [2]),
        ("date!=2026-11-03", [1, 3, 5]),
        ("date>2026-11-03", [3, 5]),
        ("date>=2026-11-03 date<2026-11-06", [2, 3]),
        ("date<=2026-11-02", [1]),
        ("date:2026-11", [1, 2, 3, 5]),
        ("date:2027", []),
        ("labeler:1", [1, 2]),
        ("labeler:2", [1]),
        ("labeler:0", [1, 2, 3, 4, 5]),
        ("labeler=0", [3, 4, 5]),
        ("labeler<2", [2, 3, 4, 5]),
        ("labeler<=1", [2, 3, 4, 5]),
        ("labeler!=1", [1, 3, 4, 5]),
        ("labeler:bo", [1, 2]),
        ('labeler:"nobody"', []),
        ("auto:accuracy>=4", [2, 3, 4]),
        ("auto:accuracy=3", [1, 5]),
        ("auto:accuracy!=3", [2, 3, 4]),
        ("auto:accuracy>-100", [1, 2, 3, 4, 5]),
        ("human:accuracy=3.5", [1]),
        ("human:accuracy=5", [2]),
        ("gap:accuracy>0", [1, 2]),
        ("gap:accuracy=0.5", [1]),
        ("|gap|:accuracy>0.5", [2]),
        ("gap:safety>-9", []),
        ("gap>0", [1, 2]),
        ("gap>=0.3", [2]),
        ("-gap>0", [3, 4, 5]),
        ("pool", [1, 2, 5]),
        ("POO", [1, 2, 5]),
        ('"pool bar"', [1, 2, 5]),
        ('"bar pool"', []),
        ("po", []),
        ("zyzz", [4]),
        ("found lookup", [4]),
        ('late"', None),
        ('text:"late check"', [3]),
        ("100%", [3]),
        ("fur", [3]),
        ("c-0002", [2]),
        ('"AND" OR pool*', [1, 2, 5]),
        ("pool -state:partial", [2, 5]),
        ("state:partial", [1]),
        ("state:new", [2, 3, 4, 5]),
    ],
)
def test_filters_find(shared: Session, text: str, found: list[int] | None) -> None:
    if found is None:
        with pytest.raises(FilterError):
            listing.build(shared, filter_text=text)
    else:
        assert list(listing.build(shared, filter_text=text).ids) == found


def test_an_unknown_metric_is_named(shared: Session) -> None:
    for text in ("auto:tone<3", "human:tone=1", "gap:tone>1"):
        with pytest.raises(FilterError, match=r"tone.*accuracy"):
            listing.build(shared, filter_text=text)
    with pytest.raises(FilterError, match="2026-02-31"):
        listing.build(shared, filter_text="date>2026-02-31")


@given(st.text(st.sampled_from("ab:<>=|\"()-\\ OR*'%_;gap12.\x00{}^é文"), max_size=20))
def test_no_text_breaks_the_search(shared: Session, text: str) -> None:
    try:
        listing.build(shared, filter_text=text)
    except FilterError:
        return


@given(st.text(max_size=20).filter(lambda text: any(map(str.isalnum, text))))
def test_a_quoted_text_is_never_an_operator(shared: Session, text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    listing.build(shared, filter_text=f'text:"{escaped}"')


def test_days_begin_in_the_projects_time_zone(session: Session) -> None:
    found = listing.build(session, filter_text="date:2026-11-02")
    assert list(found.ids) == [1]
    session.project.set_setting("time_zone", "Pacific/Kiritimati")
    assert list(listing.build(session, filter_text="date:2026-11-03").ids) == [1]


def test_while_blind_filters_and_orders_on_scores_are_off(session: Session) -> None:
    for text in ("gap>1", "auto:accuracy<3", "pool -human:accuracy=5", "|gap|:accuracy>1"):
        with pytest.raises(FilterError, match="blind"):
            listing.build(session, filter_text=text)
    with pytest.raises(FilterError, match="order"):
        listing.build(session, order=QueueOrder.GAP)
    session.blind = False
    listing.build(session, filter_text="gap>1", order=QueueOrder.GAP)


def test_other_peoples_comments_and_highlights_cannot_be_found_blind(session: Session) -> None:
    entering.comment(session, 1, "accuracy", "odd")
    entering.highlight(session, 2, entering.Stretch(None, 0, 3))
    assert list(listing.build(session, filter_text="has:comment OR has:highlight").ids) == [1, 2]
    session.set_labeler("bo")
    assert list(listing.build(session, filter_text="has:comment OR has:highlight").ids) == []
    session.blind = False
    assert list(listing.build(session, filter_text="has:comment OR has:highlight").ids) == [1, 2]


def test_orders(shared: Session) -> None:
    found = {order: list(listing.build(shared, order=order).ids) for order in QueueOrder}
    assert found[QueueOrder.FILE] == [1, 2, 3, 4, 5]
    assert found[QueueOrder.NEWEST] == [5, 3, 2, 1, 4]
    assert found[QueueOrder.OLDEST] == [1, 2, 3, 5, 4]
    assert found[QueueOrder.CATEGORY] == [2, 5, 1, 4, 3]
    assert found[QueueOrder.GAP] == [2, 1, 3, 4, 5]
    assert sorted(found[QueueOrder.RANDOM]) == [1, 2, 3, 4, 5]
    assert list(listing.build(shared, run="other").ids) == [4, 5]


def test_the_random_order_is_the_labelers_own_and_stays(tmp_path: Path) -> None:
    path = build_project(tmp_path / "many.review", evaluations=200)
    with closing(Session.open(path, "ann")) as session:
        first = list(listing.build(session, order=QueueOrder.RANDOM).ids)
        assert first == list(listing.build(session, order=QueueOrder.RANDOM).ids)
        part = listing.build(session, order=QueueOrder.RANDOM, filter_text="category:policies")
        members = set(part.ids)
        assert list(part.ids) == [key for key in first if key in members]
        session.set_labeler("bo")
        assert first != list(listing.build(session, order=QueueOrder.RANDOM).ids) != sorted(first)


def test_unlabelled_first_puts_what_is_settled_last(session: Session) -> None:
    for name in METRICS:
        entering.commit(session, 1, name, 3)
    entering.commit(session, 2, "accuracy", 3)
    entering.toggle_skip(session, 3)
    found = list(listing.build(session, order=QueueOrder.UNLABELLED_FIRST).ids)
    assert found == [2, *range(4, 13), 1, 3]


@pytest.mark.parametrize(
    ("text", "order", "reason"),
    [
        ("", QueueOrder.FILE, "browse"),
        ("", QueueOrder.RANDOM, "random"),
        ("category:policies", QueueOrder.RANDOM, "stratum"),
        ("category:policies", QueueOrder.FILE, "browse"),
        ("category:policies pool", QueueOrder.RANDOM, "search"),
        ("state:open", QueueOrder.RANDOM, "browse"),
    ],
)
def test_a_queue_knows_how_it_chose(
    session: Session, text: str, order: QueueOrder, reason: str
) -> None:
    assert listing.build(session, filter_text=text, order=order).reason == reason


def test_rows_show_the_gap_only_after_the_reveal(session: Session) -> None:
    for name in METRICS:
        entering.commit(session, 1, name, 5)
    entering.commit(session, 2, "accuracy", 1)
    entering.toggle_flag(session, 2)
    entering.toggle_skip(session, 3)
    with session.project.write() as conn:
        conn.execute("UPDATE evaluations SET hidden = 1 WHERE id = 4")
    found = listing.rows(session, [3, 4, 1, 2])
    assert [(x.key, x.state, x.flagged, x.hidden) for x in found] == [
        (3, "skipped", False, True), (1, "done", False, False), (2, "partial", True, True),
    ]  # fmt: skip
    assert found[1] == QueueRow(
        key=1, id="c-0001", title="Question 1: is the pool heated?", category="policies",
        run="agent v7", state="done", flagged=False, hidden=False, gap=2.0,
    )  # fmt: skip
    assert [found[0].gap, found[2].gap] == [None, None]
    session.blind = False
    # auto 3, 4, 5 with a label 1 instead of the 4
    assert listing.rows(session, [2])[0].gap == pytest.approx(-1)


def test_progress_follows_labels_marks_undo_and_other_windows(session: Session) -> None:
    queue = listing.build(session, filter_text="category:policies")
    assert list(queue.ids) == [1, 4, 7, 10]

    def counts() -> tuple[int, ...]:
        found = listing.progress(session, queue)
        return (found.total, found.done, found.partial, found.skipped, found.flagged)

    assert counts() == (4, 0, 0, 0, 0)
    entering.commit(session, 1, "accuracy", 3)
    entering.commit(session, 2, "accuracy", 3)
    assert counts() == (4, 0, 1, 0, 0)
    entering.toggle_skip(session, 4)
    entering.toggle_flag(session, 1)
    assert counts() == (4, 0, 1, 1, 1)
    with closing(Session.open(session.project.path, "ann")) as other:
        for name in METRICS:
            entering.commit(other, 1, name, 4)
    assert counts() == (4, 1, 0, 1, 1)
    undo.undo(session)
    assert counts() == (4, 0, 1, 1, 1)
    session.set_labeler("bo")
    assert counts() == (4, 0, 0, 0, 0)
    session.set_labeler("ann")
    assert counts() == (4, 0, 1, 1, 1)


def test_time_left_needs_a_pace(session: Session) -> None:
    queue = listing.build(session)
    assert listing.progress(session, queue).seconds_left is None


def test_saved_views_are_kept_in_the_project(session: Session) -> None:
    bad, newest = SavedView("category:policies flag", QueueOrder.FILE), QueueOrder.NEWEST
    listing.save_view(session, " bad ones ", "category:policies", newest)
    listing.save_view(session, "all", "", newest)
    listing.save_view(session, "bad ones", bad.words, bad.order)
    with closing(Session.open(session.project.path, "bo")) as other:
        saved = {"all": SavedView("", newest), "bad ones": bad}
        assert listing.saved_views(other) == saved
        listing.delete_view(other, "all")
    assert list(listing.saved_views(session)) == ["bad ones"]
    with pytest.raises(FilterError):
        listing.save_view(session, "broken", "category:", newest)
    with pytest.raises(FilterError, match="name"):
        listing.save_view(session, "  ", "flag", newest)


def test_the_first_of_a_queue_are_its_beginning(shared: Session) -> None:
    for order in QueueOrder:
        every = listing.build(shared, order=order)
        some = listing.build(shared, order=order, first=2)
        assert list(every.ids)[: len(some.ids)] == list(some.ids)
        assert some.whole == (len(some.ids) == len(every.ids))
        assert every.whole
    assert listing.build(shared, first=6).whole
    assert listing.build(shared, first=2).total == 2
