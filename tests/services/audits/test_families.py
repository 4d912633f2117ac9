"""Families: their figures, and the lists of responses on which they contradict each other."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing, families, family_rules
from reviewer.services.audits.family_rules import RULES, Found
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SIMPLE, case, label, score

ONE_TO_FIVE = tuple(Level(value=value) for value in range(1, 6))
FAQ = Rubric(
    name="faq",
    metrics=(
        Metric(name="exact_match", family="correctness", scale="binary", labelled=False),
        Metric(name="keyword_recall", family="correctness", scale="range", min=0, max=1),
        Metric(
            name="answer_length", family="communication", scale="measure", unit="characters"
        ),
        Metric(name="politeness", family="communication", scale="range", min=0, max=1),
        Metric(
            name="latency", family="operations", scale="measure", unit="ms",
            higher_is_better=False,
        ),
        Metric(name="relevance", family="semantic review", levels=ONE_TO_FIVE),
        Metric(name="faithfulness", family="semantic review", levels=ONE_TO_FIVE),
        Metric(name="tone", family="semantic review", scale="categorical", values=("a", "b")),
        Metric(name="alone", levels=ONE_TO_FIVE),
    ),
)  # fmt: skip


def answer(number: int, **values: Any) -> dict[str, Any]:
    labels = (
        [label("relevance", values["relevance"] - 1)] if values.get("relevance", 1) > 1 else []
    )
    return case(number, [score(name, value) for name, value in values.items()], labels)


def records(seed: int = 0, count: int = 100) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [
        answer(
            number,
            exact_match=int(rng.integers(0, 2)),
            keyword_recall=round(float(rng.random()), 2),
            answer_length=int(rng.integers(1, 300)),
            politeness=float(rng.choice([0.0, 0.5, 1.0])),
            latency=float(rng.integers(1, 2000)),
            relevance=int(rng.integers(1, 6)),
            faithfulness=int(rng.integers(1, 6)),
        )
        for number in range(count)
    ]


def by_rule(found: tuple[Found, ...]) -> dict[str, Found]:
    return {one.rule.name: one for one in found}


def ids(session: Session, keys: Any) -> set[int]:
    return {int(session.place(int(key))[1][1:]) for key in keys}


def test_each_list_holds_what_its_rule_says(tmp_path: Path) -> None:
    values = [{one["metric"]: one["value"] for one in record["scores"]} for record in records()]
    short = np.percentile([one["answer_length"] for one in values], 5)
    slow = np.percentile([one["latency"] for one in values], 95)
    expected = {
        "paraphrase": [x["exact_match"] == 0 and x["relevance"] >= 4 for x in values],
        "words_without_sense": [
            x["keyword_recall"] >= 0.8 and min(x["relevance"], x["faithfulness"]) <= 2
            for x in values
        ],
        "curt": [x["answer_length"] < short for x in values],
        "polite_but_wrong": [x["politeness"] >= 0.5 and x["relevance"] <= 2 for x in values],
        "good_but_slow": [x["latency"] > slow and x["relevance"] >= 4 for x in values],
    }
    with audited(tmp_path, records(), FAQ) as (session, audit):
        found = by_rule(family_rules.find(audit.frame.table, {}))
        assert set(found) == set(expected)
        for name, holds in expected.items():
            wanted = set(np.flatnonzero(holds).tolist())
            assert ids(session, found[name].keys) == wanted, name
            assert found[name].n == 100
            assert found[name].share == pytest.approx(len(wanted) / 100)
            assert found[name].interval is not None


def test_thresholds_are_those_of_the_framework_on_its_scales(tmp_path: Path) -> None:
    with audited(tmp_path, records(), FAQ) as (_, audit):
        found = family_rules.find(audit.frame.table, {})
    words = {one.rule.name: [f"{x.words} {x.value:g}" for x in one.thresholds] for one in found}
    assert words == {
        "paraphrase": ["Exact match ≤ 0", "Relevance ≥ 4"],
        "words_without_sense": ["Keyword recall ≥ 0.8", "Relevance or Faithfulness ≤ 2"],
        "curt": ["Answer length < 5"],
        "polite_but_wrong": ["Politeness ≥ 0.5", "Relevance ≤ 2"],
        "good_but_slow": ["Latency > 95", "Relevance ≥ 4"],
    }
    assert found[2].thresholds[0].cut is not None
    assert found[2].thresholds[0].unit == "characters"


def test_thresholds_are_kept_in_the_project_and_can_be_reset(tmp_path: Path) -> None:
    with audited(tmp_path, records(), FAQ) as (session, audit):
        first = by_rule(families.read(session, audit).found)["paraphrase"]
        relevance = first.thresholds[1]
        family_rules.keep(session, relevance, 5)
        changed = by_rule(families.read(session, audit).found)["paraphrase"]
        assert changed.keys.size < first.keys.size
        assert changed.thresholds[1].value == 5
        assert changed.thresholds[1].default == 4
        family_rules.keep(session, relevance, 4)
        assert family_rules.kept(session.project) == {}
        family_rules.keep(session, relevance, 3)
        family_rules.reset(session)
        again = by_rule(families.read(session, audit).found)["paraphrase"]
        assert again.keys.tolist() == first.keys.tolist()
        with pytest.raises(ReviewerError, match="must lie between 1 and 5"):
            family_rules.keep(session, relevance, 9)
        with pytest.raises(ReviewerError, match="between"):
            family_rules.keep(session, relevance, float("nan"))


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[1]", '{"paraphrase.relevance": "4"}', '{"odd": 3}', "NaN", "null"]
)
def test_damaged_thresholds_fall_back_to_the_defaults(tmp_path: Path, text: str) -> None:
    with audited(tmp_path, records(count=5), FAQ) as (session, _):
        session.project.set_setting(family_rules.SETTING, text)
        assert family_rules.kept(session.project) == {}


def test_what_a_rule_lacks_is_said(tmp_path: Path) -> None:
    few = replace(FAQ, name="few", metrics=FAQ.metrics[3:4] + FAQ.metrics[5:6])
    silent = [answer(n, relevance=4) for n in range(20)]
    with audited(tmp_path, silent, few) as (_, audit):
        found = by_rule(family_rules.find(audit.frame.table, {}))
    assert found["paraphrase"].reason == "the rubric has no metric exact_match"
    assert found["polite_but_wrong"].reason == "no evaluation has a score of Politeness"
    assert found["curt"].reason == "the rubric has no metric answer_length"
    assert found["curt"].share is None
    assert found["paraphrase"].thresholds[0].words == "Exact match ≤"


def test_one_of_two_alternatives_is_enough(tmp_path: Path) -> None:
    known = [answer(n, keyword_recall=0.9, faithfulness=1 + n % 5) for n in range(20)]
    with audited(tmp_path, known, FAQ) as (_, audit):
        found = by_rule(family_rules.find(audit.frame.table, {}))["words_without_sense"]
    assert found.n == 20
    assert found.keys.size == 8


def test_a_threshold_is_carried_over_to_the_scale_of_the_other_metric(tmp_path: Path) -> None:
    metrics = tuple(
        Metric(name="faithfulness", family="semantic review", scale="range", min=0, max=1)
        if metric.name == "faithfulness"
        else metric
        for metric in FAQ.metrics
    )
    rubric = replace(FAQ, name="scales", metrics=metrics)
    known = [
        answer(n, keyword_recall=0.9, relevance=3 + n % 3, faithfulness=n / 20) for n in range(20)
    ]
    with audited(tmp_path, known, rubric) as (session, audit):
        first = by_rule(family_rules.find(audit.frame.table, {}))["words_without_sense"]
        assert ids(session, first.keys) == set(range(6)), "2 of 1 to 5 is 0.25 of 0 to 1"
        family_rules.keep(session, first.thresholds[1], 3)
        changed = by_rule(family_rules.find(audit.frame.table, family_rules.kept(session.project)))
        unfaithful = set(range(11)) | {n for n in range(20) if n % 3 == 0}
        assert ids(session, changed["words_without_sense"].keys) == unfaithful
    assert first.thresholds[1].words == "Relevance or, on its own scale, Faithfulness ≤"


def test_a_family_is_the_mean_of_its_scaled_metrics(tmp_path: Path) -> None:
    with audited(tmp_path, records(1), FAQ) as (_, audit):
        found = {one.name: one for one in families.rows(audit)}
        autos = audit.frame.table.autos()
    assert list(found) == ["correctness", "communication", "operations", "semantic review"]
    units = (autos["exact_match"] + autos["keyword_recall"]) / 2
    correct = found["correctness"]
    assert correct.level == pytest.approx(units.mean())
    assert (correct.low, correct.high) == pytest.approx(
        stats.t.interval(0.95, 99, units.mean(), stats.sem(units))
    )
    assert found["operations"].level is None
    assert found["operations"].reason == "its metrics have no common scale"
    (latency,) = found["operations"].metrics
    assert latency.is_measure
    assert latency.median == pytest.approx(np.median(autos["latency"]))
    assert latency.high_end == pytest.approx(np.percentile(autos["latency"], 95))
    relevance, _, tone = found["semantic review"].metrics
    assert relevance.n_human > 0
    assert relevance.gap_mean == pytest.approx(-1)
    assert tone.reason == "its values are categories"


def test_lower_is_better_is_turned_and_missing_scores_are_left_out(tmp_path: Path) -> None:
    rubric = replace(
        FAQ,
        name="turned",
        metrics=(
            replace(FAQ.metrics[5], higher_is_better=False, family="one"),
            replace(FAQ.metrics[6], family="one"),
        ),
    )
    some = [answer(0, relevance=1), answer(1, faithfulness=5), answer(2)]
    with audited(tmp_path, some, rubric) as (_, audit):
        (one,) = families.rows(audit)
    assert one.n == 2
    assert one.level == pytest.approx(1)
    assert one.low is None


def test_points_are_the_scores_of_both_metrics(tmp_path: Path) -> None:
    some = [answer(0, relevance=1, latency=5), answer(1, relevance=2), answer(2, latency=7)]
    with audited(tmp_path, some, FAQ) as (session, audit):
        found = families.points(audit, "latency", "relevance")
        assert ids(session, found.keys) == {0}
        assert (found.x.tolist(), found.y.tolist(), found.hidden) == ([5], [1], 0)


@pytest.fixture
def blind(tmp_path: Path) -> Iterator[Session]:
    rubric = replace(SIMPLE, metrics=(replace(SIMPLE.metrics[0], family="only"),))
    with audited(tmp_path, [case(n, [score("a", 3)]) for n in range(5)], rubric) as (session, _):
        session.blind = True
        yield session


def test_points_do_not_show_what_the_labeler_may_not_see(blind: Session) -> None:
    audit = auditing.compute(blind, StatsRequest())
    found = families.points(audit, "a", "a")
    assert found.hidden == 5
    assert found.keys.size == 0
    entering.commit(blind, int(audit.frame.table.keys[0]), "a", 4)
    again = families.points(auditing.compute(blind, StatsRequest()), "a", "a")
    assert again.keys.tolist() == [int(audit.frame.table.keys[0])]


def test_only_rubrics_with_families_have_them() -> None:
    assert families.has_families(FAQ)
    assert not families.has_families(SIMPLE)


def test_the_shipped_example_fills_lists(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "faq.review", "faq-bot", Silent())
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        table = families.read(session, auditing.compute(session, StatsRequest()))
    assert [one.name for one in table.families] == [
        "correctness", "communication", "operations", "semantic review",
    ]  # fmt: skip
    assert all(one.reason is None for one in table.found)
    assert sum(one.keys.size for one in table.found) > 0


def test_every_rule_names_its_conditions_once() -> None:
    keys = [f"{rule.name}.{x.metrics[0]}" for rule in RULES for x in rule.conditions]
    assert len(keys) == len(set(keys))


def test_with_several_runs_each_bot_stands_apart(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "faq.review", "faq-bot", Silent())
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        both = StatsRequest(scope=Scope(every_run=True))
        found = families.read(session, auditing.compute(session, both))
        assert [one.run for one in found.runs] == ["strict match", "full context"]
        for apart in found.runs:
            alone = StatsRequest(scope=Scope(runs=(apart.run,)))
            whole = families.read(session, auditing.compute(session, alone))
            assert whole.families == apart.families
            assert whole.runs == ()
            assert apart.own(found.runs[0].keys).size == (26 if apart is found.runs[0] else 0)
