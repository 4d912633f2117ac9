"""Judges and bots to choose from: those of the project, and those that installed packages bring.

Nothing of a package is loaded to be offered. A name of the project hides a package's.
"""

from dataclasses import dataclass

from reviewer.domain.judging import Bot, Endpoint, Judge
from reviewer.services.calls import clients
from reviewer.services.computer import plugins
from reviewer.services.project.session import Session
from reviewer.store import judging


@dataclass(frozen=True, slots=True)
class JudgeOffer:
    """A judge with its endpoint, None where that is gone.

    Attributes:
        package: That brings it, empty for a judge of the project.
    """

    judge: Judge
    endpoint: Endpoint | None
    package: str = ""

    @property
    def title(self) -> str:
        """Name the judge with its package, or with its model where that says more."""
        name, beside = self.judge.name, self.package or self.judge.model
        return name if name == beside else f"{name} · {beside}"


@dataclass(frozen=True, slots=True)
class BotOffer:
    """A bot; `package` as for judges."""

    bot: Bot
    package: str = ""

    @property
    def title(self) -> str:
        """Name the bot with its package or kind."""
        return f"{self.bot.name} · {self.package or self.bot.kind.replace('_', ' ')}"


def judges(session: Session) -> tuple[JudgeOffer, ...]:
    """Give the judges by name, those of packages last."""
    there = {x.name: x for x in judging.every(session.project.conn, Endpoint)}
    own = judging.every(session.project.conn, Judge)
    known = {x.name for x in own}
    brought = (x for x in plugins.offers("judge") if x.name not in known)
    return (
        *(JudgeOffer(x, there.get(x.endpoint)) for x in own),
        *(JudgeOffer(*clients.stand_in(x.name, x.package), x.package) for x in brought),
    )


def bots(session: Session) -> tuple[BotOffer, ...]:
    """Give the bots by name, those of packages last."""
    own = judging.every(session.project.conn, Bot)
    known = {x.name for x in own}
    brought = (x for x in plugins.offers("bot") if x.name not in known)
    return (
        *(BotOffer(x) for x in own),
        *(
            BotOffer(Bot(name=x.name, kind="package", settings={"entry": x.name}), x.package)
            for x in brought
        ),
    )
