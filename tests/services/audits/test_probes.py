from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.audits import auditing, families, probe_values, probes
from reviewer.services.audits.probe_values import Probe, Probes
from reviewer.services.audits.probes import (
    FEW,
    NO_CHOICES,
    NO_COMPARISON,
    NO_JUDGE_FAMILY,
    NO_MODEL,
    NO_RESPONSE,
    ONE_FAMILY,
    ONE_LANGUAGE,
)
from reviewer.services.audits.segment_values import TextFacts
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.stats.contrast import mean_contrast, slope
from reviewer.stats.paired_shares import mcnemar
from reviewer.stats.reasons import NO_OVERLAP, UNORDERED
from reviewer.stats.segments import level_left
from tests.building import RUBRIC
from tests.services.audits.comparing import label, one, opened, score

GERMAN = "Das Schwimmbad ist leider nicht beheizt, aber die Sauna ist für alle Gäste offen. "
ENGLISH = "The pool is not heated, but the sauna is open for all of the guests of the house. "
PAIR = Rubric(
    name="pair", metrics=(Metric(name="better", scale="categorical", values=("a", "b", "tie")),)
)


def probed(session: Session, metric: str = "accuracy") -> Probes:
    audit = auditing.compute(session, StatsRequest())
    return probes.probe(session, audit.frame, metric, facts=TextFacts())


def by_kind(found: Probes) -> dict[str, Probe]:
    return {one.kind: one for one in found.probes}


def test_a_judge_who_likes_long_answers_is_found_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    lengths = rng.integers(50, 2000, 80)
    gaps = [-1 if n > 1000 and rng.random() < 0.8 else 0 for n in lengths.tolist()]
    records = [
        one(at, 4, [label(4 + gap)], response="x" * n)
        for at, (n, gap) in enumerate(zip(lengths.tolist(), gaps, strict=True), start=1)
    ]
    with opened(tmp_path, [*records, one(90, 4, [label(4)], response=None)]) as session:
        length = by_kind(probed(session))["length"]
        oracle = slope(lengths / 100, np.array(gaps, dtype=float))
        line, rank = length.rows
        assert (line.value, line.low, line.high) == (oracle.value, oracle.low, oracle.high)
        assert line.n == 80
        assert line.differs
        assert rank.value is not None
        assert rank.value < -0.4
        assert "the judge favours longer responses" in length.sentence
        assert length.note.startswith("1 labelled evaluations have no response")
        assert [x.title for x in probe_values.steps(line)][-1] == "Chance"


def test_lengths_that_change_nothing_are_said_to_be_chance(tmp_path: Path) -> None:
    records = [
        one(n, 4, [label(3 + n % 3)], response="y" * (100 + 7 * (n * 37 % 90)))
        for n in range(1, 61)
    ]
    with opened(tmp_path, records) as session:
        found = probed(session)
        assert "chance may explain it" in by_kind(found)["length"].sentence
        assert not by_kind(found)["length"].differs
        assert found.tested == 1


@pytest.mark.parametrize("judge", ["gpt-4o", "my judge on Claude 3"])
def test_an_own_family_is_favoured(tmp_path: Path, judge: str) -> None:
    own = "chatgpt-latest" if judge.startswith("gpt") else "claude-3-5-sonnet"
    records = [
        one(
            n,
            4,
            [label((3 if n % 4 else 4) if n % 2 else (4 if n % 5 else 5))],
            model=own if n % 2 else "mixtral-8x7b",
            scores=[score(4, scorer=judge)],
        )
        for n in range(1, 61)
    ]
    records.append(one(61, 4, [label(2)], model="house model", scores=[score(4, scorer=judge)]))
    with opened(tmp_path, records) as session:
        found = by_kind(probed(session))
        family = found["family"]
        gaps = np.array(
            [(3 if n % 4 else 4) - 4 if n % 2 else (4 if n % 5 else 5) - 4 for n in range(1, 61)],
            dtype=float,
        )
        row = family.rows[0]
        # told together with the slope of length, at the level that this leaves
        p_values = [x.p for kind in found.values() for x in kind.rows]
        assert row.level == level_left(p_values)
        oracle = mean_contrast(gaps, np.arange(1, 61) % 2 == 1, level=row.level)
        assert (row.value, row.low) == (oracle.difference, oracle.low)
        assert row.keys.tolist() == list(range(1, 61, 2))
        assert "the judge favours its family (n = 30 own, 30 other)" in family.sentence
        assert family.note.startswith("1 evaluations of models of no known family")


