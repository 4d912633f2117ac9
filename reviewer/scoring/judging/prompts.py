"""What a judge is asked: prompts as templates.

A template has a part under the line `[system]` and one under `[user]`; without these lines all of
it is the question. Texts of the evaluation come fenced, whatever the template does with them.
Templates that ship are filled in here, all others in a process with limits.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reviewer.confined.calling import Confined
from reviewer.confined.process import MEGABYTE, EndedError
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation, JsonValue, Turn, Value
from reviewer.domain.rubric import Metric
from reviewer.paths import resources
from reviewer.scoring.scorer import case_of, unread

VARIABLES: Final = (
    "query", "response", "context", "expected", "messages", "sources", "metric", "levels",
    "examples",
)  # fmt: skip
"""What a prompt may name."""
_FIELDS: Final = {
    "input": "query", "response": "response", "context": "context", "expected": "expected",
    "messages": "messages", "sources": "sources",
}  # fmt: skip
"""The fields of a record that prompts name, and by which names."""
_BRACED: Final = re.compile(r"(?<![{\w])\{\s*(\w+)\s*\}(?!\})")
EXAMPLE_LENGTH: Final = 4_000
"""Characters of a question or an answer that an example shows."""
_LONGEST: Final = 2_000_000
_SAID: Final = 300
"""Characters of what a template's own error says."""
_SYSTEM, _USER = "[system]", "[user]"


class PromptError(ReviewerError):
    """Report a prompt that cannot be used, with the line."""


class Asking(NamedTuple):
    """What a judge is asked: its standing instructions and the question."""

    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A scored evaluation shown to the judge: what people gave, and why."""

    query: str
    response: str
    score: Value
    reasoning: str = ""


class Fenced:
    """A text of the evaluation: printed in a template it comes between its marks."""

    __slots__ = ("_name", "_text")

    def __init__(self, name: str, text: str) -> None:
        """Keep the text under the name that its marks show."""
        self._name = name
        self._text = text

    def __str__(self) -> str:
        return fenced(self._name, self._text)

    def __len__(self) -> int:
        return len(self._text)


class Listed:
    """Several texts: printed at once, or one by one in a loop."""

    __slots__ = ("_items", "_name", "_text")

    def __init__(self, name: str, items: Sequence[Mapping[str, object]], text: str) -> None:
        """Keep the items for loops, and the text that stands for all of them."""
        self._name = name
        self._items = items
        self._text = text

    def __str__(self) -> str:
        return fenced(self._name, self._text)

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def prompt_hash(text: str) -> str:
    """Name a version of a prompt: the first twelve digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def check(text: str) -> None:
    """Hold a template to what a prompt may be.

    Raises:
        PromptError: Its syntax is wrong, it names a variable that there is none of, it writes one
            as `{query}`, which is none, or it names nothing of what is to be judged.
    """
    try:
        _check(text)
    except RecursionError:
        raise PromptError("The prompt is nested too deeply.") from None


def _check(text: str) -> None:
    for braced in _BRACED.finditer(text):
        name = {"question": "query", "answer": "response"}.get(braced[1], braced[1])
        if name in VARIABLES:
            line = text.count("\n", 0, braced.start()) + 1
            raise PromptError(
                f"Line {line} of the prompt writes {braced[0]}, which would be sent as it stands; "
                f"write {{{{ {name} }}}}."
            )
    environment = _environment()
    named: set[str] = set()
    for part in _parts(text):
        tree, found = _read(environment, part)
        named |= found
        unknown = named - set(VARIABLES)
        if unknown:
            name, line = _first(tree, unknown)
            raise PromptError(
                f"Line {part.first_line + line} of the prompt names {name!r}, which is no "
                f"variable; there are: {', '.join(VARIABLES)}."
            )
    if named.isdisjoint(_FIELDS.values()):
        raise PromptError(
            "The prompt names nothing of what is to be judged, so every response would be judged "
            "unseen; write {{ response }} where it belongs."
        )


