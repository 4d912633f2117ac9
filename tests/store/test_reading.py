"""Turns, candidates and sources read from what a project keeps."""

from reviewer.domain.evaluation import Candidate, Part, Source, ToolCall, Turn
from reviewer.store import reading


def test_a_turn_has_parts_and_calls_and_keeps_unknown_keys() -> None:
    found = reading.turn(
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Twelve.", "lang": "en"}],
            "name": None,
            "tool_calls": [{"name": "look", "arguments": {"n": 1}, "index": 0}],
            "mood": "calm",
        }
    )
    assert found == Turn(
        role="assistant",
        content=(Part(type="text", text="Twelve.", rest={"lang": "en"}),),
        tool_calls=(ToolCall(name="look", arguments={"n": 1}, rest={"index": 0}),),
        rest={"mood": "calm"},
    )
    assert found.text == "Twelve."


def test_a_candidate_may_be_a_conversation() -> None:
    found = reading.candidate(
        {"id": "b", "messages": [{"role": "user", "content": "Hi"}], "rank": 2}
    )
    assert found == Candidate(
        id="b", messages=(Turn(role="user", content="Hi"),), rest={"rank": 2}
    )


def test_a_source_has_its_relevance_as_a_number() -> None:
    found = reading.source({"id": "s", "relevance": 1, "url": "x"})
    assert found == Source(id="s", relevance=1.0, rest={"url": "x"})
    assert isinstance(found.relevance, float)
    assert reading.source({"id": "s"}).relevance is None
