"""The Runs page on a project with a judge at a real server."""

from tests.gui.jobs.conftest import desk, judged, key, provider

__all__ = ["desk", "judged", "key", "provider"]
