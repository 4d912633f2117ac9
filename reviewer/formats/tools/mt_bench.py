"""MT-Bench: `model_judgment/*.jsonl` of one answer or of two, and people's votes on two.

Each turn that was judged is an evaluation, both of a conversation share a `cluster`. A rating from
1 to 10 is an auto score of the judge, whose prompt is its version; -1 is a reply without one. Of
two answers the judge's choice counts in both orders, the second a version of its own. Votes with
`winner` are labels where the judge is a person (`expert_1`, `author_2`, `arena_user_973`), auto
scores where it is a model; a name that tells neither is not guessed at. The conversation is cut
out of the judge's prompt, or taken from `question.jsonl` and `model_answer/` beside, which also
give category and reference. Read from the tool's source and from published judgments of single
answers; the votes from the description of their data set.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from reviewer.domain.rubric import Level, Metric
from reviewer.formats import json_text
from reviewer.formats.annotations import answer, filled, number_of, time_of
from reviewer.formats.cells import excerpt_of
from reviewer.formats.columns import Column
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import as_text
from reviewer.formats.questions import JUDGE
from reviewer.formats.record import checked
from reviewer.formats.sides import told
from reviewer.formats.streams import open_stream
from reviewer.formats.tools.comparisons import METRIC, SWAPPED, TIE, choice
from reviewer.formats.turns import to_turns

RATING: Final = "rating"
_SINGLE = frozenset({"question_id", "model", "judge", "judgment", "score"})
_PAIR = frozenset({"question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge"})
_VOTE = frozenset({"question_id", "model_a", "model_b", "winner", "judge"})
_USED = frozenset(
    {"turn", "tstamp", "user_prompt", "conversation_a", "conversation_b", *_SINGLE, *_PAIR, *_VOTE,
     *(f"{game}_{part}" for game in ("g1", "g2") for part in ("user_prompt", "judgment"))}
)  # fmt: skip
_PERSON = re.compile(r"(?:arena_)?(?:expert|author|human|annotator|user)[_ ]?\d*")
_LARGEST_BESIDE = 64 << 20
_FIRST = tuple(
    map(
        re.compile,
        (
            r"\[(?:User )?Question\]\n",
            r"\n\n\[The Start of Assistant(?: A)?'s Answer\]\n",
            r"\n\[The End of Assistant(?: A)?'s Answer\]",
        ),
    )
)
"""What stands before a question, between it and its answer, and after that."""
_SECOND = re.compile(r"\[The Start of Assistant B's Answer\]\n(.*?)\n\[The End", re.DOTALL)
_TALKS = re.compile(
    r"<\|The Start of Assistant [AB]'s Conversation with User\|>\n(.*?)\n"
    r"<\|The End of Assistant [AB]'s Conversation",
    re.DOTALL,
)
_REFERS = "[The Start of Reference Answer]"
_REFERENCE = re.compile(
    r"\s*\[The Start of Reference Answer\]\n(.*?)\n\[The End of Reference Answer\]\s*", re.DOTALL
)
_SPEAKER = re.compile(r"^### (User|Assistant [AB]):\n", re.MULTILINE)


class _Beside:
    """Questions and answers of a folder of the benchmark, as far as they are there."""

    def __init__(self, judgments: Path) -> None:
        self._folder = judgments.parent.parent
        self._files: dict[str, dict[str, Fields]] = {}

    def question(self, number: str) -> Fields:
        """Give a question with its turns, category and reference; empty where there is none."""
        return self._of("question.jsonl").get(number, {})

    def turns(self, number: str, model: str, last: int) -> list[Fields]:
        """Give a conversation up to a turn, empty where question or answer is missing."""
        asked = self.question(number).get("turns")
        if "/" in model or "\\" in model or not isinstance(asked, list):
            return []
        choices = self._of(f"model_answer/{model}.jsonl").get(number, {}).get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        said = first.get("turns") if isinstance(first, dict) else None
        if not isinstance(said, list):
            return []
        return [
            turn
            for question, reply in list(zip(asked, said, strict=False))[:last]
            for turn in _turns_of(as_text(question), as_text(reply))
        ]

    def _of(self, name: str) -> dict[str, Fields]:
        if name not in self._files:
            file = self._folder / name
            rows: dict[str, Fields] = {}
            if file.is_file() and file.stat().st_size <= _LARGEST_BESIDE:
                with open_stream(file) as source:
                    for item in json_text.lines(source):
                        if isinstance(item, json_text.Item) and isinstance(item.value, dict):
                            rows[as_text(item.value.get("question_id"))] = item.value
            self._files[name] = rows
        return self._files[name]


def _turns_of(question: str, reply: str) -> list[Fields]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]


def _talk(text: str) -> list[Fields]:
    """Cut a conversation of a judge's prompt into turns."""
    parts = _SPEAKER.split(text)[1:]
    return [
        {"role": "user" if who == "User" else "assistant", "content": said.strip("\n")}
        for who, said in zip(parts[::2], parts[1::2], strict=False)
    ]


