from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.run import Scope
from reviewer.services.audits import anchoring
from reviewer.services.audits.anchoring import (
    ALL_BLIND,
    ALL_SEEN,
    NO_LABELS,
    NOBODY_KNOWS,
    Anchoring,
)
from reviewer.services.project.session import Session
from reviewer.stats.reasons import NO_LEVELS, UNORDERED
from tests.services.audits.comparing import label, one, opened, score, source_of
from tests.services.audits.test_ceiling import KINDS


def found_in(session: Session, metric: str = "accuracy", **scope: Any) -> Anchoring:
    source = source_of(session, Scope(**scope))
    return anchoring.anchoring(source, source.table.metrics[metric])


def test_sight_raises_agreement(tmp_path: Path) -> None:
    records = [
        *(one(n, 4, [label(4 if n % 2 else 3)]) for n in range(1, 41)),
        *(one(n, 4, [label(4 if n % 10 else 3, blind=False)]) for n in range(41, 81)),
        *(one(n, 4, [label(3, "bo", blind=False)]) for n in range(81, 86)),
        one(86, 4, [label(4, blind=None)]),
    ]
    with opened(tmp_path, records) as session:
        found = found_in(session)
        assert (found.blind, found.seen, found.unknown, found.people) == (40, 45, 1, 1)
        overall, within = found.agreement.overall, found.agreement.within
        assert overall is not None
        assert within is not None
        assert overall.first == 0.5
        assert overall.second == pytest.approx(36 / 45)
        # the same person alone: 36 of 40 in sight
        assert within.difference == pytest.approx(0.4)
        assert within.low is not None
        assert within.low > 0.1
        gap = found.gap.overall
        assert gap is not None
        assert gap.difference == pytest.approx(-9 / 45 + 0.5)
        assert found.sentence.startswith(
            "With the auto score in sight people agree with it in 80 % of 45 labels, unseen in "
            "50 % of 40: +30 points (95 % "
        )
        assert "; they follow it. Within the one person who gave both kinds: +40 points" in (
            found.sentence
        )
        assert "Their mean gap is −0.20 in sight and −0.50 unseen" in found.sentence
        assert found.seen_keys.tolist() == list(range(41, 86))
        assert len(anchoring.steps(found.agreement, "share of labels like the judge's")) == 2


@pytest.mark.parametrize(
    ("ways", "reason", "words"),
    [
        ([], NO_LABELS, ""),
        ([True, True], ALL_BLIND, ""),
        ([False], ALL_SEEN, ""),
        ([None, None], NOBODY_KNOWS, ""),
        ([True, None], ALL_BLIND, "; of 1 label nobody knows."),
    ],
)
def test_the_kind_that_is_missing_is_said(
    tmp_path: Path, ways: list[bool | None], reason: str, words: str
) -> None:
    records = [one(n, 4, [label(4, blind=way)]) for n, way in enumerate(ways, start=1)]
    with opened(tmp_path, [*records, one(90, 3, [])]) as session:
        found = found_in(session)
        assert found.reason == reason
        assert found.sentence.endswith(words or f"{reason[1:]}.")


def test_blind_labels_only_leave_nothing_to_compare(tmp_path: Path) -> None:
    records = [one(n, 4, [label(4, blind=n % 2 == 0)]) for n in range(1, 9)]
    with opened(tmp_path, records) as session:
        assert found_in(session, blind_only=True).reason == ALL_BLIND


def test_one_label_of_a_kind_has_a_difference_without_interval(tmp_path: Path) -> None:
    records = [one(1, 4, [label(3)]), one(2, 4, [label(4, blind=False)])]
    with opened(tmp_path, records) as session:
        found = found_in(session)
        assert found.agreement.overall is not None
        assert found.agreement.overall.difference == 1
        assert found.agreement.overall.low is None
        assert "each side needs 10 values or more" in found.sentence


def test_few_or_equal_labels_are_not_told_from_chance(tmp_path: Path) -> None:
    for n, reason in ((2, "each side needs 10 values or more"), (10, "are all alike")):
        records = [
            one(at, 3, [label(3 if at <= n else 4, blind=at <= n)]) for at in range(1, 2 * n + 1)
        ]
        (tmp_path / str(n)).mkdir()
        with opened(tmp_path / str(n), records) as session:
            found = found_in(session)
        for gap in (found.gap.overall, found.gap.within):
            assert gap is not None
            assert (gap.difference, gap.low, gap.high) == (1, None, None)
            assert gap.reason is not None
            assert gap.reason.endswith(reason)
            assert f"a difference of +1.00 ({gap.reason})." in found.sentence


def test_no_interval_leaves_the_scale(tmp_path: Path) -> None:
    records = []
    for n in range(1, 41):
        strict = (n % 2 == 1) != (n > 20)
        auto, human = (5, 1) if strict else (1, 5)
        # two chats tell as much as two values: the interval is wide
        records.append(one(n, auto, [label(human, blind=n <= 20)], cluster=f"chat {n % 2}"))
    with opened(tmp_path, records) as session:
        found = found_in(session)
    gap = found.gap.overall
    assert gap is not None
    assert gap.low is not None
    assert gap.high is not None
    assert (gap.low, gap.high) == (-8, 8)
    for share in (found.agreement.overall, found.agreement.within):
        assert share is None or share.low is None or share.low >= -1


def test_categories_and_ranges_compare_what_they_can(tmp_path: Path) -> None:
    records = [
        one(
            n,
            0,
            [label("warm", metric="tone", blind=n % 2 == 0), label(0.5, metric="share",
             blind=n % 2 == 0)],
            scores=[score("warm" if n % 3 else "odd", "tone"), score(n / 10, "share")],
        )
        for n in range(1, 9)
    ]  # fmt: skip
    with opened(tmp_path, records, rubric=KINDS) as session:
        assert found_in(session, "tone").gap.reason == UNORDERED
        assert found_in(session, "share").agreement.reason == NO_LEVELS
        assert "mean gap" in found_in(session, "share").sentence
