import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats import sides
from reviewer.formats.columns import Column
from reviewer.formats.incoming import Record
from reviewer.formats.proposals import Proposal, propose
from reviewer.services.transfer.file_plans import open_file


def table(header: str, *rows: str, answers: Sequence[str] = (), by: str = ",") -> Proposal:
    names = header.split(by)
    cells = [dict(zip(names, row.split(by), strict=True)) for row in rows]
    return propose(cells, texts=True, answers=answers)


def asked(proposal: Proposal) -> list[str]:
    return [question.choices[0].text for question in proposal.questions]


def given(proposal: Proposal) -> tuple[list[Any], list[Any]]:
    """What is taken: scores by metric and scorer, labels by metric and person."""
    scores = [(x.metric or x.metrics_in, *x.scorer) for x in proposal.mapping.scores]
    labels = [(x.metric or x.metrics_in, *x.labeler) for x in proposal.mapping.labels]
    return scores, labels


def document(proposal: Proposal) -> dict[str, Any]:
    return proposal.mapping.model_dump(by_alias=True, exclude_defaults=True)


def sources(proposal: Proposal) -> dict[str, Any]:
    fields = document(proposal).get("fields", {})
    return {name: rule["from"][0] for name, rule in fields.items()}


def test_a_wide_table_needs_no_question() -> None:
    found = table(
        "id,prompt,answer,accuracy_score,accuracy_reason,tone_score,human_accuracy",
        "1,Where?,Over there.,4,because,2,5",
        "2,When?,At noon.,3,why,5,3",
    )
    assert found.unambiguous, found.questions
    assert sources(found) == {"id": "id", "input": "prompt", "response": "answer"}
    assert [(s.metric, s.value, s.reasoning) for s in found.mapping.scores] == [
        (("accuracy",), ("accuracy_score",), "accuracy_reason"),
        (("tone",), ("tone_score",), None),
    ]
    (label,) = found.mapping.labels
    assert (label.metric, label.value, label.labeler) == (
        ("accuracy",), ("human_accuracy",), ("human",),
    )  # fmt: skip


def test_conversations_and_lists_as_python_prints_them_are_found() -> None:
    found = table(
        "id;messages;contexts;judge_score",
        "1;[{'role': 'user', 'content': \"what's up?\"}];[\"it's, sunny\", 'b'];4",
        "2;[{'role': 'user', 'content': 'hi'}];['c', 'd, e'];5",
        by=";",
    )
    assert found.unambiguous, found.questions
    assert sources(found) == {"id": "id", "messages": "messages", "context": "contexts"}


def test_a_long_table_is_recognised() -> None:
    found = table(
        "item_id,metric,response,judge_score,judge_reason,expert_1,expert_2",
        "a,m1,x,3,ok,2,3",
        "a,m2,x,4,ok,2,3",
        "b,m1,y,5,ok,4,4",
    )
    assert found.unambiguous
    assert found.mapping.layout == "long"
    (score,) = found.mapping.scores
    assert (score.metric_column, score.scorer, score.reasoning) == (
        "metric",
        ("judge",),
        "judge_reason",
    )
    assert [rule.labeler for rule in found.mapping.labels] == [("expert 1",), ("expert 2",)]


def test_a_table_of_labels_is_recognised() -> None:
    found = table(
        "item_id,metric,annotator,label", "a,m,ann,3", "a,m,ben,2", "b,m,ann,4", "b,m,ben,1"
    )
    assert found.unambiguous
    (rule,) = found.mapping.labels
    assert (rule.metric_column, rule.labeler_column, rule.value) == (
        "metric",
        "annotator",
        ("label",),
    )
    assert not found.mapping.has_text


def test_two_columns_for_one_thing_are_a_question() -> None:
    found = table("id,question,output,answer", "1,q,a b,c d", "2,r,e f,g h")
    assert not found.unambiguous
    (question,) = found.questions
    assert question.text == "Which column holds the answer: output or answer?"
    assert [x.text for x in question.choices] == ["output=response", "answer=response"]
    said = table(
        "id,question,output,answer", "1,q,a b,c d", "2,r,e f,g h", answers=["answer=response"]
    )
    assert said.unambiguous
    assert sources(said)["response"] == "answer"


