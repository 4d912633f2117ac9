"""Personal data in exports: masked in texts by rules, and people under other names.

Originals in the project stay as they are. Texts are everything that people or systems wrote; what
identifies an entry (ids, runs, cases, metrics, times) stays, or nothing could be joined any more.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from string import digits
from typing import Any, Final, NamedTuple

from reviewer.domain.wording import counted, listed
from reviewer.store import figures
from reviewer.store.project import Project

Fields = dict[str, Any]
MOST_DIGITS, FEWEST_DIGITS = 15, 7
"""Of telephone numbers, as the numbering plan of all countries has it."""
_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"\d(?:[ ()./-]{0,3}\d){6}")
"""As many digits as the shortest telephone number; a card number has more."""
_KEPT: Final = frozenset(
    {"id", "run", "case", "cluster", "metric", "labeler", "by", "scorer", "scorer_version",
     "judge_version", "rubric_version", "model", "prompt_hash", "kind", "role", "type", "at",
     "occurred_at", "evaluated_at", "uid", "restores", "data", "path", "sha256", "category",
     "complexity", "tool_call_id", "selection_reason", "cache", "state", "method"}
)  # fmt: skip
"""Keys whose texts identify something, or are no texts."""
_IDENTITIES: Final = ("id", "run", "case", "cluster")


class Rule(NamedTuple):
    """A kind of personal data: what stands in its place, and how it is recognised.

    The pattern is nowhere found where its `hint` is not, which takes a tenth of the time to see.
    """

    name: str
    plural: str
    mask: str
    hint: re.Pattern[str]
    pattern: re.Pattern[str]
    holds: Callable[[str], bool]
    told: str


def _any(_: str) -> bool:
    return True


def _is_plain(text: str) -> bool:
    """Tell that no rule finds anything in a text, as of most; looks for one sign each are fast."""
    if "@" in text or any(map(text.__contains__, digits)):
        return False
    return text.isascii() or _DIGIT.search(text) is None


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def is_card(text: str) -> bool:
    """Tell whether the digits of a text are a card number: 13 to 19, by Luhn's check."""
    places = [int(x) for x in _digits(text)]
    if not 13 <= len(places) <= 19 or len(set(places)) == 1:
        return False
    doubled = [sum(divmod(2 * x, 10)) for x in places[-2::-2]]
    return (sum(places[-1::-2]) + sum(doubled)) % 10 == 0


def is_account(text: str) -> bool:
    """Tell whether a text is an IBAN: 15 to 34 signs whose check number is right."""
    plain = re.sub(r"[\s-]", "", text).upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(x, 36)) for x in plain[4:] + plain[:4])) % 97 == 1


def is_telephone(text: str) -> bool:
    """Tell whether a text of digits and signs between them is dialled: no date, no time, no IP."""
    count = len(_digits(text))
    if not FEWEST_DIGITS <= count <= MOST_DIGITS or _NO_NUMBER.fullmatch(text.strip()):
        return False
    return text.startswith(("+", "00", "0", "(")) or len(re.findall(r"[ ./-]+", text)) >= 2


