"""Bots that ask a model: with the whole document in the prompt, or as a plain chat."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from reviewer.domain.judging import Price
from reviewer.domain.values import JsonValue
from reviewer.scoring.bots.answering import BotAnswer, BotCase, fill
from reviewer.scoring.calling import STOPS_ALL, Asked, CallError, Question

Found = TypeVar("Found")
HASH_DIGITS: Final = 12
"""Of a template's SHA-256, by which its version is named."""
TEMPLATE: Final = """Answer the question from the document below and from nothing else. If the \
document does not say, say so.

Document:
{{ knowledge }}

Question:
{{ question }}
"""


class Caller(Protocol):
    """What calls a model: `scoring.llm.client.Client`."""

    async def ask(self, question: Question, read: Callable[[str], Found]) -> Asked[Found]:
        """Ask; may raise `CallError`."""
        ...


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
            asked = await self.client.ask(question, str)
        except CallError as error:
            return self._failed(error)
        return BotAnswer(
            response=asked.value,
            error=asked.problem,
            latency_ms=asked.latency_ms,
            tokens_in=asked.tokens_in,
            tokens_out=asked.tokens_out,
            cost_usd=self.price.cost(asked.tokens_in, asked.tokens_out) if self.price else None,
            model=self.model,
            beside=self._beside(asked.trace),
        )

    def _beside(self, trace: str | None) -> dict[str, JsonValue]:
        beside: dict[str, JsonValue] = {"trace": trace} if trace else {}
        if self.template is not None:
            text = self.template.encode()
            beside["template"] = hashlib.sha256(text).hexdigest()[:HASH_DIGITS]
        return beside

    def _failed(self, error: CallError) -> BotAnswer:
        said = str(error)
        too_long = error.kind == "too_long" and bool(self.knowledge)
        if too_long:
            said = (
                f"The document has {len(self.knowledge):,} characters, about "
                f"{len(self.knowledge) // 4:,} tokens, which is more than {self.model} takes. "
                "Shorten it or choose a model that takes more."
            )
        stops = error.kind in STOPS_ALL or too_long
        return BotAnswer(
            response=None,
            error=said,
            stops=stops,
            again=error.again,
            down=error.kind == "unreachable",
            retry_after=error.retry_after,
            model=self.model,
        )