def test_a_number_without_a_name_that_says_score_is_a_question() -> None:
    rows = [{"id": i, "input": "q", "output": "a", "helpfulness": i % 3} for i in range(10)]
    found = propose(rows, texts=False)
    assert not found.unambiguous
    assert found.questions[0].text == "Whose values does helpfulness hold: 0, 1, 2?"
    assert given(found) == ([], [])
    said = propose(rows, texts=False, answers=["helpfulness=judge"])
    assert said.unambiguous
    assert given(said) == ([(("helpfulness",),)], [])


def test_a_label_that_could_belong_to_two_metrics_is_a_question() -> None:
    found = table("id,output,a_score,b_score,label", "1,x,1,2,1", "2,y,2,1,0")
    assert not found.unambiguous
    assert asked(found) == ["label=metric:a"]
    said = table("id,output,a_score,b_score,label", "1,x,1,2,1", "2,y,2,1,0",
                 answers=["label=metric:b"])  # fmt: skip
    assert said.unambiguous
    assert given(said) == ([(("a",),), (("b",),)], [(("b",), "human")])


def test_a_label_joins_the_only_metric() -> None:
    found = table("id,output,tone_score,label", "1,x,1,1", "2,y,2,0")
    assert found.mapping.labels[0].metric == ("tone",)


def test_nothing_to_read_is_a_question() -> None:
    found = table("a,b", "1,2", "3,4")
    assert not found.unambiguous
    assert any("Which column holds the question" in x.text for x in found.questions)


NAMES = "id,output,tone_judge,tone_Anna,tone_ben,safe_judge,safe_Anna,tone_threshold"
RATED = ("1,x,4,3,4,yes,yes,3", "2,y,5,5,5,yes,no,3", "3,z,2,1,2,no,no,3")


def test_columns_called_after_a_metric_and_somebody_are_asked_for_however_few_they_are() -> None:
    found = table(NAMES, *RATED)
    assert asked(found) == ["tone_Anna=people", "tone_ben=people", "safe_Anna=people"]


def test_what_somebody_gave_is_a_label_of_the_metric_by_that_name() -> None:
    said = table(NAMES, *RATED, answers=["*_Anna=people", "tone_ben=people"])
    assert said.unambiguous
    assert given(said) == (
        [(("tone",), "judge"), (("safe",), "judge")],
        [(("tone",), "Anna"), (("tone",), "ben"), (("safe",), "Anna")],
    )


def test_only_what_somebody_wrote_is_offered_as_question_or_answer() -> None:
    found = table("nr,frage,antwort,note,datum", "1,Wo?,Hier im Haus.,6.5,01.10.2026",
                  "2,Wann genau?,Jetzt gleich noch.,5.5,13.10.2026")  # fmt: skip
    [question] = [x for x in found.questions if "Which column holds the question" in x.text]
    assert [x.text for x in question.choices] == [
        "antwort=response", "antwort=input", "frage=response", "frage=input"
    ]  # fmt: skip


ASKED = "nr,frage,antwort,datum"
OF_ASKED = (
    "1,Where is the pool bar by the sea?,It is next to the sauna house.,01.10.2026",
    "2,When does the pool bar open today?,At nine in the morning as always.,13.10.2026",
)


def test_where_the_answer_had_to_be_named_the_question_is_asked_for_too() -> None:
    for one, other in (("antwort=response", "frage=input"), ("frage=input", "antwort=response")):
        found = table(ASKED, *OF_ASKED, answers=[one])
        [question] = found.questions
        aside = f"{other.partition('=')[0]}=beside"
        assert [x.text for x in question.choices] == [other, aside]
        for rest in (other, aside):
            assert table(ASKED, *OF_ASKED, answers=[one, rest]).unambiguous


def test_an_id_that_repeats_takes_a_second_column() -> None:
    found = table("doc_id,model,output", "1,m1,x", "1,m2,y", "2,m1,z")
    assert sources(found)["id"] == "{doc_id}|{model}"


