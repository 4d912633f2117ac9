"""What a job has cost so far, and whether one more call fits."""

from dataclasses import dataclass

from reviewer.domain.judging import Price

CHARACTERS_A_TOKEN = 3.5
"""A careful guess for prices before a call; afterwards the provider's count holds."""
USUAL_REPLY = 250
"""Tokens of a judge's reply, until some have come."""


@dataclass(slots=True)
class Budget:
    """Dollars spent and promised.

    The first call under a limit goes alone, as nobody knows before it what the model's replies
    take; every further one is guessed as dear as the dearest so far for its length.

    Attributes:
        price: None where the model's price is not known; then nothing can be held to a limit.
        limit: Dollars at most.
        promised: What the calls under way were guessed to cost.
        under_way: Calls that are promised.
        dearest: What a call cost, as a multiple of its guess; 0 before there is one.
    """

    price: Price | None
    limit: float | None = None
    spent: float = 0.0
    promised: float = 0.0
    under_way: int = 0
    dearest: float = 0.0

    @staticmethod
    def tokens(characters: int) -> int:
        """Guess the tokens of a text of some characters."""
        return int(characters / CHARACTERS_A_TOKEN) + 1

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Give the cost of some tokens, None where they or their price are not known."""
        return self.price.cost(tokens_in, tokens_out) if self.price else None

    def guess(self, characters: int) -> float:
        """Guess what a question of some characters costs with a reply of the usual length."""
        return self.cost(self.tokens(characters), USUAL_REPLY) or 0.0

    def fits(self, guess: float) -> bool:
        """Tell whether one more call stays within the limit, those under way included."""
        if self.limit is None:
            return True
        if self.under_way and not self.dearest and guess:
            return False
        return self.spent + self._likely(self.promised + guess) <= self.limit + 1e-12

    def promise(self, guess: float) -> None:
        """Count a call that is under way."""
        self.under_way += 1
        self.promised += guess

    def settle(self, guess: float, tokens_in: int | None, tokens_out: int | None) -> float:
        """Count what a call took in place of what was guessed, and give its cost.

        Where the provider does not tell the tokens of a reply, its likely cost stands.
        """
        self.under_way -= 1
        self.promised = max(self.promised - guess, 0.0) if self.under_way else 0.0
        told = self.cost(tokens_in, tokens_out)
        cost = self._likely(guess) if told is None else told
        self.spent += cost
        if guess:
            self.dearest = max(self.dearest, cost / guess)
        return cost

    def _likely(self, guess: float) -> float:
        return guess * (self.dearest or 1.0)
