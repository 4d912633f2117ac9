"""Every shipped example gives a whole document of figures, and the same figures live."""

import json
import math
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.run import Scope
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.upkeep import projects
from reviewer.store.project import Project

SYSTEMS = (None, "agent-rubric", "faq-bot", "guest-response", "harness", "virtual-agent")
SCOPE = Scope(window_months=None)


class Silent:
    cancelled = False

    def advance(self, done: int, total: int | None, note: str = "") -> None: ...


@pytest.fixture(scope="module", params=SYSTEMS, ids=str)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    return projects.make_demo(folder / "example.review", request.param, Silent())


def documents(path: Path) -> list[dict[str, Any]]:
    with Project.open(path) as project:
        return [
            compute(
                project, StatsRequest(scope=SCOPE, preset=preset, group_by="category")
            ).to_json()
            for preset in ("published", "recommended")
        ]


def unexplained(part: Any, where: str = "", above: tuple[str, ...] = ()) -> list[str]:
    """Name every null that the nearest list of reasons does not hold."""
    if isinstance(part, list):
        return [x for at, one in enumerate(part) for x in unexplained(one, f"{where}[{at}]")]
    if not isinstance(part, dict):
        return []
    reasons = tuple(part.get("undefined", ("mean", "low", "high") if "reason" in part else above))
    found = [
        f"{where}.{name}"
        for name, value in part.items()
        if value is None and name not in (*reasons, "value")
    ]
    for name, value in part.items():
        if name not in ("options", "filters"):
            found += unexplained(value, f"{where}.{name}", reasons)
    return found


def test_no_null_is_left_without_a_reason(example: Path) -> None:
    for document in documents(example):
        json.dumps(document, allow_nan=False)
        assert unexplained(document) == []
        assert document["satisfaction"]["n_labelled"] > 0
        assert document["metrics"]


def test_live_figures_are_those_of_the_document(example: Path) -> None:
    with closing(Session.open(example, "somebody new")) as session:
        session.blind = False
        tallies = load_tallies(example, SCOPE, Hidden(session.labeler.name))
        live = LiveFigures(session, tallies)
        document = next(x for x in documents(example) if x["preset"] == tallies.choices.preset)
        for name, block in document["metrics"].items():
            found = live.metric(name)
            assert found is not None
            for field in ("auto_mean", "human_mean", "gap_mean", "adjusted_mean"):
                mine, theirs = getattr(found, field), block[field]
                assert (mine is None) == (theirs is None), (name, field)
                if mine is not None:
                    assert math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9), (name, field)
            agreement = block["agreement"]["judge_human"]
            if found.kappa is not None:
                field = "kappa_quadratic" if agreement["kappa_quadratic"] else "kappa"
                assert math.isclose(found.kappa, agreement[field], abs_tol=1e-9)
                interval = agreement["intervals"].get(field)
                assert found.kappa_interval == (tuple(interval) if interval else None)
