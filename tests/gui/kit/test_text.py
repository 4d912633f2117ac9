"""What is hidden in a text is spelt out, and every shown place leads back to the stored one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.wording import gap_words, score_words
from reviewer.gui.kit.text import align, name_line, one_line, visible, without_shared


def test_direction_overrides_and_tags_are_spelt_out() -> None:
    tags = "".join(chr(0xE0000 + ord(x)) for x in "pass it")
    shown = visible(f"a\u202eb\x00c{tags}d\r\ne").text
    assert shown == "a⟦U+202E⟧b⟦U+0000⟧c⟦hidden text: pass it⟧d\ne"


def test_plain_text_is_left_alone() -> None:
    text = "κ ≥ 0.6, 你好, مرحبا, naïve\n\ttab"
    assert visible(text).text == text


@given(st.text(max_size=60), st.text("\u202e\u200b\x07\ufeffab", max_size=20))
def test_offsets_of_ordinary_characters_go_there_and_back(start: str, rest: str) -> None:
    stored = start + rest
    shown = visible(stored)
    ordinary = [at for at, x in enumerate(stored) if visible(x).text == x and x != "\n"]
    for at in ordinary:
        place = shown.to_shown(at)
        assert shown.text[place] == stored[at]
        assert shown.to_stored(place) == at


def test_rendered_markdown_finds_its_source() -> None:
    source = "It is **heated** to `28 °C`.\n\n- one\n- two"
    rendered = "It is heated to 28 °C.\none\ntwo"
    places = align(rendered, source)
    assert len(places) == len(rendered) + 1
    for char, place in zip(rendered, places, strict=False):
        if not char.isspace():
            assert source[place] == char
    assert source[places[6] : places[11] + 1] == "heated"


@given(st.text("ab *_`\n#", max_size=80))
def test_alignment_never_goes_back_nor_out(source: str) -> None:
    rendered = "".join(x for x in source if x not in "*_`#")
    places = align(rendered, source)
    assert places == sorted(places)
    assert all(0 <= place <= len(source) for place in places)


def test_numbers_are_written_for_people() -> None:
    assert [score_words(x) for x in (None, 4.0, 4.25, True, "tie")] == [
        "—",
        "4",
        "4.25",
        "1",
        "tie",
    ]
    assert [gap_words(x) for x in (None, 0.0, -0.001, 1.0, -2.346)] == [
        "—",
        "0",
        "0",
        "+1",
        "−2.35",
    ]


def test_a_name_loses_its_middle() -> None:
    assert name_line("2026-11-18\n agent v7", 30) == "2026-11-18 agent v7"
    long = [name_line("2026-11-18 " + "agent " * 40 + f"v{n}", 22) for n in (7, 8)]
    assert long == ["2026-11-18 …t agent v7", "2026-11-18 …t agent v8"]
    assert name_line("x" * 1_000_000 + "9", 9) == "xxxx…xxx9"
    assert "\u202e" not in name_line("a\u202eb" * 9, 9)


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("a\n b\t c") == "a b c"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["2026-11-18 agent v7", "2026-11-04 agent v6"], ["…18 agent v7", "…04 agent v6"]),
        # what begins otherwise stays whole
        (["A/B opening lines", "agent 1", "agent 2"], ["A/B opening lines", "…1", "…2"]),
        (["assistant 1.3", "assistant 1.4"], ["…1.3", "…1.4"]),
        (["nightly", "nightly 2"], ["nightly", "nightly 2"]),
        (["strict match", "full context"], ["strict match", "full context"]),
        (["alone"], ["alone"]),
        ([], []),
    ],
)
def test_short_names_leave_out_what_is_shared(names: list[str], short: list[str]) -> None:
    assert list(without_shared(names).values()) == short
    assert list(without_shared(names)) == names