def _conversations(prompt: str) -> list[list[Fields]]:
    """Give the conversation, or the two, that a judge's prompt shows."""
    talks = _TALKS.findall(prompt)
    if talks:
        return [_talk(text) for text in talks]
    if _REFERS in prompt:
        prompt = _REFERENCE.sub("\n\n", prompt)
    first = _first(prompt)
    if first is None:
        return []
    question, reply = first
    second = _SECOND.search(prompt)
    shown = [_turns_of(question, reply)]
    return [*shown, _turns_of(question, second[1].strip())] if second else shown


def _first(prompt: str) -> tuple[str, str] | None:
    """Give the question and the first answer that a judge's prompt shows, None without both."""
    # one after another: a single pattern with gaps takes ten times as long
    found: list[re.Match[str]] = []
    for pattern in _FIRST:
        match = pattern.search(prompt, found[-1].end() if found else 0)
        if match is None:
            return None
        found.append(match)
    asked, between, end = found
    question = prompt[asked.end() : between.start()]
    return question.strip(), prompt[between.end() : end.start()].strip()


def _judge(row: Fields) -> tuple[str, str]:
    """Give a judge and the name of its prompt."""
    judge = row.get("judge")
    if isinstance(judge, list):
        return as_text(judge[0]) if judge else "judge", as_text(judge[1]) if judge[1:] else ""
    return as_text(judge) or "judge", ""


def _common(row: Fields, beside: _Beside, models: Sequence[str]) -> Fields:
    number, turn = as_text(row.get("question_id")), as_text(row.get("turn")) or "1"
    known = beside.question(number)
    reference = known.get("reference")
    last = int(number_of(turn) or 1)
    prompt = as_text(row.get("user_prompt") or row.get("g1_user_prompt"))
    shown = _REFERENCE.search(prompt) if _REFERS in prompt else None
    expected = shown[1] if shown else ""
    if isinstance(reference, list) and reference[last - 1 :]:
        expected = as_text(reference[last - 1])
    whole = "|".join((number, *models))
    return {
        "id": f"{whole}|turn {turn}",
        "case": f"{number}|turn {turn}",
        "cluster": whole,
        **filled({"category": as_text(known.get("category")), "expected": expected,
                  "evaluated_at": time_of(row.get("tstamp")),
                  "meta": filled({key: x for key, x in row.items() if key not in _USED})}),
    }  # fmt: skip


def _single(row: Fields, beside: _Beside) -> Fields:
    model, (judge, prompt) = as_text(row.get("model")), _judge(row)
    fields = _common(row, beside, [model])
    last = int(number_of(row.get("turn")) or 1)
    shown = _conversations(as_text(row.get("user_prompt")))
    turns = shown[0] if shown else beside.turns(as_text(row.get("question_id")), model, last)
    value = number_of(row.get("score"))
    is_rated = value is not None and value >= 1
    score = {"metric": RATING, "value": value if is_rated else None, "scorer": judge,
             **filled({"scorer_version": prompt, "reasoning": as_text(row.get("judgment"))}),
             **({} if is_rated else {"error": "The judge's reply holds no rating."})}  # fmt: skip
    if not turns:
        fields["input"] = as_text(row.get("user_prompt")) or f"Question {row.get('question_id')}"
    return {"run": model, "model": model, **fields, **filled({"messages": turns}),
            "scores": [score]}  # fmt: skip


