"""Causes by metric are those that leads have named, where the labeler may see them."""

from pathlib import Path

from reviewer.services.adjudicating import causes
from reviewer.services.adjudicating.decisions import record_cause
from reviewer.services.audits import auditing
from reviewer.services.figures.statistics import StatsRequest
from tests.services.audits.comparing import label, one, opened


def test_causes_are_counted_with_how_much_they_explain(tmp_path: Path) -> None:
    records = [one(n, 4, [label(4 if n > 6 else 2)]) for n in range(1, 11)]
    with opened(tmp_path, records) as session:
        for key in (1, 2):
            record_cause(session, key, "accuracy", "judge_wrong")
        for key in (3, 9):
            record_cause(session, key, "accuracy", "human_slip")
        audit = auditing.compute(session, StatsRequest())
        (found,) = causes.by_metric(session, audit)
    assert (found.metric, found.title) == ("accuracy", "Accuracy")
    assert {name: keys.tolist() for name, keys in found.keys.items()} == {
        "judge_wrong": [1, 2],
        "human_slip": [3, 9],
    }
    # on the ninth judge and people are one: it has a cause and explains no difference
    assert (found.n, found.apart, found.explained) == (4, 6, 3)


def test_nothing_named_is_no_metric_and_what_is_hidden_is_not_told(tmp_path: Path) -> None:
    records = [one(n, 4, [label(2, "bo")]) for n in range(1, 11)]
    with opened(tmp_path, records) as session:
        audit = auditing.compute(session, StatsRequest())
        assert causes.by_metric(session, audit) == ()
        record_cause(session, 1, "accuracy", "judge_wrong")
        session.set_labeler("ann")
        session.blind = True
        hidden = auditing.compute(session, StatsRequest())
        assert not hidden.seen.any()
        assert causes.by_metric(session, hidden) == ()
