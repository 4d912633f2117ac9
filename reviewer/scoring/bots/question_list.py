"""The strict semantic match: the row whose question is most like the case's, and its answer."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.domain.judging import Bot
from reviewer.scoring.answers import token_cosine
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase, Kind, Means, Setting
from reviewer.scoring.texts import tokens

NO_MATCH = "no match"


class QuestionListBot:
    """Answers from a table of questions and answers, without a model."""

    def __init__(self, rows: Sequence[tuple[str, str]], min_similarity: float = 0.0) -> None:
        """Take the rows; below `min_similarity` the answer is "no match"."""
        self._rows = rows
        self._list = QuestionList([question for question, _ in rows])
        self._least = min_similarity

    async def answer(self, case: BotCase) -> BotAnswer:
        """Find the best row; of equal ones the first, as published."""
        start = time.perf_counter()
        match = self._list.best(case.question, self._least)
        question, answer = self._rows[match.row] if match.row is not None else ("", NO_MATCH)
        return BotAnswer(
            response=answer,
            latency_ms=(time.perf_counter() - start) * 1000,
            beside={
                "matched": {
                    "row": None if match.row is None else match.row + 1,
                    "question": question,
                    "similarity": match.similarity,
                    "shared": list(match.shared),
                }
            },
        )


@dataclass(frozen=True, slots=True)
class Match:
    """Hold the row that fits best.

    Attributes:
        row: its place in the list from 0; None where no row is like enough.
        similarity: the cosine of the question and the best row.
        shared: the words that both have, sorted.
    """

    row: int | None
    similarity: float
    shared: tuple[str, ...]


class QuestionList:
    """The questions of an FAQ table, ready to be matched."""

    __slots__ = ("_rows", "_rows_with")

    def __init__(self, questions: Sequence[str]) -> None:
        """Split every question into its words."""
        self._rows = [tokens(question) for question in questions]
        self._rows_with: dict[str, list[int]] = {}
        for at, row in enumerate(self._rows):
            for word in row:
                self._rows_with.setdefault(word, []).append(at)

    def best(self, question: str, min_similarity: float = 0.0) -> Match:
        """Find the most similar row; of equal ones the first.

        With nothing in common the first row is given, as published; `min_similarity` above 0
        gives no row there, nor anywhere below it.
        """
        words = tokens(question)
        candidates = Counter(at for word in words for at in self._rows_with.get(word, ()))
        best, similarity = (0 if self._rows else None), 0.0
        for at in sorted(candidates):
            likeness = token_cosine(words, self._rows[at])
            if likeness > similarity:
                best, similarity = at, likeness
        if best is None or round(similarity, 9) < round(min_similarity, 9):
            return Match(None, similarity, ())
        return Match(best, similarity, tuple(sorted(words & self._rows[best])))


async def _make(bot: Bot, means: Means) -> Answering:
    del means
    rows = bot.settings["rows"]
    pairs = [
        (str(row[0]), str(row[1]))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, list) and len(row) == 2
    ]
    return QuestionListBot(pairs, bot.number("min_similarity", 0.0))


STRICT_MATCH: Final = Kind(
    name="strict_match",
    title="Strict match",
    help="the answer of the most similar question of an FAQ table",
    settings=(
        Setting(name="rows", title="FAQ table", form=None, needed=True),
        Setting(name="question_column", title="Questions", form=None),
        Setting(name="answer_column", title="Answers", form=None),
        Setting(name="min_similarity", title="At least",
                hint="0: the first row where nothing matches", form="number"),
    ),
    free=True,
    make=_make,
)  # fmt: skip