def test_without_an_id_the_row_counts() -> None:
    found = table("question,output", "q,a", "q,b")
    assert found.unambiguous
    assert "id" not in sources(found)


def test_seconds_become_milliseconds() -> None:
    found = table("id,output,latency_seconds", "1,a,1.5", "2,b,2.25")
    rule = found.mapping.fields.latency_ms
    assert rule is not None
    assert rule.scale is not None
    assert rule.scale.apply(1.5) == 1500


def test_keys_inside_objects_and_lists_of_labels_are_found() -> None:
    rows = [
        {
            "id": 1,
            "data": {"prompt": "q", "reply": "a"},
            "annotations": {"m": [1, 2], "n": [2, 2]},
        },
        {
            "id": 2,
            "data": {"prompt": "r", "reply": "b"},
            "annotations": {"m": [3, 2], "n": [1, 2]},
        },
    ]
    found = propose(rows, texts=False, records="items")
    assert sources(found) == {"id": "id", "input": "data.prompt", "response": "data.reply"}
    (rule,) = found.mapping.labels
    assert (rule.metrics_in, rule.value, rule.labeler) == (
        "annotations", ("annotations.{metric}[]",), ("annotator {n}",),
    )  # fmt: skip
    assert found.mapping.records == "items"


@pytest.mark.parametrize(
    "values", [[[27], [27, 3], [2], [14, 2, 3]], [["ok"], ["toxic", "spam"], [], ["spam"]]]
)
def test_lists_that_may_be_the_classes_of_one_answer_are_asked(values: list[Any]) -> None:
    rows = [
        {"id": f"r{n}", "prompt": "Say.", "response": f"Text {n}", "score": n, "labels": value}
        for n, value in enumerate(values)
    ]
    for one in (rows, [{key: x for key, x in row.items() if key != "score"} for row in rows]):
        (question,) = [x for x in propose(one, texts=False).questions if "labels" in x.text]
        words = {choice.answer: choice.words for choice in question.choices}
        assert words["people"] == "labels of several people, one each"
        assert "several classes" in words["beside"]


def test_lists_with_the_same_answer_twice_are_of_several_people() -> None:
    rows = [
        {"id": f"r{n}", "prompt": "Say.", "response": f"Text {n}", "labels": value}
        for n, value in enumerate([[1, 1], [2], [3, 4, 3], [5]])
    ]
    found = propose(rows, texts=False)
    assert not found.questions
    assert found.mapping.labels[0].labeler == ("annotator {n}",)


def test_a_column_without_a_letter_in_its_name_is_no_second_answer() -> None:
    rows = [{"id": f"r{n}", "…": f"x {n}", "answer": f"a {n}"} for n in range(4)]
    found = propose(rows, texts=False)
    assert not found.mapping.candidates
    assert sources(found)["response"] == "answer"


def test_two_answers_side_by_side_are_a_comparison() -> None:
    rows = [{"input": "q", "output_1": "a", "output_2": "b", "label": i % 2 + 1} for i in range(4)]
    found = propose(rows, texts=False)
    assert [one.response for one in found.mapping.candidates] == ["output_1", "output_2"]
    assert found.mapping.labels[0].as_ == "text"


def test_repeated_names_are_a_question() -> None:
    found = table("id,output,Score,Score#2", "1,x,1,2", "2,y,2,1")
    assert any("repeat" in x.text for x in found.questions)
    assert [rule.value for rule in found.mapping.scores] == [("Score",)]
    said = table("id,output,Score,Score#2", "1,x,1,2", "2,y,2,1",
                 answers=["*#*=beside", "Score=judge"])  # fmt: skip
    assert said.unambiguous


def rows_of(*values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"id": n, "input": f"q {n}", "output": f"an answer {n}", **x} for n, x in enumerate(values)
    ]


def test_groups_of_people_and_judges_are_kept_apart() -> None:
    rows = rows_of(
        {"scores": {"coherence": 3.67}, "predict_scores": {"coherence": 4}},
        {"scores": {"coherence": 2.33}, "predict_scores": {"coherence": 2}},
    )
    found = propose(rows, texts=False)
    assert asked(found) == ["scores.coherence=mean"]
    assert given(found) == ([(("coherence",), "predict")], [(("coherence",), "people (mean)")])
    said = propose(rows, texts=False, answers=["scores.*=judge"])
    assert said.unambiguous
    # two sides of one metric, or two of its judges, are never one scorer
    assert given(said)[0] == [(("coherence",),), (("coherence",), "predict")]


