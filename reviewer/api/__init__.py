"""Reviewer from Python: evaluate and report from scripts and tests, without the window.

Imports services only; the examples in its docstrings are run as tests.
"""
