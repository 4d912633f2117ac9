"""What-if: the figures after are those of a project that has the other rubric and options."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.services.audits import passing, what_if
from reviewer.services.audits.passing import WHOLE
from reviewer.services.audits.what_if import Base, Beside, Change, Outcome, changed_rubric
from reviewer.services.figures.statistics import StatsRequest
from reviewer.stats.rates import RATES
from tests.services.audits.audit_projects import SCOPE, audited, random_records
from tests.services.figure_projects import MIXED, SIMPLE, case, label, score

CHANGES = {
    "marks": Change(marks=(("a", 4.0), ("b", None))),
    "weights": Change(weights=(("a", 0.0), ("reversed", 3.0))),
    "rule": Change(pass_rule="overall", pass_at=3.2),
    "rule and weights": Change(pass_rule="overall", pass_at=3.2, weights=(("b", 5.0),)),
    "preset": Change(preset="recommended"),
    "options": Change(options=(("min_records", "5"), ("composite_band", "metrics"))),
    "window": Change(options=(("window_months", "0"),)),
    "labels": Change(options=(("label_combine", "median"),)),
    "latest": Change(preset="recommended", options=(("label_combine", "latest"),)),
}


def values(outcome: Outcome, side: str) -> dict[tuple[str, str], Any]:
    return {(one.group, one.title): getattr(one, side) for one in outcome.figures}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("subject", [WHOLE, "a"])
@pytest.mark.parametrize("metric", ["satisfaction", "b"])
def test_afterwards_stands_what_the_changed_project_would_show(
    tmp_path: Path, change: Change, subject: str, metric: str
) -> None:
    records = random_records(11, 150)
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with audited(tmp_path / "one", records) as (session, audit):
        found = what_if.compute(Base(audit), subject, metric, change, session)
        before = passing.sides_of(audit.frame.table, subject, "drawn")
    request = StatsRequest(
        scope=SCOPE, preset=change.preset or MIXED.preset, options=change.options
    )
    rubric = changed_rubric(MIXED, change)
    with audited(tmp_path / "other", records, rubric, request=request) as (_, other):
        alone = what_if.compute(Base(other), subject, metric, Change())
        after = passing.sides_of(other.frame.table, subject, "drawn")
    assert values(found, "after") == values(alone, "before")
    assert values(alone, "before") == values(alone, "after")
    assert not any(one.moved for one in alone.figures)
    assert alone.flips == ()
    flipped = (before.auto != after.auto) | (before.human != after.human)
    assert found.flipped().tolist() == before.keys[flipped].tolist()


PARTS = ("a", "b", "unweighted", "reversed")
DERIVING = replace(
    MIXED,
    name="deriving",
    metrics=tuple(
        replace(metric, pass_at=3) if metric.name == "satisfaction" else metric
        for metric in MIXED.metrics
    ),
)


def partly_labelled(seed: int) -> list[dict[str, Any]]:
    """Evaluations of which people label some metrics only, and leads decide a few."""
    rng = np.random.default_rng(seed)
    records = []
    for number in range(80):
        labels = [
            label(
                name, int(rng.integers(1, 6)), selection_reason="random", blind=rng.random() < 0.5
            )
            for name in PARTS
            if rng.random() < 0.7
        ]
        if rng.random() < 0.3:
            name = str(rng.choice(PARTS))
            labels.append(label(name, int(rng.integers(1, 6)), "lead", kind="adjudication"))
        if rng.random() < 0.1:
            labels.append(label("least", int(rng.integers(1, 6))))
        judged = [name for name in (*PARTS, "least") if rng.random() < 0.7]
        scores = [score(name, int(rng.integers(1, 6))) for name in judged]
        records.append(case(number, scores, labels))
    return records


@pytest.mark.parametrize("seed", range(5))
def test_means_that_are_derived_follow_the_weights_as_in_a_project_with_them(
    tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    names = rng.permutation([*PARTS, "least"])[: 1 + seed % 4].tolist()
    change = Change(weights=tuple((name, float(rng.choice([0, 0, 1, 3]))) for name in names))
    start = replace(DERIVING, missing="null" if seed % 2 else "renormalise")
    records = partly_labelled(seed)
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
    for subject in (WHOLE, "satisfaction"):
        with audited(tmp_path / "one", records, start) as (session, audit):
            found = what_if.compute(Base(audit), subject, "satisfaction", change, session)
            before = passing.sides_of(audit.frame.table, subject, "drawn")
        rubric = changed_rubric(start, change)
        with audited(tmp_path / "other", records, rubric) as (_, other):
            alone = what_if.compute(Base(other), subject, "satisfaction", Change())
            after = passing.sides_of(other.frame.table, subject, "drawn")
        assert values(found, "after") == values(alone, "before")
        flipped = (before.auto != after.auto) | (before.human != after.human)
        assert found.flipped().tolist() == before.keys[flipped].tolist()
        for path in tmp_path.glob("*/*.review*"):
            path.unlink()


def test_a_weight_taken_away_moves_the_metric_that_is_the_overall(tmp_path: Path) -> None:
    records = [
        case(
            number,
            [score("a", 4), score("b", 4), score("reversed", 4)],
            [label(name, 2) for name in ("a", "b", "reversed")[: 2 + number % 2]],
        )
        for number in range(10)
    ]
    change = Change(weights=(("reversed", 0.0),))
    with audited(tmp_path, records) as (_, audit):
        found = what_if.compute(Base(audit), WHOLE, "satisfaction", change)
    one, other = [x for x in found.figures if x.title == "Human mean"]
    # a 2, b 2; least and, of every other one, reversed stand at the judge's 4 (reversed: 2)
    assert (other.before.n, other.after.n) == (10, 10)
    assert other.before.value == pytest.approx((2.4 + 2.8) / 2)
    assert other.after.value == pytest.approx(10 / 4)
    assert (one.before, one.after) == (other.before, other.after)


def test_each_rate_counts_the_evaluations_that_it_is_a_share_of(tmp_path: Path) -> None:
    records = [
        case(n, [score("a", 1 + n % 5)], [label("a", 1 if n in (0, 5, 6) else 4)])
        for n in range(60)
    ]
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        found = what_if.compute(Base(audit), WHOLE, "a", Change(marks=(("a", 5.0),)))
        shown = passing.read(session, audit, WHOLE)
    counted = {one.title: (one.before.n, one.after.n) for one in found.figures[:6]}
    assert counted["Fails caught"] == (3, 60)
    assert counted["Passes passed"] == (57, 0)
    assert counted["Fails confirmed"] == (24, 48)
    assert counted["Judge passes"] == counted["People pass"] == (60, 60)
    for name in ("catch_rate", "specificity", "precision"):
        card = passing.rate(shown.block, shown.cells, name)
        assert counted[RATES[name].title][0] == card.n


def test_flips_say_from_which_verdict_to_which(tmp_path: Path) -> None:
    records = [case(n, [score("a", 1 + n % 5)]) for n in range(10)]
    with audited(tmp_path, records, SIMPLE) as (_, audit):
        found = what_if.compute(Base(audit), WHOLE, "a", Change(marks=(("a", 4.0),)))
        gone = what_if.compute(Base(audit), WHOLE, "a", Change(marks=(("a", None),)))
    (flip,) = found.flips
    assert (flip.who, flip.before, flip.after, flip.keys.size) == ("judge", "pass", "fail", 2)
    assert found.flipped("people").size == 0
    assert {(x.before, x.after): x.keys.size for x in gone.flips} == {
        ("pass", "open"): 6,
        ("fail", "open"): 4,
    }
    rate = gone.figures[0]
    assert rate.moved
    assert rate.after.value is None
    assert rate.after.reason == "no metric of the rubric has a pass mark"


def test_a_rubric_without_verdicts_can_be_given_one(tmp_path: Path) -> None:
    rubric = replace(SIMPLE, name="ruleless", pass_rule="none")
    records = [case(n, [score("a", 1 + n % 5)]) for n in range(10)]
    with audited(tmp_path, records, rubric) as (_, audit):
        found = what_if.compute(Base(audit), WHOLE, "a", Change(pass_rule="every"))
        nothing = what_if.compute(Base(audit), WHOLE, "a", Change())
    assert found.figures[0].before.value is None
    assert found.figures[0].after.value == pytest.approx(0.6)
    assert found.flipped().size == 10
    assert nothing.flips == ()


def test_labels_combined_otherwise_are_read_once(tmp_path: Path) -> None:
    change = CHANGES["labels"]
    with audited(tmp_path, random_records(3)) as (session, audit):
        base = Base(audit)
        assert not base.has(change)
        first = what_if.compute(base, WHOLE, "a", change, session)
        assert base.has(change)
        again = what_if.compute(base, WHOLE, "a", change)
        assert base.has(CHANGES["preset"])
    assert values(first, "after") == values(again, "after")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (Change(marks=(("nowhere", 3.0),)), "has no metric 'nowhere'"),
        (Change(marks=(("a", 9.0),)), "A runs from 1 to 5; a pass mark of 9 lies outside"),
        (Change(marks=(("tone", 1.0),)), "Tone has no range, so it takes no pass mark"),
        (Change(weights=(("a", -1.0),)), "a weight is 0 or more, not -1"),
        (Change(weights=(("a", float("nan")),)), "a weight is 0 or more"),
        (Change(pass_rule="overall"), "need its pass mark"),
        (Change(preset="odd"), "no preset 'odd'"),
        (Change(options=(("band_gate", "odd"),)), "band_gate"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, change: Change, sentence: str) -> None:
    with (
        audited(tmp_path, random_records(1, 10)) as (_, audit),
        pytest.raises(ReviewerError, match=sentence),
    ):
        what_if.compute(Base(audit), WHOLE, "a", change)


def test_all_weights_zero_leave_no_satisfaction_but_a_reason(tmp_path: Path) -> None:
    none = Change(weights=tuple((metric.name, 0.0) for metric in MIXED.metrics))
    with audited(tmp_path, random_records(4)) as (_, audit):
        found = what_if.compute(Base(audit), WHOLE, "a", none)
    gone = [x for x in found.figures if x.group == what_if.SATISFACTION]
    assert all(x.after.value is None and x.after.reason for x in gone)


def test_nothing_is_saved(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(4)) as (session, audit):
        rubric: Rubric = session.current_rubric()
        seq = session.project.conn.execute("SELECT total_changes()").fetchone()
        for change in CHANGES.values():
            what_if.compute(Base(audit), WHOLE, "a", change, session)
        assert session.project.conn.execute("SELECT total_changes()").fetchone() == seq
        assert session.current_rubric() == rubric


def test_a_figure_that_is_there_on_one_side_only_has_moved() -> None:
    there, gone = what_if.Shown(0.5, 3), what_if.Shown(None, 0, reason="nothing")
    assert Beside("x", "y", "share", there, gone).moved
    assert not Beside("x", "y", "share", gone, gone).moved
    assert not Beside("x", "y", "share", there, what_if.Shown(0.5 + 1e-12, 3)).moved
