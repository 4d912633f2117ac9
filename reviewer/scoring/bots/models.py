"""Bots that ask a model: with the whole document in the prompt, or as a plain chat."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Price
from reviewer.scoring.bots.kind import (
    Answering,
    BotAnswer,
    BotCase,
    Kind,
    Means,
    Setting,
    check_places,
    fill,
)
from reviewer.scoring.calling import STOPS_ALL, Asked, Caller, CallError, Exchange, Question

HASH_DIGITS: Final = 12
"""Of a template's SHA-256, by which its version is named."""
CHARACTERS_A_TOKEN: Final = 4
TEMPLATE: Final = """Answer the question from the document below and from nothing else. If the \
document does not say, say so.

Document:
{{ knowledge }}

Question:
{{ question }}
"""
"""What a full-context bot asks unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBot:
    """Asks a model each case.

    Attributes:
        template: What is asked, with `{{ question }}`; None asks the question itself.
        knowledge: The document that stands for `{{ knowledge }}`.
    """

    client: Caller
    model: str
    system: str = ""
    template: str | None = None
    knowledge: str = ""
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    price: Price | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)

    async def answer(self, case: BotCase) -> BotAnswer:
        """Ask the model."""
        prompt = case.question
        if self.template is not None:
            prompt = fill(self.template, {"knowledge": self.knowledge, "question": case.question})
        question = Question(
            model=self.model,
            prompt=prompt,
            system=self.system,
            history=case.history if self.template is None else (),
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=self.seed,
            extra=self.extra,
        )
        try:
            asked = await self.client.ask(question, str, Exchange(name=case.call))
        except CallError as error:
            said = str(error)
            too_long = error.kind == "too_long" and bool(self.knowledge)
            if too_long:
                said = (
                    f"The document has {len(self.knowledge):,} characters, about "
                    f"{len(self.knowledge) // CHARACTERS_A_TOKEN:,} tokens, which is more than "
                    f"{self.model} takes. "
                    "Shorten it or choose a model that takes more."
                )
            stops = error.kind in STOPS_ALL or too_long
            return BotAnswer(
                response=None,
                error=said,
                stops=stops,
                again=error.again,
                ended=error.ended,
                down=error.kind == "unreachable",
                retry_after=error.retry_after,
                model=self.model,
            )
        return BotAnswer(
            response=asked.value or None if asked.calls else asked.value,
            error=asked.problem,
            latency_ms=asked.latency_ms,
            tokens_in=asked.tokens_in,
            tokens_out=asked.tokens_out,
            cost_usd=self.price.cost(asked.tokens_in, asked.tokens_out) if self.price else None,
            model=self.model,
            beside=self._beside(asked),
        )

    def _beside(self, asked: Asked[str]) -> dict[str, JsonValue]:
        beside: dict[str, JsonValue] = {"trace": asked.trace} if asked.trace else {}
        if asked.calls:
            turn: dict[str, JsonValue] = {"role": "assistant", "content": asked.value or None}
            beside["messages"] = [turn | {"tool_calls": list(asked.calls)}]
        if self.template is not None:
            beside["template"] = hashlib.sha256(self.template.encode()).hexdigest()[:HASH_DIGITS]
        return beside


def _check_document(bot: Bot) -> None:
    check_places(bot.text("template", TEMPLATE), ("knowledge", "question"), ("question",))
    size, most = len(bot.text("knowledge")), int(bot.number("context_tokens", 0))
    if most and size // CHARACTERS_A_TOKEN > most:
        raise ReviewerError(
            f"The document has {size:,} characters, about {size // CHARACTERS_A_TOKEN:,} tokens, "
            f"which is more than the {most:,} that {bot.text('model')} takes. Shorten it or "
            "choose a model that takes more."
        )


def _check_chat(bot: Bot) -> None:
    if bot.text("template"):
        check_places(bot.text("template"), ("question",), ("question",))


async def _make(bot: Bot, means: Means) -> Answering:
    return ModelBot(
        client=await means.model(bot.text("endpoint")),
        model=bot.text("model"),
        system=bot.text("system"),
        template=bot.text("template", TEMPLATE if bot.kind == FULL_CONTEXT.name else "") or None,
        knowledge=bot.text("knowledge"),
        temperature=bot.number("temperature", 0.0),
        max_tokens=bot.whole("max_tokens"),
        seed=bot.whole("seed"),
        price=means.price(bot.text("model")),
    )


_ASKED: Final = (
    Setting(name="endpoint", title="Endpoint", form=None, needed=True),
    Setting(name="model", title="Model", hint="such as gpt-4o-mini or qwen3:14b", needed=True),
)
_CALLED: Final = (
    Setting(name="system", title="System prompt", hint="none"),
    Setting(name="temperature", title="Temperature", hint="0", form="number"),
    Setting(name="max_tokens", title="Longest reply", hint="the model's own limit", form="whole"),
)
FULL_CONTEXT: Final = Kind(
    name="full_context",
    title="Full context",
    help="a model with the whole document in its prompt",
    settings=(
        *_ASKED,
        Setting(name="knowledge", title="Document", form=None, needed=True),
        Setting(name="template", title="Template", form=None),
        Setting(name="context_tokens", title="At most",
                hint="what the model takes, to refuse more", form="whole"),
        *_CALLED,
    ),
    check=_check_document,
    make=_make,
)  # fmt: skip
CHAT: Final = Kind(
    name="chat",
    title="Chat endpoint",
    help="a model as it is",
    settings=(*_ASKED, *_CALLED),
    check=_check_chat,
    make=_make,
)