_WINNERS = {"model_1": "1", "model_2": "2", "model_a": "1", "model_b": "2", TIE: TIE,
            "tie (bothbad)": TIE}  # fmt: skip


def _pair(row: Fields, beside: _Beside) -> Fields:
    models = [as_text(row.get(x)) for x in ("model_1", "model_2")]
    judge, prompt = _judge(row)
    shown = _conversations(as_text(row.get("g1_user_prompt")))
    scores = [
        choice(
            judge,
            _WINNERS.get(as_text(row.get(f"{game}_winner"))),
            scorer_version=", ".join(filter(None, (prompt, version))),
            reasoning=as_text(row.get(f"{game}_judgment")),
        )
        for game, version in (("g1", ""), ("g2", SWAPPED))
    ]
    return {**_compared(row, beside, models, shown), "scores": scores}


def _vote(row: Fields, beside: _Beside) -> Fields:
    models = [as_text(row.get(x)) for x in ("model_a", "model_b")]
    judge, prompt = _judge(row)
    held = [to_turns(row.get(f"conversation_{x}")) for x in ("a", "b")]
    shown = [turns for turns in held if isinstance(turns, list)]
    fields = _compared(row, beside, models, shown if len(shown) == 2 else [])
    winner = as_text(row.get("winner")).lower()
    chosen = _WINNERS.get(winner)
    if chosen == TIE != winner:
        fields["meta"] = {**fields.get("meta", {}), "winner": winner}
    if not prompt and _PERSON.fullmatch(judge):
        return {**fields, **filled({"labels": [answer(METRIC, judge, chosen)] if chosen else []})}
    return {**fields, "scores": [choice(judge, chosen, scorer_version=prompt)]}


def _compared(
    row: Fields, beside: _Beside, models: list[str], shown: list[list[Fields]]
) -> Fields:
    number, last = as_text(row.get("question_id")), int(number_of(row.get("turn")) or 1)
    if len(shown) != len(models):
        shown = [beside.turns(number, model, last) for model in models]
    made = [
        {"id": f"{place}", "model": model,
         **({"messages": turns} if turns else {"response": "(not at hand)"})}
        for place, (model, turns) in enumerate(zip(models, shown, strict=True), start=1)
    ]  # fmt: skip
    questions = [x["content"] for x in shown[0] if x["role"] == "user"] if shown[0] else []
    asked = as_text(questions[-1]) if questions else f"Question {number}"
    return {**_common(row, beside, models), "input": asked, "candidates": made}


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    beside = _Beside(source.path)
    for item in json_text.items(source, sniffed.shape, sniffed.records):
        if isinstance(item, BadRow):
            yield item
            continue
        make = _maker(item.value)
        if make is None:
            reason = (
                "a judgment, or a vote by whom the name tells as a person or a model, is expected"
            )
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            yield checked(make(item.value, beside), item.line)


def _maker(row: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict):
        return None
    kinds = ((_SINGLE, _single), (_PAIR, _pair), (_VOTE, _vote))
    make = next((make for keys, make in kinds if row.keys() >= keys), None)
    return None if make is _vote and not _is_told(*_judge(row)) else make


def _is_told(judge: str, prompt: str) -> bool:
    """Tell whether a judge's name says that it is a person or a model."""
    return bool(prompt or _PERSON.fullmatch(judge)) or told(Column(judge)) == JUDGE


def _declared(_source: Source, _sniffed: Sniffed) -> Sequence[Metric]:
    levels = tuple(Level(value=value) for value in range(1, 11))
    return [Metric(name=RATING, levels=levels)]


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(_maker(row) is not None for row in look.rows)
    return f"{look.words} with judgments of MT-Bench" if fits else None


FORMAT = Format(
    name="mt-bench",
    title="MT-Bench judgments and votes",
    suffixes=(".jsonl", ".json"),
    recognised_by="JSON objects with question_id, judge and score, or with models and winners",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
