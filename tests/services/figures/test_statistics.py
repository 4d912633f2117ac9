"""The rules of counting, one by one, on projects small enough to count by hand."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.figures.statistics_agreement import TOO_MANY_PAIRS
from reviewer.store.project import Project
from reviewer.store.rubrics import packed
from tests.building import build_project
from tests.services.figure_projects import (
    AS_OF,
    LEVELS,
    MIXED,
    SIMPLE,
    again,
    case,
    figures,
    label,
    score,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "figures.review"


def scope(**more: Any) -> Scope:
    given: dict[str, Any] = {"as_of": AS_OF, "every_run": "runs" not in more}
    return Scope(**given | more)


def block(document: dict[str, Any], name: str = "a") -> dict[str, Any]:
    found: dict[str, Any] = document["metrics"][name]
    return found


def judge_human(document: dict[str, Any], name: str = "a") -> dict[str, Any]:
    found: dict[str, Any] = block(document, name)["agreement"]["judge_human"]
    return found


def human_human(document: dict[str, Any], name: str = "a") -> dict[str, Any]:
    found: dict[str, Any] = block(document, name)["agreement"]["human_human"]
    return found


def assert_explained(part: Any, where: str = "document") -> None:
    """Every null has its reason in the nearest place for one, and every number is finite."""
    if isinstance(part, list):
        for place, one in enumerate(part):
            assert_explained(one, f"{where}[{place}]")
    if not isinstance(part, dict):
        return
    missing = {name for name, value in part.items() if value is None} - {"value"}
    if "undefined" in part:
        assert missing == set(part["undefined"]), where
        assert all(part["undefined"].values()), where
    elif "method" in part:
        assert bool(missing) == ("reason" in part), where
    for name, value in part.items():
        if name not in ("options", "filters", "value"):
            assert_explained(value, f"{where}.{name}")


def everything(document: dict[str, Any]) -> None:
    json.dumps(document, allow_nan=False)
    assert_explained(document)


EDGES: dict[str, list[dict[str, Any]]] = {
    "empty": [],
    "no scores": [case(1), case(2)],
    "nothing labelled": [case(n, [score("a", n)]) for n in (1, 2, 3)],
    "one label": [case(1, [score("a", 3)], [label("a", 4)]), case(2, [score("a", 2)])],
    "only people": [case(n, [], [label("a", n), label("b", 2)]) for n in (1, 2, 3)],
    "constant labels": [case(n, [score("a", n % 5 + 1)], [label("a", 4)]) for n in range(12)],
    "constant scores": [case(n, [score("a", 4)], [label("a", n % 5 + 1)]) for n in range(12)],
    "all equal": [case(n, [score("a", 4)], [label("a", 4)]) for n in range(12)],
    "no majority": [
        case(n, [score("a", 4)], [label("a", 4), label("a", 2, "bob")]) for n in range(12)
    ],
    "categories": [
        case(
            n,
            [score("tone", "warm")],
            [label("tone", "warm"), label("tone", ("odd", "warm")[n % 2], "bob")],
        )
        for n in range(12)
    ],
    "open range": [
        case(
            n,
            [score("share", 1 + n / 4), score("length", 12 * n)],
            [label("share", 5 - n / 4), label("share", 3, "bob"), label("share", 2, "cyd")],
        )
        for n in range(12)
    ],
    "many": [
        case(
            n,
            [score("a", n % 5 + 1), score("b", n % 3 + 1), score("reversed", n % 4 + 1)],
            [
                label(name, (n * k) % 5 + 1, who, selection_reason="random")
                for k, who in enumerate(("ann", "bob", "cyd"), 1)
                for name in ("a", "b", "reversed")
                if n % (k + 1)
            ],
        )
        for n in range(40)
    ],
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("preset", ["published", "recommended"])
def test_every_null_has_a_reason_and_no_number_is_nan(path: Path, name: str, preset: str) -> None:
    everything(figures(path, EDGES[name], MIXED, preset=preset))


def test_a_project_without_runs_has_no_figures(path: Path) -> None:
    with (
        Project.create(path) as project,
        pytest.raises(ReviewerError, match="holds no run"),
    ):
        compute(project, StatsRequest())


def test_the_document_names_everything_it_was_made_by(path: Path) -> None:
    found = figures(path, EDGES["one label"], seed=3, level=0.9, preset="recommended")
    assert list(found) == [
        "schema", "project", "rubric", "time_zone", "preset", "options", "as_of", "level",
        "filters", "window", "record", "stale", "metrics", "satisfaction", "trust", "pass",
        "labelers", "runs",
    ]  # fmt: skip
    assert (found["schema"], found["rubric"], found["time_zone"]) == (1, "simple", "UTC")
    assert (found["preset"], found["level"], found["as_of"]) == ("recommended", 0.9, "2026-08-31")
    assert found["options"]["band_gate"] == "any"


def test_the_window_bounds_gaps_but_not_agreement(path: Path) -> None:
    dates = ("2026-02-27T23:59:59Z", "2026-02-28T00:00:00Z", "2026-08-31T23:59:59Z",
             "2026-09-01T00:00:00Z")  # fmt: skip
    cases = [
        case(n, [score("a", 3)], [label("a", 4)], evaluated_at=at) for n, at in enumerate(dates)
    ]
    undated = case(9, [score("a", 3)], [label("a", 4)])
    del undated["evaluated_at"]
    found = figures(path, [*cases, undated])
    assert block(found)["n_labelled"] == 3
    assert (block(found)["n_auto"], block(found)["n_human"]) == (5, 5)
    assert judge_human(found)["n"] == 5
    assert block(again(path, scope=scope(window_months=None)))["n_labelled"] == 4
    assert block(again(path, options=(("window_days", "1"),)))["n_labelled"] == 2


def test_days_are_those_of_the_projects_time_zone(path: Path) -> None:
    cases = [
        case(1, [score("a", 3)], [label("a", 4)], evaluated_at="2026-08-31T23:30:00Z"),
        case(2, [score("a", 3)], [label("a", 4)], evaluated_at="2026-02-27T23:30:00Z"),
    ]
    build_project(path, evaluations=cases, rubric=SIMPLE)
    assert block(again(path))["n_labelled"] == 1
    with Project.open(path) as project:
        project.set_setting("time_zone", "Europe/Berlin")
    found = again(path)
    assert found["time_zone"] == "Europe/Berlin"
    assert block(found)["n_labelled"] == 1
    with Project.open(path) as project:
        project.set_setting("time_zone", "Nowhere/At All")
    with pytest.raises(ReviewerError, match="time zone"):
        again(path)


def test_a_later_entry_replaces_an_earlier_one_and_nothing_comes_back(path: Path) -> None:
    later = "2026-08-02T12:00:00Z"
    cases = [
        case(1, [score("a", 3)], [label("a", 1, at=later), label("a", 5)]),
        case(2, [score("a", 3)], [label("a", 5), label("a", None, kind="withdrawn", at=later)]),
        case(3, [score("a", 3)], [label("a", 5), label("a", None, kind="not_applicable")]),
        case(4, [score("a", 3)], [label("a", 5), label("a", 2, at=None)]),
    ]
    found = figures(path, cases)
    assert (block(found)["n_human"], block(found)["human_mean"]) == (2, 3)
    assert (block(found)["n_higher"], block(found)["n_lower"]) == (1, 1)


def test_a_decision_stands_for_the_labels_also_before_newer_ones(path: Path) -> None:
    decision = label("a", 5, "lead", kind="adjudication", at="2026-07-01T12:00:00Z")
    cases = [case(1, [score("a", 3)], [label("a", 1), label("a", 2, "bob"), decision])]
    found = figures(path, cases)
    assert block(found)["human_mean"] == 5
    assert block(found)["confusion"]["table"][4][2] == 1
    assert human_human(found)["n"] == 1
    assert [(pair["a"], pair["b"]) for pair in found["labelers"]] == [("ann", "bob")]
    only = again(path, scope=scope(labelers=("ann", "lead")))
    assert block(only)["human_mean"] == 1
    assert human_human(only)["labelers"] == 1


def test_blind_only_takes_the_newest_entry_that_is_known_to_be_blind(path: Path) -> None:
    seen = label("a", 5, blind=False, at="2026-08-02T12:00:00Z")
    unknown = label("a", 5)
    del unknown["blind"]
    cases = [case(1, [score("a", 3)], [label("a", 2), seen]), case(2, [score("a", 3)], [unknown])]
    found = figures(path, cases)
    assert (block(found)["human_mean"], block(found)["n_blind"]) == (5, 0)
    only = again(path, scope=scope(blind_only=True))
    assert (block(only)["human_mean"], block(only)["n_labelled"]) == (2, 1)
    assert block(only)["n_blind"] == 1


def test_the_table_holds_every_label_at_the_nearest_levels(path: Path) -> None:
    votes = [label("a", value, who) for value, who in ((5, "ann"), (5, "bob"), (1, "cyd"))]
    tied = [label("a", 1), label("a", 2, "bob")]
    cases = [case(1, [score("a", 2.5)], votes), case(2, [score("a", 4)], tied)]
    found = figures(path, cases)
    confusion = block(found)["confusion"]
    assert confusion["values"] == [1, 2, 3, 4, 5]
    assert confusion["table"][4] == pytest.approx([0, 2 / 3, 0, 0, 0])
    assert confusion["table"][0] == pytest.approx([0, 1 / 3, 0, 1 / 2, 0])
    assert sum(map(sum, confusion["table"])) == pytest.approx(2)
    agreement = judge_human(found)
    assert (agreement["n"], agreement["n_no_majority"], agreement["n_rounded"]) == (2, 1, 1)
    assert agreement["bias"] == pytest.approx(((11 / 3 - 2.5) + (1.5 - 4)) / 2)
    assert agreement["percent"] == 0
    majority = again(path, options=(("label_table", "majority"),))
    confusion, agreement = block(majority)["confusion"], judge_human(majority)
    assert confusion["table"][4] == [0, 1, 0, 0, 0]
    assert sum(map(sum, confusion["table"])) == 1
    assert (agreement["n"], agreement["n_no_majority"], agreement["n_rounded"]) == (2, 1, 1)
    assert agreement["bias"] == pytest.approx(((11 / 3 - 2.5) + (1.5 - 4)) / 2)


def test_evaluations_without_a_majority_are_counted_alike_everywhere(path: Path) -> None:
    """n_human, n and n_no_majority of categories add up, for two labelers and for three."""
    said = [("warm", "warm"), ("warm", "cold"), ("odd", "odd"), ("cold", "odd"), ("warm",)]
    people = ("ann", "bob", "cyd")
    cases = [
        case(
            n,
            [score("tone", "warm")] if n != 3 else [],
            [label("tone", value, who) for value, who in zip(given, people, strict=False)],
        )
        for n, given in enumerate(said)
    ]
    found = figures(path, cases, MIXED)
    block_ = found["metrics"]["tone"]
    judge, among = block_["agreement"]["judge_human"], block_["agreement"]["human_human"]
    assert block_["n_human"] == 5
    assert (judge["n"], judge["n_no_majority"]) == (4, 1)
    assert (among["n"], among["n_no_majority"]) == (4, 2)
    assert judge["percent"] == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    path.unlink()
    cases[1]["labels"].append(label("tone", "cold", "cyd"))
    cases[2]["labels"].append(label("tone", "warm", "cyd"))
    three = figures(path, cases, MIXED)["metrics"]["tone"]["agreement"]
    assert (three["human_human"]["n"], three["human_human"]["n_no_majority"]) == (4, 1)
    assert three["judge_human"]["n_no_majority"] == 0


def test_means_of_people_between_levels_are_in_no_table(path: Path) -> None:
    mean, whole = (label("a", x, "crowd", aggregate=5) for x in (3.4, 4))
    cases = [
        case(1, [score("a", 3)], [mean]),
        case(2, [score("a", 4)], [whole]),
        case(3, [score("a", 5)], [mean, label("a", 5)]),
    ]
    for table in ("each", "majority"):
        found = figures(path, cases, options=(("label_table", table),))
        agreement = judge_human(found)
        rows = block(found)["confusion"]["table"]
        assert agreement["n"] == 3
        # the tie of a mean and a label has no majority
        alone = table == "majority"
        assert agreement["n_no_majority"] == 1
        assert agreement["n_off_level"] == (1 if alone else 2)
        assert sum(map(sum, rows)) == (1 if alone else 2)
        assert agreement["mae"] == pytest.approx((0.4 + 0 + 0.8) / 3)
        path.unlink()


def test_only_the_latest_label_counts_in_the_table_where_asked_for(path: Path) -> None:
    late = [
        label("a", 5),
        label("a", 2, "bob", at="2026-08-02T12:00:00Z"),
        label("a", 4, "cyd", at="2026-08-01T13:00:00Z"),
    ]
    decided = [*late, label("a", 1, "lead", kind="adjudication")]
    cases = [case(1, [score("a", 2)], late), case(2, [score("a", 1)], decided)]
    every = figures(path, cases)
    assert judge_human(every)["percent"] == pytest.approx((1 / 3 + 1) / 2)
    for how, same in (("latest", 1.0), ("median", 2 / 3), ("mean", 2 / 3)):
        found = again(path, options=(("label_combine", how),))
        assert judge_human(found)["percent"] == pytest.approx(same), how
        assert judge_human(found)["n_no_majority"] == (0 if how == "latest" else 1)
    ends = block(every)["confusion"]["table"]
    assert block(again(path, options=(("label_combine", "median"),)))["confusion"]["table"] == ends


def test_labels_can_be_combined_otherwise(path: Path) -> None:
    votes = [
        label("a", 1, "ann", at="2026-08-03T12:00:00Z"),
        label("a", 5, "bob"),
        label("a", 4, "cyd"),
    ]
    build_project(path, evaluations=[case(1, [score("a", 3)], votes)], rubric=SIMPLE)
    for how, expected in (("mean", 10 / 3), ("median", 4), ("latest", 1)):
        found = again(path, options=(("label_combine", how),))
        assert block(found)["human_mean"] == pytest.approx(expected), how


def test_two_labelers_are_compared_as_two_raters(path: Path) -> None:
    cases = [
        case(n, [score("a", 3)], [label("a", a, "bob"), label("a", b, "ann")])
        for n, (a, b) in enumerate(((1, 2), (2, 2), (3, 4), (5, 5), (4, 4)))
    ]
    found = figures(path, cases)
    agreement = human_human(found)
    assert (agreement["n"], agreement["labelers"]) == (5, 2)
    assert agreement["kappa_quadratic"] is not None
    pair = found["labelers"][0]
    assert (pair["a"], pair["b"], pair["n"], pair["metric"]) == ("ann", "bob", 5, "a")
    assert (pair["percent"], pair["bias"], pair["mae"]) == pytest.approx((0.6, -0.4, 0.4))


def test_more_labelers_are_a_panel_and_every_pair_stands_alone(path: Path) -> None:
    found = figures(path, EDGES["many"], MIXED)
    agreement = human_human(found)
    assert agreement["labelers"] == 3
    assert agreement["kappa"] is None
    assert agreement["undefined"]["icc"] == "more than two labelers: see labelers"
    assert agreement["alpha_ordinal"] is not None
    pairs = [(pair["a"], pair["b"], pair["metric"]) for pair in found["labelers"]]
    assert pairs == [
        (a, b, name)
        for a, b in (("ann", "bob"), ("ann", "cyd"), ("bob", "cyd"))
        for name in ("a", "b", "reversed")
    ]


def test_a_crowd_has_figures_of_every_pair_and_intervals_of_few(path: Path) -> None:
    crowd = [
        case(n, [], [label("a", 1 + (n + at) % 5, f"p{at:02}") for at in range(26)])
        for n in range(10)
    ]
    found = figures(path, crowd)["labelers"]
    assert len(found) == 26 * 25 // 2
    assert all(pair["kappa_quadratic"] is not None for pair in found)
    assert sum(1 for pair in found if pair["intervals"]) == 300
    without = [pair for pair in found if not pair["intervals"]]
    assert all(pair["undefined"]["intervals"] == TOO_MANY_PAIRS for pair in without)
    every = again(path, pair_intervals=None)["labelers"]
    assert all(pair["intervals"] and "intervals" not in pair["undefined"] for pair in every)
    few = again(path, scope=scope(labelers=("p00", "p01", "p02")))["labelers"]
    assert len(few) == 3
    assert set(few[0]["intervals"]) >= {"percent", "kappa_quadratic", "bias"}
    assert [pair["kappa"] for pair in few[:2]] == [pair["kappa"] for pair in found[:2]]


def test_means_of_several_people_are_no_labels_among_people(path: Path) -> None:
    mean = label("a", 3.5, "panel", aggregate=4)
    found = figures(path, [case(1, [score("a", 3)], [mean, label("a", 3, "ann")])])
    assert human_human(found)["labelers"] == 1
    assert block(found)["human_mean"] == 3.25
    assert found["labelers"] == []


def test_the_newest_scorer_version_counts_and_versions_never_mix(path: Path) -> None:
    def scored(number: int, *made: tuple[str, float, str]) -> dict[str, Any]:
        scores = [
            score("a", value, scorer_version=version, at=f"2026-07-{day}T12:00:00Z")
            for version, value, day in made
        ]
        return case(number, scores, [label("a", 3)])

    cases = [scored(1, ("1", 1, "01"), ("2", 4, "09")), scored(2, ("1", 2, "20"))]
    found = figures(path, cases)
    assert (block(found)["scorer"], block(found)["other_scorers"]) == ("judge@1", ["judge@2"])
    assert (block(found)["n_auto"], block(found)["auto_mean"]) == (2, 1.5)
    second = again(path, scope=scope(scorer="judge@2"))
    assert (block(second)["n_auto"], block(second)["auto_mean"]) == (1, 4)
    with pytest.raises(ReviewerError, match="no scorer 'nobody'"):
        again(path, scope=scope(scorer="nobody"))


def test_the_runs_of_one_rubric_are_covered(path: Path) -> None:
    cases = [
        case(1, [score("a", 2)], run="r1"),
        case(2, [score("a", 4)], run="r2"),
    ]
    build_project(path, evaluations=cases, rubric=SIMPLE, runs=("r1", "r2"))
    assert block(again(path))["auto_mean"] == 3
    assert block(again(path, scope=scope(runs=("r1",))))["auto_mean"] == 2
    other = Rubric(name="other", metrics=(Metric(name="a", levels=LEVELS),))
    with Project.open(path) as project, project.write() as conn:
        conn.execute("INSERT INTO rubrics(id, name) VALUES (2, 'other')")
        conn.execute(
            "INSERT INTO rubric_versions(rubric, version, body, created_at, seq) "
            "VALUES (2, '1', ?, '', ?)",
            (packed(other), project.next_seq()),
        )
        conn.execute("UPDATE runs SET rubric = 2 WHERE name = 'r2'")
    found = again(path)
    assert (found["rubric"], found["filters"]["left_out"]) == ("other", ["r1"])
    assert block(found)["auto_mean"] == 4
    with pytest.raises(ReviewerError, match="no run 'r9'"):
        again(path, scope=scope(runs=("r9",)))


def test_filters_define_the_set_and_metrics_only_what_is_listed(path: Path) -> None:
    cases = [
        case(n, [score("a", n), score("b", 1)], category="xy"[n % 2], tags=[f"t{n}"])
        for n in range(1, 5)
    ]
    build_project(path, evaluations=cases, rubric=MIXED)
    assert block(again(path, scope=scope(categories=("x",))))["auto_mean"] == 3
    assert block(again(path, scope=scope(tags=("t1", "t2"))))["auto_mean"] == 1.5
    assert block(again(path, scope=scope(where=(("id", "e4"),))))["auto_mean"] == 4
    only = again(path, scope=scope(metrics=("b",)))
    assert list(only["metrics"]) == ["b"]
    assert only["satisfaction"] == again(path)["satisfaction"]
    for wrong in ({"metrics": ("z",)}, {"labelers": ("z",)}, {"where": (("", "z"),)}):
        with pytest.raises(ReviewerError):
            again(path, scope=scope(**wrong))


def test_listing_fewer_metrics_changes_no_interval_and_a_seed_does(path: Path) -> None:
    found = figures(path, EDGES["many"], MIXED)
    only = again(path, scope=scope(metrics=("b",)))
    assert judge_human(only, "b") == judge_human(found, "b")
    assert judge_human(only, "b")["intervals"]["kappa"]
    other = again(path, seed=1)
    assert judge_human(other, "b")["kappa"] == judge_human(found, "b")["kappa"]
    assert judge_human(other, "b")["intervals"] != judge_human(found, "b")["intervals"]
    with pytest.raises(ReviewerError, match="level"):
        again(path, level=1.5)


def labelled(n: int, of: int, **more: Any) -> list[dict[str, Any]]:
    return [
        case(
            number,
            [score("a", number % 5 + 1)],
            [label("a", (number + number % 2) % 5 + 1, **more)] if number < n else [],
        )
        for number in range(of)
    ]


def corrected(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = block(document)["corrected"]
    return found


@pytest.mark.parametrize(
    ("n", "of", "more", "method"),
    [
        (0, 50, {}, "none"),
        (20, 50, {}, "none"),
        (20, 50, {"selection_reason": "imported"}, "none"),
        (20, 50, {"selection_reason": "active"}, "none"),
        (20, 50, {"selection_reason": "random"}, "ppi"),
        (40, 50, {"selection_reason": "random"}, "ppi++"),
        (50, 50, {}, "census"),
    ],
)
def test_corrected_means_need_labels_chosen_at_random(
    path: Path, n: int, of: int, more: dict[str, Any], method: str
) -> None:
    found = corrected(figures(path, labelled(n, of, **more)))
    assert found["method"] == method
    assert found["target"] == "future"
    if method == "none":
        assert found["mean"] is None
        assert found["n_excluded"] == n
        known = "no label yet" if not n else "how labels were chosen is unknown"
        assert found["reason"].startswith(known)
    else:
        assert found["low"] < found["mean"] < found["high"]
        assert (found["n"], found["n_excluded"]) == (n, 0)


def test_browsing_is_a_convenience_sample(path: Path) -> None:
    found = corrected(figures(path, labelled(20, 50, selection_reason="browse")))
    assert "convenience" in found["reason"]


def test_labels_drawn_by_stratum_count_by_their_stratum(path: Path) -> None:
    found = figures(path, labelled(40, 50, selection_reason="stratum"))
    assert (corrected(found)["method"], corrected(found)["n"]) == ("stratified", 40)
    assert "reason" not in corrected(found)
    assert found["pass"]["corrected"]["method"] == "post_stratified"


def test_labels_of_one_stratum_only_do_not_stand_for_the_rest_alike(path: Path) -> None:
    # five labels of level 5, whose people say 1, and 15 of the others, whose people agree
    cases = [
        case(
            number,
            [score("a", number % 5 + 1)],
            [label("a", 1 if number % 5 == 4 else number % 5 + 1, selection_reason="stratum")]
            if number < 25
            else [],
        )
        for number in range(25)
    ]
    # 400 more of level 5 that nobody labelled
    cases += [case(100 + number, [score("a", 5)], []) for number in range(400)]
    found = corrected(figures(path, cases))
    assert found["mean"] == pytest.approx((405 * 1 + 5 * (1 + 2 + 3 + 4)) / 425)


def test_labels_drawn_with_a_probability_count_one_over_it(path: Path) -> None:
    often = labelled(20, 20, selection_reason="active", selection_prob=1.0)
    rarely = [
        case(
            100 + number,
            [score("a", 5)],
            [label("a", 4, selection_reason="active", selection_prob=0.1)] if number < 4 else [],
        )
        for number in range(40)
    ]
    found = figures(path, often + rarely)
    one = corrected(found)
    assert (one["method"], one["n"], one["n_excluded"]) == ("ppi", 24, 0)
    judged = (sum(number % 5 + 1 for number in range(20)) + 40 * 5) / 60
    gaps = sum((number + number % 2) % 5 - number % 5 for number in range(20))
    assert one["mean"] == pytest.approx(judged + (gaps - 4 / 0.1) / 60)
    assert one["low"] < one["mean"] < one["high"]
    assert found["pass"]["corrected"]["method"] == "post_stratified"


def clustered(way: str, share: int) -> list[dict[str, Any]]:
    """Label 60 of 300 evaluations; `share` of them in a row come from one conversation."""
    cases = []
    for number in range(300):
        mood = (number // 5) % 3
        human = label("a", mood + 2, selection_reason=way)
        one = case(number, [score("a", number % 3 + 2)], [human] if number < 60 else [])
        cases.append(one | {"cluster": f"conversation {number // share}"})
    return cases


@pytest.mark.parametrize("way", ["random", "stratum"])
def test_conversations_make_intervals_wider_and_move_nothing(path: Path, way: str) -> None:
    apart = figures(path, clustered(way, 1))
    together = figures(path.with_name("together.review"), clustered(way, 5))
    for one, other in (
        (corrected(apart), corrected(together)),
        (apart["pass"]["corrected"], together["pass"]["corrected"]),
    ):
        assert (one["method"], one["mean"], one["n"]) == (
            other["method"],
            other["mean"],
            other["n"],
        )
        assert other["high"] - other["low"] > 1.4 * (one["high"] - one["low"])


def test_one_conversation_says_nothing_about_others(path: Path) -> None:
    found = figures(path, clustered("random", 60))
    for one in (corrected(found), found["pass"]["corrected"]):
        assert (one["low"], one["reason"]) == (None, "all evaluations come from one conversation")


def test_the_mean_of_passes_and_fails_is_a_pass_rate(path: Path) -> None:
    rubric = Rubric(name="binary", metrics=(Metric(name="a", scale="binary"),))
    cases = [
        case(number, [score("a", 1)], [label("a", 1, selection_reason="random")] * (number < 50))
        for number in range(1000)
    ]
    found = corrected(figures(path, cases, rubric))
    assert (found["method"], found["mean"], found["high"]) == ("post_stratified", 1, 1)
    assert found["low"] == pytest.approx(0.951, abs=5e-4)


def test_a_census_needs_no_reason(path: Path) -> None:
    found = corrected(figures(path, labelled(20, 20, selection_reason="stratum")))
    assert (found["method"], found["n"], found["n_excluded"]) == ("census", 20, 0)


def test_people_alone_give_an_estimate_without_auto_scores(path: Path) -> None:
    cases = [case(n, [], [label("a", n % 5 + 1, selection_reason="random")]) for n in range(10)]
    cases.append(case(10, [], []))
    found = corrected(figures(path, cases))
    assert (found["method"], found["mean"], found["n"]) == ("human_only", 3, 10)


def test_people_alone_give_a_pass_rate_without_auto_scores(path: Path) -> None:
    cases = [case(n, [], [label("a", 5, selection_reason="random")]) for n in range(20)]
    cases.append(case(20, [], []))
    found = figures(path, cases)["pass"]["corrected"]
    assert (found["method"], found["mean"], found["n"]) == ("human_only", 1, 20)
    assert found["low"] == pytest.approx(0.839, abs=5e-4)


def test_strata_need_a_judge(path: Path) -> None:
    cases = [case(n, [], [label("a", 5, selection_reason="stratum")]) for n in range(20)]
    cases.append(case(20, [], []))
    found = figures(path, cases)
    for one in (corrected(found), found["pass"]["corrected"]):
        assert (one["method"], one["n_excluded"]) == ("none", 20)
        assert "nothing was judged" in one["reason"]


def test_everything_labelled_is_a_census_without_auto_scores_too(path: Path) -> None:
    cases = [case(n, [], [label("a", n % 5 + 1)]) for n in range(10)]
    found = corrected(figures(path, cases))
    assert (found["method"], found["mean"], found["n_excluded"]) == ("census", 3, 0)


def test_labels_chosen_otherwise_are_excluded_and_counted(path: Path) -> None:
    cases = labelled(12, 40, selection_reason="random")
    del cases[0]["labels"][0]["selection_reason"]
    found = corrected(figures(path, cases))
    assert (found["method"], found["n"], found["n_excluded"]) == ("ppi", 11, 1)


def test_verdicts_need_every_mark_and_one_failure_is_enough(path: Path) -> None:
    cases = [
        case(1, [score("a", 4), score("b", 3)], [label("a", 4), label("b", 2)]),
        case(2, [score("a", 1)], [label("a", 3)]),
        case(3, [score("a", 5)], [label("a", 1)]),
        case(4, [score("a", 5), score("b", 5)], [label("a", 5), label("b", 5)]),
    ]
    found = figures(path, cases, MIXED)["pass"]
    assert (found["n_auto"], found["n_human"], found["n"]) == (3, 3, 2)
    assert found["auto_rate"] == pytest.approx(2 / 3)
    assert found["human_rate"] == pytest.approx(1 / 3)
    assert (found["catch_rate"], found["specificity"]) == (0, 1)
    assert found["precision"] is None
    assert found["undefined"]["precision"]


def test_without_a_pass_rule_everything_is_null_with_that_reason(path: Path) -> None:
    rubric = replace(SIMPLE, pass_rule="none")
    found = figures(path, EDGES["one label"], rubric)["pass"]
    assert found["auto_rate"] is None
    assert set(found["undefined"].values()) == {'the rubric has pass_rule = "none"'}
    assert found["corrected"]["reason"] == 'the rubric has pass_rule = "none"'


def test_the_overall_rule_needs_the_whole_human_side(path: Path) -> None:
    rubric = Rubric(
        name="overall",
        pass_rule="overall",
        pass_at=3,
        metrics=(Metric(name="a", levels=LEVELS), Metric(name="b", levels=LEVELS)),
    )
    cases = [
        case(1, [score("a", 5)], [label("a", 5)]),
        case(2, [score("a", 2), score("b", 3)], [label("a", 4), label("b", 2)]),
    ]
    found = figures(path, cases, rubric)["pass"]
    assert (found["n_auto"], found["n_human"], found["n"]) == (2, 1, 1)
    assert (found["auto_rate"], found["human_rate"]) == (0.5, 1)


def test_a_corrected_pass_rate_is_post_stratified(path: Path) -> None:
    found = figures(path, labelled(40, 100, selection_reason="random"))["pass"]["corrected"]
    assert found["method"] == "post_stratified"
    assert found["low"] <= found["mean"] <= found["high"]
    assert (found["n"], found["n_excluded"]) == (40, 0)


def test_metrics_on_different_ranges_meet_on_0_to_1(path: Path) -> None:
    rubric = Rubric(
        name="ranges",
        metrics=(
            Metric(name="a", levels=LEVELS),
            Metric(name="share", scale="range", min=0, max=1),
            Metric(name="tone", scale="categorical", values=("x", "y")),
            Metric(name="length", scale="measure"),
        ),
    )
    cases = [case(1, [score("a", 3), score("share", 1.0), score("length", 900)])]
    assert figures(path, cases, rubric)["satisfaction"]["auto_mean"] == 0.75


def test_weightless_metrics_do_not_move_the_overalls_range(path: Path) -> None:
    cases = [case(1, [score("a", 4), score("b", 1), score("share", 2.5)])]
    found = figures(path, cases, MIXED)
    # a 4 and b 1, so least 1: (2·4 + 1 + 1) / 4
    assert found["satisfaction"]["auto_mean"] == 2.5
    assert block(found, "satisfaction")["auto_mean"] == 2.5


def test_coverage_is_the_labelled_share_of_the_weight(path: Path) -> None:
    cases = [case(1, [score("a", 4), score("b", 1)], [label("b", 2)])]
    found = figures(path, cases, MIXED)["satisfaction"]
    assert found["coverage_mean"] == 0.25
    assert (found["gap_mean"], found["n_labelled"], found["n_blind"]) == (0.25, 1, 1)


def test_lower_is_better_turns_round_in_the_overall_only(path: Path) -> None:
    cases = [case(1, [score("reversed", 1)], [label("reversed", 2)])]
    found = figures(path, cases, MIXED)
    assert block(found, "reversed")["gap_mean"] == 1
    assert found["satisfaction"]["auto_mean"] == 5
    assert found["satisfaction"]["gap_mean"] == -1


def test_a_fallback_is_worked_out_only_where_a_side_has_nothing_of_its_own(path: Path) -> None:
    cases = [
        case(1, [score("a", 2), score("b", 4)], [label("a", 5), label("b", 3)]),
        case(2, [score("a", 2), score("b", 4), score("least", 5)], [label("a", 5)]),
        case(3, [score("a", 2)], [label("a", 1), label("b", 1), label("least", 4)]),
    ]
    least = block(figures(path, cases, MIXED), "least")
    assert (least["n_auto"], least["auto_mean"]) == (2, 3.5)
    assert (least["n_human"], least["n_labelled"], least["human_mean"]) == (1, 0, None)
    counted = block(again(path, options=(("derived_labels", "count"),)), "least")
    assert (counted["n_human"], counted["n_labelled"], counted["human_mean"]) == (2, 1, 3)


def test_the_metric_that_is_the_overall_has_the_figures_of_the_satisfaction(path: Path) -> None:
    names = ("a", "b", "least", "reversed")
    whole = [label(name, 4) for name in names]
    cases = [
        case(1, [score(name, 3) for name in names], whole),
        case(2, [score("a", 3)], whole[:2]),
    ]
    figures(path, cases, MIXED)
    document = again(path, preset="published")
    found, whole = block(document, "satisfaction"), document["satisfaction"]
    assert (found["n_auto"], found["n_human"], found["n_labelled"]) == (2, 2, 2)
    # of the second response one of two parts is labelled: 4 for a, and no score of b
    assert found["human_mean"] == pytest.approx(((2 * 4 + 4 + 4 + 2) / 5 + 4) / 2)
    assert {name: found[name] for name in whole if name in found and name != "undefined"} == {
        name: value for name, value in whole.items() if name not in ("undefined", "coverage_mean")
    }


def test_the_adjusted_mean_is_never_clipped_but_marked(path: Path) -> None:
    cases = [case(n, [score("a", 4.9)], [label("a", 5)] if n < 40 else []) for n in range(40)]
    cases += [case(n, [score("a", 5)]) for n in range(40, 500)]
    build_project(path, evaluations=cases, rubric=SIMPLE)
    for preset, capped in (("published", False), ("recommended", True)):
        found = block(again(path, preset=preset))
        assert found["adjusted_mean"] == pytest.approx(5.092)
        assert found["capped"] is capped
    hard = block(again(path, options=(("clip", "hard"),)))
    assert hard["adjusted_mean"] == pytest.approx(5.092)
    assert hard["shown"]["adjusted"] == {"value": pytest.approx(5), "mark": "held on the scale"}


def test_the_overalls_band_can_be_made_of_the_metrics(path: Path) -> None:
    rubric = Rubric(
        name="two",
        metrics=(Metric(name="a", weight=3, levels=LEVELS), Metric(name="b", levels=LEVELS)),
    )
    cases = [case(n, [score("a", 3), score("b", 3)], [label("ab"[n % 2], 4)]) for n in range(80)]
    build_project(path, evaluations=cases, rubric=rubric)
    plain = again(path, preset="recommended")["satisfaction"]
    assert plain["error_band"] == pytest.approx(0.5)
    assert again(path, options=(("composite_band", "metrics"),))["satisfaction"]["error_band"] == 1


def test_the_window_can_follow_the_labels(path: Path) -> None:
    old = "2026-01-10T12:00:00Z"
    cases = [case(1, [score("a", 3)], [label("a", 4)], evaluated_at=old)]
    build_project(path, evaluations=cases, rubric=SIMPLE)
    assert block(again(path))["n_labelled"] == 0
    assert block(again(path, options=(("window_date", "label"),)))["n_labelled"] == 1


@pytest.mark.parametrize(
    ("request_parts", "said"),
    [
        ({"preset": "mine"}, "no preset 'mine'"),
        ({"options": (("nothing", "1"),)}, "no option 'nothing'"),
        ({"options": (("clip", "sometimes"),)}, "clip"),
        ({"options": (("repeat_policy", "mean"),)}, "repeat_policy"),
    ],
)
def test_wrong_options_are_said(path: Path, request_parts: dict[str, Any], said: str) -> None:
    with pytest.raises(ReviewerError, match=said):
        figures(path, EDGES["one label"], **request_parts)


def test_changed_options_are_said_in_the_document(path: Path) -> None:
    found = figures(path, EDGES["one label"], options=(("min_records", "2"),))
    assert found["options"]["min_records"] == 2
    assert [(x["what"], x["reason"], x["n"]) for x in found["stale"]] == [
        ("options", "options", 1)
    ]


def test_what_lags_behind_is_counted_and_said(path: Path) -> None:
    first, second = "2026-07-01T12:00:00Z", "2026-08-05T12:00:00Z"
    repeated = [score("a", 2, at=first), score("a", 4, at=second)]
    cases = [
        case(1, [score("a", 2)], [label("a", 3, rubric_version="0")]),
        case(2, [score("a", 2)], [label("a", 3, judge_version="another")]),
        case(3, [score("a", 2)], [label("a", 3, judge_version="judge", rubric_version="1")]),
        case(4, repeated, [label("a", 3)]),
        case(5, repeated, [label("a", 3, at="2026-08-09T12:00:00Z")]),
    ]
    build_project(path, evaluations=cases, rubric=SIMPLE)
    with Project.open(path) as project, project.write() as conn:
        conn.execute("UPDATE evaluations SET revision = 2 WHERE ext_id = 'e3'")
    found = again(path)["stale"]
    assert {(x["what"], x["reason"], x["n"]) for x in found} == {
        ("metrics.a", reason, 1)
        # what the judge said again counts nowhere, so nobody's label lags behind it
        for reason in ("judge_versions", "rubric_version", "text_changed")
    }
    assert "1 label of A was given to an earlier text of the evaluation." in {
        x["text"] for x in found
    }


def test_correlation_by_group_leaves_constant_groups_out(path: Path) -> None:
    made = {
        "x": ((1, 1), (2, 2), (3, 3)),
        "y": ((1, 3), (2, 2), (3, 1)),
        "z": ((1, 1), (1, 2), (1, 3)),
    }
    cases = [
        case(10 * at + n, [score("a", auto)], [label("a", human)], category=category)
        for at, (category, pairs) in enumerate(made.items())
        for n, (auto, human) in enumerate(pairs)
    ]
    found = figures(path, cases, group_by="category")["groups"]
    assert found["field"] == "category"
    grouped = found["metrics"]["a"]
    assert (grouped["n_used"], grouped["n_skipped"]) == (2, 1)
    assert grouped["mean"]["spearman"] == pytest.approx(0)
    assert [(x["value"], x["n"], x["used"]) for x in grouped["groups"]] == [
        ("x", 3, True), ("y", 3, True), ("z", 3, False),
    ]  # fmt: skip
    assert grouped["groups"][0]["kendall_b"] == pytest.approx(1)
    assert grouped["groups"][2]["undefined"]["pearson"] == "one side gave one score only"
    everything(found)


def test_the_means_of_groups_are_correlated_too(path: Path) -> None:
    made = {"x": ((1, 3), (2, 3)), "y": ((3, 1), (4, 1)), "z": ((4, 2), (5, 2)), "w": ()}
    cases = [
        case(10 * at + n, [score("a", auto)], [label("a", human)], category=category)
        for at, (category, pairs) in enumerate(made.items())
        for n, (auto, human) in enumerate(pairs)
    ]
    alone = case(99, [score("a", 3)], [], category="w")
    found = figures(path, [*cases, alone], group_by="category")["groups"]
    grouped = found["metrics"]["a"]
    assert [(x["value"], x["auto_mean"], x["human_mean"]) for x in grouped["groups"]] == [
        ("w", None, None), ("x", 1.5, 3), ("y", 3.5, 1), ("z", 4.5, 2),
    ]  # fmt: skip
    between = grouped["between"]
    assert between["n"] == 3
    assert (between["spearman"], between["kendall_b"]) == pytest.approx((-0.5, -1 / 3))
    assert between["pearson"] == pytest.approx(-2 / (28 / 3) ** 0.5)
    assert_explained([between, *grouped["groups"]])


def test_two_groups_have_means_but_no_correlation_of_them(path: Path) -> None:
    cases = [case(n, [score("a", n)], [label("a", n)], category=str(n)) for n in (1, 2)]
    between = figures(path, cases, group_by="category")["groups"]["metrics"]["a"]["between"]
    assert between["n"] == 2
    assert between["undefined"]["pearson"] == "fewer than 3 pairs"


def test_a_field_that_no_record_has_cannot_group(path: Path) -> None:
    with pytest.raises(ReviewerError, match="No evaluation in scope has a field 'nothing'"):
        figures(path, EDGES["one label"], group_by="nothing")


def test_two_people_who_always_agree_have_an_interval_that_ends_at_1(path: Path) -> None:
    cases = [
        case(n, [score("a", 3)], [label("a", n % 2 + 1, who) for who in ("ann", "bo")])
        for n in range(12)
    ]
    (pair,) = figures(path, cases)["labelers"]
    assert pair["kappa"] == 1
    for name, (low, high) in pair["intervals"].items():
        assert low <= pair[name] <= high, name
    yes = Rubric(name="yes", metrics=(Metric(name="a", scale="binary"),))
    cases = [
        case(n, [score("a", n % 2)], [label("a", n % 2, who) for who in ("ann", "bo")])
        for n in range(12)
    ]
    path.unlink()
    found = figures(path, cases, yes)
    (pair,) = found["labelers"]
    low, high = pair["intervals"]["kappa"]
    assert (pair["kappa"], high) == (1, 1)
    assert low < 1
    for part in (judge_human(found), human_human(found)):
        for name, (low, high) in part["intervals"].items():
            assert low <= part[name] <= high, name


def test_a_blind_decision_that_was_withdrawn_counts_no_longer(path: Path) -> None:
    decided = label("a", 5, "lead", kind="adjudication")
    after = label("a", None, "lead", kind="withdrawn", blind=False, at="2026-08-02T12:00:00Z")
    before = after | {"at": "2026-07-02T12:00:00Z"}
    cases = [
        case(1, [score("a", 3)], [label("a", 2), decided, after]),
        case(2, [score("a", 3)], [label("a", 2), decided, before]),
    ]
    figures(path, cases)
    only = block(again(path, scope=scope(blind_only=True)))
    assert (only["human_mean"], only["n_human"]) == (3.5, 2)


def test_without_a_day_the_window_ends_today(path: Path) -> None:
    found = figures(path, EDGES["one label"], scope=Scope())
    assert found["filters"]["as_of"] is None
    assert abs((date.fromisoformat(found["as_of"]) - date.today()).days) <= 1  # noqa: DTZ011


def test_the_pairs_with_the_most_in_common_have_intervals(path: Path) -> None:
    people = ("ann", "bob", "cyd", "dee")
    cases = [
        case(n, [score("a", 3)], [
            label("a", (n + place) % 5 + 1, who)
            for place, who in enumerate(people) if n < 40 - 5 * place
        ])
        for n in range(40)
    ]  # fmt: skip
    every = figures(path, cases, pair_intervals=None)["labelers"]
    assert len(every) == 6
    assert all(pair["intervals"] and "intervals" not in pair["undefined"] for pair in every)
    some = again(path, pair_intervals=1)["labelers"]
    first, *rest = some
    assert (first["a"], first["b"], first["intervals"]) == ("ann", "bob", every[0]["intervals"])
    assert all(not pair["intervals"] for pair in rest)
    assert {pair["undefined"]["intervals"] for pair in rest} == {TOO_MANY_PAIRS}
