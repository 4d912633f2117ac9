"""What a judge is asked and what it replied: prompts as templates, and scores read from JSON.

A template has a part under the line `[system]` and one under `[user]`; without these lines all of
it is the question. Texts of the evaluation come fenced, whatever the template does with them.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation, JsonValue, Turn, Value
from reviewer.domain.rubric import TIE, Metric
from reviewer.scoring.calling import ReplyError
from reviewer.scoring.masking import whole
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
        tree = _parsed(environment, part)
        named |= meta.find_undeclared_variables(tree)
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
        PromptError: The template is wrong, its text would be longer than any model takes, or the
            evaluation has a field that could not be read.
    """
    lost = [x for x in _FIELDS if x in evaluation.unreadable and _FIELDS[x] in text]
    if lost:
        raise PromptError(f"{unread(lost)} The judge was not asked.")
    values = _values(evaluation, metric, examples)
    system, user = (_filled(template, values) for template in _compiled(text))
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


def _parsed(environment: ImmutableSandboxedEnvironment, part: _Part) -> nodes.Template:
    try:
        return environment.parse(part.text)
    except TemplateSyntaxError as error:
        line = part.first_line + error.lineno
        raise PromptError(f"Line {line} of the prompt: {error.message}.") from None


def _first(tree: nodes.Template, unknown: set[str]) -> tuple[str, int]:
    found = (node for node in tree.find_all(nodes.Name) if node.name in unknown)
    line, name = min((node.lineno, node.name) for node in found)
    return name, line


@lru_cache(maxsize=64)
def _compiled(text: str) -> tuple[Template, ...]:
    """Compile a template that was checked; a job asks by the same one thousands of times."""
    check(text)
    environment = _environment()
    try:
        return tuple(environment.from_string(part.text) for part in _parts(text))
    except TemplateError as error:
        raise PromptError(f"The prompt cannot be filled in: {error}.") from None


def _filled(template: Template, values: Mapping[str, object]) -> str:
    try:
        return template.render(values).strip()
    except (TemplateError, TypeError, ValueError, OverflowError) as error:
        raise PromptError(f"The prompt cannot be filled in: {error}.") from None


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


CUT_REASONING: Final = 20_000
"""Characters of reasoning that a score keeps; the raw reply stands beside it."""
_OBJECTS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's reply, read.

    Attributes:
        value: The score; None where the score follows from claims.
        claims: The list of claims as it came, for `scoring.claims`.
    """

    value: Value | None
    reasoning: str = ""
    examples: tuple[str, ...] = ()
    confidence: float | None = None
    claims: JsonValue = None
    rest: dict[str, JsonValue] = field(default_factory=dict)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    score: bool | int | float | str | None = None
    reasoning: str | None = Field(
        default=None, validation_alias=AliasChoices("reasoning", "reason")
    )
    examples: list[str] | None = None
    confidence: float | int | None = Field(default=None, ge=0, le=1)


def reader(
    metric: Metric, *, candidates: tuple[str, ...] = (), claims: bool = False
) -> Callable[[str], Verdict]:
    """Give what reads replies about a metric.

    Args:
        metric: whose scale a score must lie on; between levels is allowed, outside is not.
        candidates: of a comparison, one of which or "tie" is expected.
        claims: whether a list of claims is expected instead of a score.
    """

    def read(text: str) -> Verdict:
        reply = _only_object(text, "claims" if claims else "score")
        if claims:
            return _claims(reply)
        found = _checked(reply)
        if found.score is None:
            raise ReplyError('The JSON object has no "score".')
        problem = (
            _no_candidate(found.score, candidates)
            if candidates
            else metric.score_problem(found.score)
        )
        if problem is not None:
            raise ReplyError(f"The score {found.score!r} cannot be taken: {problem}.")
        return Verdict(
            value=found.score,
            reasoning=(found.reasoning or "")[:CUT_REASONING],
            examples=tuple(found.examples or ()),
            confidence=None if found.confidence is None else float(found.confidence),
        )

    return read


def _claims(reply: dict[str, JsonValue]) -> Verdict:
    if not isinstance(reply.get("claims"), list):
        raise ReplyError('The JSON object has no list "claims".')
    return Verdict(value=None, claims=reply)


def _no_candidate(score: object, candidates: tuple[str, ...]) -> str | None:
    if score in (*candidates, TIE):
        return None
    return f"one of {', '.join((*candidates, TIE))} is expected"


def _checked(reply: dict[str, JsonValue]) -> _Reply:
    try:
        return _Reply.model_validate(reply)
    except ValidationError as error:
        first = error.errors()[0]
        where = first["loc"][0] if first["loc"] else "reply"
        found = repr(first["input"])[:80]
        wanted = {
            "score": "a number",
            "confidence": "a number from 0 to 1",
            "examples": "a list of texts",
        }.get(str(where), "a text")
        raise ReplyError(f'"{where}" is {found}; {wanted} is expected.') from None


def _only_object(text: str, wanted: str) -> dict[str, JsonValue]:
    if not text.strip():
        raise ReplyError("The reply is empty.")
    found = [each for each in _objects(text) if wanted in each]
    if not found:
        raise ReplyError(f'The reply holds no JSON object with "{wanted}".')
    if any(each != found[0] for each in found[1:]):
        raise ReplyError(f'The reply holds {len(found)} JSON objects with "{wanted}"; one counts.')
    return found[0]


def _objects(text: str) -> Iterator[dict[str, JsonValue]]:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    at = text.find("{")
    for _ in range(_OBJECTS):
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                # escapes may name halves of characters that the reply itself does not hold
                yield json.loads(whole(json.dumps(found, ensure_ascii=False)))
        at = text.find("{", end)


def _refuse(constant: str) -> float:
    raise ReplyError(f"The reply holds {constant}, which is no number; one is expected.")
