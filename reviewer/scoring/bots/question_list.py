"""The strict semantic match: the answer of the row whose question is most like the case's."""

import time
from collections.abc import Sequence

from reviewer.scoring.bots.answering import BotAnswer, BotCase
from reviewer.scoring.strict_match import QuestionList

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
