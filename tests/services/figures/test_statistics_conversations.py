"""Evaluations of one conversation say less than single ones: intervals draw conversations."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from tests.services.figure_projects import (
    SCOPE,
    SIMPLE,
    case,
    figures,
    label,
    score,
)

OPEN_RANGE = Rubric(name="open", metrics=(Metric(name="a", scale="range", min=1, max=5),))


def cases(people: tuple[str, ...], of: int | None, way: str = "random") -> list[dict[str, Any]]:
    """Make 200 evaluations of which each `of` in a row are alike, and share a conversation."""
    made = []
    chance = random.Random(4)  # noqa: S311 - the same project every time
    for number in range(200):
        if number % 5 == 0:
            auto, moods = chance.randint(1, 5), [chance.choice((-1, 0, 0, 0, 1)) for _ in people]
        given = [
            label("a", min(5, max(1, auto + mood)), who, selection_reason=way)
            for mood, who in zip(moods, people, strict=True)
        ]
        more = {} if of is None else {"cluster": f"conversation {number // of}"}
        made.append(case(number, [score("a", auto)], given, **more))
    return made


def width(interval: list[float]) -> float:
    return interval[1] - interval[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.review"


@pytest.mark.parametrize("people", [("ann",), ("ann", "bo"), ("ann", "bo", "cy")])
@pytest.mark.parametrize("rubric", [SIMPLE, OPEN_RANGE])
@pytest.mark.parametrize("way", ["random", "stratum"])
def test_intervals_are_wider_and_figures_the_same(
    tmp_path: Path, people: tuple[str, ...], rubric: Rubric, way: str
) -> None:
    apart = figures(tmp_path / "apart.review", cases(people, None, way), rubric)
    together = figures(tmp_path / "together.review", cases(people, 5, way), rubric)
    parts = [
        (x["metrics"]["a"]["agreement"][side], y["metrics"]["a"]["agreement"][side])
        for x, y in ((apart, together),)
        for side in ("judge_human", "human_human")
    ]
    parts += [(apart["pass"], together["pass"])]
    parts += list(zip(apart["labelers"], together["labelers"], strict=True))
    ratios = []
    for one, other in parts:
        assert set(one["intervals"]) == set(other["intervals"])
        for name, interval in one["intervals"].items():
            assert one[name] == other[name], name
            low, high = other["intervals"][name]
            assert low <= other[name] <= high, name
            if width(interval) > 0:
                ratios.append(width(other["intervals"][name]) / width(interval))
    assert min(ratios) >= 1
    # five alike say about as much as one
    assert 1.6 < sorted(ratios)[len(ratios) // 2] < 3


def test_a_share_of_1_is_as_sure_as_its_conversations(path: Path) -> None:
    made = [
        case(n, [score("a", 1 + n % 5)], [label("a", 1 + n % 5)], cluster=f"c{n // 10}")
        for n in range(200)
    ]
    found = figures(path, made)
    low, high = found["metrics"]["a"]["agreement"]["judge_human"]["intervals"]["percent"]
    assert (low, high) == (pytest.approx(0.839, abs=0.001), 1)
    assert found["pass"]["intervals"]["catch_rate"] == [low, high]


def test_one_conversation_gives_no_interval(path: Path) -> None:
    found = figures(path, cases(("ann", "bo", "cy"), 200))
    assert found["metrics"]["a"]["agreement"]["judge_human"]["intervals"] == {}
    assert found["metrics"]["a"]["agreement"]["human_human"]["intervals"] == {}
    assert found["pass"]["intervals"] == {}
    assert {tuple(pair["intervals"]) for pair in found["labelers"]} == {()}


def test_live_intervals_draw_the_same_conversations(path: Path) -> None:
    found = figures(path, cases(("ann",), 5, "stratum"))
    expected = found["metrics"]["a"]["agreement"]["judge_human"]["intervals"]["kappa_quadratic"]
    with closing(Session.open(path, "dee")) as session:
        shown = LiveFigures(session, load_tallies(path, SCOPE, Hidden("dee", blind=True))).metric(
            "a"
        )
    assert shown is not None
    assert shown.kappa_interval == tuple(expected)
