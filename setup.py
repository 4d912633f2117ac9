"""Build the wheel with `resources/` inside the package; in a checkout it stays beside it."""

from setuptools import find_packages, setup

setup(
    include_package_data=False,
    packages=[*find_packages(include=["reviewer", "reviewer.*"]), "reviewer._resources"],
    package_dir={"reviewer._resources": "resources"},
    package_data={"reviewer": ["py.typed"], "reviewer._resources": ["**/*"]},
)