_NO_NUMBER: Final = re.compile(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:[ T-]\d{1,2}(?:[-.]\d{1,2})*)?"
    r"|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}(?: \d{1,2}(?:[-.]\d{1,2})*)?"
    r"|\d{1,3}(?:\.\d{1,3}){3}|\d{1,3}(?:[ .]\d{3})+|0*\.\d+|\d+[.]\d+|\d{4} ?[-/] ?\d{4}"
)
RULES: Final = (
    Rule(
        "e-mail address",
        "e-mail addresses",
        "[e-mail]",
        re.compile("@"),
        re.compile(r"(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[^\W\d_]{2,}", re.UNICODE),
        _any,
        "a name, @ and a domain",
    ),
    Rule(
        "account number",
        "account numbers",
        "[account]",
        re.compile(r"\d\d"),
        re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}"
                   r"(?:[ -]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"),
        is_account,
        "an IBAN whose check number is right",
    ),
    Rule(
        "card number",
        "card numbers",
        "[card]",
        _RUN,
        re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w])"),
        is_card,
        "13 to 19 digits that pass Luhn's check",
    ),
    Rule(
        "telephone number",
        "telephone numbers",
        "[telephone]",
        _RUN,
        re.compile(r"(?<![\w.,/-])(?:\+|\()?\d(?:[ ()./-]{0,3}\d){6,16}(?![\w])"),
        is_telephone,
        "7 to 15 digits with + or 0 before them or in groups, and no date",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Masking:
    """Takes personal data out of what is exported, and remembers how much.

    Attributes:
        names: What people are called instead, by name; empty where they keep theirs.
        is_masking: Whether texts are looked through.
        found: How many were masked, by the rule's name.
        in_ids: How many ids hold something of the kind, which stays.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    is_masking: bool = False
    found: Counter[str] = field(default_factory=Counter)
    in_ids: Counter[str] = field(default_factory=Counter)

    def clean(self, record: Fields) -> Fields:
        """Give a record or row without personal data."""
        if self.is_masking:
            seen = [record.get(name) for name in _IDENTITIES]
            self.in_ids["ids"] += any(isinstance(x, str) and self._is_telling(x) for x in seen)
            record = {name: self._masked(name, value) for name, value in record.items()}
        return _renamed(record, self.names) if self.names else record

    def _masked(self, name: str, value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
        if isinstance(value, str):
            return value if name in _KEPT else self.text(value)
        if isinstance(value, list):
            return [self._masked(name if isinstance(x, dict) else "", x) for x in value]
        if isinstance(value, dict):
            return {key: self._masked(key, x) for key, x in value.items()}
        return value

    def text(self, text: str) -> str:
        """Put a mark in the place of everything that a rule finds."""
        if _is_plain(text):
            return text
        for rule in RULES:
            if rule.hint.search(text):
                text = rule.pattern.sub(partial(self._mark, rule), text)
        return text

    def _mark(self, rule: Rule, match: re.Match[str]) -> str:
        if not rule.holds(match[0]):
            return match[0]
        self.found[rule.name] += 1
        return rule.mask

    @staticmethod
    def _is_telling(text: str) -> bool:
        return not _is_plain(text) and any(
            rule.holds(x[0])
            for rule in RULES
            if rule.hint.search(text)
            for x in rule.pattern.finditer(text)
        )

    def sentences(self) -> list[str]:
        """Say what was masked, what was not, and that names were replaced."""
        told: list[str] = []
        if self.is_masking:
            parts = [counted(self.found[x.name], x.name, x.plural) for x in RULES]
            told.append(f"Masked: {listed(parts)}.")
        if self.in_ids["ids"]:
            told.append(
                f"{counted(self.in_ids['ids'], 'id holds', 'ids hold')} something of the kind and "
                "stay as they are, or nothing could be joined by them."
            )
        if self.names:
            told.append(
                f"{counted(len(self.names), 'name')} of labelers replaced; names within texts are "
                "not looked for."
            )
        return told


def pseudonyms(project: Project) -> dict[str, str]:
    """Give everybody another name, the same in every export of a project and its copies."""
    return {name: f"person {key}" for key, name in figures.labeler_names(project).items()}


def _renamed(record: Fields, names: Mapping[str, str]) -> Fields:
    """Rename the people in a record or row: who labelled, marked, decided and excluded."""
    renamed = dict(record)
    for name in ("labels", "marks"):
        if isinstance(record.get(name), list):
            renamed[name] = [_of(x, "labeler", names) for x in record[name]]
    if isinstance(record.get("labels"), dict):
        renamed["labels"] = {names.get(x, x): value for x, value in record["labels"].items()}
    if isinstance(record.get("excluded"), dict):
        renamed["excluded"] = _of(record["excluded"], "by", names)
    return _of(renamed, "labeler", names)


def _of(entry: Fields, key: str, names: Mapping[str, str]) -> Fields:
    return entry | {key: names.get(entry[key], entry[key])} if key in entry else entry