@pytest.mark.parametrize("higher", [True, False])
def test_who_is_favoured_depends_on_which_end_of_the_scale_is_better(
    tmp_path: Path, higher: bool
) -> None:
    rubric = Rubric(
        name="ends",
        metrics=(
            Metric(
                name="accuracy", levels=RUBRIC.metrics[0].levels, higher_is_better=higher
            ),
        ),
    )  # fmt: skip
    records = [
        # the judge gives long answers, and those of its own family, low scores
        one(
            n,
            2 + n % 3 % 2 if n % 2 else 4 - n % 3 % 2,
            [label(3)],
            response="x" * (1000 + n if n % 2 else 100 + n),
            model="gpt-4o" if n % 2 else "claude-3",
        )
        for n in range(1, 61)
    ]
    with opened(tmp_path, records, rubric=rubric) as session:
        families.save_families(session.project, "judge = House\ngpt = House\nclaude = Other")
        found = by_kind(probed(session))
    assert all(found[kind].differs for kind in ("length", "family"))
    longer, favours = ("shorter", "disfavours") if higher else ("longer", "favours")
    assert f"the judge favours {longer} responses" in found["length"].sentence
    assert f"the judge {favours} its family" in found["family"].sentence


def test_the_table_of_families_may_be_edited(tmp_path: Path) -> None:
    records = [
        one(n, 4, [label(3 + n % 2)], model="ours" if n % 2 else "theirs") for n in range(1, 21)
    ]
    with opened(tmp_path, records) as session:
        assert by_kind(probed(session))["family"].reason == NO_JUDGE_FAMILY
        families.save_families(session.project, "judge = House\nours = House\ntheirs = Other")
        row = by_kind(probed(session))["family"].rows[0]
        assert row.value == 1
        assert row.n == 10
        families.save_families(session.project, "judge = House\nours = House\ntheirs = House")
        assert by_kind(probed(session))["family"].reason == ONE_FAMILY


def test_a_language_is_held_to_the_others(tmp_path: Path) -> None:
    records = [
        one(
            n,
            4,
            [label(3 if n % 3 == 0 and n % 2 else 4)],
            response=(GERMAN if n % 3 == 0 else ENGLISH) + "!" * n,
        )
        for n in range(1, 91)
    ]
    records.append(one(99, 4, [label(4)], response="12345"))
    with opened(tmp_path, records) as session:
        found = probed(session)
        language = by_kind(found)["language"]
        assert [row.name for row in language.rows] == ["English", "German"]
        german = next(row for row in language.rows if row.name == "German")
        assert german.value == pytest.approx(-0.5)
        assert german.n == 30
        assert german.differs
        assert "The gap differs from that of the other languages in " in language.sentence
        assert language.note.startswith("1 labelled responses")
        assert found.tested == 3
        assert found.sentence.startswith("3 figures were tested together")


def comparison(n: int, judge: str, people: str, *, swapped: bool) -> dict[str, Any]:
    names = ("b", "a") if swapped else ("a", "b")
    models = {"a": "gpt-4o", "b": "claude-3"}
    return one(
        n,
        0,
        [label(people, metric="better")],
        scores=[score(judge, "better", scorer="gpt-4.1")],
        response=None,
        candidates=[{"id": x, "response": f"{x} {n}", "model": models[x]} for x in names],
    )


