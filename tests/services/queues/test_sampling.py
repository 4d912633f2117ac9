"""Drawing: the recorded chances are true, the same seed draws the same, and reasons fit."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.errors import FilterError, QueueError, ReviewerError
from reviewer.services.project.session import Session
from reviewer.services.queues import recipes
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.queues.sampling import Drawn, draw
from tests.building import build_project, record


def plan(**fields: Any) -> QueuePlan:
    return QueuePlan(**{"name": "q"} | fields)


def score(metric: str, value: float, scorer: str = "judge", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": scorer} | more


def records() -> list[dict[str, Any]]:
    """30 of category a, 9 of b and one of c, dated over November."""
    made = []
    for number in range(1, 41):
        category = "a" if number <= 30 else "b" if number <= 39 else None
        made.append(
            record(
                number,
                category=category,
                run="first" if number <= 25 else "second",
                case=f"case {number % 25}",
                evaluated_at=f"2026-11-{min(number, 28):02}T12:00:00Z",
            )
        )
    return made


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path = build_project(
        tmp_path_factory.mktemp("sampling") / "a.review",
        evaluations=records(),
        runs=("first", "second"),
    )
    with closing(Session.open(path, "ann")) as opened:
        yield opened


@pytest.mark.parametrize(
    "asked",
    [
        {"sampling": Sampling.RANDOM, "n": 7},
        {"sampling": Sampling.STRATIFIED, "n": 8},
        {"sampling": Sampling.STRATIFIED, "n": 8, "allocation": "equal"},
        {"sampling": Sampling.STRATIFIED, "n": 9, "stratify": "run", "allocation": "equal"},
        {"sampling": Sampling.STRATIFIED, "n": 11, "stratify": "auto:accuracy"},
        {"sampling": Sampling.STRATIFIED, "n": 2, "allocation": "equal"},
        {"sampling": Sampling.RECENT, "n": 4, "days": 10},
        {"sampling": Sampling.ACTIVE, "n": 10, "metric": "accuracy"},
    ],
    ids=lambda asked: "-".join(str(x) for x in asked.values()),
)
def test_the_recorded_chance_is_the_share_of_seeds_that_draw_it(
    session: Session, asked: dict[str, Any]
) -> None:
    tries = 400
    met: Counter[int] = Counter()
    chances: dict[int, float] = {}
    for seed in range(tries):
        found = draw(session, plan(seed=seed, **asked))
        assert found == draw(session, plan(seed=seed, **asked))
        met.update(found.keys)
        for key, chance in zip(found.keys, found.chances, strict=True):
            assert chance is not None
            assert 0 < chance <= 1
            assert chances.setdefault(key, chance) == pytest.approx(chance)
    for key, chance in chances.items():
        # five standard errors: one false alarm in two million
        assert abs(met[key] / tries - chance) <= 5 * np.sqrt(chance * (1 - chance) / tries) + 1e-9
    assert sum(chances.values()) == pytest.approx(asked["n"], abs=1e-6) or asked["n"] == 2


def test_strata_tell_what_was_drawn(session: Session) -> None:
    def counts(found: Drawn) -> list[tuple[str, int, int]]:
        return [(x.name, x.population, x.drawn) for x in found.strata]

    even = draw(session, plan(sampling=Sampling.STRATIFIED, n=9, allocation="equal"))
    assert counts(even) == [("a", 30, 4), ("b", 9, 4), ("without a category", 1, 1)]
    fair = draw(session, plan(sampling=Sampling.STRATIFIED, n=20))
    assert counts(fair) == [("a", 30, 15), ("b", 9, 4), ("without a category", 1, 1)]
    few = draw(session, plan(sampling=Sampling.STRATIFIED, n=2))
    assert sum(x.drawn for x in few.strata) == 2
    runs = draw(session, plan(sampling=Sampling.STRATIFIED, n=40, stratify="run"))
    assert counts(runs) == [("first", 25, 25), ("second", 15, 15)]
    assert set(runs.chances) == {1.0}
    with pytest.raises(QueueError, match="tone"):
        draw(session, plan(sampling=Sampling.STRATIFIED, n=4, stratify="auto:tone"))
    with pytest.raises(QueueError, match="colour"):
        draw(session, plan(sampling=Sampling.STRATIFIED, n=4, stratify="colour"))


@pytest.mark.parametrize(
    ("words", "sampling", "reason", "known"),
    [
        ("", Sampling.ALL, "random", True),
        ("", Sampling.RANDOM, "random", True),
        ("run:second", Sampling.RANDOM, "random", True),
        ("category:a", Sampling.RANDOM, "stratum", True),
        ("auto:accuracy<3", Sampling.RANDOM, "stratum", True),
        ("pool", Sampling.RANDOM, "search", False),
        ("state:open", Sampling.RANDOM, "browse", False),
        ("", Sampling.STRATIFIED, "stratum", True),
        ("pool", Sampling.STRATIFIED, "search", False),
        ("", Sampling.NEWEST, "browse", False),
        ("", Sampling.RECENT, "stratum", True),
        ("", Sampling.UNDECIDED, "disputed", False),
    ],
)
def test_reasons_say_how_evaluations_were_chosen(
    session: Session, words: str, sampling: Sampling, reason: str, known: bool
) -> None:
    n = None if sampling is Sampling.ALL else 5
    found = draw(session, plan(filter_text=words, sampling=sampling, n=n))
    assert found.keys
    assert found.reason == reason
    assert all((chance is not None) is known for chance in found.chances)


def test_newest_recent_and_chosen(session: Session) -> None:
    newest = draw(session, plan(sampling=Sampling.NEWEST, n=3))
    assert newest.keys == (28, 29, 30)
    recent = draw(session, plan(sampling=Sampling.RECENT, n=50, days=3))
    assert recent.population == 15
    assert set(recent.keys) == set(range(26, 41))
    filtered = draw(
        session, plan(sampling=Sampling.RECENT, n=50, filter_text="category:a OR category:b")
    )
    assert set(filtered.keys) == set(range(19, 40))
    earlier = draw(session, plan(sampling=Sampling.RECENT, n=50, days=3, until="2026-11-10"))
    assert set(earlier.keys) == {8, 9, 10}
    chosen = draw(session, plan(sampling=Sampling.CHOSEN, keys=(9, 3, 9, 999)))
    assert chosen.keys == (9, 3)
    assert "1 of the chosen" in chosen.note


def test_of_the_last_days_only_what_can_count(tmp_path: Path) -> None:
    label = {"metric": "accuracy", "labeler": "bo", "value": 3}
    days = [record(n, evaluated_at=f"2026-11-0{n}T12:00:00Z") for n in range(1, 6)]
    made = [
        days[0], days[1],
        days[2] | {"scores": []},
        days[3] | {"excluded": {"reason": "too_few_words"}},
        days[4] | {"labels": [label]},
    ]  # fmt: skip
    path = build_project(tmp_path / "a.review", evaluations=made)
    with closing(Session.open(path, "ann")) as session:
        asked = {"sampling": Sampling.RECENT, "n": 10, "days": 4, "until": "2026-11-05"}
        assert set(draw(session, plan(**asked)).keys) == {2, 3, 5}
        found = draw(session, plan(**asked, unlabelled=True))
        assert (found.keys, found.chances, found.reason) == ((2,), (1.0,), "stratum")


def test_fewer_than_asked_are_all(session: Session) -> None:
    found = draw(session, plan(sampling=Sampling.RANDOM, n=500))
    assert len(found.keys) == 40
    assert set(found.chances) == {1.0}
    nothing = draw(session, plan(sampling=Sampling.RANDOM, n=5, filter_text="category:zzz"))
    assert nothing.keys == ()
    assert draw(session, plan(sampling=Sampling.STRATIFIED, n=5, filter_text="id:zz")).keys == ()
    with pytest.raises(QueueError, match="date"):
        draw(session, plan(sampling=Sampling.RECENT, n=5, filter_text="category:zzz"))


def test_disagreement_with_another_judge_or_run(tmp_path: Path) -> None:
    made = [
        record(
            n, case=f"k{n}", run="new",
            scores=[score("accuracy", 3), score("accuracy", other, "second")],
        )
        for n, other in ((1, 3), (2, 5), (3, 2))
    ]  # fmt: skip
    made += [
        record(n + 10, case=f"k{n}", run="old", scores=[score("accuracy", value)])
        for n, value in ((1, 1), (2, 3), (3, 4))
    ]
    path = build_project(tmp_path / "a.review", evaluations=made, runs=("old", "new"))
    with closing(Session.open(path, "ann")) as opened:
        judge = plan(sampling=Sampling.DISAGREEMENT, other="second", filter_text="run:new")
        assert draw(opened, judge).keys == (2, 3)
        record_itself = plan(sampling=Sampling.DISAGREEMENT, other="judge", filter_text="run:new")
        assert draw(opened, record_itself).keys == ()
        runs = plan(
            sampling=Sampling.DISAGREEMENT, other="old", other_is_run=True, filter_text="run:new"
        )
        apart = draw(opened, runs)
        assert 1 in apart.keys
        assert apart.reason == "disputed"
        for other, is_run in (("nobody", False), ("nowhere", True)):
            with pytest.raises(QueueError, match=other):
                draw(
                    opened,
                    plan(sampling=Sampling.DISAGREEMENT, other=other, other_is_run=is_run),
                )


def test_versions_of_a_judge_are_never_mixed(tmp_path: Path) -> None:
    made = [
        record(
            n, scores=[score("accuracy", 3), score("accuracy", 3, "other", scorer_version="1"),
                       *([score("accuracy", 5, "other", scorer_version="2")] if n > 1 else [])],
        )
        for n in (1, 2, 3)
    ]  # fmt: skip
    path = build_project(tmp_path / "a.review", evaluations=made)
    with closing(Session.open(path, "ann")) as opened:
        assert recipes.offered(opened).judges == ("judge", "other@1", "other@2")
        named = plan(sampling=Sampling.DISAGREEMENT, other="other@2")
        assert draw(opened, named).keys == (2, 3)
        first = plan(sampling=Sampling.DISAGREEMENT, other="other@1")
        assert draw(opened, first).keys == ()
        with pytest.raises(QueueError, match="other has several versions: other@1, other@2"):
            draw(opened, plan(sampling=Sampling.DISAGREEMENT, other="other"))


def test_the_judge_in_doubt(tmp_path: Path) -> None:
    made = [
        record(1, scores=[score("accuracy", 5)]),
        record(2, scores=[score("accuracy", 3)]),
        record(3, scores=[score("accuracy", 4), score("accuracy", 5, at="2026-11-02T00:00:00Z")]),
        record(4, scores=[score("accuracy", 5), score("accuracy", 5, at="2026-11-02T00:00:00Z")]),
    ]
    path = build_project(tmp_path / "a.review", evaluations=made)
    with closing(Session.open(path, "ann")) as opened:
        found = draw(opened, plan(sampling=Sampling.UNDECIDED))
        assert found.keys == (3, 2)


def test_before_a_release_a_third_is_random(session: Session) -> None:
    found = draw(session, plan(sampling=Sampling.RELEASE, n=9))
    assert len(set(found.keys)) == 9
    assert set(found.keys) <= set(range(26, 41))
    drawn = [chance for chance in found.chances if chance is not None]
    assert drawn == [pytest.approx(3 / 15)] * 3
    assert found.reason == "random"


def test_excluded_evaluations_are_never_drawn(tmp_path: Path) -> None:
    with closing(Session.open(build_project(tmp_path / "a.review"), "ann")) as opened:
        with opened.project.write() as conn:
            conn.execute("INSERT INTO exclusions(evaluation, reason, seq) VALUES (2, 'x', 99)")
        assert 2 not in draw(opened, plan()).keys
        assert draw(opened, plan(sampling=Sampling.CHOSEN, keys=(1, 2))).keys == (1,)


def test_only_leads_draw_by_what_the_judge_says(tmp_path: Path) -> None:
    with closing(Session.open(build_project(tmp_path / "a.review"), "ann")) as opened:
        asked = plan(filter_text="auto:accuracy<3")
        assert draw(opened, asked).keys
        with opened.project.write() as conn:
            conn.execute(
                "INSERT INTO labelers(name, role) VALUES ('lea', 'lead'), ('bo', 'labeler')"
            )
        opened.set_labeler("bo")
        for refused in (
            asked,
            plan(sampling=Sampling.UNDECIDED),
            plan(sampling=Sampling.STRATIFIED, n=3, stratify="auto:accuracy"),
        ):
            with pytest.raises(QueueError, match="lead"):
                draw(opened, refused)
        assert draw(opened, plan(sampling=Sampling.STRATIFIED, n=3)).keys
        with pytest.raises(FilterError):
            draw(opened, plan(filter_text="nonsense:1"))


def test_information_needs_a_judge(tmp_path: Path) -> None:
    made = [record(n, scores=[]) for n in range(1, 5)]
    path = build_project(tmp_path / "a.review", evaluations=made)
    with closing(Session.open(path, "ann")) as opened, pytest.raises(ReviewerError):
        draw(opened, plan(sampling=Sampling.ACTIVE, n=3))