def render(
    text: str, evaluation: Evaluation, metric: Metric, examples: Sequence[Example] = ()
) -> Asking:
    """Fill a template with an evaluation.

    Raises:
        PromptError: The template is wrong, takes too long or too much, its text would be longer
            than any model takes, or the evaluation has a field that could not be read.
    """
    lost = [x for x in _FIELDS if x in evaluation.unreadable and _FIELDS[x] in text]
    if lost:
        raise PromptError(f"{unread(lost)} The judge was not asked.")
    values = _values(evaluation, metric, examples)
    system, user = _filled(text, values, f"The prompt of {metric.name} on {evaluation.id}")
    if len(system) + len(user) > _LONGEST:
        raise PromptError(
            f"The prompt for {evaluation.id} would have {len(system) + len(user):,} characters; "
            f"at most {_LONGEST:,} are sent."
        )
    return Asking(system, user)


def shown(evaluation: Evaluation) -> tuple[str, str]:
    """Give question and answer as an example shows them; a conversation is its own answer."""
    case = case_of(evaluation)
    answer = _response(evaluation, case.response)
    if evaluation.response is None and len(evaluation.messages) > 1:
        answer = _conversation(evaluation.messages)
    return _cut(case.question or ""), _cut(answer)


def suspicious(evaluation: Evaluation) -> tuple[str, ...]:
    """Quote what looks like instructions to the judge in all that the system under review said.

    That is what its assistant and its tools said: its own instructions were written by those who
    run it, and what users say is its to withstand.
    """
    answers = evaluation.candidates
    said = [x.response or "" for x in answers] or [case_of(evaluation).response or ""]
    turns = [*evaluation.messages, *(y for x in answers if not x.response for y in x.messages)]
    said += [_said(turn) for turn in turns if turn.role in ("assistant", "tool")]
    return attempts("\n\n".join(dict.fromkeys(said)))


def _cut(text: str) -> str:
    return text if len(text) <= EXAMPLE_LENGTH else f"{text[:EXAMPLE_LENGTH]} […]"


class _Part(NamedTuple):
    text: str
    first_line: int


def _parts(text: str) -> tuple[_Part, _Part]:
    lines = text.splitlines()
    marks = [line.strip() for line in lines]
    if not {_SYSTEM, _USER} & set(marks):
        return _Part("", 0), _Part(text, 0)
    if marks.count(_USER) != 1 or marks.count(_SYSTEM) > 1:
        raise PromptError(f"A prompt has one line {_USER}, and one line {_SYSTEM} before it.")
    user = marks.index(_USER)
    system = marks.index(_SYSTEM) if _SYSTEM in marks else user
    if system > user:
        raise PromptError(f"The line {_SYSTEM} stands after the line {_USER}; put it first.")
    if any(marks[:system]):
        raise PromptError(f"What stands above the first line {marks[system]} is asked of nobody.")
    asked = _Part("\n".join(lines[user + 1 :]), user + 1)
    return _Part("\n".join(lines[system + 1 : user]), system + 1), asked


def _environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    made.globals.clear()
    return made


def _read(
    environment: ImmutableSandboxedEnvironment, part: _Part
) -> tuple[nodes.Template, set[str]]:
    """Give the tree of a part and the names in it."""
    try:
        tree = environment.parse(part.text)
        return tree, _names(tree)
    except TemplateSyntaxError as error:
        line = part.first_line + error.lineno
        said = str(error.message).rstrip(".")
        raise PromptError(f"Line {line} of the prompt: {said}.") from None
    except ValueError:
        # of all texts Python reads only such numbers not
        raise PromptError("The prompt holds a number with more digits than can be read.") from None


def _names(tree: nodes.Template) -> set[str]:
    """Look for names; constants give way to one, as what is made of them would be worked out."""
    constant = nodes.Name("a constant", "load", lineno=0)
    for node in [tree, *tree.find_all(nodes.Node)]:
        for name, part in node.iter_fields():
            if isinstance(part, nodes.Const):
                setattr(node, name, constant)
            elif isinstance(part, list):
                part[:] = [constant if isinstance(x, nodes.Const) else x for x in part]
    return meta.find_undeclared_variables(tree) - {constant.name}


def _first(tree: nodes.Template, unknown: set[str]) -> tuple[str, int]:
    found = (node for node in tree.find_all(nodes.Name) if node.name in unknown)
    line, name = min((node.lineno, node.name) for node in found)
    return name, line


