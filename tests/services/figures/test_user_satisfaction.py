"""User satisfaction is as the virtual agent's documentation has it, and one figure everywhere.

The expected figures are worked out here by hand, from the published sentences alone.
"""

import random
from collections.abc import Mapping
from contextlib import closing
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_check import checked
from reviewer.domain.run import Scope
from reviewer.services.adjudicating import cases
from reviewer.services.audits import trend
from reviewer.services.audits.auditing import compute
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import disagreements
from tests.building import build_project
from tests.resources.demo_records import RESOURCES, rubric_of
from tests.services.figure_projects import SCOPE, again

RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "virtual-agent.toml"))
LABELLED = (
    "intent_accuracy", "slot_filling", "smooth_flow", "context_retention", "truthfulness",
    "conciseness", "coherence",
)  # fmt: skip
PARTS = ("request_completion", *LABELLED)
SIZE = 120
DAY = "2026-08-01T12:00:00Z"


def sets(seed: int) -> list[tuple[dict[str, int], dict[str, int]]]:
    """Make auto scores and labels of each chat; nobody labels request completion."""
    chance = random.Random(seed)  # noqa: S311 - the same chats every time
    made = []
    for number in range(SIZE):
        auto = {name: chance.randint(1, 5) for name in PARTS if chance.random() < 0.9}
        given: dict[str, int] = {}
        if number % 5:
            share = chance.choice((0.3, 1.0))
            drift = chance.choice((-2, -1, 0, 1, 2))
            for name in LABELLED:
                if chance.random() < share:
                    given[name] = min(max(auto.get(name, 3) + drift, 1), 5)
        made.append((auto, given))
    return made


def project(folder: Path, chats: list[tuple[dict[str, int], dict[str, int]]]) -> Path:
    records = [
        {
            "id": f"chat-{number}",
            "response": f"answer {number}",
            "evaluated_at": DAY,
            "scores": [
                {"metric": name, "value": value, "scorer": "va-judge"}
                for name, value in auto.items()
            ],
            "labels": [
                {"metric": name, "labeler": "ann", "value": value, "at": DAY, "kind": "label"}
                for name, value in given.items()
            ],
        }
        for number, (auto, given) in enumerate(chats)
    ]
    return build_project(folder / "va.review", evaluations=records, rubric=RUBRIC, runs=("r1",))


def by_hand(chats: list[tuple[dict[str, int], dict[str, int]]]) -> dict[str, Any]:
    """Work out the published satisfaction: a label where there is one, else the auto score.

    Request completion without an auto score is the lower of slot filling and intent accuracy.
    """
    autos, gaps, humans = [], [], []
    for judged, given in chats:
        auto = dict(judged)
        if "request_completion" not in auto and {"slot_filling", "intent_accuracy"} <= auto.keys():
            auto["request_completion"] = min(auto["slot_filling"], auto["intent_accuracy"])
        mine = sum(auto.values()) / len(auto) if auto else None
        if mine is not None:
            autos.append(mine)
        merged = auto | given
        if given and mine is not None:
            humans.append(sum(merged.values()) / len(merged))
            gaps.append(humans[-1] - mine)
    up = sorted((x for x in gaps if x > 1e-9), reverse=True)
    low = sorted(x for x in gaps if x < -1e-9)
    upper, lower = (
        sum(side[: ceil(0.9 * len(side))]) / ceil(0.9 * len(side)) if len(side) > 30 else None
        for side in (up, low)
    )
    band = 0.0
    if len(up) >= 30 and len(low) >= 30:
        band = sum(gaps) / len(gaps)
    elif (upper is None) != (lower is None):
        band = upper if upper is not None else lower or 0.0
    mean = sum(autos) / len(autos)
    return {
        "n_auto": len(autos),
        "n_labelled": len(gaps),
        "n_human": len(humans),
        "n_higher": len(up),
        "n_lower": len(low),
        "auto_mean": mean,
        "human_mean": sum(humans) / len(humans),
        "gap_mean": sum(gaps) / len(gaps),
        "upper_deviation": upper,
        "lower_deviation": lower,
        "error_band": band,
        "adjusted_mean": mean + band,
    }


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_published_one_wherever_it_stands(tmp_path: Path, seed: int) -> None:
    chats = sets(seed)
    expected = {
        name: value if isinstance(value, int) or value is None else pytest.approx(value)
        for name, value in by_hand(chats).items()
    }
    path = project(tmp_path, chats)
    document = again(path, preset="published")
    for block in (document["satisfaction"], document["metrics"]["user_satisfaction"]):
        assert {name: block[name] for name in expected} == expected
    request = StatsRequest(scope=SCOPE, preset="published")
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        live = LiveFigures(session, load_tallies(path, SCOPE, Hidden("lead")))
        audit = compute(session, request)
        for shown in (live.overall(), live.metric("user_satisfaction")):
            assert shown is not None
            found = shown.presets["published"]
            assert (shown.n_auto, found.deviations.n_labelled) == (
                expected["n_auto"],
                expected["n_labelled"],
            )
            assert found.deviations.gap_mean == expected["gap_mean"]
            assert_adjusted(found.adjusted, expected)
        weeks = trend.trend(audit.frame, "user_satisfaction")
        assert weeks.band.value == expected["error_band"]
        (week,) = weeks.weeks
        assert (week.n_human, week.human.value) == (expected["n_labelled"], expected["human_mean"])
        assert_adjusted(week.adjusted, expected)
        pairs = audit.pairs["user_satisfaction"]
        assert pairs.keys.size == expected["n_labelled"]
        assert float(pairs.gaps.mean()) == expected["gap_mean"]
        for at, key in enumerate(pairs.keys[:5].tolist()):
            mine = live.evaluation(key).overall
            assert pairs.human[at] == pytest.approx(mine.human)
            assert pairs.gaps[at] == pytest.approx(mine.gap)


