"""Texts under review inside a prompt: fenced as data, and searched for attempts on the judge."""

import hashlib
import re
import unicodedata
from typing import Final

_ATTEMPTS: Final[tuple[re.Pattern[str], ...]] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|above|previous)\w*",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything)\b",
        r"\b(?:ignorier|missacht|vergiss)\w*\b[^.\n]{0,40}\b(?:anweisung|vorgabe|regel|prompt)\w*",
        r"\b(?:new|updated|real|actual)\s+(?:system\s+)?(?:instruction|prompt|task)s?\b\s*:",
        r"\b(?:system|developer)\s+(?:prompt|message|instruction)s?\b",
        r"\byou\s+are\s+(?:now|no\s+longer)\b",
        r"\b(?:note|message|instruction)s?\s+(?:to|for)\s+(?:the\s+)?(?:judge|evaluator|grader|rater|llm|model)\b",
        r"\b(?:give|assign|award|rate|score|mark|grade)\b[^.\n]{0,40}"
        r"\b(?:score|rating|mark|grade|full|maximum|highest|perfect|\d\s*(?:/|out of)\s*\d)\b",
        r"[\"']score[\"']\s*:\s*[\"']?\d",
        r"<</?\s*\w+\s+[0-9a-f]{8}\s*>>",
        r"</\s*(?:response|answer|data|query|context|conversation|prompt)\s*>",
        r"<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]",
    )
)
_QUOTE: Final = 80
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_BROKEN_LINE: Final = re.compile(r"\r?\n(?![\s\-*#>\d])")


def fenced(name: str, text: str) -> str:
    """Put a text between marks that it cannot contain, named by what it is."""
    mark = hashlib.sha256(f"{name}\0{text}".encode(errors="replace")).hexdigest()[:8]
    return f"<<{name} {mark}>>\n{text}\n<</{name} {mark}>>"


def attempts(text: str) -> tuple[str, ...]:
    """Quote what in a text looks like instructions to the judge, in order and each once.

    A sign to look closer, not a proof: an honest text may speak of instructions, too.
    """
    plain = _plain(text)
    found = sorted(
        (match.start(), match.group())
        for pattern in _ATTEMPTS
        for match in pattern.finditer(plain)
    )
    quotes = (" ".join(said.split())[:_QUOTE] for _, said in found)
    return tuple(dict.fromkeys(quotes))


def _plain(text: str) -> str:
    """Undo what hides words: invisible characters, wide letters, and lines that are broken."""
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _BROKEN_LINE.sub(" ", text)
