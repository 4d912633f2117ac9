"""Segments: each is what its own evaluations say, and many looks are corrected for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from reviewer.domain.errors import CancelledError
from reviewer.services.audits import segments
from reviewer.services.audits.segment_values import (
    COUNTED,
    FEW,
    Segment,
    SegmentTable,
    TextFacts,
    told,
)
from reviewer.services.audits.segments import SegmentSource
from reviewer.stats.reasons import UNORDERED
from tests.services.audits.audit_projects import audited, random_records
from tests.services.audits.test_passing import Stopped
from tests.services.figure_projects import LEVELS, MIXED, SIMPLE, case, label, score

TEXTS = (
    "Die Lieferung dauert drei Tage und ist nicht teuer.",
    "The delivery takes three days and is not expensive, thank you for asking us about it.",
    "4711",
    "La livraison est gratuite pour vous et elle dure trois jours.",
)


def mixed_records(seed: int = 0, count: int = 160) -> list[dict[str, Any]]:
    """Evaluations of two runs and models, with tags that overlap and texts in several tongues."""
    found = random_records(seed, count)
    for number, fields in enumerate(found):
        fields["run"] = f"run {number % 2}"
        fields["model"] = f"model {number % 3}"
        fields["response"] = TEXTS[number % 4]
        fields["tags"] = [f"tag {number % 5}", *(["rare"] if number % 40 == 0 else [])]
    return found


def by_name(table: SegmentTable) -> dict[str, Segment]:
    return {one.title: one for one in table.segments}


def test_every_figure_is_that_of_the_segment_alone(tmp_path: Path) -> None:
    with audited(tmp_path, mixed_records()) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        table = segments.table(source, "a")
        pairs = audit.pairs["a"]
        for one in table.segments:
            rows = source.rows(one)
            mine = np.isin(pairs.keys, audit.frame.table.keys[rows]) & pairs.counted
            gaps, rest = pairs.gaps[mine], pairs.gaps[pairs.counted & ~mine]
            assert one.gap.n == gaps.size
            if one.gap.n < 10:
                assert one.gap.value is None
                assert one.gap.reason == FEW
                continue
            assert one.gap.value == pytest.approx(gaps.mean())
            low, high = stats.t.interval(0.95, gaps.size - 1, gaps.mean(), stats.sem(gaps))
            assert (one.gap.low, one.gap.high) == pytest.approx((low, high))
            assert one.gap.all_low is not None
            assert one.gap.all_low < low
            agreed = pairs.same()[mine & pairs.in_table()]
            assert one.agreement.value == pytest.approx(agreed.mean())
            assert (one.agreement.low, one.agreement.high) == pytest.approx(
                proportion_confint(agreed.sum(), agreed.size, method="wilson")
            )
            assert stats.ttest_ind(gaps, rest, equal_var=False).pvalue <= 1
        titles = {one.title for one in table.segments}
    assert {
        "Category alpha", "Category without category", "Tag rare", "Tag tag 3", "Run run 1",
        "Model model 2", "Language German", "Language unknown", "Language French",
    } <= titles  # fmt: skip
    assert sum(title.startswith("Characters") for title in titles) == 4


def test_all_p_values_of_the_screen_are_adjusted_together(tmp_path: Path) -> None:
    with audited(tmp_path, mixed_records(2, 240)) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        table = segments.table(source, "a", dimension="category")
        whole = segments.table(source, "a")
        pairs = audit.pairs["a"]
        expected = []
        for one in table.segments:
            mine = np.isin(pairs.keys, audit.frame.table.keys[source.rows(one)])
            mine, others = mine & pairs.counted, ~mine & pairs.counted
            gaps = stats.ttest_ind(pairs.gaps[mine], pairs.gaps[others], equal_var=False)
            # several labels an evaluation agree in part, which a test of counts does not know
            shares = [pairs.same()[side & pairs.in_table()] for side in (mine, others)]
            agreed = stats.ttest_ind(*shares, equal_var=False)
            failed = pairs.human < 3
            missed = [
                [int((failed & side & hit).sum()) for hit in (pairs.auto < 3, pairs.auto >= 3)]
                for side in (mine, others)
            ]
            expected += [
                gaps.pvalue,
                agreed.pvalue,
                stats.fisher_exact(missed).pvalue,
            ]
    found = [p.adjusted for one in table.segments for p in (one.gap, one.agreement, one.catch)]
    assert found == pytest.approx(multipletests(expected, method="fdr_bh")[1].tolist(), rel=1e-6)
    assert table.tested == table.intervals == 9
    assert "9 figures tested against the rest" in table.correction
    assert "Benjamini–Hochberg" in table.correction
    assert whole.tested > table.tested


def test_rates_are_those_of_the_verdicts(tmp_path: Path) -> None:
    with audited(tmp_path, mixed_records(3)) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        own = by_name(segments.table(source, "a", dimension="run"))
        whole = segments.table(source, "unweighted", dimension="run")
        of_metric = audit.frame.table.metrics["a"]
        for name, one in own.items():
            rows = source.rows(one)
            auto = of_metric.auto[rows]
            assert one.judge_passes.n == np.isfinite(auto).sum(), name
            assert one.judge_passes.value == pytest.approx((auto[np.isfinite(auto)] >= 3).mean())
            human = of_metric.human.score[rows]
            assert one.people_pass.value == pytest.approx((human[np.isfinite(human)] >= 3).mean())
            assert one.evaluations == np.isfinite(auto).sum()
    assert whole.verdicts == "Verdicts by the whole rubric"


def test_worst_segments_come_first_and_small_ones_last(tmp_path: Path) -> None:
    records = []
    for number in range(90):
        kind = ("bad", "good", "tiny")[0 if number < 40 else 1 if number < 84 else 2]
        off = 2 if kind == "bad" else number % 2
        records.append(
            case(
                number,
                [score("a", 4)],
                [label("a", 4 - off, selection_reason="random")],
                category=kind,
            )
        )
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        table = segments.table(source, "a", dimension="category")
        catches = segments.table(source, "a", dimension="category", measure="catch")
        keys = source.keys(table.segments[0], "a")
    assert [one.name for one in table.segments] == ["bad", "good", "tiny"]
    worst = table.segments[0]
    assert worst.differs
    assert worst.gap.is_worse
    assert not table.segments[1].gap.is_worse
    assert worst.gap.value == pytest.approx(-2)
    assert worst.gap.adjusted is not None
    assert worst.gap.adjusted < 0.05
    assert table.segments[2].is_small
    assert sum(x.is_small for x in table.segments) == 1
    assert table.sentence.startswith("Category bad: the judge scores 2.00 too high")
    assert table.sentence.endswith(
        "worse than the rest. 1 segment is better than the rest. 1 segment too small to tell."
    )
    assert len(keys) == 40
    assert "catches 0 % of 40 failures" in told(catches.segments[0], "catch")
    assert "(fewer than 10; n = 6)" in told(table.segments[2], "gap")


def test_thousands_of_tags_stay_fast_and_only_large_ones_count(tmp_path: Path) -> None:
    records = [
        case(
            n,
            [score("a", 1 + n % 5)],
            [label("a", 1 + (n // 2) % 5)],
            tags=[f"t{n}-{at}" for at in range(10)] + [f"even {n % 2}"],
        )
        for n in range(300)
    ]
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        table = segments.table(source, "a", dimension="tag")
    assert len(table.segments) == 3002
    assert table.tested == 6
    assert [one.name for one in table.segments[:2]] in (["even 0", "even 1"], ["even 1", "even 0"])
    assert sum(x.is_small for x in table.segments) == 3000


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    ruleless = replace(
        MIXED,
        name="ruleless",
        pass_rule="none",
        metrics=tuple(replace(x, pass_at=None) for x in MIXED.metrics),
    )
    with audited(tmp_path, random_records(1), ruleless) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        table = segments.table(source, "a")
        catch = segments.table(source, "a", measure="catch")
        tone = segments.table(source, "tone", measure="gap")
        share = segments.table(source, "share", measure="agreement")
        tags = segments.table(source, "a", dimension="tag")
    assert table.verdicts == 'the rubric has pass_rule = "none"'
    assert all(
        one.catch.value is None and one.judge_passes.value is None for one in table.segments
    )
    assert catch.sentence == (
        'Fails caught cannot be compared: the rubric has pass_rule = "none".'
    )
    assert UNORDERED in tone.sentence
    assert "Same level cannot be compared" in share.sentence
    assert tags.sentence == "There is nothing to compare: no evaluation has a tag."
    assert dict(table.missing)["run"] == "there is one run only"
    assert tags.segments == ()


def test_nothing_labelled_and_one_class_leave_reasons(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "one").mkdir()
    plain = [case(n, [score("a", 1 + n % 5)], category=f"c{n % 2}") for n in range(40)]
    with audited(tmp_path / "none", plain, SIMPLE) as (session, audit):
        table = segments.table(segments.read(session, audit, TextFacts()), "a")
    assert "no evaluation has both" in table.sentence or "no overlap" in table.sentence
    assert table.tested == 0
    assert table.correction == "Nothing could be tested against the rest."
    assert table.segments[0].judge_passes.value == pytest.approx(0.6)
    good = [
        case(n, [score("a", 1 + n % 5)], [label("a", 5)], category=f"c{n % 2}") for n in range(40)
    ]
    with audited(tmp_path / "one", good, SIMPLE) as (session, audit):
        table = segments.table(segments.read(session, audit, TextFacts()), "a", measure="catch")
    assert table.sentence == (
        "Fails caught cannot be compared: no human-failed item labelled yet."
    )


def test_labels_chosen_by_the_judge_are_said_to_be_unweighted(tmp_path: Path) -> None:
    records = [
        case(
            n,
            [score("a", 1 + n % 5)],
            [label("a", 3, selection_reason="stratum")],
            category=f"c{n % 2}",
        )
        for n in range(40)
    ]
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        table = segments.table(segments.read(session, audit, TextFacts()), "a")
    assert table.note is not None
    assert "without weights" in table.note


def test_conversations_make_intervals_wider(tmp_path: Path) -> None:
    def records(*, shared: bool) -> list[dict[str, Any]]:
        return [
            case(
                n,
                [score("a", 3)],
                [label("a", 1 + n // 8 % 5)],
                category=f"c{n // 40}",
                **({"cluster": f"chat {n // 8}"} if shared else {}),
            )
            for n in range(80)
        ]

    widths = []
    for shared in (False, True):
        folder = tmp_path / str(shared)
        folder.mkdir()
        with audited(folder, records(shared=shared), SIMPLE) as (session, audit):
            source = segments.read(session, audit, TextFacts())
            one = segments.table(source, "a", dimension="category").segments[0]
        assert one.gap.low is not None
        assert one.gap.high is not None
        widths.append(one.gap.high - one.gap.low)
    assert widths[1] > 2 * widths[0]


def test_the_tag_of_known_answers_is_not_shown_while_blind(tmp_path: Path) -> None:
    records = [
        case(n, [score("a", 3)], [label("a", 3)], tags=["gold"] if n < 20 else ["other"])
        for n in range(40)
    ]
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        seen = segments.read(session, audit, TextFacts())
        session.blind = True
        unseen = segments.read(session, audit, TextFacts())

    def tags(source: SegmentSource) -> set[str]:
        return {x.name for x in segments.table(source, "a", dimension="tag").segments}

    assert tags(seen) == {"gold", "other"}
    assert tags(unseen) == {"other"}


def test_an_empty_scope_and_nobody_waiting(tmp_path: Path) -> None:
    wide = replace(
        SIMPLE,
        name="wide",
        metrics=tuple(replace(SIMPLE.metrics[0], name=f"m{n}", levels=LEVELS) for n in range(35)),
    )
    with audited(tmp_path, [case(1)], wide) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        assert all(
            segments.table(source, f"m{n}").sentence.startswith("There is") for n in range(35)
        )
        with pytest.raises(CancelledError):
            segments.read(session, audit, TextFacts(), Stopped())


def test_a_figure_opens_the_evaluations_it_counts(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(5, 200)) as (session, audit):
        source = segments.read(session, audit, TextFacts())
        for one in segments.table(source, "a").segments:
            for figure in COUNTED:
                assert len(source.keys(one, "a", figure)) == one.of(figure).n, (one.title, figure)
            assert len(source.keys(one, "a")) == one.labelled
