"""A golden set named for a scope: a run, or a tag, whose labels tell the judge's errors."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.stats.clustering import ONE
from reviewer.stats.passfail import NO_FAIL_IN_SET, GoldenSet, rogan_gladen
from tests.services.figure_projects import AS_OF, SIMPLE, again, case, figures, label, score

PASSED, FAILED = 4, 2
CELLS = {(FAILED, FAILED): 9, (PASSED, FAILED): 6, (FAILED, PASSED): 3, (PASSED, PASSED): 82}
"""The golden set of the worked example, by the judge's and the person's score."""
TODAY = {PASSED: 768, FAILED: 132}


def gold(cells: dict[tuple[int, int], int] = CELLS, **more: Any) -> list[dict[str, Any]]:
    return [
        case(f"g{auto}{human}{n}", [score("a", auto)],
             [label("a", human, kind="adjudication")], **more)
        for (auto, human), size in cells.items()
        for n in range(size)
    ]  # fmt: skip


def today(**more: Any) -> list[dict[str, Any]]:
    return [
        case(f"t{auto}{n}", [score("a", auto)], **more)
        for auto, size in TODAY.items()
        for n in range(size)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "golden.review"


def expected() -> tuple[float, float, float]:
    found = rogan_gladen(
        GoldenSet(fails=15, caught=9, passes=85, kept=82), judged_pass=768, judged=900
    )
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


def test_the_worked_example_from_a_tag(path: Path) -> None:
    found = figures(path, gold(tags=["gold"]) + today(), golden="tag:gold")["pass"]
    block = found["golden"]
    assert (block["n_failed"], block["n_caught"], block["n_passed"], block["n_kept"]) == (
        15, 9, 85, 82,
    )  # fmt: skip
    assert (block["n_auto"], block["n_auto_passed"]) == (900, 768)
    mean, low, high = expected()
    assert (round(mean, 3), round(low, 3), round(high, 3)) == (0.803, 0.681, 0.907)
    corrected = block["corrected"]
    assert (corrected["mean"], corrected["low"], corrected["high"]) == (mean, low, high)
    assert corrected["method"] == "rogan_gladen"
    assert block["sentence"] == (
        "On the golden set the judge catches 60 % of 15 failures; allowing for that, the pass "
        "rate is about 80 % (68 % to 91 %)."
    )
    # nobody knows how these labels were chosen, so the golden set alone corrects the rate
    assert found["corrected"] == corrected
    assert "golden" not in again(path)["pass"]


def test_a_run_of_its_own_stays_out_of_what_is_estimated(path: Path) -> None:
    made = gold(run="r1") + today(run="r2")
    only = figures(path, made, golden="r1", scope=Scope(as_of=AS_OF, runs=("r2",)))["pass"]
    both = again(path, golden="r1")["pass"]
    for found in (only, both):
        assert found["golden"]["n_auto"] == 900
        assert found["golden"]["corrected"]["mean"] == expected()[0]
    assert (only["n_auto"], both["n_auto"]) == (900, 1000)


def test_labels_drawn_at_random_correct_the_rate_themselves(path: Path) -> None:
    made = gold(run="r1") + [
        case(f"d{n}", [score("a", 2 * (n % 2 + 1))],
             [label("a", 2 * (n % 2 + 1), selection_reason="random")], run="r2")
        for n in range(40)
    ] + today(run="r2")  # fmt: skip
    found = figures(path, made, golden="r1", scope=Scope(as_of=AS_OF, runs=("r2",)))["pass"]
    assert found["corrected"]["method"] == "post_stratified"
    assert found["golden"]["corrected"]["method"] == "rogan_gladen"


def test_another_judge_says_nothing_of_this_one(path: Path) -> None:
    other = [
        case(f"o{n}", [score("a", FAILED, scorer="other")], [label("a", FAILED)], run="r1")
        for n in range(9)
    ]
    found = figures(
        path, other + today(run="r2"), golden="r1", scope=Scope(as_of=AS_OF, runs=("r2",))
    )["pass"]["golden"]
    assert found["corrected"]["mean"] is None
    assert found["corrected"]["reason"] == (
        "the golden set was judged by other, these evaluations by judge (A)"
    )


def test_the_same_judge_is_taken_where_another_came_later(path: Path) -> None:
    later = {"scorer": "other", "at": "2026-08-20T12:00:00Z"}
    twice = gold(run="r1")
    for one in twice:
        one["scores"] = [one["scores"][0] | {"at": "2026-08-01T12:00:00Z"},
                         score("a", FAILED, **later)]  # fmt: skip
    found = figures(
        path, twice + today(run="r2"), golden="r1", scope=Scope(as_of=AS_OF, runs=("r2",))
    )["pass"]["golden"]
    assert (found["n_caught"], found["n_kept"]) == (9, 82)


def test_a_golden_set_without_failures_is_refused_in_words(path: Path) -> None:
    fine = {(PASSED, PASSED): 12}
    found = figures(path, gold(fine, tags=["gold"]) + today(), golden="tag:gold")["pass"]
    assert found["golden"]["corrected"]["reason"] == NO_FAIL_IN_SET
    assert found["golden"]["undefined"] == {"catch_rate": NO_FAIL_IN_SET}
    assert found["golden"]["sentence"] == "No human-failed item in the golden set."
    assert found["corrected"]["mean"] is None


def test_conversations_of_several_evaluations_widen_the_interval(path: Path) -> None:
    # four alike in every conversation tell what one of them tells
    alike = [
        one | {"id": f"{one['id']} {copy}", "cluster": one["id"]}
        for copy in range(4)
        for one in gold(tags=["gold"]) + today()
    ]
    found = figures(path, alike, golden="tag:gold")["pass"]["golden"]["corrected"]
    assert (found["mean"], found["low"], found["high"]) == pytest.approx(expected(), abs=0.02)
    wide = found["high"] - found["low"]
    apart = [{key: x for key, x in one.items() if key != "cluster"} for one in alike]
    narrow = figures(path.with_name("apart.review"), apart, golden="tag:gold")
    ends = narrow["pass"]["golden"]["corrected"]
    assert wide == pytest.approx(2 * (ends["high"] - ends["low"]), rel=0.05)


def test_one_conversation_gives_no_interval(path: Path) -> None:
    shared = gold(tags=["gold"], cluster="c") + today(cluster="c")
    found = figures(path, shared, golden="tag:gold")["pass"]["golden"]["corrected"]
    assert (found["low"], found["high"], found["reason"]) == (None, None, ONE)


def test_conversations_of_one_evaluation_change_nothing(path: Path) -> None:
    alone = gold(tags=["gold"]) + today()
    for place, one in enumerate(alone):
        one["cluster"] = f"c{place}"
    found = figures(path, alone, golden="tag:gold")["pass"]["golden"]["corrected"]
    assert (found["mean"], found["low"], found["high"]) == pytest.approx(expected())


@pytest.mark.parametrize(
    ("name", "words"),
    [("nothing", "There is no run 'nothing'"), ("tag:", "a run, or tag: and a tag, is expected")],
)
def test_what_is_not_there_is_said(path: Path, name: str, words: str) -> None:
    with pytest.raises(ReviewerError, match=words):
        figures(path, today()[:5], golden=name)


def test_an_unused_tag_is_an_empty_set(path: Path) -> None:
    found = figures(path, today()[:5], SIMPLE, golden="tag:unused")["pass"]["golden"]
    assert (found["n"], found["corrected"]["reason"]) == (0, NO_FAIL_IN_SET)