def assert_adjusted(shown: BandOrScore, expected: Mapping[str, object]) -> None:
    if shown.gate is None:
        assert shown.value == expected["adjusted_mean"]
    else:
        assert (shown.value, shown.gate.n) == (None, expected["n_labelled"])


def test_a_value_from_parts_is_shown_and_counts_nowhere(tmp_path: Path) -> None:
    auto = dict.fromkeys(PARTS, 4)
    chats = [(auto, {"slot_filling": 2, "intent_accuracy": 5}), (auto, {"slot_filling": 1})]
    path = project(tmp_path, chats)
    metric = again(path, preset="published")["metrics"]["request_completion"]
    assert (metric["n_human"], metric["n_labelled"], metric["n_auto"]) == (0, 0, 2)
    assert metric["agreement"]["judge_human"]["n"] == 0
    counted = again(path, preset="published", options=(("derived_labels", "count"),))
    metric = counted["metrics"]["request_completion"]
    assert (metric["n_human"], metric["n_labelled"], metric["gap_mean"]) == (1, 1, -2)
    whole = counted["satisfaction"]
    # with it seven of eight: 2 for request completion besides 2 and 5
    assert whole["gap_mean"] == pytest.approx(((-2 + 1 - 2) / 8 + -3 / 8) / 2)
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        live = LiveFigures(session, load_tallies(path, Scope(), Hidden("lead")))
        one, other = (live.evaluation(key) for key in (1, 2))
        assert (one.metrics["request_completion"].from_parts, other.overall.gap) == (2, -3 / 8)
        assert other.metrics["request_completion"].from_parts is None
        for case in (one, other):
            shown = case.metrics["request_completion"]
            assert (shown.human, shown.gap) == (None, None)
        assert one.overall.covered == pytest.approx(2 / 8)
        rows = {(x["id"], x["metric"]) for x in disagreements.find(session.project, Scope())}
        assert rows == {
            ("chat-0", "slot_filling"), ("chat-0", "intent_accuracy"), ("chat-1", "slot_filling"),
        }  # fmt: skip


def test_an_auto_score_from_parts_is_shown_as_such(tmp_path: Path) -> None:
    """A list and the pane beneath it say the same."""
    auto = {"slot_filling": 2, "intent_accuracy": 5, "coherence": 5}
    path = project(tmp_path, [(auto, {"slot_filling": 4})])
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        score = reading.view(session, 1).auto["request_completion"]
        assert score.value == 2
        assert (score.reasoning or "").startswith("From its parts: min of Slot filling 2")
        audit = compute(session, StatsRequest(scope=SCOPE))
        for name, value in (("request_completion", 2), ("user_satisfaction", (2 + 5 + 5 + 2) / 4)):
            pane = cases.case(session, 1, name, audit.document.metrics[name].scorer).score
            assert pane is not None
            assert audit.frame.table.metrics[name].auto.tolist() == [pane.value] == [value]
            assert (pane.reasoning or "").startswith("From its parts")


def test_labels_of_the_overall_itself_say_nothing(tmp_path: Path) -> None:
    auto = dict.fromkeys(PARTS, 4)
    path = project(tmp_path, [(auto, {"user_satisfaction": 1, "coherence": 5})])
    found = again(path)
    assert found["metrics"]["user_satisfaction"]["human_mean"] == pytest.approx(33 / 8)
    assert found["satisfaction"]["human_mean"] == pytest.approx(33 / 8)


def test_the_rubric_is_the_shipped_one() -> None:
    assert isinstance(RUBRIC, Rubric)
    assert {part.name for part in RUBRIC.overall_metrics} == set(PARTS)
