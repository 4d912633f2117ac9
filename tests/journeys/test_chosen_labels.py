"""Labels that a lead chose where opinions differ say nothing of the judge, and are told so."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from reviewer.cli.main import main
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.stats.agreement import agreement
from reviewer.stats.pairs import array_evidence
from reviewer.stats.values import Scale
from tests.building import build_project, record

COUNT = 400
RUBRIC = Rubric(
    name="verdicts", pass_rule="every", metrics=(Metric(name="fine", scale="binary", pass_at=1),)
)
ALL = ("--option", "selection=all")


class World:
    """400 responses: what people would say of each, and two judges who see them differently."""

    def __init__(self, seed: int = 11) -> None:
        rng = np.random.default_rng(seed)
        self.truth = (rng.random(COUNT) < 0.7).astype(int)
        wrong = rng.random(COUNT) < 0.17
        self.judge = np.where(wrong, 1 - self.truth, self.truth)
        # the second judge errs elsewhere: where both differ one of them is wrong
        other = rng.random(COUNT) < 0.12
        self.second = np.where(other, 1 - self.truth, self.truth)
        apart = np.flatnonzero(self.judge != self.second)
        self.disputed = apart[:90]
        self.drawn = rng.choice(COUNT, 60, replace=False)

    @property
    def kappa(self) -> float:
        return float(cohen_kappa_score(self.truth, self.judge))

    def records(self, *, drawn: bool) -> list[dict[str, Any]]:
        made = []
        for at in range(COUNT):
            labels = []
            if at in self.disputed:
                labels.append(self._label(at, "lead", "disputed"))
            if drawn and at in self.drawn:
                labels.append(self._label(at, "ann", "random"))
            scores = [{"metric": "fine", "value": int(self.judge[at]), "scorer": "judge"}]
            made.append(record(at + 1, scores=scores, labels=labels))
        return made

    def _label(self, at: int, who: str, reason: str) -> dict[str, Any]:
        return {
            "metric": "fine", "labeler": who, "value": int(self.truth[at]), "blind": True,
            "at": "2026-11-10T10:00:00Z", "selection_reason": reason,
        }  # fmt: skip


@pytest.fixture(scope="module")
def world() -> World:
    return World()


def stats(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main(["stats", str(path), "--json", *more]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def judge_human(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["metrics"]["fine"]["agreement"]["judge_human"]
    return found


def test_disputed_labels_count_until_chance_draws_any(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert world.kappa == pytest.approx(0.60, abs=0.03)
    assert world.disputed.size >= 80
    path = build_project(
        tmp_path / "p.review", evaluations=world.records(drawn=False), rubric=RUBRIC
    )
    one = judge_human(stats(path, capsys))
    assert (one["n"], one["n_chosen"]) == (world.disputed.size, 0)
    # far from what the judge is worth, and now it says why
    assert one["kappa"] < 0.2
    assert "No evaluation was drawn by chance" in one["note"]
    assert main(["stats", str(path)]) == 0
    assert "No evaluation was drawn by chance" in capsys.readouterr().out


def test_sixty_random_labels_say_what_the_judge_is_worth(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=world.records(drawn=True), rubric=RUBRIC
    )
    document = stats(path, capsys)
    one = judge_human(document)
    left = set(world.disputed) - set(world.drawn)
    assert (one["n"], one["n_chosen"]) == (60, len(left))
    alone = agreement(
        array_evidence(
            world.judge[world.drawn].astype(float),
            world.truth[world.drawn].astype(float),
            Scale((0, 1)),
        )
    )
    for name in ("percent", "kappa", "ac1", "bias"):
        assert one[name] == pytest.approx(alone[name]), name
    low, high = one["intervals"]["kappa"]
    assert low < world.kappa < high
    assert f"differ: {len(left)}." in one["note"]
    # both verdicts of a response count so as well
    assert document["pass"]["n"] == 60
    assert document["pass"]["n_chosen"] == len(left)
    every = judge_human(stats(path, capsys, *ALL))
    assert (every["n"], every["n_chosen"]) == (60 + len(left), 0)
    assert every["intervals"]["kappa"][1] < world.kappa
    assert every["words"] == {}
    assert one["words"]


def test_the_gate_reads_what_chance_drew(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=world.records(drawn=True), rubric=RUBRIC
    )
    gate = ["check", str(path), "--min-agreement", "kappa:0.4", "--json"]
    assert main(gate) == 0
    (found,) = json.loads(capsys.readouterr().out)["checks"]
    assert found["value"] == pytest.approx(judge_human(stats(path, capsys))["kappa"])
    assert found["n"] == 60


def test_the_first_random_label_takes_the_chosen_ones_out_while_people_label(
    world: World, tmp_path: Path
) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=world.records(drawn=False), rubric=RUBRIC
    )
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        live = LiveFigures(session, load_tallies(path, Scope(), Hidden("ann")))
        before = live.metric("fine")
        assert before is not None
        assert before.n_pairs == world.disputed.size
        assert "drawn by chance" in (before.note or "")
        key = next(at for at in range(COUNT) if at not in world.disputed) + 1
        session.selection_reason = "random"
        entering.commit(session, key, "fine", 1)
        after = live.metric("fine")
        assert after is not None
        assert after.n_pairs == 1
        assert f"differ: {world.disputed.size}." in (after.note or "")
        entering.withdraw(session, key, "fine")
        again = live.metric("fine")
        assert again is not None
        assert (again.n_pairs, again.kappa, again.note) == (
            before.n_pairs, before.kappa, before.note
        )  # fmt: skip
