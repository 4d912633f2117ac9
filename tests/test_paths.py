"""Folders are the platform's, apart from a user's own during tests, and resources are found."""

import shutil
import subprocess
import sys
from pathlib import Path

from reviewer import paths

ROOT = Path(__file__).resolve().parents[1]


def test_folders_are_made_inside_the_home_of_the_tests() -> None:
    made = [paths.data_folder(), paths.log_folder()]
    folders = [*made, paths.config_folder()]
    assert len(set(folders)) == 3
    assert all(folder.is_dir() for folder in made)
    for folder in folders:
        assert folder.is_relative_to(Path.home())
        assert "reviewer-tests-" in str(folder)


def test_a_checkout_has_its_resources_beside_the_package() -> None:
    assert paths.resources() == ROOT / "resources"
    assert (paths.resources() / "rubrics").is_dir()


def test_an_installed_package_has_its_resources_inside(tmp_path: Path) -> None:
    package = tmp_path / "reviewer"
    (package / "_resources").mkdir(parents=True)
    shutil.copy(ROOT / "reviewer" / "paths.py", package)
    shutil.copy(ROOT / "reviewer" / "__init__.py", package)
    code = "from reviewer import paths; print(paths.resources())"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert Path(found.stdout.strip()) == (package / "_resources").resolve()


def test_the_shipped_fonts_come_with_their_licences() -> None:
    fonts = paths.resources() / "fonts"
    families = {file.stem.split("-")[0] for file in fonts.glob("*.[ot]tf")}
    assert families == {"Inter", "JetBrainsMono"}
    for family in families:
        assert "Open Font License" in (fonts / f"LICENSE-{family}.txt").read_text("utf-8")
