"""What models cost: the project's own table over the one that ships."""

from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import JobPlan
from reviewer.domain.judging import Price
from reviewer.store import judging
from reviewer.store.project import Project

SHIPPED: Final = (
    Price(
        model="deepseek-chat",
        input_per_million=0.28,
        output_per_million=0.42,
        note="recommended: fast, cheap, good",
    ),
    Price(
        model="gpt-4o-mini",
        input_per_million=0.15,
        output_per_million=0.60,
        note="alternative: good, dearer",
    ),
    Price(
        model="gpt-4o",
        input_per_million=2.50,
        output_per_million=10.00,
        note="best, about ten times the price",
    ),
    Price(
        model="gpt-3.5-turbo",
        input_per_million=0.50,
        output_per_million=1.50,
        note="not recommended: too weak for nuance",
    ),
)
"""Prices change: each can be edited in the project."""


def every(project: Project) -> tuple[Price, ...]:
    """Give all known prices by model, the project's own first where both know one."""
    table = {price.model: price for price in SHIPPED}
    table.update({price.model: price for price in judging.prices(project.conn)})
    return tuple(table[name] for name in sorted(table))


def price_of(project: Project, model: str) -> Price | None:
    """Give the price of a model, None where it is not known."""
    return next((price for price in every(project) if price.model == model), None)


def check_limit(project: Project, plan: JobPlan) -> None:
    """Hold a plan's model to have a price where it has a limit.

    Raises:
        ReviewerError: It has a limit, and what its model costs is not known.
    """
    model = (
        plan.judge.model if plan.judge else plan.bot.settings.get("model") if plan.bot else None
    )
    if plan.max_cost is None or not isinstance(model, str) or price_of(project, model):
        return
    raise ReviewerError(
        f"What the model {model} costs is not known, so nothing holds it to ${plan.max_cost:g}. "
        "Give its price in Judges… or with `reviewer judges PROJECT add … --price IN,OUT`, or "
        "name no limit."
    )