@pytest.mark.parametrize(
    ("values", "scores", "labels"),
    [
        ({"tone": {"human": 3}, "tone_pred": 4}, ["pred"], ["human"]),
        ({"human_tone": 3, "auto_tone": 4}, ["auto"], ["human"]),
        ({"tone_expert_2": 3, "gpt4_tone": 4}, ["gpt4"], ["expert 2"]),
        ({"mean_human_tone": 3, "tone_judge": 4}, ["judge"], ["human (mean)"]),
        ({"tone": {"majority_human": 3}, "llm": {"tone": 1}}, ["llm"], ["human (majority)"]),
    ],
)
def test_names_tell_the_side(values: dict[str, Any], scores: list[str], labels: list[str]) -> None:
    found = propose(rows_of(values, values), texts=False)
    assert found.unambiguous, found.questions
    assert given(found) == (
        [(("tone",), scorer) for scorer in scores],
        [(("tone",), labeler) for labeler in labels],
    )


FACTS = (
    "id,question,answer,judge_score,human_score,escalated_to_human,needs_human_review,"
    "auto_resolved,manual_override",
    "1,q1,a1,4,3,1,yes,0,True",
    "2,q2,a2,5,2,0,no,1,False",
    "3,q3,a3,1,4,0,no,1,False",
)


def test_what_became_of_a_conversation_is_nobodys_opinion() -> None:
    found = table(*FACTS)
    doubtful = ["escalated_to_human=beside", "auto_resolved=beside", "manual_override=beside"]
    assert asked(found) == doubtful
    said = table(*FACTS, answers=doubtful)
    assert said.unambiguous, said.questions
    assert given(said) == ([(("score",), "judge")], [(("score",), "human")])


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("human_likeness", False), ("non_llm_similarity", False), ("needs_human", False),
        ("human_handoff", False), ("rated_by_human", True), ("avg_human_tone", True),
        ("tone_of_the_expert", True), ("final_human_score", True), ("is_human_approved", True),
        ("llm_as_a_judge_tone", True), ("tone_gemini_pro_vision", True), ("auto.tone.v2", True),
    ],
)  # fmt: skip
def test_a_word_inside_of_what_is_judged_tells_no_side(name: str, is_told: bool) -> None:
    assert (sides.told(Column(name, values=[1, 2, 3], rows=3)) is not None) is is_told


def test_a_judge_of_something_human_is_a_judge() -> None:
    found = table("id,question,answer,judge_human_likeness", "1,q,a,3", "2,q,b,4", "3,r,c,5")
    assert found.unambiguous, found.questions
    assert given(found) == ([(("human_likeness",), "judge")], [])


def test_scores_and_labels_without_names_are_a_pair() -> None:
    found = table(
        "id,question,answer,faithfulness_score,llm_judge_score,human_rating",
        "1,q,a,0.5,1,2", "2,q,b,0.25,4,3", "3,r,c,1,5,5",
        answers=["faithfulness_score=judge"],
    )  # fmt: skip
    assert found.unambiguous, found.questions
    scores, labels = given(found)
    assert {metric for metric, *_ in scores} == {("faithfulness",), ("score",)}
    assert labels == [(("score",), "human")]


def test_columns_called_after_metrics_of_ragas_are_auto_scores() -> None:
    found = table(
        "user_input,response,faithfulness,factual_correctness(mode=f1),non_llm_string_similarity,"
        "string_present",
        "q1,a1,0.1428571429,0.5,0.9,1.0",
        "q2,a2,1.0,,0.4,0.0",
    )
    assert found.unambiguous, found.questions
    assert given(found) == (
        [
            (("faithfulness",),),
            (("factual_correctness(mode=f1)",),),
            (("non_llm_string_similarity",),),
            (("string_present",),),
        ],
        [],
    )


