"""What names and values of a file's columns do not tell, and what people answer to it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from reviewer.domain.errors import FormatError
from reviewer.formats.mapping import Fields

JUDGE, PEOPLE, MEAN, BESIDE = "judge", "people", "mean", "beside"
SIDES = {
    JUDGE: "auto scores of a judge or scorer",
    PEOPLE: "labels of a person",
    MEAN: "a mean or majority of several people",
    BESIDE: "neither: kept as an extra field",
}
"""Whose values a column holds, in words."""
_LISTED = {
    JUDGE: "auto scores of a judge or scorer, each value another reply",
    PEOPLE: "labels of several people, one each",
    BESIDE: "neither, such as several classes of one answer: kept as an extra field",
}
EACH = "each"
"""Said of a column of names: each of them has the side that the name tells."""
METRIC = "metric:"
"""Before a metric's name: the values are of this metric."""
HABITS = {
    "decimal-comma": "a comma stands before the decimals",
    "decimal-point": "commas divide thousands",
    "day-first": "the day comes first",
    "month-first": "the month comes first",
}
"""How numbers and dates are written, in words."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question.

    Attributes:
        column: What it is about: a column, a path, or a pattern of several.
        answer: What is said of it, such as `people`, `response` or `metric:accuracy`.
        words: The same in words.
    """

    column: str
    answer: str
    words: str

    @property
    def text(self) -> str:
        """Give the answer as the command line takes it."""
        return f"{self.column}={self.answer}"


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a person has to say before a file can be imported.

    Attributes:
        text: The question, with examples of what was found.
        choices: The answers to choose from, the likeliest first.
    """

    text: str
    choices: tuple[Choice, ...]

    @property
    def in_order(self) -> list[Choice]:
        """Give the answers with the sides last, in the one order of every such question."""
        sides = list(SIDES)
        return sorted(
            self.choices, key=lambda x: sides.index(x.answer) if x.answer in SIDES else -1
        )


class Answers:
    """What was said of columns, by name or pattern; the later word holds."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        """Take answers such as `x_pred=judge`, `scores.*=people` or `output=response`.

        Raises:
            FormatError: One is no answer; the sentence says what would be.
        """
        self._given: list[tuple[str, str]] = []
        for text in given:
            column, _, answer = text.rpartition("=")
            if not column or not _is_answer(answer):
                known = ", ".join((*SIDES, EACH, *HABITS, f"{METRIC}NAME"))
                raise FormatError(
                    f"{text!r} is no answer; COLUMN=ANSWER is one, where the answer is {known} or "
                    "a field such as input or response."
                )
            self._given.append((column, answer))

    def of(self, column: str, among: Iterable[str]) -> str | None:
        """Give the answer for a column that is one of some, None where there is none."""
        wanted = set(among)
        said = (
            answer
            for pattern, answer in reversed(self._given)
            if answer in wanted and (pattern == column or fnmatchcase(column, pattern))
        )
        return next(said, None)

    def metric(self, column: str) -> str | None:
        """Give the metric that was named for a column."""
        named = {answer for _, answer in self._given if answer.startswith(METRIC)}
        said = self.of(column, named)
        return None if said is None else said.removeprefix(METRIC)

    def unknown(self, columns: Sequence[str]) -> list[str]:
        """Give the columns that answers name and the file does not have."""
        return [
            pattern
            for pattern, _ in self._given
            if pattern not in columns and not any(fnmatchcase(x, pattern) for x in columns)
        ]


def _is_answer(answer: str) -> bool:
    named = answer.startswith(METRIC) and len(answer) > len(METRIC)
    return named or answer in SIDES or answer in (*HABITS, EACH) or answer in Fields.model_fields


def side_question(column: str, examples: str, likely: str, *, listed: bool = False) -> Question:
    """Ask whose values a column holds, the likelier side first; lists may be of several people."""
    order = sorted(SIDES, key=lambda side: side != likely)
    words = SIDES | (_LISTED if listed else {})
    return Question(
        f"Whose values does {column} hold: {examples}?",
        tuple(Choice(column, side, words[side]) for side in order),
    )


def whose_question(column: str, examples: str, names: str) -> Question:
    """Ask whether a column holds what those gave whom another column names."""
    return Question(
        f"Did those whom {names} names give {column}: {examples}?",
        (
            Choice(column, PEOPLE, "yes: scores of the judges, labels of the people"),
            Choice(column, BESIDE, "no: kept as an extra field"),
        ),
    )


def habit_question(column: str, examples: str, first: str, second: str) -> Question:
    """Ask how the numbers or dates of a column are written."""
    return Question(
        f"How is {examples} in {column} to be read?",
        tuple(Choice(column, habit, HABITS[habit]) for habit in (first, second)),
    )
