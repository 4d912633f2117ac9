"""What goes into the program from elsewhere: pinned, told in the wheel, and looked after."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
PIN = re.compile(r"^([a-z0-9][\w.-]*)==(\S+)", re.MULTILINE)
BOM = "reviewer.cdx.json"


def pins(name: str) -> set[tuple[str, str]]:
    return set(PIN.findall((PACKAGING / name).read_text()))


def test_the_bill_of_materials_names_every_pin_and_nothing_else() -> None:
    bom = json.loads((PACKAGING / BOM).read_text())
    assert (bom["bomFormat"], bom["metadata"]["component"]["name"]) == ("CycloneDX", "reviewer")
    assert {(x["name"], x["version"]) for x in bom["components"]} == pins("constraints.txt")
    assert all(x["purl"].endswith(f"/{x['name']}@{x['version']}") for x in bom["components"])
    # the same pins give the same file, wherever and whenever it is made
    assert {"serialNumber", "timestamp"}.isdisjoint({*bom, *bom["metadata"]})


def test_the_wheel_holds_the_bill_of_materials(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as whole:
        (name,) = [x for x in whole.namelist() if x.endswith(f".dist-info/sboms/{BOM}")]
        assert whole.read(name) == (PACKAGING / BOM).read_bytes()


def test_licences_of_all_pins_are_listed_also_where_no_advisory_can_be_reached() -> None:
    # this environment has no pip-audit, so nobody can be asked
    command = [sys.executable, str(PACKAGING / "audit.py"), str(PACKAGING), sys.prefix]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    files = sorted(x.name for x in PACKAGING.glob("constraints*.txt"))
    assert done.returncode == 0, done.stderr
    for line, file in zip(lines, files, strict=False):
        assert line.startswith(f"Not checked: no advisories can be reached for {file}: ")
    told = {tuple(line.split(":")[0].split(" ")) for line in lines[len(files) :]}
    assert told == {pin for file in files for pin in pins(file)}
    assert any(re.match(r"jinja2 \S+: BSD", line) for line in lines)


def test_every_pin_has_a_hash() -> None:
    for file in PACKAGING.glob("constraints*.txt"):
        parts = re.split(r"^(?=[a-z0-9][\w.-]*==)", file.read_text(), flags=re.MULTILINE)[1:]
        assert parts
        assert all("--hash=sha256:" in part for part in parts), file
