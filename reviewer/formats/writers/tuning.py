"""Data to train models with, made of what people said: chats, pairs, and what judges learn from.

Held-out evaluations stay out of all of it: a judge that has seen them could not be held to them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from reviewer.domain.rubric import TIE, Metric
from reviewer.formats import native
from reviewer.formats.writers.conversations import (
    EQUAL,
    NO_REPLY,
    NOT_LABELLED,
    answers_of,
    passes,
    prompt_of,
    prompt_text,
    put_list,
    reply_of,
    text_of,
)
from reviewer.formats.writing import About, Fields, Rows, Writer, put_each

BELOW = "people's scores do not reach every pass mark"
NO_PAIR = "people prefer none of their candidates, nor one run's response over another's"
LEVELS = 5
NOT_FIVE = "no metric of five whole levels is labelled with one of them"
_TASK = """###Task Description:
An instruction, a response to evaluate{reference_told}, and a score rubric are given.
1. Write feedback on the quality of the response, strictly by the score rubric.
2. Then write a score that is an integer between 1 and 5, by the score rubric.
3. The output has this form: "Feedback: (feedback) [RESULT] (an integer between 1 and 5)"

###The instruction to evaluate:
{instruction}

###Response to evaluate:
{response}
{reference}
###Score Rubrics:
[{criteria}]
{levels}

###Feedback:"""


def _calls(turn: Fields) -> Fields:
    calls = [
        {
            "id": call.get("id") or f"call_{number}",
            "type": "function",
            "function": {"name": call["name"], "arguments": _arguments(call.get("arguments"))},
        }
        for number, call in enumerate(turn.get("tool_calls") or (), start=1)
    ]
    return {"tool_calls": calls} if calls else {}


def _arguments(given: Any) -> str:  # noqa: ANN401 - a JSON value is anything
    return given if isinstance(given, str) else native.line(given or {}).decode().rstrip()


def _turn(turn: Fields) -> Fields:
    found: Fields = {"role": turn["role"], "content": text_of(turn.get("content"))}
    found |= _calls(turn)
    if turn["role"] == "tool":
        found["tool_call_id"] = turn.get("tool_call_id") or "call_1"
    return found


def _why_no_chat(record: Fields, about: About) -> str | None:
    if not answers_of(record):
        return NOT_LABELLED
    if not reply_of(record):
        return NO_REPLY
    # labels without any pass mark say nothing about what is good enough
    return None if passes(record, about) else BELOW


def _chats(rows: Rows, about: About) -> Iterator[bytes]:
    for record in rows:
        reason = _why_no_chat(record, about)
        if reason is not None:
            about.left_out[reason] += 1
            continue
        turns = [_turn(x) for x in prompt_of(record)]
        reply = {"role": "assistant", "content": reply_of(record)}
        yield native.line({"messages": [*turns, reply]})


