"""The names that columns of evaluation results go by."""

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES: dict[str, tuple[str, ...]] = {
    "messages": (
        "messages conversation conversations turns traj trajectory chat dialog dialogue",
    ),
    "input": (
        "input prompt question query user_input user_prompt user_message",
        "instruction request source_text article message",
    ),
    "response": (
        "response output answer completion reply model_output model_response actual_output",
        "prediction generation generated_text system_output bot_response assistant_response "
        "decoded summary hypothesis",
        "text",
    ),
    "expected": (
        "expected expected_output expected_answer expected_response",
        "reference references ground_truth reference_answer correct_answer ideal target gold",
    ),
    "context": (
        "context contexts retrieved_contexts retrieval_context",
        "source passage document knowledge text",
    ),
    "category": ("category", "topic domain intent plugin"),
    "complexity": ("complexity", "difficulty"),
    "tags": ("tags",),
    "run": ("run run_name", "experiment"),
    "case": ("case case_id test_case",),
    "model": ("model model_name model_id", "system system_id generator provider bot"),
    "error": ("error error_message",),
    "occurred_at": ("occurred_at timestamp created_at time", "date datetime"),
    "evaluated_at": ("evaluated_at scored_at judged_at",),
    "latency_ms": ("latency_ms duration_ms response_time_ms",),
    "cost_usd": ("cost_usd cost price",),
    "tokens_in": ("tokens_in prompt_tokens input_tokens",),
    "tokens_out": ("tokens_out completion_tokens output_tokens",),
}
IDS = _words(
    "id item_id record_id sample_id example_id evaluation_id conversation_id trace_id test_id "
    "uid uuid guid"
)
WEAK_IDS = _words("question_id pair_id doc_id task_id key idx index row")
"""Names whose values often repeat for another model or trial further down."""
COMPANIONS = _words(
    "model model_id model_name system system_id response_source filter trial epoch variant run"
)
METRIC = ("metric", "metric_name", "criterion", "criteria", "dimension", "aspect")
LABELER = _words(
    "labeler labeller annotator annotator_id annotator_name rater rater_id worker_id evaluator"
)
PEOPLE = frozenset(
    _words(
        "human humans annotator annotators annotation annotations labeler labeller labelers rater "
        "raters expert experts turker turkers crowd manual reviewer label labels gold"
    )
)
PLAIN_PEOPLE = frozenset(_words("label labels annotation annotations manual gold"))
SCORE_WORDS = frozenset(_words("score scores rating ratings grade"))
VERDICTS = frozenset(_words("pass passed correct success is_correct is_passed is_success verdict"))
NO_METRIC = SCORE_WORDS | frozenset(
    _words(
        "label labels judgement judgment eval value values annotation annotations individual by "
        "of the auto judge llm"
    )
)
REASONS = _words("reason reasoning reasons explanation rationale justification feedback comment")
NEVER_SCORES = frozenset(
    _words(
        "id idx index len length count counts token tokens usage chars words year seed total "
        "trial temperature turn turns n num number min max page row line epoch position offset "
        "version level confidence rank hash cost price latency time duration ms seconds age size"
    )
)
ANSWERS = frozenset(_words("output response answer completion reply model_output summary"))


def who_and_what(words: tuple[str, ...]) -> tuple[str, str]:
    """Cut `accuracy_expert_2` into the labeler "expert 2" and the metric "accuracy"."""
    who: list[str] = []
    what: list[str] = []
    for word in words:
        match = re.fullmatch(r"([a-z]+?)(\d*)", word)
        stem = match[1] if match else word
        if stem in PEOPLE and not (who and stem in PLAIN_PEOPLE):
            who.append(stem)
            who += [match[2]] if match and match[2] else []
        elif word.isdigit() and who:
            who.append(word)
        elif word not in NO_METRIC:
            what.append(word)
    return " ".join(who), "_".join(what)


def stem(name: str) -> str:
    """Give a column's name without what says that it is a score."""
    bare = re.sub(r"(?i)(^|[_\s:.-]+)(score|rating|grade)s?(?=$|[_\s:.-])", "", name)
    return bare.strip("_ :.-")
