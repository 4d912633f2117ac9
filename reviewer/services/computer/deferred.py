"""What use cases load by name when they are asked for it, as it rests on slow libraries.

With `gui.deferred`, the one exception to imports at the top of a module: a window must stand
before numpy is loaded. A test holds that every name here exists.
"""

import importlib
from collections.abc import Callable
from typing import Any

IN_ORDER = "reviewer.services.queueing.queue_orders:in_order"
EVERY_GAP = "reviewer.services.figures.every_score:gaps_of"
EVERY_HUMAN = "reviewer.services.figures.every_score:humans_of"
FULFILLING = "reviewer.services.figures.every_score:fulfilling"
GAPS_BESIDE = "reviewer.services.figures.every_score:gaps_beside"
GAPS_OF = "reviewer.services.figures.listed_scores:gaps_of"
ASKED = "reviewer.services.deciding.questions:found"
CLIENT = "reviewer.scoring.llm.client:Client"
WEB_BOT = "reviewer.scoring.bots.web:WebBot"
EXAMPLE_TESTS = "reviewer.services.evaluating.examples:add"

USES = (
    IN_ORDER,
    EVERY_GAP,
    EVERY_HUMAN,
    FULFILLING,
    GAPS_BESIDE,
    GAPS_OF,
    ASKED,
    CLIENT,
    WEB_BOT,
    EXAMPLE_TESTS,
)


def load(name: str) -> Callable[..., Any]:
    """Give what a name stands for, loading its module where that is still to do."""
    module, _, attribute = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found
