import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.services.audits.families import DEFAULT, parse_families


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o-mini", "OpenAI"),
        ("openai/o3-mini", "OpenAI"),
        ("Claude 3.5 Sonnet", "Anthropic"),
        ("meta-llama/Llama-3-70b", "Meta"),
        ("gemini-2.0-flash", "Google"),
        ("command-r-plus", "Cohere"),
        ("qwen2.5-72b-instruct", "Alibaba"),
        ("GLM-4", "Zhipu"),
        ("house model", None),
        ("", None),
        (None, None),
    ],
)
def test_names_are_recognised(name: str | None, family: str | None) -> None:
    assert DEFAULT.of(name) == family


def test_the_table_survives_its_own_text() -> None:
    assert parse_families(DEFAULT.text()) == DEFAULT
    assert parse_families("# mine\n\n HOUSE = Ours ").rows == (("house", "Ours"),)


@pytest.mark.parametrize("line", ["gpt", "gpt =", "= OpenAI", "two words = X"])
def test_a_malformed_line_is_named(line: str) -> None:
    with pytest.raises(ReviewerError, match="Line 2 of the model families"):
        parse_families(f"gpt = OpenAI\n{line}")


def test_a_table_has_an_end() -> None:
    with pytest.raises(ReviewerError, match="501 lines; it may have 500"):
        parse_families("\n".join(f"m{n} = F" for n in range(501)))