def _chosen(record: Fields) -> tuple[Fields, list[Fields]] | None:
    """Give the candidate that most people prefer, and the others; None where several tie."""
    candidates = {x["id"]: x for x in record.get("candidates") or ()}
    votes: dict[str, int] = {}
    for labels in answers_of(record).values():
        for label in labels:
            if label["value"] in candidates or label["value"] == TIE:
                votes[label["value"]] = votes.get(label["value"], 0) + 1
    most = [name for name, n in votes.items() if n == max(votes.values())]
    if len(most) != 1 or most[0] == TIE:
        return None
    others = [x for name, x in candidates.items() if name != most[0]]
    return (candidates[most[0]], others) if others else None


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response that people labelled, beside those of other runs to the same prompt.

    Attributes:
        worth: The mean of each metric's labels; more is better.
    """

    run: str
    text: str
    worth: dict[str, float]

    def beats(self, other: "_Reply") -> bool:
        """Tell whether people found it better in something, and worse in nothing."""
        both = self.worth.keys() & other.worth.keys()
        ahead = [self.worth[x] - other.worth[x] for x in both]
        is_other = self.run != other.run and self.text != other.text
        return is_other and max(ahead, default=0.0) > EQUAL and min(ahead) >= -EQUAL


def _reply(record: Fields, about: About) -> _Reply:
    worth = {}
    for name, labels in answers_of(record).items():
        metric = about.metrics.get(name)
        if metric is None:
            continue
        numbers = [x for y in labels if (x := metric.kind.number_of(y["value"])) is not None]
        if numbers:
            mean = sum(numbers) / len(numbers)
            worth[name] = mean if metric.higher_is_better else -mean
    return _Reply(record["run"], reply_of(record), worth)


def _pairs(rows: Rows, about: About) -> Iterator[bytes]:
    asked: dict[tuple[str, bytes], list[_Reply]] = {}
    for record in rows:
        found = _chosen(record)
        if found is not None:
            prompt = [_turn(x) for x in prompt_of({**record, "response": ""})]
            for other in found[1]:
                yield _pair(prompt, reply_of(found[0]), reply_of(other))
            continue
        reply = _reply(record, about)
        if record.get("candidates") or not (reply.worth and reply.text):
            about.left_out[NO_PAIR] += 1
            continue
        prompt = [_turn(x) for x in prompt_of(record)]
        place = (str(record.get("case") or record["id"]), native.line({"prompt": prompt}))
        asked.setdefault(place, []).append(reply)
    for (_, line), replies in asked.items():
        made = [(one, rival) for one, rival in permutations(replies, 2) if one.beats(rival)]
        for better, worse in made:
            yield _pair(json.loads(line)["prompt"], better.text, worse.text)
        about.left_out[NO_PAIR] += sum(not any(x in pair for pair in made) for x in replies)


def _pair(prompt: list[Fields], chosen: str, rejected: str) -> bytes:
    said = {"chosen": chosen, "rejected": rejected}
    turns = {name: [{"role": "assistant", "content": text}] for name, text in said.items()}
    return native.line({"prompt": prompt, **turns})


def _feedback(record: Fields, about: About) -> Iterator[Fields]:
    """Give what a judge learns of an evaluation: one entry a metric of five levels."""
    for name, labels in answers_of(record).items():
        metric = about.metrics.get(name)
        values = [x["value"] for x in labels]
        if metric is None or len(metric.levels) != LEVELS or len(set(values)) != 1:
            continue
        grid = metric.kind.grid
        if not grid or values[0] not in grid:
            continue
        score = grid.index(values[0]) + 1
        said = next((x["comment"] for x in labels if x.get("comment")), "")
        yield _entry(record, metric, score, said)


def _entry(record: Fields, metric: Metric, score: int, said: str) -> Fields:
    reference = record.get("expected") or ""
    told = {x.value: " ".join(filter(None, (x.title, x.description))) for x in metric.levels}
    levels = [told[x] for x in sorted(told, key=float)]
    criteria = " ".join(filter(None, (metric.heading + ".", metric.description)))
    instruction = _TASK.format(
        reference_told=", a reference answer that gets a score of 5" if reference else "",
        instruction=prompt_text(record),
        response=reply_of(record),
        reference=f"\n###Reference Answer (Score 5):\n{reference}\n" if reference else "",
        criteria=criteria,
        levels="\n".join(f"Score {n}: {x}" for n, x in enumerate(levels, start=1)),
    )
    return {
        "run": record["run"],
        "id": record["id"],
        "metric": metric.name,
        "instruction": instruction,
        "output": f"Feedback: {said} [RESULT] {score}",
        "orig_instruction": prompt_text(record),
        "orig_response": reply_of(record),
        "orig_reference_answer": reference,
        "orig_criteria": criteria,
        **{f"orig_score{n}_description": x for n, x in enumerate(levels, start=1)},
        "orig_feedback": said,
        "orig_score": str(score),
    }


def _rubric_data(rows: Rows, about: About) -> Iterator[Fields]:
    for record in rows:
        found = list(_feedback(record, about)) if reply_of(record) else []
        if not found:
            about.left_out[NOT_FIVE] += 1
        yield from found


def _judge_chats(rows: Rows, about: About) -> Iterator[bytes]:
    for entry in _rubric_data(rows, about):
        asked = {"role": "user", "content": entry["instruction"]}
        said = {"role": "assistant", "content": entry["output"]}
        yield native.line({"messages": [asked, said]})


CHAT = Writer(
    name="openai-chat",
    title="OpenAI fine-tuning chats (JSON Lines)",
    write=lambda rows, about, out: put_each(_chats(rows, about), out),
    of_labels=True,
    for_training=True,
)
JUDGE_CHAT = Writer(
    name="openai-judge",
    title="OpenAI fine-tuning chats of judges (JSON Lines)",
    write=lambda rows, about, out: put_each(_judge_chats(rows, about), out),
    of_labels=True,
    for_training=True,
)
PAIRS = Writer(
    name="preferences",
    title="preference pairs for DPO (JSON Lines)",
    write=lambda rows, about, out: put_each(_pairs(rows, about), out),
    of_labels=True,
    for_training=True,
)
RUBRIC_DATA = Writer(
    name="prometheus",
    title="Prometheus-style rubric data (JSON)",
    write=lambda rows, about, out: put_list(_rubric_data(rows, about), out),
    of_labels=True,
    for_training=True,
)
