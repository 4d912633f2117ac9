"""Which evaluations a job works on."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.judging import Selection
from reviewer.services.calls import selecting
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from tests.building import build_project, record

CATEGORIES = {1: "a", 2: "b", 3: "a", 4: "c", 5: "b", 6: "a"}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"categories": ("a", "b")}, [1, 2, 3, 5]),
        ({"filter_text": "category:a OR category:c"}, [1, 3, 4]),
        ({"filter_text": "category:a OR category:c", "categories": ("a", "b")}, [1, 3]),
        ({"filter_text": "answer OR pool", "categories": ("b",), "limit": 1}, [2]),
        ({"only": "labelled"}, [1, 4]),
        ({"only": "unlabelled", "filter_text": "category:a OR category:b"}, [2, 3, 5]),
    ],
)
def test_all_conditions_hold_together(
    tmp_path: Path, asked: dict[str, object], found: list[int]
) -> None:
    said = [{"metric": "accuracy", "labeler": "ann", "value": 3}]
    records = [
        record(n, category=name, labels=said if n in (1, 4, 6) else [])
        for n, name in CATEGORIES.items()
    ]
    with closing(Session.open(build_project(tmp_path / "p.review", evaluations=records))) as own:
        bulk_acts.exclude(own, [6], "a test call")
        assert list(selecting.selected(own, Selection(**asked))) == found  # type: ignore[arg-type]
