"""Each wall of the house holds: a planted violation breaks the contract that names it."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# contract: the violation, as {module: line that goes at its end}
VIOLATIONS = {
    "floors": {"reviewer/domain/planted.py": "import reviewer.services\n"},
    "cycles": {
        "reviewer/domain/planted_one.py": "import reviewer.domain.planted_two\n",
        "reviewer/domain/planted_two.py": "import reviewer.domain.planted_one\n",
    },
    "qt": {"reviewer/services/planted.py": "import PySide6.QtCore\n"},
    "sql": {"reviewer/services/planted.py": "import sqlite3\n"},
    "cluster": {"reviewer/services/planted.py": "import distributed\n"},
    "secrets": {"reviewer/services/planted.py": "import keyring\n"},
    "hub": {"reviewer/services/planted.py": "import psycopg\n"},
    "models": {"reviewer/services/planted.py": "import pydantic_ai\n"},
    "door": {"reviewer/gui/planted.py": "import reviewer.store\n"},
    "scripts": {"reviewer/api/planted.py": "import reviewer.scoring.registry\n"},
    "worker": {"reviewer/worker/planted.py": "import reviewer.stats.figure\n"},
    "kit": {"reviewer/gui/kit/planted.py": "import reviewer.services.computer.settings\n"},
    "callers": {"reviewer/services/bots/planted.py": "import reviewer.services.judging.judges\n"},
    "pages": {"reviewer/gui/runs/planted.py": "import reviewer.gui.review.page\n"},
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copytree(
        ROOT / "reviewer", copy / "reviewer", ignore=shutil.ignore_patterns("__pycache__")
    )
    return copy


def lint_imports(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [program, "--cache-dir", house / "cache", *arguments],
        cwd=house,
        capture_output=True,
        check=False,
        text=True,
    )


def test_the_house_keeps_every_contract(house: Path) -> None:
    result = lint_imports(house)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_contract_has_a_violation_here() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    ids = {contract["id"] for contract in config["tool"]["importlinter"]["contracts"]}
    assert ids == set(VIOLATIONS)


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_planted_violation_breaks_its_contract(house: Path, contract: str) -> None:
    planted = VIOLATIONS[contract]
    for name, line in planted.items():
        (house / name).write_text(line, encoding="utf-8")
    try:
        result = lint_imports(house, "--contract", contract)
    finally:
        for name in planted:
            (house / name).unlink()
    assert result.returncode == 1, result.stdout + result.stderr
    assert "1 broken" in result.stdout
    assert "planted" in result.stdout
