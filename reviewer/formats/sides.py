"""Whose values a column holds, as far as its name and values tell: a judge's or people's."""

import re
from collections.abc import Iterable, Sequence

from reviewer.formats.columns import Column, names_in, words_of
from reviewer.formats.paths import steps_of
from reviewer.formats.questions import BESIDE, JUDGE, MEAN, PEOPLE

PEOPLE_WORDS = frozenset(
    names_in(
        "human humans annotator annotators labeler labelers labeller labellers rater raters "
        "expert experts turker turkers crowd crowdsourced manual manually reviewer "
        "reviewers person people participant participants"
    )
)
PLAIN_WORDS = frozenset(names_in("label labels annotation annotations gold"))
"""People's in most files; in others the truth that a data set came with."""
JUDGE_WORDS = frozenset(
    names_in(
        "judge judges judged judgelm auto automatic automated llm ai predict predicts predicted "
        "prediction predictions pred preds machine scorer geval gpt chatgpt claude gemini gemma "
        "llama mistral mixtral qwen deepseek prometheus cohere palm bard vicuna ragas deepeval"
    )
)
COMPUTED = frozenset(
    names_in("bleu rouge bertscore meteor exact_match string_present non_llm_string_similarity")
)
"""Metrics that only a program gives."""
RAGAS = frozenset(
    names_in(
        "faithfulness faithfulness_with_hhem faithful_rate relevance_rate answer_relevancy "
        "response_relevancy answer_similarity semantic_similarity answer_correctness "
        "answer_accuracy factual_correctness context_precision context_recall context_relevancy "
        "context_relevance context_utilization context_entity_recall "
        "context_precision_with_reference context_precision_without_reference "
        "llm_context_precision_with_reference llm_context_precision_without_reference "
        "non_llm_context_precision_with_reference non_llm_context_recall "
        "id_based_context_precision id_based_context_recall noise_sensitivity nv_accuracy "
        "nv_context_relevance nv_response_groundedness response_groundedness rubrics_score "
        "rubrics_score_with_reference rubrics_score_without_reference domain_specific_rubrics "
        "instance_specific_rubrics instance_rubrics summary_score summarization_score "
        "topic_adherence tool_call_accuracy tool_call_f1 agent_goal_accuracy bleu_score "
        "rouge_score chrf_score exact_match string_present non_llm_string_similarity "
        "data_compare_score llm_sql_equivalence_with_reference sql_semantic_equivalence "
        "multi_modal_faithfulness multi_modal_relevance quoted_spans_alignment"
    )
)
"""The metrics of Ragas, up to 0.4.3; its columns are called after them."""
MEAN_WORDS = frozenset(names_in("mean means avg average median majority consensus aggregate"))
TRUTHS = frozenset(
    names_in("ground_truth truth target gold gold_label correct_answer true_label correct_label")
)
SCORE_WORDS = frozenset(names_in("score scores scoring rating ratings grade grades"))
VERDICTS = frozenset(
    names_in(
        "pass passed correct is_correct is_passed verdict accepted is_accepted approved "
        "is_approved preference winner reward"
    )
)
NO_METRIC = SCORE_WORDS | frozenset(
    names_in("judgement judgment eval value values individual by of the metric lm")
)
REASONS = names_in("reason reasoning reasons explanation rationale justification")
COMMENTS = ("feedback", "comment")
_NEVER_WORDS = frozenset(
    names_in(
        "id ids idx index len length count counts token tokens usage chars words year seed total "
        "trial temperature turn turns n num number min max page row line epoch position offset "
        "version level confidence rank hash cost price latency time duration ms seconds age size "
        "weight weights threshold created updated cached cancelled canceled lead timestamp"
    )
)
_NEVER_NAMES = frozenset(
    names_in(
        "task project success failure_reason cached order status code key run step "
        "parent_prediction ground_truth was_cancelled parent_annotation result_count archived "
        "annotator_kind annotation_name scorer_kind"
    )
)
_AUXILIARY = frozenset(names_in("is was are were did has"))
_NEVER_ENDS = frozenset(names_in("at by id ids"))
_NEVER_INSIDE = frozenset(
    names_in(
        "prompt doc vars config configuration params parameters args arguments settings usage "
        "cost token tokens stats options provider spec environment weights timing latency"
    )
)
_SIGNS = SCORE_WORDS | PLAIN_WORDS | COMPUTED
_GENERIC = PEOPLE_WORDS | frozenset(names_in("auto automatic automated llm ai machine"))
"""Words that also stand inside of what is judged; the names of models hardly do."""
_LOOSE = frozenset(names_in("auto automatic automated manual manually"))
"""Of what was done by itself or by hand, such as `auto_resolved`, values of two kinds tell."""
_TO_PEOPLE = frozenset(names_in("to need needs require requires"))
_OF_PEOPLE = frozenset(
    names_in("like likeness handoff handover takeover escalated escalation intervention transfer")
)
"""Before and behind people these tell of a conversation: `escalated_to_human`."""
_SIDES = PEOPLE_WORDS | JUDGE_WORDS
_VERSION = re.compile(r"\d|^(?:turbo|mini|flash|pro|opus|sonnet|haiku|instruct|chat|v)$")


