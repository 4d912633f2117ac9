"""Texts under review inside a prompt: fenced as data, and searched for attempts on the judge."""

import hashlib
import re
from typing import Final

_ATTEMPTS: Final[tuple[re.Pattern[str], ...]] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|above|previous)\w*",
        r"\b(?:new|updated|real|actual)\s+(?:system\s+)?(?:instruction|prompt|task)s?\b\s*:",
        r"\b(?:system|developer)\s+(?:prompt|message|instruction)s?\b",
        r"\byou\s+are\s+(?:now|no\s+longer)\b",
        r"\b(?:note|message|instruction)s?\s+(?:to|for)\s+(?:the\s+)?(?:judge|evaluator|grader|rater|llm|model)\b",
        r"\b(?:give|assign|award|rate|score|mark|grade)\b[^.\n]{0,40}"
        r"\b(?:score|rating|mark|grade|full|maximum|highest|perfect|\d\s*(?:/|out of)\s*\d)\b",
        r"[\"']score[\"']\s*:\s*[\"']?\d",
        r"<</?\s*\w+\s+[0-9a-f]{8}\s*>>",
        r"<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]",
    )
)
_QUOTE: Final = 80


def fenced(name: str, text: str) -> str:
    """Put a text between marks that it cannot contain, named by what it is."""
    mark = hashlib.sha256(f"{name}\0{text}".encode(errors="replace")).hexdigest()[:8]
    return f"<<{name} {mark}>>\n{text}\n<</{name} {mark}>>"


def attempts(text: str) -> tuple[str, ...]:
    """Quote what in a text looks like instructions to the judge, in order and each once.

    A sign to look closer, not a proof: an honest text may speak of instructions, too.
    """
    found = sorted(
        (match.start(), match.group()) for pattern in _ATTEMPTS for match in pattern.finditer(text)
    )
    quotes = (" ".join(said.split())[:_QUOTE] for _, said in found)
    return tuple(dict.fromkeys(quotes))
