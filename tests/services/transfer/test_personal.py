"""Personal data in exports: found by the rules and by nothing else, and the project keeps it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import Silent
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.exporting import Exported
from reviewer.services.transfer.personal import RULES, Masking
from reviewer.store.project import Project
from tests.building import build_project, record

CARD = "4111 1111 1111 1111"
ACCOUNT = "DE89 3704 0044 0532 0130 00"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to ann.lee+x@mail.example.org.", "write to [e-mail]."),
        ("an ärger@müller.example", "an [e-mail]"),
        (f"my card is {CARD}, thanks", "my card is [card], thanks"),
        ("4111-1111-1111-1111", "[card]"),
        (f"to {ACCOUNT} please", "to [account] please"),
        ("GB82WEST12345698765432", "[account]"),
        ("call +49 30 901820 now", "call [telephone] now"),
        ("call (030) 901 820-14", "call [telephone]"),
        ("call 555-867-5309", "call [telephone]"),
        ("call 0049 171 5550123!", "call [telephone]!"),
    ],
)
def test_each_rule_finds_its_own(text: str, masked: str) -> None:
    assert Masking(is_masking=True).text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "on 2026-11-20 at 12:30:15", "20.11.2026", "11/20/2026", "2026-11-20 10-12",
        "4111 1111 1111 1112", "DE88 3704 0044 0532 0130 00", "1,234,567.89", "1 000 000 000",
        "192.168.100.254", "order 20261120", "room 12-14", "3.14159265", "@nobody", "a@b",
        "2019-2026", "version 1.2.3", "12345678901234567890", "id 7f3a-1234-5678",
    ],
)  # fmt: skip
def test_dates_numbers_and_wrong_check_digits_stay(text: str) -> None:
    assert Masking(is_masking=True).text(text) == text


@given(st.lists(st.sampled_from([
    CARD, ACCOUNT, "+49 30 901820", "ann@x.example", "a@b", "2026-11-20", "(030)", "901", "820",
    "7", "-", " ", ".", "/", "bus", "\u00e9", "\u0663\u0660", "DE", "\u0661" * 8,
]), max_size=9).map("".join))  # fmt: skip
def test_texts_that_are_passed_over_quickly_hold_nothing(text: str) -> None:
    masked = text
    for rule in RULES:
        masked = rule.pattern.sub(lambda x: rule.mask if rule.holds(x[0]) else x[0], masked)  # noqa: B023
    assert Masking(is_masking=True).text(text) == masked


@pytest.fixture
def project(tmp_path: Path) -> Path:
    label = {"metric": "accuracy", "labeler": "Ann Lee", "value": 2, "comment": "of ann@x.example"}
    told = record(
        1, id="bo@x.example", input=f"Charge {CARD}", response="Mail me: cy@x.example",
        labels=[label],
        messages=[{"role": "user", "content": [{"type": "text", "text": f"Pay {ACCOUNT}"}]},
                  {"role": "assistant", "content": "ok",
                   "tool_calls": [{"name": "mail", "arguments": {"to": "di@x.example"}}]}],
        meta={"phone": "+49 30 901820"}, marks=[{"kind": "flag", "labeler": "Ann Lee"}],
        scores=[{"metric": "accuracy", "value": 1, "reasoning": "wrote to cy@x.example"}],
        excluded={"reason": "test", "by": "Ann Lee"},
    )  # fmt: skip
    return build_project(tmp_path / "p.review", evaluations=[told, record(2)])


def export(project: Path, to: Path, **options: Any) -> Exported:
    with Project.open(project) as opened:
        return exporting.export(opened, to, ExportRequest(**options), Silent())


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.eval"])
def test_texts_are_masked_wherever_they_stand_and_counted(
    project: Path, tmp_path: Path, name: str
) -> None:
    made = export(project, tmp_path / name, mask=True)
    told = "Masked: 4 e-mail addresses, 1 account number, 1 card number and 1 telephone number."
    assert made.sentences[0] == told or name == "a.eval"
    assert made.sentences[1].startswith("1 id holds something of the kind")
    text = (tmp_path / name).read_bytes()
    if name in ("a.jsonl", "a.csv"):
        assert not [
            x for x in (b"cy@x", b"ann@x", b"di@x", b"4111", b"3704", b"9018") if x in text
        ]
        assert b"bo@x.example" in text


def test_the_project_keeps_what_was_masked(project: Path, tmp_path: Path) -> None:
    before = export(project, tmp_path / "before.jsonl").sha256
    export(project, tmp_path / "masked.jsonl", mask=True, pseudonyms=True)
    assert export(project, tmp_path / "after.jsonl").sha256 == before


def test_people_have_the_same_other_name_everywhere(project: Path, tmp_path: Path) -> None:
    export(project, tmp_path / "a.jsonl", pseudonyms=True)
    text = (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    assert "Ann Lee" not in text
    first = json.loads(text.splitlines()[0])
    name = first["labels"][0]["labeler"]
    assert name.startswith("person ")
    assert (first["marks"][0]["labeler"], first["excluded"]["by"]) == (name, name)
    export(project, tmp_path / "b.csv", what="labels", pseudonyms=True)
    assert f",{name}," in (tmp_path / "b.csv").read_text(encoding="utf-8")
    assert "Ann" not in (tmp_path / "b.csv").read_text(encoding="utf-8")
