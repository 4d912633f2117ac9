"""Which version a figure is made of, on how many, and what does not count, in words."""

from typing import Any

import pytest

from reviewer.domain.run import ScorerVersion
from reviewer.services.figures import run_records
from reviewer.services.figures.auto_columns import NO_WHOLE_SET, TAKEN_BACK, RunRecord

FIRST = ScorerVersion(key=1, scorer="judge", version="1")
SECOND = ScorerVersion(key=2, scorer="judge", version="2", apart="strict=true")


def found(run: str = "v7", version: ScorerVersion | None = FIRST, **more: Any) -> RunRecord:
    return RunRecord(**{"run": run, "version": version, "n": 70, "of": 73} | more)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([found()], "judge@1 on 70 of 73"),
        (
            [found(not_counted=((SECOND, 36),))],
            "judge@1 on 70 of 73; not counted: judge@2 strict=true on 36",
        ),
        ([found(with_repeats=True)], "judge@1 with its repeats on 70 of 73"),
        (
            [found(is_of_record=False, not_counted=((SECOND, 36),))],
            "judge@1 on 70 of 73; chosen here, not of record; not counted: judge@2 strict=true "
            "on 36",
        ),
        ([found("v6", n=60), found()], "judge@1 on 130 of 146 in 2 runs"),
        (
            [found("v6"), found(version=SECOND, n=36, not_counted=((FIRST, 70),))],
            "judge@1 on 70 of 73 in v6, judge@2 strict=true on 36 of 73 in v7; not counted: "
            "judge@1 on 70 in v7",
        ),
        (
            [found(version=None, n=0, not_counted=((SECOND, 36),))],
            f"Nothing counts: {NO_WHOLE_SET}; not counted: judge@2 strict=true on 36",
        ),
        (
            [found("v6"), found(n=0, not_counted=((SECOND, 36),))],
            f"judge@1 on 70 of 73 in v6, nothing ({TAKEN_BACK}) in v7; not counted: "
            "judge@2 strict=true on 36",
        ),
        ([found(version=None, n=0)], ""),
        ([found("v6", version=None, n=0), found()], "judge@1 on 70 of 73"),
        ([], ""),
        (
            [found(f"v{n}", version=SECOND if n % 2 else FIRST) for n in range(5)],
            "judge@1 on 70 of 73 in v2, judge@2 strict=true on 70 of 73 in v3, "
            "judge@1 on 70 of 73 in v4; 2 more runs",
        ),
    ],
)
def test_a_metric_tells_its_versions(records: list[RunRecord], said: str) -> None:
    assert run_records.line(records) == said


def test_metrics_of_one_version_are_told_together() -> None:
    both = [("Relevance", found()), ("Safety", found(n=71))]
    assert run_records.together(both) == "judge@1 on 70 to 71 of 73"
    mixed = [*both, ("Accuracy", found(version=SECOND, n=36))]
    assert run_records.together(mixed) == (
        "judge@1 on 70 to 71 of 73 for Relevance, Safety; "
        "judge@2 strict=true on 36 of 73 for Accuracy"
    )
    bare = [("Accuracy", found(version=None, n=0, not_counted=((SECOND, 36),)))]
    assert run_records.together(bare) == f"nothing for Accuracy ({NO_WHOLE_SET})"
    assert run_records.together([*bare, ("Safety", found())]) == (
        f"judge@1 on 70 of 73 for Safety; nothing for Accuracy ({NO_WHOLE_SET})"
    )
    assert run_records.together([]) == ""
