"""Hold the pins against published advisories, and list their licences: `test.sh --audit` runs it.

Arguments: the folder of the pin files, and the environments whose metadata tell the licences.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+)", re.MULTILINE)
LICENCE = "License :: "


def main(folder: Path, environments: list[Path]) -> int:
    """Print what is known of every pin; 1 where an advisory names one."""
    files = sorted(folder.glob("constraints*.txt"))
    weak = [sentence for file in files for sentence in advisories(file)]
    sys.stdout.write("".join(f"{sentence}\n" for sentence in weak))
    pins = {pin for file in files for pin in pins_of(file)}
    known = licences(environments)
    for name, version in sorted(pins):
        sys.stdout.write(f"{name} {version}: {known.get(name, 'not installed here')}\n")
    return int(any(not sentence.startswith("Not checked") for sentence in weak))


def pins_of(file: Path) -> list[tuple[str, str]]:
    """Give the names and versions that a pin file holds."""
    return [(plain(name), version) for name, version in PIN.findall(file.read_text())]


def plain(name: str) -> str:
    """Give a package's name as every tool spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def advisories(file: Path) -> Iterator[str]:
    """Say what is published against the pins of a file, or that nobody can be asked."""
    command = [
        sys.executable, "-m", "pip_audit", "--requirement", str(file), "--require-hashes",
        "--disable-pip", "--vulnerability-service", "osv", "--progress-spinner", "off",
        "--format", "json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        told = json.loads(done.stdout)["dependencies"]
    except ValueError:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        yield f"Not checked: no advisories can be reached for {file.name}: {why[:200]}"
        return
    for one in told:
        for found in one.get("vulns", ()):
            fixed = ", ".join(found["fix_versions"]) or "no version yet"
            yield f"{one['name']} {one['version']} has {found['id']}; it is mended in {fixed}."


def licences(environments: list[Path]) -> dict[str, str]:
    """Give the licence of everything that is installed, by name."""
    places = [str(x) for one in environments for x in one.glob("lib/python*/site-packages")]
    return {plain(x.name): licence_of(x) for x in distributions(path=places) if x.name}


def licence_of(one: Distribution) -> str:
    """Give what a package says of its licence, the newest way of saying it first."""
    told = one.metadata
    named = [x.rsplit(" :: ", 1)[-1] for x in told.get_all("Classifier") or () if LICENCE in x]
    expression, text = ("".join(told.get_all(x) or ()) for x in ("License-Expression", "License"))
    return expression or ", ".join(named) or text.strip().split("\n")[0] or "not told"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(x) for x in sys.argv[2:]]))