def test_whole_numbers_under_a_name_of_ragas_and_a_person_s_are_not_taken_for_its_own() -> None:
    asks = table("user_input,response,faithfulness", "q1,a1,4", "q2,a2,1", "q3,a3,2")
    assert asked(asks) == ["faithfulness=judge"]
    person = table("user_input,response,human.faithfulness", "q1,a1,0.5", "q2,a2,1.0")
    assert given(person)[0] == []


def test_a_mean_over_people_is_no_label_of_one_person() -> None:
    found = propose(rows_of({"mean_human": 3.4}, {"mean_human": 2.1}), texts=False)
    assert [rule.aggregate for rule in found.mapping.labels] == [1]
    single = {"tone": {"individual_human_scores": [3, 4], "mean_human": 3.5}}
    beside = propose(rows_of(single, single), texts=False)
    assert [rule.value for rule in beside.mapping.labels] == [("tone.individual_human_scores[]",)]


@pytest.mark.parametrize(
    "values",
    [
        {"lead_time": 3.2},
        {"task": 4},
        {"failureReason": 1},
        {"response_meta": {"cached": True}},
        {"success": True},
        {"prompt": {"label": 3}},
        {"doc": {"label": 1}},
        {"ground_truth": 1},
        {"annotations": [{"id": 4, "lead_time": 3.2, "was_cancelled": False}]},
        {"usageDetails": {"input": 5}},
        {"outputs": {"23553": True}},
    ],
)
def test_what_a_tool_notes_for_itself_is_neither_score_nor_label(values: dict[str, Any]) -> None:
    other = {
        key: {x: not y for x, y in value.items()} if isinstance(value, dict) else value
        for key, value in values.items()
    }
    found = propose(rows_of(values, other, values), texts=False)
    assert found.unambiguous, found.questions
    assert given(found) == ([], [])


def test_a_label_that_says_the_same_as_a_score_is_of_whoever_gave_that() -> None:
    """As the table of a judge has it: the label that was chosen, its number, and why."""
    rows = [{"output": "A", "label": word, "score": number, "explanation": "since"}
            for word, number in (("factual", 1), ("made up", 0), ("factual", 1))]  # fmt: skip
    assert asked(propose(rows, texts=False)) == ["label=people", "score=judge"]
    rows[0]["score"] = 0
    found = propose(rows, texts=False)
    assert (found.unambiguous, given(found)[1]) == (True, [(("score",), "human")])


def test_the_kind_of_whoever_annotated_is_no_label() -> None:
    rows = rows_of({"annotator_kind": "LLM"}, {"annotator_kind": "HUMAN"})
    assert given(propose(rows, texts=False)) == ([], [])


def test_a_verdict_of_nobody_is_a_question() -> None:
    found = propose(rows_of({"is_accepted": True}, {"is_accepted": False}), texts=False)
    assert asked(found) == ["is_accepted=people"]


def test_texts_beside_numbers_are_answers_of_their_own() -> None:
    rows = rows_of(
        {"annotations": {"tone": [2, "N/A (there is no question)"], "depth": [1, 2]}},
        {"annotations": {"tone": [3, 4], "depth": [2, 2]}},
    )
    (rule,) = propose(rows, texts=False).mapping.labels
    assert rule.metrics_in == "annotations"
    assert rule.not_applicable == ("[!-+.0-9]*",)


def test_decimal_commas_and_dates_with_the_day_first_are_read() -> None:
    found = table(
        "id;answer;judge_score;timestamp", "1;a;6,5;01.10.2026", "2;b;7;13.10.2026", by=";"
    )
    assert found.unambiguous, found.questions
    assert (found.mapping.decimal, found.mapping.dates) == (",", "day-first")


def test_dates_and_numbers_that_can_be_read_both_ways_are_questions() -> None:
    header, rows = (
        "id;answer;judge_score;timestamp",
        ("1;a;1,250;10/01/2026", "2;b;2,500;9/2/2026"),
    )
    found = table(header, *rows, by=";")
    assert asked(found) == ["judge_score=decimal-point", "timestamp=day-first"]
    said = table(
        header,
        *rows,
        by=";",
        answers=["judge_score=decimal-comma", "timestamp=month-first"],
    )
    assert said.unambiguous
    assert (said.mapping.decimal, said.mapping.dates) == (",", "month-first")


