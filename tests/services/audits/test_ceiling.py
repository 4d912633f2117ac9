from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.audits import people
from reviewer.services.audits.people import NO_AUTO, NOBODY, ONE_LABELER, Ceiling
from reviewer.services.project.session import Session
from reviewer.stats.ceiling import NO_BOUND, NO_UNITS, Reach
from reviewer.stats.reasons import SAME
from tests.services.audits.comparing import label, one, opened, score, source_of

KINDS = Rubric(
    name="kinds",
    metrics=(
        Metric(name="tone", scale="categorical", values=("warm", "cold", "odd")),
        Metric(name="share", scale="range", min=0, max=1),
    ),
)


def found_in(session: Session, metric: str = "accuracy") -> Ceiling:
    source = source_of(session)
    return people.ceiling(source, source.table.metrics[metric])


def panel(n: int, judge: float) -> list[dict[str, Any]]:
    rng = np.random.default_rng(4)
    made = []
    for number in range(1, n + 1):
        truth = int(rng.choice([1, 2, 3, 4, 5]))

        def said(spread: float, truth: int = truth) -> int:
            return int(np.clip(round(truth + rng.normal(0, spread)), 1, 5))

        labels = [label(said(0.5), who) for who in ("ann", "bo", "cy")[: 1 + number % 3]]
        made.append(one(number, said(judge), labels))
    return made


def test_the_judge_is_held_to_what_people_reach(tmp_path: Path) -> None:
    with opened(tmp_path, panel(120, 1.5)) as session:
        found = found_in(session)
        assert found.reason is None
        assert [x.name for x in found.figures] == ["kappa_quadratic", "percent", "kappa"]
        quadratic = found.figures[0]
        assert quadratic.n == 80
        assert quadratic.labels == 200
        assert found.keys.size == 80
        assert quadratic.share is not None
        assert quadratic.share < 0.9
        assert found.sentence.startswith(
            "On 80 evaluations that two people or more labelled, people agree with each other at "
            f"quadratic κ {quadratic.people:.2f} and with the judge at {quadratic.judge:.2f}: "
        )
        assert found.sentence.endswith("of what people reach (95 % "
            f"{100 * quadratic.intervals['share'].low:.0f} % to "
            f"{100 * quadratic.intervals['share'].high:.0f} %), "
            "less than one more person would.")  # fmt: skip
        again = found_in(session)
        assert again.sentence == found.sentence
        told = people.ceiling_steps(quadratic)
        assert [x.title for x in told] == [
            "People among themselves",
            "People and judge",
            "Reached",
        ]
        assert f"= {100 * quadratic.share:.0f} %" in told[2].text


def test_a_judge_like_a_person_is_called_so(tmp_path: Path) -> None:
    with opened(tmp_path, panel(200, 0.5)) as session:
        assert found_in(session).sentence.endswith(
            "which may be as much as one more person would."
        )


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([], NOBODY),
        ([one(n, 4, [label(4)]) for n in range(1, 9)], ONE_LABELER),
        (
            [one(n, 4, [label(4, "ann" if n % 2 else "bo")]) for n in range(1, 9)],
            NO_UNITS,
        ),
        ([one(1, 4, [label(4), label(5, "bo")], scores=[])], NO_AUTO),
        ([one(n, 4, [label(4), label(4, "bo")]) for n in range(1, 9)], SAME),
    ],
)
def test_what_is_missing_is_said(
    tmp_path: Path, records: list[dict[str, Any]], reason: str
) -> None:
    with opened(tmp_path, [*records, one(90, 3, [])]) as session:
        found = found_in(session)
        assert found.reason == reason
        assert found.sentence.lower() == f"{reason}.".lower()


def test_categories_and_open_ranges_have_the_figures_that_they_can(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    records = []
    for n in range(1, 41):
        tone, share = str(rng.choice(["warm", "cold"])), round(float(rng.random()), 3)
        records.append(
            one(
                n,
                0,
                [
                    label(tone, metric="tone"),
                    label("odd" if n % 8 == 0 else tone, "bo", metric="tone"),
                    label(share, metric="share"),
                    label(min(share + 0.05, 1), "bo", metric="share"),
                ],
                scores=[score(tone, "tone"), score(share / 2, "share")],
            )
        )
    with opened(tmp_path, records, rubric=KINDS) as session:
        named, ranged = found_in(session, "tone"), found_in(session, "share")
        assert [x.name for x in named.figures] == ["kappa", "percent"]
        assert named.figures[0].share is not None
        assert named.figures[0].share > 1
        assert [x.name for x in ranged.figures] == ["kappa_quadratic"]
        assert ranged.figures[0].share is not None
        assert ranged.figures[0].share < 0.8


def test_own_repeats_stand_beside(tmp_path: Path) -> None:
    records = [
        one(
            n,
            4,
            [
                label(n % 5 + 1, at="2026-11-10T10:00:00Z"),
                label((n + n // 10) % 5 + 1, at="2026-11-12T10:00:00Z"),
            ],
        )
        for n in range(1, 21)
    ]
    with opened(tmp_path, records) as session:
        found = found_in(session)
        assert found.reason == ONE_LABELER
        assert [x.labeler for x in found.repeats] == ["ann"]
        percent = next(x for x in found.repeats[0].figures if x.name == "percent")
        assert percent.people == pytest.approx(9 / 20)
        assert percent.judge is None
        assert percent.n == 20


def test_where_people_hardly_agree_no_share_is_told() -> None:
    found = Reach(
        name="kappa_quadratic", n=62, labels=186, people=0.08, judge=0.3, share=3.89,
        intervals={}, undefined={"interval": NO_BOUND},
    )  # fmt: skip
    said = people.ceiling_told(found, 0.95)
    assert "389" not in said
    assert "cannot be told" in said
    among, judge, reached = (x.text for x in people.ceiling_steps(found))
    assert "= 0.08 (186 labels on 62 evaluations" in among
    assert judge.endswith("= 0.30.")
    assert reached == "0.30 / 0.08 = 389 % (no interval)."