def test_who_stands_first_and_whose_family(tmp_path: Path) -> None:
    records = []
    for n in range(1, 41):
        first, second = ("b", "a") if n % 2 else ("a", "b")
        # the judge takes the first three times in four, people take "a" and "b" in turn
        judge = first if n % 4 else second
        records.append(comparison(n, judge, "a" if n // 2 % 2 else "b", swapped=bool(n % 2)))
    records.append(comparison(41, "tie", "a", swapped=False))
    with opened(tmp_path, records, rubric=PAIR) as session:
        found = by_kind(probed(session, "better"))
        step, judge_first, people_first = found["order"].rows
        assert judge_first.value == 0.75
        assert people_first.value == 0.5
        assert step.n == 40
        assert step.value == pytest.approx(0.25)
        assert step.low == mcnemar(40, lost=0, gained=10).low
        assert found["order"].sentence.startswith(
            "In 40 comparisons the judge takes the candidate that stands first in 75 %, people "
            "in 50 %: +25 points"
        )
        assert not found["order"].note
        family = found["family"].rows[0]
        assert family.name == "OpenAI chosen by the judge more often"
        assert family.n == 40
        assert found["length"].reason == UNORDERED


def test_one_order_only_is_said(tmp_path: Path) -> None:
    records = [comparison(n, "a", "b" if n % 3 else "a", swapped=False) for n in range(1, 21)]
    with opened(tmp_path, records, rubric=PAIR) as session:
        assert "look alike here" in by_kind(probed(session, "better"))["order"].note


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with opened(tmp_path, [one(1, 4, [])]) as session:
        found = probed(session)
        assert {one.reason for one in found.probes} == {NO_OVERLAP}
        assert found.sentence == "Nothing could be tested here."
    records = [one(n, 4, [label(4)], response=None, messages=[]) for n in range(1, 13)]
    (tmp_path / "two").mkdir()
    with opened(tmp_path / "two", records) as session:
        kinds = by_kind(probed(session))
        assert kinds["length"].reason == NO_RESPONSE
        assert kinds["order"].reason == NO_COMPARISON
        assert kinds["family"].reason == NO_MODEL
        assert kinds["language"].reason == ONE_LANGUAGE
    (tmp_path / "three").mkdir()
    ties = [comparison(n, "tie", "a", swapped=False) for n in range(1, 5)]
    with opened(tmp_path / "three", ties, rubric=PAIR) as session:
        assert by_kind(probed(session, "better"))["order"].reason == NO_CHOICES


def test_few_responses_announce_no_bias(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    records = [
        one(
            n,
            4 if n <= 2 else 3,
            [label(3 if n <= 2 else 3 + int(rng.integers(-1, 2)))],
            model="gpt-4o" if n <= 2 else "claude-3",
            scores=[score(4 if n <= 2 else 3, scorer="gpt-4o")],
        )
        for n in range(1, 43)
    ]
    with opened(tmp_path, records) as session:
        family = by_kind(probed(session))["family"]
    row = family.rows[0]
    assert (row.n, row.low, row.p) == (2, None, None)
    assert not family.differs
    assert "favours" not in family.sentence
    assert "(each side needs 10 values or more) (n = 2 own, 40 other)" in family.sentence
    (tmp_path / "four").mkdir()
    records = [
        one(n, 3, [label(n)], response="w" * (100 + step))
        for n, step in enumerate((0, 100, 201, 300), start=1)
    ]
    with opened(tmp_path / "four", records) as session:
        length = by_kind(probed(session))["length"]
    assert length.rows[0].value == pytest.approx(1, abs=0.01)
    assert length.rows[0].reason == FEW
    assert not length.differs
    assert "favours" not in length.sentence
    (tmp_path / "nine").mkdir()
    records = [comparison(n, "a", "b", swapped=False) for n in range(1, 10)]
    with opened(tmp_path / "nine", records, rubric=PAIR) as session:
        order = by_kind(probed(session, "better"))["order"]
    assert (order.rows[0].value, order.rows[0].low, order.rows[0].reason) == (1, None, FEW)
    assert not order.differs


def test_one_label_gives_no_interval(tmp_path: Path) -> None:
    with opened(tmp_path, [one(1, 4, [label(3)])]) as session:
        found = probed(session)
        assert by_kind(found)["length"].sentence == "A slope needs three values or more."
        assert found.tested == 0
