"""A key is found in whatever a provider says, and texts without it stay as they are."""

import base64
import html
import json
import time
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.masking import masked
from tests.strength.keys import KEY, spellings


@pytest.mark.parametrize("before", ["", ":", "user:", "Bearer ", "Basic x"])
@pytest.mark.parametrize("after", ["", "\n", "and more"])
def test_a_key_is_masked_in_every_form(before: str, after: str) -> None:
    whole = (before + KEY + after).encode()
    forms = (KEY, quote(KEY, safe=""), base64.b64encode(whole).decode(),
             base64.urlsafe_b64encode(whole).decode())  # fmt: skip
    for form in forms:
        found = masked(f"You sent {form}, didn't you?", KEY)
        assert "…" in found
        assert KEY[6:-6] not in found
        assert (
            base64.b64encode(b"\0" * (len(before) % 3) + KEY.encode())[8:-8].decode() not in found
        )


def test_a_missing_or_tiny_key_masks_nothing() -> None:
    assert masked("nothing to hide", None) == masked("nothing to hide", "") == "nothing to hide"
    assert masked("to be", "be") == "to be"


@given(st.text())
def test_other_texts_stay(text: str) -> None:
    assert KEY in text or masked(text, KEY) == text


SPELLINGS = spellings()


def test_there_are_many_spellings_and_a_reader_reads_them() -> None:
    assert len(set(SPELLINGS.values())) >= 100
    assert json.loads(f'"{SPELLINGS["JSON, one of 1"]}"') == KEY
    assert json.loads(json.loads(f'"{SPELLINGS["JSON in JSON, one of 1"]}"').join('""')) == KEY
    assert unquote(SPELLINGS["address, one of 2"]) == KEY
    assert html.unescape(SPELLINGS["HTML, one of 7"]) == KEY
    assert html.unescape(json.loads(f'"{SPELLINGS["HTML in JSON"]}"')) == KEY


@pytest.mark.parametrize("name", SPELLINGS)
def test_no_spelling_goes_through(name: str) -> None:
    spelled = SPELLINGS[name]
    for before, after in (("", ""), ("You sent ", " just now"), ("\\n%zz &x ", "\\t")):
        assert masked(before + spelled + after, KEY) == f"{before}…{after}"
    twice = masked(f"{spelled} and {spelled}", KEY)
    assert twice == "… and …"


@pytest.mark.parametrize("name", SPELLINGS)
def test_json_stays_json_and_says_the_rest(name: str) -> None:
    reply = {
        "score": 4,
        "reasoning": f'a\\b \u00fc \n{SPELLINGS[name]} "so" /',
        "key": SPELLINGS[name],
    }
    found = json.loads(masked(json.dumps(reply), KEY))
    assert found == reply | {"reasoning": 'a\\b \u00fc \n… "so" /', "key": "…"}


def test_a_key_with_signs_that_are_escaped_themselves() -> None:
    key = 'a\\b"c/d&e%f'
    for text in (key, json.dumps(key)[1:-1], json.dumps(json.dumps(key))[3:-3],
                 quote(key, safe=""), html.escape(key)):  # fmt: skip
        assert masked(f"<{text}>", key) == "<…>", text


@given(st.text(alphabet='\\u0073%25&#;xab/"{}'))
def test_texts_of_escapes_alone_stay(text: str) -> None:
    assert masked(text, KEY) == text


def test_a_long_reply_of_escapes_is_read_in_good_time() -> None:
    for text in ("\\" * 200_000, "%25" * 100_000, "&amp;" * 50_000, "\\u005c" * 50_000):
        began = time.process_time()
        assert masked(text, KEY) == text
        assert time.process_time() - began < 5
