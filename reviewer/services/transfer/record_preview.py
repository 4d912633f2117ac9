"""Show the first records of a file as they will look on the Review page, before any import."""

from dataclasses import dataclass

from reviewer.domain.evaluation import Evaluation, Value
from reviewer.formats.incoming import Fields
from reviewer.store import reading


@dataclass(frozen=True, slots=True)
class Opinion:
    """One score or label of a record.

    Attributes:
        is_label: A person gave it.
        who: The scorer or the labeler; empty for an unnamed scorer.
        value: What it says; None where it says that there is no answer.
        remark: The judge's reasoning or the labeler's comment.
    """

    metric: str
    is_label: bool
    who: str
    value: Value | None
    remark: str = ""

    @property
    def words(self) -> str:
        """Say whose it is."""
        who = f" ({self.who})" if self.who else ""
        return f"label by {self.who}" if self.is_label else f"auto score{who}"


@dataclass(frozen=True, slots=True)
class Preview:
    """One record as it will look.

    Attributes:
        evaluation: Its texts and turns.
        opinions: Its scores, then its labels, in the file's order.
    """

    evaluation: Evaluation
    opinions: tuple[Opinion, ...] = ()


def of_record(fields: Fields) -> Preview:
    """Make the preview of a checked record."""
    messages = fields.get("messages") or ()
    candidates = fields.get("candidates") or ()
    return Preview(
        Evaluation(
            key=0,
            id=str(fields.get("id", "")),
            run=str(fields.get("run", "")),
            input=fields.get("input"),
            response=fields.get("response"),
            messages=tuple(reading.turn(dict(turn)) for turn in messages),
            candidates=tuple(reading.candidate(dict(one)) for one in candidates),
        ),
        (
            *(
                Opinion(
                    score["metric"],
                    is_label=False,
                    who=score.get("scorer") or "",
                    value=score.get("value"),
                    remark=score.get("reasoning") or score.get("error") or "",
                )
                for score in fields.get("scores") or ()
            ),
            *(
                Opinion(
                    label["metric"],
                    is_label=True,
                    who=label["labeler"],
                    value=label.get("value"),
                    remark=label.get("comment") or "",
                )
                for label in fields.get("labels") or ()
            ),
        ),
    )
