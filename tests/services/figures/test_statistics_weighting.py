"""Labels chosen by the judge's scores give the figures of all evaluations, and say so."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.statistics_words import BY_CHANCE, left_out_note, none_drawn_note
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.stats.passfail import NO_LABEL
from reviewer.store.project import Project
from tests.building import build_project
from tests.services.figure_projects import MIXED, SCOPE, SIMPLE, case, label, score

PASSED, FAILED = 4, 2
CELLS = {(FAILED, FAILED): 105, (PASSED, FAILED): 45, (FAILED, PASSED): 42, (PASSED, PASSED): 808}
"""By the judge's and the person's score: 1,000 evaluations, catch rate .70, kappa .656."""


def cases(labels: dict[tuple[int, int], int], **more: Any) -> list[dict[str, Any]]:
    """Make the judged evaluations, and label so many of each cell."""
    numbers, made = count(), []
    for (auto, human), size in CELLS.items():
        for place in range(size):
            given = [label("a", human, **more)] if place < labels[auto, human] else []
            made.append(case(next(numbers), [score("a", auto)], given))
    return made


def document(path: Path, made: list[dict[str, Any]]) -> StatsDocument:
    build_project(path, evaluations=made, rubric=SIMPLE)
    with Project.open(path) as project:
        return compute(project, StatsRequest(scope=SCOPE))


# 50 labels of each verdict, in the proportions of the whole
HALVES = {(FAILED, FAILED): 36, (FAILED, PASSED): 14, (PASSED, FAILED): 3, (PASSED, PASSED): 47}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "weighted.review"


def test_labels_of_both_verdicts_alike_are_weighted(path: Path) -> None:
    found = document(path, cases(HALVES, selection_reason="stratum"))
    raw = 36 / 39
    caught, missed = 147 * 36 / 50, 853 * 3 / 50
    figures, one = found.passing.figures, found.metrics["a"].judge_human
    assert raw == pytest.approx(0.923, abs=0.001)
    assert figures["catch_rate"] == pytest.approx(caught / (caught + missed))
    assert figures["catch_rate"] is not None
    interval = found.passing.intervals["catch_rate"]
    assert interval.low < figures["catch_rate"] < interval.high < raw
    assert figures.n == one.n == 100
    # what the judge's verdict is worth does not depend on how many of it were labelled
    assert (figures["precision"], figures["npv"]) == pytest.approx((36 / 50, 47 / 50))
    assert one["percent"] == pytest.approx((147 * 36 + 853 * 47) / 50 / 1000)
    assert one["bias"] == pytest.approx((147 * 14 - 853 * 3) / 50 / 1000 * 2)
    low, high = one.intervals["kappa"].low, one.intervals["kappa"].high
    assert one["kappa_se"] == pytest.approx((high - low) / 2 / 1.96, rel=0.1)
    for name in ("kappa", "ac1", "kappa_quadratic", "percent", "icc", "pearson", "bias", "mae"):
        ends = one.intervals[name]
        assert ends.low < (one[name] or 0.0) < ends.high, name
    assert one.note is not None
    assert found.passing.note is not None
    assert "share" in one.note
    table = found.metrics["a"].confusion.table
    assert sum(map(sum, table)) == pytest.approx(100)
    assert table[1][1] == pytest.approx(100 * 147 / 1000 * 36 / 50)
    assert found.to_json()["pass"]["note"] == found.passing.note


def test_labels_in_the_judges_own_proportions_give_what_the_whole_gives(path: Path) -> None:
    everything = document(path, cases(CELLS, selection_reason="stratum"))
    one = everything.metrics["a"].judge_human
    assert one["kappa"] == pytest.approx(0.65599, abs=1e-5)
    assert everything.passing.figures["catch_rate"] == pytest.approx(0.70)


@pytest.mark.parametrize("way", ["random", "browse", "search", "imported", "disputed", "active"])
def test_other_labels_count_alike(path: Path, way: str) -> None:
    """Where chance drew none, all count; what somebody chose is marked, and what nobody knows."""
    found = document(path, cases(HALVES, selection_reason=way))
    one = found.metrics["a"].judge_human
    assert found.passing.figures["catch_rate"] == pytest.approx(36 / 39)
    assert one["kappa_se"] is not None
    assert (one.n, one.n_chosen, found.passing.n_chosen) == (100, 0, 0)
    if way in ("random", "imported"):
        assert (one.note, found.passing.note) == (None, None)
    else:
        assert one.note == found.passing.note == none_drawn_note(100)
    assert one.n_unknown == (100 if way == "imported" else 0)


def test_a_verdict_without_labels_leaves_the_rates_undefined(path: Path) -> None:
    labels = {**HALVES, (PASSED, FAILED): 0, (PASSED, PASSED): 0}
    found = document(path, cases(labels, selection_reason="stratum"))
    figures = found.passing.figures
    assert (figures["catch_rate"], figures["specificity"], figures["mcc"]) == (None, None, None)
    assert found.passing.undefined["catch_rate"] == NO_LABEL.format("passes")
    assert figures["precision"] == pytest.approx(36 / 50)
    note = found.metrics["a"].judge_human.note
    assert note is not None
    assert note.endswith("where the judge gave 4.")


def test_one_label_that_chance_drew_leaves_the_chosen_ones_out(path: Path) -> None:
    made = cases(HALVES, selection_reason="browse")
    made[0]["labels"][0]["selection_reason"] = "stratum"
    found = document(path, made)
    one = found.metrics["a"].judge_human
    assert (one.n, one.n_chosen) == (1, 99)
    assert (found.passing.figures.n, found.passing.n_chosen) == (1, 99)
    assert one.note is not None
    assert left_out_note(99) in one.note


def test_probabilities_that_are_known_weigh_as_the_shares_do(path: Path) -> None:
    share = {PASSED: 50 / 853, FAILED: 50 / 147}
    made = cases(HALVES, selection_reason="stratum")
    for one in made:
        for given in one["labels"]:
            given["selection_prob"] = share[one["scores"][0]["value"]]
    by_chance = document(path, made)
    path.unlink()
    by_level = document(path, cases(HALVES, selection_reason="stratum"))
    found, other = (x.metrics["a"].judge_human for x in (by_chance, by_level))
    assert found.note == BY_CHANCE
    for name in ("kappa", "percent", "ac1", "bias", "icc"):
        assert found[name] == pytest.approx(other[name]), name
        ends, others = found.intervals[name], other.intervals[name]
        assert (ends.low, ends.high) == pytest.approx((others.low, others.high)), name
    assert by_chance.passing.figures["catch_rate"] == pytest.approx(
        by_level.passing.figures["catch_rate"]
    )
    # the gaps of the preset are plain means, whatever the chances
    assert by_chance.metrics["a"].gaps.deviations.gap_mean == pytest.approx((14 - 3) / 100 * 2)


def test_a_scale_without_levels_is_not_weighted_and_says_so(path: Path) -> None:
    made = [
        case(n, [score("share", 1 + n % 4)], [label("share", 2.5, selection_reason="stratum")])
        for n in range(12)
    ]
    build_project(path, evaluations=made, rubric=MIXED)
    with Project.open(path) as project:
        found = compute(project, StatsRequest(scope=SCOPE)).metrics["share"].judge_human
    assert found.note is not None
    assert "no levels" in found.note


def test_means_of_labels_between_levels_are_weighted_too(path: Path) -> None:
    made = cases(HALVES, selection_reason="stratum")
    for one in made:
        one["labels"] += [{**x, "labeler": "bo", "value": x["value"] + 1} for x in one["labels"]]
    found = document(path, made).metrics["a"].judge_human
    assert found.n == 100
    assert found["bias"] == pytest.approx((147 * 14 - 853 * 3) / 50 / 1000 * 2 + 0.5)
    for name in ("bias", "pearson", "kendall_b", "icc"):
        assert found.intervals[name].low < (found[name] or 0.0) < found.intervals[name].high


def test_the_live_figures_are_weighted_alike(path: Path) -> None:
    block = document(path, cases(HALVES, selection_reason="stratum")).metrics["a"]
    session = Session.open(path, "cy")
    live = LiveFigures(session, load_tallies(path, SCOPE, Hidden("cy", blind=True)))
    found = live.metric("a")
    session.close()
    assert found is not None
    assert found.kappa == pytest.approx(block.judge_human["kappa_quadratic"])
    ends = block.judge_human.intervals["kappa_quadratic"]
    assert found.kappa_interval == (ends.low, ends.high)