@lru_cache(maxsize=64)
def _compiled(text: str) -> tuple[Template, ...]:
    """Compile a template that was checked; a job asks by the same one thousands of times."""
    check(text)
    environment = _environment()
    return tuple(environment.from_string(part.text) for part in _parts(text))


@lru_cache(maxsize=1)
def _shipped() -> frozenset[str]:
    found = (resources() / "prompts").rglob("*.j2")
    return frozenset(file.read_text(encoding="utf-8") for file in found)


def _filled(text: str, values: Mapping[str, object], what: str) -> tuple[str, str]:
    if text in _shipped():
        system, user = parts_of(text, values)
        return system, user
    # wrong ones need no process to be told
    check(text)
    try:
        made = _FILL(text, values)
    except EndedError as error:
        raise PromptError(f"{what}: it {error}") from None
    if isinstance(made, str):
        raise PromptError(made)
    return made[0], made[1]


def parts_of(text: str, values: Mapping[str, object]) -> list[str]:
    """Fill in the parts of a template, wherever this is called.

    Raises:
        PromptError: A part cannot be filled in.
    """
    try:
        return [template.render(values).strip() for template in _compiled(text)]
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
            RecursionError, SyntaxError, NameError) as error:  # fmt: skip
        raise PromptError(f"The prompt cannot be filled in: {f'{error}'[:_SAID]}.") from None


def parts_or_problem(text: str, values: Mapping[str, object]) -> list[str] | str:
    """Fill in the parts of a template, or say why that cannot be."""
    try:
        return parts_of(text, values)
    except PromptError as error:
        return str(error)


_FILL: Final = Confined(parts_or_problem, seconds=5.0, memory=512 * MEGABYTE)


def _values(
    evaluation: Evaluation, metric: Metric, examples: Sequence[Example]
) -> dict[str, object]:
    case = case_of(evaluation)
    return {
        "query": Fenced("query", case.question or ""),
        "response": Fenced("response", _response(evaluation, case.response)),
        "context": Fenced("context", _text(case.context)),
        "expected": Fenced("expected", case.expected or ""),
        "messages": _messages(evaluation.messages),
        "sources": Listed(
            "sources",
            [
                {"id": x.id, "title": x.title or "", "text": Fenced("source", x.text or "")}
                for x in evaluation.sources
            ],
            "\n\n".join(f"[{x.id}] {x.title or ''}\n{x.text or ''}" for x in evaluation.sources),
        ),
        "metric": {
            "name": metric.name,
            "title": metric.heading,
            "description": metric.description,
            "scale": metric.describe_scale(),
        },
        "levels": [
            {
                "value": level.value,
                "title": level.title,
                "description": level.description,
                "example": level.example,
            }
            for level in reversed(metric.sorted_levels)
        ],
        "examples": [
            {
                "query": Fenced("query", x.query),
                "response": Fenced("response", x.response),
                "score": x.score,
                "reasoning": x.reasoning,
            }
            for x in examples
        ],
    }


def _response(evaluation: Evaluation, response: str | None) -> str:
    if not evaluation.candidates:
        return response or ""
    return "\n\n".join(
        f"[{x.id}]\n{x.response or _conversation(x.messages)}" for x in evaluation.candidates
    )


def _messages(turns: Sequence[Turn]) -> Listed:
    items = [{"role": turn.role, "text": Fenced(turn.role, _said(turn))} for turn in turns]
    return Listed("conversation", items, _conversation(turns))


def _conversation(turns: Sequence[Turn]) -> str:
    return "\n\n".join(f"{turn.role}: {_said(turn)}" for turn in turns)


def _said(turn: Turn) -> str:
    calls = (f"[calls {call.name} {_text(call.arguments)}]" for call in turn.tool_calls)
    return "\n".join(x for x in (turn.text, *calls) if x)


def _text(value: JsonValue) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, indent=1)


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
    return tuple(dict.fromkeys((" ".join(said.split())[:_QUOTE] for _, said in found)))


def _plain(text: str) -> str:
    """Undo what hides words: invisible characters, wide letters, and lines that are broken."""
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _BROKEN_LINE.sub(" ", text)
