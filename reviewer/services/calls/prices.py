"""What models cost: the project's own table over the one that ships."""

from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Following, JobPlan, Judge, Price
from reviewer.services.calls import clients
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


def unknown(project: Project, plan: JobPlan) -> str | None:
    """Give the model that a plan asks, itself or in what follows it, and whose price is not known.

    None where every price is known.
    """
    asked = _own_model(plan)
    models = [asked] if asked is not None else []
    if plan.then is not None:
        models += [x for name in plan.then.judges if (x := _judge_model(project, plan.then, name))]
    known = {price.model for price in every(project)}
    return next((x for x in models if x not in known), None)


def is_known(project: Project, plan: JobPlan) -> bool:
    """Tell whether it is known what a plan's own calls cost: also where it makes none."""
    model = _own_model(plan)
    return model is None or price_of(project, model) is not None


def check_limit(project: Project, plan: JobPlan) -> None:
    """Hold every model that a plan asks to have a price where it has a limit.

    Raises:
        ReviewerError: It has a limit, and what one of its models costs is not known.
    """
    model = None if plan.max_cost is None else unknown(project, plan)
    if model is None:
        return
    raise ReviewerError(
        f"What the model {model} costs is not known, so nothing holds it to ${plan.max_cost:g}. "
        "Give its price in Judges… or with `reviewer judges PROJECT add … --price IN,OUT`, or "
        "name no limit."
    )


def _own_model(plan: JobPlan) -> str | None:
    if plan.judge is not None:
        return plan.judge.model
    model = plan.bot.settings.get("model") if plan.bot is not None else None
    return model if isinstance(model, str) else None


def _judge_model(project: Project, then: Following, name: str) -> str | None:
    """Give the model that a judge will ask about a bot's answers; None where there is no judge."""
    if then.model is not None:
        return then.model
    judge = judging.find(project.conn, Judge, name) or clients.brought(name)[0]
    return None if judge is None else judge.model
