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

KEY = "sk-planted/ZQX+0123456789=abcdefghij"


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


def escaped(form: str, text: str = KEY, every: int = 1) -> str:
    """Spell every so many-th character of a text in a form of its number."""
    return "".join(form.format(ord(x)) if not place % every else x for place, x in enumerate(text))


JSON, URL, HTML = "\\u{0:04x}", "%{0:02X}", "&#{0};"
CHARACTERS = {
    "JSON": JSON, "JSON in capitals": "\\u{0:04X}", "JSON in JSON": "\\\\u{0:04x}",
    "JSON four times": "\\" * 8 + "u{0:04x}", "its backslash escaped": "\\u005cu{0:04x}",
    "and that again": "\\u005cu005cu{0:04x}", "its letter u escaped": "\\\\\\u0075{0:04x}",
    "JavaScript": "\\x{0:02x}", "JavaScript with braces": "\\u{{{0:x}}}",
    "JavaScript with zeros": "\\u{{0000{0:x}}}", "Python": "\\U{0:08x}", "octal": "\\{0:03o}",
    "address": URL, "address in small letters": "%{0:02x}", "address twice": "%25{0:02X}",
    "address five times": "%25252525{0:02X}", "its per cent in JSON": "\\u0025{0:02x}",
    "its per cent in HTML": "&#37;{0:02x}", "old address": "%u{0:04x}",
    "HTML": HTML, "HTML with zeros": "&#{0:05};", "HTML without its end": "&#{0:03}",
    "HTML in hexadecimals": "&#x{0:x};", "in capitals": "&#X{0:X};", "with zeros": "&#x{0:06x};",
    "HTML twice": "&amp;#{0};", "HTML three times": "&amp;amp;#x{0:x};",
    "its ampersand in JSON": "\\u0026#{0};", "its ampersand in an address": "%26#{0};",
    "its number in JSON": "&\\u0023{0};",
}  # fmt: skip
"""How one character is spelled."""


def spellings() -> dict[str, str]:
    """Give the key in every spelling, whole and of some of its characters only."""
    found = {
        f"{name}, one of {every}": escaped(form, every=every)
        for name, form in CHARACTERS.items()
        for every in (1, 2, 7)
        # a digit behind it would make another number
        if every == 1 or name != "HTML without its end"
    }
    found["slashes in JSON"] = KEY.replace("/", "\\/")
    found["slashes in JSON in JSON"] = KEY.replace("/", "\\\\\\/")
    found["signs by name"] = (
        KEY.replace("/", "&sol;").replace("+", "&plus;").replace("=", "&equals;")
    )
    found["by name, twice"] = KEY.replace("/", "&amp;sol;").replace("+", "&amp;plus;")
    found["address in JSON"] = escaped(JSON, escaped(URL))
    found["JSON in an address"] = escaped(URL, escaped(JSON))
    found["HTML in JSON"] = escaped(JSON, escaped(HTML))
    found["JSON in HTML"] = escaped(HTML, escaped(JSON))
    found["all three"] = escaped(URL, escaped(JSON, escaped(HTML)))
    base = base64.b64encode(KEY.encode()).decode()
    found |= {"base64": base, "base64 for addresses": base.translate({43: "-", 47: "_"})}
    found["base64 in JSON"] = escaped(JSON, base)
    found["base64 in an address"] = quote(base, safe="")
    found["its slashes in JSON"] = base.replace("/", "\\/")
    mixed = (JSON, URL, HTML, "{0:c}", "\\\\u{0:04x}")
    found["mixed"] = "".join(mixed[n % 5].format(ord(x)) for n, x in enumerate(KEY))
    return found


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