def test_an_answer_that_fits_no_column_or_is_none_is_said() -> None:
    with pytest.raises(FormatError, match="There is no column nothing; there are: id, output"):
        table("id,output", "1,a", answers=["nothing=people"])
    with pytest.raises(FormatError, match="'output' is no answer; COLUMN=ANSWER is one"):
        table("id,output", "1,a", answers=["output"])


def test_models_that_label_are_judges() -> None:
    found = table(
        "id,output,annotator,score", "1,a,gpt-4o,3", "2,b,gpt-4o,4", "3,c,claude-3-opus,4"
    )
    assert found.unambiguous, found.questions
    assert found.mapping.scores[0].scorer_column == "annotator"
    both = table("id,output,annotator,score", "1,a,gpt-4o,3", "2,b,ann,4", "3,c,ann,4")
    (question,) = both.questions
    assert "names people and judges (gpt-4o beside ann)" in question.text
    assert [x.text for x in question.choices] == ["annotator=each", "annotator=beside"]
    assert question.choices[0].words == "of judges: gpt-4o; of people: all others"


def test_a_column_of_people_and_judges_is_divided_by_its_names() -> None:
    rows = [f"{n},{n}th,{who},{n % 5}" for n in range(3) for who in ("gpt-4o", "ann", "gemini")]
    found = table("id,output,annotator,score", *rows, answers=["annotator=each"])
    assert found.unambiguous, found.questions
    judges = {"annotator": ("gpt-4o", "gemini")}
    ((score,), (label,)) = found.mapping.scores, found.mapping.labels
    assert (score.scorer_column, score.when, score.unless) == ("annotator", judges, {})
    assert (label.labeler_column, label.when, label.unless) == ("annotator", {}, judges)
    assert score.metric == label.metric


def test_what_people_and_judges_gave_is_asked_where_no_name_tells() -> None:
    rows = [f"{n},{n}th,{who},{n % 5}" for n in range(5) for who in ("gpt-4o", "ann", "bo")]
    header, said = "id,output,annotator,tone", ["annotator=each"]
    assert asked(table(header, *rows, answers=said)) == ["tone=people"]
    found = table(header, *rows, answers=[*said, "tone=people"])
    assert found.unambiguous, found.questions
    assert given(found) == ([(("tone",),)], [(("tone",),)])
    assert found.mapping.labels[0].unless == {"annotator": ("gpt-4o",)}


def test_a_comment_beside_a_label_is_the_labelers() -> None:
    rows = [
        {"id": "1", "question": "Why?", "answer": "So.", "score": "3", "human_score": "4",
         "comment": "fine"},
        {"id": "2", "question": "When?", "answer": "At six.", "score": "5", "human_score": "1",
         "comment": "no"},
    ]  # fmt: skip
    found = propose(rows, texts=True).mapping
    assert [label.comment for label in found.labels] == ["comment"]
    assert [score.reasoning for score in found.scores] == [None]


@pytest.mark.parametrize("key", ["", "half \ud800"])
def test_a_key_that_no_mapping_can_name_is_passed_over(key: str) -> None:
    rows = [{key: 1, "question": f"Where {n}?", "answer": f"There, {n}."} for n in range(3)]
    assert sources(propose(rows, texts=False)) == {"input": "question", "response": "answer"}


