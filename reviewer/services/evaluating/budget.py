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

    Attributes:
        price: None where the model's price is not known; then nothing can be held to a limit.
        limit: Dollars at most.
    """

    price: Price | None
    limit: float | None = None
    spent: float = 0.0
    promised: float = 0.0
    replies: int = 0
    tokens_out: int = 0

    @staticmethod
    def tokens(characters: int) -> int:
        """Guess the tokens of a text of some characters."""
        return int(characters / CHARACTERS_A_TOKEN) + 1

    def guess(self, characters: int) -> float:
        """Guess the cost of a question of some characters with its reply."""
        if self.price is None:
            return 0.0
        reply = self.tokens_out / self.replies if self.replies else USUAL_REPLY
        return self.price.cost(self.tokens(characters), int(reply) + 1) or 0.0

    def fits(self, guess: float) -> bool:
        """Tell whether one more call stays within the limit, those under way included."""
        return self.limit is None or self.spent + self.promised + guess <= self.limit + 1e-12

    def promise(self, guess: float) -> None:
        """Count a call that is under way."""
        self.promised += guess

    def settle(self, guess: float, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Count what a call took in place of what was guessed, and give its cost."""
        self.promised = max(self.promised - guess, 0.0)
        cost = self.price.cost(tokens_in, tokens_out) if self.price else None
        self.spent += cost or 0.0
        if tokens_out:
            self.replies += 1
            self.tokens_out += tokens_out
        return cost
