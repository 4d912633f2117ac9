"""A key is found in whatever a provider says, and texts without it stay as they are."""

import base64
from urllib.parse import quote

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
