"""A rubric has the metrics of scorers at a word, and nothing that is there changes."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import RubricError
from reviewer.services.jobs import scorers
from reviewer.services.project import ready_metrics, rubrics
from reviewer.services.project.session import Session
from tests.building import build_project


def test_each_fits_its_scorer_and_its_parameters() -> None:
    for metric in ready_metrics.every():
        scorer = scorers.get(metric.scorer or "")
        assert scorers.misfit(metric) is None, metric.name
        assert scorer.problem(metric.parameters) is None, metric.name
        assert (metric.weight, metric.is_labelled) == (0.0, False)


def test_a_rubric_has_them_as_a_new_version(tmp_path: Path) -> None:
    with closing(Session.open(build_project(tmp_path / "p.review"))) as session:
        rubric = session.current_rubric()
        told = ready_metrics.add(session, rubric.name, ["retrieval_ndcg", "tool_credit"])
        assert told == (
            f"The rubric {rubric.name} has retrieval_ndcg and tool_credit from now on, with "
            "weight 0 (version 2)."
        )
        kept = rubrics.current(session.project, rubric.name)
        assert kept.metrics[: len(rubric.metrics)] == rubric.metrics
        assert [x.name for x in kept.metrics[-2:]] == ["retrieval_ndcg", "tool_credit"]
        assert kept.metrics[-1].parameters == {"partial_credit": True}
        # what it has already is no news
        assert ready_metrics.add(session, rubric.name, ["tool_credit"]) == ""
        with pytest.raises(RubricError, match="no ready metric 'regex'; there are: tool_usage"):
            ready_metrics.add(session, rubric.name, ["regex"])
