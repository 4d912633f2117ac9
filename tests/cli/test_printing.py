import json

import pytest

from reviewer.cli import console


def test_figures_are_written_with_sign_dash_and_interval() -> None:
    assert console.number(None) == "—"
    assert console.number(1234.5) == "1,234.50"
    assert console.signed(-0.694) == "-0.69"
    assert console.signed(0.5) == "+0.50"
    assert console.signed(-0.001) == "0.00"
    assert console.signed(None) == "—"
    assert console.percent(0.1234) == "12.3 %"
    assert console.interval((0.1, 0.25)) == "[0.10, 0.25]"
    assert console.interval(None) == console.interval((None, 1.0)) == ""
    block = {"kappa": 0.5, "intervals": {"kappa": [0.4, 0.6]}}
    assert console.with_interval(block, "kappa") == "0.50 [0.40, 0.60]"
    assert console.with_interval(block, "icc") == "—"


def test_a_table_is_aligned_uncut_and_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    long = "recognised by " * 8
    rows = [("[red]a\x1b[1m", "—", "5"), (long, "", "1,000")]
    console.table("Runs", ("run", "judge", "n>"), rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["", "Runs"]
    assert lines[2].split() == ["run", "n"]
    assert any("[red]a·[1m" in line for line in lines)
    assert any(long.strip() in line and line.endswith("1,000") for line in lines)
    assert not any(line != line.rstrip() for line in lines)


@pytest.mark.parametrize("as_json", [False, True])
def test_an_answer_is_words_or_a_document(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    console.answer({"file": "a.csv"}, "12 bytes in a.csv", as_json=as_json)
    console.tell("The bot is there.", as_json=as_json, job=3)
    out, err = capsys.readouterr()
    assert err == "The bot is there.\n"
    if not as_json:
        assert out == "12 bytes in a.csv\n"
        return
    first, second = out.split("}\n", 1)
    assert json.loads(first + "}") == {"schema": 1, "file": "a.csv"}
    assert list(json.loads(second).items())[1:] == [("job", 3), ("text", "The bot is there.")]