@pytest.mark.parametrize("rows", [[], [{}], [{"": None}]])
def test_records_without_any_name_are_told_empty(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(FormatError, match="none of them holds anything under a name"):
        propose(rows, texts=False)


def test_objects_that_a_table_prints_are_looked_into(tmp_path: Path) -> None:
    rows = [{"output": f"an answer {n}", "scores": f"{{'tone': {n}, 'depth': 2}}",
             "response_format": "x", "metadata": '{"model": "m"}'} for n in range(3)]  # fmt: skip
    found = propose(rows, texts=True)
    assert asked(found) == ["scores.*=judge"]
    assert sources(found)["model"] == "metadata.model"
    answers = [{"input": "q", "output": f'{{"text": "yes", "score": {n}}}'} for n in range(3)]
    assert sources(propose(answers, texts=True))["response"] == "output"
    file = tmp_path / "printed.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    opened = open_file(file, answers=["scores.*=judge"])
    with opened.items() as (_, items):
        given = [x.fields["scores"] for x in items if isinstance(x, Record)]
    assert [(x["metric"], x["value"]) for x in given[2]] == [("tone", 2), ("depth", 2)]


def test_names_with_dots_tell_what_is_asked_answered_and_expected() -> None:
    found = table("inputs.question,outputs.answer,reference.answer,feedback.correct",
                  "Is it heated?,Yes.,Yes it is.,1", "And open?,No.,Not now.,0",
                  "Why?,So.,It is.,1")  # fmt: skip
    assert sources(found) == {
        "input": "inputs.question", "response": "outputs.answer", "expected": "reference.answer",
    }  # fmt: skip
    assert asked(found) == ["feedback.correct=beside"]
    inner = [{"input": "q", "reference": {"answer": f"a {n}"}} for n in range(3)]
    assert sources(propose(inner, texts=False)) == {
        "input": "input", "expected": "reference.answer",
    }  # fmt: skip


def test_tables_of_evaluations_by_functions_are_read_by_their_names() -> None:
    found = table("inputs,outputs,ground_truth,tone/v1/score,tone/v1/justification",
                  "Is it?,Yes.,Yes,4,since", "Was it?,No.,No,5,because")  # fmt: skip
    assert sources(found)["response"] == "outputs"
    (score,) = found.mapping.scores
    assert (score.metric, score.reasoning) == (("tone/v1",), "tone/v1/justification")


def test_a_rating_called_complexity_is_no_field() -> None:
    rows = [{"prompt": "q", "response": f"a {n}", "complexity": n % 3} for n in range(6)]
    assert asked(propose(rows, texts=False)) == ["complexity=beside"]
    told = [row | {"complexity": "hard"} for row in rows]
    assert sources(propose(told, texts=False))["complexity"] == "complexity"


def test_conversations_are_compared_with_their_models() -> None:
    talk = [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "A."}]
    rows = [{"model_a": "x", "model_b": "y", "conversation_a": talk, "conversation_b": talk,
             "winner": choice} for choice in ("model_a", "model_b", "tie") * 2]  # fmt: skip
    found = propose(rows, texts=False)
    assert [(x.id, x.response, x.model) for x in found.mapping.candidates] == [
        ("model_a", "conversation_a", "model_a"), ("model_b", "conversation_b", "model_b"),
    ]  # fmt: skip
    assert asked(found) == ["winner=judge"]
    plain = [{"context": talk[:1], "response1": f"a {n}", "response2": f"b {n}"} for n in range(3)]
    other = propose(plain, texts=False)
    assert [x.id for x in other.mapping.candidates] == ["1", "2"]
    assert sources(other) == {"messages": "context"}


def test_what_was_asked_is_told_by_the_conversations_compared(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": [{"type": "text", "text": "Q?"}]},
            {"role": "assistant", "content": "A."}]  # fmt: skip
    file = tmp_path / "pairs.jsonl"
    rows = [{"conversation_a": talk, "conversation_b": talk, "note": f"n {n}"} for n in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with open_file(file).items() as (_, items):
        records = [x.fields for x in items if isinstance(x, Record)]
    assert [x["input"] for x in records] == ["Q?"] * 3
    assert records[0]["candidates"][1]["messages"][1]["content"] == "A."


def test_an_answer_that_may_be_meant_is_asked_for() -> None:
    rows = [{"prompt": f"Tell me {n}", "chosen": f"a good answer {n}", "subset": "x",
             "rejected": f"a bad answer {n}"} for n in range(3)]  # fmt: skip
    assert asked(propose(rows, texts=False)) == ["chosen=response"]
    assert propose([{"prompt": f"Tell me {n}", "notes": f"a b c {n}"} for n in range(3)],
                   texts=False).unambiguous  # fmt: skip
