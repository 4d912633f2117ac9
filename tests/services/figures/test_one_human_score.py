"""Every place says the same human score of a response, whatever options a project keeps."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.run import Scope
from reviewer.services.figures import figure_settings, figure_table
from reviewer.services.figures.figure_settings import FigureSettings, kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.request import covered
from reviewer.services.findings import insights
from reviewer.services.listing import listing
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import disagreements
from tests.building import build_project
from tests.services.figure_projects import MIXED, SCOPE, SIMPLE, again, case, label, score

CHOICES: tuple[dict[str, str], ...] = (
    {},
    {"label_combine": "median"},
    {"label_combine": "latest"},
    {"label_combine": "consensus"},
    {"derived_labels": "count"},
    {"label_combine": "median", "derived_labels": "count", "require_weighted_label": "true"},
    {"rescale": "ratio"},
)
CROWD = ("ann", "bo", "cyd", "dee", "eve", "fay")
CHANCE = 7


def three_labels(number: int) -> dict[str, Any]:
    given = [label("a", value, who) for who, value in zip(CROWD, (1, 5, 5), strict=False)]
    return case(number, [score("a", 3)], given)


def test_a_kept_median_holds_in_every_place(tmp_path: Path) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=[three_labels(1)], rubric=SIMPLE, runs=("r1",)
    )
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        figure_settings.change(session, "published", "label_combine=median")

        def found(words: str) -> int:
            return listing.build(session, filter_text=words).total

        (row,) = listing.rows(session, [1])
        assert row.gap == 2
        for words in ("gap>1", "gap=2", "|gap|>1", "gap:a>1", "human:a=5", "-human:a<5"):
            assert found(words) == 1, words
        for words in ("human:a<5", "gap:a<1", "-gap>1", "human:a=5 -gap:a>1"):
            assert found(words) == 0, words
        (differs,) = disagreements.find(session.project, Scope())
        assert (differs["human"], differs["gap"]) == (5, 2)
        source = insights.read(
            session,
            Scope(),
            options=kept_options(session.project, session.rubric_of_run(session.run_keys()[0])),
        )
        assert source.table.metrics["a"].human.score.tolist() == [5]
        live = LiveFigures(session, load_tallies(path, Scope(runs=("r1",)), Hidden("lead")))
        one = live.evaluation(1).metrics["a"]
        assert (one.human, one.gap) == (5, 2)
        (row,) = listing.rows(session, [1])
        assert row.gap == 2
    metric = again(path)["metrics"]["a"]
    assert (metric["human_mean"], metric["gap_mean"]) == (5, 2)


def records(seed: int) -> list[dict[str, Any]]:
    """Make responses of two runs: decided, tied, derived, excluded, without a date or a score."""
    chance = random.Random(seed)  # noqa: S311 - the same project every time
    made = []
    for number in range(40):
        names = [x for x in ("a", "b", "unweighted", "reversed") if chance.random() < 0.8]
        scores = [score(name, chance.randint(1, 5)) for name in names]
        scores.append(score("tone", chance.choice(("warm", "cold"))))
        given = []
        for name in ("a", "b", "unweighted", "reversed", "least"):
            for who in CROWD:
                if chance.random() < (0.1 if name == "least" else 0.4):
                    at = f"2026-08-{chance.randint(1, 28):02}T12:00:00Z"
                    given.append(label(name, chance.randint(1, 5), who, at=at))
        given += [label("tone", chance.choice(("warm", "cold")), who) for who in CROWD[:3]]
        if chance.random() < 0.3:
            given.append(label("a", chance.randint(1, 5), "lead", kind="adjudication"))
        one = case(number, scores, given, run=f"r{number % 2 + 1}")
        if chance.random() < 0.1:
            one["excluded"] = {"reason": "twice"}
        if chance.random() < 0.1:
            del one["evaluated_at"]
        made.append(one)
    return made


@pytest.mark.parametrize("change", CHOICES, ids=lambda x: "-".join(x.values()) or "none")
@pytest.mark.parametrize("preset", ["published", "recommended"])
def test_rows_filters_and_cards_say_what_the_columns_say(
    tmp_path: Path, preset: str, change: dict[str, str]
) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=records(CHANCE), rubric=MIXED, runs=("r1", "r2")
    )
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        figure_settings.write(session.project, FigureSettings(preset, tuple(change.items())))
        for run in ("r1", "r2"):
            assert_run(session, run)


def assert_run(session: Session, run: str) -> None:
    project, scope = session.project, Scope(runs=(run,))
    found = covered(project, scope)
    table = figure_table.load(
        project,
        scope,
        rubric=found.rubric,
        within=found.within,
        options=kept_options(project, found.rubric),
    )
    keys = table.keys.tolist()
    gaps = known(table.overall().gap)
    assert rows(session, keys) == pytest.approx(gaps)
    live = LiveFigures(session, load_tallies(project.path, scope, Hidden("lead")))
    assert rows(session, keys) == pytest.approx(gaps)
    for place, key in enumerate(keys):
        card = live.evaluation(key).overall
        assert card.gap == pytest.approx(gaps.get(place))
    live.close()
    assert rows(session, keys) == pytest.approx(gaps)
    assert_filters(session, run, table)
    order = listing.build(session, filter_text=f"run:{run} -state:excluded", order=QueueOrder.GAP)
    sizes = [abs(gaps.get(keys.index(key), -1.0)) for key in order.ids]
    assert sizes == sorted(sizes, reverse=True)
    listed = {
        (row["id"], row["metric"]): (row["human"], row["gap"])
        for row in disagreements.find(project, scope)
    }
    for name in ("a", "b", "least", "reversed"):
        one = table.metrics[name]
        for place, key in enumerate(keys):
            human, gap = float(one.human.score[place]), one.human.score[place] - one.auto[place]
            row = listed.get((session.place(key)[1], name))
            if row is not None and not np.isnan(gap):
                assert row == pytest.approx((human, gap))
            elif not np.isnan(gap):
                assert gap == 0


def rows(session: Session, keys: list[int]) -> dict[int, float]:
    found = listing.rows(session, keys)
    return {place: row.gap for place, row in enumerate(found) if row.gap is not None}


def known(column: "np.ndarray[Any, np.dtype[np.float64]]") -> dict[int, float]:
    return {place: x for place, x in enumerate(column.tolist()) if not np.isnan(x)}


def assert_filters(session: Session, run: str, table: FigureTable) -> None:
    keys, overall = table.keys, table.overall().gap
    a, tone = table.metrics["a"], table.metrics["tone"]
    whole = table.metrics["satisfaction"]
    gap = a.human.score - a.auto
    expected = {
        "gap>0.5": overall > 0.5,
        "|gap|<=0.25": np.abs(overall) <= 0.25,
        "-gap>0.5": ~(overall > 0.5),
        "human:a>=3": a.human.score >= 3,
        "human:a!=3": np.isfinite(a.human.score) & (a.human.score != 3),
        "-human:a>=3": ~(a.human.score >= 3),
        "gap:a<0": gap < 0,
        "human:least>=3": table.metrics["least"].human.score >= 3,
        "auto:least>=3": table.metrics["least"].auto >= 3,
        "gap:satisfaction>0.5": overall > 0.5,
        "auto:satisfaction>3": whole.auto > 3,
        "human:tone=warm": tone.human.score == 0,
        "human:tone!=warm": tone.human.score == 1,
        "human:a>=3 gap:a<0": (a.human.score >= 3) & (gap < 0),
        "human:a>=3 OR gap:a<0": (a.human.score >= 3) | (gap < 0),
        "-(human:a>=3 OR -gap:a<0)": ~((a.human.score >= 3) | ~(gap < 0)),
    }
    for words, flags in expected.items():
        text = f"run:{run} -state:excluded ({words})"
        found = listing.build(session, filter_text=text).ids
        assert sorted(found) == keys[flags].tolist(), words


def test_stats_are_of_the_same_scores(tmp_path: Path) -> None:
    """The document's means are those of the scores that a filter finds."""
    path = build_project(
        tmp_path / "p.review", evaluations=records(CHANCE), rubric=MIXED, runs=("r1", "r2")
    )
    for how in ("mean", "median", "latest"):
        with closing(Session.open(path, "lead")) as session:
            session.blind = False
            figure_settings.change(session, "published", f"label_combine={how}")
            low = listing.build(session, filter_text="-state:excluded human:a<3").total
            known = listing.build(session, filter_text="-state:excluded human:a>=0").total
        metric = again(path, scope=SCOPE)["metrics"]["a"]
        assert metric["n_human"] == known
        assert low < known
