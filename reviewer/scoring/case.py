"""The part of an evaluation that scorers read."""

from dataclasses import dataclass

from pydantic import JsonValue

from reviewer.domain.evaluation import Evaluation, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Hold what scorers and summaries read of one evaluation; what is absent is None or empty.

    Attributes:
        key: the project's own number of the evaluation, 0 outside of a project.
        case: the id of the same test case across runs.
        response: the answer under evaluation; hits of scorers are places in this text.
        keywords: the keywords that the answer should hold.
        tools_used: names of the tools in the order of their calls, repeats included.
        sources: retrieved documents in rank order.
        expected_sources: as the record has it, ids or objects with id and relevance.
        feedback: as the record has it, reactions of the end user.
        cache: `warm` or `cold`.
    """

    key: int = 0
    id: str = ""
    run: str = ""
    case: str | None = None
    category: str | None = None
    complexity: str | None = None
    tags: tuple[str, ...] = ()
    question: str | None = None
    response: str | None = None
    context: JsonValue = None
    expected: str | None = None
    keywords: tuple[str, ...] = ()
    tools_expected: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    error: str | None = None
    sources: tuple[Source, ...] = ()
    expected_sources: JsonValue = None
    latency_ms: float | None = None
    cost_usd: float | None = None
    template_matched: bool | None = None
    direct_substitution: bool | None = None
    cache: str | None = None
    feedback: JsonValue = None
    model: str | None = None
    occurred_at: str | None = None
    evaluated_at: str | None = None


def case_of(evaluation: Evaluation) -> Case:
    """Take from an evaluation what scorers read.

    Where the record has no response or tools of its own, the last assistant turn and the tool
    calls of the conversation stand in.
    """
    rest = evaluation.rest
    return Case(
        key=evaluation.key,
        id=evaluation.id,
        run=evaluation.run,
        case=evaluation.case,
        category=evaluation.category,
        complexity=evaluation.complexity,
        tags=evaluation.tags,
        question=_question(evaluation),
        response=_response(evaluation),
        context=evaluation.context,
        expected=evaluation.expected,
        keywords=evaluation.expected_keywords,
        tools_expected=evaluation.expected_tools,
        tools_used=evaluation.tools_used
        or tuple(call.name for turn in evaluation.messages for call in turn.tool_calls),
        error=evaluation.error,
        sources=evaluation.sources,
        expected_sources=rest.get("expected_sources"),
        latency_ms=evaluation.latency_ms,
        cost_usd=evaluation.cost_usd,
        template_matched=_truth(rest.get("template_matched")),
        direct_substitution=_truth(rest.get("direct_substitution")),
        cache=_text(rest.get("cache")),
        feedback=evaluation.feedback,
        model=evaluation.model,
        occurred_at=evaluation.occurred_at,
        evaluated_at=evaluation.evaluated_at,
    )


def _question(evaluation: Evaluation) -> str | None:
    if evaluation.input is not None:
        return evaluation.input
    return next((turn.text for turn in evaluation.messages if turn.role == "user"), None)


def _response(evaluation: Evaluation) -> str | None:
    if evaluation.response is not None:
        return evaluation.response
    last = next((turn for turn in reversed(evaluation.messages) if turn.role == "assistant"), None)
    return None if last is None or last.content is None else last.text


def _truth(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
