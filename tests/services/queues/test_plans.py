"""A queue's plan is kept as text, and one that is damaged is told."""

import pytest

from reviewer.domain.errors import QueueError
from reviewer.services.queues.plans import QueuePlan


def test_a_plan_comes_back_as_it_was() -> None:
    plan = QueuePlan(name="A", labelers=("Ann", "Bob"), keys=(1, 2), n=7)
    assert QueuePlan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", "7", "{}", '{"name": "A", "sampling": "?"}', '{"name": "A", "keys": 1}'],
)
def test_a_damaged_plan_is_a_sentence(text: str) -> None:
    with pytest.raises(QueueError, match="plan of a queue in this project is damaged"):
        QueuePlan.from_json(text)
