"""What is likely to be a key is kept out of projects; what is none is let through."""

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.scoring.masking import check_address, is_secret, looks_secret


@pytest.mark.parametrize(
    "name",
    ["Authorization", "X-Api-Key", "api_key", "apiKey", "Cookie", "access_token", "X-Auth-Token",
     "password", "PGPASSWORD", "client-secret", "key", "Ocp-Apim-Subscription-Key"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name", ["Accept", "X-Trace", "monkey", "max_tokens", "top_p", "keyboard", "X-Request-Id"]
)
def test_names_of_other_things(name: str) -> None:
    assert not is_secret(name)


def test_texts_that_look_like_keys() -> None:
    assert looks_secret("Bearer abcdef123456")
    assert looks_secret("use sk-abcdefghijklmnop")
    assert not looks_secret("Bearer {{ key }}")
    assert not looks_secret("Ask the desk-clerk about the basic-room")


@pytest.mark.parametrize(
    "url",
    ["https://me@host/v1", "https://me:pw@host/v1", "https://host/v1?token=1", "http://[::1/v1"],
)
def test_addresses_hold_none(url: str) -> None:
    with pytest.raises(ReviewerError):
        check_address(url)


def test_a_plain_address_is_taken() -> None:
    check_address("https://host:8443/v1?version=2")
    check_address("")
