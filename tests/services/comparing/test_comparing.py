"""Two sides compared: the judge's part, flips by metric, repeated cases, how they came about."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.judging import Endpoint, Judge
from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.cases import operations_of
from reviewer.scoring.scorer import case_of
from reviewer.services.comparing import comparing
from reviewer.services.comparing.comparison import Comparison, Reader, Side, paired
from reviewer.services.project.session import Session
from reviewer.stats.paired import CONSTANT
from reviewer.store import judging, reading
from tests.building import build_project
from tests.services.figure_projects import LEVELS, SIMPLE, score

OLD, NEW = Side("v1"), Side("v2")


def answer(case: int | str, run: str, value: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{run}-{case}-{text}", "case": f"case {case}", "run": run, "input": f"Q {case}",
        "response": text, "scores": [score("a", value)],
    } | more  # fmt: skip


def opened(path: Path, rows: list[dict[str, Any]]) -> Session:
    build_project(path, evaluations=rows, rubric=SIMPLE, runs=("v1", "v2"))
    return Session.open(path)


@pytest.fixture
def drifting(tmp_path: Path) -> Iterator[Session]:
    """Four answers that stayed the same and four new ones; the judge gives one level more."""
    rows = [answer(n, "v1", 2 + n % 2, "same") for n in range(4)]
    rows += [answer(n, "v2", 3 + n % 2, "same") for n in range(4)]
    rows += [answer(n, "v1", 2, "old") for n in range(4, 8)]
    rows += [answer(n, "v2", 4 + n % 2, "new") for n in range(4, 8)]
    with closing(opened(tmp_path / "p.review", rows)) as session:
        yield session


def test_the_judges_part_is_what_moved_on_unchanged_answers(drifting: Session) -> None:
    pair = comparing.compare(drifting, OLD, NEW).metrics["a"]
    assert pair.shift.difference == pytest.approx((4 * 1 + 2 + 3 + 2 + 3) / 8)
    assert pair.judge is not None
    assert (pair.judge.n, pair.judge.difference) == (4, 1.0)
    assert pair.system is not None
    assert pair.system.system == pytest.approx(2.5 - 1)
    found = pair.to_json()
    assert found["judge"] == {
        "n": 4, "difference": 1.0, "interval": [None, None], "level": 0.95, "test": "signs",
        "p": 0.125, "conversations": None, "reason": CONSTANT,
    }  # fmt: skip


def test_why_nothing_passes_or_fails_is_told(tmp_path: Path) -> None:
    rows = [answer(n, run, 3, "same") for n in range(4) for run in ("v1", "v2")]
    path = tmp_path / "p.review"
    unmarked = Rubric(name="simple", metrics=(Metric(name="a", levels=LEVELS),))
    build_project(path, evaluations=rows, rubric=unmarked, runs=("v1", "v2"))
    with closing(Session.open(path)) as session:
        found = comparing.compare(session, OLD, NEW).to_json()
    assert found["pass"]["rate_a"] is None
    assert found["pass"]["reason"] == 'the rubric has pass_rule = "none"'


def test_between_two_judges_on_one_run_there_is_no_part_to_tell(tmp_path: Path) -> None:
    rows = [
        answer(n, "v1", 2, "x", scores=[score("a", 2), score("a", 3, scorer="two")])
        for n in range(3)
    ]
    with closing(opened(tmp_path / "p.review", rows)) as session:
        found = comparing.compare(session, Side("v1", "judge"), Side("v1", "two"))
    assert found.metrics["a"].judge is None
    assert (found.n, found.metrics["a"].shift.difference) == (3, 1.0)


def test_flips_of_a_metric_go_by_its_own_mark_and_name_evaluations_after(
    drifting: Session,
) -> None:
    found = comparing.compare(drifting, OLD, NEW)
    flips = found.metrics["a"].flips
    assert [drifting.place(key)[1] for key in flips.fixed] == [
        "v2-0-same", "v2-2-same", *(f"v2-{n}-new" for n in range(4, 8)),
    ]  # fmt: skip
    assert (flips.broken, flips.both_wrong) == ((), ())
    assert (flips.before_rate, flips.after_rate) == (0.25, 1.0)
    assert [drifting.place(key)[1] for key in found.metrics["a"].moved][:2] == [
        "v2-5-new", "v2-7-new",
    ]  # fmt: skip


def test_a_case_that_is_answered_twice_is_paired_in_order(tmp_path: Path) -> None:
    rows = [answer(1, "v1", 1, "a"), answer(1, "v1", 2, "b"), answer(2, "v1", 3, "c")]
    rows += [answer(2, "v2", 3, "d"), answer(1, "v2", 4, "e"), answer(1, "v2", 5, "f")]
    rows += [answer(1, "v2", 5, "g")]
    with closing(opened(tmp_path / "p.review", rows)) as session:
        reader = Reader(session.project)
        found = paired(reader, reader.read(OLD), reader.read(NEW))
        compared = comparing.compare(session, OLD, NEW)
    assert found.before.tolist() == [2, 0, 1]
    assert found.after.tolist() == [0, 1, 2]
    assert (found.only_before, found.only_after) == (0, 1)
    assert compared.metrics["a"].shift.difference == pytest.approx((0 + 3 + 3) / 3)


def test_latency_cost_cache_and_templates_are_those_of_the_records(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for n in range(40):
        more: dict[str, Any] = {"latency_ms": float(rng.gamma(2, 400)), "cost_usd": n / 1e4}
        more["cache"] = "warm" if n % 3 else "cold"
        if n % 4:
            more["template_matched"] = bool(n % 5)
            more["direct_substitution"] = bool(n % 2)
        rows.append(answer(n, "v1", 3, "x", **(more if n % 7 else {})))
    rows.append(answer(1, "v2", 3, "y"))
    with closing(opened(tmp_path / "p.review", rows)) as session:
        reader = Reader(session.project)
        found = reader.run(reader.read(OLD)).operations
        keys = list(range(1, 41))
        cases = [case_of(x) for x in reading.evaluations(session.project.conn, keys)]
        bare = reader.run(reader.read(NEW)).operations
    expected = operations_of(cases).to_json()
    assert _close(found.to_json(), expected)
    assert found.n_cost == operations_of(cases).n_cost
    assert bare.latency.n == 0
    assert (bare.template_match, bare.direct_substitution) == (None, None)


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_close(one[x], other[x]) for x in one)
    return bool(one == pytest.approx(other))


def test_a_judge_that_was_edited_is_said_beside_the_comparison(drifting: Session) -> None:
    project = drifting.project
    with project.write() as conn:
        conn.execute("UPDATE score_sets SET model = 'm-1'")
    judging.keep(project, Endpoint(name="near"))
    judging.keep(project, Judge(name="judge", endpoint="near", model="m-1"))

    def found() -> Comparison:
        return comparing.compare(drifting, OLD, NEW)

    assert found().to_json()["stale"] == []
    judging.keep(project, Judge(name="judge", endpoint="near", model="m-2"))
    assert found().to_json()["stale"] == [
        {
            "side": side, "what": "metrics.a", "reason": "model", "n": 8,
            "text": "8 scores of A were made by m-1; the judge judge now asks m-2.",
        }
        for side in "ab"
    ]  # fmt: skip
