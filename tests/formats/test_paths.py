import pytest

from reviewer.formats.paths import as_text, fill, find, is_many, located, parsed

ROW = {
    "a": {"b": [{"c": 1}, {"c": 2}, {}]},
    "a.b": "flat",
    "deep": {"with.dot": {"x": 5}, "swap = False": "y"},
    "text": '{"inner": [10, 20]}',
    "names": {"one": [1, 2], "two": [3]},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", "flat"),
        ("a.b[1].c", 2),
        ("a.b[-2].c", 2),
        ("a.b[9].c", None),
        ("a.b[].c", [1, 2, None]),
        ('deep."with.dot".x', 5),
        ("deep.swap = False", "y"),
        ("text.inner[0]", 10),
        ("names.*", [[1, 2], [3]]),
        ("names.*[]", [1, 2, 3]),
        ("missing.x", None),
        ("a[0]", None),
    ],
)
def test_paths_lead_where_they_say(path: str, value: object) -> None:
    assert find(ROW, path) == value


def test_many_is_told_from_one() -> None:
    assert is_many("a[].b")
    assert is_many("a.*")
    assert not is_many("a[0].b")


def test_templates_take_columns_and_variables() -> None:
    row = {"doc": 3, "system": "M1", "blank": ""}
    assert fill("{doc}|{system}#{n} {{x}}", row, {"n": 2}) == "3|M1#2 {x}"
    assert fill("{doc}|{blank}", row, {}) is None


def test_variables_name_columns_with_dots_and_keys_with_dots() -> None:
    flat = {"gpt-3.5_score": "4"}
    assert located("{scorer}_score", {"scorer": "gpt-3.5"}, flat) == "gpt-3.5_score"
    nested = {"scores": {"v1.2": 4}}
    assert find(nested, located("scores.{metric}", {"metric": "v1.2"}, nested)) == 4


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "true"), (4.0, "4.0"), (["a", "b"], "a\n\nb"), ({"a": 1}, '{"a": 1}')],
)
def test_any_value_can_be_spelled(value: object, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[\"it's\", 'b']", ["it's", "b"]),
        (
            "[{'role': 'user', 'content': \"what's up?\"}]",
            [{"role": "user", "content": "what's up?"}],
        ),
        ("{'a': None, 'b': (True, 1)}", {"a": None, "b": [True, 1]}),
        ("['it is' 'b c'\n \"d' e\"]", ["it is", "b c", "d' e"]),
        ("[1 -2\n 0.5]", [1, -2, 0.5]),
        (
            "[{'role': 'user', 'content': 'a} {b array(1 2'}\n {'role': 'bot', 'at': None}]",
            [{"role": "user", "content": "a} {b array(1 2"}, {"role": "bot", "at": None}],
        ),
        ("{'a': array(['b', 'c d'], dtype=object)}", {"a": ["b", "c d"]}),
        ("[array([1, 2]) array([3])]", [[1, 2], [3]]),
    ],
)
def test_lists_and_objects_as_python_prints_them_are_opened(text: str, value: object) -> None:
    assert parsed(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "[link] and a text",
        "[1e999, 'a']",
        "{1, 'a'}",
        "{[]: 'a'}",
        "{(1, 2): 'a'}",
        "[b'a']",
        "['\\ud800']",
        "[__import__('os')]",
        "['a'] * 9",
        "['a" + "\0" + "']",
        "[" * 90_000 + "'a'" + "]" * 90_000,
        "[" + "-" * 90_000 + "1, 'a']",
        "['" + "a" * 300_000 + "']",
        "[" + "9" * 5_000 + ", 'a']",
    ],
)
def test_what_is_no_plain_value_stays_a_text(text: str) -> None:
    assert parsed(text) == text