def _steps(path: str, *, is_flat: bool) -> list[tuple[str, ...]]:
    if is_flat:
        return [words_of(path)]
    return [words_of(step) for step in steps_of(path) if isinstance(step, str)]


def _stem(word: str) -> str:
    return re.sub(r"\d+[a-z]?$", "", word)


def _stems(column: Column) -> frozenset[str]:
    return frozenset(_stem(word) for word in column.all_words) | column.all_words


def _givers(words: tuple[str, ...]) -> frozenset[int]:
    """Find the words of a step that say who gave its values.

    They stand before or behind what was judged; in `non_llm_similarity` they are a part of it.
    """
    if not any(word in _SIDES or _stem(word) in _SIDES for word in words):
        return frozenset()
    people = [at for at, word in enumerate(words) if _both(word) & PEOPLE_WORDS]
    told_of = {
        at
        for at in people
        if {*words[max(at - 1, 0) : at]} & _TO_PEOPLE or {*words[at + 1 : at + 2]} & _OF_PEOPLE
    }
    named = {*people, *(at for at, word in enumerate(words) if _both(word) & JUDGE_WORDS)}
    named -= told_of
    neutral = NO_METRIC | MEAN_WORDS | PLAIN_WORDS | _AUXILIARY
    judged = [
        at
        for at, word in enumerate(words)
        if at not in named and not _both(word) & neutral and not _is_version(word)
    ]
    inside = range(judged[0], judged[-1]) if judged else ()
    return frozenset(at for at in named if at not in inside or not _both(words[at]) & _GENERIC)


def _both(word: str) -> set[str]:
    return {word, _stem(word)}


def _is_version(word: str) -> bool:
    return len(word) == 1 or bool(_VERSION.search(word))


def _named(column: Column, words: Iterable[str] = ()) -> frozenset[str]:
    """Give the words of a path, or of some of its words, that say who gave the values."""
    steps = [tuple(words)] if words else _steps(column.path, is_flat=column.is_flat)
    # the dots of a table's column divide it as well, but only for the eye
    if column.is_flat and "." in column.path:
        return frozenset(x for word in column.all_words for x in _both(word)) & _SIDES
    return frozenset(x for step in steps for at in _givers(step) for x in _both(step[at]))


def is_bookkeeping(column: Column) -> bool:
    """Tell whether a column holds what a tool notes for itself, or a truth, and no opinion."""
    *parents, own = _steps(column.path, is_flat=column.is_flat) or [()]
    name = "_".join(own)
    return (
        "#" in column.path
        or not own
        or name.isdigit()
        or name in _NEVER_NAMES | TRUTHS
        or own[-1] in _NEVER_ENDS
        or (not column.is_list and bool(set(own) & _NEVER_WORDS))
        or any(set(parent) & _NEVER_INSIDE for parent in parents)
    )


