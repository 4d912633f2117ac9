"""What an import has to ask a person before it stores anything, and how they answer."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from reviewer.domain.errors import FormatError, refusal
from reviewer.domain.wording import in_percent
from reviewer.formats.mapping import Mapping
from reviewer.formats.questions import Question
from reviewer.services.transfer.admission import MOST_REFUSED, RefusedShare

MOST_SHOWN = 20
"""Questions, or metrics, that one sentence lists."""


class UnansweredError(FormatError):
    """Report that names and values of a file do not tell what its columns mean.

    Attributes:
        questions: What has to be answered.
    """

    def __init__(self, file: Path, questions: Sequence[Question], command: str) -> None:
        """Say each question with its answers, and the command to give them with."""
        self.questions = tuple(questions)
        lines = [f"{file.name}: names and values do not tell what these columns mean."]
        for number, question in enumerate(self.questions[:MOST_SHOWN], start=1):
            lines.append(f"{number}. {question.text}")
            lines += [
                f"   --answer {shlex.quote(choice.text)}  ({choice.words})"
                for choice in question.choices
            ]
        if len(self.questions) > MOST_SHOWN:
            lines.append(f"… and {len(self.questions) - MOST_SHOWN:,} more.")
        likely = " ".join(
            f"--answer {shlex.quote(question.choices[0].text)}"
            for question in self.questions[:MOST_SHOWN]
        )
        lines.append(
            f"Answer each (a pattern such as 'scores.*=people' answers several), such as: "
            f"{command} {likely}"
        )
        lines.append(
            f"Or have the proposal written, correct it and import with --mapping: "
            f"{command} --write-mapping {shlex.quote(f'{file.name}.mapping.toml')}"
        )
        lines.append("Nothing was stored.")
        super().__init__("\n".join(lines))


class RefusedError(FormatError):
    """Report that more than a few of a metric's values would be refused; nothing was stored.

    Attributes:
        shares: The metrics, how much of each, and an example.
    """

    def __init__(self, name: str, shares: Sequence[RefusedShare], first: str) -> None:
        """Say what would be refused, the first of it, and how the rest is taken all the same."""
        self.shares = tuple(shares)
        super().__init__(
            f"{refused_words(name, shares)}\n{first}\n"
            "Nothing was stored. Another rubric (--rubric) or mapping (--mapping) may fit; "
            "--allow-refused imports the rest without these values."
        )


def refused_words(name: str, shares: Sequence[RefusedShare]) -> str:
    """Say which metrics lose more of their values than may pass unasked, a line each."""
    limit = in_percent(MOST_REFUSED, 0)
    lines = [f"{name}: more than {limit} of the values of a metric would be refused."]
    lines += [f"{share.sentence}." for share in shares[:MOST_SHOWN]]
    if len(shares) > MOST_SHOWN:
        lines.append(f"… and {len(shares) - MOST_SHOWN:,} more metrics.")
    return "\n".join(lines)


def write_proposal(file: Path, mapping: Mapping) -> None:
    """Write a proposed mapping to a file that a person named.

    Raises:
        FormatError: There is such a file, which is not overwritten, or it cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(mapping.to_toml())
    except FileExistsError:
        raise FormatError(
            f"{file} exists already and is not overwritten; import with --mapping "
            f"{shlex.quote(str(file))}, or name another file."
        ) from None
    except OSError as error:
        raise FormatError(f"The mapping {file} cannot be written: {refusal(error)}.") from None


def keep_beside(file: Path, mapping: Mapping) -> str:
    """Keep the mapping that was used beside the project, and say so.

    A file that holds something else, such as one that somebody corrected, stays as it is.
    """
    text = mapping.to_toml()
    try:
        content = text.encode()
        with file.open("xb") as out:
            out.write(content)
    except FileExistsError:
        if _reads(file) == text:
            return f" It is kept in {file}."
        return (
            f" {file} holds another one, which was not used and stays as it is; --mapping "
            f"{shlex.quote(str(file))} uses it."
        )
    except (OSError, UnicodeEncodeError):
        return ""
    return f" It is kept in {file}."


def _reads(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


__all__ = [
    "Question", "RefusedError", "UnansweredError", "keep_beside", "refused_words",
    "write_proposal",
]  # fmt: skip
