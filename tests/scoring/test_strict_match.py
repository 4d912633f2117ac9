"""The strict match gives the most similar row, the first of equals."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.answers import token_cosine
from reviewer.scoring.bots.question_list import QuestionList
from reviewer.scoring.texts import tokens

QUESTIONS = st.lists(st.sampled_from("abcdef"), max_size=5).map(" ".join)


@given(QUESTIONS, st.lists(QUESTIONS, min_size=1, max_size=8))
def test_the_index_finds_what_a_full_search_finds(question: str, rows: list[str]) -> None:
    likeness = [token_cosine(tokens(question), tokens(row)) for row in rows]
    match = QuestionList(rows).best(question)
    assert match.row == likeness.index(max(likeness))
    assert match.similarity == max(likeness)


def test_shared_words_and_the_first_row_without_any() -> None:
    rows = QuestionList(["How do I reset a password?", "Opening hours"])
    assert rows.best("Reset my password!").shared == ("password", "reset")
    assert rows.best("zzz").row == 0
    assert rows.best("zzz", min_similarity=0.1).row is None
    assert QuestionList([]).best("a").row is None
