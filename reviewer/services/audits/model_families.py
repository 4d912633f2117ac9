"""Which family a model belongs to, recognised from its name by a table that the lead may edit.

    gpt = OpenAI
    claude = Anthropic

Each line is the beginning of a word of the name, and the family; the first that fits counts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.store.project import Project

SETTING: Final = "model_families"
LONGEST: Final = 500
"""Lines that a table may have."""
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Families:
    """Beginnings of words, in lower case, with the family of each."""

    rows: tuple[tuple[str, str], ...]

    def of(self, name: str | None) -> str | None:
        """Give the family of a model's name, None where no line fits."""
        words = _WORD.findall((name or "").lower())
        for beginning, family in self.rows:
            if any(word.startswith(beginning) for word in words):
                return family
        return None

    def text(self) -> str:
        """Write the table as it is edited."""
        return "\n".join(f"{beginning} = {family}" for beginning, family in self.rows)


def _listed(rows: Iterable[tuple[str, str]]) -> Families:
    return Families(tuple((word, family) for words, family in rows for word in words.split()))


DEFAULT: Final = _listed(
    (
        ("gpt chatgpt davinci o1 o3 o4 codex openai", "OpenAI"),
        ("claude anthropic", "Anthropic"),
        ("gemini gemma palm bard", "Google"),
        ("llama codellama", "Meta"),
        ("mistral mixtral ministral magistral codestral pixtral", "Mistral"),
        ("command aya cohere", "Cohere"),
        ("deepseek", "DeepSeek"),
        ("qwen qwq tongyi", "Alibaba"),
        ("grok", "xAI"),
        ("phi wizardlm", "Microsoft"),
        ("nova titan", "Amazon"),
        ("jamba jurassic", "AI21"),
        ("glm chatglm", "Zhipu"),
        ("kimi moonshot", "Moonshot"),
        ("granite", "IBM"),
        ("nemotron", "NVIDIA"),
        ("ernie", "Baidu"),
        ("hunyuan", "Tencent"),
        ("doubao", "ByteDance"),
        ("falcon", "TII"),
        ("olmo tulu", "Ai2"),
        ("yi", "01.AI"),
    )
)


def parse(text: str) -> Families:
    """Read a table; empty lines and lines that begin with # do not count.

    Raises:
        ReviewerError: A line is no `beginning = family`; the sentence names it.
    """
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        beginning, sign, family = (part.strip() for part in words.partition("="))
        if not sign or not family or not _WORD.fullmatch(beginning.lower()):
            raise ReviewerError(
                f"Line {number} of the model families is {words!r}; expected the beginning of a "
                "word, an equals sign and a family, such as gpt = OpenAI."
            )
        rows.append((beginning.lower(), family))
    if len(rows) > LONGEST:
        raise ReviewerError(
            f"The table of model families has {len(rows):,} lines; it may have {LONGEST}."
        )
    return Families(tuple(rows))


def read(project: Project) -> Families:
    """Give the project's table, the usual one where it has none of its own."""
    text = project.setting(SETTING)
    return parse(text) if text.strip() else DEFAULT


def save(project: Project, text: str) -> Families:
    """Keep a table for the project; an empty one brings the usual table back.

    Raises:
        ReviewerError: A line is malformed, or the project cannot be written.
    """
    found = parse(text)
    project.set_setting(SETTING, "" if found == DEFAULT else found.text())
    return found if found.rows else DEFAULT
