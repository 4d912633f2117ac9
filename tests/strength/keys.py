"""A provider that echoes the key in every spelling, and the search of everything written then."""

import base64
import html
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.building import record
from tests.journeys.planted_key import contents
from tests.servers.model_server import Answer, model_server

KEY = "sk-planted/ZQX+0123456789=abcdefghij"
"""With signs that URL-encoding and base64 change."""
ROOT = Path(__file__).resolve().parents[2]
JSON, URL, HTML = "\\u{0:04x}", "%{0:02X}", "&#{0};"


def escaped(form: str, text: str = KEY, every: int = 1) -> str:
    """Spell every so many-th character of a text in a form of its number."""
    return "".join(form.format(ord(x)) if not place % every else x for place, x in enumerate(text))


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


@dataclass
class Outcome:
    """What became of the spellings.

    Attributes:
        asked: Spellings with which the provider answered.
        read: Texts that were searched: files, what is packed in them, and columns.
        found: Where a spelling, or the key itself, was found.
    """

    asked: int
    read: int
    found: list[str]


def trial(folder: Path, count: int) -> Outcome:
    """Let a judge reply with so many spellings, in reasoning, errors and thoughts, and search."""
    every = list(spellings().items())
    some = [every[place * len(every) // count] for place in range(count)]
    asked: set[str] = set()

    def reply(_: int, body: dict[str, Any]) -> Answer:
        place = int(re.findall(r"PLACE(\d+)X", json.dumps(body))[-1])
        name, spelled = some[place]
        asked.add(name)
        said = f"You sent Bearer {spelled} just now"
        if place % 5 == 4:
            return Answer(said, status=400)
        # what is spelled for JSON comes as it stands, so that the reader makes the key of it
        text = '{"score": 4, "reasoning": ' + json.dumps(said)
        return Answer(text + f', "examples": ["{_quoted(spelled)}"]}}', thinking=said)

    file = folder / "in.jsonl"
    lines = (json.dumps(record(n, input=f"PLACE{n}X", scores=[])) for n in range(count))
    file.write_text("\n".join(lines))
    with model_server(reply) as model:
        said = _run(folder, model.url)
    (folder / "said.txt").write_text(said)
    texts = [(f"{path.name}{part}", raw) for path in sorted(folder.rglob("*"))
             if path.is_file() and path != file for part, raw in contents(path)]  # fmt: skip
    found = [
        f"{place}: {name}"
        for place, raw in texts
        for name, form in [("plain", KEY), *((name, spelled) for name, spelled in some)]
        if any(x in raw for x in _as_kept(form))
    ]
    return Outcome(len(asked), len(texts), found)


def _quoted(spelled: str) -> str:
    """Put a spelling into JSON as it stands where that is JSON, else so that it is read as it."""
    try:
        json.loads(f'"{spelled}"')
    except ValueError:
        return json.dumps(spelled)[1:-1]
    return spelled


def _as_kept(form: str) -> set[bytes]:
    """Give a spelling as it stands, and as JSON, HTML and CSV write it."""
    shown = {form, json.dumps(form)[1:-1], html.escape(form), form.replace('"', '""')}
    return {x.encode() for x in shown}


def _run(folder: Path, url: str) -> str:
    project = str(folder / "p.review")
    judge = ("judges", project, "add", "echo", "--endpoint", "near", "--url", url,
             "--variable", "NEAR_KEY", "--model", "m")  # fmt: skip
    commands = (
        ("import", project, str(folder / "in.jsonl"), "--rubric", "guest-response"),
        judge,
        ("evaluate", project, "--judge", "echo", "--metric", "safety", "--allow-failures", "9999"),
        *(("export", project, str(folder / f"e.{x}")) for x in ("jsonl", "csv", "xlsx")),
        *(("report", project, str(folder / f"r.{x}")) for x in ("html", "md", "json")),
        ("packet", project, str(folder / "e.zip")),
        ("jobs", project, "--json"),
        ("backup", project),
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.journeys.commands_process", *map(json.dumps, commands)],
        cwd=folder,
        env=os.environ | {"NEAR_KEY": KEY, "PYTHONPATH": str(ROOT), "REVIEWER_DEBUG": "1",
                          "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
    )  # fmt: skip
    return done.stdout
