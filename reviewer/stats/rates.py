"""The rates of passes and fails: how each is called, put in words and counted.

An entry is all there is to a rate. Figures, sentences, formulas, cells and the lists of responses
behind them go through the entries; none of them knows a rate by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

RateName = Literal[
    "catch_rate", "specificity", "precision", "npv", "f1", "balanced_accuracy", "mcc",
    "auto_rate", "human_rate", "corrected_rate",
]  # fmt: skip
Side = Literal["pass", "fail"] | None
"""A verdict to look for; None is any verdict."""
Look = tuple[Side, Side]
"""A verdict of people, and one of the judge."""
NO_HUMAN_FAIL: Final = "no human-failed item labelled yet"
NO_HUMAN_PASS: Final = "no human-passed item labelled yet"
NO_AUTO_FAIL: Final = "the judge failed none of the labelled items"
NO_AUTO_PASS: Final = "the judge passed none of the labelled items"
_CODES: Final[Mapping[Side, tuple[int, ...]]] = {"fail": (0,), "pass": (1,), None: (0, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RateEntry:
    """Describe one rate.

    Attributes:
        name: what documents and commands call it.
        listed: how a list of the judge as a classifier calls it.
        is_share: whether it is written in percent.
        title: how a table calls it; the window shows those that have one.
        meaning: what it is, in a sentence.
        said: what it says, with its share in braces.
        formula: the counts of which it is made, in words.
        of: whose verdicts it is of: both sides' on the same evaluations, the judge's or people's
            alone, or the labels that stand for all.
        whole, hits: what is counted, and of that what counts for it.
        empty: why there is none where nothing is counted.
        counted: what is counted, as the heading of a list.
        apart: what to look at: where judge and people part, or what fails.
    """

    name: RateName
    listed: str = ""
    is_share: bool = True
    title: str = ""
    meaning: str = ""
    said: str = ""
    formula: str = ""
    of: Literal["both", "judge", "people", "labels"] = "both"
    whole: Look = (None, None)
    hits: Look = (None, None)
    empty: str = ""
    counted: str = ""
    apart: Look = (None, None)

    @property
    def heading(self) -> str:
        """Give the heading of the list of what to look at."""
        return self.counted if self.of == "labels" else look_words(*self.apart)


def look_words(people: Side, judge: Side) -> str:
    """Name verdicts of people and of the judge in a heading."""
    sides = (("people", people), ("judge", judge))
    return " · ".join(f"{who} {verdict}" for who, verdict in sides if verdict)


def cells_of(look: Look) -> list[int]:
    """Give the cells of a two by two table, row by row: rows people, columns judge, fail first."""
    people, judge = look
    return [2 * row + column for row in _CODES[people] for column in _CODES[judge]]


_ENTRIES: Final = (
    RateEntry(
        name="catch_rate",
        listed="fails caught by the judge",
        title="Fails caught",
        meaning="Catch rate (sensitivity): how much of what people fail the judge fails too.",
        said="of what people fail, the judge fails {share}",
        formula="both fail ÷ people fail",
        whole=("fail", None),
        hits=("fail", "fail"),
        empty=NO_HUMAN_FAIL,
        counted="people fail",
        apart=("fail", "pass"),
    ),
    RateEntry(
        name="specificity",
        listed="passes left alone",
        title="Passes passed",
        meaning="Specificity: how much of what people pass the judge passes too.",
        said="of what people pass, the judge passes {share}",
        formula="both pass ÷ people pass",
        whole=("pass", None),
        hits=("pass", "pass"),
        empty=NO_HUMAN_PASS,
        counted="people pass",
        apart=("pass", "fail"),
    ),
    RateEntry(
        name="precision",
        listed="judge's fails that people fail",
        title="Fails confirmed",
        meaning="Precision: how much of what the judge fails people fail too.",
        said="of what the judge fails, people fail {share}",
        formula="both fail ÷ judge fails",
        whole=(None, "fail"),
        hits=("fail", "fail"),
        empty=NO_AUTO_FAIL,
        counted="judge fail, with people's verdict",
        apart=("pass", "fail"),
    ),
    RateEntry(
        name="npv",
        listed="judge's passes that people pass",
        whole=(None, "pass"),
        hits=("pass", "pass"),
        empty=NO_AUTO_PASS,
    ),
    RateEntry(name="f1", listed="F1", is_share=False),
    RateEntry(name="balanced_accuracy", listed="balanced accuracy"),
    RateEntry(name="mcc", listed="MCC", is_share=False),
    RateEntry(
        name="auto_rate",
        title="Judge passes",
        meaning="Of everything that the judge gave a verdict on.",
        said="the judge passes {share}",
        formula="judge passes ÷ all judged",
        of="judge",
        hits=(None, "pass"),
        counted="with the judge's verdict",
        apart=(None, "fail"),
    ),
    RateEntry(
        name="human_rate",
        title="People pass",
        meaning="Of everything that people gave a verdict on, however it was chosen.",
        said="people pass {share}",
        formula="people pass ÷ all with people's verdict",
        of="people",
        hits=("pass", None),
        counted="with people's verdict",
        apart=("fail", None),
    ),
    RateEntry(
        name="corrected_rate",
        title="Corrected pass rate",
        meaning="What people would pass of everything, by labels and the judge's verdicts.",
        said="people would pass {share} of everything",
        of="labels",
        counted="labels that the corrected rate uses",
    ),
)
RATES: Final[Mapping[RateName, RateEntry]] = {entry.name: entry for entry in _ENTRIES}
SHOWN: Final = tuple(entry.name for entry in _ENTRIES if entry.title)
"""Those that the window shows, in its order."""
OF_VERDICTS: Final = tuple(entry.name for entry in _ENTRIES if entry.of == "both")
"""The judge as a classifier, in the order of a document."""
COUNTED: Final = tuple(entry for entry in _ENTRIES if entry.empty)
"""Shares of one kind of verdict on the same evaluations."""
