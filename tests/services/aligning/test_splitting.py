"""The halves of the labels: disjoint, even in every stratum, and for ever."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.judging import Endpoint, Judge, Selection
from reviewer.services.aligning import splitting
from reviewer.services.calls import selecting
from reviewer.services.jobs import trying
from reviewer.services.jobs.launching import Wish
from reviewer.services.judging import prompts
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.store import judging, splits
from tests.building import build_project, record
from tests.services.aligning.judged_projects import said

CATEGORIES = ("amenities", "policies")
people_gave = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from(CATEGORIES)), min_size=1, max_size=60
)


def made(folder: Path, given_values: list[tuple[int, str]], **more: Any) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.review"
    return build_project(
        path,
        evaluations=[
            record(number, category=category, labels=[said(value)], **more)
            for number, (value, category) in enumerate(given_values, start=1)
        ],
    )


def parts_of(session: Session) -> dict[str, str]:
    return {
        session.place(key)[1]: part for key, part in splits.parts(session.project.conn).items()
    }


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=people_gave, seed=st.integers(0, 5))
def test_strata_are_even_and_the_same_labels_are_divided_alike(
    tmp_path: Path, values: list[tuple[int, str]], seed: int
) -> None:
    found = []
    for _ in range(2):
        with closing(Session.open(made(tmp_path, values))) as session:
            sizes = splitting.ensure(session, seed)
            found.append(parts_of(session))
    assert found[0] == found[1]
    assert sizes.dev + sizes.held_out == sizes.added == len(values) == len(found[0])
    assert abs(sizes.dev - sizes.held_out) <= 1
    strata: Counter[tuple[int, str]] = Counter()
    for number, stratum in enumerate(values, start=1):
        strata[stratum] += 1 if found[0][f"c-{number:04}"] == "dev" else -1
    assert set(map(abs, strata.values())) <= {0, 1}


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    levels=st.lists(st.integers(1, 5), min_size=4, max_size=40),
    steps=st.lists(st.integers(1, 40), min_size=1, max_size=4),
)
def test_an_evaluation_keeps_its_part_whatever_labels_come(
    tmp_path: Path, levels: list[int], steps: list[int]
) -> None:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.review"
    build_project(path, evaluations=len(levels))
    with closing(Session.open(path, "Lead")) as session:
        session.blind = False
        known: dict[str, str] = {}
        for end in sorted(set(steps)):
            for number, level in enumerate(levels[:end], start=1):
                entering.commit(session, number, "accuracy", level)
            splitting.ensure(session)
            now = parts_of(session)
            assert known.items() <= now.items()
            assert len(now) == min(end, len(levels))
            counted = Counter(now.values())
            assert abs(counted["dev"] - counted["held_out"]) <= 5
            known = now
        # a changed mind changes no part
        entering.commit(session, 1, "accuracy", 6 - levels[0] if levels[0] != 3 else 5)
        assert splitting.ensure(session).added == 0
        assert parts_of(session) == known


def test_another_seed_divides_otherwise_but_only_once(tmp_path: Path) -> None:
    values = [(number % 5 + 1, "amenities") for number in range(60)]
    found = []
    for seed in (1, 2):
        with closing(Session.open(made(tmp_path, values))) as session:
            splitting.ensure(session, seed)
            found.append(parts_of(session))
            assert splitting.ensure(session).seed == seed
            assert splitting.ensure(session, seed).added == 0
            with pytest.raises(ReviewerError, match=f"seed {seed} and stay so"):
                splitting.ensure(session, 7)
    assert found[0] != found[1]


def test_a_case_and_a_conversation_lie_in_one_part(tmp_path: Path) -> None:
    rows = [
        record(number, run=run, case=f"case {number}", cluster=f"chat {number // 4}",
               labels=[said(number % 5 + 1)])
        for run in ("old", "new")
        for number in range(1, 60)
    ]  # fmt: skip
    path = build_project(tmp_path / "kin.review", evaluations=rows, runs=("old", "new"))
    with closing(Session.open(path)) as session:
        sizes = splitting.ensure(session)
        parts = splits.parts(session.project.conn)
        by_chat: dict[str | None, set[str]] = {}
        for one in splits.kin(session.project.conn):
            by_chat.setdefault(one.cluster, set()).add(parts[one.evaluation])
    assert len(by_chat) == 15
    assert all(len(found) == 1 for found in by_chat.values())
    assert abs(sizes.dev - sizes.held_out) <= 8


def test_a_later_run_of_a_case_goes_where_the_first_is(tmp_path: Path) -> None:
    rows = [
        record(number, run="old", case=f"k{number}", labels=[said(number % 5 + 1)])
        for number in range(1, 21)
    ]
    rows += [record(number, run="new", case=f"k{number}") for number in range(1, 21)]
    path = build_project(tmp_path / "later.review", evaluations=rows, runs=("old", "new"))
    with closing(Session.open(path, "Lead")) as session:
        session.blind = False
        splitting.ensure(session)
        first = splits.parts(session.project.conn)
        for key in range(21, 41):
            entering.commit(session, key, "safety", 3)
        splitting.ensure(session)
        later = splits.parts(session.project.conn)
    assert len(first) == 20
    assert all(later[key + 20] == part for key, part in first.items())


def test_the_filter_language_and_a_selection_know_the_halves(session: Session) -> None:
    sizes = splitting.ensure(session)
    dev = selecting.selected(session, Selection(part="dev"))
    held_out = selecting.selected(session, Selection(part="held_out", only="labelled"))
    assert (len(dev), len(held_out)) == (sizes.dev, sizes.held_out)
    assert not set(dev) & set(held_out)
    assert set(listing.build(session, filter_text="part:held_out").ids) == set(held_out)
    assert set(listing.build(session, filter_text="-part:held_out labeler:1").ids) == set(dev)
    some = Selection(part="dev", keys=(*dev[:3], *held_out[:3]))
    assert list(selecting.selected(session, some)) == list(dev[:3])
    with pytest.raises(ReviewerError, match="part is one of dev, held_out"):
        listing.build(session, filter_text="part:test")


def test_what_is_excluded_or_not_labelled_has_no_part(tmp_path: Path) -> None:
    excluded = {"reason": "broken", "labeler": "ann"}
    rows = [record(1, labels=[said(3)]), record(2), record(3, labels=[said(3)])]
    path = build_project(tmp_path / "some.review", evaluations=rows)
    with closing(Session.open(path, "Lead")) as session:
        with session.project.write() as conn:
            conn.execute(
                "INSERT INTO exclusions(evaluation, reason, seq) VALUES (3, ?, 1)",
                (excluded["reason"],),
            )
        assert splitting.ensure(session).added == 1
        assert set(splits.parts(session.project.conn)) == {1}
        assert splits.parts_of(session.project.conn, [1])[1] in splitting.PARTS
        assert not splits.parts_of(session.project.conn, [2])


def test_nothing_labelled_is_said(tmp_path: Path) -> None:
    with closing(Session.open(build_project(tmp_path / "none.review"))) as session:
        made_none = splitting.ensure(session)
        assert made_none.sentence == "Nothing is labelled yet, so there is nothing to divide."
        assert splitting.ensure(session, 5).seed == 5


def test_nothing_held_out_is_at_hand_while_a_prompt_is_made(session: Session) -> None:
    splitting.ensure(session)
    held_out = set(splits.of_part(session.project.conn, "held_out"))
    at_hand = prompts.at_hand(session, "guest")
    assert at_hand
    assert not held_out & set(at_hand)
    everything = selecting.selected(session, Selection())
    assert held_out & set(everything)
    left = splitting.not_held_out(session, everything)
    assert set(left) == set(everything) - held_out


def test_a_try_of_what_is_held_out_is_refused(session: Session) -> None:
    judging.keep(session.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    wish = Wish(kind="judge", selection=Selection(part="held_out"), judge="careful")
    with pytest.raises(ReviewerError, match="Everything selected is held out"):
        trying.try_five(session, wish, Silent())


def test_two_processes_that_divide_at_once_tear_nothing_apart(session: Session) -> None:
    splitting.ensure(session)
    known = splits.parts(session.project.conn)
    other = {key: part for key, part in known.items() if key % 4}
    # an older state of the file: nothing is stored from it
    assert not splits.add(session.project, other.items(), beside=len(known) - 1)
    assert splits.parts(session.project.conn) == known