def is_signed(column: Column) -> bool:
    """Tell whether a name, or that of what it stands in, says that it holds opinions."""
    signs = _stems(column) & _SIGNS or _named(column)
    return bool(signs) or column.name in VERDICTS | COMPUTED or of_ragas(column)


def is_named(column: Column) -> bool:
    """Tell whether its own name says that it holds opinions."""
    own = {_stem(word) for word in column.words} | set(column.words)
    signs = own & _SIGNS or _named(column, column.words)
    return bool(signs) or column.name in VERDICTS | COMPUTED


def is_plain(column: Column) -> bool:
    """Tell whether nothing but a word such as `label` says that people gave the values."""
    return bool(column.all_words & PLAIN_WORDS) and not _named(column) & PEOPLE_WORDS


def told(column: Column) -> str | None:
    """Give the side that the words of a column's path name; None where none or both do."""
    stems, named = _stems(column), _named(column)
    people, judge = named & PEOPLE_WORDS, named & JUDGE_WORDS or stems & COMPUTED
    is_computed = column.name in COMPUTED or (of_ragas(column) and _is_in_parts(column.numbers))
    if not people and is_computed:
        return JUDGE
    if people and judge:
        return None
    if judge:
        return JUDGE
    if people:
        return MEAN if stems & MEAN_WORDS or _is_in_thirds(column.numbers) else PEOPLE
    return None


def is_loose(column: Column) -> bool:
    """Tell whether a name says by no more than `auto` or `manual` who gave the values."""
    named = _named(column) & _SIDES
    return bool(named) and named <= _LOOSE and bool(who_and_what(column)[1])


def likely(column: Column) -> str:
    """Give the side to propose for a column whose names do not tell it."""
    if column.name in ("accepted", "is_accepted", "approved", "is_approved"):
        return PEOPLE
    if column.all_words & MEAN_WORDS or _is_in_thirds(column.numbers):
        return MEAN
    ratings = {"rating", "ratings", *PLAIN_WORDS}
    if column.all_words & ratings:
        return PEOPLE
    return JUDGE if is_signed(column) and not is_loose(column) else BESIDE


def of_ragas(column: Column) -> bool:
    """Tell whether a column is called after a metric of Ragas, with its mode or without."""
    return column.last.partition("(")[0].lower() in RAGAS


def _is_in_parts(numbers: Sequence[float]) -> bool:
    """Tell the tool's values, which lie from 0 to 1 and between, from a person's whole ones."""
    return all(0 <= x <= 1 for x in numbers) and any(0 < x < 1 for x in numbers)


def _is_in_thirds(numbers: Sequence[float]) -> bool:
    """Tell the mean of three people by its values; one person gives no 3.67."""
    parts = {round(abs(number) % 1, 2) for number in numbers}
    return bool(parts & {0.33, 0.67}) and parts <= {0.0, 0.33, 0.67}


def who_and_what(column: Column) -> tuple[str, str]:
    """Cut a path into who gave the values and the metric: `accuracy_expert_2`, `x.human`.

    Where the last step names no metric, what it stands in does.
    """
    who: list[str] = []
    what: list[str] = []
    for words in reversed(_steps(column.path, is_flat=column.is_flat)):
        is_whole = not what and of_ragas(column)
        named, rest = ([], list(words)) if is_whole else _cut(words)
        who, what = who or named, what or rest
    return " ".join(who), "_".join(what)


def _cut(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    who: list[str] = []
    what: list[str] = []
    givers = _givers(words)
    is_after_who = False
    for at, word in enumerate(words):
        stem = _stem(word)
        plain = stem in PLAIN_WORDS or word in PLAIN_WORDS
        if at in givers or (is_after_who and _is_version(word)):
            who += [stem, word.removeprefix(stem)] if stem in PEOPLE_WORDS else [word]
            is_after_who = True
            continue
        is_after_who = False
        if not plain and word not in NO_METRIC | MEAN_WORDS:
            what.append(word)
    return [part for part in who if part], what


def group_of(column: Column) -> str:
    """Give the object in which a value stands among others, empty for a plain column."""
    return "" if column.is_flat else column.path.rpartition(".")[0]
