"""A browser without a window that shows a page and tells what it did."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
LIGHT, DARK = 1, 0
"""The schemes of colours as the browser numbers them."""
_FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe id="shown" style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>
<script>
onload = () => {{
  const inner = document.getElementById("shown").contentDocument;
  const root = inner.documentElement, style = getComputedStyle(inner.body);
  document.body.dataset.seen = JSON.stringify(
    {{wide: root.scrollWidth, room: root.clientWidth, ground: style.backgroundColor,
      text: inner.body.innerText}});
  document.getElementById("shown").remove();
}};
</script>"""


@dataclass(frozen=True)
class Seen:
    """What a browser made of a page.

    Attributes:
        wide: How wide the page is, in pixels, and `room` how wide what shows it.
        ground: The colour behind its text.
        text: What it shows.
        requests: Addresses that the page asked for.
        console: Lines of the console.
    """

    wide: int
    room: int
    ground: str
    text: str
    requests: list[str]
    console: list[str]


def see(page: str, folder: Path, *, width: int, scheme: int = LIGHT) -> Seen:
    """Show a page in a frame of some width."""
    if PROGRAM is None:
        pytest.skip("chromium is not installed")
    folder.mkdir(exist_ok=True)
    file, log = folder / "frame.html", folder / "net.json"
    file.write_text(_FRAME.format(width=width, page=html.escape(page)), encoding="utf-8")
    done = subprocess.run(
        [
            PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}", "--window-size=1300,1000",
            f"--log-net-log={log}", "--enable-logging=stderr", "--v=0",
            f"--blink-settings=preferredColorScheme={scheme}", "--dump-dom", file.as_uri(),
        ],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )  # fmt: skip
    found = re.search(r'data-seen="(.*?)"', done.stdout, re.DOTALL)
    assert found, done.stderr
    events = json.loads(log.read_text(encoding="utf-8"))["events"]
    # what the browser wants for itself has no origin
    asked = [
        x["params"]["url"]
        for x in events
        if x.get("params", {}).get("initiator") not in (None, "not an origin")
    ]
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return Seen(requests=asked, console=console, **json.loads(html.unescape(found.group(1))))
