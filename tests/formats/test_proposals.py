from typing import Any

from reviewer.formats.proposals import Proposal, propose


def table(header: str, *rows: str) -> Proposal:
    names = header.split(",")
    cells = [dict(zip(names, row.split(","), strict=True)) for row in rows]
    return propose(cells, texts=True)


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
    assert found.questions == (
        "Which column holds the answer: output or answer? output is proposed.",
    )


def test_a_number_without_a_name_that_says_score_is_a_question() -> None:
    rows = [{"id": i, "input": "q", "output": "a", "helpfulness": i % 3} for i in range(10)]
    found = propose(rows, texts=False)
    assert not found.unambiguous
    assert found.questions[0].startswith("Is helpfulness an auto score? It holds 0, 1, 2.")
    assert found.mapping.scores[0].metric == ("helpfulness",)


def test_a_label_that_could_belong_to_two_metrics_is_a_question() -> None:
    found = table("id,output,a_score,b_score,label", "1,x,1,2,1", "2,y,2,1,0")
    assert not found.unambiguous
    assert "Which metric does the label in label belong to: a, b?" in found.questions


def test_a_label_joins_the_only_metric() -> None:
    found = table("id,output,tone_score,label", "1,x,1,1", "2,y,2,0")
    assert found.mapping.labels[0].metric == ("tone",)


def test_nothing_to_read_is_a_question() -> None:
    found = table("a,b", "1,2", "3,4")
    assert not found.unambiguous
    assert any("Which column holds the question" in text for text in found.questions)


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


def test_two_answers_side_by_side_are_a_comparison() -> None:
    rows = [{"input": "q", "output_1": "a", "output_2": "b", "label": i % 2 + 1} for i in range(4)]
    found = propose(rows, texts=False)
    assert [one.response for one in found.mapping.candidates] == ["output_1", "output_2"]
    assert found.mapping.labels[0].as_ == "text"


def test_repeated_names_are_a_question() -> None:
    found = table("id,output,Score,Score#2", "1,x,1,2", "2,y,2,1")
    assert any("repeat" in text for text in found.questions)
    assert [rule.value for rule in found.mapping.scores] == [("Score",)]


def test_no_rows_are_a_question() -> None:
    assert not propose([], texts=True).unambiguous
